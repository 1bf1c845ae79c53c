"""Positions of games of native functions, and the functions on which they run; ``native_games`` makes the games.

A position keeps its game alive, and the game its functions.
"""

cimport cython
from cpython.buffer cimport PyBuffer_Release
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from mcts_core.errors import GameError, GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.game import CHANCE
from mcts_core.arguments import shorten
from mcts_core.games.board_text import as_number

from mcts_core.game cimport MCTS_CHANCE, MCTS_DRAW, MCTS_ERROR, MCTS_ONGOING, MCTS_WIN, NativeState, mcts_game
from mcts_core.arguments cimport as_move
from mcts_core.simple_game cimport *

__all__ = ["AnyPosition", "NativeGeneralPosition", "NativePosition", "NativeRules"]

cdef enum:
    TEXT = 300
    MOST_PLAYERS = 32
    MARGIN = 64      # bytes around a state and after a list of moves, to detect functions that write too far
    CANARY = 0xA5    # their value


# ---- what positions know of their game -------------------------------------------------------------------------------

cdef int32_t no_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    return 0


cdef int32_t no_play(void *context, void *state, uint32_t move) noexcept nogil:
    return MCTS_ERROR


cdef class NativeRules:
    """The functions of a game; NativeGame makes positions of them."""

    def __cinit__(self):
        # until native_game fills it, a game without moves, so that an object made by __new__ alone does not crash
        memset(&self.functions, 0, sizeof(Functions))
        self.rules = &self.functions.rules
        memset(&self.general, 0, sizeof(mcts_general))
        self.rules.state_size = self.rules.max_moves = 1
        self.rules.legal_moves = no_moves
        self.rules.play = no_play
        mcts_fill_game(&self.table, &self.guide, self.rules)
        self.start = b"\0"
        self.name = "NativeGame"

    def __dealloc__(self):
        if self.has_context:
            PyBuffer_Release(&self.context)

    def __init__(self):
        raise InvalidOption("a NativeGame is made by native_game(...)")

    cdef bint is_general(self) noexcept:
        return self.general.to_move != NULL


# ---- positions -------------------------------------------------------------------------------------------------------

cdef NativeRules NO_GAME = NativeRules.__new__(NativeRules)  # of a position made by __new__ alone: it is a finished one
cdef char NO_STATE = 0


cdef AnyPosition new_position(NativeRules game, int plies):
    """A position of ``game`` with room for a history of ``plies`` moves; its state is not set."""
    cdef AnyPosition new
    cdef size_t size = (game.rules.state_size + 7) & ~<size_t>7
    if game.is_general():
        new = NativeGeneralPosition.__new__(NativeGeneralPosition)
    else:
        new = NativePosition.__new__(NativePosition)
    new.memory = <char *>malloc(size + 2 * MARGIN + plies * sizeof(uint32_t))
    if new.memory == NULL:
        raise MemoryError
    memset(new.memory, CANARY, size + 2 * MARGIN)
    new.owner = game
    new.game = &game.table
    new.block = new.memory + MARGIN
    new.state = new.block
    new.history = <uint32_t *>(new.block + size + MARGIN)
    new.over = MCTS_ONGOING
    return new


cdef bint is_whole(const char *margin) noexcept:
    cdef int i
    for i in range(MARGIN):
        if <unsigned char>margin[i] != CANARY:
            return False
    return True


cdef int check_margins(AnyPosition self, str name) except -1:
    """Raises GameError if the function ``name`` has written outside of the state."""
    if not is_whole(self.memory) or not is_whole(self.block + self.owner.rules.state_size):
        raise GameError(f"{self.owner.name}: {name}() wrote to memory beside the state, which has "
                        f"{self.owner.rules.state_size} bytes")
    return 0


cdef object error_of(NativeRules game):
    """The GameError for the last error of the rules."""
    cdef char text[TEXT]
    told = None if game.twin is None else game.twin.explain()
    if told is not None:
        return GameError(f"{game.name}: {told}")
    if mcts_rules_explain(game.rules, text, TEXT) <= 0:
        return GameError(f"{game.name}: a function returned an error or a number out of range; check_game() "
                         f"reports which")
    return GameError(f"{game.name}: {text.decode()}; check_game() reports more")


