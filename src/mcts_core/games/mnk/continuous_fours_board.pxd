"""The board of the threat search, line by line: stones, threes and fours, and the keys of positions. For
``continuous_fours.pyx`` alone."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.games.mnk.continuous_fours cimport threat_cell_at, threat_change, threat_search
from mcts_core.games.mnk.lines cimport (MNK_COLUMNS, MNK_FALLING, MNK_LINES, MNK_RISING, mnk_line_cell, mnk_line_cells,
                                        mnk_lines_of, mnk_toggle)


cdef extern from "kernels/mnk/lines.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    void mnk_threes_and_fours(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                              uint32_t *four) noexcept
    void mnk_threes_and_fours8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                               uint32_t *three, uint32_t *four) noexcept


cdef inline void lines_of(int cell, int *lines, uint32_t *bits) noexcept nogil:
    cdef int y = cell >> 5, x = cell & 31
    mnk_lines_of(y, x, lines)
    bits[0] = <uint32_t>1 << x
    bits[1] = <uint32_t>1 << y
    bits[2] = bits[0]
    bits[3] = bits[0]


# Words of the four lines of a cell. With the numbers of lines_of() in place of `y` and `x`, GCC makes vectors of them
# and takes these apart again: 50 instructions for four words.

cdef inline void words_of(const uint32_t *words, int y, int x, uint32_t *four) noexcept nogil:
    four[0] = words[y]
    four[1] = words[MNK_COLUMNS + x]
    four[2] = words[MNK_FALLING + y - x]
    four[3] = words[MNK_RISING + y + x]


cdef inline void set_words(uint32_t *words, int y, int x, const uint32_t *four) noexcept nogil:
    words[y] = four[0]
    words[MNK_COLUMNS + x] = four[1]
    words[MNK_FALLING + y - x] = four[2]
    words[MNK_RISING + y + x] = four[3]


cdef inline void prepare_board(threat_search *s, int32_t cols, int32_t rows, int32_t exact) noexcept nogil:
    cdef int line
    s.cols = cols
    s.rows = rows
    s.strict = <uint32_t>0xFFFFFFFF if exact else 0
    for line in range(MNK_LINES):
        s.valid[line] = 0
        s.base[line] = mnk_line_cell(line, 0, 32)
        s.step[line >> 5] = mnk_line_cell(line, 1, 32) - s.base[line]
    for line in range(rows):
        s.valid[line] = <uint32_t>mnk_line_cells(cols, rows, line)
    for line in range(cols):
        s.valid[MNK_COLUMNS + line] = <uint32_t>mnk_line_cells(cols, rows, MNK_COLUMNS + line)
    for line in range(rows + cols - 1):
        s.valid[MNK_FALLING + 1 - cols + line] = <uint32_t>mnk_line_cells(cols, rows, MNK_FALLING + 1 - cols + line)
        s.valid[MNK_RISING + line] = <uint32_t>mnk_line_cells(cols, rows, MNK_RISING + line)
    s.blocks = 0
    for line in range(MNK_LINES):
        s.blocks |= <uint32_t>(s.valid[line] != 0) << (line >> 3)
    memset(&s.board, 0, sizeof(s.board))
    memset(s.windows, 0, sizeof(s.windows))
    memset(s.threes, 0, sizeof(s.threes))
    memset(s.fours, 0, sizeof(s.fours))
    s.hash = 0
    s.count = 0


cdef inline bint has_any(const uint64_t *lines) noexcept nogil:
    return (lines[0] | lines[1] | lines[2]) != 0


cdef inline void mark(uint64_t *set_, int y, int x, const uint32_t *windows) noexcept nogil:
    """Notes in a set of lines which of the four lines of a cell have windows. A line of each direction is always in the
    same word."""
    cdef int falling = (MNK_FALLING + y - x) & 63, rising = (MNK_RISING + y + x) & 63
    set_[0] = (set_[0] & ~(<uint64_t>1 << y | <uint64_t>1 << (MNK_COLUMNS + x))
               | <uint64_t>(windows[0] != 0) << y | <uint64_t>(windows[1] != 0) << (MNK_COLUMNS + x))
    set_[1] = set_[1] & ~(<uint64_t>1 << falling) | <uint64_t>(windows[2] != 0) << falling
    set_[2] = set_[2] & ~(<uint64_t>1 << rising) | <uint64_t>(windows[3] != 0) << rising


cdef inline void put(threat_search *s, int player, int cell) noexcept nogil:
    """Puts a stone on an empty cell. Also updates the threes and fours of both players on the four lines: searching all
    lines for them each time took a third of a search with proofs at its leaves."""
    cdef threat_change *before = &s.before[s.count]
    cdef int y = cell >> 5, x = cell & 31, i
    cdef uint32_t mine[8]
    cdef uint32_t theirs[8]
    cdef uint32_t valid[8]
    cdef uint32_t three[8]
    cdef uint32_t four[8]
    cdef uint32_t own, some = 0
    s.hash ^= s.stone_keys[player][cell]
    s.count += 1
    before.cell = cell
    mnk_toggle(s.board.own[player], y, x)
    # Most stones change nothing: that takes three of them on a line, or threes and fours of the other player.
    words_of(s.board.own[player], y, x, mine)
    words_of(s.windows[1 - player], y, x, three)
    for i in range(4):
        own = mine[i] & (mine[i] - 1)
        some |= own & (own - 1) | three[i]
    before.changed = some != 0 or has_any(s.fours[0]) or has_any(s.fours[1])
    if not before.changed:
        return
    words_of(s.board.own[0], y, x, mine)
    words_of(s.board.own[1], y, x, mine + 4)
    words_of(s.board.own[1], y, x, theirs)
    words_of(s.board.own[0], y, x, theirs + 4)
    words_of(s.valid, y, x, valid)
    words_of(s.valid, y, x, valid + 4)
    words_of(s.windows[0], y, x, before.windows[0])
    words_of(s.windows[1], y, x, before.windows[1])
    memcpy(before.threes, s.threes, sizeof(s.threes))
    memcpy(before.fours, s.fours, sizeof(s.fours))
    mnk_threes_and_fours8(mine, theirs, valid, s.strict, three, four)
    set_words(s.windows[0], y, x, three)
    set_words(s.windows[1], y, x, three + 4)
    mark(s.threes[0], y, x, three)
    mark(s.threes[1], y, x, three + 4)
    mark(s.fours[0], y, x, four)
    mark(s.fours[1], y, x, four + 4)


cdef inline void lift(threat_search *s, int player, int cell) noexcept nogil:
    """Takes the last stone away again."""
    cdef const threat_change *before
    cdef int y = cell >> 5, x = cell & 31
    s.hash ^= s.stone_keys[player][cell]
    s.count -= 1
    before = &s.before[s.count]
    mnk_toggle(s.board.own[player], y, x)
    if before.changed:
        set_words(s.windows[0], y, x, before.windows[0])
        set_words(s.windows[1], y, x, before.windows[1])
        memcpy(s.threes, before.threes, sizeof(s.threes))
        memcpy(s.fours, before.fours, sizeof(s.fours))


cdef inline void put_stone(threat_search *s, int32_t player, int32_t cell) noexcept nogil:
    if s.board.own[player][cell >> 5] >> (cell & 31) & 1:
        lift(s, player, cell)
    else:
        put(s, player, cell)


cdef inline int fives_on(const threat_search *s, int player, const uint64_t *lines, int *cells) noexcept nogil:
    """Finds up to 2 cells where ``player`` completes a five on one of the ``lines``; returns their number."""
    cdef const uint32_t *mine = s.board.own[player]
    cdef const uint32_t *theirs = s.board.own[1 - player]
    cdef int i, line, cell, count = 0
    cdef uint64_t rest
    cdef uint32_t three, four, window
    for i in range(3):
        rest = lines[i]
        while rest:
            line = 64 * i + mcts_ctz64(rest)
            rest &= rest - 1
            mnk_threes_and_fours(mine[line], theirs[line], s.valid[line], s.strict, &three, &four)
            while four:
                window = (<uint32_t>31 << mcts_ctz64(four)) & ~mine[line]
                four &= four - 1
                cell = threat_cell_at(s, line, mcts_ctz64(window))
                if count == 0:
                    cells[0] = cell
                    count = 1
                elif cell != cells[0]:
                    cells[1] = cell
                    return 2
    return count


cdef inline int fives_through(const threat_search *s, int player, int stone, int *cells) noexcept nogil:
    """The same on the four lines through one cell."""
    cdef int lines[4]
    cdef uint32_t bits[4]
    cdef uint64_t set_[3]
    cdef int i
    lines_of(stone, lines, bits)
    set_[0] = set_[1] = set_[2] = 0
    for i in range(4):
        set_[lines[i] >> 6] |= <uint64_t>1 << (lines[i] & 63)
    return fives_on(s, player, set_, cells)


cdef inline int fives(const threat_search *s, int player, int *cells) noexcept nogil:
    """Finds up to 2 cells where ``player`` completes a five; returns their number."""
    return fives_on(s, player, s.fours[player], cells) if has_any(s.fours[player]) else 0
