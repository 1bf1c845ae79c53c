"""Threat search for five in a row: wins by continuous fours, and losses against them.

A four leaves the opponent one reply, so an attack of fours (VCF; Allis, van den Herik, Huntjens, "Go-Moku solved by new
search techniques", 1993) is a search over the moves of one player only. A player who cannot stop such an attack loses.
Only moves in the zone of the attack can stop it: they occupy a cell that the attack needs, or make a four in reply. The
search refutes each of them in turn. Hot: compiled once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof
from mcts_core.games.mnk.lines cimport (MNK_COLUMNS, MNK_FALLING, MNK_LINES, MNK_RISING, mnk_line_cell, mnk_line_cells,
                                        mnk_lines_of, mnk_toggle)
from mcts_core.games.mnk.continuous_fours cimport (THREAT_CELLS, THREAT_LOOK, THREAT_STACK, THREAT_STONES,
                                                   mnk_threat_table, threat_cell_at, threat_change, threat_is_over,
                                                   threat_note, threat_search, threat_take)
from mcts_core.games.proof_table cimport fill_zobrist, proof_find, proof_keep, proof_prefetch


cdef extern from "kernels/mnk/lines.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    void mnk_threes_and_fours(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                              uint32_t *four) noexcept
    void mnk_threes8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                     uint32_t *three) noexcept
    void mnk_threes_and_fours8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                               uint32_t *three, uint32_t *four) noexcept


cdef enum:
    UNKNOWN = -1      # result of a search that the budget or a limit ended; 0: there is no win
    NEVER = 255       # threat_note.failed
    MAX_FOURS = 6     # consecutive fours of the defender, each met by a stone that makes no four
    NOBODY = -1       # in place of a cell: none
    SEVERAL = -2

# Zobrist keys of each player: he attacks, he defends, his stones on the cells.
cdef enum:
    ATTACK = 0
    DEFENCE = 1
    STONES = 2

cdef uint64_t ZOBRIST[2][STONES + THREAT_CELLS]
fill_zobrist(&ZOBRIST[0][0], 2 * (STONES + THREAT_CELLS), 5)


# ---- the board -------------------------------------------------------------------------------------------------------

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


cdef void prepare(threat_search *s, int32_t cols, int32_t rows, int32_t exact) noexcept nogil:
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
    memset(s.three, 0, sizeof(s.three))
    memset(s.windows, 0, sizeof(s.windows))
    memset(s.threes, 0, sizeof(s.threes))
    memset(s.fours, 0, sizeof(s.fours))
    memset(s.seen, 0, sizeof(s.seen))
    s.hash = 0
    s.count = 0
    s.stamp = 0
    s.top = 0


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
    s.hash ^= ZOBRIST[player][STONES + cell]
    s.count += 1
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
    s.hash ^= ZOBRIST[player][STONES + cell]
    s.count -= 1
    before = &s.before[s.count]
    mnk_toggle(s.board.own[player], y, x)
    if before.changed:
        set_words(s.windows[0], y, x, before.windows[0])
        set_words(s.windows[1], y, x, before.windows[1])
        memcpy(s.threes, before.threes, sizeof(s.threes))
        memcpy(s.fours, before.fours, sizeof(s.fours))


cdef void put_stone(threat_search *s, int32_t player, int32_t cell) noexcept nogil:
    if s.board.own[player][cell >> 5] >> (cell & 31) & 1:
        lift(s, player, cell)
    else:
        put(s, player, cell)


cdef int fives_on(const threat_search *s, int player, const uint64_t *lines, int *cells) noexcept nogil:
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


cdef int fives_through(const threat_search *s, int player, int stone, int *cells) noexcept nogil:
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


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef inline threat_note *recall(const threat_search *s, uint64_t key) noexcept nogil:
    return <threat_note *> proof_find(&s.table, key)


cdef void keep(threat_search *s, uint64_t key, int won, int failed, uint32_t move, uint64_t work) noexcept nogil:
    cdef bint is_new
    cdef threat_note *note = <threat_note *> proof_keep(&s.table, key, work, &is_new)
    if won:
        note.won = won
        note.move = move
    if failed > note.failed:
        note.failed = failed


# ---- attacks of fours ------------------------------------------------------------------------------------------------

ctypedef struct saved:
    uint32_t three[8]
    uint64_t active[3]


cdef inline void toggle(threat_search *s, int move, int reply) noexcept nogil:
    mnk_toggle(s.mine, move >> 5, move & 31)
    mnk_toggle(s.theirs, reply >> 5, reply & 31)


cdef inline void exchange(threat_search *s, int move, int reply, saved *old) noexcept nogil:
    """Plays the attacker's stone and its answer, and updates the threes on the lines of both."""
    cdef int y = move >> 5, x = move & 31, row = reply >> 5, col = reply & 31
    cdef uint32_t mine[8]
    cdef uint32_t theirs[8]
    cdef uint32_t valid[8]
    cdef uint32_t three[8]
    toggle(s, move, reply)
    memcpy(old.active, s.active, sizeof(old.active))
    words_of(s.three, y, x, old.three)
    words_of(s.three, row, col, old.three + 4)
    words_of(s.mine, y, x, mine)
    words_of(s.mine, row, col, mine + 4)
    words_of(s.theirs, y, x, theirs)
    words_of(s.theirs, row, col, theirs + 4)
    words_of(s.valid, y, x, valid)
    words_of(s.valid, row, col, valid + 4)
    mnk_threes8(mine, theirs, valid, s.strict, three)
    set_words(s.three, y, x, three)
    set_words(s.three, row, col, three + 4)
    mark(s.active, y, x, three)
    mark(s.active, row, col, three + 4)


