"""What positions on a board of stones share, and what those of one board share."""

from libc.stdint cimport uint64_t

from mcts_core.game cimport NativeState, mcts_game, mcts_general, mcts_guide, mcts_observe


cdef class BoardGeometry:
    """Rules and size of a board, the tables over them, the empty board. Never changes."""

    cdef mcts_game game
    cdef mcts_guide guide
    cdef mcts_general general
    cdef int rows
    cdef int cols
    cdef bint slots            # stones fall down columns, and a move is a column; else it is a cell
    cdef const void *start     # the state of the empty board
    cdef int key_from          # the bytes of a state that tell it from others: where they begin,
    cdef int key_size          # a multiple of 8
    cdef uint64_t seed         # of hashes

    cdef void fill(self, int rows, int cols, int moves, int state_size, void *context, mcts_observe observe) noexcept


cdef class BoardPosition(NativeState):
    cdef BoardGeometry geometry
    cdef unsigned short *history
    cdef int played                   # how many moves `history` holds
    cdef bint ready

    # for subclasses to define
    cdef BoardGeometry geometry_of(self, rules)                # of the constructor's arguments
    cdef BoardPosition blank(self)                             # of the same class
    cdef void assume(self, BoardGeometry geometry, const void *state, const unsigned short *history,
                     int played) noexcept                      # is this state now, whose memory may stay another's
    cdef int own(self, int room) except -1                     # ... and becomes its own, with room for more moves
    cdef void append(self, int move) noexcept                  # a legal move
    cdef int place(self, bytes cells, text) except -1          # fills the empty board
    cdef bint is_free(self, int move) noexcept                 # whether the board has room for it
    cdef str refusal(self, int move)                           # that it has none
    cdef int stones(self) noexcept
    cdef int outcome(self) noexcept
    cdef int stone(self, int row, int col) noexcept            # row 0 on top: 0 empty, 1 who began, 2 the other
    cdef int cell_of(self, bytearray cells, int move) except -1  # of the last stone of a move

    cdef bytes cells(self)                                     # the stones by rows from the top
    cdef int check_new(self, str name) except -1
    cdef void begin(self, BoardGeometry geometry) noexcept
    cdef BoardPosition after(self, object move, str name)
    cdef int number_of(self, object move, str name) except -1  # of an int or a text, legal or not
    cdef str name_of(self, int move)                           # h8
    cdef str both_of(self, int move)                           # h8 (number 112)


cdef BoardPosition after_moves(type cls, BoardGeometry geometry, moves, base)
cdef BoardPosition from_diagram(type cls, BoardGeometry geometry, text)
