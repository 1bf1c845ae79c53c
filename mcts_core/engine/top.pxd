"""The top of a tree as Python data."""

from libc.stdint cimport uint32_t

from mcts_core.tree.plain_tree cimport Tree


# The children of the root, down to ``depth`` moves, as ``top`` of engine/top.pyx gives them. ``moves``: what the
# statistics have of them, as (move, visits, wins, value, proven, distance); ``names``: what the numbers of moves stand
# for, None: for themselves; ``signs``: in a general tree, that the players are +1 and -1, whose values make 1.
cdef list children_of_root(const Tree *tree, list moves, object chosen, uint32_t depth, double least, uint32_t most,
                           list names, bint signs)
