"""Connect Four as a native position."""

from mcts_core.games.board_position cimport BoardGeometry, BoardPosition
from mcts_core.games.connect_four.rollout cimport c4_context, c4_state


cdef class Geometry(BoardGeometry):
    cdef c4_context context
    cdef c4_state empty


cdef class ConnectFour(BoardPosition):
    cdef c4_state position
    cdef unsigned short columns[128]  # the history
