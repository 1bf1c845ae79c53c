"""Victory by continuous threats for five in a row: wins by open threes and fours, and losses against them.

A three threatens a win by fours. Only two kinds of moves can stop that win (``zone_of`` of continuous_fours): those on
the cells that it needs, and the defender's own fours. The search tries all of them, so a win that it finds holds
against every defence (threat-space search: Allis, van den Herik, Huntjens, "Go-Moku solved by new search techniques",
1993). It is a depth-first proof-number search with a table (df-pn: Nagai, "Df-pn algorithm for searching AND/OR trees
and its applications", 2002). It shares the table with the search by fours. Hot: compiled once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof
from mcts_core.games.mnk.continuous_fours cimport (THREAT_LOOK, THREAT_STACK, THREAT_STONES, mnk_threat_table,
                                                   threat_cell_at, threat_is_over, threat_search, threat_take)
from mcts_core.games.mnk.continuous_threats cimport mnk_vct_table, vct_note
from mcts_core.games.mnk.lines cimport mnk_lines_of
from mcts_core.games.proof_table cimport fill_zobrist, proof_find, proof_keep


cdef extern from "kernels/mnk/lines.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    void mnk_open_threes8(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                          uint32_t *cells) noexcept


cdef enum:
    NO_REPLY = 0xFFFF
    MANY = 60000        # the largest proof number; all larger ones become this
    NO_LIMIT = 65000
    DEEPEST = 60        # moves of the attacker on one line
    FOURS_STEPS = 100   # for one search by fours within the search; after that it goes on with threes
    CALL_STEPS = 5      # added for each search by fours, besides those that it counts itself
    ZONE_STEPS = 16
    LIST_STEPS = 5
    NODE_STEPS = 14     # for a node, besides its searches by fours
    UNKNOWN = -1
    FIRST_SHARE = 500   # of the budget for an attack and then for a loss; each later share is twice as large
    DOUBLE = 1          # proof numbers of threats before they are estimated
    SINGLE = 2

# Kinds of positions: the attacker is to move; the defender is, and only the zone counts; he is, and all moves count.
cdef enum:
    ATTACK = 0
    DEFENCE = 1
    RESISTANCE = 2

cdef uint64_t KINDS[2][3]
fill_zobrist(&KINDS[0][0], 6, 7)

cdef const mnk_threat_table *FOURS = <const mnk_threat_table *> hot_table("games.mnk.continuous_fours")

ctypedef struct standing:
    uint32_t proof
    uint32_t disproof
    uint32_t plies      # of a proof
    uint32_t move       # of a proof
    bint over           # the search has ended in the meantime

# On the stack of the search, two words each.
ctypedef struct child:
    uint16_t move
    uint16_t reply      # to a four
    uint16_t proof
    uint16_t disproof   # or the distance, as in vct_note


# ---- the parts -------------------------------------------------------------------------------------------------------

cdef inline child *children_at(threat_search *s, uint32_t base) noexcept nogil:
    return <child *> &s.stack[base]


cdef inline vct_note *recall(const threat_search *s, uint64_t key) noexcept nogil:
    return <vct_note *> proof_find(&s.table, key)


cdef void keep(threat_search *s, uint64_t key, const standing *found, uint64_t work) noexcept nogil:
    cdef bint is_new
    cdef vct_note *note = <vct_note *> proof_keep(&s.table, key, work, &is_new)
    note.move = found.move
    note.proof = found.proof
    note.disproof = found.disproof if found.proof else found.plies


cdef inline void set_failed(standing *found) noexcept nogil:
    found.proof = MANY
    found.disproof = 0


cdef inline void set_proven(standing *found, uint32_t plies, uint32_t move) noexcept nogil:
    found.proof = 0
    found.disproof = MANY
    found.plies = plies
    found.move = move


cdef inline bint find(const threat_search *s, uint64_t key, standing *found) noexcept nogil:
    """Reads what the table knows about a position; returns whether its value is proven."""
    cdef vct_note *known = recall(s, key)
    found.proof = found.disproof = 1
    found.plies = found.move = 0
    found.over = False
    if known == NULL:
        return False
    found.move = known.move
    found.proof = known.proof
    found.disproof = known.disproof
    if known.proof == 0:
        found.plies = known.disproof
        found.disproof = MANY
    return known.proof == 0 or known.disproof == 0


cdef inline bint is_over(threat_search *s) noexcept nogil:
    return s.spent >= s.pause and threat_is_over(s)


cdef int by_fours(threat_search *s, int player, uint32_t *move) noexcept nogil:
    """The stones of a win by fours; 0 or UNKNOWN if a short search finds none."""
    cdef uint64_t limit = s.limit, pause = s.pause
    cdef int stones
    s.spent += CALL_STEPS
    s.limit = s.pause = min(limit, s.spent + FOURS_STEPS)
    stones = FOURS.win(s, player, move)
    s.limit = limit
    s.pause = pause
    return stones


cdef int threat(threat_search *s, int player, uint32_t *zone, uint16_t *order, int *length, bint *quiet) noexcept nogil:
    """The same for the player who has just moved, as if the other one passed, with the zone of the attack."""
    cdef uint64_t limit = s.limit, pause = s.pause
    cdef int stones
    s.spent += ZONE_STEPS
    s.limit = s.pause = min(limit, s.spent + FOURS_STEPS)
    stones = FOURS.zone(s, player, zone, order, length, quiet)
    s.limit = limit
    s.pause = pause
    return stones


cdef inline uint32_t potential(const threat_search *s, int player, int cell) noexcept nogil:
    """The number of lines on which a stone in the cell can still become five together with another stone nearby."""
    cdef const uint32_t *mine = s.board.own[player]
    cdef const uint32_t *theirs = s.board.own[1 - player]
    cdef int lines[4]
    cdef int y = cell >> 5, x = cell & 31, i, _
    cdef uint32_t count = 0, live, reach
    mnk_lines_of(y, x, lines)
    for i in range(4):
        live = s.valid[lines[i]] & ~theirs[lines[i]]
        reach = <uint32_t>1 << (y if i == 1 else x)
        for _ in range(4):
            reach |= (reach << 1 | reach >> 1) & live
        if reach & mine[lines[i]] and reach & reach >> 1 & reach >> 2 & reach >> 3 & reach >> 4:
            count += 1
    return count


cdef inline void add_threat(threat_search *s, uint32_t *count, int move, int reply) noexcept nogil:
    """A four with its reply, or a three."""
    cdef child *one
    if s.seen[move] == s.stamp:
        one = &children_at(s, s.top)[s.reply[move]]
        if reply == NO_REPLY or one.reply == NO_REPLY:
            one.proof = DOUBLE
        if one.reply == NO_REPLY:
            one.reply = reply
    elif s.top + 2 * (count[0] + 1) <= THREAT_STACK:
        one = &children_at(s, s.top)[count[0]]
        s.seen[move] = s.stamp
        s.reply[move] = count[0]
        one.move = move
        one.reply = reply
        one.proof = SINGLE
        one.disproof = 1
        count[0] += 1


cdef uint32_t list_threats(threat_search *s, int player, int forced) noexcept nogil:
    """Pushes the threats of a player on the stack, only that at ``forced`` unless that is < 0; returns the number."""
    cdef const uint32_t *mine = s.board.own[player]
    cdef const uint32_t *theirs = s.board.own[1 - player]
    cdef uint32_t opens[8]
    cdef uint32_t blocks = s.blocks, three, window, cells, count = 0, found
    cdef int first, line, low, high, i
    cdef child *one
    s.stamp += 1
    while blocks:
        first = 8 * mcts_ctz64(blocks)
        blocks &= blocks - 1
        mnk_open_threes8(&mine[first], &theirs[first], &s.valid[first], s.strict, opens)
        found = 0
        for i in range(8):
            found |= opens[i] | s.windows[player][first + i]
        if not found:
            continue
        for i in range(8):
            line = first + i
            three = s.windows[player][line]
            while three:
                window = (<uint32_t>31 << mcts_ctz64(three)) & ~mine[line]
                three &= three - 1
                low = threat_cell_at(s, line, mcts_ctz64(window))
                high = threat_cell_at(s, line, mcts_ctz64(window & (window - 1)))
                add_threat(s, &count, low, high)
                add_threat(s, &count, high, low)
            cells = opens[i]
            while cells:
                add_threat(s, &count, threat_cell_at(s, line, mcts_ctz64(cells)), NO_REPLY)
                cells &= cells - 1
    if forced >= 0:
        one = children_at(s, s.top)
        if s.seen[forced] == s.stamp:
            one[0] = one[s.reply[forced]]
        else:
            one.move = forced
            one.reply = NO_REPLY
            one.proof = one.disproof = 1
        count = 1
    return count


cdef void estimate(threat_search *s, int player, uint32_t count) noexcept nogil:
    """Sets the proof numbers of the threats on the stack: from the table, or a guess for new positions.

    The guess prefers stones that make two threats, then threes to fours, then stones on many lines. With the guess 1
    for all, the search proved a fifth fewer wins in 20,000 steps. Two other preferences cost more time than they saved:
    threes that threaten two fours with one stone, and the move that refuted the last defence.
    """
    cdef uint32_t i
    cdef child *one
    for i in range(count):
        one = &children_at(s, s.top)[i]
        if one.reply == NO_REPLY:
            if one.proof == SINGLE:
                one.proof = 9 - 2 * potential(s, player, one.move)
            fill(s, one, s.hash ^ s.stone_keys[player][one.move] ^ KINDS[player][DEFENCE])
        else:
            if one.proof == SINGLE:
                one.proof = 13 - 2 * potential(s, player, one.move)
            fill(s, one, s.hash ^ s.stone_keys[player][one.move] ^ s.stone_keys[1 - player][one.reply]
                 ^ KINDS[player][ATTACK])


cdef inline bint fill(const threat_search *s, child *one, uint64_t key) noexcept nogil:
    cdef vct_note *known = recall(s, key)
    if known == NULL:
        return False
    one.proof = known.proof
    one.disproof = known.disproof
    return True


cdef inline void update(child *one, const standing *found) noexcept nogil:
    one.proof = min(found.proof, <uint32_t> MANY)
    one.disproof = min(found.disproof, <uint32_t> MANY) if found.proof else found.plies


cdef int list_defences(threat_search *s, int player, uint32_t *zone, const uint16_t *order, int length,
                       uint32_t *least) noexcept nogil:
    """Pushes those moves in the zone of ``player``'s attack on the stack that leave him no win by fours. Returns their
    number, or UNKNOWN if the search has ended. ``least``: the plies within which all other moves lose.

    A win by fours against one move also wins against all moves outside of the zone of that win: without the stone of
    that move, the defender has no more than with it. With the rule of exactly five he may have more, because that stone
    may turn his five into an overline. So there his stones and replies must make no four at all.
    """
    cdef int place = 0, cell, stones, other_length, row
    cdef uint32_t base = s.top, count = 0, move
    cdef uint32_t other[32]
    cdef uint16_t other_order[3 * THREAT_STONES]
    cdef bint quiet, over = False
    while not over:
        cell = threat_take(zone, order, length, &place)
        if cell < 0:
            break
        FOURS.put(s, 1 - player, cell)
        stones = by_fours(s, player, &move)
        if stones > 0:
            least[0] = max(least[0], <uint32_t> (2 * stones))
            stones = threat(s, player, other, other_order, &other_length, &quiet)
            if stones > 0 and (quiet or not s.strict):
                least[0] = max(least[0], <uint32_t> (2 * stones))
                for row in range(32):
                    zone[row] &= other[row]
        else:
            over = not add_defence(s, player, cell)
        FOURS.put(s, 1 - player, cell)
        over = over or is_over(s)
        if s.top > base and children_at(s, s.top - 2).disproof == 0 and children_at(s, s.top - 2).proof:
            break
    count = (s.top - base) // 2
    s.top = base
    return UNKNOWN if over else count


cdef inline bint add_reply(threat_search *s, int player, int cell) noexcept nogil:
    """Pushes a move of the defender with its numbers from the table; returns whether there was room."""
    cdef child *one = children_at(s, s.top)
    if s.top + 2 > THREAT_STACK:
        return False
    one.move = cell
    one.reply = NO_REPLY
    one.proof = one.disproof = 1
    fill(s, one, s.hash ^ s.stone_keys[1 - player][cell] ^ KINDS[player][ATTACK])
    s.top += 2
    return True


cdef inline bint add_defence(threat_search *s, int player, int cell) noexcept nogil:
    """The same for a move that is already on the board. In a new position, the disproof number grows with the number of
    ``player``'s threats."""
    cdef child *one = children_at(s, s.top)
    cdef int cells[2]
    if s.top + 2 > THREAT_STACK:
        return False
    one.move = cell
    one.reply = NO_REPLY
    one.proof = one.disproof = 1
    s.top += 2
    if not fill(s, one, s.hash ^ KINDS[player][ATTACK]):
        s.spent += LIST_STEPS
        one.disproof = (list_threats(s, player, -1) + 1) // 2
        if one.disproof == 0 and FOURS.fives(s, 1 - player, cells) == 1:
            one.disproof = 1
    return True


