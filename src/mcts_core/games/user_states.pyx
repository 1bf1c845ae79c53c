"""The states of a game written in Python: calls their methods, checks the answers, and numbers the moves."""

import operator
import sys
from itertools import islice
from threading import get_ident

cimport cython
from cpython.float cimport PyFloat_AsDouble
from libc.stdint cimport uint32_t, uint64_t

from mcts_core.errors import GameError, InvalidFile, InvalidState
from mcts_core.game import CHANCE, NativeState, import_numpy
from mcts_core.arguments import shorten
from mcts_core.games.state_kinds import has_member, is_general, member

from mcts_core.game cimport MCTS_MAX_MOVES
from mcts_core.platform cimport mcts_clock

MOST_MOVES = MCTS_MAX_MOVES   # legal moves of one position
MOST_PLAYERS = MAX_PLAYERS

cdef enum:
    LONG_ROLLOUT = 4096        # moves of a rollout after which it looks at the clock, again and again
    ALLOCATION = 16            # bytes that the allocator adds to an object, at most
    UNKNOWN = 256              # bytes of an object that does not say its size
    ATTRIBUTE = 32             # bytes of an attribute besides its value
    MOST_COUNTED = 50000       # of these objects
    DEEPEST = 8                # objects within objects whose sizes are counted

cdef double ROUNDING = 1e-9    # how far a value may be out of its range
cdef uint32_t counted = 0      # objects of the estimate that is being made
cdef frozenset PLAIN = frozenset((int, float, complex, str, bytes))
UNHASHABLE = "moves must be hashable"
LARGEST_SCORE = 1e100          # of a reward or a value of a scored game, either way


cdef dict ends = {}            # thread -> when the search ends that runs there, on mcts_clock


def seconds_left():
    """The seconds until the search that calls your game has to end: 0.0 after its deadline, infinity without a time
    limit and outside of a search.

    For a ``determinize`` that may take long: it raises ``OutOfTime`` when this is 0. The first draw of a search has
    at least 0.25 seconds, because without any draw there is no move to play. Searches of games without hidden
    information do not set it.
    """
    end = ends.get(get_ident())
    return float("inf") if end is None else max(0.0, <double>end - mcts_clock())


def set_end(end):
    """Sets when calls of a game in this thread have to end, on mcts_clock; None: never. Returns the value before."""
    before = ends.pop(get_ident(), None)
    if end is not None:
        ends[get_ident()] = end
    return before


def mend_members(state, missing):
    """What may be meant where a state has no ``missing``, as the end of a message; empty where nobody can know."""
    if missing == "winner" and callable(member(state, "returns")):
        return "; with returns() it also needs players, the number of players, and is a general game"
    if missing == "returns" and callable(member(state, "winner")):
        return "; with winner() it has no players, and to_move is 1 or -1"
    if missing == "legal_moves" and callable(member(state, "state")):
        return "; did you mean its state()?"
    return ""


cdef int require_members(object root, bint general) except -1:
    """Raises InvalidState if ``root`` is not a state; ``general``: it must be a state of a general game."""
    contract = ("a state must have players, to_move, legal_moves(), play(move) and returns()" if general
                else "a state must have to_move, legal_moves(), play(move) and winner()")
    if isinstance(root, type):
        raise InvalidState(f"a state must be an instance, got the class {root.__name__}: did you mean "
                           f"{root.__name__}()?")
    if not general and has_member(root, "players"):
        raise InvalidState(f"this needs a game of two players who take turns, but {shorten(root)} has the attribute "
                           f"players, which makes it a general game")
    for name in ("legal_moves", "play", "returns" if general else "winner"):
        given = member(root, name)
        if not callable(given):
            told = mend_members(root, name) if given is None else f", but {name} = {shorten(given)}"
            raise InvalidState(f"{contract}; {shorten(root)} has no method {name}(){told}")
    if not has_member(root, "to_move"):
        raise InvalidState(f"{contract}; {shorten(root)} has no to_move")
    return 0


def require_state(state):
    """Raises InvalidState if ``state`` is no position of a native game and has not the members of one in Python."""
    if not isinstance(state, NativeState):
        require_members(state, is_general(state))


