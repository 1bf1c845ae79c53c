"""The clock, and the slices in which a search looks at it."""

from libc.stdint cimport uint32_t


cdef extern from "kernels/platform.h" nogil:
    double read_clock "mcts_clock"()

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
