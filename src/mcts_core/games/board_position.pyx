"""Positions on a board of stones: the parts that do not depend on the rules of placing and winning."""

cimport cython
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy, memset

from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import (CELLS, as_number, cell_name, cells_of_lines, column_name, column_names,
                                        draw_board, format_diagram, parse_diagram, parse_moves, row_names,
                                        winning_lines)
from mcts_core.errors import GameOver, IllegalMove, InvalidCell, InvalidOption, InvalidState

from mcts_core.arguments cimport as_move
from mcts_core.game import import_numpy
from mcts_core.game cimport (MCTS_DRAW, MCTS_GAME_VERSION, MCTS_ONGOING, MCTS_ORDERED, MCTS_SLOTS_ARE_MOVES,
                             NativeState)


cdef tuple SIGNS = (0, 1, -1)  # of an empty cell and the stones of both players
cdef bytes SIGN_BYTES = bytes([0, 1, 255, *range(3, 256)])  # the same as int8


@cython.no_gc
cdef class BoardGeometry:

    def __cinit__(self):
        memset(&self.game, 0, sizeof(self.game))
        memset(&self.guide, 0, sizeof(self.guide))
        memset(&self.general, 0, sizeof(self.general))

    cdef void fill(self, int rows, int cols, int moves, int state_size, void *context, mcts_observe observe) noexcept:
        """Fills the tables, except the hot functions. ``moves``: number of legal moves of the empty board. ``observe``
        writes three planes."""
        self.rows = rows
        self.cols = cols
        self.game.version = MCTS_GAME_VERSION
        self.game.flags = MCTS_SLOTS_ARE_MOVES | MCTS_ORDERED
        self.game.state_size = state_size
        self.game.max_moves = moves
        self.game.max_plies = rows * cols
        self.game.context = context
        self.game.guide = &self.guide
        self.game.general = &self.general
        self.general.players = 2
        self.general.actions = moves
        self.general.planes = 3
        self.general.rows = rows
        self.general.cols = cols
        self.general.observe = observe


