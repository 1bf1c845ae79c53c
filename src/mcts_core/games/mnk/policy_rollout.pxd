"""Rollouts of m,n,k games that tell their moves, or that win, block and use open threes: by policy, move by move."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.game cimport MCTS_ROLLOUT_TACTICAL, mcts_rng, mcts_rng_next
from mcts_core.games.mnk.line_shapes cimport (DIRECTION, EACH, HAS_FIVE, HAS_FOUR, HAS_THREE, empties, fives_around,
                                              mnk_line_fives, mnk_surroundings, threes_in)
from mcts_core.games.mnk.lines cimport (MNK_COLUMNS, MNK_FALLING, MNK_RISING, mnk_line_board, mnk_line_cell,
                                        mnk_lines_of, mnk_toggle)
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, mnk_geometry
from mcts_core.games.mnk.rows cimport (MNK_EDGE, MNK_FIND_FOURS, any_of, bit, mcts_ctz64, mnk_find_shapes,
                                       mnk_row_board, mnk_shapes)


cdef enum:
    DRAW = 2         # beside the players 0 and 1, who a rollout can end for
    MAX_THREES = 24  # lines with an open three that a rollout remembers, for each player

ctypedef struct policy_rollout:
    const mnk_geometry *g
    mcts_rng *rng
    uint8_t *played                     # NULL: not wanted
    uint64_t pool                       # random bits
    int bits                            # 16 bits each
    int first                           # the player to move at the root
    int left                            # empty cells
    int listed
    int shift                           # of a row on the board of bytes
    int threes[2]                       # lines remembered for their open threes, each once
    uint16_t three_line[2][MAX_THREES]
    uint16_t cells[MNK_MAX_CELLS]       # all empty cells, on the board of bytes, and some that were taken since
    mnk_line_board lines


cdef inline int place(policy_rollout *u, int player, int at) noexcept nogil:
    """Puts a stone on the board; returns what it has around it in each direction."""
    cdef const mnk_geometry *g = u.g
    cdef uint32_t *own = u.lines.own[player]
    cdef int row = at >> u.shift, col = at & (g.stride - 1), found
    mnk_toggle(own, row, col)
    found = mnk_surroundings(g.k, own[row], col) | mnk_surroundings(g.k, own[MNK_COLUMNS + col], row) << DIRECTION
    found |= mnk_surroundings(g.k, own[MNK_FALLING + row - col], col) << (2 * DIRECTION)
    found |= mnk_surroundings(g.k, own[MNK_RISING + row + col], col) << (3 * DIRECTION)
    u.left -= 1
    if u.played != NULL:
        u.played[row * g.cols + col] = 1 + (player ^ u.first)
    return found


cdef inline uint32_t below(policy_rollout *u, uint32_t n) noexcept nogil:
    """Uniform in 0 .. n-1, exactly, for n up to MNK_MAX_CELLS: mcts_rng_below with 16 bits."""
    cdef uint32_t m
    while True:
        if u.bits == 0:
            u.pool = mcts_rng_next(u.rng)
            u.bits = 4
        m = <uint32_t> (u.pool & 0xFFFF) * n
        u.pool >>= 16
        u.bits -= 1
        if (m & 0xFFFF) >= n or (m & 0xFFFF) >= <uint32_t> 0x10000 % n:
            return m >> 16


cdef inline int random_cell(policy_rollout *u) noexcept nogil:
    """A random empty cell, on the board of bytes."""
    cdef int i, at
    while True:
        i = below(u, u.listed)
        at = u.cells[i]
        u.listed -= 1
        u.cells[i] = u.cells[u.listed]
        if not ((u.lines.own[0][at >> u.shift] | u.lines.own[1][at >> u.shift]) >> (at & (u.g.stride - 1)) & 1):
            return at


cdef inline bint in_five(policy_rollout *u, int player, int at) noexcept nogil:
    """Whether the stone in ``at`` is part of a five."""
    cdef int lines[4]
    cdef int row = at >> u.shift, col = at & (u.g.stride - 1), i, here
    cdef uint64_t own
    mnk_lines_of(row, col, lines)
    for i in range(4):
        # as if it were empty
        here = row if i == 1 else col
        own = u.lines.own[player][lines[i]] & ~bit(here)
        if mnk_line_fives(own, empties(u.g, &u.lines, lines[i]) | bit(here), u.g.k, u.g.exact) >> here & 1:
            return True
    return False


cdef inline int play_random(policy_rollout *u, int player) noexcept nogil:
    """Uniformly random moves to the end; the winner, or DRAW."""
    cdef int at
    while u.left:
        at = random_cell(u)
        if place(u, player, at) & (HAS_FIVE * EACH) and in_five(u, player, at):
            return player
        player ^= 1
    return DRAW


cdef inline void remember_threes(policy_rollout *u, int player, int line) noexcept nogil:
    """Keeps a line if there is an open three of ``player`` on it."""
    cdef int i
    if threes_in(u.g, &u.lines, player, line) == 0 or u.threes[player] == MAX_THREES:
        return
    for i in range(u.threes[player]):
        if u.three_line[player][i] == line:
            return
    u.three_line[player][u.threes[player]] = line
    u.threes[player] += 1


cdef inline bint make_open_four(policy_rollout *u, int player) noexcept nogil:
    """Plays out an open three of ``player``, who is to move and cannot be stopped, if there is one."""
    cdef int i = 0, line, at
    cdef uint64_t found, here
    while i < u.threes[player]:
        line = u.three_line[player][i]
        found = threes_in(u.g, &u.lines, player, line)
        if found:
            at = mcts_ctz64(found)
            here = empties(u.g, &u.lines, line) & (((<uint64_t> 1 << (u.g.k - 1)) - 1) << (at + 1))
            place(u, player, mnk_line_cell(line, mcts_ctz64(here), u.g.stride))
            place(u, 1 - player, mnk_line_cell(line, at, u.g.stride))
            place(u, player, mnk_line_cell(line, at + u.g.k, u.g.stride))
            return True
        u.threes[player] -= 1
        u.three_line[player][i] = u.three_line[player][u.threes[player]]
    return False


cdef inline int answers(policy_rollout *u, int player, uint16_t *cells) noexcept nogil:
    """Where ``player`` may answer the open threes of the other one: the cells of one of them that stop it, and fours of
    his own. Returns their number, 0 when there is nothing to answer."""
    cdef const mnk_geometry *g = u.g
    cdef int other = 1 - player, i = 0, line, at, count = 0, row
    cdef uint64_t found, here
    cdef uint32_t rest
    cdef mnk_row_board b
    cdef mnk_shapes mine
    while i < u.threes[other]:
        line = u.three_line[other][i]
        found = threes_in(g, &u.lines, other, line)
        if found:
            here = empties(g, &u.lines, line)
            at = mcts_ctz64(found)
            here &= ((<uint64_t> 1 << (g.k + 1)) - 1) << at
            while here:
                cells[count] = mnk_line_cell(line, mcts_ctz64(here), g.stride)
                count += 1
                here &= here - 1
            break
        u.threes[other] -= 1
        u.three_line[other][i] = u.three_line[other][u.threes[other]]
    if count == 0:
        return 0
    b.rows = g.rows
    b.cols = g.cols
    b.k = g.k
    b.exact = g.exact
    memset(b.own[player], 0, sizeof(b.own[0]))
    memset(b.empty, 0, sizeof(b.empty))
    memcpy(b.own[player] + MNK_EDGE, u.lines.own[player], 4 * g.rows)
    for row in range(g.rows):
        b.empty[MNK_EDGE + row] = (bit(g.cols - 1) * 2 - 1) & ~(u.lines.own[0][row] | u.lines.own[1][row])
    mnk_find_shapes(&b, player, MNK_FIND_FOURS, &mine)
    for row in range(g.rows):
        rest = mine.four[row]
        while rest:
            cells[count] = row << u.shift | mcts_ctz64(rest)
            count += 1
            rest &= rest - 1
    return count


cdef inline int play_decisive(policy_rollout *u, int player, int forced, bint tactical) noexcept nogil:
    """Plays to the end; the winner, or DRAW. Nobody but the other player may threaten to win at once, and he only in
    ``forced`` (-1: nowhere).

    Threats to win never last: who moves either wins by them or takes the only one. So all that there are come from the
    last stone, and most stones do not even have enough of their kind around them.
    """
    cdef const mnk_geometry *g = u.g
    cdef uint16_t cells[2 * MNK_MAX_CELLS]
    cdef int lines[4]
    cdef int at, found, count, i, wanted = EACH * (HAS_FOUR | HAS_THREE if tactical else HAS_FOUR)
    while u.left:
        if forced >= 0:
            at = forced
            forced = -1
        elif tactical and u.threes[player] and make_open_four(u, player):
            return player
        else:
            count = answers(u, player, cells) if tactical and u.threes[1 - player] else 0
            at = cells[below(u, count)] if count else random_cell(u)
        found = place(u, player, at)
        if found & wanted:
            if found & (HAS_FOUR * EACH):
                count = fives_around(g, &u.lines, player, at >> u.shift, at & (g.stride - 1), found, cells)
                if count > 1:
                    return win_one_of(u, player, cells, count)
                if count:
                    forced = cells[0]
            if tactical:
                mnk_lines_of(at >> u.shift, at & (g.stride - 1), lines)
                for i in range(4):
                    if found >> (DIRECTION * i) & HAS_THREE:
                        remember_threes(u, player, lines[i])
        player ^= 1
    return DRAW


cdef inline int win_one_of(policy_rollout *u, int player, const uint16_t *cells, int count) noexcept nogil:
    """The other player is to move and cannot take all of the cells where ``player`` wins."""
    cdef int taken = below(u, count), other = below(u, count - 1)
    place(u, 1 - player, cells[taken])
    place(u, player, cells[other + (other >= taken)])
    return player


cdef inline int finish(policy_rollout *u, int mover, uint32_t policy, const mnk_shapes *mine,
                       const mnk_shapes *theirs) noexcept nogil:
    """Plays from a position with these fives and fours by a policy other than random; the winner, or DRAW."""
    cdef const mnk_geometry *g = u.g
    cdef uint16_t cells[MNK_MAX_CELLS]
    cdef int lines[4]
    cdef int row, i, count = 0, player
    cdef uint32_t rest
    cdef bint wins = any_of(mine.five, g.rows)
    for row in range(g.rows):
        rest = (mine if wins else theirs).five[row]
        while rest:
            cells[count] = row << u.shift | mcts_ctz64(rest)
            count += 1
            rest &= rest - 1
    if wins:
        place(u, mover, cells[below(u, count)])
        return mover
    if count > 1:
        return win_one_of(u, 1 - mover, cells, count)
    if policy != MCTS_ROLLOUT_TACTICAL:
        return play_decisive(u, mover, cells[0] if count else -1, False)
    u.threes[0] = 0
    u.threes[1] = 0
    for player in range(2):
        for row in range(g.rows):
            rest = (mine if player == mover else theirs).fours[row]
            while rest:
                mnk_lines_of(row, mcts_ctz64(rest), lines)
                rest &= rest - 1
                for i in range(4):
                    remember_threes(u, player, lines[i])
    return play_decisive(u, mover, cells[0] if count else -1, True)