cdef inline void take_back(threat_search *s, int move, int reply, const saved *old) noexcept nogil:
    toggle(s, move, reply)
    set_words(s.three, move >> 5, move & 31, old.three)
    set_words(s.three, reply >> 5, reply & 31, old.three + 4)
    memcpy(s.active, old.active, sizeof(old.active))


cdef int answer_in(const threat_search *s, int reply, const uint32_t *stones, const uint32_t *four) noexcept nogil:
    """The cell where the defender threatens a five on the four lines of a reply, with his ``stones`` and fours there;
    or NOBODY or SEVERAL."""
    cdef int lines[4]
    cdef uint32_t bits[4]
    cdef uint32_t windows, window
    cdef int i, cell, found = NOBODY
    lines_of(reply, lines, bits)
    for i in range(4):
        windows = four[i]
        while windows:
            window = (<uint32_t>31 << mcts_ctz64(windows)) & ~stones[i]
            windows &= windows - 1
            cell = threat_cell_at(s, lines[i], mcts_ctz64(window))
            if found == NOBODY:
                found = cell
            elif found != cell:
                return SEVERAL
    return found


cdef inline int answer(const threat_search *s, int reply) noexcept nogil:
    """The same after the reply."""
    cdef int y = reply >> 5, x = reply & 31
    cdef uint32_t mine[4]
    cdef uint32_t theirs[4]
    cdef uint32_t valid[4]
    cdef uint32_t three[4]
    cdef uint32_t four[4]
    cdef int i
    words_of(s.theirs, y, x, mine)
    words_of(s.mine, y, x, theirs)
    words_of(s.valid, y, x, valid)
    for i in range(4):
        mnk_threes_and_fours(mine[i], theirs[i], valid[i], s.strict, &three[i], &four[i])
    return answer_in(s, reply, mine, four) if four[0] | four[1] | four[2] | four[3] else NOBODY


cdef inline int list_fours(threat_search *s, int forced) noexcept nogil:
    """Pushes the attacker's fours on the stack as ``move << 16 | reply``, only those at ``forced`` unless it is NOBODY.
    Returns their number, or UNKNOWN if one of them threatens two fives; ``best`` is then that move."""
    cdef int i, line, low, high, move, reply, turn, count = 0
    cdef uint64_t rest
    cdef uint32_t windows, cells, before
    s.stamp += 1
    for i in range(3):
        rest = s.active[i]
        while rest:
            line = 64 * i + mcts_ctz64(rest)
            rest &= rest - 1
            windows = s.three[line]
            cells = 0
            while windows:
                before = cells
                cells = (<uint32_t>31 << mcts_ctz64(windows)) & ~s.mine[line]
                windows &= windows - 1
                if cells == before:
                    continue
                low = threat_cell_at(s, line, mcts_ctz64(cells))
                high = threat_cell_at(s, line, mcts_ctz64(cells & (cells - 1)))
                for turn in range(2):
                    move = high if turn else low
                    reply = low if turn else high
                    if forced != NOBODY and move != forced:
                        continue
                    if s.seen[move] != s.stamp:
                        s.seen[move] = s.stamp
                        s.reply[move] = reply
                        if s.top + count < THREAT_STACK:
                            s.stack[s.top + count] = <uint32_t>move << 16 | <uint32_t>reply
                            count += 1
                        else:
                            s.cut = True
                    elif s.reply[move] != reply:
                        s.best = move
                        return UNKNOWN
    return count