@cython.no_gc
cdef class BoardPosition(NativeState):
    """A position that never changes, so threads may share it. Positions with the same rules and stones are equal.

    A move is an int. It also has a name, as written beside the board: ``h8``, or in Connect Four the number of the
    column from 1. ``play``, ``name`` and ``move`` take both forms: a text is a name, an int is a number.

    ``state[row, col]`` is the stone in a cell, and ``numpy.asarray(state)`` the whole board.
    """

    _arguments = ()  # names of the constructor's arguments

    def __cinit__(self):
        if type(self) is BoardPosition:
            raise TypeError("BoardPosition cannot be instantiated: make a position of a game, such as Gomoku()")

    cdef bytes cells(self):
        cdef int row, col
        return bytes([self.stone(row, col) for row in range(self.geometry.rows) for col in range(self.geometry.cols)])

    cdef int check_new(self, str name) except -1:
        """Raises InvalidState if __init__ is called a second time."""
        if self.ready:
            raise InvalidState(f"{name} is immutable: it cannot be initialised again")
        return 0

    cdef void begin(self, BoardGeometry geometry) noexcept:
        """Makes this the empty board."""
        self.assume(geometry, geometry.start, NULL, 0)
        self.ready = True

    @property
    def rows(self):
        """The number of rows."""
        return self.geometry.rows

    @property
    def cols(self):
        """The number of columns."""
        return self.geometry.cols

    @property
    def column_names(self):
        """The names of the columns, from left to right."""
        return column_names(self.geometry.cols, self.geometry.slots)

    @property
    def row_names(self):
        """The names of the rows, from the top. Empty if a move is a column."""
        return row_names(self.geometry.rows, self.geometry.slots)

    @property
    def to_move(self):
        """The player to move: +1 is the first player, -1 the second. At the end, the player who would be next."""
        return -1 if self.stones() & 1 else 1

    @property
    def moves(self):
        """The moves played from the empty board, or from the diagram that the position was built from."""
        return tuple([self.history[i] for i in range(self.played)])

    @property
    def last_move(self):
        """The last move, or None if ``moves`` is empty."""
        return self.history[self.played - 1] if self.played else None

    def winner(self):
        """Returns None while the game goes on, then +1, -1, or 0 for a draw."""
        cdef int outcome = self.outcome()
        if outcome == MCTS_ONGOING:
            return None
        if outcome == MCTS_DRAW:
            return 0
        return 1 if self.stones() & 1 else -1

    def name(self, move):
        """Returns the name of ``move``: ``name(112)`` is ``"h8"`` on a board of 15 x 15, and ``name(3)`` is ``"4"`` in
        Connect Four. The cell need not be empty. Raises IllegalMove if there is no such move on the board."""
        return self.name_of(self.number_of(move, "move"))

    def move(self, text):
        """Returns the number of the move with the name ``text``: ``move("h8")`` is 112 on a board of 15 x 15.

        An int is returned unchanged. Raises IllegalMove if there is no such move on the board. Only ``play`` checks
        that the move is legal.
        """
        return self.number_of(text, "move")

    cdef int number_of(self, object move, str name) except -1:
        cdef BoardGeometry g = self.geometry
        if not isinstance(move, str):
            return as_move(move, self.game.max_moves, name)
        if g.slots:
            return as_number(move, "the name of a column", self.game.max_moves, 1)
        return as_number(move, f"a {name}", self.game.max_moves, 0, g.rows, g.cols)

    cdef str name_of(self, int move):
        cdef BoardGeometry g = self.geometry
        return column_name(move, True) if g.slots else cell_name(move, g.rows, g.cols)

    cdef str both_of(self, int move):
        return f"{self.name_of(move)} (number {move})"

    cdef BoardPosition after(self, object move, str name):
        """The position after a move; error messages call the move ``name``."""
        cdef int number
        if type(move) is int:  # the fast path
            number = as_move(move, self.game.max_moves, name)
        else:
            number = self.number_of(move, name)
        if self.outcome() != MCTS_ONGOING:
            raise GameOver(f"the game is over, {name} {self.both_of(number)} cannot be played")
        if not self.is_free(number):
            raise IllegalMove(self.refusal(number))
        cdef BoardPosition new = self.blank()
        new.assume(self.geometry, self.state, self.history, self.played)
        new.own(1)
        new.game = self.game
        new.ready = True
        new.append(number)
        return new

    def __getitem__(self, cell):
        """Returns the stone in the cell ``[row, col]``: +1 of the first player, -1 of the second, 0 if the cell is
        empty.

        ``row`` is an int from 0, the top row, to ``rows - 1``, and ``col`` one from 0, the left column, to
        ``cols - 1``. Negative numbers do not count from the end. Raises InvalidCell, an IndexError, for all else.
        """
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise InvalidCell(f"a cell must be a row and a column, as in state[0, 2], got state[{shorten(cell)}]")
        cdef int row = as_int(cell[0], "row", 0, self.geometry.rows - 1, InvalidCell)
        cdef int col = as_int(cell[1], "col", 0, self.geometry.cols - 1, InvalidCell)
        return SIGNS[self.stone(row, col)]

    def __iter__(self):
        """Raises TypeError: Python would take ``state[0]``, ``state[1]`` and so on for the elements."""
        raise TypeError(f"a {type(self).__name__} has no elements to iterate over: take state[row, col], "
                        "numpy.asarray(state) or state.moves")

    def __array__(self, dtype=None, copy=None):
        """Returns the board for ``numpy.asarray``: an array of shape (rows, cols) with row 0 on top, +1 for the stones
        of the first player, -1 for those of the second, and 0 for empty cells.

        dtype: the type of the entries; None is int8.
        copy: False raises InvalidOption, because each call makes a new array.
        """
        if copy is not None and not copy:
            raise InvalidOption("a position has no array to share, so copy must be True or None, got False")
        numpy = import_numpy()
        stones = numpy.frombuffer(self.cells().translate(SIGN_BYTES), numpy.int8)
        return stones.reshape(self.geometry.rows, self.geometry.cols).astype(numpy.int8 if dtype is None else dtype)

    def __hash__(self):
        cdef uint64_t h = self.geometry.seed, word
        cdef const char *key = <const char *> self.state + self.geometry.key_from
        cdef int i
        for i in range(0, self.geometry.key_size, 8):
            memcpy(&word, key + i, 8)
            h = (h ^ word) * <uint64_t> 0x9E3779B97F4A7C15
            h ^= h >> 32
        return <Py_hash_t> h

    def __eq__(self, other):
        if not isinstance(other, BoardPosition):
            return NotImplemented
        cdef BoardPosition that = other
        cdef int start = self.geometry.key_from
        return self.geometry is that.geometry and memcmp(
            <const char *> self.state + start, <const char *> that.state + start, self.geometry.key_size) == 0

    def diagram(self):
        """Returns the cells without coordinates, one line per row from the top: ``X`` is the first player, ``O`` the
        second, and ``.`` an empty cell."""
        return format_diagram(self.cells(), self.geometry.rows, self.geometry.cols)

    def __str__(self):
        """Returns the board with coordinates, the last move in brackets and a line that wins between bars.
        ``from_string`` reads this text."""
        cdef bytearray cells = bytearray(self.cells())
        cdef int last = self.cell_of(cells, self.history[self.played - 1]) if self.played else -1
        winner, winning = self.winner(), ()
        line = getattr(self, "_line", None)  # a game that is not won by a line has none
        if winner and line is not None:
            stones = {divmod(at, self.geometry.cols): 1 if cell == 1 else -1 for at, cell in enumerate(cells) if cell}
            winning = cells_of_lines(winning_lines(stones, winner, *line))
        lines = draw_board([CELLS[cell] for cell in cells], self.column_names, self.row_names, last, winning)
        return "\n".join(lines) + ('   play("1") is play(0)' if self.geometry.slots else "")

    def __repr__(self):
        name = type(self).__name__
        rules = ", ".join([f"{argument}={getattr(self, argument)!r}" for argument in self._arguments])
        if self.stones() == 0:
            return f"{name}({rules})"
        comma = ", " if rules else ""
        if self.played == self.stones():
            return f"{name}.from_moves({list(self.moves)}{comma}{rules})"
        return f"{name}.from_string({self.diagram()!r}{comma}{rules})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        diagram = None
        if self.played != self.stones():
            diagram = bytearray(self.cells())
            for move in reversed(self.moves):
                diagram[self.cell_of(diagram, move)] = 0
            diagram = format_diagram(diagram, self.geometry.rows, self.geometry.cols)
        rules = [getattr(self, argument) for argument in self._arguments]
        return restore, (type(self), *rules, diagram, self.moves)

    # ---- overridden by each game -------------------------------------------------------------------------------------

    cdef BoardGeometry geometry_of(self, rules):
        raise NotImplementedError

    cdef BoardPosition blank(self):
        raise NotImplementedError

    cdef void assume(self, BoardGeometry geometry, const void *state, const unsigned short *history,
                     int played) noexcept:
        pass

    cdef int own(self, int room) except -1:
        raise NotImplementedError

    cdef void append(self, int move) noexcept:
        pass

    cdef int place(self, bytes cells, text) except -1:
        raise NotImplementedError

    cdef bint is_free(self, int move) noexcept:
        return False

    cdef str refusal(self, int move):
        raise NotImplementedError

    cdef int stones(self) noexcept:
        return 0

    cdef int outcome(self) noexcept:
        return MCTS_ONGOING

    cdef int stone(self, int row, int col) noexcept:
        return 0

    cdef int cell_of(self, bytearray cells, int move) except -1:
        return move


