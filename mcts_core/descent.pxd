"""The moves that lead from the root of one search to that of the next."""

from mcts_core.game cimport NativeState
from mcts_core.tree cimport Tree


cdef bint leads_to(NativeState begin, list moves, NativeState end) except -1
cdef list found_below(const Tree *tree, NativeState begin, NativeState end)
