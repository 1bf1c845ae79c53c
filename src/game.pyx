"""The base class of native positions; the table itself is ``include/mcts_core/game.h``."""


cdef class NativeState:
    """A position that the native search reads through its game table. Made by the games, not by hand."""
