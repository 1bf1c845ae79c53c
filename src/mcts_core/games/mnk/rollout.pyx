"""The hot functions of m,n,k games; compiled once per instruction set.

``prepare`` chooses the rollouts of a board: in rows of 4 bytes ("tiny") or in wider rows (both in
``kernels/mnk/rollout.h``). Boards in bits use the rollouts of ``bit_rollout.pyx`` instead.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_DRAW, MCTS_ILLEGAL, MCTS_ONGOING, MCTS_WIN, mcts_expansion, mcts_game,
                             mcts_rng, mcts_rng_below, mcts_rng_next, mcts_simulation)
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, in_five, mnk_geometry, mnk_state, mnk_table, wins

cdef extern from "kernels/mnk/rollout.h" nogil:
    enum:
        MNK_NONE

    ctypedef struct mnk_trial:
        int32_t key[2]
        int32_t upto[2]
        int32_t ties[2]
        int32_t coloured
        uint8_t *keys[2]

    int mnk_cells_with(const mnk_trial *t, int player, int key, int rows, int cols, int stride,
                       uint16_t *cells) noexcept
    void mnk_draw_trial(const uint8_t *board, int rows, int cols, int stride, int k, int exact, int other,
                        mcts_rng *rng, mnk_trial *t) noexcept
    int32_t mnk_play_tiny(uint64_t top, uint64_t bottom, const uint8_t (*starts)[16], int cells, int k, int empty,
                          int other, mcts_rng *rng) noexcept


cdef enum:
    NEVER = 4096  # a move number beyond all games


# ---- rollouts --------------------------------------------------------------------------------------------------------

cdef inline uint64_t tie_break(uint64_t salt, int cell) noexcept nogil:
    """Orders cells with equal keys: output ``cell`` of the generator ``mcts_rng_next`` seeded by ``salt``."""
    cdef mcts_rng rng
    rng.counter = salt + <uint64_t> cell * <uint64_t> 0x9E3779B97F4A7C15
    return mcts_rng_next(&rng)


cdef int sorted_ties(const mnk_geometry *g, const mnk_trial *t, int player, int key, uint64_t salt,
                     uint16_t *cells) noexcept nogil:
    """Writes the cells of ``player`` with this ``key`` in the order in which he plays them; returns their number."""
    cdef uint64_t breaks[MNK_MAX_CELLS]
    cdef uint64_t own
    cdef int cell, i, at, count = mnk_cells_with(t, player, key, g.rows, g.cols, g.stride, cells)
    for at in range(count):
        cell = cells[at]
        own = tie_break(salt, cell)
        i = at
        while i > 0 and breaks[i - 1] > own:
            breaks[i] = breaks[i - 1]
            cells[i] = cells[i - 1]
            i -= 1
        breaks[i] = own
        cells[i] = cell
    return count


cdef inline int run_before(const uint8_t *at, int step, int limit, int key) noexcept nogil:
    """The length of the run of cells in a direction, at most ``limit``, that are played before ``key``."""
    cdef int length = 0
    while length < limit and at[step * (length + 1)] < key:
        length += 1
    return length


cdef inline bint completes(const mnk_geometry *g, const uint8_t *at, int cell, int key) noexcept nogil:
    """Whether ``cell``, whose key is at ``at``, makes a five with the cells that are played before ``key``."""
    cdef int row = cell // g.cols
    cdef int col = cell - row * g.cols
    cdef int left = col, right = g.cols - 1 - col, up = row, down = g.rows - 1 - row, step = g.stride
    if wins(g, 1 + run_before(at, -1, left, key) + run_before(at, 1, right, key)):
        return True
    if wins(g, 1 + run_before(at, -step, up, key) + run_before(at, step, down, key)):
        return True
    if wins(g, 1 + run_before(at, -step - 1, min(up, left), key) + run_before(at, step + 1, min(down, right), key)):
        return True
    return wins(
        g, 1 + run_before(at, -step + 1, min(up, right), key) + run_before(at, step - 1, min(down, left), key))


cdef int exact_rank(const mnk_geometry *g, mnk_trial *t, int player, int before, uint64_t salt) noexcept nogil:
    """Number of the move by which ``player`` makes his first five, or NEVER; ``before``: moves with smaller keys."""
    cdef uint16_t cells[MNK_MAX_CELLS]
    cdef uint8_t *at
    cdef int key = t.key[player], i, j, count, rank = before
    cdef bint found = False
    # Only with rule "exact" can this take more than one key: a stone with an equal key may make the five too long.
    while not found and key < MNK_NONE:
        count = sorted_ties(g, t, player, key, salt, cells)
        i = 0
        while i < count and not found:
            rank += 1
            at = t.keys[player] + cells[i] // g.cols * g.stride + cells[i] % g.cols
            found = (i == count - 1 and not g.exact) or completes(g, at, cells[i], key)
            at[0] = 0
            i += 1
        for j in range(i):
            t.keys[player][cells[j] // g.cols * g.stride + cells[j] % g.cols] = key
        key += 1
    return rank if found else NEVER


cdef int32_t play_rest(const mnk_geometry *g, const mnk_trial *t, const uint8_t *start, int surplus, int played,
                       int mover, int plies, uint64_t salt, mcts_rng *rng) noexcept nogil:
    """Continues a rollout in which one player has no cells left after ``plies``.

    The other player, ``surplus``, has played ``played`` of his cells; the rest of them is played move by move.
    """
    cdef uint16_t cells[MNK_MAX_CELLS]
    cdef uint16_t ties[MNK_MAX_CELLS]
    cdef uint8_t board[MNK_MAX_CELLS]
    cdef int number[256]
    cdef const uint8_t *keys
    cdef int row, col, cell, key, i, n = 0, count = 0, player = mover
    memcpy(board, start, g.board_size)
    memset(number, 0, sizeof(number))
    for row in range(g.rows):
        for col in range(g.cols):
            if board[row * g.stride + col] == 0:
                number[t.keys[surplus][row * g.stride + col]] += 1
    # the remaining cells begin at `key`
    key = 1
    while key < MNK_NONE and count + number[key] <= played:
        count += number[key]
        key += 1
    for row in range(g.rows):
        keys = t.keys[surplus] + row * g.stride
        for col in range(g.cols):
            cell = row * g.cols + col
            if board[g.offset[cell]] == 0:
                if keys[col] > key and keys[col] < MNK_NONE:
                    cells[n] = cell
                    n += 1
                elif keys[col] != key:
                    board[g.offset[cell]] = (mover if surplus == 0 else 3 - mover) if keys[col] != MNK_NONE else (
                        3 - mover if surplus == 0 else mover)
    if key < MNK_NONE:
        for i in range(sorted_ties(g, t, surplus, key, salt, ties)):
            if count + i < played:
                board[g.offset[ties[i]]] = mover if surplus == 0 else 3 - mover
            else:
                cells[n] = ties[i]
                n += 1
    if plies & 1:
        player = 3 - mover
    while n:
        i = mcts_rng_below(rng, n)
        cell = cells[i]
        n -= 1
        cells[i] = cells[n]
        board[g.offset[cell]] = player
        plies += 1
        if in_five(g, board, cell):
            return (2 if player == mover else 0) + 4 * plies
        player = 3 - player
    return 1 + 4 * plies


cdef int32_t finish(const mnk_geometry *g, const uint8_t *board, int empty, int mover, bint count,
                    mcts_rng *rng) noexcept nogil:
    """Plays at random to the end. ``mover`` (1 or 2) is to move; the other player may have just completed a five.

    Returns the result for ``mover``, plus 4 times the moves played if ``count``. Not for rows of 4 bytes.
    """
    cdef mnk_trial t
    cdef int stones = g.cells - empty, mine, theirs, cells_mine, cells_theirs, last_mine, last_theirs
    cdef int first_mine = NEVER, first_theirs = NEVER
    cdef uint64_t salt
    mnk_draw_trial(board, g.rows, g.cols, g.stride, g.k, g.exact, 3 - mover, rng, &t)
    if t.key[1] == 0:
        return 0
    if empty == 0:
        return 1
    mine = stones >> 1
    theirs = stones - mine
    cells_theirs = t.coloured - theirs
    cells_mine = empty - cells_theirs
    # A player completes a five with one of his moves from number first_.. to number last_... `mover` plays at most
    # cells_theirs + 1 moves, the other player at most cells_mine, before one of them has no cells left.
    last_mine = last_theirs = NEVER
    if t.key[0] < MNK_NONE:
        last_mine = t.upto[0] - mine - g.garbage
        first_mine = last_mine - t.ties[0] + 1
    if t.key[1] < MNK_NONE:
        last_theirs = t.upto[1] - theirs
        first_theirs = last_theirs - t.ties[1] + 1
    # With rule "exact", a stone with an equal key may have made the five too long: perhaps there is none at this key.
    if last_mine <= first_theirs and last_mine <= cells_theirs + 1:
        if first_mine == last_mine:
            return 2 + 4 * (2 * first_mine - 1)
        if not count and not g.exact:
            return 2
    elif last_theirs < first_mine and last_theirs <= cells_mine:
        if first_theirs == last_theirs:
            return 4 * 2 * first_theirs
        if not count and not g.exact:
            return 0
    salt = mcts_rng_next(rng)
    if first_mine != last_mine and (g.exact or first_mine <= last_theirs):
        first_mine = exact_rank(g, &t, 0, first_mine - 1, salt)
    if first_theirs != last_theirs and (g.exact or first_theirs < first_mine):
        first_theirs = exact_rank(g, &t, 1, first_theirs - 1, salt)
    if first_mine <= first_theirs and first_mine <= cells_theirs + 1:
        return 2 + 4 * (2 * first_mine - 1)
    if first_theirs < first_mine and first_theirs <= cells_mine:
        return 4 * 2 * first_theirs
    if cells_mine > cells_theirs:
        return play_rest(g, &t, board, 0, cells_theirs + 1, mover, 2 * cells_theirs + 1, salt, rng)
    return play_rest(g, &t, board, 1, cells_mine, mover, 2 * cells_mine, salt, rng)


# ---- the table -------------------------------------------------------------------------------------------------------

cdef int32_t legal_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    cdef int32_t count = 0
    cdef int i
    if s.over != MCTS_ONGOING:
        return 0
    for i in range(g.cells):
        moves[count] = g.order[i]
        count += s.board[g.offset[g.order[i]]] == 0
    return count


cdef int32_t play(void *context, void *state, uint32_t move) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef mnk_state *s = <mnk_state *> state
    s.board[g.offset[move]] = 1 + (s.stones & 1)
    s.stones += 1
    if in_five(g, s.board, move):
        s.over = MCTS_WIN
    elif s.stones == g.cells:
        s.over = MCTS_DRAW
    return s.over


cdef int32_t rollout(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    return finish(g, s.board, g.cells - s.stones, 1 + (s.stones & 1), True, rng)


cdef int32_t simulate(void *context, const void *root, const uint32_t *path, uint32_t length,
                      mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef uint8_t board[MNK_MAX_CELLS]
    cdef uint32_t i, cursor = simulation.cursor, cells = g.cells
    cdef int32_t player = 1 + (s.stones & 1), result
    memcpy(board, s.board, g.board_size)
    for i in range(length):
        board[g.offset[path[i]]] = player
        player = 3 - player
    while board[g.offset[g.order[cursor]]] != 0:
        cursor += 1
    simulation.slot = g.order[cursor]
    simulation.count = cells
    board[g.offset[g.order[cursor]]] = player
    cursor += 1
    while cursor < cells and board[g.offset[g.order[cursor]]] != 0:
        cursor += 1
    simulation.cursor = cursor if cursor < cells else MCTS_ALL_TRIED
    result = finish(g, board, <int32_t> (cells - s.stones - length - 1), 3 - player, False, rng) & 3
    return result if length & 1 else 2 - result


# Boards with rows of 4 bytes fit into two words.

cdef inline void put(uint64_t *top, uint64_t *bottom, int at, uint64_t stone) noexcept nogil:
    """Puts a stone on byte ``at`` of rows of 4."""
    stone <<= 8 * (at & 7)
    top[0] |= stone if at < 8 else 0
    bottom[0] |= stone if at >= 8 else 0


cdef inline bint is_taken(uint64_t top, uint64_t bottom, int at) noexcept nogil:
    return ((top if at < 8 else bottom) >> (8 * (at & 7)) & 255) != 0


cdef int32_t rollout_tiny(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    cdef uint64_t top, bottom
    memcpy(&top, s.board, 8)
    memcpy(&bottom, s.board + 8, 8)
    return mnk_play_tiny(top, bottom, g.starts, g.cells, g.k, g.cells - s.stones, 2 - (s.stones & 1), rng)


# The loop of engine/bulk_rollouts.pyx, with the rollout inlined: 31 ns in place of 33 on 3x3.
cdef int32_t rollouts_tiny(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                           uint64_t *plies) noexcept nogil:
    cdef uint64_t _, moves = 0
    cdef int32_t result
    for _ in range(count):
        result = rollout_tiny(context, state, rng)
        results[result & 3] += 1
        moves += <uint64_t>result >> 2
    plies[0] += moves
    return 0


cdef int32_t simulate_tiny(void *context, const void *root, const uint32_t *path, uint32_t length,
                           mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef uint64_t top, bottom
    cdef uint32_t i, cursor = simulation.cursor, cells = g.cells
    cdef int32_t player = 1 + (s.stones & 1), result
    memcpy(&top, s.board, 8)
    memcpy(&bottom, s.board + 8, 8)
    for i in range(length):
        put(&top, &bottom, g.offset[path[i]], player)
        player = 3 - player
    while is_taken(top, bottom, g.offset[g.order[cursor]]):
        cursor += 1
    simulation.slot = g.order[cursor]
    simulation.count = cells
    put(&top, &bottom, g.offset[g.order[cursor]], player)
    cursor += 1
    while cursor < cells and is_taken(top, bottom, g.offset[g.order[cursor]]):
        cursor += 1
    simulation.cursor = cursor if cursor < cells else MCTS_ALL_TRIED
    result = mnk_play_tiny(top, bottom, g.starts, g.cells, g.k, <int32_t> (cells - s.stones - length - 1), player,
                           rng) & 3
    return result if length & 1 else 2 - result


cdef int32_t expand(void *context, const void *root, const uint32_t *path, uint32_t length,
                    mcts_expansion *expansion) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef uint8_t board[MNK_MAX_CELLS]
    cdef uint32_t i
    cdef int cell, player = 1 + (s.stones & 1)
    cdef bint last = s.stones + <int> length + 1 == g.cells
    cdef uint8_t *at
    memcpy(board, s.board, g.board_size)
    for i in range(length):
        board[g.offset[path[i]]] = player
        player = 3 - player
    for cell in range(g.cells):
        at = board + g.offset[cell]
        if at[0] != 0:
            expansion.outcomes[cell] = MCTS_ILLEGAL
            continue
        at[0] = player
        expansion.outcomes[cell] = MCTS_WIN if in_five(g, board, cell) else MCTS_DRAW if last else MCTS_ONGOING
        at[0] = 0
    expansion.root_player = not length & 1
    return g.cells


cdef void prepare(mcts_game *game) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> game.context
    game.legal_moves = legal_moves
    game.play = play
    if g.stride == 4:
        game.rollout = rollout_tiny
        game.rollouts = rollouts_tiny
        game.simulate = simulate_tiny
    else:
        game.rollout = rollout
        game.simulate = simulate
    game.expand = expand


cdef mnk_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
