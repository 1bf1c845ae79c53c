"""The options of a search as its loop reads them, and what a game offers to choose from."""

from libc.stdint cimport uint32_t

from mcts_core.tree.general_tree cimport GeneralOptions
from mcts_core.tree.guided_tree cimport GuidedOptions


cdef class SearchSettings:
    cdef bint by_value             # the final move is the one with the best value, otherwise the most visited one
    cdef uint32_t interval         # iterations of a thread between two exchanges
    cdef bint prunes               # a full tree is pruned; otherwise the search ends
    cdef bint visits_are_data      # the visits are training data, or the move is drawn by them: never end early
    cdef bint values_decide        # values may change the final move at any time, so visits alone cannot decide it
    cdef bint proves               # the tree holds proven values
    cdef double temperature        # the move to play is drawn by visits ** (1 / temperature); 0: it is the best one
    cdef readonly uint32_t most_iterations  # visits of the root: of more, a sum or a count would overflow
    cdef public object loaded      # of a loaded search: its options, where the Searcher itself would choose others


cdef class TwoPlayerSettings(SearchSettings):
    cdef bint guided               # the guided tree, not the plain one
    cdef GuidedOptions options
    cdef object network            # what `options.network` points into


cdef class GeneralSettings(SearchSettings):
    cdef GeneralOptions options
    cdef object function           # the user's evaluator, None: rollouts
    cdef bint by_state             # it takes states, not batches of observations
    cdef readonly bint by_halving  # sequential halving at the root: it needs a budget of iterations and an empty tree
    cdef bint by_line              # the final move is the first of the best line
    cdef bint overlaps             # another thread calls the evaluator while the next batch is gathered


cdef class InformationSettings(GeneralSettings):
    pass


cpdef object kind_of(object state)
