"""The base class of native positions; the table itself is ``include/mcts_core/game.h``."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t

from mcts_core.errors import GameError, InvalidState
from mcts_core.arguments import shorten

CHANCE = "chance"


cdef object ABSENT = object()
cdef object renderer = None


def set_renderer(function):
    """What draws positions, ``function(state, form)``: set by the package, so that no native module imports drawing."""
    global renderer
    renderer = function


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
                           f"hidden_information, which only Searcher.search and search take")
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


def import_numpy():
    """numpy, which nothing but observations and evaluators needs. Raises ImportError."""
    try:
        import numpy
    except ImportError as error:
        raise ImportError("observations and evaluators need numpy: pip install numpy") from error
    return numpy


cdef class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""

    @property
    def actions(self):
        """The number of entries of an evaluator's policy, where a move is its own index; None: the game has none."""
        cdef const mcts_general *general = general_of(self.game)
        return general.actions if general != NULL and general.actions else None

    def observation(self):
        """What an evaluator sees of this position: a float32 array of planes, rows and columns.

        Raises InvalidState for a game without observations; needs numpy.
        """
        cdef const mcts_general *general = general_of(self.game)
        cdef Py_buffer view
        cdef int32_t returned
        if general == NULL or general.observe == NULL:
            raise InvalidState(f"{type(self).__name__} has no observations: its game table has no observe()")
        numpy = import_numpy()
        planes = numpy.empty((general.planes, general.rows, general.cols), numpy.float32)
        PyObject_GetBuffer(planes, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
        returned = general.observe(self.game.context, self.state, <float *>view.buf)
        PyBuffer_Release(&view)
        if returned < 0:
            raise InvalidState(f"the native rules of {type(self).__name__} reported an error for this position")
        return planes

    def _repr_svg_(self):
        """The picture that a notebook shows, None where there is none."""
        return None if renderer is None else renderer(self, "svg")

    def __rich__(self):
        """What the consoles of ``rich`` print."""
        return repr(self) if renderer is None else renderer(self, "rich")

    def explain_error(self):
        """What the functions of the table reported last, in words; None where the game does not tell.

        For subclasses: a search that ends with an error of the game raises a GameError that says this.
        """
        return None
