"""A board of an m,n,k game line by line, a word for each and a bit for each cell.

Rows are lines 0 to 31 (bit: the column), columns 32 to 63 (bit: the row), diagonals down to the right from 64 on,
numbered by row - column, and down to the left from 128 on, by row + column (bit: the column).
"""

from libc.stdint cimport uint32_t


cdef enum:
    MNK_LINES = 192
    MNK_COLUMNS = 32
    MNK_FALLING = 95   # the diagonal of row = column
    MNK_RISING = 128


cdef inline void mnk_lines_of(int row, int col, int *lines) noexcept nogil:
    """The four lines of a cell."""
    lines[0] = row
    lines[1] = MNK_COLUMNS + col
    lines[2] = MNK_FALLING + row - col
    lines[3] = MNK_RISING + row + col


cdef inline void mnk_toggle(uint32_t *own, int row, int col) noexcept nogil:
    """Puts a stone on an empty cell, or takes it away again."""
    cdef uint32_t bit = <uint32_t> 1 << col
    own[row] ^= bit
    own[MNK_COLUMNS + col] ^= <uint32_t> 1 << row
    own[MNK_FALLING + row - col] ^= bit
    own[MNK_RISING + row + col] ^= bit
