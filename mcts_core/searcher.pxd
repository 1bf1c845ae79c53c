"""One search at a time over one tree: budgets, stop rules, figures."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.game cimport NativeState
from mcts_core.guided_tree cimport GuidedOptions, GuidedTree
from mcts_core.tree cimport Tree


cdef class SearchSettings:
    cdef bint guided               # the guided tree, not the plain one
    cdef bint by_value             # the final move is the one with the best value, otherwise the most visited one
    cdef GuidedOptions options


cdef class SearchCore:
    cdef Tree *tree                # that of the last search: `plain` or the beginning of `guided`
    cdef Tree *plain
    cdef GuidedTree *guided
    cdef SearchSettings settings   # of the last search
    cdef uint64_t memory           # bytes that the arena may take
    cdef object lock               # held while a search runs
    cdef NativeState native        # the root of the last search, None when it failed
    cdef object state              # as the user gave it
    cdef bint finished
    cdef double seconds, overshoot
    cdef uint64_t seed
    cdef str stop_reason
    cdef object move

    cdef void drop_trees(self) noexcept
    cdef bint prepare(self, NativeState native, int sign, SearchSettings settings, uint64_t seed) noexcept
    cdef int run(self, uint32_t count) noexcept nogil
    cdef uint32_t spent(self) noexcept nogil
    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil
    cdef object name(self, uint32_t move)
    cdef list legal_moves(self)
    cdef list root_children(self)
    cdef list guided_children(self)
    cdef list plain_children(self)
    cdef object choose(self, list children)
    cdef list winning_moves(self)
    cdef list variation(self, object first)
    cdef list guided_variation(self, object first)
    cdef list plain_variation(self, object first)