cdef int refuse_repeated(object state, list moves, str method) except -1:
    """Raises GameError if ``method`` returned a move twice, or moves that cannot be hashed and compared."""
    try:
        count = len(set(moves))
    except Exception as error:
        return refuse_moves(state, moves, error)
    if count != len(moves):
        refuse_unequal(state, moves)
        raise GameError(f"{type(state).__name__}.{method}() must not repeat a move, got {shorten(moves)}")
    return 0


cdef bint equals_itself(object move) except -1:
    """False for NaN, also as a part of a tuple. Python finds a tuple with NaN equal to itself, but not to a copy."""
    if isinstance(move, tuple):
        for part in <tuple>move:
            if not equals_itself(part):
                return False
        return True
    return bool(move == move)


def unequal(moves):
    """What is wrong with the first move that does not equal itself; empty where all do."""
    for move in moves:
        if not equals_itself(move):
            return f"a move must be equal to itself, which NaN is not, got {shorten(move)}"
    return ""


def unequal_lists(before, after):
    """What is wrong where two lists of the same moves look alike and differ; empty where they look different."""
    if repr(before) != repr(after):
        return ""
    return (f"moves must be compared by their value: two calls of legal_moves() gave {shorten(before)} for the same "
            f"position, but these are not equal; give moves an __eq__() and __hash__(), and no NaN")


cdef int refuse_unequal(object state, list moves) except -1:
    """Raises GameError for a move that does not equal itself: the search would not find it again."""
    try:
        text = unequal(moves)
    except Exception as error:
        return refuse_moves(state, moves, error)
    if text:
        raise GameError(f"{type(state).__name__}: {text}")
    return 0


cdef int refuse_moves(object state, list moves, object error) except -1:
    """Raises GameError for moves whose hashes and comparisons raised ``error``."""
    text = unhashable(moves, error)
    raise GameError(f"{type(state).__name__}: {text}") from None if text.startswith(UNHASHABLE) else error


cdef bint as_constant(object root, int players, bint scored) except -1:
    """Whether the general game of ``root`` has a constant sum. Raises InvalidState where it cannot have one."""
    given = member(root, "constant_sum", False)
    if not isinstance(given, bool):
        raise InvalidState(f"constant_sum must be True or False, got {shorten(given)}")
    if given and (players < 2 or scored):
        raise InvalidState(f"constant_sum is for games of two players or more without rewards() and discount, got "
                           f"{shorten(root)}{'' if scored else f' with {players} of them'}")
    return given


cdef bint sums_to_one(const double *values, int players) noexcept nogil:
    cdef double sum = -1.0
    cdef int player
    for player in range(players):
        sum += values[player]
    return -CLOSE <= sum <= CLOSE


def endless(str what, state, int most):
    """The error about a ``what``, a game or a rollout, that has had so many moves."""
    return GameError(f"a {what} of {type(state).__name__} did not end within {most} moves; a game that can go on for "
                     f"ever needs an end, for example a draw after a number of moves")


def without_moves(bint general, str where=""):
    """The message about a position without a move in which the game goes on, ``where``."""
    if general:
        asked, told = "returns", "return the results"
    else:
        asked, told = "winner", "return the winner, 0 for a draw"
    return (f"returned no move although {asked}() is None{where}: if the game is over here, {asked}() must {told}; if "
            f"only this player cannot move, return a move that passes")


def mend_sign(value):
    """A hint at what was probably meant by a wrong ``to_move``, or an empty string."""
    if callable(value):
        return "; make it an attribute or a property, not a method"
    return mend_player(value)


def mend_player(value):
    """A hint at what was probably meant by a number that is no player of an ordinary game, or an empty string."""
    if as_count(value, 0, 2) is not None:
        return "; players with other numbers are those of a general game, with players and returns()"
    return ""


def unhashable(moves, error):
    """The message about moves whose hashes and comparisons raised ``error``."""
    for move in moves:
        try:
            hash(move)
        except TypeError:
            return f"{UNHASHABLE}, such as ints, strings or tuples, got {shorten(move)}, a {type(move).__name__}"
        except Exception:
            break
    return f"__hash__() or __eq__() of a move raised {type(error).__name__}: {error}"


