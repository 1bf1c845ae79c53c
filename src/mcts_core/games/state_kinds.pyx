"""What kind of game a state belongs to, native or written in Python: it decides which tree searches it."""

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, InvalidState

from mcts_core.game cimport NativeState, general_of, mcts_general


cdef object ABSENT = object()


def member(state, name, default=None):
    """The attribute ``name`` of a user's state, ``default`` where it has none. Raises GameError if the state raises, as
    a property may."""
    try:
        return getattr(state, name, default)
    except Exception as error:
        raise GameError(f"{type(state).__name__}.{name} raised {type(error).__name__}: {error}") from error


def has_member(state, name):
    """Whether a user's state has the attribute ``name``. Raises GameError as ``member`` does."""
    return member(state, name, ABSENT) is not ABSENT


def is_general(state):
    """Whether the general tree searches ``state`` also without an evaluator: its game is not one of two players who
    alternate, or it says itself who its players are."""
    cdef const mcts_general *general
    if not isinstance(state, NativeState):
        return has_member(state, "players")
    general = general_of((<NativeState>state).game)
    return general != NULL and general.to_move != NULL


def has_constant_sum(state):
    """Whether ``state`` is of a general game that says that one of its two players wins what the other loses."""
    cdef const mcts_general *general
    if not is_general(state) or member(state, "constant_sum", False) is not True:
        return False
    if not isinstance(state, NativeState):
        return member(state, "players") == 2
    general = general_of((<NativeState>state).game)
    return general.players == 2


def may_have_chance(state):
    """Whether the general game of ``state`` can name outcomes of chance."""
    cdef const mcts_general *general
    if not isinstance(state, NativeState):
        return callable(member(state, "chance_outcomes"))
    general = general_of((<NativeState>state).game)
    return general != NULL and general.chance != NULL


def is_scored(state):
    """Whether the general game of ``state`` has rewards on the way or a discount."""
    return not isinstance(state, NativeState) and (callable(member(state, "rewards"))
                                                   or has_member(state, "discount"))


def refuse_hidden(state):
    """Raises InvalidState for a state of a game of hidden information, which a search would play as if all was seen."""
    if not hides(state):
        return
    if is_hidden(state):
        raise InvalidState(f"this needs a game in which every player sees everything, but {shorten(state)} has "
                           f"hidden_information, which solve(), rollouts(), selfplay() and search_parallel() do not "
                           f"take")
    raise InvalidState(f"a search needs a game in which every player sees everything, but {shorten(state)} has "
                       f"hidden_information. To have it searched all the same, write determinize(player, rng), which "
                       f"returns a state that fits what the player knows, its hidden part drawn with rng, a "
                       f"random.Random, and observation_key(player), a hashable value that names what he knows")


def is_hidden(state):
    """Whether ``state`` is searched by what its players know: it has ``hidden_information`` and ``determinize``."""
    return (not isinstance(state, NativeState) and hides(state) and callable(member(state, "determinize")))


cdef bint hides(state) except -1:
    """Whether ``state`` says that it has hidden information."""
    given = member(state, "hidden_information", False)
    try:
        return bool(given)
    except Exception as error:
        raise GameError(f"{type(state).__name__}.hidden_information must be True or False, got {shorten(given)}, of "
                        f"which bool() raised {type(error).__name__}: {error}") from error
