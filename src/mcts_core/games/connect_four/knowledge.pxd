"""The table of the guide's hot functions for Connect Four, and the winning cells that it and the prover work with."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.games.connect_four.rollout cimport C4_KINDS
from mcts_core.game cimport mcts_find_children, mcts_policy_rollout


cdef extern from "kernels/connect_four/threats.h" nogil:
    ctypedef struct c4_cells:
        uint64_t low
        uint64_t high

    int c4_popcount(uint64_t x)
    c4_cells c4_both(c4_cells x, c4_cells y)
    c4_cells c4_either(c4_cells x, c4_cells y)
    c4_cells c4_without(c4_cells x, c4_cells y)
    c4_cells c4_sum(int kind, c4_cells x, c4_cells y)
    c4_cells c4_up(c4_cells x, uint32_t n)
    c4_cells c4_down(c4_cells x, uint32_t n)
    c4_cells c4_below(int kind, c4_cells x)
    bint c4_any(c4_cells x)
    int c4_count(int kind, c4_cells x)
    bint c4_several(int kind, c4_cells x)
    c4_cells c4_pick(int kind, c4_cells x, uint32_t n)
    int c4_index(int kind, c4_cells x)
    uint64_t c4_wins_standard(uint64_t x)
    uint64_t c4_wins_one(uint64_t x, const uint64_t *step, int directions, int connect)
    c4_cells c4_wins(int kind, c4_cells x, c4_cells board, const uint64_t *step, int directions, int connect)


ctypedef struct c4_guide_table:
    mcts_find_children children[C4_KINDS]
    mcts_policy_rollout rollout_by_policy[C4_KINDS]