def as_count(value, low, high):
    """``value`` as an int if it has ``__index__``, is not a bool, and is from ``low`` to ``high``; otherwise None."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except Exception:  # TypeError, or what a __index__ raises
        return None
    return number if number is not None and low <= number <= high else None


def expect_returns(int players, bint scored=False):
    """The message about what ``returns()`` must return in a game of so many players; ``scored``: with rewards or a
    discount."""
    if scored:
        return expect_rewards(players).replace("must return", "must return None or", 1)
    if players == 1:
        return "must return None or a list of one number from 0 to 1, the result of the only player"
    return f"must return None or a number from 0 to 1 for each of the {players} players"


def expect_rewards(int players):
    """The message about what ``rewards()`` must return."""
    if players == 1:
        return "must return a list of one number from -1e100 to 1e100, that of the only player"
    return f"must return a number from -1e100 to 1e100 for each of the {players} players"


def mend_returns(given, int players):
    """A hint at what was probably meant, or an empty string."""
    if players == 1 and hasattr(given, "__float__"):
        return f"; did you mean [{shorten(given)}]?"
    if isinstance(given, (list, tuple)) and players > 1 and any(type(each) in (int, float) and each == -1
                                                                for each in given):
        return "; for results from -1 to 1, return (result + 1) / 2 of each, or give the game a discount of 1"
    return ""


# ---- conversion of what a method returned; TypeError, ValueError or OverflowError if it is invalid -------------------

cpdef int as_sign(value) except 0:
    """A player, +1 or -1."""
    number = value if type(value) is int else operator.index(value)
    if number != 1 and number != -1:
        raise TypeError
    return number


cpdef object as_winner(value):
    """None while the game goes on, then +1, -1 or 0."""
    if value is None:
        return None
    if isinstance(value, bool) or not -1 <= operator.index(value) <= 1:
        raise TypeError
    return operator.index(value)


# PyFloat_AsDouble takes numbers alone; float() would read texts and bytes, too.

cpdef object within(object given, Py_ssize_t most):
    """``given`` if it is a list or a tuple; of other iterables, which may be endless, ``most`` items and one more."""
    return given if isinstance(given, (list, tuple)) else islice(given, most + 1)


cpdef list as_values(given):
    """The result of each player, from 0 to 1."""
    if isinstance(given, (str, bytes, dict, set, frozenset)):
        raise TypeError
    values = [PyFloat_AsDouble(value) for value in within(given, MAX_PLAYERS)]
    for value in values:
        if not -ROUNDING <= value <= 1 + ROUNDING:
            raise ValueError
    return [min(max(value, 0.0), 1.0) for value in values]


cpdef list as_scores(given):
    """A reward or a value of a scored game for each player, up to LARGEST_SCORE either way."""
    if isinstance(given, (str, bytes, dict, set, frozenset)):
        raise TypeError
    scores = [PyFloat_AsDouble(score) for score in within(given, MAX_PLAYERS)]
    for score in scores:
        if not -LARGEST_SCORE <= score <= LARGEST_SCORE:
            raise ValueError
    return scores


cpdef double as_discount(value) except? -1.0:
    """A discount. Raises InvalidState, because the search reads it from the root only."""
    try:
        number = 0.0 if isinstance(value, (bool, str, bytes)) else float(value)
    except Exception:
        number = 0.0
    if not 0.0 < number <= 1.0:
        raise InvalidState(f"discount must be a number above 0 and at most 1, got {shorten(value)}")
    return number


cpdef list as_outcomes(given):
    """Moves of chance and their probabilities."""
    if isinstance(given, (str, bytes, dict, set, frozenset)):
        raise TypeError
    return [(move, PyFloat_AsDouble(probability)) for move, probability in within(given, MCTS_MAX_MOVES)]


def drained(given):
    """The message about an iterator without moves."""
    return f"must return a list of moves, or a new iterator at each call, got {shorten(given)}, which has no move left"


def told_excess(given):
    """How many moves ``given`` has, if that is known, for a message about too many."""
    try:
        return str(len(given))
    except Exception:  # an iterator, or a range longer than len() can say
        return f"more from {shorten(given)}"


cpdef list as_moves(given):
    """A list of moves from any iterable but a text."""
    if type(given) is list:
        return given
    if isinstance(given, (str, bytes)):
        raise TypeError
    return list(given)


cdef uint64_t footprint(object given, uint32_t depth=0) except? 0:
    """The same for the same object in each process, so that a seed repeats a search that prunes: nothing is asked that
    depends on what else there is, such as numbers of references. What objects share counts for each of them; but of an
    object of the user's that is an attribute of another one, such as rules that all positions share, only itself."""
    cdef uint64_t size = ALLOCATION
    cdef object kind = type(given)
    global counted
    if depth == 0:
        counted = 0
    counted += 1
    if given is None or kind is bool or kind is int and -5 <= given <= 256 or counted > MOST_COUNTED:
        return 0
    try:
        size += <uint64_t>sys.getsizeof(given)
    except Exception:  # of a __sizeof__ of the user's
        size += UNKNOWN
    if kind in PLAIN or depth == DEEPEST:
        return size
    try:
        if isinstance(given, dict):
            for key, item in given.items():
                size += footprint(key, depth + 1) + footprint(item, depth + 1)
        elif isinstance(given, (tuple, list, set, frozenset)):
            for item in given:
                size += footprint(item, depth + 1)
        elif kind.__module__ != "builtins":
            for item in attributes_of(given):
                size += ATTRIBUTE
                if type(item).__module__ == "builtins":
                    size += footprint(item, depth + 1)
    except Exception:  # of a method of the user's
        pass
    return size


