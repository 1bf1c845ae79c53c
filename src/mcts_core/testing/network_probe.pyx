"""The line-pattern network from Python, for tests: what it makes of a board, without a search."""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t
from libc.string cimport memset

from mcts_core.games.mnk.network cimport (EXP2_ONE, LINE_PATTERNS, LINE_SIDE, NET_CHANNELS, Network, exp2_fill,
                                          exp2_minus, exp2_sigmoid, line_board, line_cell, line_clear, line_patterns,
                                          line_put, mnk_network, net_logits, net_look, net_value)


def network_outputs(Network network, bytes cells, int rows, int cols, int player):
    """Of a board of bytes (0 empty, 1 a stone of who began, 2 of the other): the logit of the value for ``player`` (0
    began), and by cell looked at the logit of its weight, both in 256ths of log2, and its four patterns."""
    cdef line_board b
    cdef uint32_t stones[LINE_SIDE + 6]
    cdef uint32_t empty[LINE_SIDE]
    cdef uint32_t look[LINE_SIDE]
    cdef uint32_t patterns[4]
    cdef uint16_t cell[2]
    cdef int32_t logit
    cdef int row, col
    cdef const mnk_network *net = &network.data
    if max(rows, cols) > LINE_SIDE or len(cells) != rows * cols or not 0 <= player <= 1:
        raise ValueError("no board")
    memset(stones, 0, sizeof(stones))
    memset(empty, 0, sizeof(empty))
    line_clear(&b, rows, cols)
    for row in range(rows):
        for col in range(cols):
            if cells[row * cols + col]:
                stones[3 + row] |= 1u << col
                line_put(&b, cells[row * cols + col] - 1, line_cell(row, col), 1)
            else:
                empty[row] |= 1u << col
    net_look(stones + 3, empty, rows, look)
    found = {}
    for row in range(rows):
        for col in range(cols):
            if look[row] >> col & 1:
                cell[0] = <uint16_t>line_cell(row, col)
                line_patterns(b.half[cell[0]], player, 1, patterns)
                net_logits(net, &b, cell, 1, player, &logit)
                found[row * cols + col] = logit, tuple(patterns)
    return net_value(net, &b, look, rows, player), found


def rows_made(Network network, bint exact=False):
    """How many rows of a table have been computed."""
    cdef const int16_t *table = network.data.exact_table if exact else network.data.table
    cdef int number
    return sum(table[number * NET_CHANNELS] != 0 for number in range(LINE_PATTERNS))


def powers(exponents):
    """2 ** (-x / 256) of each number, where it is >= 0 (else 1), and 1 / (1 + 2 ** (-x / 256)), as the search has
    them."""
    return [(exp2_minus(max(x, 0)) / <double>EXP2_ONE, exp2_sigmoid(x) / 65536.0) for x in exponents]


exp2_fill()
