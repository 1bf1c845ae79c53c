"""Searches of all games but those of two players in turn, and of any game with an evaluator."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.evaluation_thread cimport EvaluationThread
from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralColumns, GeneralEvaluation
from mcts_core.engine.loop cimport SearchCore


cdef class GeneralCore(SearchCore):
    cdef Rules rules               # of the last search, None when it failed
    cdef object keeper             # the root of a game whose exact search has memory in the tree
    cdef list others_rules         # the rules of the threads beside the first one, by number
    cdef Evaluator evaluator       # that of the search that runs, for its next batch
    cdef Evaluator other           # with a second thread: for the batch after that
    cdef EvaluationThread beside   # the thread that calls them; or None
    cdef bint broken               # what it called has failed

    cdef Rules rules_for(self, uint32_t number, object root)
    cdef GeneralBlock *root(self) noexcept nogil
    cdef void plan(self, uint32_t limit) noexcept nogil  # says how many iterations there will be
    cdef int proven_points(self, uint32_t link, uint32_t *distance) noexcept nogil
    cdef void improve(self) noexcept
    cdef uint32_t halved(self, const GeneralColumns *columns) noexcept
    cdef int evaluate(self) except -1
    cdef int run_beside(self, uint32_t count) except -1 nogil
    cdef int pass_on(self, bint all_of_them) except -1
    cdef int take_oldest(self, Evaluator evaluator) except -1
    cdef int take_best_line(self) except -1
    # ---- the steps of a search whose leaves are evaluated together with those of others
    # begins a batch of at most `count` iterations; a Status
    cdef int gather_leaves(self, uint32_t count, float *observations, uint64_t stride) noexcept nogil
    # how many of them wait
    cdef uint32_t waiting(self) noexcept nogil
    # ends these by their evaluation, which begins at row `row` of the common one; what was wrong with it, FAULT_NONE
    cdef int use_evaluation(self, const GeneralEvaluation *evaluation, uint32_t row) noexcept nogil
    cdef int resolve(self, Evaluator evaluator) except -1