cdef list ask_moves(AnyPosition self):
    """The legal moves, perhaps none; the function gets a copy of the state. Raises GameError."""
    cdef mcts_rules *rules = self.owner.rules
    cdef AnyPosition copy = new_position(self.owner, rules.max_moves + MARGIN // 4)
    cdef int32_t count, i
    memcpy(copy.block, self.block, rules.state_size)
    memset(copy.history, CANARY, rules.max_moves * sizeof(uint32_t) + MARGIN)  # an unwritten entry is not a valid move
    count = rules.legal_moves(rules.context, copy.block, copy.history)
    check_margins(copy, "legal_moves")
    if not is_whole(<char *>(copy.history + rules.max_moves)):
        raise GameError(f"{self.owner.name}: legal_moves() wrote more than max_moves, {rules.max_moves}, moves")
    if memcmp(copy.block, self.block, rules.state_size):
        raise GameError(f"{self.owner.name}: legal_moves() changed the state, which it may only read")
    if count < 0 and self.owner.twin is not None:
        raise error_of(self.owner)
    if not 0 <= count <= <int32_t>rules.max_moves:
        raise GameError(f"{self.owner.name}: legal_moves() returned {count}"
                        f"{', which is an error' if count < 0 else ''}; it must return 0 to {rules.max_moves}")
    found = [copy.history[i] for i in range(count)]
    if found and (max(found) >= rules.max_moves or len(set(found)) != count):
        raise GameError(f"{self.owner.name}: legal_moves() must list different moves from 0 to {rules.max_moves - 1}, "
                        f"got {shorten(found)}")
    return found


cdef list ask_outcomes(AnyPosition self):
    """What may be played where the game goes on: the legal moves, in a general game those of chance too."""
    if self.player == MCTS_CHANCE and self.owner.is_general():
        return [move for move, _ in self.chance_outcomes()]
    return ask_moves(self)


cdef class AnyPosition(NativeState):
    """What positions of both kinds of games share."""

    def __cinit__(self):
        self.owner = NO_GAME
        self.game = &NO_GAME.table
        self.block = &NO_STATE
        self.state = self.block
        self.player = self.start_player = 1
        self.over = MCTS_DRAW

    def __init__(self):
        raise InvalidState("a NativePosition is made by state() or from_moves() of its game, or by play()")

    def __dealloc__(self):
        free(self.memory)

    @property
    def rules(self):
        """The NativeGame."""
        return self.owner

    @property
    def data(self):
        """The bytes of the state."""
        return PyBytes_FromStringAndSize(self.block, self.owner.rules.state_size)

    @property
    def moves(self):
        """The moves played from the first position, or from the position that was built from data."""
        return tuple([self.history[i] for i in range(self.played)])

    @property
    def last_move(self):
        """The last move, or None if ``moves`` is empty."""
        return self.history[self.played - 1] if self.played else None

    def legal_moves(self):
        """Returns the legal moves in the order of the game. The list is empty when the game is over. Raises GameError.
        """
        if self.over != MCTS_ONGOING:
            return []
        found = ask_moves(self)
        if not found:
            raise GameError(f"{self.owner.name}: legal_moves() returned 0 in a position where the game goes on, as "
                            "play() has said; a player who cannot move needs a move that passes")
        return found

    cdef list playable(self):
        return self.legal_moves()

    cdef int settle(self, str what) except -1:
        """Sets the player to move of a new position of a general game."""
        return 0

    def name(self, move):
        """Returns the name of the legal move ``move``: the text from the game's ``move_name``, or else its number.

        Raises IllegalMove, also for a move that is not legal if the game has ``move_name``, and GameError.
        """
        cdef int number = self.number_of(move, 0)
        if self.owner.move_name is not None and number not in self.playable():
            raise self.refusal(move)
        return self.name_of(number)

    def move(self, text):
        """Returns the number of the move with the name ``text``. A number is returned unchanged. Raises IllegalMove,
        GameError."""
        return self.number_of(text, 0)

    cdef int number_of(self, object move, int base) except -1:
        """The number of a move. ``move`` is an int, counted from ``base``, or a text with a number or a name."""
        if type(move) is not int and isinstance(move, str) and self.owner.move_name is not None:
            wanted = "".join(move.split())
            for number in self.playable():
                if "".join(self.name_of(number).split()) == wanted:
                    return number
            if not (wanted.isascii() and wanted.isdigit()):
                raise self.refusal(move)
        if self.owner.twin is not None and not isinstance(move, (str, int)):
            number = self.owner.twin.number(move)
            if number is not None:
                return number
        if base == 0 and not isinstance(move, str):
            return as_move(move, self.owner.rules.max_moves, "move")
        return as_number(move, "a move", self.owner.rules.max_moves, base)

    cdef str name_of(self, int number):
        """The name of a legal move."""
        if self.owner.move_name is None:
            return str(number)
        name = self.owner.move_name(self, number)
        if not isinstance(name, str) or not name.strip():
            raise GameError(f"{self.owner.name}: move_name must return a text for a legal move, "
                            f"got {shorten(name)} for {number}")
        return name

    cdef object refusal(self, object move):
        """The IllegalMove for ``move``, with the legal moves in its message."""
        legal = self.playable()
        if self.owner.move_name is not None:
            legal = [self.name_of(number) for number in legal]
        return IllegalMove(f"move {move if isinstance(move, int) else shorten(move)} is not legal; legal moves: "
                           f"{shorten(legal)}")

    def play(self, move):
        """Returns the position after ``move``, a number or a name. Raises IllegalMove, GameOver in a finished game,
        and GameError."""
        cdef mcts_rules *rules = self.owner.rules
        cdef AnyPosition new
        cdef int number
        if self.over != MCTS_ONGOING:
            raise GameOver(f"the game is over, move {shorten(move)} cannot be played")
        if type(move) is int:
            number = as_move(move, rules.max_moves, "move")
        else:
            number = self.number_of(move, 0)
        if number not in self.playable():
            raise self.refusal(move)
        new = new_position(self.owner, self.played + 1)
        memcpy(new.block, self.block, rules.state_size)
        memcpy(new.history, self.history, self.played * sizeof(uint32_t))
        new.history[self.played] = number
        new.played = self.played + 1
        new.start = self.start
        new.start_player = self.start_player
        new.over = mcts_rules_step(rules, new.block, number)
        check_margins(new, "play")
        if new.over < 0:
            raise error_of(self.owner)
        if self.owner.is_general():
            new.over = MCTS_ONGOING if new.over == MCTS_ONGOING else MCTS_DRAW
            new.settle("play()")
            return new
        new.player = -self.player
        if new.over == MCTS_ONGOING and rules.to_move != NULL:
            new.player = mcts_rules_player(rules, new.block, 0)
            if new.player == 0:
                raise error_of(self.owner)
        return new

    def to_python(self):
        """Returns the position of the class in Python, a new object, in a game of ``mcts_core.compile``. Raises
        InvalidState in other games."""
        if self.owner.twin is None:
            raise InvalidState(f"{self.owner.name} was not compiled from a class in Python, so its positions have no "
                               f"to_python()")
        return self.owner.twin.decoded(self.data)

    def _repr_svg_(self):
        """The board as a picture, in a game of ``mcts_core.compile`` whose class has ``_repr_svg_``; else None."""
        return None if self.owner.twin is None else self.owner.twin.svg(self.data)

    def explain_error(self):
        """The last error of the functions of the game, in words."""
        return str(error_of(self.owner))

    def __hash__(self):
        return hash((self.data, self.player, self.over))

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        cdef AnyPosition that = other
        return (self.owner is that.owner and self.player == that.player and self.over == that.over
                and memcmp(self.block, that.block, self.owner.rules.state_size) == 0)

    def __str__(self):
        return repr(self) if self.owner.text is None else self.owner.text(self)

    def __repr__(self):
        begin = "" if self.start is None else f" from {shorten(self.start)}"
        return f"<{type(self).__name__} of {self.owner.name}{begin} after {shorten(list(self.moves))}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return restore, (self.owner, self.start, self.start_player, self.moves)


@cython.final
cdef class NativePosition(AnyPosition):
    """A position of a ``NativeGame``. It never changes, so threads may share it.

    Two positions are equal if game, bytes, player to move and result are equal, whatever moves led to them.
    """

    @property
    def to_move(self):
        """The player to move: +1 or -1. At the end of the game, the player who did not make the last move."""
        return self.player

    def winner(self):
        """Returns None while the game goes on, then +1, -1, or 0 for a draw."""
        if self.over == MCTS_ONGOING:
            return None
        if self.over == MCTS_DRAW:
            return 0
        return -self.player if self.over == MCTS_WIN else self.player


@cython.final
cdef class NativeGeneralPosition(AnyPosition):
    """A position of a ``NativeGame`` with ``players``: a general game, see ``docs/general_games.md``."""

    cdef int settle(self, str what) except -1:
        """Sets the player to move of a new position. Raises GameError."""
        cdef mcts_game *table = &self.owner.table
        if self.over != MCTS_ONGOING:
            return 0
        self.player = self.owner.general.to_move(table.context, self.block)
        check_margins(self, "to_move")
        if self.player >= <int>self.owner.general.players or self.player < (
                0 if self.owner.general.chance == NULL else MCTS_CHANCE):
            told = None if self.owner.twin is None else self.owner.twin.explain()
            raise GameError(f"{self.owner.name}: " + (told or (
                f"to_move() returned {self.player} after {what}; it must return a player from 0 to "
                f"{self.owner.general.players - 1}"
                + ("" if self.owner.general.chance == NULL else ", or -1 for chance"))))
        return 0

    @property
    def players(self):
        """The number of players."""
        return self.owner.general.players

    @property
    def constant_sum(self):
        """Whether the values of all players always sum to 1."""
        return bool(self.owner.constant_sum)

    @property
    def to_move(self):
        """The player to move, from 0, or ``mcts_core.CHANCE``; any player at the end of the game."""
        if self.over != MCTS_ONGOING:
            return 0
        return CHANCE if self.player == MCTS_CHANCE else self.player

    def legal_moves(self):
        """Returns the legal moves of the player to move: an empty list when the game is over, and where chance is to
        move. Raises GameError."""
        return [] if self.player == MCTS_CHANCE else AnyPosition.legal_moves(self)

    cdef list playable(self):
        return [] if self.over != MCTS_ONGOING else ask_outcomes(self)

    def chance_outcomes(self):
        """Returns the outcomes as pairs of a move and its probability; an empty list where a player is to move. Raises
        GameError."""
        cdef mcts_game *table = &self.owner.table
        cdef uint32_t most = self.owner.rules.max_moves
        cdef AnyPosition copy
        cdef double *probabilities
        cdef int32_t count, i
        if self.over != MCTS_ONGOING or self.player != MCTS_CHANCE:
            return []
        copy = new_position(self.owner, most + MARGIN // 4)
        memcpy(copy.block, self.block, self.owner.rules.state_size)
        probabilities = <double *>malloc(most * sizeof(double))
        if probabilities == NULL:
            raise MemoryError
        try:
            count = self.owner.general.chance(table.context, copy.block, copy.history, probabilities)
            if not 1 <= count <= <int32_t>most:
                told = None if self.owner.twin is None else self.owner.twin.explain()
                raise GameError(f"{self.owner.name}: " + (told or f"chance() returned {count}, or a move that is too "
                                f"large; it must return 1 to {most} moves below {most}"))
            return [(copy.history[i], probabilities[i]) for i in range(count)]
        finally:
            free(probabilities)

    def returns(self):
        """Returns None while the game goes on, then the value for each player. Raises GameError."""
        cdef double values[MOST_PLAYERS]
        cdef uint32_t i
        if self.over == MCTS_ONGOING:
            return None
        if self.owner.general.returns(self.owner.table.context, self.block, values) < 0:
            told = None if self.owner.twin is None else self.owner.twin.explain()
            raise GameError(f"{self.owner.name}: {told or 'returns() returned an error'}")
        return tuple([values[i] for i in range(self.owner.general.players)])

    def __reduce__(self):
        return restore, (self.owner, self.start, None, self.moves)


def restore(game, data, to_move, moves):
    """The position after ``moves`` from ``data``, or from the first position if that is None; unpickling calls this."""
    state = game.state() if data is None else game.state(data, to_move=to_move)
    for move in moves:
        state = state.play(move)
    return state
