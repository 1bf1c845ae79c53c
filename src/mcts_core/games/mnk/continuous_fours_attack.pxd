"""Attacks of fours: whether a player wins by them, and with how few stones. For ``continuous_fours.pyx`` alone."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from mcts_core.games.mnk.continuous_fours cimport (ATTACK, THREAT_STACK, THREAT_STONES, threat_cell_at, threat_is_over,
                                                   threat_note, threat_search)
from mcts_core.games.mnk.continuous_fours_board cimport fives, has_any, lines_of, mark, set_words, words_of
from mcts_core.games.mnk.lines cimport mnk_toggle
from mcts_core.games.proof_table cimport proof_find, proof_keep, proof_prefetch


cdef extern from "kernels/mnk/lines.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    void mnk_threes_and_fours(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                              uint32_t *four) noexcept
    void mnk_threes8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                     uint32_t *three) noexcept
    void mnk_threes_and_fours8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                               uint32_t *three, uint32_t *four) noexcept


cdef enum:
    SHORT = 3         # stones of an attack; exact distances depend on all such attacks being tried before longer ones
    UNKNOWN = -1      # result of a search that the budget or a limit ended; 0: there is no win
    NEVER = 255       # threat_note.failed
    NOBODY = -1       # in place of a cell: none
    SEVERAL = -2


# ---- what is known of positions --------------------------------------------------------------------------------------

cdef inline threat_note *recall(const threat_search *s, uint64_t key) noexcept nogil:
    return <threat_note *> proof_find(&s.table, key)


cdef inline void keep(threat_search *s, uint64_t key, int won, int failed, uint32_t move, uint64_t work) noexcept nogil:
    cdef bint is_new
    cdef threat_note *note = <threat_note *> proof_keep(&s.table, key, work, &is_new)
    if won:
        note.won = won
        note.move = move
    if failed > note.failed:
        note.failed = failed


# ---- attacks ---------------------------------------------------------------------------------------------------------

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


cdef inline int answer_in(const threat_search *s, int reply, const uint32_t *stones,
                          const uint32_t *four) noexcept nogil:
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


cdef inline int play_last(threat_search *s, int move, int reply, int forced) noexcept nogil:
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


cdef inline bint any_four(const threat_search *s, int move, int reply) noexcept nogil:
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


cdef inline int attack(threat_search *s, int left, int forced) noexcept nogil:
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
    if left <= 2 or count == 0:  # not noted: to list the fours again takes less time
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


cdef inline void begin_threes(threat_search *s, int player) noexcept nogil:
    """Sets ``three`` and ``active`` to what ``player`` has on the board. Only lines that have threes, or had some when
    the last attack began, are written: to copy all took 2 % of a search in the middle of a game."""
    cdef int i, line
    cdef uint64_t rest
    for i in range(3):
        rest = s.begun[i] | s.threes[player][i]
        while rest:
            line = 64 * i + mcts_ctz64(rest)
            rest &= rest - 1
            s.three[line] = s.windows[player][line]
    memcpy(s.begun, s.threes[player], sizeof(s.begun))
    memcpy(s.active, s.threes[player], sizeof(s.active))


cdef inline int win_by_fours(threat_search *s, int player, uint32_t *move) noexcept nogil:
    """The stones with which ``player``, who is to move, wins by fours and a five; 0 if he cannot, or UNKNOWN.

    The fewest, where ``shortest`` asks for them. Otherwise, attacks of more than SHORT stones are searched to any
    length at once. With one stone more after the other, the search by threes proved a tenth fewer positions in as many
    steps.
    """
    cdef uint64_t key = s.hash ^ s.side_keys[player][ATTACK], start = s.spent
    cdef threat_note *known = recall(s, key)
    cdef int level = 2, count, result, forced = NOBODY
    cdef int cells[2]
    if known != NULL:
        if known.won and (not s.shortest or known.failed >= known.won - 1):
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
    s.mine_keys = s.stone_keys[player]
    s.their_keys = s.stone_keys[1 - player]
    s.side = s.side_keys[player][ATTACK]
    begin_threes(s, player)
    while level <= THREAT_STONES:
        s.cut = False
        result = known_attack(s, level)
        if result < 0:
            result = attack(s, level, forced)
        if result < 0:
            break
        if result:
            move[0] = s.best
            keep(s, key, result, level - 1 if s.shortest else 0, s.best, s.spent - start)
            return result
        keep(s, key, 0, level if s.cut else NEVER, 0, s.spent - start)
        if not s.cut:
            return 0
        level = level + 1 if s.shortest or level < SHORT else max(level + 1, THREAT_STONES)
    known = recall(s, key)  # perhaps a longer attack is known
    if known == NULL or not known.won:
        return UNKNOWN
    move[0] = known.move
    return known.won
