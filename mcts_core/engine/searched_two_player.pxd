"""Searches of games of two players in turn."""

from mcts_core.game cimport NativeState
from mcts_core.engine.loop cimport SearchCore


cdef class TwoPlayerCore(SearchCore):
    cdef NativeState native        # the root of the last search, None when it failed
    cdef NativeState keeper        # of the game whose exact search has memory here

    cdef list guided_children(self)
    cdef list plain_children(self)
