"""Threat search for five in a row: wins by continuous fours, and losses against them.

A four leaves the opponent one reply, so an attack of fours (VCF; Allis, van den Herik, Huntjens, "Go-Moku solved by new
search techniques", 1993) is a search over the moves of one player only. A player who cannot stop such an attack loses.
Only moves in the zone of the attack can stop it: they occupy a cell that the attack needs, or make a four in reply. The
search refutes each of them in turn.

The attacks are in ``continuous_fours_attack.pxd``, the stones in ``continuous_fours_board.pxd``; the defences and the
search as a whole are here. Hot: compiled once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof
from mcts_core.games.mnk.continuous_fours cimport (ATTACK, DEFENCE, THREAT_CELLS, THREAT_LOOK, THREAT_STONES,
                                                   mnk_threat_table, threat_cell_at, threat_note, threat_search,
                                                   threat_take)
from mcts_core.games.mnk.continuous_fours_attack cimport NEVER, UNKNOWN, keep, recall, win_by_fours
from mcts_core.games.mnk.continuous_fours_board cimport fives, fives_through, lift, prepare_board, put, put_stone
from mcts_core.games.mnk.lines cimport MNK_LINES
from mcts_core.games.proof_table cimport fill_zobrist, proof_prefetch


cdef extern from "kernels/mnk/lines.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    void mnk_threes_and_fours(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                              uint32_t *four) noexcept


cdef enum:
    FEW = 256         # budget below which any attack will do, and not only the shortest one
    MAX_FOURS = 6     # consecutive fours of the defender, each met by a stone that makes no four

# Keys of each player: he attacks, he defends, his stones on the cells.
cdef uint64_t ZOBRIST[2][2 + THREAT_CELLS]
fill_zobrist(&ZOBRIST[0][0], 2 * (2 + THREAT_CELLS), 5)


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
    while True:
        count = win_by_fours(s, player, &move)
        if count <= 0 or played == THREAT_STONES - 1:
            stones = UNKNOWN if played or count < 0 else 0
            break
        if played == 0:
            memcpy(before, s.board.own[player], sizeof(before))
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


cdef inline bint had_no_win(const threat_search *s, int player) noexcept nogil:
    """Whether ``player`` was found to have no win by fours, or none within the budget, before the last stone. A stone
    of the other player cannot help him, except against an overline of his own."""
    cdef const threat_note *before
    if s.count == 0:
        return False
    before = recall(s, s.hash ^ s.stone_keys[1 - player][s.before[s.count - 1].cell] ^ s.side_keys[player][ATTACK])
    return before != NULL and not before.won


cdef int wins(threat_search *s, int player, int depth, bint by_fours, uint32_t *move) noexcept nogil:
    """Plies in which ``player``, who is to move, wins; 0 if no win was found, UNKNOWN if the search was cut short.
    ``by_fours``: whether he may have a win by fours that begins at once."""
    cdef int cells[2]
    cdef uint32_t ignored
    cdef int result, count = win_by_fours(s, player, move) if by_fours else UNKNOWN
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
    cdef uint64_t key = s.hash ^ s.side_keys[player][DEFENCE], start = s.spent
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
        worst = wins(s, 1 - player, depth, True, &ignored)
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
            result = wins(s, 1 - player, depth, True, &ignored)
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

cdef void prepare(threat_search *s, int32_t cols, int32_t rows, int32_t exact) noexcept nogil:
    cdef int player
    for player in range(2):
        s.side_keys[player] = ZOBRIST[player]
        s.stone_keys[player] = ZOBRIST[player] + 2
    prepare_board(s, cols, rows, exact)
    memset(s.three, 0, sizeof(s.three))
    memset(s.begun, 0, sizeof(s.begun))
    memset(s.seen, 0, sizeof(s.seen))
    s.stamp = 0
    s.top = 0


cdef void prove(threat_search *s, int32_t player, mcts_proof *proof) noexcept nogil:
    cdef uint64_t limit = s.limit
    cdef uint32_t move = MCTS_NO_MOVE
    cdef int won, lost = 0
    cdef bint by_fours
    proof.value = -1
    proof.distance = 0
    proof.exact = False
    proof.move = MCTS_NO_MOVE
    # A long unsuccessful attack must not use up the budget for a loss that is easy to see.
    s.limit = s.spent + (limit - s.spent + 1) // 2
    s.pause = min(s.limit, s.spent + THREAT_LOOK)
    s.interrupt = proof.interrupt
    s.interrupted = 0
    s.shortest = limit - s.spent >= FEW
    proof_prefetch(&s.table, s.hash ^ s.side_keys[player][ATTACK])
    proof_prefetch(&s.table, s.hash ^ s.side_keys[player][DEFENCE])
    proof_prefetch(&s.table, s.hash ^ s.side_keys[1 - player][ATTACK])
    by_fours = s.shortest or not had_no_win(s, player)
    won = wins(s, player, MAX_FOURS, by_fours, &move)
    if won <= 0 and not s.interrupted and not s.wins_only:
        s.limit = limit
        lost = loses(s, player, MAX_FOURS, &move)
        if lost <= 0 and won < 0 and by_fours and not s.interrupted:
            won = wins(s, player, MAX_FOURS, True, &move)
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

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
