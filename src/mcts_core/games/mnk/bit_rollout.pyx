"""The rollouts of m,n,k games in bits: ``kernels/mnk/bit_rollout.h`` and, for many at once,
``kernels/mnk/sliced_rollouts.h``; compiled once per instruction set, for AVX-512 too.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.game cimport MCTS_ALL_TRIED, mcts_game, mcts_rng, mcts_simulation
from mcts_core.games.mnk.rollout cimport mnk_geometry, mnk_state, mnk_table

cdef extern from "kernels/mnk/sliced_rollouts.h" nogil:
    ctypedef struct board_v:
        pass

    board_v board_load(const uint64_t *words) noexcept
    void board_store(uint64_t *words, board_v a) noexcept
    board_v board_or(board_v a, board_v b) noexcept
    board_v board_andnot(board_v a, board_v b) noexcept
    board_v board_of_bytes(const uint8_t *rows_of_16, int rows, int value) noexcept
    board_v board_of_bit(int bit) noexcept
    int32_t mnk_play_bits(board_v mine, board_v theirs, board_v empty, bint counted, mcts_rng *rng) noexcept
    void mnk_play_many_bits(board_v mine, board_v theirs, board_v empty, int rows, int cols, uint64_t count,
                            mcts_rng *rng, uint64_t *results, uint64_t *plies) noexcept


cdef inline board_v empty_cells(const mnk_geometry *g, board_v mine, board_v theirs) noexcept nogil:
    return board_andnot(board_or(mine, theirs), board_load(g.all_cells))


cdef int32_t rollout_in_bits(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    cdef int mover = 1 + (s.stones & 1)
    cdef board_v mine = board_of_bytes(s.board, g.rows, mover), theirs = board_of_bytes(s.board, g.rows, 3 - mover)
    return mnk_play_bits(mine, theirs, empty_cells(g, mine, theirs), True, rng)


cdef int32_t rollouts_in_bits(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                              uint64_t *plies) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> state
    cdef int mover = 1 + (s.stones & 1)
    cdef board_v mine = board_of_bytes(s.board, g.rows, mover), theirs = board_of_bytes(s.board, g.rows, 3 - mover)
    mnk_play_many_bits(mine, theirs, empty_cells(g, mine, theirs), g.rows, g.cols, count, rng, results, plies)
    return 0


cdef inline uint32_t next_empty(const mnk_geometry *g, const uint64_t *taken, uint32_t cursor) noexcept nogil:
    """The first empty cell from ``cursor`` on, in the order of trying; the number of cells if there is none."""
    cdef uint32_t bit
    while cursor < <uint32_t> g.cells:
        bit = g.bit[g.order[cursor]]
        if not taken[bit >> 6] >> (bit & 63) & 1:
            break
        cursor += 1
    return cursor


cdef int32_t simulate_in_bits(void *context, const void *root, const uint32_t *path, uint32_t length,
                              mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef board_v stones[2]
    cdef uint64_t taken[4]
    cdef uint32_t i, cursor, cells = g.cells
    cdef int player = s.stones & 1
    cdef int32_t result
    stones[0] = board_of_bytes(s.board, g.rows, 1)
    stones[1] = board_of_bytes(s.board, g.rows, 2)
    for i in range(length):
        stones[player] = board_or(stones[player], board_of_bit(g.bit[path[i]]))
        player ^= 1
    board_store(taken, board_or(stones[0], stones[1]))
    cursor = next_empty(g, taken, simulation.cursor)
    simulation.slot = g.order[cursor]
    simulation.count = cells
    stones[player] = board_or(stones[player], board_of_bit(g.bit[simulation.slot]))
    cursor = next_empty(g, taken, cursor + 1)
    simulation.cursor = cursor if cursor < cells else MCTS_ALL_TRIED
    result = mnk_play_bits(stones[1 - player], stones[player], empty_cells(g, stones[0], stones[1]), False, rng) & 3
    return result if length & 1 else 2 - result


cdef void prepare(mcts_game *game) noexcept nogil:
    game.rollout = rollout_in_bits
    game.rollouts = rollouts_in_bits
    game.simulate = simulate_in_bits


cdef mnk_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
