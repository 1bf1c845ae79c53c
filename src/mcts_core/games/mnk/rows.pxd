"""The row board of an m,n,k game, and sets of its cells: a word for each row, a bit for each cell."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.games.mnk.rollout cimport mnk_geometry, mnk_state
from mcts_core.platform cimport mcts_ctz64, mcts_log2_32, mcts_popcount64


cdef extern from "kernels/mnk/rows.h" nogil:
    enum:
        MNK_EDGE
        MNK_FIND_FOURS
        MNK_FIND_ALL

    ctypedef struct mnk_row_board:
        int32_t rows
        int32_t cols
        int32_t k
        int32_t exact
        uint32_t own[2][112]
        uint32_t empty[112]

    ctypedef struct mnk_shapes:
        uint32_t possible
        uint32_t five[32]
        uint32_t four[32]
        uint32_t fours[32]
        uint32_t open[32]
        uint32_t opens[32]
        uint32_t half[32]

    void mnk_find_shapes(const mnk_row_board *b, int player, int find, mnk_shapes *t) noexcept
    void mnk_load_rows(const uint8_t *board, int rows, int cols, int stride, int k, int exact,
                       mnk_row_board *b) noexcept


cdef inline uint32_t bit(int col) noexcept nogil:
    return <uint32_t> 1 << col


cdef inline int bits_of(const uint32_t *rows, int count) noexcept nogil:
    cdef int row, total = 0
    for row in range(count):
        if rows[row]:
            total += mcts_popcount64(rows[row])
    return total


cdef inline int first_of(const uint32_t *rows, int cols) noexcept nogil:
    """The first cell of a set that has one."""
    cdef int row = 0
    while rows[row] == 0:
        row += 1
    return row * cols + mcts_ctz64(rows[row])


cdef inline bint any_of(const uint32_t *rows, int count) noexcept nogil:
    cdef int row
    cdef uint32_t all = 0
    for row in range(count):
        all |= rows[row]
    return all != 0


cdef inline bint has(const uint32_t *rows, int cols, int cell) noexcept nogil:
    cdef int row = cell // cols
    return (rows[row] >> (cell - row * cols) & 1) != 0


cdef inline void load_path(const mnk_geometry *g, const mnk_state *s, const uint32_t *path, uint32_t length,
                           mnk_row_board *b) noexcept nogil:
    """The board at the end of ``path``."""
    cdef int shift = mcts_log2_32(g.stride), player = s.stones & 1, at, row
    cdef uint32_t i, here
    mnk_load_rows(s.board, g.rows, g.cols, g.stride, g.k, g.exact, b)
    for i in range(length):
        at = g.offset[path[i]]
        row = MNK_EDGE + (at >> shift)
        here = bit(at & (g.stride - 1))
        b.own[player][row] |= here
        b.empty[row] &= ~here
        player ^= 1
