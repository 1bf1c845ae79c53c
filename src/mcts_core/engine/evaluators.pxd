"""A user's functions that evaluate leaves, with their results in the form that the tree reads."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.games.general_rules cimport Rules
from mcts_core.tree.general_tree cimport GeneralEvaluation, GeneralTree


cdef class Evaluator:
    cdef object function
    cdef GeneralEvaluation evaluation   # of the last call; valid until `release`
    cdef float *observations            # where the planes of the next batch go, NULL: it needs none
    cdef uint64_t stride

    cdef int prepare(self, Rules rules, uint32_t rows) except -1
    cdef int evaluate(self, Rules rules, uint32_t rows) except -1
    cdef int copy(self) except -1
    cdef void release(self) noexcept
    cdef object complaint(self, Rules rules, const GeneralTree *tree, uint32_t first_row)


cdef class BatchEvaluator(Evaluator):
    cdef object numpy, empty, float32
    cdef Rules rules                    # for which `shape` is
    cdef uint32_t rows
    cdef tuple shape
    cdef object array                   # of the next batch
    cdef Py_buffer policy_view, values_view
    cdef bint has_policy, has_values
    cdef float *copied                  # results of the last call, where `copy` was called
    cdef uint64_t room

    cdef int open(self, object given, str what, Py_buffer *view, bint *opened) except -1


cdef class StateEvaluator(Evaluator):
    cdef float *policy
    cdef float *values
    cdef uint64_t policy_room, values_room
    cdef list moves                     # the legal moves of each row

    cdef int write(self, Rules rules, uint32_t rows) except -1
    cdef list priors_of(self, object priors, list moves)
    cdef list value_of(self, Rules rules, object value)


cdef Evaluator evaluator_of(object function, bint by_state)
