"""What a search found, as plain numbers: for statistics that are read now, later, or never."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.root_rows cimport RootRows
from mcts_core.engine.searched_tree cimport Counts


cdef class StatsSnapshot:
    cdef RootRows rows               # of all legal moves; of a plain board those that the tree has
    cdef Counts counts
    cdef bint light                  # of a plain board: the objects of the moves are made when they are read
    cdef bint ordered                # equal moves keep their order; else the move to play is the first of them
    cdef object state
    cdef readonly object core        # a weak reference
    cdef object move, line_value, proven
    cdef tuple values, scale, bounds, line
    cdef str stop_reason, isa
    cdef readonly uint64_t bytes
    cdef double value, seconds, overshoot
    cdef int proof
    cdef uint32_t distance
    cdef uint64_t seed
    cdef uint32_t threads, number, to_try
    cdef bint book

    cdef RootRows ranked(self)       # the rows of all legal moves, in the order of Stats
    cdef uint32_t plies(self, RootRows rows) except? 0xFFFFFFFF  # Stats.distance, 0: None


# Whether a position is of this package, and of no subclass: that may refer to more than its board.
cdef bint is_plain_board(object state)
