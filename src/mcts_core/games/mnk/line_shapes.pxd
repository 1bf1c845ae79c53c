"""Where a player of an m,n,k game makes a five or an open four, line by line."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.games.mnk.lines cimport mnk_line_board, mnk_line_cell, mnk_line_cells, mnk_lines_of, mnk_toggle
from mcts_core.games.mnk.rollout cimport mnk_geometry
from mcts_core.games.mnk.rows cimport MNK_EDGE, mcts_ctz64, mnk_row_board


cdef extern from "kernels/mnk/lines.h" nogil:
    uint64_t mnk_line_fives(uint64_t own, uint64_t empty, int k, int exact) noexcept
    uint64_t mnk_line_open_threes(uint64_t own, uint64_t empty, int k, int exact) noexcept


cdef extern from "kernels/mnk/surroundings.h" nogil:
    enum:
        HAS_FIVE "MNK_HAS_FIVE"
        HAS_FOUR "MNK_HAS_FOUR"
        HAS_THREE "MNK_HAS_THREE"

    void mnk_fill_surroundings() noexcept
    int mnk_surroundings(int k, uint32_t own, int at) noexcept


cdef enum:
    DIRECTION = 3   # the bits of HAS_ of a row are followed by those of a column, and of the diagonals
    EACH = 0o1111   # once in each direction


cdef inline uint64_t empties(const mnk_geometry *g, const mnk_line_board *l, int line) noexcept nogil:
    return mnk_line_cells(g.cols, g.rows, line) & ~<uint64_t> (l.own[0][line] | l.own[1][line])


cdef inline uint64_t fives_in(const mnk_geometry *g, const mnk_line_board *l, int player, int line) noexcept nogil:
    cdef uint64_t own = l.own[player][line], empty = empties(g, l, line)
    return mnk_line_fives(own, empty, 5, g.exact) if g.k == 5 else mnk_line_fives(own, empty, g.k, g.exact)


cdef inline uint64_t threes_in(const mnk_geometry *g, const mnk_line_board *l, int player, int line) noexcept nogil:
    cdef uint64_t own = l.own[player][line], empty = empties(g, l, line)
    return mnk_line_open_threes(own, empty, 5, g.exact) if g.k == 5 else mnk_line_open_threes(own, empty, g.k, g.exact)


cdef inline void draw_lines(const mnk_row_board *b, mnk_line_board *l) noexcept nogil:
    cdef int player, row
    cdef uint32_t rest
    memset(l, 0, sizeof(mnk_line_board))
    for player in range(2):
        for row in range(b.rows):
            rest = b.own[player][MNK_EDGE + row]
            while rest:
                mnk_toggle(l.own[player], row, mcts_ctz64(rest))
                rest &= rest - 1


cdef inline int fives_around(const mnk_geometry *g, const mnk_line_board *l, int player, int row, int col, int wanted,
                             uint16_t *cells) noexcept nogil:
    """Where ``player`` would win, on those lines of a cell that ``wanted`` has HAS_FOUR for; on the board of bytes.
    Returns their number."""
    cdef int lines[4]
    cdef int i, count = 0
    cdef uint64_t found
    mnk_lines_of(row, col, lines)
    for i in range(4):
        if not wanted >> (DIRECTION * i) & HAS_FOUR:
            continue
        found = fives_in(g, l, player, lines[i])
        while found:
            cells[count] = mnk_line_cell(lines[i], mcts_ctz64(found), g.stride)
            count += 1
            found &= found - 1
    return count