cdef inline int known_attack(threat_search *s, int left) noexcept nogil:
    """What the table knows of attack(): its result, with ``best``, or UNKNOWN."""
    cdef threat_note *known
    if left > 2:
        known = recall(s, s.hash ^ s.side)
        if known != NULL:
            if known.won and known.won <= left:
                s.best = known.move
                return known.won
            if known.failed >= left:
                s.cut |= known.failed != NEVER
                return 0
    return UNKNOWN


cdef int play_last(threat_search *s, int move, int reply, int forced) noexcept nogil:
    """attack() with two stones left after a four and its reply. ``seen`` and ``reply`` stay as they are."""
    cdef saved old
    cdef uint32_t seen = s.seen[forced]
    cdef uint16_t known = s.reply[forced]
    cdef int result
    exchange(s, move, reply, &old)
    result = attack(s, 2, forced)
    take_back(s, move, reply, &old)
    s.seen[forced] = seen
    s.reply[forced] = known
    return result


cdef bint any_four(const threat_search *s, int move, int reply) noexcept nogil:
    """Whether the attacker has a four, after an exchange, on another line than those of the move: with a window that he
    had before and that the reply is not in."""
    cdef int lines[8]
    cdef uint32_t bits[4]
    cdef uint64_t rest[3]
    cdef int i
    lines_of(move, lines, bits)
    lines_of(reply, lines + 4, bits)
    memcpy(rest, s.active, sizeof(rest))
    for i in range(8):
        rest[lines[i] >> 6] &= ~(<uint64_t>1 << (lines[i] & 63))
    if has_any(rest):
        return True
    for i in range(4):
        if lines[i] != lines[4 + i] and s.three[lines[4 + i]] & ~<uint32_t>(31 * <uint64_t>bits[i] >> 4):
            return True
    return False


cdef inline int attack_last(threat_search *s, int move, int reply, uint32_t stamp) noexcept nogil:
    """The same as attack() with two stones left after a four and its reply, which are not played: most positions of a
    search are such ones, and this takes a third of the instructions.

    list_fours() of the position before the four marked all cells of its windows with ``stamp``, and found no cell in
    two windows with different other cells. So a four that threatens two fives needs a window which the move has made a
    three. Of the windows that share a cell with it, those on its own line are at hand; the others are as they were, if
    the reply is not in them: no other line of the move meets it in an empty cell.
    """
    cdef int lines[4]
    cdef int their_lines[4]
    cdef uint32_t bits[4]
    cdef uint32_t mine[8]
    cdef uint32_t theirs[8]
    cdef uint32_t valid[8]
    cdef uint32_t three[8]
    cdef uint32_t four[8]
    cdef uint32_t known[4]
    cdef int y = move >> 5, x = move & 31, row = reply >> 5, col = reply & 31, i, cell, forced
    cdef uint32_t windows, cells, before, all_
    cdef uint32_t at_x = <uint32_t>1 << x, at_y = <uint32_t>1 << y, at_col = <uint32_t>1 << col
    cdef uint32_t at_row = <uint32_t>1 << row
    words_of(s.mine, y, x, mine)
    words_of(s.theirs, y, x, theirs)
    words_of(s.valid, y, x, valid)
    words_of(s.theirs, row, col, mine + 4)
    words_of(s.mine, row, col, theirs + 4)
    words_of(s.valid, row, col, valid + 4)
    words_of(s.three, y, x, known)
    mine[0] ^= at_x
    mine[1] ^= at_y
    mine[2] ^= at_x
    mine[3] ^= at_x
    mine[4] ^= at_col
    mine[5] ^= at_row
    mine[6] ^= at_col
    mine[7] ^= at_col
    if y == row:  # the line of both has both stones
        theirs[0] ^= at_col
        theirs[4] ^= at_x
    elif x == col:
        theirs[1] ^= at_row
        theirs[5] ^= at_y
    elif y - x == row - col:
        theirs[2] ^= at_col
        theirs[6] ^= at_x
    else:
        theirs[3] ^= at_col
        theirs[7] ^= at_x
    mnk_threes_and_fours8(mine, theirs, valid, s.strict, three, four)
    if four[4] | four[5] | four[6] | four[7]:
        forced = answer_in(s, reply, mine + 4, four + 4)
        return 0 if forced == SEVERAL else play_last(s, move, reply, forced)
    s.spent += 1
    for i in range(4):
        windows = three[i]
        if not windows & ~known[i]:
            continue
        lines_of(move, lines, bits)
        all_ = cells = 0
        while windows:
            before = cells
            cells = (<uint32_t>31 << mcts_ctz64(windows)) & ~mine[i]
            windows &= windows - 1
            if cells == before:
                continue
            if cells & all_:
                return 2
            all_ |= cells
        while all_:
            cell = threat_cell_at(s, lines[i], mcts_ctz64(all_))
            all_ &= all_ - 1
            if s.seen[cell] == stamp and s.reply[cell] != reply:
                lines_of(s.reply[cell], their_lines, bits)
                if their_lines[i] != lines[i]:
                    return 2
    if not s.cut:
        s.cut = three[0] | three[1] | three[2] | three[3] or any_four(s, move, reply)
    return 0


