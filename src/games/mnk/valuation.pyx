"""The valuation of five in a row by a line-pattern network; hot, compiled once per instruction set.

The position of the last call is kept with the line patterns of all its cells: the next one is mostly a few stones
away.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from mcts_core.game cimport mcts_estimate, mcts_valuation
from mcts_core.games.mnk.network cimport LINE_SIDE, mnk_network
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, mnk_geometry, mnk_state
from mcts_core.games.mnk.rows cimport MNK_EDGE, bit, mnk_load_rows, mnk_row_board
from mcts_core.games.mnk.valuation cimport mnk_valuation_table


cdef extern from "kernels/mnk/network.h" nogil:
    ctypedef struct line_board:
        uint32_t code[1024][4]

    void exp2_fill()
    uint32_t exp2_minus(uint32_t x)
    int32_t exp2_sigmoid(int32_t x)
    void line_fill()
    void line_clear(line_board *b, int rows, int cols)
    void line_put(line_board *b, int player, int cell)
    int line_cell(int row, int col)
    const uint16_t line_half[2][1024]
    int32_t net_logit(const mnk_network *net, const uint32_t *code, const uint16_t *half)
    int32_t net_value(const mnk_network *net, const line_board *b, const uint32_t *look, int rows, int player)
    void net_look(const uint32_t *stones, const uint32_t *empty, int rows, uint32_t *look)


cdef enum:
    HEADER = 4            # bytes of mnk_state before the board
    FIVE = 5
    LEAST_SIDE = 5
    MARGIN = 3            # rows of nobody's that net_look reads

ctypedef struct accumulator:
    mnk_network net
    bint has_root
    uint32_t length
    uint16_t path[MNK_MAX_CELLS]
    uint8_t root[HEADER + MNK_MAX_CELLS]
    mnk_row_board rows
    line_board lines


cdef void *create(void *context, const void *network) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *>context
    cdef accumulator *a
    if network == NULL:
        return NULL
    a = <accumulator *>malloc(sizeof(accumulator))
    if a != NULL:
        a.net = (<const mnk_network *>network)[0]
        if g.exact:
            a.net.table = a.net.exact_table
        a.has_root = False
    return a


cdef void destroy(void *context, void *memory) noexcept nogil:
    free(memory)


cdef inline void put(accumulator *a, const mnk_geometry *g, int player, int move) noexcept nogil:
    """A stone on the board; again: away with it."""
    cdef int row = move // g.cols, col = move - row * g.cols
    line_put(&a.lines, player, line_cell(row, col))
    a.rows.own[player][MNK_EDGE + row] ^= bit(col)
    a.rows.empty[MNK_EDGE + row] ^= bit(col)


cdef void set_root(accumulator *a, const mnk_geometry *g, const mnk_state *root) noexcept nogil:
    cdef int move
    cdef uint8_t stone
    memcpy(a.root, root, HEADER + g.board_size)
    a.has_root = True
    a.length = 0
    line_clear(&a.lines, g.rows, g.cols)
    mnk_load_rows(root.board, g.rows, g.cols, g.stride, g.k, g.exact, &a.rows)
    for move in range(g.cells):
        stone = root.board[g.offset[move]]
        if stone:
            line_put(&a.lines, stone - 1, line_cell(move // g.cols, move % g.cols))


cdef int go_to(accumulator *a, const mnk_geometry *g, const mnk_state *root, const uint32_t *path,
               uint32_t length) noexcept nogil:
    """Makes the position at the end of ``path`` that of the accumulator; who is to move, 0 began."""
    cdef int first = root.stones & 1
    cdef uint32_t common = 0
    if not a.has_root or memcmp(a.root, root, HEADER + g.board_size) != 0:
        set_root(a, g, root)
    while common < length and common < a.length and a.path[common] == path[common]:
        common += 1
    while a.length > common:
        a.length -= 1
        put(a, g, first ^ (a.length & 1), a.path[a.length])
    while a.length < length:
        put(a, g, first ^ (a.length & 1), path[a.length])
        a.path[a.length] = path[a.length]
        a.length += 1
    return first ^ (length & 1)


cdef int32_t value(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   mcts_estimate *estimate) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *>context
    cdef accumulator *a = <accumulator *>memory
    cdef uint32_t stones[LINE_SIDE + 2 * MARGIN]
    cdef uint32_t look[LINE_SIDE]
    cdef int row, mover = go_to(a, g, <const mnk_state *>root, path, length)
    # Fives and fours are left to exact search, which finds them anyway: a look at the shapes took 6 % of a search.
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
    cdef int32_t most = -2147483647
    cdef uint32_t i
    cdef int row, mover = go_to(a, g, <const mnk_state *>root, path, length)
    for i in range(count):
        row = <int>moves[i] // g.cols
        logits[i] = net_logit(&a.net, a.lines.code[line_cell(row, <int>moves[i] - row * g.cols)], line_half[mover])
        if logits[i] > most:
            most = logits[i]
    for i in range(count):
        weights[i] = <float>(exp2_minus(<uint32_t>(most - logits[i])) >> 7)  # exact in 24 bits
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
line_fill()

cdef mnk_valuation_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
