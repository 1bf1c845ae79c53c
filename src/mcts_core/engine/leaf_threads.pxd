"""The threads that value the leaves of one tree, beside the thread of the search."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.tree.guided_tree cimport GuidedTree


# how many of ``threads`` work on one tree, that of the search included
cdef uint32_t lanes_of(uint32_t threads) noexcept nogil


cdef class LeafThreads:
    cdef GuidedTree *tree          # of the search that runs
    cdef list workers
    cdef uint32_t stop             # 1: they are to end; a flag
    cdef double deadline           # when the search is to end

    # starts one less than `lanes` for a search of up to `limit` iterations; `repeatable`: it has no time limit
    cdef int start(self, GuidedTree *tree, uint32_t lanes, uint32_t limit, bint repeatable, uint64_t seed,
                   double deadline) except -1
    cdef void serve(self, uint32_t number) noexcept nogil
    cdef bint is_over(self) noexcept nogil
    # ends them; `whole`: neither stop() nor a time limit cut the search short
    cdef int join(self, bint whole) except -1
