"""The base class of native positions; the table itself is ``include/mcts_core/game.h``."""


cdef object renderer = None


def set_renderer(function):
    """What draws positions, ``function(state, form)``: set by the package, so that no native module imports drawing."""
    global renderer
    renderer = function


cdef class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""

    def _repr_svg_(self):
        """The picture that a notebook shows, None where there is none."""
        return None if renderer is None else renderer(self, "svg")

    def __rich__(self):
        """What the consoles of ``rich`` print."""
        return repr(self) if renderer is None else renderer(self, "rich")
