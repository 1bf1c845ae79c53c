"""Evaluators that are called in a thread of their own, while the search gathers the leaves of the next call."""

from _queue import Empty, SimpleQueue

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from mcts_core.engine.evaluators cimport Evaluator
from mcts_core.engine.workers cimport POLL, Worker, end_all
from mcts_core.games.general_rules cimport Rules


cdef class Call:
    """Of an evaluator, for the leaves that were gathered into its arrays."""

    def __cinit__(self, Evaluator evaluator, uint32_t rows):
        self.evaluator = evaluator
        self.rows = rows


cdef class EvaluationThread:
    """Calls evaluators in the order in which ``begin`` names them. Call ``close`` at the end."""

    def __cinit__(self, Rules rules):
        self.rules = rules
        self.calls, self.answers = SimpleQueue(), SimpleQueue()
        self.worker = Worker(self.serve)
        self.worker.start()

    def serve(self):
        """Runs in the thread."""
        cdef Call call
        while True:
            call = self.calls.get()
            if call is None or self.over:
                return
            try:
                call.evaluator.evaluate(self.rules, call.rows)
                call.evaluator.copy()  # the next call begins before these are read
            except BaseException as error:
                call.error = error
            self.answers.put(call)

    cdef int begin(self, Evaluator evaluator, uint32_t rows) except -1:
        """Begins a call for the first ``rows`` leaves. It waits while an earlier one runs."""
        self.calls.put(Call(evaluator, rows))
        self.asked += 1
        return 0

    cdef Evaluator finish(self):
        """Waits for the call that began first; its evaluator. Raises what it or a signal handler raised."""
        cdef Call call = None
        while call is None:
            try:
                call = self.answers.get(timeout=POLL)
            except Empty:
                PyErr_CheckSignals()
                if self.worker.is_over() and self.answers.empty():
                    raise RuntimeError("the thread that calls the evaluator has ended; a process that was forked "
                                       "during a search cannot go on with it")
        self.asked -= 1
        if call.error is not None:
            raise call.error
        return call.evaluator

    cdef Evaluator answered(self):
        """As ``finish``, but None where no call has ended."""
        return None if self.answers.empty() else self.finish()

    cdef void give_up(self, object error) noexcept:
        """The search ends by this exception. An interrupt must not wait for a call that does not end."""
        if error is not None and not isinstance(error, Exception):
            self.failure = error

    cdef int close(self) except -1:
        """Ends the thread. A call that runs is waited for; after an interrupt, two seconds at most. One that waits is
        dropped."""
        self.over = True
        self.calls.put(None)
        return end_all([self.worker], self.failure)