cdef list attributes_of(object given):
    """The values of an object's attributes."""
    cdef list found = list(getattr(given, "__dict__", {}).values())
    for base in type(given).__mro__:
        slots = base.__dict__.get("__slots__", ())
        found += [getattr(given, name, None) for name in ([slots] if isinstance(slots, str) else slots)]
    return found


cdef object value_of(object state):
    """The hash of a state; None if states are not compared by value."""
    try:
        return None if type(state).__eq__ is object.__eq__ else hash(state)
    except Exception:
        return None


cdef list moves_since(object before, object after):
    first, second = getattr(before, "moves", None), getattr(after, "moves", None)
    if not isinstance(first, (list, tuple)) or type(first) is not type(second) or second[:len(first)] != first:
        return None
    return list(second[len(first):])


cdef object told_mover(UserStates user, object mover):
    """The player to move, as the game writes it."""
    return mover if user.general else 1 - 2 * mover


cdef bint same_moves(list one, list other) except -1:
    """Whether two lists have the same moves, in any order."""
    try:
        return len(one) == len(other) and set(one) == set(other)
    except TypeError:
        return False


# ---- the methods -----------------------------------------------------------------------------------------------------

cdef list numbers_of(UserStates user, object state, object given, bint at_end):
    """What ``returns()`` (``at_end``) or ``rewards()`` gave each player."""
    cdef list numbers
    try:
        if user.scored:
            numbers = as_scores(given)
        else:
            numbers = as_values(given)
        if len(numbers) == user.players:
            return numbers
        got = f"{len(numbers) if len(numbers) <= MAX_PLAYERS else f'more than {MAX_PLAYERS}'}: {shorten(given)}"
    except (TypeError, ValueError, OverflowError):
        got = f"{shorten(given)}{mend_returns(given, user.players)}"
    expected = expect_returns(user.players, user.scored) if at_end else expect_rewards(user.players)
    raise GameError(f"{type(state).__name__}.{user.calling} {expected}, got {got}")


