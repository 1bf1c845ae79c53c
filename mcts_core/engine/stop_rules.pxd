"""When a search ends: each rule one function."""

from libc.stdint cimport int64_t, uint32_t

from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.searched_tree cimport SearchedTree


ctypedef struct Look:              # what a rule looks at, between two slices
    int status                     # of the last slice
    double now                     # the clock
    double took                    # seconds of the last slice
    uint32_t ran                   # its iterations
    uint32_t spent                 # iterations so far
    uint32_t limit                 # and at most
    double begin, seconds, deadline  # of a time budget; `seconds` 0: there is none
    bint early                     # the search may end when the move is certain
    uint32_t look_at, interval     # without a time budget, when to look at that next, and how often


# Before the first slice of a search of at most ``limit`` iterations without a time budget; loop() adds one.
cdef void begin_look(Look *look, uint32_t limit, bint early) noexcept nogil

# The name of the first rule that ends the search, NULL: it goes on.
cdef const char *stop_reason(SearchedTree tree, Look *look) noexcept nogil

# Whether the visits may end a search early: they are neither data, nor is the move chosen by values.
cdef bint may_decide(SearchSettings settings) noexcept nogil

# Whether one iteration is enough, as the search begins: the only move will be played.
cdef bint only_move(SearchSettings settings, uint32_t moves) noexcept nogil

# By how many visits the move that would be played is ahead of the others that may be; -1: not known.
cdef int64_t lead(SearchedTree tree) noexcept nogil
