"""Games made of a user's native functions: Numba's ``@cfunc``, C, Cython, or anything with an address.

``include/mcts_core/simple_game.h`` declares the functions and makes a game table from them. The game keeps the
functions alive, and its positions keep the game alive.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

import operator

from mcts_core.errors import GameError, GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.game import CHANCE
from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import as_number, split_moves
from mcts_core.games.native_functions import address_of

from mcts_core.game cimport (MCTS_CHANCE, MCTS_DRAW, MCTS_ERROR, MCTS_ONGOING, MCTS_WIN, NativeState, mcts_chance,
                             mcts_expand, mcts_game, mcts_general, mcts_guide, mcts_legal_moves, mcts_observe,
                             mcts_play, mcts_returns, mcts_rollout, mcts_simulate, mcts_to_move)
from mcts_core.arguments cimport as_move
from mcts_core.simple_game cimport *

__all__ = ["NativeGame", "NativeGeneralPosition", "NativePosition", "native_game"]

cdef enum:
    TEXT = 300
    LARGEST_OBSERVATION = 1 << 24  # numbers
    MOST_PLAYERS = 32
    MARGIN = 64      # bytes around a state and after a list of moves, to detect functions that write too far
    CANARY = 0xA5    # their value


# ---- games -----------------------------------------------------------------------------------------------------------

cdef int32_t no_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    return 0


cdef int32_t no_play(void *context, void *state, uint32_t move) noexcept nogil:
    return MCTS_ERROR


cdef struct Functions:
    mcts_rules rules             # first: the context of the table is the address of both
    mcts_to_move to_move         # these three of a general game
    mcts_returns returns
    mcts_chance chance
    mcts_observe observe


# The functions of the general table get the rules as their context, and those of the user get the user's.

cdef int32_t call_to_move(void *context, const void *state) noexcept nogil:
    cdef Functions *functions = <Functions *>context
    return functions.to_move(functions.rules.context, state)


cdef int32_t call_returns(void *context, const void *state, double *values) noexcept nogil:
    cdef Functions *functions = <Functions *>context
    return functions.returns(functions.rules.context, state, values)


cdef int32_t call_chance(void *context, const void *state, uint32_t *moves, double *probabilities) noexcept nogil:
    cdef Functions *functions = <Functions *>context
    cdef int32_t i, count = functions.chance(functions.rules.context, state, moves, probabilities)
    for i in range(min(count, <int32_t>functions.rules.max_moves)):
        if moves[i] >= functions.rules.max_moves:
            return MCTS_ERROR
    return count


cdef int32_t call_observe(void *context, const void *state, float *planes) noexcept nogil:
    cdef Functions *functions = <Functions *>context
    return functions.observe(functions.rules.context, state, planes)


@cython.final
cdef class NativeGame:
    """The rules of a game in native functions. ``native_game`` makes it, and it never changes.

    ``state()`` returns the first position, ``state(data)`` any other position, and ``from_moves(moves)`` the position
    after these moves.
    """

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

    @property
    def state_size(self):
        """Bytes of a state."""
        return self.rules.state_size

    @property
    def max_moves(self):
        """Moves are numbers from 0 to ``max_moves - 1``."""
        return self.rules.max_moves

    @property
    def players(self):
        """The number of players of a general game; 2 in other games."""
        return self.general.players if self.is_general() else 2

    cdef bint is_general(self) noexcept:
        return self.general.to_move != NULL

    @property
    def moves(self):
        """In a game of ``mcts_core.compile``, the moves of the class by their numbers, as a tuple; else None."""
        return None if self.twin is None else self.twin.moves()

    @property
    def max_plies(self):
        """An upper limit of the length of a game, in moves; 0 if it is not known."""
        return self.rules.max_plies

    def state(self, data=None, *, to_move=None):
        """Returns the position with the bytes ``data``, or the first position. The game must not be over there.

        ``data`` is an object with a contiguous buffer of ``state_size`` bytes, such as bytes or an array; in a game of
        ``mcts_core.compile`` also a position of the class. ``to_move`` is the player to move, +1 (the default) or -1.
        If the game has a function ``to_move``, that function determines the player. Raises InvalidState for other data
        and for a position without a legal move.
        """
        cdef Py_buffer view
        if data is None:
            return self.place(self.start, to_move)
        if self.twin is not None and self.twin.has(data):
            data = self.twin.encoded(data)
        try:
            PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        except (TypeError, BufferError, ValueError):
            raise InvalidState(f"the data of a position (start= or state()) must be bytes or a contiguous array of "
                               f"{self.rules.state_size} bytes (state_size), got {shorten(data)}") from None
        try:
            if view.len != self.rules.state_size:
                size = view.itemsize
                items = f", {view.len // size} items of {size} bytes" if size > 1 and view.len else ""
                raise InvalidState(f"the data of a position (start= or state()) must have {self.rules.state_size} "
                                   f"bytes (state_size), got {view.len}{items}")
            copy = PyBytes_FromStringAndSize(<char *>view.buf, view.len)
        finally:
            PyBuffer_Release(&view)
        return self.place(copy, to_move)

    cdef AnyPosition place(self, bytes data, to_move):
        cdef AnyPosition new = new_position(self, 0)
        cdef int32_t player = 1
        memcpy(new.block, <const char *>data, self.rules.state_size)
        new.start = None if data is self.start and to_move is None else data
        if self.is_general():
            if to_move is not None:
                raise InvalidState("to_move is not for general games: their function to_move() says who is to move")
            (<NativeGeneralPosition>new).settle("state()")
            if new.over == MCTS_ONGOING and not ask_outcomes(new):
                raise InvalidState("the position has no legal move; only play() makes finished positions")
            return new
        if to_move is not None:
            to_move = as_player(to_move)
        if self.rules.to_move != NULL:
            player = self.rules.to_move(self.rules.context, new.block)
            check_margins(new, "to_move")
            if player != 1 and player != -1:
                raise GameError(f"{self.name}: to_move() returned {player}; it must return +1 or -1")
            if to_move is not None and to_move != player:
                raise InvalidState(f"to_move must be {player:+}, the player to move in this position, got {to_move:+}")
        elif to_move is not None:
            player = to_move
        new.player = new.start_player = player
        if not ask_moves(new):
            first = "; the first position is all zero bytes, because no start= was given" if not any(self.start) else ""
            raise InvalidState(f"the position has no legal move, so the game is over, and its winner is unknown; only "
                               f"play() makes finished positions{first if data is self.start else ''}")
        return new

    def __call__(self):
        """Returns the first position. So you can use a game in place of a class of positions, as in
        ``mcts-core play a:GAME``."""
        return self.state()

    def from_moves(self, moves, *, base=0):
        """Returns the position after ``moves``, a text or a sequence of moves, from the first position.

        Each move is a number, counted from ``base`` (0 or 1), or a name if the game has ``move_name``. Raises
        IllegalMove, which names the illegal move.
        """
        cdef AnyPosition state = self.place(self.start, None)
        cdef int first = as_int(base, "base", 0, 1)
        cdef int numbers = self.rules.max_moves if self.move_name is None else 0
        for index, move in enumerate(split_moves(moves, numbers, first)):
            try:
                state = state.play(state.number_of(move, first))
            except (IllegalMove, GameOver) as error:
                raise IllegalMove(f"move {index + 1} of {shorten(moves)}: {error}") from None
        return state

    def __repr__(self):
        return f"<NativeGame {self.name}>"

    def __reduce__(self):
        try:
            found = find_game(self.name)
        except Exception:
            found = None
        if found is not self and self.twin is not None:
            return self.twin.recipe()
        if found is not self:
            raise InvalidState(f"the game {self.name} cannot be pickled: give native_game a name='module:attribute' "
                               f"under which this game can be imported")
        return find_game, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


cdef object as_player(object value):
    """``value`` as +1 or -1, or InvalidState."""
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = 0
    if number != 1 and number != -1:
        raise InvalidState(f"to_move must be +1 or -1, got {shorten(value)}")
    return number


def attach_class(NativeGame game not None, twin, start):
    """Gives a new game the class in Python from which it was compiled, and its first position, as bytes;
    ``mcts_core.compile`` calls this.

    ``twin`` has the methods of ``mcts_core.compiled.twin.Twin``. Raises GameError, InvalidState.
    """
    game.twin = twin
    game.start = game.state(start).data


def find_game(name):
    """Imports the game with the ``name`` ``"module:attribute"``; unpickling calls this."""
    import importlib

    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def native_game(*, legal_moves, play, state_size, max_moves, start=None, to_move=None, rollout=None, simulate=None,
                expand=None, observe=None, shape=None, max_plies=0, context=None, name=None, text=None,
                move_name=None, ordered=False, players=None, returns=None, chance=None, constant_sum=False):
    """Makes a game from native functions; see ``docs/native_games.md`` and ``mcts_core/simple_game.h``.

    Each function is a ``numba.cfunc``, a function of ctypes, a capsule as in ``scipy.LowLevelCallable``, or an address.
    A state is a block of ``state_size`` bytes (1 to 32768) without pointers. A move is a number below ``max_moves`` (1
    to 16384).

    legal_moves: ``int32_t (void *context, const void *state, uint32_t *moves)`` writes the legal moves and returns
        their number, or 0 if the game is over.
    play: ``int32_t (void *context, void *state, uint32_t move)`` plays a legal move in place. It returns 0 if the game
        goes on, 1 if the player who moved has won, 2 for a draw, and 3 if the player who moved has lost.
    start: the first position, as bytes or an array; by default all bytes are 0.
    to_move: ``int32_t (void *context, const void *state)`` returns the player to move, +1 or -1. It is not needed if
        the players alternate; a pass is a move.
    rollout, simulate, expand: optional, for speed: functions that run whole phases of the search. Without them, these
        phases call legal_moves and play.
    observe, shape: for evaluators: ``int32_t (void *context, const void *state, float *planes)`` writes the observation
        from the view of the player to move, as numbers of the shape (planes, rows, columns), and returns 0. The players
        must alternate. A move is its own index in the policy.
    max_plies: an upper limit of the length of a game, in moves; 0: not known. A longer rollout is an error, and so is
        one of more than a million moves.
    context: the first argument of all functions: an object with a buffer, which the game keeps, or an address. None:
        NULL.
    name: the name of the game, for messages. With ``"module:attribute"``, the place where the game can be imported,
        its positions can be pickled.
    text: a function that takes a position and returns its str().
    move_name: a function that takes a position and a legal move and returns the name of the move, such as ``"b2a3"``.
        Tables and pictures show the name, and ``play``, ``move`` and ``from_moves`` read it. Without it, moves are
        numbers.
    ordered: True: ``legal_moves`` lists the most promising moves first, and the search tries them in that order. By
        default it tries them in random order, so that a short search does not favour the first ones.

    players: the number of players of a general game, 1 to 32 (``docs/general_games.md``); None: a game of two
        players. In a general game ``to_move`` returns the player to move, from 0, or -1 if chance is to move. ``play``
        returns 0 if the game goes on, and 1 if it is over.
    returns: general games: ``int32_t (void *context, const void *state, double *values)`` writes the value of the
        finished game for each player, from 0 to 1, and returns 0.
    chance: general games: ``int32_t (void *context, const void *state, uint32_t *moves, double *probabilities)``
        writes the outcomes where chance is to move and their probabilities, which sum to 1, and returns their number.
    constant_sum: general games: whether the values of all players always sum to 1.

    If a function returns a negative number or another invalid result, the search ends with a GameError. The search
    calls the functions without the GIL, and from several threads at the same time. They may write to the state and to
    nothing else. ``check_game`` finds mistakes. Raises InvalidOption.
    """
    cdef NativeGame game = NativeGame.__new__(NativeGame)
    cdef mcts_rules *rules = game.rules
    rules.state_size = as_int(state_size, "state_size", 1, MCTS_RULES_LARGEST_STATE)
    rules.max_moves = as_int(max_moves, "max_moves", 1, MCTS_RULES_MOST_MOVES)
    rules.max_plies = as_int(max_plies, "max_plies", 0, 2**29)
    if name is not None and not isinstance(name, str):
        raise InvalidOption(f"name must be a str, got {shorten(name)}")
    if text is not None and not callable(text):
        raise InvalidOption(f"text must be a function from a position to a str, got {shorten(text)}")
    if move_name is not None and not callable(move_name):
        raise InvalidOption(f"move_name must be a function from a position and a move to a str, "
                            f"got {shorten(move_name)}")
    if not isinstance(ordered, bool):
        raise InvalidOption(f"ordered must be True or False, got {shorten(ordered)}")
    rules.ordered = ordered
    game.name = "native_game" if name is None else name
    game.text = text
    game.move_name = move_name
    game.kept = (legal_moves, play, to_move, rollout, simulate, expand, observe, returns, chance)
    rules.legal_moves = <mcts_legal_moves><uintptr_t>address_of(legal_moves, "legal_moves")
    rules.play = <mcts_play><uintptr_t>address_of(play, "play")
    if players is None:
        rules.to_move = <mcts_mover><uintptr_t>optional(to_move, "to_move")
    rules.rollout = <mcts_rollout><uintptr_t>optional(rollout, "rollout")
    rules.simulate = <mcts_simulate><uintptr_t>optional(simulate, "simulate")
    rules.expand = <mcts_expand><uintptr_t>optional(expand, "expand")
    set_context(game, context)
    if mcts_fill_game(&game.table, &game.guide, rules) < 0:
        raise InvalidOption("no game table can be made from these functions")
    if players is None:
        if returns is not None or chance is not None or constant_sum is not False:
            raise InvalidOption("returns, chance and constant_sum are for general games: give players as well")
        set_observations(game, observe, shape)
    else:
        for given, what in ((rollout, "rollout"), (simulate, "simulate"), (expand, "expand"), (observe, "observe"),
                            (shape, "shape")):
            if given is not None:
                raise InvalidOption(f"{what} is for games of two players: leave it out, or leave out players")
        set_general(game, players, to_move, returns, chance, constant_sum)
    game.start = bytes(rules.state_size) if start is None else game.state(start).data
    return game


cdef object optional(object function, str name):
    return 0 if function is None else address_of(function, name)


cdef int set_general(NativeGame game, object players, object to_move, object returns, object chance,
                     object constant_sum) except -1:
    cdef mcts_general *general = &game.general
    cdef int count = as_int(players, "players", 1, MOST_PLAYERS)
    if to_move is None or returns is None:
        raise InvalidOption(f"a game with players needs the functions to_move and returns, got no "
                            f"{'to_move' if to_move is None else 'returns'}")
    if not isinstance(constant_sum, bool) or (constant_sum and count < 2):
        raise InvalidOption(f"constant_sum must be True or False, and False with one player, got "
                            f"{shorten(constant_sum)}")
    game.functions.to_move = <mcts_to_move><uintptr_t>address_of(to_move, "to_move")
    game.functions.returns = <mcts_returns><uintptr_t>address_of(returns, "returns")
    game.functions.chance = <mcts_chance><uintptr_t>optional(chance, "chance")
    game.constant_sum = constant_sum
    general.players = count
    general.actions = game.rules.max_moves
    general.to_move = call_to_move
    general.returns = call_returns
    if chance is not None:
        general.chance = call_chance
    game.table.general = general
    return 0


cdef int set_observations(NativeGame game, object observe, object shape) except -1:
    cdef mcts_general *general = &game.general
    if observe is None and shape is None:
        return 0
    if game.rules.to_move != NULL:
        raise InvalidOption("observe is for games whose players alternate: leave out to_move")
    try:
        planes, rows, cols = shape
    except (TypeError, ValueError):
        raise InvalidOption(f"shape must be the (planes, rows, columns) that observe writes, "
                            f"got {shorten(shape)}") from None
    game.functions.observe = <mcts_observe><uintptr_t>address_of(observe, "observe")
    general.observe = call_observe
    general.planes = as_int(planes, "planes of the shape", 1, LARGEST_OBSERVATION)
    general.rows = as_int(rows, "rows of the shape", 1, LARGEST_OBSERVATION)
    general.cols = as_int(cols, "columns of the shape", 1, LARGEST_OBSERVATION)
    if <object>general.planes * general.rows * general.cols > LARGEST_OBSERVATION:
        raise InvalidOption(f"shape must have at most {LARGEST_OBSERVATION} numbers in all, got {shorten(shape)}")
    general.players = 2
    general.actions = game.rules.max_moves
    game.table.general = general
    return 0


cdef int set_context(NativeGame game, object context) except -1:
    if context is None:
        return 0
    if isinstance(context, int) and not isinstance(context, bool):
        game.rules.context = <void *><uintptr_t>as_int(context, "context", 0, <object>(<uintptr_t>-1))
        return 0
    try:
        PyObject_GetBuffer(context, &game.context, PyBUF_SIMPLE)
    except (TypeError, BufferError, ValueError):
        raise InvalidOption(f"context must be an object with a contiguous buffer or an address, "
                            f"got {shorten(context)}") from None
    game.has_context = True
    game.rules.context = game.context.buf
    return 0


# ---- positions -------------------------------------------------------------------------------------------------------

cdef NativeGame NO_GAME = NativeGame.__new__(NativeGame)  # of a position made by __new__ alone: it is a finished one
cdef char NO_STATE = 0


cdef AnyPosition new_position(NativeGame game, int plies):
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


cdef object error_of(NativeGame game):
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

    cdef NativeGame owner
    cdef char *memory            # the state between margins, then the history
    cdef char *block             # the state
    cdef uint32_t *history
    cdef int played
    cdef int player
    cdef int over                # the outcome of the last move, for the player who made it
    cdef int start_player
    cdef bytes start             # where the history begins; None: the first position

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

    def name(self, move):
        """Returns the name of a legal move: the text from the game's ``move_name``, or else the number of the move.

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
            (<NativeGeneralPosition>new).settle("play()")
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


def restore(NativeGame game not None, data, to_move, moves):
    """The position after ``moves`` from ``data``, or from the first position if that is None; unpickling calls this."""
    state = game.state() if data is None else game.state(data, to_move=to_move)
    for move in moves:
        state = state.play(move)
    return state