cdef int attack(threat_search *s, int left, int forced) noexcept nogil:
    """The number of stones with which the attacker wins, 0 or UNKNOWN. He is to move, has no five at once, and places
    up to ``left`` stones, fours and at last a five; the first one at ``forced`` unless it is NOBODY. Sets ``best``.
    The caller has asked known_attack()."""
    cdef uint64_t key = s.hash ^ s.side, start = s.spent
    cdef saved old
    cdef int count, i, move, reply, result, won = 0
    cdef uint32_t base = s.top, outer, stamp, best = 0
    # A win in 3 plies is searched whatever the budget, because exact distances depend on it. So is a win in 5, so that
    # every call leaves something in the table for the next one.
    if left > 3 and s.spent >= s.pause and threat_is_over(s):
        return UNKNOWN
    s.spent += 1
    outer = s.cut
    s.cut = False
    count = list_fours(s, forced)
    if count < 0:
        s.cut |= outer
        if left > 2:
            keep(s, key, 2, 1, s.best, 1)
        return 2
    if left <= 2:
        s.cut |= outer | (count > 0)
        return 0
    stamp = s.stamp
    s.top += count
    if left > 3:
        for i in range(count):
            proof_prefetch(&s.table, key ^ s.mine_keys[s.stack[base + i] >> 16]
                           ^ s.their_keys[s.stack[base + i] & 0xFFFF])
    for i in range(count):
        move = s.stack[base + i] >> 16
        reply = s.stack[base + i] & 0xFFFF
        if left == 3 and forced == NOBODY:
            result = attack_last(s, move, reply, stamp)
        else:
            s.hash ^= s.mine_keys[move] ^ s.their_keys[reply]
            result = known_attack(s, left - 1)
            if result < 0:
                exchange(s, move, reply, &old)
                result = answer(s, reply)
                result = 0 if result == SEVERAL else attack(s, left - 1, result)
                take_back(s, move, reply, &old)
            s.hash ^= s.mine_keys[move] ^ s.their_keys[reply]
        if result < 0:
            s.top = base
            return UNKNOWN
        if result:
            won = result + 1
            best = move
            break
    s.top = base
    if won:
        keep(s, key, won, 0, best, s.spent - start)
        s.best = best
    else:
        keep(s, key, 0, left if s.cut else NEVER, 0, s.spent - start)
    s.cut |= outer
    return won


cdef int win_by_fours(threat_search *s, int player, uint32_t *move) noexcept nogil:
    """The fewest stones with which ``player``, who is to move, wins by fours and a five; 0 if he cannot, or UNKNOWN."""
    cdef uint64_t key = s.hash ^ ZOBRIST[player][ATTACK], start = s.spent
    cdef threat_note *known = recall(s, key)
    cdef int level = 2, count, result, forced = NOBODY
    cdef int cells[2]
    if known != NULL:
        if known.won and known.failed >= known.won - 1:
            move[0] = known.move
            return known.won
        if known.failed == NEVER:
            return 0
        level = max(level, known.failed + 1)
    s.spent += 1
    if fives(s, player, cells):
        move[0] = cells[0]
        return 1
    if not has_any(s.threes[player]):
        return 0
    count = fives(s, 1 - player, cells)
    if count == 2:
        return 0
    if count == 1:
        forced = cells[0]
    s.mine = s.board.own[player]
    s.theirs = s.board.own[1 - player]
    s.mine_keys = &ZOBRIST[player][STONES]
    s.their_keys = &ZOBRIST[1 - player][STONES]
    s.side = ZOBRIST[player][ATTACK]
    memcpy(s.three, s.windows[player], sizeof(s.three))
    memcpy(s.active, s.threes[player], sizeof(s.active))
    while level <= THREAT_STONES:
        s.cut = False
        result = known_attack(s, level)
        if result < 0:
            result = attack(s, level, forced)
        if result < 0:
            return UNKNOWN
        if result:
            move[0] = s.best
            keep(s, key, result, level - 1, s.best, s.spent - start)
            return result
        keep(s, key, 0, level if s.cut else NEVER, 0, s.spent - start)
        if not s.cut:
            return 0
        level += 1
    return UNKNOWN


