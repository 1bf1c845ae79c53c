"""The options of a search as its loop reads them, and what a game offers to choose from."""

from libc.stdint cimport uint32_t

from mcts_core.tree.guided_tree cimport GuidedOptions


cdef class SearchSettings:
    cdef bint guided               # the guided tree, not the plain one
    cdef bint prunes               # a full tree loses its least visited subtrees, otherwise the search ends
    cdef uint32_t interval         # iterations of a thread between two exchanges
    cdef bint by_value             # the final move is the one with the best value, otherwise the most visited one
    cdef GuidedOptions options


cdef uint32_t most_iterations(SearchSettings settings) noexcept