# ---- the search ------------------------------------------------------------------------------------------------------

cdef void attack(threat_search *s, int player, uint32_t proof_limit, uint32_t disproof_limit, int depth,
                 standing *found) noexcept nogil:
    """Searches a position with the attacker to move, until a number reaches its limit or the search is over."""
    cdef uint64_t key = s.hash ^ KINDS[player][ATTACK], start = s.spent
    cdef uint32_t base = s.top, move, count, i, proof, second, disproof
    cdef int stones, fives
    cdef int cells[2]
    cdef child *children = children_at(s, base)
    cdef child *best
    cdef standing below
    if find(s, key, found):
        return
    s.spent += NODE_STEPS
    stones = by_fours(s, player, &move)
    if stones > 0:
        set_proven(found, 2 * stones - 1, move)
        keep(s, key, found, s.spent - start)
        return
    if is_over(s):
        found.over = True
        return
    fives = FOURS.fives(s, 1 - player, cells)
    if fives == 2 or depth == DEEPEST:
        set_failed(found)
        return
    count = list_threats(s, player, cells[0] if fives else -1)
    estimate(s, player, count)
    s.top += 2 * count
    while True:
        best = NULL
        proof = second = MANY
        disproof = 0
        for i in range(count):
            if children[i].proof == 0:
                best = &children[i]
                break
            if children[i].disproof == 0:
                continue
            disproof += children[i].disproof
            if best == NULL or children[i].proof < proof:
                best = &children[i]
                second = proof
                proof = best.proof
            elif children[i].proof < second:
                second = children[i].proof
        if best == NULL:
            set_failed(found)
            break
        if best.proof == 0:
            set_proven(found, best.disproof + (1 if best.reply == NO_REPLY else 2), best.move)
            break
        found.proof = proof
        found.disproof = min(disproof, <uint32_t> MANY)
        found.over = is_over(s)
        if proof >= proof_limit or disproof >= disproof_limit or found.over:
            break
        FOURS.put(s, player, best.move)
        if best.reply == NO_REPLY:
            defend(s, player, min(proof_limit, second + 1 + second // 4),
                   disproof_limit - disproof + best.disproof, depth + 1, &below)
        else:
            FOURS.put(s, 1 - player, best.reply)
            attack(s, player, min(proof_limit, second + 1 + second // 4),
                   disproof_limit - disproof + best.disproof, depth + 1, &below)
            FOURS.put(s, 1 - player, best.reply)
        FOURS.put(s, player, best.move)
        update(best, &below)
    s.top = base
    keep(s, key, found, s.spent - start)


cdef void defend(threat_search *s, int player, uint32_t proof_limit, uint32_t disproof_limit, int depth,
                 standing *found) noexcept nogil:
    """The same with the defender to move: does he lose against ``player``'s threats?"""
    cdef uint64_t key = s.hash ^ KINDS[player][DEFENCE], start = s.spent
    cdef uint32_t least = 0
    cdef int count, length, stones
    cdef int cells[2]
    cdef uint32_t zone[32]
    cdef uint16_t order[3 * THREAT_STONES]
    cdef bint quiet
    if find(s, key, found):
        return
    s.spent += NODE_STEPS
    if FOURS.fives(s, 1 - player, cells):
        set_failed(found)
        keep(s, key, found, NODE_STEPS)
        return
    count = FOURS.fives(s, player, cells)
    if count == 2:
        set_proven(found, 2, cells[0])
        keep(s, key, found, NODE_STEPS)
        return
    if count == 1:
        order[0] = cells[0]
        count = add_reply(s, player, cells[0])
        s.top -= 2 * count
    else:
        stones = threat(s, player, zone, order, &length, &quiet)
        if stones > 0:
            least = 2 * stones
            count = list_defences(s, player, zone, order, length, &least)
        found.over = is_over(s)
        if found.over:
            return
        if stones <= 0 or count < 0:
            set_failed(found)
            keep(s, key, found, s.spent - start)
            return
    refute(s, player, key, count, least, order[0], proof_limit, disproof_limit, depth, found)


cdef void resist(threat_search *s, int player, uint32_t threatens, standing *found) noexcept nogil:
    """The same if ``player`` threatens to win with the move ``threatens`` by other means than fours: tries every reply,
    those near that move first."""
    cdef uint64_t key = s.hash ^ KINDS[player][RESISTANCE]
    cdef int y = threatens >> 5, x = threatens & 31, distance, row, col, step, i
    cdef uint32_t base = s.top, count
    if find(s, key, found):
        return
    for distance in range(max(s.cols, s.rows)):
        for row in range(max(0, y - distance), min(s.rows, y + distance + 1)):
            step = 1 if abs(row - y) == distance else 2 * distance
            for i in range(2 * distance // step + 1):
                col = x - distance + i * step
                if col < 0 or col >= s.cols or (s.board.own[0][row] | s.board.own[1][row]) >> col & 1:
                    continue
                add_reply(s, player, 32 * row + col)
    count = (s.top - base) // 2
    s.top = base
    refute(s, player, key, count, 0, threatens, NO_LIMIT, NO_LIMIT, 0, found)


cdef void refute(threat_search *s, int player, uint64_t key, uint32_t count, uint32_t least, uint32_t move,
                 uint32_t proof_limit, uint32_t disproof_limit, int depth, standing *found) noexcept nogil:
    """Searches for a win of ``player`` against every reply on the stack, the most promising reply first."""
    cdef uint64_t start = s.spent
    cdef uint32_t base = s.top, i, proof, second, disproof
    cdef child *children = children_at(s, base)
    cdef child *best
    cdef standing below
    s.top += 2 * count
    while True:
        best = NULL
        disproof = second = MANY
        proof = 0
        for i in range(count):
            if children[i].proof == 0:
                continue
            proof += children[i].proof
            if best == NULL or children[i].disproof < disproof:
                best = &children[i]
                second = disproof
                disproof = best.disproof
            elif children[i].disproof < second:
                second = children[i].disproof
        if best == NULL:
            for i in range(count):
                if children[i].disproof + <uint32_t> 1 > least:
                    least = children[i].disproof + 1
                    move = children[i].move
            set_proven(found, least, move)
            break
        if best.disproof == 0:
            set_failed(found)
            break
        found.proof = min(proof, <uint32_t> MANY)
        found.disproof = disproof
        found.over = is_over(s)
        if proof >= proof_limit or disproof >= disproof_limit or found.over:
            break
        FOURS.put(s, 1 - player, best.move)
        attack(s, player, proof_limit - proof + best.proof, min(disproof_limit, second + 1 + second // 4), depth,
               &below)
        FOURS.put(s, 1 - player, best.move)
        update(best, &below)
    s.top = base
    keep(s, key, found, max(<uint64_t> 1, s.spent - start))


# ---- the whole -------------------------------------------------------------------------------------------------------

cdef void lose(threat_search *s, int player, standing *found) noexcept nogil:
    """Whether the opponent of ``player``, who is to move, loses against ``player``'s threats."""
    cdef int cells[2]
    cdef uint32_t move
    cdef standing passed
    set_failed(found)
    if FOURS.fives(s, 1 - player, cells):
        return
    if FOURS.fives(s, player, cells) or by_fours(s, player, &move) > 0:
        defend(s, player, NO_LIMIT, NO_LIMIT, 0, found)
        return
    attack(s, player, NO_LIMIT, NO_LIMIT, 0, &passed)
    if passed.proof == 0:
        resist(s, player, passed.move, found)
    elif passed.disproof:
        found.disproof = 1  # undecided


cdef void prove(threat_search *s, int32_t player, mcts_proof *proof) noexcept nogil:
    cdef uint64_t limit = s.limit, share = FIRST_SHARE // 2
    cdef standing found, refuge
    proof.value = -1
    proof.distance = 0
    proof.exact = False
    proof.move = MCTS_NO_MOVE
    s.interrupt = proof.interrupt
    s.interrupted = 0
    s.shortest = False
    s.limit = s.spent
    s.pause = min(limit, s.spent + THREAT_LOOK)
    found.proof = found.disproof = refuge.proof = refuge.disproof = 1
    while s.spent < limit and share <= limit and not s.interrupted:
        share *= 2
        if found.disproof:
            s.limit = limit if s.wins_only else min(limit, s.spent + share)
            attack(s, player, NO_LIMIT, NO_LIMIT, 0, &found)
            if found.proof == 0:
                proof.value = 2
                break
            if s.interrupted:
                break
        if s.wins_only:
            break
        if refuge.disproof:
            s.limit = min(limit, s.spent + share)
            lose(s, 1 - player, &refuge)
            if refuge.proof == 0:
                proof.value = 0
                found = refuge
                break
        if found.disproof == 0 and refuge.disproof == 0:
            break
    if proof.value >= 0:
        proof.distance = found.plies
        proof.exact = <int32_t>found.plies <= 4 + proof.value // 2  # shorter wins are by fours, and were searched first
        proof.move = found.move


cdef mnk_vct_table TABLE

TABLE.prove = prove

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