cdef BoardPosition empty_board(type cls, BoardGeometry geometry, int room):
    cdef BoardPosition new = cls.__new__(cls)
    new.begin(geometry)
    new.own(room)
    return new


cdef BoardPosition after_moves(type cls, BoardGeometry geometry, moves, base):
    cdef bint cells = not geometry.slots
    cdef list numbers = parse_moves(moves, geometry.game.max_moves, base, geometry.rows if cells else 0,
                                    geometry.cols if cells else 0)
    cdef BoardPosition new = empty_board(cls, geometry, len(numbers))
    cdef int move
    for index, number in enumerate(numbers):
        move = number
        if new.outcome() != MCTS_ONGOING:
            raise IllegalMove(f"move {index + 1} of {shorten(moves)} comes after the end of the game")
        if not new.is_free(move):
            raise IllegalMove(f"move {index + 1} of {shorten(moves)}: {new.refusal(move)}")
        new.append(move)
    return new


cdef BoardPosition from_diagram(type cls, BoardGeometry geometry, text):
    cdef bytes cells = parse_diagram(text, geometry.rows, geometry.cols)
    cdef BoardPosition new = empty_board(cls, geometry, 0)
    new.place(cells, text)
    return new


def restore(cls, *arguments):
    """The position of a class with these rules, diagram (or None) and moves since then; unpickling calls this."""
    if not isinstance(cls, type) or not issubclass(cls, BoardPosition):
        raise InvalidState(f"a position must be restored as a subclass of BoardPosition, got {shorten(cls)}")
    *rules, diagram, moves = arguments
    if len(rules) != len(cls._arguments):
        raise InvalidState(f"a {cls.__name__} needs the rules {', '.join(cls._arguments)}, got {shorten(rules)}")
    cdef BoardPosition blank = cls.__new__(cls)
    cdef BoardGeometry geometry = blank.geometry_of(rules)
    if diagram is None:
        return after_moves(cls, geometry, moves, 0)
    state = from_diagram(cls, geometry, diagram)
    for move in moves:
        state = state.play(move)
    return state
