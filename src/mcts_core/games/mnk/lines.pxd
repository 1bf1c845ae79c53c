"""The line board of an m,n,k game: a word for each line and player, a bit for each cell (see kernels/mnk/lines.h).

Rows are lines 0 to 31 (bit: the column), columns 32 to 63 (bit: the row), diagonals down to the right from 64 on,
numbered by row - column, and down to the left from 128 on, by row + column (bit: the column).
"""

from libc.stdint cimport uint32_t, uint64_t


cdef enum:
    MNK_LINES = 192
    MNK_COLUMNS = 32
    MNK_FALLING = 95   # the diagonal of row = column
    MNK_RISING = 128

ctypedef struct mnk_line_board:
    uint32_t own[2][MNK_LINES]  # [0]: the player who began


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


cdef inline uint64_t mnk_line_cells(int cols, int rows, int line) noexcept nogil:
    """The cells of a line that are on the board."""
    cdef int low = 0, high = cols - 1, n
    if line >= MNK_RISING:
        n = line - MNK_RISING
        low = max(0, n - rows + 1)
        high = min(high, n)
    elif line >= 2 * MNK_COLUMNS:
        n = line - MNK_FALLING
        low = max(0, -n)
        high = min(high, rows - 1 - n)
    elif line >= MNK_COLUMNS:
        high = rows - 1
    return (<uint64_t> 2 << high) - (<uint64_t> 1 << low)


cdef inline int mnk_line_cell(int line, int at, int stride) noexcept nogil:
    """The number of cell ``at`` of a line on a board whose rows begin ``stride`` numbers apart."""
    if line >= MNK_RISING:
        return (line - MNK_RISING - at) * stride + at
    if line >= 2 * MNK_COLUMNS:
        return (line - MNK_FALLING + at) * stride + at
    if line >= MNK_COLUMNS:
        return at * stride + line - MNK_COLUMNS
    return line * stride + at
