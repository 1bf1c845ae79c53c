"""When a search ends: each rule one function."""

from libc.stdint cimport int64_t, uint32_t

from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.searched_tree cimport SearchedTree


ctypedef struct Look:              # what a rule looks at, between two slices
    int status                     # of the last slice
    double now                     # the clock
    double took                    # seconds of the last slice
    uint32_t ran                   # its iterations
    uint32_t spent                 # iterations so far
    uint32_t limit                 # and at most
    double begin, seconds, deadline  # of a time budget; `seconds` 0: there is none
    bint only                      # there is one legal move, so the first iteration is the last one
    bint early                     # the search may end when the move is certain
    uint32_t look_at, look_every   # without a time budget, when to look at that next, and how often
    uint32_t full_at               # the iterations when the tree was full last


# Before the first slice.
cdef int begin_look(Look *look, SearchedTree tree, SearchRequest request) except -1

# The iterations that may run before the rules are asked again.
cdef uint32_t due(const Look *look) noexcept nogil

# The tree is full: makes room, once for each number of iterations.
cdef void make_room(SearchedTree tree, Look *look) noexcept nogil

# The name of the first rule that ends the search, NULL: it goes on.
cdef const char *stop_reason(SearchedTree tree, Look *look) noexcept nogil

# By how many visits the move that would be played is ahead of the others that may be; -1: not known.
cdef int64_t lead(SearchedTree tree) noexcept nogil
