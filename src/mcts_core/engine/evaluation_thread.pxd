"""Evaluators that are called in a thread of their own."""

from libc.stdint cimport uint32_t

from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.engine.workers cimport Worker
from mcts_core.games.general_rules cimport Rules


cdef class Call:
    """Of an evaluator, for the leaves that were gathered into its arrays."""

    cdef Evaluator evaluator
    cdef uint32_t rows
    cdef object error              # what it raised


cdef class EvaluationThread:
    cdef Worker worker
    cdef object calls, answers     # of Calls; None: no more
    cdef Rules rules
    cdef object failure            # an interrupt that ends the search
    cdef bint over
    cdef readonly uint32_t asked   # calls that have begun and were not taken back

    cdef int begin(self, Evaluator evaluator, uint32_t rows) except -1
    cdef Evaluator finish(self)
    cdef Evaluator answered(self)
    cdef void give_up(self, object error) noexcept
    cdef int close(self) except -1
