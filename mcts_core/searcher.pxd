"""One search at a time over one tree: budgets, stop rules, figures."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.game cimport NativeState
from mcts_core.tree cimport Tree


cdef class SearchCore:
    cdef Tree *tree
    cdef uint64_t memory           # bytes that the arena may take
    cdef object lock               # held while a search runs
    cdef NativeState native        # the root of the last search, None when it failed
    cdef object state              # as the user gave it
    cdef bint finished
    cdef double seconds, overshoot
    cdef uint64_t seed
    cdef str stop_reason
    cdef object move

    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil
    cdef object name(self, uint32_t move)
    cdef list root_children(self)
    cdef list winning_moves(self)
    cdef list variation(self, list children)
