"""The valuation of five in a row by a line-pattern network. Hot: compiled once per instruction set."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from mcts_core.game cimport mcts_estimate, mcts_valuation
from mcts_core.games.mnk.network cimport (LINE_SIDE, exp2_fill, exp2_minus, exp2_sigmoid, line_board, line_cell,
                                          line_clear, line_put, mnk_network, net_logits, net_look, net_value)
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, mnk_geometry, mnk_state
from mcts_core.games.mnk.rows cimport MNK_EDGE, bit, mnk_load_rows, mnk_row_board
from mcts_core.games.mnk.valuation cimport mnk_valuation_table
from mcts_core.games.mnk.walk cimport mnk_walk, walk_to


cdef enum:
    FIVE = 5
    LEAST_SIDE = 5
    MARGIN = 3            # empty rows beyond the board that net_look reads
    # The logits of the priors are divided by HOT / COLD (bench/TUNING.md, "Softer priors").
    COLD = 3
    HOT = 4

ctypedef struct accumulator:
    mnk_network net
    mnk_walk walk
    mnk_row_board rows
    line_board lines
    uint16_t cell[MNK_MAX_CELLS]    # of a move, in `lines`


cdef void *create(void *context, const void *network) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *>context
    cdef accumulator *a
    cdef int move
    if network == NULL:
        return NULL
    a = <accumulator *>malloc(sizeof(accumulator))
    if a != NULL:
        a.net = (<const mnk_network *>network)[0]
        if g.exact:
            a.net.table = a.net.exact_table
        a.walk.has_root = False
        for move in range(g.cells):
            a.cell[move] = line_cell(move // g.cols, move % g.cols)
    return a


cdef void destroy(void *context, void *memory) noexcept nogil:
    free(memory)


cdef void begin(void *board, const mnk_geometry *g, const mnk_state *root) noexcept nogil:
    cdef accumulator *a = <accumulator *>board
    cdef int move
    cdef uint8_t stone
    line_clear(&a.lines, g.rows, g.cols)
    mnk_load_rows(root.board, g.rows, g.cols, g.stride, g.k, g.exact, &a.rows)
    for move in range(g.cells):
        stone = root.board[g.offset[move]]
        if stone:
            line_put(&a.lines, stone - 1, a.cell[move], 1)


cdef void put(void *board, const mnk_geometry *g, int player, uint32_t move) noexcept nogil:
    cdef accumulator *a = <accumulator *>board
    cdef int row = <int>move // g.cols, col = <int>move - row * g.cols
    line_put(&a.lines, player, a.cell[move], 1 if a.rows.empty[MNK_EDGE + row] & bit(col) else -1)
    a.rows.own[player][MNK_EDGE + row] ^= bit(col)
    a.rows.empty[MNK_EDGE + row] ^= bit(col)


cdef inline int go_to(accumulator *a, const mnk_geometry *g, const void *root, const uint32_t *path,
                      uint32_t length) noexcept nogil:
    """Moves the accumulator to the position at the end of ``path``; returns the player to move, 0 for who began."""
    return walk_to(&a.walk, g, <const mnk_state *>root, path, length, a, begin, put)


cdef int32_t value(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   mcts_estimate *estimate) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *>context
    cdef accumulator *a = <accumulator *>memory
    cdef uint32_t stones[LINE_SIDE + 2 * MARGIN]
    cdef uint32_t look[LINE_SIDE]
    cdef int row, mover = go_to(a, g, root, path, length)
    # No check for fives and fours here: exact search finds them anyway, and the check took 6 % of a search.
    memset(stones, 0, sizeof(stones))
    for row in range(g.rows):
        stones[MARGIN + row] = a.rows.own[0][MNK_EDGE + row] | a.rows.own[1][MNK_EDGE + row]
    net_look(stones + MARGIN, a.rows.empty + MNK_EDGE, g.rows, look)
    estimate.value = exp2_sigmoid(net_value(&a.net, &a.lines, look, g.rows, mover))
    return 0


cdef int32_t weigh(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   const uint32_t *moves, uint32_t count, float *weights) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *>context
    cdef accumulator *a = <accumulator *>memory
    cdef int32_t logits[MNK_MAX_CELLS]
    cdef uint16_t cells[MNK_MAX_CELLS + 1]
    cdef int32_t most = -2147483647
    cdef uint32_t i, less
    cdef int mover = go_to(a, g, root, path, length)
    for i in range(count):
        cells[i] = a.cell[moves[i]]
    net_logits(&a.net, &a.lines, cells, <int>count, mover, logits)
    for i in range(count):
        if logits[i] > most:
            most = logits[i]
    for i in range(count):
        less = <uint32_t>(<uint64_t>(most - logits[i]) * COLD // HOT)  # the product may take more than 32 bits
        weights[i] = <float>(exp2_minus(less) >> 7)  # exact in 24 bits
    return 0


cdef void prepare(const mnk_geometry *g, mcts_valuation *valuation) noexcept nogil:
    memset(valuation, 0, sizeof(mcts_valuation))
    if g.k != FIVE or min(g.rows, g.cols) < LEAST_SIDE or max(g.rows, g.cols) > LINE_SIDE:
        return
    valuation.value = value
    valuation.weigh = weigh
    valuation.create = create
    valuation.destroy = destroy


exp2_fill()

cdef mnk_valuation_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
