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
        int16_t *table
        int16_t *exact_table
        const int16_t *half
        const int16_t *mix
        const int32_t *bias
        int inner


# What is computed on a board that is kept up to date stone by stone.
cdef extern from "kernels/mnk/network.h" nogil:
    enum:
        EXP2_ONE

    ctypedef struct line_board:
        uint32_t half[1024][2][4]

    void exp2_fill()
    uint32_t exp2_minus(uint32_t x)
    int32_t exp2_sigmoid(int32_t x)
    void line_clear(line_board *b, int rows, int cols)
    void line_put(line_board *b, int player, int cell, int by)
    int line_cell(int row, int col)
    void line_patterns(const uint32_t (*half)[4], int player, int scale, uint32_t *patterns)
    void net_logits(const mnk_network *net, const line_board *b, uint16_t *cells, int count, int player,
                    int32_t *logits)
    int32_t net_value(const mnk_network *net, const line_board *b, const uint32_t *look, int rows, int player)
    void net_look(const uint32_t *stones, const uint32_t *empty, int rows, uint32_t *look)


cdef class Network:
    cdef mnk_network data             # what the search reads, and where it adds rows to the tables
    cdef void *memory                 # of the tables
    cdef readonly bytes source        # the file
    cdef readonly uint32_t generation  # how many rounds of training it has behind it
    cdef readonly str version
