"""Games written in Python, behind the game table."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport NativeState, mcts_game, mcts_guide
from mcts_core.games.kept_states cimport KeptStates
from mcts_core.games.user_states cimport UserStates


cdef NativeState as_native(object state, str purpose)
cdef int check_table(NativeState native, bint phases) except -1
cdef str error_in_table(object state)
cdef int raise_error_of(NativeState native, object state) except -1


cdef class PythonGame(NativeState):
    cdef mcts_game table
    cdef mcts_guide guided
    cdef readonly object root
    cdef readonly int to_move
    cdef readonly list root_moves
    cdef UserStates user
    cdef KeptStates kept
    cdef object value        # hash of the root; None where states are not compared by value

    cdef int check_root(self) except -1
    cdef list legal(self, uint32_t room)
    cdef list distinct(self, uint32_t room)
    cdef int sign(self) except 0
    cdef object move_of(self, uint32_t identity)
    cdef list path_to(self, object before, object after, bint *later)
    cdef bint leads_to(self, list path, object after) except -1
    cdef bint is_position(self, object state, object after) except -1
    cdef bint is_same(self, int player, list moves, object state) except -1
    cdef list path_by_moves(self, object before, object after)
