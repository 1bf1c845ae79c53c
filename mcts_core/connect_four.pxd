"""Connect Four as a native position."""

from mcts_core.connect_four_rollout cimport c4_context, c4_state
from mcts_core.game cimport NativeState, mcts_game, mcts_general, mcts_guide


cdef class Geometry:
    """What all positions with the same rows, cols and connect share: masks and game table. Never changes."""

    cdef c4_context context
    cdef mcts_game game
    cdef mcts_guide guide
    cdef mcts_general general


cdef class ConnectFour(NativeState):
    cdef Geometry geometry
    cdef c4_state position
    cdef int ready
    cdef int played                   # how many moves `history` holds
    cdef unsigned char history[128]