@cython.final
cdef class UserStates:
    """Calls the methods of the states that follow ``root``; ``general``: they are states of a general game.

    Raises InvalidState if ``root`` is not such a state. An invalid answer or an exception of a method is a GameError.
    """

    def __cinit__(self, root, bint general):
        require_members(root, general)
        self.root = root
        self.general = general
        self.acts = callable(member(root, "action"))
        self.draws = general and callable(member(root, "chance_outcomes"))
        self.pushes = callable(member(root, "copy")) and callable(member(root, "push"))
        self.moves = []
        self.ids = {}
        self.players = 2
        self.discount = 1.0
        self.deadline = 1e300
        if general:
            given = member(root, "players")
            players = as_count(given, 1, MAX_PLAYERS)
            if players is None:
                raise InvalidState(f"players must be an int from 1 to {MAX_PLAYERS}, got {shorten(given)}")
            self.players = players
            rewards = member(root, "rewards")
            if rewards is not None and not callable(rewards):
                raise InvalidState(f"rewards must be a method, got {shorten(rewards)} in {shorten(root)}")
            self.rewards_given = rewards is not None
            self.scored = self.rewards_given or has_member(root, "discount")
            self.rolls = callable(member(root, "rollout"))
            self.discount = as_discount(member(root, "discount", 1.0))
            self.constant = as_constant(root, self.players, self.scored)

    cdef int raise_error(self) except -1:
        """Raises a GameError whose cause is the exception of the game. Ctrl-C and the like are raised unchanged."""
        error, self.error = self.error, None
        if error is None:
            raise GameError(f"{type(self.root).__name__}.legal_moves() returned different moves for the same position")
        if isinstance(error, GameError) or not isinstance(error, Exception):
            raise error
        raise GameError(f"{type(self.root).__name__}.{self.calling} raised {type(error).__name__}: {error}") from error

    cdef int check_length(self, object state, uint32_t count) except -1:
        if count == LONGEST_ROLLOUT:
            if self.scored:
                raise GameError(f"a rollout of {type(state).__name__} did not end within {LONGEST_ROLLOUT} moves: "
                                f"rollout_moves cuts rollouts")
            raise endless("rollout", state, LONGEST_ROLLOUT)
        if count % LONG_ROLLOUT or count == 0 or mcts_clock() < self.deadline:
            return 0
        shorter = "rollout_moves cuts its rollouts" if self.scored else "policy_value replaces its rollouts"
        raise GameError(f"a rollout of {type(state).__name__} had not ended after {count:,} moves, when the time was "
                        f"over; a game that can go on for ever needs an end, for example a draw after a number of "
                        f"moves; for a game that is only long, {shorter}")

    def ask(self, method, state, *arguments):
        """The result of the method of this name for ``state``; raises GameError if the game raises."""
        try:
            return getattr(self, method)(state, *arguments)
        except Exception as error:
            self.error = error
            self.raise_error()

    cpdef int sign(self, object state) except 0:
        """Whose turn it is, +1 or -1."""
        self.calling = "to_move"
        value = state.to_move
        try:
            return as_sign(value)
        except TypeError:
            raise GameError(f"{type(state).__name__}.to_move must be +1 or -1, got {shorten(value)}"
                            f"{mend_sign(value)}") from None

    cpdef int mover(self, object state) except -2:
        """The index of the player to move (0 for +1), or -1 for chance."""
        if not self.general:
            return 0 if self.sign(state) == 1 else 1
        self.calling = "to_move"
        value = state.to_move
        if isinstance(value, str):
            if value == CHANCE:
                return -1
        elif not isinstance(value, bool):
            try:
                number = operator.index(value)
            except TypeError:
                number = -1
            if 0 <= number < self.players:
                return number
        expected = f"an int from 0 to {self.players - 1}" if self.players > 1 else "0"
        raise GameError(f"{type(state).__name__}.to_move must be {expected} or CHANCE, got {shorten(value)}")

    cpdef object child(self, object state, object move):
        self.calling = "play()"
        child = state.play(move)
        if child is None or child is state:
            raise GameError(f"{type(state).__name__}.play({shorten(move)}) must return a new state, got "
                            + ("None" if child is None else "the same object"))
        return child

    cpdef object copied(self, object state):
        self.calling = "copy()"
        copy = state.copy()
        if copy is None or copy is state:
            raise GameError(f"{type(state).__name__}.copy() must return a new state, which push() can change, got "
                            + ("None" if copy is None else "the same object"))
        return copy

    cdef int push(self, object state, object move) except -1:
        self.calling = "push()"
        state.push(move)
        return 0

    cpdef object winner(self, object state):
        """None while the game goes on, then +1, -1 or 0."""
        self.calling = "winner()"
        winner = state.winner()
        if winner is None:
            return None
        try:
            return as_winner(winner)
        except TypeError:
            raise GameError(f"{type(state).__name__}.winner() must return None, +1, -1 or 0, "
                            f"got {shorten(winner)}{mend_player(winner)}") from None

    cpdef list values(self, object state):
        """None while the game goes on, then the result for each player, from 0 to 1."""
        cdef double rest = 1.0
        if not self.general:
            winner = self.winner(state)
            return None if winner is None else [(1 + winner) / 2, (1 - winner) / 2]
        self.calling = "returns()"
        given = state.returns()
        if given is None:
            return None
        values = numbers_of(self, state, given, True)
        if self.constant:
            for value in values:
                rest -= <double>value
        if self.constant and not -CLOSE <= rest <= CLOSE:
            raise GameError(f"{type(state).__name__}.returns() must return {'two ' if self.players == 2 else ''}"
                            f"numbers that sum to 1, because constant_sum is True, got {shorten(given)}")
        return values

    cpdef list rewards(self, object state):
        """What the move that led to ``state`` gave each player."""
        if not self.rewards_given:
            return [0.0] * self.players
        self.calling = "rewards()"
        return numbers_of(self, state, state.rewards(), False)

    cpdef tuple rollout(self, object state, object seed):
        """A rollout by the game itself: what each player got from ``state`` on, and the moves."""
        self.calling = "rollout()"
        given = state.rollout(seed)
        kind = f"number from {'-1e100 to 1e100' if self.scored else '0 to 1'}"
        expected = (f"{type(state).__name__}.rollout(seed) must return a {kind} for each of the players and a list of "
                    f"the moves")
        try:
            told, moves = given
            if self.scored:
                values = as_scores(told)
            else:
                values = as_values(told)
            moves = as_moves(moves)
        except (TypeError, ValueError, OverflowError):
            raise GameError(f"{expected}, got {shorten(given)}") from None
        if len(values) != self.players:
            raise GameError(f"{expected}, got {shorten(given)}")
        return values, moves

    cdef int check_root(self, object was, object moves) except -1:
        return self.check_state(self.root, was, moves, True)

    cdef int check_state(self, object state, object was, object moves, bint strictly) except -1:
        """Raises GameError if a state has changed since the search came to it. ``was`` and ``moves`` are the player to
        move and the legal moves of that time; the game went on then. Moves that differ each time are an error only if
        ``strictly``."""
        calling = self.calling
        result, mover, legal, changes = None, was, moves, []
        try:
            result = self.values(state)
            if result is None:
                mover = self.mover(state)
                legal = self.legal(state)
        except GameError as error:  # such as no legal move
            if self.drained:
                raise
            changes.append(f"{self.calling} is wrong now, and was not before ({error})")
        except Exception as error:
            self.error = error
            self.raise_error()
        finally:
            self.calling = calling  # if a method failed, its name
        if result is not None:
            asked, told = ("returns()", result) if self.general else ("winner()", self.winner(state))
            changes.append(f"{asked} was None and is {told}")
        if mover != was:
            changes.append(f"to_move was {told_mover(self, was)} and is {told_mover(self, mover)}")
        try:
            differ = legal != moves and not same_moves(legal, moves)
        except Exception as error:
            refuse_moves(state, legal, error)
        refuse_unequal(state, legal)
        if differ:
            text = unequal_lists(moves, legal)
            if text:
                raise GameError(f"{type(state).__name__}: {text}")
            if not strictly and not same_moves(self.legal(state), legal):
                return 0
            changes.append(f"legal_moves() was {shorten(moves)} and is {shorten(legal)}")
        if changes and state is not self.root:
            raise GameError(f"{type(state).__name__}.play() changed a position, or this gave different moves for the "
                            f"same position: {', '.join(changes)}; play() must leave the position unchanged and return "
                            f"a new one")
        if changes:
            raise GameError(f"{type(state).__name__}.play() changed the position that was searched: "
                            f"{', '.join(changes)}; it must leave the position unchanged and return a new one")
        return 0

    cpdef list legal(self, object state):
        self.calling = "legal_moves()"
        given = state.legal_moves()
        if type(given) is list and 0 < len(<list>given) <= MCTS_MAX_MOVES:
            return given
        if given is None or isinstance(given, (str, bytes)):
            raise GameError(f"{type(state).__name__}.legal_moves() must return a list of moves, got {shorten(given)}")
        moves = as_moves(within(given, MCTS_MAX_MOVES))
        if not moves and hasattr(given, "__next__"):
            self.drained = True
            raise GameError(f"{type(state).__name__}.legal_moves() {drained(given)}")
        if not moves:
            raise GameError(f"{type(state).__name__}.legal_moves() "
                            f"{without_moves(self.general, f' in {shorten(state)}')}")
        if len(moves) > MCTS_MAX_MOVES:
            raise GameError(f"{type(state).__name__}.legal_moves() must return at most {MCTS_MAX_MOVES} moves, "
                            f"got {told_excess(given)}")
        return moves

    cpdef list outcomes(self, object state):
        """(move, probability) of each outcome of a chance node."""
        self.calling = "chance_outcomes()"
        given = state.chance_outcomes()
        expected = f"{type(state).__name__}.chance_outcomes() must return a list of (move, probability)"
        try:
            outcomes = as_outcomes(given)
        except (TypeError, ValueError, OverflowError):
            raise GameError(f"{expected}, got {shorten(given)}") from None
        if not outcomes:
            raise GameError(f"{expected}, got none in {shorten(state)}")
        if len(outcomes) > MCTS_MAX_MOVES:
            raise GameError(f"{expected}, at most {MCTS_MAX_MOVES}, got {told_excess(given)}")
        total = 0.0
        for _, probability in outcomes:
            if not 0 <= probability <= 1 + CLOSE:
                raise GameError(f"{expected} with probabilities from 0 to 1, got {shorten(given)}")
            total += probability
        if not abs(total - 1) <= CLOSE:
            raise GameError(f"{expected} whose probabilities sum to 1, got a sum of {total:.9g}: {shorten(given)}")
        return outcomes

    cpdef object index(self, object state, object move, int actions):
        """The index of a legal move in a policy of ``actions`` entries; 0 means that their number is unknown."""
        index = move
        if self.acts:
            self.calling = "action()"
            index = state.action(move)
        try:
            if isinstance(index, bool):
                raise TypeError
            number = operator.index(index)
        except TypeError:
            if self.acts:
                raise GameError(f"{type(state).__name__}.action({shorten(move)}) must return an int >= 0, "
                                f"got {shorten(index)}") from None
            raise GameError(f"an evaluator needs moves that are ints, or states with a method action(move) that "
                            f"returns the index of a move in the policy, got the move {shorten(move)}") from None
        if number < 0 or number >= (actions if actions else 1 << 30):
            raise GameError(f"the index of a move in the policy must be an int from 0 to "
                            f"{actions - 1 if actions else 'A-1'}, got {number} for {shorten(move)}")
        return number

    cpdef list indices(self, object state, list moves, int actions):
        """The index of each legal move; raises GameError if two are equal."""
        cdef set met = set()
        cdef list found = []
        for move in moves:
            number = self.index(state, move, actions)
            if number in met:
                raise GameError(f"two legal moves of {shorten(state)} have the same index in the policy, {number}; "
                                f"each must have its own")
            met.add(number)
            found.append(number)
        return found

    cpdef object planes(self, object state):
        """The observation of ``state`` as a three-dimensional array; all must have the same shape."""
        numpy = import_numpy()
        self.calling = "observation()"
        given = state.observation()
        try:
            planes = numpy.ascontiguousarray(given, dtype=numpy.float32)
        except (TypeError, ValueError) as error:
            raise GameError(f"{type(state).__name__}.observation() must return numbers of shape (planes, rows, "
                            f"columns), got {shorten(given)}") from error
        if planes.ndim != 3 or planes.size == 0 or self.shape is not None and planes.shape != self.shape:
            expected = "(planes, rows, columns)" if self.shape is None else f"{self.shape}, as at the root"
            raise GameError(f"{type(state).__name__}.observation() must have the shape {expected}, "
                            f"got {numpy.shape(given)}")
        self.shape = planes.shape
        return planes

    cdef uint64_t name_bytes(self) noexcept:
        """About how many bytes the numbered moves take."""
        return self.name_total

    cdef int adopt(self, UserStates other) except -1:
        """Takes over the numbers of moves from another position's search, whose tree this search continues."""
        self.moves, self.ids, self.name_total = other.moves, other.ids, other.name_total
        return 0

    cdef int set_names(self, list moves, dict ids) except -1:
        """Numbers moves anew; nothing changes where a move raises."""
        cdef uint64_t total = 0
        for move in moves:
            total += NAME_BYTES + footprint(move)
        self.moves, self.ids, self.name_total = moves, ids, total
        return 0

    cdef int take_names(self, object names) except -1:
        """Numbers moves in the order of ``names``, the moves of a stored tree."""
        ids = {move: index for index, move in enumerate(names)}
        if len(ids) != len(names):
            raise InvalidFile("the file contains a move of the tree twice: it is damaged")
        return self.set_names(list(names), ids)

    cdef uint32_t identity_of(self, object move) except? 0xFFFFFFFF:
        try:
            identity = self.ids.get(move)
        except Exception as error:
            refuse_moves(self.root, [move], error)
        if identity is None:
            refuse_unequal(self.root, [move])
            size = NAME_BYTES + footprint(move)
            identity = len(self.moves)
            self.moves.append(move)
            self.ids[move] = identity
            self.name_total += <uint64_t>size
        return identity
