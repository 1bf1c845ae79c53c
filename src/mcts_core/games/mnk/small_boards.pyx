"""Exact search for m,n,k games on at most 64 cells: value and distance.

The search answers one question at a time: "does this player win within n plies?" It asks for both players and growing
n, so the first yes has the exact distance. If the answer is no for every n, the player cannot win. The table treats
rotated and mirrored positions as one. Hot: compiled once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof, mcts_raised
from mcts_core.games.mnk.small_boards cimport (SOLVER_CELLS, SOLVER_SYMMETRIES, mnk_directions, mnk_solver_table,
                                               solver_note, solver_search)
from mcts_core.games.proof_table cimport fill_zobrist, proof_find, proof_keep


cdef extern from "kernels/mnk/bitboard.h" nogil:
    enum:
        MNK_SCORE_BITS

    ctypedef struct mnk_survey:
        uint64_t five
        uint64_t four
        uint64_t fours
        uint64_t cover
        uint32_t potential
        int32_t most

    int mcts_ctz64(uint64_t x) noexcept
    int mcts_popcount64(uint64_t x) noexcept
    void mnk_survey_windows(const mnk_directions *along, uint64_t mine, uint64_t theirs, mnk_survey *s) noexcept
    uint64_t mnk_five_cells(const mnk_directions *along, uint64_t mine, uint64_t theirs) noexcept
    void mnk_score_cells(const mnk_directions *along, uint64_t mine, uint64_t theirs, uint64_t *score) noexcept
    uint64_t mnk_at_least(uint32_t least, const uint64_t *score) noexcept
    uint64_t mnk_highest(uint64_t cells, const uint64_t *score) noexcept


cdef enum:
    UNKNOWN = -1    # result of a search that the budget ended; 0: no
    NEVER = 255     # solver_note.failed
    NO_CELL = 255
    CALL = 2        # steps of the proof budget for every position
    EXPANSION = 8   # further steps if its moves are tried
    SURE_K = 7      # up to this k, all scores fit into their bit planes
    NEAR = 8        # plies up to which n grows step by step
    LOOK = 256      # steps of the proof budget between two checks for an interrupt

cdef uint64_t ZOBRIST[2][SOLVER_CELLS]
fill_zobrist(&ZOBRIST[0][0], 2 * SOLVER_CELLS, 6)


# ---- the board -------------------------------------------------------------------------------------------------------

cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef bint on_board(int cols, int rows, int x, int y) noexcept nogil:
    return 0 <= x < cols and 0 <= y < rows


cdef void prepare(solver_search *s, int32_t cols, int32_t rows, int32_t k, int32_t exact) noexcept nogil:
    cdef mnk_directions *along = &s.directions
    cdef int d, dx, dy, x, y, cell, turned, i, player
    memset(along, 0, sizeof(mnk_directions))
    along.k = k
    along.exact = exact
    s.cells = cols * rows
    s.board = ~<uint64_t>0 >> (64 - s.cells)
    for d in range(4):
        dx = 1 if d == 0 or d == 2 else 0 if d == 1 else -1
        dy = 0 if d == 0 else 1
        along.step[along.count] = dy * cols + dx
        for y in range(rows):
            for x in range(cols):
                if not on_board(cols, rows, x + (k - 1) * dx, y + (k - 1) * dy):
                    continue
                cell = y * cols + x
                along.starts[along.count] |= bit(cell)
                if on_board(cols, rows, x - dx, y - dy):
                    along.before[along.count] |= bit(cell)
                if on_board(cols, rows, x + k * dx, y + k * dy):
                    along.after[along.count] |= bit(cell)
        if along.starts[along.count]:
            along.count += 1
    s.symmetries = 8 if cols == rows else 4
    for i in range(s.symmetries):
        for y in range(rows):
            for x in range(cols):
                dx = cols - 1 - x if i & 1 else x
                dy = rows - 1 - y if i & 2 else y
                turned = dx * cols + dy if i & 4 else dy * cols + dx
                cell = y * cols + x
                s.image[i][cell] = turned
                s.source[i][turned] = cell
                for player in range(2):
                    s.keys[player][cell][i] = ZOBRIST[player][turned]
    s.stones[0] = s.stones[1] = 0
    memset(s.hash, 0, sizeof(s.hash))


cdef inline void place(solver_search *s, int player, int cell) noexcept nogil:
    cdef const uint64_t *key = s.keys[player][cell]
    cdef int i
    s.stones[player] ^= bit(cell)
    for i in range(SOLVER_SYMMETRIES):
        s.hash[i] ^= key[i]


cdef void put_stone(solver_search *s, int32_t player, int32_t cell) noexcept nogil:
    place(s, player, cell)


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef inline int turn_of(const solver_search *s) noexcept nogil:
    """The symmetry that maps the position to the one in the table."""
    cdef int i, best = 0
    for i in range(1, s.symmetries):
        if s.hash[i] < s.hash[best]:
            best = i
    return best


cdef inline solver_note *recall(const solver_search *s, uint64_t key) noexcept nogil:
    return <solver_note *> proof_find(&s.table, key)


cdef void keep(solver_search *s, uint64_t key, int who, int won, int failed, int move, uint64_t work) noexcept nogil:
    cdef bint is_new
    cdef solver_note *note = <solver_note *> proof_keep(&s.table, key, work, &is_new)
    s.kept += 1
    if is_new:
        note.move[0] = note.move[1] = NO_CELL
    if won:
        note.won[who] = won
        note.move[who] = move
    else:
        note.failed[who] = failed
        if not note.won[who]:
            note.move[who] = move


# ---- search ----------------------------------------------------------------------------------------------------------

cdef uint64_t zone_of(const solver_search *s, int who, uint64_t fours) noexcept nogil:
    """The cells where the opponent of ``who`` must play now, unless he makes a four. ``who`` has no four, but a stone
    on any of ``fours`` would give him two winning cells."""
    cdef uint64_t zone = s.board, fives, cell
    while fours and zone:
        cell = fours & (~fours + 1)
        fours ^= cell
        fives = mnk_five_cells(&s.directions, s.stones[who] | cell, s.stones[1 - who])
        zone &= cell | fives if mcts_popcount64(fives) == 2 else cell
    return zone


cdef inline int remembered(solver_search *s, uint64_t key, int turn, int who, int left, int *first) noexcept nogil:
    """The answer of the table to whether ``who`` wins within ``left`` plies, in the form of ``attack`` and ``defend``.
    UNKNOWN if it has none; it may then set the ``first`` move to try."""
    cdef solver_note *known = recall(s, key)
    if known == NULL:
        return UNKNOWN
    if known.won[who] and known.won[who] <= left:
        return known.won[who]
    if known.won[1 - who]:
        return 0
    if known.failed[who] >= left:
        s.cut |= known.failed[who] != NEVER
        return 0
    if known.move[who] != NO_CELL:
        first[0] = s.source[turn][known.move[who]]
    return UNKNOWN


cdef bint is_over(solver_search *s) noexcept nogil:
    """Whether the budget is spent or the search is interrupted; called when a check is due."""
    if s.spent >= s.limit and s.kept:
        return True
    if mcts_raised(s.interrupt):
        s.limit = s.pause = 0
        s.kept = 1
        return True
    s.pause = min(s.limit, s.spent + LOOK)
    return False


cdef int attack(solver_search *s, int who, int left) noexcept nogil:
    """The plies in which ``who``, who is to move, wins, if at most ``left``; otherwise 0, or UNKNOWN."""
    cdef mnk_survey own, other
    cdef uint64_t empty = s.board & ~(s.stones[0] | s.stones[1]), forced, moves, key, start
    cdef uint64_t score[MNK_SCORE_BITS]
    cdef int turn, result, cell, best = NO_CELL, won = 0, first = NO_CELL
    cdef uint32_t outer
    s.spent += CALL
    mnk_survey_windows(&s.directions, s.stones[who], s.stones[1 - who], &own)
    if own.five:
        return 1
    # A maker who moves next needs half a line in all (Erdos and Selfridge, "On a combinatorial game", 1973).
    if own.potential < <uint32_t>1 << min(s.directions.k - 1, 20):
        return 0
    if left < 3:
        s.cut = True
        return 0
    forced = mnk_five_cells(&s.directions, s.stones[1 - who], s.stones[who])
    if forced & (forced - 1):
        return 0
    moves = own.fours & forced if forced else own.fours
    if moves:
        return 3
    if left < 5 or 2 * (s.directions.k - own.most) - 1 > left:
        s.cut = True
        return 0
    turn = turn_of(s)
    key = s.hash[turn]
    result = remembered(s, key, turn, who, left, &first)
    if result >= 0:
        return result
    if s.spent >= s.pause and is_over(s):
        return UNKNOWN
    start = s.spent
    s.spent += EXPANSION
    if forced:
        moves = forced
    else:
        mnk_survey_windows(&s.directions, s.stones[1 - who], s.stones[who], &other)
        moves = empty
        if other.fours:
            moves &= zone_of(s, 1 - who, other.fours) | own.four
        if not s.directions.exact:
            moves &= own.cover | other.cover
    outer = s.cut
    s.cut = False
    if moves & (moves - 1):
        memset(score, 0, sizeof(score))
        mnk_score_cells(&s.directions, s.stones[who], s.stones[1 - who], score)
        if s.directions.k <= SURE_K and own.potential < <uint32_t>1 << s.directions.k:
            moves &= mnk_at_least((<uint32_t>1 << s.directions.k) - own.potential, score)
    while moves:
        if first != NO_CELL and moves & bit(first):
            cell = first
        else:
            cell = mcts_ctz64(mnk_highest(moves, score) if moves & (moves - 1) else moves)
        moves &= ~bit(cell)
        place(s, who, cell)
        result = defend(s, who, left - 1)
        place(s, who, cell)
        if result < 0:
            return UNKNOWN
        if result:
            won = result + 1
            best = cell
            break
    if won:
        keep(s, key, who, won, 0, s.image[turn][best], s.spent - start)
    else:
        keep(s, key, who, 0, left if s.cut else NEVER, NO_CELL, s.spent - start)
    s.cut |= outer
    return won


cdef int defend(solver_search *s, int who, int left) noexcept nogil:
    """The plies within which ``who``, whose opponent is to move, wins, if at most ``left``; otherwise 0, or UNKNOWN."""
    cdef mnk_survey own, other
    cdef uint64_t empty = s.board & ~(s.stones[0] | s.stones[1]), moves, key, start
    cdef uint64_t score[MNK_SCORE_BITS]
    cdef int turn, result, cell, best = NO_CELL, won = 0, first = NO_CELL
    cdef uint32_t outer
    s.spent += CALL
    mnk_survey_windows(&s.directions, s.stones[who], s.stones[1 - who], &own)
    if own.potential < <uint32_t>1 << min(s.directions.k, 20):
        return 0
    if mnk_five_cells(&s.directions, s.stones[1 - who], s.stones[who]):
        return 0
    if own.five & (own.five - 1):
        return 2
    if left < 4 or 2 * (s.directions.k - own.most) > left or (left < 6 and not own.fours):
        s.cut = True
        return 0
    turn = turn_of(s)
    key = s.hash[turn]
    result = remembered(s, key, turn, who, left, &first)
    if result >= 0:
        return result
    if s.spent >= s.pause and is_over(s):
        return UNKNOWN
    start = s.spent
    s.spent += EXPANSION
    if own.five:
        moves = own.five
    else:
        mnk_survey_windows(&s.directions, s.stones[1 - who], s.stones[who], &other)
        moves = empty
        if own.fours:
            moves &= zone_of(s, who, own.fours) | other.four
            if moves != empty:
                won = 4
                best = mcts_ctz64(empty & ~moves)
        if not s.directions.exact:
            moves &= own.cover | other.cover
    outer = s.cut
    if moves & (moves - 1):
        memset(score, 0, sizeof(score))
        mnk_score_cells(&s.directions, s.stones[who], s.stones[1 - who], score)
        if s.directions.k <= SURE_K and not own.five and (
                moves & mnk_at_least(own.potential - (<uint32_t>1 << (s.directions.k - 1)) + 1, score)):
            return 0
        # The order of moves counts the defender's lines too: without them, the draw of 5x5 four in a row took ten times
        # the nodes.
        mnk_score_cells(&s.directions, s.stones[who], s.stones[1 - who], score)
        mnk_score_cells(&s.directions, s.stones[1 - who], s.stones[who], score)
    while moves:
        if first != NO_CELL and moves & bit(first):
            cell = first
        else:
            cell = mcts_ctz64(mnk_highest(moves, score) if moves & (moves - 1) else moves)
        moves &= ~bit(cell)
        place(s, 1 - who, cell)
        s.cut = False
        result = attack(s, who, left - 1)
        place(s, 1 - who, cell)
        if result < 0:
            return UNKNOWN
        if result == 0:
            keep(s, key, who, 0, left if s.cut else NEVER, s.image[turn][cell], s.spent - start)
            s.cut |= outer
            return 0
        if result + 1 > won:
            won = result + 1
            best = cell
    s.cut = outer
    keep(s, key, who, won, 0, s.image[turn][best], s.spent - start)
    return won


# ---- the whole -------------------------------------------------------------------------------------------------------

cdef int table_move(const solver_search *s, int turn, int who) noexcept nogil:
    """The move of the proof about ``who`` in the table, in the table's symmetry; NO_CELL if the table has none."""
    cdef solver_note *known = recall(s, s.hash[turn])
    return NO_CELL if known == NULL else known.move[who]


