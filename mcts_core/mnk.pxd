"""m,n,k games as native positions."""

from mcts_core.game cimport NativeState, mcts_game, mcts_general, mcts_guide
from mcts_core.mnk_rollout cimport mnk_geometry, mnk_state


cdef class Geometry:
    """What all positions with the same m, n, k and rule share: tables, the empty board. Never changes."""

    cdef mnk_geometry data
    cdef mcts_game game
    cdef mcts_guide guide
    cdef mcts_general general
    cdef mnk_state *start


cdef class MNK(NativeState):
    cdef Geometry geometry
    cdef mnk_state *position          # also the start of `block`, unless it is the empty board of `geometry`
    cdef unsigned short *history
    cdef void *block
    cdef int played                   # how many moves `history` holds
    cdef bint ready


cdef class Gomoku(MNK):
    pass


cdef class TicTacToe(MNK):
    pass
