"""Positions of games of native functions, and the functions on which they run."""

from cpython.buffer cimport Py_buffer
from libc.stdint cimport uint32_t

from mcts_core.game cimport (NativeState, mcts_chance, mcts_game, mcts_general, mcts_guide, mcts_observe, mcts_returns,
                             mcts_to_move)
from mcts_core.simple_game cimport mcts_rules


cdef struct Functions:
    mcts_rules rules             # first: the context of the table is the address of both
    mcts_to_move to_move         # these three of a general game
    mcts_returns returns
    mcts_chance chance
    mcts_observe observe


cdef class NativeRules:
    cdef Functions functions
    cdef mcts_rules *rules       # those in the functions
    cdef mcts_game table
    cdef mcts_guide guide
    cdef mcts_general general    # of a general game, and observations
    cdef bint constant_sum
    cdef tuple kept              # the functions: an address is valid as long as its owner lives
    cdef Py_buffer context
    cdef bint has_context        # `context` is held
    cdef bytes start
    cdef readonly str name
    cdef object text             # from a position to its str(), or None
    cdef object move_name        # from a position and a legal move to the text of the move, or None
    cdef readonly object twin    # the class in Python that was compiled into this game (mcts_core.compile), or None

    cdef bint is_general(self) noexcept


cdef class AnyPosition(NativeState):
    cdef NativeRules owner
    cdef char *memory            # the state between margins, then the history
    cdef char *block             # the state
    cdef uint32_t *history
    cdef int played
    cdef int player
    cdef int over                # the outcome of the last move, for the player who made it
    cdef int start_player
    cdef bytes start             # where the history begins; None: the first position

    cdef list playable(self)
    cdef int number_of(self, object move, int base) except -1
    cdef str name_of(self, int number)
    cdef object refusal(self, object move)
    cdef int settle(self, str what) except -1


cdef AnyPosition new_position(NativeRules game, int plies)
cdef int check_margins(AnyPosition self, str name) except -1
cdef list ask_moves(AnyPosition self)
cdef list ask_outcomes(AnyPosition self)
