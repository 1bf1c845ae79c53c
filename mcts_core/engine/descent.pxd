"""The moves that lead from the root of one search to that of the next."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport NativeState
from mcts_core.tree.plain_tree cimport Tree


cdef bint leads_to(NativeState begin, list moves, NativeState end) except -1
cdef bint has_mover(const Tree *tree, const uint32_t *path, uint32_t count, int sign) noexcept nogil
cdef list found_below(const Tree *tree, NativeState begin, NativeState end, int sign)
