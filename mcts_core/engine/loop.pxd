"""The loop of a search: slices, the clock, signals, progress."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_interrupt
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.searched_tree cimport SearchedTree


cdef extern from "kernels/platform.h" nogil:
    double read_clock "mcts_clock"()


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
    cdef int loop(self, double seconds, uint32_t limit, bint early) except -1 nogil
    cdef int report(self) except -1
    cdef mcts_interrupt interrupt(self) noexcept nogil
    cdef bint is_over(self) noexcept nogil
    cdef void look_at_signals(self) noexcept
    cdef dict snapshot(self)


cdef extern from *:
    """
    #define SLICE 1e-3              /* seconds between two looks at the clock */
    #define SIGNAL_INTERVAL 0.02    /* seconds between two looks at signals, for which the GIL is taken */
    """
    const double SLICE
    const double SIGNAL_INTERVAL


cdef inline uint32_t next_batch(uint32_t batch, double took, double slice_seconds) noexcept nogil:
    """How many iterations take ``slice_seconds``, after ``batch`` of them ``took`` that long."""
    if took * 8 < slice_seconds:
        return batch * 8 if batch < (1 << 24) else batch
    batch = <uint32_t>(batch * (slice_seconds / took))
    return batch if batch else 1