cdef int holding_move(solver_search *s, int player) noexcept nogil:
    """The move if the opponent clearly cannot win: his only winning cell, or otherwise the cell that reduces his
    potential most."""
    cdef uint64_t score[MNK_SCORE_BITS]
    cdef uint64_t fives = mnk_five_cells(&s.directions, s.stones[1 - player], s.stones[player])
    if fives:
        return mcts_ctz64(fives)
    memset(score, 0, sizeof(score))
    mnk_score_cells(&s.directions, s.stones[1 - player], s.stones[player], score)
    return mcts_ctz64(mnk_highest(s.board & ~(s.stones[0] | s.stones[1]), score))


cdef int ask(solver_search *s, int player, int turn, int plies, int left, int *failed) noexcept nogil:
    """Whether ``player``, who is to move, wins within odd ``plies``, or his opponent within even ``plies``. Stores a no
    in the table."""
    cdef int who = player if plies & 1 else 1 - player, result
    cdef uint64_t start = s.spent
    s.cut = False
    result = attack(s, who, plies) if who == player else defend(s, who, plies)
    if result == 0:
        failed[who] = plies if s.cut and plies + 2 <= left else NEVER
        if plies >= 4:
            keep(s, s.hash[turn], who, 0, failed[who], table_move(s, turn, who), s.spent - start)
    return result


