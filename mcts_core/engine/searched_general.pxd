"""Searches of all other games, and of those whose leaves are evaluated."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport GeneralBlock
from mcts_core.engine.loop cimport SearchCore


cdef class GeneralCore(SearchCore):
    cdef Rules rules               # of the last search, None when it failed
    cdef list others_rules         # those of the threads beside the first one
    cdef Evaluator evaluator       # of the search that runs

    cdef Rules rules_for(self, uint32_t number, object root)
    cdef GeneralBlock *root(self) noexcept nogil
    cdef int evaluate(self) except -1
    # A search whose leaves are evaluated together with those of others, by steps: gathers a batch of at most ``count``
    # iterations, True: that was all that there was room for; how many wait; and ends what waits by its evaluation,
    # which begins with row ``row`` of the common one.
    cdef bint gather(self, uint32_t count, float *observations, uint64_t stride) except -1
    cdef uint32_t waiting(self) noexcept nogil
    cdef int resolve(self, Evaluator evaluator, uint32_t row) except -1
