"""Children and playouts of m,n,k games; compiled once per instruction set."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport (MCTS_DRAW, MCTS_LOSS, MCTS_NO_MOVE, MCTS_ONGOING, MCTS_ROLLOUT_DECISIVE,
                             MCTS_ROLLOUT_RANDOM, MCTS_ROLLOUT_TACTICAL, MCTS_WIN, mcts_children, mcts_game, mcts_guide,
                             mcts_playout, mcts_policy, mcts_proof, mcts_rng, mcts_rng_next, mcts_rollout)
from mcts_core.games.mnk.knowledge cimport mnk_guide_table
from mcts_core.games.mnk.lines cimport MNK_COLUMNS, MNK_FALLING, MNK_LINES, MNK_RISING, mnk_lines_of, mnk_toggle
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, MNK_MAX_SIDE, mnk_geometry, mnk_state, mnk_table

cdef enum:
    HEADER = 4      # bytes of mnk_state before the board
    ROOM = HEADER + MNK_MAX_CELLS
    DRAW = 2        # beside the players 0 and 1, who a playout can end for
    SMALL_K = 5     # up to here lines around a stone are looked up
    HAS_LINE = 4    # of a stone's surroundings in one direction: k stones in k cells; k - 1; k - 2
    HAS_FOUR = 2
    HAS_THREE = 1
    DIRECTION = 3   # these bits of a row are followed by those of a column, and of the diagonals
    EACH = 0o1111   # once in each direction
    MAX_KEYS = 24   # lines with an open three that a playout remembers, for each player
    GRADES = 128    # own grade (3 bits), the other's (3 bits), next to a stone or not


cdef extern from "kernels/platform.h" nogil:
    int mcts_ctz64(uint64_t x) noexcept
    int mcts_log2_32(uint32_t x) noexcept
    int mcts_popcount64(uint64_t x) noexcept


cdef extern from "kernels/mnk/planes.h" nogil:
    enum:
        MNK_EDGE
        MNK_FIND_FIVES
        MNK_FIND_FOURS
        MNK_FIND_ALL

    ctypedef struct mnk_planes:
        int32_t rows
        int32_t cols
        int32_t k
        int32_t exact
        uint32_t own[2][112]
        uint32_t empty[112]

    ctypedef struct mnk_threats:
        uint32_t possible
        uint32_t five[32]
        uint32_t four[32]
        uint32_t fours[32]
        uint32_t open[32]
        uint32_t opens[32]
        uint32_t half[32]
        uint32_t halves[32]

    void mnk_find_threats(const mnk_planes *b, int player, int find, mnk_threats *t) noexcept
    void mnk_load_planes(const uint8_t *board, int rows, int cols, int stride, int k, int exact,
                         mnk_planes *b) noexcept
    void mnk_grade(const mnk_threats *t, uint32_t (*grade)[32]) noexcept
    uint64_t mnk_line_fives(uint64_t own, uint64_t empty, int k, int exact) noexcept
    uint64_t mnk_line_threes(uint64_t own, uint64_t empty, int k, int exact) noexcept


# ---- a position ------------------------------------------------------------------------------------------------------

cdef inline uint32_t bit(int col) noexcept nogil:
    return <uint32_t> 1 << col


cdef inline int bits_of(const uint32_t *rows, int count) noexcept nogil:
    cdef int row, total = 0
    for row in range(count):
        if rows[row]:
            total += mcts_popcount64(rows[row])
    return total


cdef inline int first_of(const uint32_t *rows, int cols) noexcept nogil:
    """The first cell of a set that has one."""
    cdef int row = 0
    while rows[row] == 0:
        row += 1
    return row * cols + mcts_ctz64(rows[row])


cdef inline bint any_of(const uint32_t *rows, int count) noexcept nogil:
    cdef int row
    cdef uint32_t all = 0
    for row in range(count):
        all |= rows[row]
    return all != 0


cdef inline bint has(const uint32_t *rows, int cols, int cell) noexcept nogil:
    cdef int row = cell // cols
    return (rows[row] >> (cell - row * cols) & 1) != 0


cdef void load(const mnk_geometry *g, const mnk_state *s, const uint32_t *path, uint32_t length,
               mnk_planes *b) noexcept nogil:
    """The board at the end of ``path``."""
    cdef int shift = mcts_log2_32(g.stride), player = s.stones & 1, at, row
    cdef uint32_t i, here
    mnk_load_planes(s.board, g.rows, g.cols, g.stride, g.k, g.exact, b)
    for i in range(length):
        at = g.offset[path[i]]
        row = MNK_EDGE + (at >> shift)
        here = bit(at & (g.stride - 1))
        b.own[player][row] |= here
        b.empty[row] &= ~here
        player ^= 1


# ---- lines -----------------------------------------------------------------------------------------------------------

# A playout keeps the stones line by line.

ctypedef struct line_board:
    uint32_t own[2][MNK_LINES]


cdef inline uint64_t line_cells(int cols, int rows, int line) noexcept nogil:
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


cdef inline int cell_of(int line, int at, int stride) noexcept nogil:
    """Where cell ``at`` of a line is on the board of bytes."""
    if line >= MNK_RISING:
        return (line - MNK_RISING - at) * stride + at
    if line >= 2 * MNK_COLUMNS:
        return (line - MNK_FALLING + at) * stride + at
    if line >= MNK_COLUMNS:
        return at * stride + line - MNK_COLUMNS
    return line * stride + at


cdef inline uint64_t empties(const mnk_geometry *g, const line_board *l, int line) noexcept nogil:
    return line_cells(g.cols, g.rows, line) & ~<uint64_t> (l.own[0][line] | l.own[1][line])


cdef inline uint64_t fives_in(const mnk_geometry *g, const line_board *l, int player, int line) noexcept nogil:
    cdef uint64_t own = l.own[player][line], empty = empties(g, l, line)
    return mnk_line_fives(own, empty, 5, g.exact) if g.k == 5 else mnk_line_fives(own, empty, g.k, g.exact)


cdef inline uint64_t threes_in(const mnk_geometry *g, const line_board *l, int player, int line) noexcept nogil:
    cdef uint64_t own = l.own[player][line], empty = empties(g, l, line)
    return mnk_line_threes(own, empty, 5, g.exact) if g.k == 5 else mnk_line_threes(own, empty, g.k, g.exact)


cdef void draw_lines(const mnk_planes *b, line_board *l) noexcept nogil:
    cdef int player, row
    cdef uint32_t rest
    memset(l, 0, sizeof(line_board))
    for player in range(2):
        for row in range(b.rows):
            rest = b.own[player][MNK_EDGE + row]
            while rest:
                mnk_toggle(l.own[player], row, mcts_ctz64(rest))
                rest &= rest - 1


cdef int fives_around(const mnk_geometry *g, const line_board *l, int player, int row, int col, int wanted,
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
            cells[count] = cell_of(lines[i], mcts_ctz64(found), g.stride)
            count += 1
            found &= found - 1
    return count


# ---- what a glance proves --------------------------------------------------------------------------------------------

cdef int saving(const mnk_geometry *g, const mnk_planes *b, const mnk_threats *mine, const mnk_threats *theirs,
                int mover, uint32_t *cells) noexcept nogil:
    """The moves that may hold where nobody can win at once and the other player threatens to make two fours or an open
    one: fours of ``mover``'s own, and cells without which none of the threats is one. All others lose within 4 plies.
    Returns their number."""
    cdef line_board l
    cdef uint16_t fives[4 * MNK_MAX_SIDE]
    cdef uint32_t cures[MNK_MAX_SIDE]
    cdef uint32_t rest
    cdef int row, col, i, count, shift = mcts_log2_32(g.stride)
    draw_lines(b, &l)
    for row in range(g.rows):
        cells[row] = 0xFFFFFFFF
    for row in range(g.rows):
        rest = theirs.fours[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            mnk_toggle(l.own[1 - mover], row, col)
            count = fives_around(g, &l, 1 - mover, row, col, HAS_FOUR * EACH, fives)
            mnk_toggle(l.own[1 - mover], row, col)
            memset(cures, 0, sizeof(cures))
            cures[row] = bit(col)
            # With three or more cells to win at, taking one of them leaves two.
            for i in range(count if count == 2 else 0):
                cures[fives[i] >> shift] |= bit(fives[i] & (g.stride - 1))
            for i in range(g.rows):
                cells[i] &= cures[i]
    for row in range(g.rows):
        cells[row] |= mine.four[row]
    return bits_of(cells, g.rows)


cdef bint glance(const mnk_geometry *g, const mnk_planes *b, int mover, int left, mnk_threats *mine,
                 mnk_threats *theirs, mcts_proof *proof) noexcept nogil:
    """Finds fives and fours of both players; whether they prove the value of the position."""
    cdef int count
    cdef uint32_t saves[MNK_MAX_SIDE]
    mnk_find_threats(b, mover, MNK_FIND_FOURS, mine)
    mnk_find_threats(b, 1 - mover, MNK_FIND_FOURS, theirs)
    proof.value = -1
    proof.distance = 0
    proof.exact = 1
    proof.move = MCTS_NO_MOVE
    proof.spent = 0
    if any_of(mine.five, g.rows):
        proof.value = 2
        proof.distance = 1
        proof.move = first_of(mine.five, g.cols)
        return True
    count = bits_of(theirs.five, g.rows)
    if count > 1:
        proof.value = 0
        proof.distance = 2
        proof.move = first_of(theirs.five, g.cols)
        return True
    if count == 1:
        proof.move = first_of(theirs.five, g.cols)
        if has(mine.fours, g.cols, proof.move):
            proof.value = 2
            proof.distance = 3
            return True
        if left > 1:
            proof.move = MCTS_NO_MOVE
            return False
    elif any_of(mine.fours, g.rows):
        proof.value = 2
        proof.distance = 3
        proof.move = first_of(mine.fours, g.cols)
        return True
    elif any_of(theirs.fours, g.rows) and saving(g, b, mine, theirs, mover, saves) == 0:
        proof.value = 0
        proof.distance = 4
        proof.move = first_of(theirs.fours, g.cols)
        return True
    if left == 1 or not (mine.possible or theirs.possible):
        proof.value = 1
        proof.distance = left
        proof.move = first_of(b.empty + MNK_EDGE, g.cols)
        return True
    return False


# ---- playouts --------------------------------------------------------------------------------------------------------

cdef struct Run:
    const mnk_geometry *g
    mcts_rng *rng
    uint8_t *played                     # NULL: not wanted
    uint64_t pool                       # random bits
    int bits                            # 16 bits each
    int first                           # the player to move at the root
    int left                            # empty cells
    int listed
    int shift                           # of a row on the board of bytes
    int keys[2]                         # lines with open threes, once
    uint16_t key[2][MAX_KEYS]
    uint16_t cells[MNK_MAX_CELLS]       # all empty cells, on the board of bytes, and some that were taken since
    line_board lines


cdef uint8_t SURROUNDINGS[SMALL_K + 1][1 << (2 * SMALL_K - 1)]


cdef void fill_surroundings() noexcept:
    """What 2k - 1 cells in a line have, the bits of ``HAS_``."""
    cdef int k, start, count
    cdef uint32_t cells
    for k in range(3, SMALL_K + 1):
        for cells in range(<uint32_t> 1 << (2 * k - 1)):
            SURROUNDINGS[k][cells] = 0
            for start in range(k):
                count = mcts_popcount64(cells >> start & (bit(k) - 1))
                SURROUNDINGS[k][cells] |= (HAS_LINE if count == k else 0) | (HAS_FOUR if count >= k - 1 else 0) | (
                    HAS_THREE if count >= k - 2 else 0)


fill_surroundings()


cdef inline int surroundings(int k, uint32_t own, int at) noexcept nogil:
    """The bits of ``HAS_`` for the cells less than k away from ``at``; beyond SMALL_K more of them than need be."""
    cdef uint64_t cells = (<uint64_t> own << (k - 1) >> at) & ((<uint64_t> 1 << (2 * k - 1)) - 1)
    cdef int count
    if k <= SMALL_K:
        return SURROUNDINGS[k][cells]
    count = mcts_popcount64(cells)
    return (HAS_LINE if count >= k else 0) | (HAS_FOUR if count >= k - 1 else 0) | (HAS_THREE if count >= k - 2 else 0)


cdef inline int place(Run *u, int player, int at) noexcept nogil:
    """Puts a stone on the board; returns what it has around it in each direction."""
    cdef const mnk_geometry *g = u.g
    cdef uint32_t *own = u.lines.own[player]
    cdef int row = at >> u.shift, col = at & (g.stride - 1), found
    mnk_toggle(own, row, col)
    found = surroundings(g.k, own[row], col) | surroundings(g.k, own[MNK_COLUMNS + col], row) << DIRECTION
    found |= surroundings(g.k, own[MNK_FALLING + row - col], col) << (2 * DIRECTION)
    found |= surroundings(g.k, own[MNK_RISING + row + col], col) << (3 * DIRECTION)
    u.left -= 1
    if u.played != NULL:
        u.played[row * g.cols + col] = 1 + (player ^ u.first)
    return found


cdef inline uint32_t below(Run *u, uint32_t n) noexcept nogil:
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


cdef inline int random_cell(Run *u) noexcept nogil:
    """A random empty cell, on the board of bytes."""
    cdef int i, at
    while True:
        i = below(u, u.listed)
        at = u.cells[i]
        u.listed -= 1
        u.cells[i] = u.cells[u.listed]
        if not ((u.lines.own[0][at >> u.shift] | u.lines.own[1][at >> u.shift]) >> (at & (u.g.stride - 1)) & 1):
            return at


cdef inline bint has_line(Run *u, int player, int at) noexcept nogil:
    """Whether the stone in ``at`` is part of a line that wins."""
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


cdef int play_random(Run *u, int player) noexcept nogil:
    """Uniformly random moves to the end; the winner, or DRAW."""
    cdef int at
    while u.left:
        at = random_cell(u)
        if place(u, player, at) & (HAS_LINE * EACH) and has_line(u, player, at):
            return player
        player ^= 1
    return DRAW


cdef inline void remember_keys(Run *u, int player, int line) noexcept nogil:
    """Keeps a line if there is an open three of ``player`` on it."""
    cdef int i
    if threes_in(u.g, &u.lines, player, line) == 0 or u.keys[player] == MAX_KEYS:
        return
    for i in range(u.keys[player]):
        if u.key[player][i] == line:
            return
    u.key[player][u.keys[player]] = line
    u.keys[player] += 1


cdef bint make_open_four(Run *u, int player) noexcept nogil:
    """Plays out an open three of ``player``, who is to move and cannot be stopped, if there is one."""
    cdef int i = 0, line, at
    cdef uint64_t found, here
    while i < u.keys[player]:
        line = u.key[player][i]
        found = threes_in(u.g, &u.lines, player, line)
        if found:
            at = mcts_ctz64(found)
            here = empties(u.g, &u.lines, line) & (((<uint64_t> 1 << (u.g.k - 1)) - 1) << (at + 1))
            place(u, player, cell_of(line, mcts_ctz64(here), u.g.stride))
            place(u, 1 - player, cell_of(line, at, u.g.stride))
            place(u, player, cell_of(line, at + u.g.k, u.g.stride))
            return True
        u.keys[player] -= 1
        u.key[player][i] = u.key[player][u.keys[player]]
    return False


cdef int answers(Run *u, int player, uint16_t *cells) noexcept nogil:
    """Where ``player`` may answer the open threes of the other one: the cells of one of them that stop it, and fours of
    his own. Returns their number, 0 when there is nothing to answer."""
    cdef const mnk_geometry *g = u.g
    cdef int other = 1 - player, i = 0, line, at, count = 0, row
    cdef uint64_t found, here
    cdef uint32_t rest
    cdef mnk_planes b
    cdef mnk_threats mine
    while i < u.keys[other]:
        line = u.key[other][i]
        found = threes_in(g, &u.lines, other, line)
        if found:
            here = empties(g, &u.lines, line)
            at = mcts_ctz64(found)
            here &= ((<uint64_t> 1 << (g.k + 1)) - 1) << at
            while here:
                cells[count] = cell_of(line, mcts_ctz64(here), g.stride)
                count += 1
                here &= here - 1
            break
        u.keys[other] -= 1
        u.key[other][i] = u.key[other][u.keys[other]]
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
    mnk_find_threats(&b, player, MNK_FIND_FOURS, &mine)
    for row in range(g.rows):
        rest = mine.four[row]
        while rest:
            cells[count] = row << u.shift | mcts_ctz64(rest)
            count += 1
            rest &= rest - 1
    return count


cdef inline int play_decisive(Run *u, int player, int forced, bint tactical) noexcept nogil:
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
        elif tactical and u.keys[player] and make_open_four(u, player):
            return player
        else:
            count = answers(u, player, cells) if tactical and u.keys[1 - player] else 0
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
                        remember_keys(u, player, lines[i])
        player ^= 1
    return DRAW


cdef int win_one_of(Run *u, int player, const uint16_t *cells, int count) noexcept nogil:
    """The other player is to move and cannot take all of the cells where ``player`` wins."""
    cdef int taken = below(u, count), other = below(u, count - 1)
    place(u, 1 - player, cells[taken])
    place(u, player, cells[other + (other >= taken)])
    return player


cdef int finish(Run *u, int mover, uint32_t policy, const mnk_threats *mine, const mnk_threats *theirs) noexcept nogil:
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
    u.keys[0] = 0
    u.keys[1] = 0
    for player in range(2):
        for row in range(g.rows):
            rest = (mine if player == mover else theirs).fours[row]
            while rest:
                mnk_lines_of(row, mcts_ctz64(rest), lines)
                rest &= rest - 1
                for i in range(4):
                    remember_keys(u, player, lines[i])
    return play_decisive(u, mover, cells[0] if count else -1, True)


cdef mcts_rollout ROLLOUT, TINY_ROLLOUT  # of mnk_rollout


cdef union any_state:
    mnk_state state
    uint8_t bytes[ROOM]


cdef int32_t random_result(const mnk_geometry *g, const mnk_state *s, const uint32_t *path, uint32_t length,
                           mcts_rng *rng) noexcept nogil:
    """The result of a random rollout that need not tell its moves, for the player to move there."""
    cdef any_state room
    cdef mnk_state *copy = &room.state
    cdef uint32_t i
    memcpy(copy, s, HEADER + g.board_size)
    for i in range(length):
        copy.board[g.offset[path[i]]] = 1 + (copy.stones & 1)
        copy.stones += 1
    return (TINY_ROLLOUT if g.stride == 4 else ROLLOUT)(<void *> g, copy, rng) & 3


cdef int32_t play_out(void *context, const void *root, const uint32_t *path, uint32_t length,
                      const mcts_policy *policy, mcts_playout *playout, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef mnk_planes b
    cdef mnk_threats mine, theirs
    cdef Run u
    cdef int first = s.stones & 1, mover = first ^ (length & 1), winner
    cdef int left = g.cells - s.stones - <int> length
    cdef int32_t result
    cdef uint32_t i
    load(g, s, path, length, &b)
    glance(g, &b, mover, left, &mine, &theirs, &playout.proof)
    # What the vectors of mnk_rollout play cannot be told in full without sorting it; move by move it costs little more.
    if policy.rollout == MCTS_ROLLOUT_RANDOM and playout.played == NULL:
        result = random_result(g, s, path, length, rng)
        return result if mover == first else 2 - result
    u.g = g
    u.rng = rng
    u.played = playout.played
    u.bits = 0
    u.first = first
    u.left = left
    u.listed = g.cells
    u.shift = mcts_log2_32(g.stride)
    memcpy(u.cells, g.offset, 2 * g.cells)
    draw_lines(&b, &u.lines)
    if u.played != NULL:
        memset(u.played, 0, g.cells)
        for i in range(length):
            u.played[path[i]] = 1 + (i & 1)
    if policy.rollout == MCTS_ROLLOUT_RANDOM:
        winner = play_random(&u, mover)
    else:
        winner = finish(&u, mover, policy.rollout, &mine, &theirs)
    return 1 if winner == DRAW else 2 if winner == first else 0


# ---- children --------------------------------------------------------------------------------------------------------

cdef struct Listing:
    const mnk_geometry *g
    mcts_children *children
    int count
    int symmetries
    uint8_t symmetry[7]     # of the position: 1: rows upside down; 2: columns; 4: rows for columns, before that


cdef inline int mapped(const mnk_geometry *g, int symmetry, int row, int col) noexcept nogil:
    """The cell that a symmetry of the board maps a cell to."""
    cdef int swap
    if symmetry & 4:
        swap = row
        row = col
        col = swap
    if symmetry & 1:
        row = g.rows - 1 - row
    if symmetry & 2:
        col = g.cols - 1 - col
    return row * g.cols + col


cdef bint is_symmetric(const mnk_geometry *g, const mnk_planes *b, int symmetry) noexcept nogil:
    cdef int player, row
    cdef uint32_t rest
    for player in range(2):
        for row in range(g.rows):
            rest = b.own[player][MNK_EDGE + row]
            while rest:
                if not has(b.own[player] + MNK_EDGE, g.cols, mapped(g, symmetry, row, mcts_ctz64(rest))):
                    return False
                rest &= rest - 1
    return True


cdef inline bint is_first(const Listing *l, int row, int col) noexcept nogil:
    """Whether no symmetry of the position maps a cell to one with a lower number."""
    cdef int i
    for i in range(l.symmetries):
        if mapped(l.g, l.symmetry[i], row, col) < row * l.g.cols + col:
            return False
    return True


cdef inline void append(Listing *l, int cell, int outcome, int distance, float prior) noexcept nogil:
    cdef int n = l.count
    l.children.moves[n] = cell
    l.children.actions[n] = cell
    l.children.outcomes[n] = outcome
    l.children.distances[n] = distance
    l.children.priors[n] = prior
    l.count = n + 1


cdef void append_all(Listing *l, const uint32_t *rows, int outcome, int distance, float prior) noexcept nogil:
    cdef int row, col
    cdef uint32_t rest
    for row in range(l.g.rows):
        rest = rows[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            if l.symmetries == 0 or is_first(l, row, col):
                append(l, row * l.g.cols + col, outcome, distance, prior)


# The expected result of a move, from 0 to 1, by what its stone makes and what the other player's would make there
# (see mnk_grade). Measured: tactical playouts of the children of 1,500 positions of playouts on 15x15, as differences
# from the mean of the position. Up to 4 these are about doubled, as strong play makes more of a threat than playouts
# do, and fours of one's own, which mostly waste a threat there, count like quiet moves. The other player's 7 comes up
# only where the move is forced.
cdef float[8][8] PRIOR = [
    [0.47, 0.485, 0.50, 0.53, 0.52, 0.64, 0.70, 0.50],
    [0.50, 0.505, 0.53, 0.56, 0.54, 0.65, 0.71, 0.52],
    [0.55, 0.555, 0.56, 0.62, 0.58, 0.67, 0.74, 0.56],
    [0.60, 0.60, 0.61, 0.65, 0.62, 0.69, 0.74, 0.60],
    [0.48, 0.49, 0.51, 0.54, 0.52, 0.62, 0.68, 0.62],
    [0.86, 0.87, 0.88, 0.90, 0.89, 0.91, 0.92, 0.86],
    [0.89, 0.90, 0.91, 0.92, 0.92, 0.93, 0.93, 0.89],
    [0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97],
]
cdef float NEAR = 0.02  # for being next to a stone
cdef float[GRADES] VALUE        # by grade: own, the other's, 1 if next to a stone
cdef uint8_t[GRADES] RANK       # 0: the best grade
cdef uint8_t[GRADES] GRADE      # by rank


cdef void rank_grades():
    for grade in range(GRADES):
        VALUE[grade] = PRIOR[grade >> 4][grade >> 1 & 7] + (NEAR if grade & 1 else 0)
    for rank, grade in enumerate(sorted(range(GRADES), key=lambda grade: -VALUE[grade])):
        RANK[grade] = rank
        GRADE[rank] = grade


rank_grades()


cdef void append_ranked(Listing *l, const mnk_planes *b, const mnk_threats *mine, const mnk_threats *theirs,
                        const uint32_t *rows, int outcome, int distance) noexcept nogil:
    """Appends a set of cells, the most promising first; from the middle of the board if they promise the same."""
    cdef const mnk_geometry *g = l.g
    cdef uint32_t own[3][32]
    cdef uint32_t other[3][32]
    cdef uint32_t near[MNK_MAX_SIDE]
    cdef uint16_t cells[MNK_MAX_CELLS]
    cdef uint8_t ranks[MNK_MAX_CELLS]
    cdef uint16_t place[GRADES]
    cdef int i, row, col, rank, count = 0, total = 0, n, middle = g.rows // 2
    cdef uint32_t rest, up
    mnk_grade(mine, own)
    mnk_grade(theirs, other)
    for row in range(g.rows):
        up = stones_near(b, row)
        near[row] = up | up << 1 | up >> 1
    memset(place, 0, sizeof(place))
    for i in range(g.rows):
        row = middle + ((i + 1) >> 1) if i & 1 else middle - (i >> 1)
        if g.rows & 1 == 0:
            row = middle - 1 - (i >> 1) if i & 1 else middle + (i >> 1)
        rest = rows[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            if l.symmetries and not is_first(l, row, col):
                continue
            rank = RANK[(own[2][row] >> col & 1) << 6 | (own[1][row] >> col & 1) << 5 | (own[0][row] >> col & 1) << 4 |
                        (other[2][row] >> col & 1) << 3 | (other[1][row] >> col & 1) << 2 |
                        (other[0][row] >> col & 1) << 1 | (near[row] >> col & 1)]
            cells[count] = row * g.cols + col
            ranks[count] = rank
            place[rank] += 1
            count += 1
    for rank in range(GRADES):
        n = place[rank]
        place[rank] = total
        total += n
    for i in range(count):
        n = l.count + place[ranks[i]]
        place[ranks[i]] += 1
        l.children.moves[n] = cells[i]
        l.children.actions[n] = cells[i]
        l.children.outcomes[n] = outcome
        l.children.distances[n] = distance
        l.children.priors[n] = VALUE[GRADE[ranks[i]]]
    l.count += count


cdef inline uint32_t stones_near(const mnk_planes *b, int row) noexcept nogil:
    """The columns with a stone in a row or the rows next to it."""
    cdef uint32_t all = 0
    cdef int i
    for i in range(-1, 2):
        all |= b.own[0][MNK_EDGE + row + i] | b.own[1][MNK_EDGE + row + i]
    return all


cdef void candidates(const mnk_geometry *g, const mnk_planes *b, int left, uint32_t distance,
                     uint32_t *cells) noexcept nogil:
    """The empty cells at most ``distance`` from a stone; all if it is 0; those in the middle of an empty board."""
    cdef uint32_t wide[MNK_MAX_SIDE]
    cdef uint32_t all
    cdef int row, i, reach, _
    if distance == 0 or distance >= MNK_MAX_SIDE:
        memcpy(cells, b.empty + MNK_EDGE, 4 * g.rows)
        return
    if left == g.cells:
        memset(cells, 0, 4 * g.rows)
        all = bit(g.cols // 2) | bit((g.cols - 1) // 2)
        cells[g.rows // 2] = all
        cells[(g.rows - 1) // 2] = all
        return
    reach = <int> distance
    for row in range(g.rows):
        all = b.own[0][MNK_EDGE + row] | b.own[1][MNK_EDGE + row]
        for _ in range(reach):
            all |= all << 1 | all >> 1
        wide[row] = all
    for row in range(g.rows):
        all = 0
        for i in range(max(0, row - reach), min(g.rows, row + reach + 1)):
            all |= wide[i]
        cells[row] = all & b.empty[MNK_EDGE + row]


cdef int32_t children(void *context, const void *root, const uint32_t *path, uint32_t length,
                      const mcts_policy *policy, mcts_children *found) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef mnk_planes b
    cdef mnk_threats mine, theirs
    cdef Listing l
    cdef uint32_t cells[MNK_MAX_SIDE]
    cdef int mover = (s.stones ^ length) & 1, left = g.cells - s.stones - <int> length, row, count, symmetry
    if <uint32_t> left > found.capacity:
        return left
    load(g, s, path, length, &b)
    mnk_find_threats(&b, mover, MNK_FIND_ALL, &mine)
    mnk_find_threats(&b, 1 - mover, MNK_FIND_ALL, &theirs)
    l.g = g
    l.children = found
    l.count = 0
    l.symmetries = 0
    if policy.symmetry:
        for symmetry in range(1, 8 if g.rows == g.cols else 4):
            if is_symmetric(g, &b, symmetry):
                l.symmetry[l.symmetries] = symmetry
                l.symmetries += 1
    found.root_player = not length & 1
    found.complete = 1
    found.rest = 0
    if any_of(mine.five, g.rows):
        append_all(&l, mine.five, MCTS_WIN, 0, 1.0)
        return l.count
    if left == 1:
        append_all(&l, b.empty + MNK_EDGE, MCTS_DRAW, 0, 0.5)
        return l.count
    count = bits_of(theirs.five, g.rows)
    if count > 1:
        found.rest = 1 if left > count else 0
        append_all(&l, theirs.five, MCTS_LOSS, 1, 0.0)
    elif count == 1:
        found.rest = 1
        if has(mine.fours, g.cols, first_of(theirs.five, g.cols)):
            append_all(&l, theirs.five, MCTS_WIN, 2, 1.0)
        else:
            append_ranked(&l, &b, &mine, &theirs, theirs.five, MCTS_ONGOING, 0)
    elif any_of(mine.fours, g.rows):
        append_all(&l, mine.fours, MCTS_WIN, 2, 1.0)
    elif any_of(theirs.fours, g.rows):
        found.rest = 3
        count = saving(g, &b, &mine, &theirs, mover, cells)
        if count:
            append_ranked(&l, &b, &mine, &theirs, cells, MCTS_ONGOING, 0)
            found.rest = 3 if left > count else 0
        else:
            append_all(&l, theirs.fours, MCTS_LOSS, 3, 0.0)
    else:
        candidates(g, &b, left, policy.distance, cells)
        if mine.possible or theirs.possible:
            for row in range(g.rows):
                cells[row] |= mine.four[row] | theirs.four[row]
            count = bits_of(cells, g.rows)
            found.complete = count == left
            append_ranked(&l, &b, &mine, &theirs, cells, MCTS_ONGOING, 0)
        else:
            append_ranked(&l, &b, &mine, &theirs, b.empty + MNK_EDGE, MCTS_DRAW, left - 1)
    return l.count


# ---- the table -------------------------------------------------------------------------------------------------------

cdef void prepare(const mnk_geometry *g, mcts_guide *guide) noexcept nogil:
    memset(guide, 0, sizeof(mcts_guide))
    guide.rollouts = 1 << MCTS_ROLLOUT_RANDOM | 1 << MCTS_ROLLOUT_DECISIVE
    # An open four needs k + 1 cells in a line.
    if g.k > 3 and max(g.rows, g.cols) > g.k:
        guide.rollouts |= 1 << MCTS_ROLLOUT_TACTICAL
    guide.distance = 2 if max(g.rows, g.cols) > 8 else 0
    guide.actions = g.cells
    guide.children = children
    guide.play_out = play_out


cdef int find_rollouts() except -1:
    cdef mnk_table *hot = <mnk_table *> hot_table("games.mnk.rollout")
    cdef mnk_geometry g
    cdef mcts_game game
    game.context = &g
    g.stride = 4
    hot.prepare(&game)
    global ROLLOUT, TINY_ROLLOUT
    TINY_ROLLOUT = game.rollout
    g.stride = 16
    hot.prepare(&game)
    ROLLOUT = game.rollout
    return 0


find_rollouts()

cdef mnk_guide_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
