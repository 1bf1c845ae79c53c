"""What the operations of a searched tree mean on the general tree."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralEvaluation, GeneralTree
from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.settings cimport GeneralSettings
from mcts_core.tree.plain_tree cimport Tree


cdef class GeneralCore(SearchCore):
    cdef Tree *tree
    cdef GeneralTree *general      # the same
    cdef GeneralSettings settings  # of the last search
    cdef Rules rules               # of the last search, None when it failed
    cdef Evaluator evaluator       # of the search that runs

    cdef GeneralBlock *root(self) noexcept nogil
    cdef int evaluate(self) except -1
    # A search whose leaves are evaluated together with those of others, by steps: gathers a batch of at most ``count``
    # iterations, True: that was all that there was room for; and ends what waits by its evaluation, which begins with
    # row ``row`` of the common one.
    cdef bint gather(self, uint32_t count, float *observations, uint64_t stride) except -1
    cdef int resolve(self, Evaluator evaluator, uint32_t row) except -1
