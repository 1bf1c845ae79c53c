"""The clock, and the slices in which a search looks at it."""

from libc.stdint cimport uint32_t


cdef extern from *:
    """
    #define SLICE 1e-3              /* seconds between two looks at the clock */
    #define SIGNAL_INTERVAL 0.02    /* seconds between two looks at signals, for which the GIL is taken */
    """
    const double SLICE
    const double SIGNAL_INTERVAL

cdef enum:
    MOST_BATCH = 1 << 27  # iterations between two looks at the clock, if they take no time


cdef inline uint32_t next_batch(uint32_t batch, double took, double slice_seconds) noexcept nogil:
    """How many iterations take ``slice_seconds``, after ``batch`` of them ``took`` that long; not above MOST_BATCH."""
    cdef double wanted = batch * 8.0 if took * 8 < slice_seconds else batch * (slice_seconds / took)
    return <uint32_t>min(max(wanted, 1.0), <double>MOST_BATCH)
