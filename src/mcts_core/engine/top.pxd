"""The top of a tree as Python data."""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.engine.root_rows cimport RootRows
from mcts_core.tree.tree cimport Tree


# The children of the root, down to ``depth`` moves, as ``top`` of engine/top.pyx returns them. ``names``: the moves
# that numbers in the tree stand for, None: the numbers are the moves; ``signs``: the players of a general tree are +1
# and -1, and their values sum to 1; ``player``: who is to move at the root, as blocks say it.
cdef list children_of_root(const Tree *tree, RootRows rows, object chosen, uint32_t depth, double least, uint32_t most,
                           list names, bint signs, int32_t player)
