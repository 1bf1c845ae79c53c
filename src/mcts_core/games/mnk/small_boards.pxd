"""Exact search for m,n,k games on at most 64 cells: its position, its memory and the table of the hot functions."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_interrupt, mcts_proof
from mcts_core.games.proof_table cimport proof_table


cdef extern from "kernels/mnk/bitboard.h" nogil:
    ctypedef struct mnk_directions:
        int32_t k
        int32_t exact
        int32_t count
        int32_t step[4]
        uint64_t starts[4]
        uint64_t before[4]
        uint64_t after[4]


cdef enum:
    SOLVER_CELLS = 64
    SOLVER_SYMMETRIES = 8

# What is known of a position, as if turned so that its key is smallest; by player, who began first.
ctypedef struct solver_note:
    uint8_t won[2]        # the player wins within so many plies; 0: not known
    uint8_t failed[2]     # he does not within so many; 255: never
    uint8_t move[2]       # to that end; 255: none

ctypedef struct solver_search:
    # the board, fixed
    mnk_directions directions
    int32_t cells
    uint64_t board
    int32_t symmetries
    uint8_t image[SOLVER_SYMMETRIES][SOLVER_CELLS]
    uint8_t source[SOLVER_SYMMETRIES][SOLVER_CELLS]
    uint64_t keys[2][SOLVER_CELLS][SOLVER_SYMMETRIES]
    # the position
    uint64_t stones[2]
    uint64_t hash[SOLVER_SYMMETRIES]
    uint32_t cut                          # some line of play was not followed to its end
    # the proof budget
    uint64_t spent
    uint64_t limit
    uint64_t pause                        # what is spent when the next look at the interrupt is due
    const mcts_interrupt *interrupt
    uint64_t kept                         # entries written
    proof_table table

ctypedef struct mnk_solver_table:
    # Sets up a search, of which the table is left alone, for a board.
    void (*prepare)(solver_search *s, int32_t cols, int32_t rows, int32_t k, int32_t exact) noexcept nogil
    # Puts a stone of the player (0 began) on an empty cell, or takes it away again.
    void (*put)(solver_search *s, int32_t player, int32_t cell) noexcept nogil
    # Tries to prove the position with `player` to move, its exact distance too if `exact`; `spent` and `limit` are set
    # by the caller.
    void (*prove)(solver_search *s, int32_t player, int32_t exact, mcts_proof *proof) noexcept nogil
