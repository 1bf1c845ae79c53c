"""Rollouts of games that are written in Python."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_rng
from mcts_core.games.user_states cimport UserStates


# The option rollout_moves, which only scored games have; 0: no limit.
cdef uint32_t length_limit(UserStates user, object state, uint32_t rollout_moves) except? 0xFFFFFFFF

# A legal move, or, where `chance` moves, an outcome by its probability.
cdef object random_move(UserStates user, object state, mcts_rng *rng, bint *chance)

# A rollout from `state`, where the game goes on: the values of the players, discounted to it. `longest`: moves after
# which a scored game is left, with the rewards so far; 0: none. `line` (None: nobody asks) gets the moves, and refuses
# chance.
cdef int random_rollout(UserStates user, object state, uint32_t longest, list line, mcts_rng *rng,
                        double *values) except -1

cdef int refuse_chance(object state) except -1