cdef int winning_move(solver_search *s, int player, int turn, int who, int plies) noexcept nogil:
    """The move of ``player`` with which he wins in so many plies, or, if ``who`` is his opponent, resists so long."""
    cdef uint64_t cells, forced
    cdef mnk_survey own
    cdef int move
    if plies > 3:
        move = table_move(s, turn, who)
        return NO_CELL if move == NO_CELL else s.source[turn][move]
    mnk_survey_windows(&s.directions, s.stones[who], s.stones[1 - who], &own)
    cells = own.five
    if plies == 3:
        forced = mnk_five_cells(&s.directions, s.stones[1 - player], s.stones[player])
        cells = own.fours & forced if forced else own.fours
    return mcts_ctz64(cells)


cdef void prove(solver_search *s, int32_t player, int32_t exact, mcts_proof *proof) noexcept nogil:
    cdef int plies, who, result = 0, shorter, move, turn = turn_of(s)
    cdef int left = mcts_popcount64(s.board & ~(s.stones[0] | s.stones[1]))
    cdef solver_note *known = recall(s, s.hash[turn])
    cdef int failed[2]
    proof.value = -1
    proof.distance = 0
    proof.exact = False
    proof.move = MCTS_NO_MOVE
    s.kept = 0  # every call must add to the table, however small its budget, so that the next one gets further
    s.pause = min(s.limit, s.spent + LOOK)
    s.interrupt = proof.interrupt
    failed[0] = failed[1] = 0
    if known != NULL:
        failed[0] = known.failed[0]
        failed[1] = known.failed[1]
    for plies in range(1, left + 1):
        who = player if plies & 1 else 1 - player
        # Search for all distant wins at once: most positions without a near win are draws, and take half the time so.
        if failed[who] >= plies or NEAR < plies < left - 1:
            continue
        result = ask(s, player, turn, plies, left, failed)
        if result:
            break
    if result < 0:
        return
    if result == 0:
        proof.value = 1
        proof.distance = left
        proof.exact = True
        move = table_move(s, turn, 1 - player)
        proof.move = s.source[turn][move] if move != NO_CELL else holding_move(s, player)
        return
    if exact:
        plies = 2 - (result & 1)
        while plies < result:
            if failed[who] < plies:
                shorter = ask(s, player, turn, plies, left, failed)
                if shorter < 0:
                    break
                if shorter:
                    result = shorter
            plies += 2
    proof.value = 2 if who == player else 0
    proof.distance = result
    proof.exact = failed[who] >= result - 2
    move = winning_move(s, player, turn, who, result)
    if move != NO_CELL:
        proof.move = move


cdef mnk_solver_table TABLE

TABLE.prepare = prepare
TABLE.put = put_stone
TABLE.prove = prove

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
