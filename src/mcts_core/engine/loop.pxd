"""The loop of a search: slices, the clock, signals, progress."""

from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.searched_tree cimport SearchedTree
from mcts_core.engine.stop_rules cimport Look


cdef class SearchCore(SearchedTree):
    cdef double signals_at         # when to look at signals next; in other threads than the main one never
    cdef object failure            # what a signal handler raised
    cdef object progress           # called with figures after every `every` seconds, or None
    cdef double every

    cdef int set_up(self, SearchRequest request) except -1
    cdef void end(self, const char *reason) noexcept
    cdef void stop_clock(self, double seconds) noexcept
    cdef object conclude(self)
    cdef int look_again(self) except -1
    cdef int loop(self, Look *look, const char **reason) except -1 nogil
    cdef int report(self) except -1
    cdef bint is_over(self) noexcept nogil
    cdef void look_at_signals(self) noexcept
