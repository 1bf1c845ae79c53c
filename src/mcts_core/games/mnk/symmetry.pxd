"""Symmetries of positions of m,n,k games."""

from libc.stdint cimport uint8_t, uint32_t

from mcts_core.games.mnk.rollout cimport mnk_geometry
from mcts_core.games.mnk.rows cimport MNK_EDGE, has, mcts_ctz64, mnk_row_board


# Those that leave a position as it is, without the one that moves nothing.
ctypedef struct mnk_symmetries:
    int count
    uint8_t kind[7]     # 1: rows upside down; 2: columns; 4: rows for columns, before that


cdef inline int mapped(const mnk_geometry *g, int symmetry, int row, int col) noexcept nogil:
    """The cell that a symmetry of the board maps a cell to."""
    cdef int swap
    if symmetry & 4:
        swap = row
        row = col
        col = swap
    if symmetry & 1:
        row = g.rows - 1 - row
    if symmetry & 2:
        col = g.cols - 1 - col
    return row * g.cols + col


cdef inline bint is_symmetric(const mnk_geometry *g, const mnk_row_board *b, int symmetry) noexcept nogil:
    cdef int player, row
    cdef uint32_t rest
    for player in range(2):
        for row in range(g.rows):
            rest = b.own[player][MNK_EDGE + row]
            while rest:
                if not has(b.own[player] + MNK_EDGE, g.cols, mapped(g, symmetry, row, mcts_ctz64(rest))):
                    return False
                rest &= rest - 1
    return True


cdef inline void find_symmetries(const mnk_geometry *g, const mnk_row_board *b, mnk_symmetries *found) noexcept nogil:
    cdef int symmetry
    found.count = 0
    for symmetry in range(1, 8 if g.rows == g.cols else 4):
        if is_symmetric(g, b, symmetry):
            found.kind[found.count] = symmetry
            found.count += 1


cdef inline bint is_first(const mnk_geometry *g, const mnk_symmetries *s, int row, int col) noexcept nogil:
    """Whether no symmetry of the position maps a cell to one with a lower number."""
    cdef int i
    for i in range(s.count):
        if mapped(g, s.kind[i], row, col) < row * g.cols + col:
            return False
    return True
