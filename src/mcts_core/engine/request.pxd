"""What is asked of a search."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.turn cimport Halt


cdef enum Reuse:                       # when the last search's tree is used again
    REUSE_NEVER = 0
    REUSE_BELOW = 1                    # for a position below its root
    REUSE_ANY = 2                      # and for that of its root


cdef class Requests


cdef class SearchRequest:
    cdef public object state           # as the user gave it
    cdef public SearchSettings settings
    cdef public double begin           # the clock's reading when the call began
    cdef public double seconds         # budgets, 0 where there is none
    cdef public uint32_t iterations
    cdef public uint64_t seed
    cdef public Requests series        # the search takes the next seed of these, None: `seed` is its own
    cdef public bint stop_early        # the search ends when the move is certain
    cdef public int reuse
    cdef public object progress        # called with figures after every `every` seconds, or None
    cdef public double every
    cdef public Halt halt              # ends the search once it is told to, also if that was before; or None


cdef class Requests:
    cdef object options                # of the Searcher, which make the settings
    cdef readonly dict settings        # of each kind of state that was searched
    cdef public object served          # the class of settings that the core is for
    cdef readonly object seed          # of the first search; None: every search has a random one
    cdef public uint64_t searches      # that have taken a seed of the series that begins with `seed`
    cdef int stop_early                # -1: it depends on the limits
    cdef bint early_in_time            # then a search with only a time limit ends early
    cdef int reuse
    cdef bint evaluates                # leaves are valued by an evaluator, so any game has a general tree
    cdef bint by_halving               # searches need a number of iterations, and no time limit

    cpdef object kind_of(self, object state)
    cdef uint64_t next_seed(self) except? 0