# ---- defences --------------------------------------------------------------------------------------------------------

cdef int zone_of(threat_search *s, int player, uint32_t *zone, uint16_t *order, int *length,
                 bint *quiet) noexcept nogil:
    """Finds the zone of the shortest attack of ``player``; returns the stones of the attack, 0 or UNKNOWN.

    The function plays the attack to its end and takes it back. It marks in ``zone``, one word per row, all cells where
    a stone of the defender could matter if he placed it before the attack: the cells that the attack or its answers
    use, and the cells of windows in which such a stone makes a four with his other stones and all answers. ``order``
    receives the ``length`` cells of the attack, its first move first. ``quiet`` is set if his stones and all answers
    make no four or five, not even one that an overline spoils.
    """
    cdef uint32_t before[MNK_LINES]
    cdef uint16_t moves[THREAT_STONES]
    cdef uint16_t replies[THREAT_STONES]
    cdef int other = 1 - player, played = 0, count, i, line, cell, stones = 0
    cdef uint32_t move = 0, three, four, five, few, window, windows, blocks
    cdef int cells[2]
    length[0] = 0
    quiet[0] = True
    memset(zone, 0, 32 * sizeof(uint32_t))
    memcpy(before, s.board.own[player], sizeof(before))
    while True:
        count = win_by_fours(s, player, &move)
        if count <= 0 or played == THREAT_STONES - 1:
            stones = UNKNOWN if played or count < 0 else 0
            break
        put(s, player, move)
        moves[played] = move
        order[length[0]] = move
        length[0] += 1
        count = fives_through(s, player, move, cells)
        if count == 0:  # a false entry of the table: two positions with the same key
            lift(s, player, move)
            stones = UNKNOWN
            break
        for i in range(count):
            order[length[0]] = cells[i]
            length[0] += 1
        if count != 1:
            # A third such cell need not be marked: with any two of them the attack succeeds.
            stones = played + 2
            played += 1
            put(s, other, cells[0])
            replies[played - 1] = cells[0]
            break
        put(s, other, cells[0])
        replies[played] = cells[0]
        played += 1
    if stones > 0:
        blocks = s.blocks
        while blocks:
            i = 8 * mcts_ctz64(blocks)
            blocks &= blocks - 1
            for line in range(i, i + 8):
                five = s.board.own[other][line]
                few = five & (five - 1)
                if not few & (few - 1):  # less than three stones: 85 % of the lines
                    continue
                mnk_threes_and_fours(five, before[line], s.valid[line], 0, &three, &four)
                windows = three | four
                five &= five >> 1 & five >> 2
                quiet[0] &= not (four or five & five >> 2)
                while windows:
                    window = (<uint32_t>31 << mcts_ctz64(windows)) & ~(s.board.own[other][line] | before[line])
                    windows &= windows - 1
                    while window:
                        cell = threat_cell_at(s, line, mcts_ctz64(window))
                        window &= window - 1
                        zone[cell >> 5] |= <uint32_t>1 << (cell & 31)
        for i in range(length[0]):
            zone[order[i] >> 5] |= <uint32_t>1 << (order[i] & 31)
    while played:
        played -= 1
        lift(s, other, replies[played])
        lift(s, player, moves[played])
    return stones


