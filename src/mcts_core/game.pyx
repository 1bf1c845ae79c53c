"""The base class of native positions; the table itself is ``include/mcts_core/game.h``."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t

import sys

from mcts_core.errors import InvalidState

CHANCE = "chance"


cdef object renderer = None


def set_renderer(function):
    """What draws positions, ``function(state, form)``: set by the package, so that no native module imports drawing."""
    global renderer
    renderer = function


def import_numpy():
    """numpy, which nothing but observations and evaluators needs. Raises ImportError."""
    try:
        import numpy
    except ImportError as error:
        raise ImportError("observations and evaluators need numpy: pip install numpy") from error
    return numpy


def imported(name, attribute):
    """What the module ``name`` has under ``attribute`` if the program has imported it; else None, also while another
    thread is importing it: then sys.modules has the module, but not yet all that belongs into it."""
    module = sys.modules.get(name)
    if getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return getattr(module, attribute, None)


cdef class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""

    @property
    def actions(self):
        """The number of entries of an evaluator's policy, where a move is its own index; None: the game has none."""
        cdef const mcts_general *general = general_of(self.game)
        return general.actions if general != NULL and general.actions else None

    def observation(self):
        """Returns what an evaluator sees of this position: a float32 array of shape (planes, rows, columns).

        Positions of Connect Four and m,n,k games have three planes of 0 and 1, with row 0 on top: the stones of the
        player to move, the stones of the other player, and a plane that is 1 everywhere if the player who began is to
        move, else 0. The planes of a game of your own are those that its ``observe`` writes.

        Raises InvalidState for a game without observations, and ImportError without numpy.
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
            raise InvalidState(f"observe() of {type(self).__name__} must return 0, returned {returned} for this "
                               f"position")
        return planes

    def _repr_svg_(self):
        """The picture that a notebook shows, None where there is none."""
        return None if renderer is None else renderer(self, "svg")

    def __rich__(self):
        """What the consoles of ``rich`` print."""
        return repr(self) if renderer is None else renderer(self, "rich")

    def explain_error(self):
        """Returns what the functions of the game reported last, in words; None if the game reports nothing.

        For subclasses: a search that ends with an error of the game raises a GameError with this text.
        """
        return None
