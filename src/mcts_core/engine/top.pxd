"""The top of a tree as Python data."""

from libc.stdint cimport uint32_t

from mcts_core.tree.tree cimport Tree


# The children of the root, down to ``depth`` moves, as ``top`` of engine/top.pyx returns them. ``moves``: their figures
# as (move, visits, wins, value, proven, distance); ``names``: the moves that numbers in the tree stand for, None: the
# numbers are the moves; ``signs``: the players of a general tree are +1 and -1, and their values sum to 1.
cdef list children_of_root(const Tree *tree, list moves, object chosen, uint32_t depth, double least, uint32_t most,
                           list names, bint signs)
