"""m,n,k games as native positions."""

from mcts_core.game cimport mcts_valuation
from mcts_core.games.board_position cimport BoardGeometry, BoardPosition
from mcts_core.games.mnk.rollout cimport mnk_geometry, mnk_state


cdef class Geometry(BoardGeometry):
    cdef mnk_geometry data
    cdef mcts_valuation valuation
    cdef mnk_state *empty


cdef class MNK(BoardPosition):
    cdef mnk_state *position          # also the start of `block`, unless it is the empty board of its geometry
    cdef void *block


cdef class Gomoku(MNK):
    pass


cdef class TicTacToe(MNK):
    pass
