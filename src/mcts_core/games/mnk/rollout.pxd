"""The flat state of an m,n,k game, the geometry of a board, and the table of the hot functions over them.

The board of a state has a byte per cell: 0 empty, 1 a stone of the player who began, 2 of the other, 255 no cell. Rows
are `stride` bytes apart, a width that the vector kernels like; `offset` says where each cell is.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_game


cdef enum:
    MNK_MAX_SIDE = 32
    MNK_MAX_CELLS = 1024
    MNK_NO_CELL = 255
    MNK_HEADER = 4      # bytes of mnk_state before the board

ctypedef struct mnk_state:
    uint16_t stones
    uint8_t over          # MCTS_ONGOING; MCTS_WIN: the player who moved last has won; MCTS_DRAW
    uint8_t unused
    uint8_t board[1]      # geometry.board_size bytes

ctypedef struct mnk_geometry:
    int32_t cols
    int32_t rows
    int32_t k
    int32_t exact
    int32_t cells
    int32_t stride
    int32_t board_size
    int32_t garbage    # bytes of the board that are no cells and that the kernels take for stones
    int32_t in_bits    # rollouts have a bit for each cell, not a byte: bit_rollout.pyx
    uint16_t offset[MNK_MAX_CELLS]  # of a cell, on the board
    uint16_t order[MNK_MAX_CELLS]   # the cells in the order of trying: centre first
    uint8_t starts[4][16]           # rows of 4 only: 255 where no window starts, in each direction
    uint8_t bit[256]                # with in_bits: of a cell
    uint64_t all_cells[4]           # with in_bits: the bits of all cells

ctypedef struct mnk_table:
    # Fills the functions of `game`; its context is a geometry. That of bit_rollout.pyx fills only the rollouts.
    void (*prepare)(mcts_game *game) noexcept nogil


cdef inline void prepare_game(const mnk_table *hot, const mnk_table *in_bits, mcts_game *game) noexcept nogil:
    """Fills the functions of ``game`` from the tables of rollout.pyx and bit_rollout.pyx."""
    hot.prepare(game)
    if (<const mnk_geometry *> game.context).in_bits:
        in_bits.prepare(game)


cdef inline int run_length(const uint8_t *at, int step, int limit) noexcept nogil:
    """How many of the next ``limit`` cells in a direction hold the same stone as the one at ``at``."""
    cdef int length = 0
    while length < limit and at[step * (length + 1)] == at[0]:
        length += 1
    return length


cdef inline bint wins(const mnk_geometry *g, int length) noexcept nogil:
    return length == g.k or (length > g.k and not g.exact)


cdef inline bint in_five(const mnk_geometry *g, const uint8_t *board, int cell) noexcept nogil:
    """Whether the stone in ``cell`` is part of a five."""
    cdef int row = cell // g.cols
    cdef int col = cell - row * g.cols
    cdef int left = col, right = g.cols - 1 - col, up = row, down = g.rows - 1 - row
    cdef int stride = g.stride
    cdef const uint8_t *at = board + g.offset[cell]
    if wins(g, 1 + run_length(at, -1, left) + run_length(at, 1, right)):
        return True
    if wins(g, 1 + run_length(at, -stride, up) + run_length(at, stride, down)):
        return True
    if wins(g, 1 + run_length(at, -stride - 1, min(up, left)) + run_length(at, stride + 1, min(down, right))):
        return True
    return wins(g, 1 + run_length(at, -stride + 1, min(up, right)) + run_length(at, stride - 1, min(down, left)))