cdef int wins(threat_search *s, int player, int depth, uint32_t *move) noexcept nogil:
    """Plies in which ``player``, who is to move, wins; 0 if no win was found, UNKNOWN if the search was cut short."""
    cdef int cells[2]
    cdef uint32_t ignored
    cdef int result, count = win_by_fours(s, player, move)
    if count > 0:
        return 2 * count - 1
    if depth == 0 or fives(s, 1 - player, cells) != 1:
        return count
    put(s, player, cells[0])
    result = loses(s, 1 - player, depth - 1, &ignored)
    lift(s, player, cells[0])
    if result > 0:
        move[0] = cells[0]
        return result + 1
    return UNKNOWN if count < 0 else result


cdef int loses(threat_search *s, int player, int depth, uint32_t *move) noexcept nogil:
    """Plies within which ``player``, who is to move, loses; 0 and UNKNOWN as above. ``move`` is the best defence."""
    cdef uint64_t key = s.hash ^ ZOBRIST[player][DEFENCE], start = s.spent
    cdef threat_note *known
    cdef int cells[2]
    cdef int count, result, cell, length, worst, place
    cdef uint32_t best, ignored
    cdef uint32_t zone[32]
    cdef uint16_t order[3 * THREAT_STONES]
    cdef bint quiet
    if fives(s, player, cells):
        return 0
    count = fives(s, 1 - player, cells)
    if count:
        move[0] = cells[0]
    if count == 2:
        return 2
    known = recall(s, key)
    if known != NULL:
        if known.won:
            move[0] = known.move
            return 2 * known.won
        if known.failed == NEVER:
            return 0
    s.spent += 1
    if count == 1:
        put(s, player, cells[0])
        worst = wins(s, 1 - player, depth, &ignored)
        lift(s, player, cells[0])
        if worst < 0:
            return UNKNOWN
        worst += worst > 0
        best = cells[0]
    else:
        result = zone_of(s, 1 - player, zone, order, &length, &quiet)
        if result < 0:
            return UNKNOWN
        worst = 2 * result
        best = order[0]
        place = 0
        while worst:
            cell = threat_take(zone, order, length, &place)
            if cell < 0:
                break
            put(s, player, cell)
            result = wins(s, 1 - player, depth, &ignored)
            lift(s, player, cell)
            if result < 0:
                return UNKNOWN
            if result == 0:
                worst = 0
            elif result + 1 > worst:
                worst = result + 1
                best = cell
    if worst > 0:
        move[0] = best
        keep(s, key, worst // 2, 0, best, s.spent - start)
    else:
        keep(s, key, 0, NEVER, 0, s.spent - start)
    return worst


# ---- the whole -------------------------------------------------------------------------------------------------------

cdef void prove(threat_search *s, int32_t player, mcts_proof *proof) noexcept nogil:
    cdef uint64_t limit = s.limit
    cdef uint32_t move = MCTS_NO_MOVE
    cdef int won, lost = 0
    proof.value = -1
    proof.distance = 0
    proof.exact = False
    proof.move = MCTS_NO_MOVE
    # A long unsuccessful attack must not use up the budget for a loss that is easy to see.
    s.limit = s.spent + (limit - s.spent + 1) // 2
    s.pause = min(s.limit, s.spent + THREAT_LOOK)
    s.interrupt = proof.interrupt
    s.interrupted = 0
    proof_prefetch(&s.table, s.hash ^ ZOBRIST[player][ATTACK])
    proof_prefetch(&s.table, s.hash ^ ZOBRIST[player][DEFENCE])
    proof_prefetch(&s.table, s.hash ^ ZOBRIST[1 - player][ATTACK])
    won = wins(s, player, MAX_FOURS, &move)
    if won <= 0 and not s.interrupted:
        s.limit = limit
        lost = loses(s, player, MAX_FOURS, &move)
        if lost <= 0 and won < 0 and not s.interrupted:
            won = wins(s, player, MAX_FOURS, &move)
    if won > 0:
        proof.value = 2
        proof.distance = won
        # A win in 1 or 3 plies is a win by fours. These were searched completely, so a win in 5 is shortest.
        proof.exact = won <= 5
        proof.move = move
    elif lost > 0:
        proof.value = 0
        proof.distance = lost
        proof.exact = lost <= 4  # a loss in 2 has two fives, and was checked first
        proof.move = move


cdef mnk_threat_table TABLE

TABLE.prepare = prepare
TABLE.put = put_stone
TABLE.prove = prove
TABLE.fives = fives
TABLE.win = win_by_fours
TABLE.zone = zone_of
TABLE.keys[0] = &ZOBRIST[0][STONES]
TABLE.keys[1] = &ZOBRIST[1][STONES]

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
