"""Searches of games of two players in turn."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from mcts_core.game cimport NativeState
from mcts_core.engine.leaf_threads cimport LeafThreads
from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.root_rows cimport RootRows


cdef class TwoPlayerCore(SearchCore):
    cdef NativeState native        # the root of the last search, None when it failed
    cdef NativeState keeper        # of the game whose exact search has memory here
    cdef LeafThreads leaves        # the threads that value leaves, where there is one tree

    cdef int32_t proven_points(self, uint32_t link) noexcept nogil
    cdef int32_t tried_points(self, uint32_t link, uint32_t slot) noexcept nogil
    cdef uint32_t root_slots(self) noexcept  # moves of the root, or its slots where the moves are not known yet
    cdef RootRows read_guided(self)
    cdef RootRows read_plain(self)
    cdef RootRows read_tried(self)
    cdef double wins_of(self, int64_t points) noexcept
