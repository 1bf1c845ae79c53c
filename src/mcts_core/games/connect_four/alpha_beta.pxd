"""The table of Connect Four's exact search."""

from libc.stdint cimport uint64_t

from mcts_core.games.connect_four.rollout cimport C4_KINDS
from mcts_core.game cimport mcts_prove


ctypedef struct c4_prover_table:
    mcts_prove prove[C4_KINDS]  # NULL where there is none
    void *(*create_memory)(void *context, uint64_t bytes) noexcept nogil
    void (*clear_memory)(void *context, void *memory) noexcept nogil
    void (*destroy_memory)(void *context, void *memory) noexcept nogil
