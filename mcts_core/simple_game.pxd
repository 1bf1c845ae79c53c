"""A whole game table from two functions, for Cython: see ``include/mcts_core/simple_game.h`` for the contract."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from mcts_core.game cimport mcts_expand, mcts_game, mcts_guide, mcts_legal_moves, mcts_play, mcts_rollout, mcts_simulate


cdef extern from "mcts_core/simple_game.h" nogil:
    const uint32_t MCTS_RULES_LARGEST_STATE, MCTS_RULES_MOST_MOVES, MCTS_RULES_FEW_MOVES, MCTS_RULES_LONGEST_GAME
    const int32_t MCTS_RULES_ENDLESS

    ctypedef int32_t (*mcts_mover)(void *context, const void *state) noexcept

    ctypedef struct mcts_rules:
        uint32_t state_size
        uint32_t max_moves
        uint32_t max_plies
        void *context
        mcts_legal_moves legal_moves
        mcts_play play
        mcts_mover to_move
        mcts_rollout rollout
        mcts_simulate simulate
        mcts_expand expand
        uint32_t ordered
        int64_t error

    int32_t mcts_fill_game(mcts_game *game, mcts_guide *guide, mcts_rules *rules) noexcept
    uint32_t mcts_lowest_bit(uint64_t word) noexcept
    int mcts_rules_explain(const mcts_rules *rules, char *text, size_t size) noexcept

    int32_t mcts_rules_step(mcts_rules *rules, void *state, uint32_t move) noexcept
    int32_t mcts_rules_player(mcts_rules *rules, const void *state, uint32_t ply) noexcept
