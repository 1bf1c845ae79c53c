"""Squares: on a board of 4 x 4 cells, the first player to own a square of 2 x 2 cells wins."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from mcts_core.games.board_position cimport BoardGeometry, BoardPosition, after_moves, from_diagram
from mcts_core.game cimport MCTS_DRAW, MCTS_ONGOING, MCTS_WIN
from mcts_core.simple_game cimport mcts_fill_game, mcts_rules

from mcts_core.games.board_text import check_winner

cdef enum:
    SIDE = 4
    CELLS = SIDE * SIDE
    CORNERS = 0x0777  # cells with one to the right and one below

ctypedef struct squares_state:
    uint32_t stones[2]  # a bit for each cell: the player who began, the other player
    uint32_t plies
    int32_t outcome


cdef inline bint has_square(uint32_t own) noexcept nogil:
    return (own & own >> 1 & own >> SIDE & own >> (SIDE + 1) & CORNERS) != 0


cdef int32_t legal_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    cdef const squares_state *s = <const squares_state *> state
    cdef uint32_t cell
    cdef int32_t count = 0
    if s.outcome == MCTS_ONGOING:
        for cell in range(CELLS):
            if not (s.stones[0] | s.stones[1]) >> cell & 1:
                moves[count] = cell
                count += 1
    return count


cdef int32_t play(void *context, void *state, uint32_t move) noexcept nogil:
    cdef squares_state *s = <squares_state *> state
    cdef int player = s.plies & 1
    s.stones[player] |= <uint32_t> 1 << move
    s.plies += 1
    s.outcome = MCTS_WIN if has_square(s.stones[player]) else MCTS_DRAW if s.plies == CELLS else MCTS_ONGOING
    return s.outcome


@cython.final
@cython.no_gc
cdef class Geometry(BoardGeometry):
    cdef mcts_rules simple
    cdef squares_state empty

    def __cinit__(self):
        memset(&self.simple, 0, sizeof(mcts_rules))
        memset(&self.empty, 0, sizeof(squares_state))
        self.rows = self.cols = SIDE
        self.start = &self.empty
        self.key_size = sizeof(self.empty.stones)
        self.simple.state_size = sizeof(squares_state)
        self.simple.max_moves = self.simple.max_plies = CELLS
        self.simple.legal_moves = legal_moves
        self.simple.play = play
        mcts_fill_game(&self.game, &self.guide, &self.simple)


cdef Geometry GEOMETRY = Geometry()


@cython.final
@cython.no_gc
cdef class Squares(BoardPosition):
    """A position of Squares. ``Squares()`` is the empty board; a move is row * 4 + column, with row 0 on top."""

    cdef squares_state position
    cdef unsigned short cells_played[CELLS]

    def __cinit__(self):
        self.assume(GEOMETRY, GEOMETRY.start, NULL, 0)

    def __init__(self):
        self.check_new("a Squares")
        self.begin(GEOMETRY)

    @classmethod
    def from_moves(cls, moves, *, base=0):
        """The position after ``moves``, a str or a sequence of moves, from the empty board."""
        return after_moves(cls, GEOMETRY, moves, base)

    @classmethod
    def from_string(cls, text):
        """The position of a diagram such as ``str`` returns."""
        return from_diagram(cls, GEOMETRY, text)

    def legal_moves(self):
        """The empty cells in ascending order; an empty list if the game is over."""
        return [cell for cell in range(CELLS) if self.position.outcome == MCTS_ONGOING and self.is_free(cell)]

    def play(self, move):
        """The position after a stone in the cell ``move``, such as 0 or "a4". Raises IllegalMove, and GameOver if the
        game is over."""
        return self.after(move, "move")

    cdef BoardGeometry geometry_of(self, rules):
        return GEOMETRY

    cdef BoardPosition blank(self):
        return Squares.__new__(Squares)

    cdef void assume(self, BoardGeometry geometry, const void *state, const unsigned short *history,
                     int played) noexcept:
        cdef int i
        self.geometry = geometry
        self.game = &geometry.game
        self.position = (<const squares_state *> state)[0]
        self.state = &self.position
        self.history = self.cells_played
        self.played = played
        for i in range(played):
            self.cells_played[i] = history[i]

    cdef int own(self, int room) except -1:
        return 0

    cdef void append(self, int move) noexcept:
        play(NULL, &self.position, move)
        self.cells_played[self.played] = move
        self.played += 1

    cdef int place(self, bytes cells, text) except -1:
        cdef squares_state *s = &self.position
        cdef int cell
        for cell in range(CELLS):
            if cells[cell]:
                s.stones[cells[cell] - 1] |= <uint32_t> 1 << cell
                s.plies += 1
        cdef bint first = has_square(s.stones[0]), second = has_square(s.stones[1])
        check_winner(first, second, s.plies, "a square", text)
        s.outcome = MCTS_WIN if first or second else MCTS_DRAW if s.plies == CELLS else MCTS_ONGOING
        return 0

    cdef bint is_free(self, int move) noexcept:
        return not (self.position.stones[0] | self.position.stones[1]) >> move & 1

    cdef str refusal(self, int move):
        return f"cell {self.both_of(move)} is occupied"

    cdef int stones(self) noexcept:
        return self.position.plies

    cdef int outcome(self) noexcept:
        return self.position.outcome

    cdef bytes cells(self):
        cdef uint32_t *stones = self.position.stones
        return bytes([(stones[0] >> cell & 1) + 2 * (stones[1] >> cell & 1) for cell in range(CELLS)])
