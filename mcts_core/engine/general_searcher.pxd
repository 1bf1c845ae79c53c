"""One search at a time over one general tree."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralColumns, GeneralOptions, GeneralTree
from mcts_core.engine.turn cimport SearchTurn


cdef class GeneralSettings:
    cdef GeneralOptions options
    cdef bint by_value             # the final move is the one with the best value, otherwise the most visited one
    cdef double temperature
    cdef object function           # the user's evaluator, None: rollouts
    cdef bint by_state             # it takes states, not batches of observations


cdef class GeneralCore(SearchTurn):
    cdef GeneralTree *tree
    cdef GeneralSettings settings  # of the last search
    cdef Rules rules               # of the last search, None when it failed
    cdef object state              # as the user gave it
    cdef object __weakref__
    cdef Evaluator evaluator
    cdef uint64_t memory           # bytes that the arena may take
    cdef bint finished
    cdef double seconds, overshoot
    cdef uint64_t seed
    cdef str stop_reason
    cdef object move
    cdef bint early                # the search ends when the move is certain
    cdef object progress           # called with figures after every `every` seconds, or None
    cdef double begin, every

    cdef int begin_search(self, object state, GeneralSettings settings, uint64_t seed) except -1
    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil
    cdef int run(self, uint32_t count) except -1 nogil
    cdef int evaluate(self) except -1
    cdef int report(self) except -1
    cdef bint is_decided(self, uint32_t limit, double left, double passed, double took, uint32_t count) noexcept nogil
    cdef int64_t lead(self) noexcept nogil
    cdef int conclude(self) except -1
    cdef list root_children(self)
    cdef object choose(self, list children)
    cdef object sample(self, list children)
    cdef list variation(self, object first)
    cdef dict snapshot(self)
