"""A line-pattern network for five in a row, as data: see ``kernels/mnk/network.h`` for what it computes."""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t


cdef extern from "kernels/mnk/network_data.h" nogil:
    enum:
        LINE_HALVES
        LINE_PATTERNS
        LINE_SIDE
        NET_CHANNELS
        NET_HIDDEN

    ctypedef struct mnk_network:
        int16_t policy[32]
        int16_t value1[32][32][2]
        int32_t value1_bias[32]
        int16_t value2[32]
        int32_t value2_bias
        const int16_t *table
        const int16_t *exact_table


cdef class Network:
    cdef mnk_network data
    cdef int16_t *table
    cdef readonly bytes source        # the file
    cdef readonly int generation      # how many rounds of training it has behind it
    cdef readonly str version
