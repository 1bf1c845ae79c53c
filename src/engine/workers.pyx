"""Threads that no interrupt can part from who started them.

``threading`` is written in Python, so that what a signal handler raises may come between any two of its steps: a
thread runs that nobody knows of, or a lock is never released. Here a thread is started, waited for and told to end in
native code, where signals are looked at only where that is said.
"""

from _thread import allocate_lock, start_new_thread

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from mcts_core.engine.turn cimport Halt, forks


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()
    uint32_t mcts_published(const uint32_t *number)
    void mcts_publish(uint32_t *number, uint32_t value)
    int mcts_take(uint32_t *flag)


cdef double POLL = 0.02   # seconds between two looks at signals: on Windows, Ctrl-C does not end a wait
cdef double GRACE = 2.0   # seconds, after an interrupt, that threads have to end; only a user's function needs more


cdef class Worker:
    """A function that runs in a thread of its own."""

    def __cinit__(self, function, tuple arguments=(), Halt halt=None):
        self.function = function
        self.arguments = arguments
        self.halt = halt
        self.lock = allocate_lock()
        self.lock.acquire(False)
        self.ended = 1

    cdef int start(self) except -1:
        """Starts it. What this raises leaves it over, or, where the thread runs already, about to run to its end."""
        self.ended = 0
        self.forks = forks
        try:
            start_new_thread(self.run, ())
        except BaseException:
            if mcts_take(&self.taken):
                self.end()
            raise
        return 0

    def run(self):
        """What the thread does."""
        if not mcts_take(&self.taken):
            return
        try:
            self.value = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
            if self.halt is not None:
                self.halt.tell()
        finally:
            self.end()

    cdef void end(self) noexcept:
        self.function = self.arguments = None
        mcts_publish(&self.ended, 1)
        self.lock.release()

    cdef bint is_over(self) noexcept:
        """Whether it does not run, or its thread is not in this process."""
        return mcts_published(&self.ended) != 0 or self.forks != forks

    cdef bint wait(self, double seconds) except -1:
        """Whether it is over, after so many seconds at most. An interrupt comes through."""
        if not self.is_over() and self.lock.acquire(True, seconds):
            self.lock.release()
        PyErr_CheckSignals()
        return self.is_over()


cdef int wait_for_all(list workers, Halt halt, object failure) except -1:
    cdef Worker worker
    cdef double until = 1e300 if failure is None else mcts_clock() + GRACE
    for worker in workers:
        while not worker.is_over() and mcts_clock() < until:
            try:
                worker.wait(POLL)
            except BaseException as error:
                halt.tell()
                if failure is None:
                    until = mcts_clock() + GRACE
                elif error is not failure:
                    error.__context__ = failure
                failure = error
    if failure is not None:
        raise failure
    return 0


def run_together(list functions, Halt halt not None):
    """What the functions return, each of which runs in a thread of its own.

    What one of them raises is raised when all have ended, the first in the order of the list; ``halt`` is told, which
    they have to look at. The same for an interrupt (Ctrl-C), at whatever moment it comes, which waits for two seconds
    at most.
    """
    cdef list workers = [Worker(function, (), halt) for function in functions]
    cdef Worker worker
    failure = None
    try:
        for worker in workers:
            worker.start()
    except BaseException as error:
        halt.tell()
        failure = error
    wait_for_all(workers, halt, failure)
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return [worker.value for worker in workers]
