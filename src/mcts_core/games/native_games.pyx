"""Games made of a user's native functions: Numba's ``@cfunc``, C, Cython, or anything with an address.

``include/mcts_core/simple_game.h`` declares the functions and makes a game table from them. The game keeps the
functions alive, and its positions (``native_positions``) keep the game alive.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uintptr_t
from libc.string cimport memcpy

import operator

from mcts_core.errors import GameError, GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import split_moves
from mcts_core.games.native_functions import address_of
from mcts_core.games.native_positions import NativeGeneralPosition, NativePosition

from mcts_core.game cimport (MCTS_ERROR, MCTS_ONGOING, mcts_chance, mcts_expand, mcts_general, mcts_legal_moves,
                             mcts_observe, mcts_play, mcts_returns, mcts_rollout, mcts_simulate, mcts_to_move)
from mcts_core.games.native_positions cimport (AnyPosition, Functions, NativeRules, ask_moves, ask_outcomes,
                                               check_margins, new_position)
from mcts_core.simple_game cimport *

__all__ = ["NativeGame", "NativeGeneralPosition", "NativePosition", "native_game"]

cdef enum:
    LARGEST_OBSERVATION = 1 << 24  # numbers
    MOST_PLAYERS = 32


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
cdef class NativeGame(NativeRules):
    """The rules of a game in native functions. ``native_game`` makes it, and it never changes.

    ``state()`` returns the first position, ``state(data)`` any other position, and ``from_moves(moves)`` the position
    after these moves.
    """

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
            new.settle("state()")
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
