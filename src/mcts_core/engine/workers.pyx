"""Threads that an interrupt cannot lose.

``threading`` is written in Python, so what a signal handler raises may come between any two of its steps: then a thread
runs that nobody knows of, or a lock is never released. Here native code starts a thread, waits for it and tells it to
end, and handles signals only where it says so.
"""

from _thread import allocate_lock, start_new_thread

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport uintptr_t

from mcts_core.engine.turn cimport Halt, forks, work_for, work_for_none, works_for
from mcts_core.platform cimport mcts_clock, mcts_mark_read, mcts_mark_write, mcts_publish, mcts_published, mcts_take


cdef str WITHOUT_THREADS = (
    "Searches with threads=1 need none; threads above 1, ponder, watch, search_async and search_parallel do. Python in "
    "WebAssembly has no threads")

POLL = 0.02
GRACE = 2.0   # seconds that threads have to end after an interrupt; only a user's function needs more


cdef class Worker:
    """A function that runs in a thread of its own.

    ``alone``: the thread that starts it does not wait for its end, or may call for that end while it waits.
    """

    def __cinit__(self, function, tuple arguments=(), Halt halt=None, bint alone=False):
        self.function = function
        self.arguments = arguments
        self.halt = halt
        self.alone = alone
        self.lock = allocate_lock()
        self.lock.acquire(False)
        self.ended = 1

    cdef int start(self) except -1:
        """Starts it. After an exception it is over, or, where the thread runs already, it runs to its end."""
        self.ended = 0
        self.forks = forks
        self.starter = 0 if self.alone else <uintptr_t>PyThread_get_thread_ident()
        try:
            start_new_thread(self.run, ())
        except BaseException as error:
            if mcts_take(&self.taken):
                self.end()
            if type(error) is RuntimeError:
                raise RuntimeError(f"the system starts no thread ({error}). {WITHOUT_THREADS}") from error
            raise
        return 0

    def run(self):
        """Runs in the thread: calls the function and keeps what it returns or raises."""
        if not mcts_take(&self.taken):
            return
        mcts_mark_write(&self.thread, <uintptr_t>PyThread_get_thread_ident())
        try:
            if self.starter != 0:
                work_for(self.starter)
            self.value = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
            if self.halt is not None:
                self.halt.tell()
        finally:
            self.end()

    cdef void end(self) noexcept:
        self.function = self.arguments = None
        if mcts_mark_read(&self.thread) != 0:
            work_for_none()
            mcts_mark_write(&self.thread, 0)
        mcts_publish(&self.ended, 1)
        self.lock.release()

    cdef bint is_over(self) noexcept:
        """Whether it does not run, also because a fork left its thread behind."""
        return mcts_published(&self.ended) != 0 or self.forks != forks

    cdef bint is_own(self) noexcept:
        """Whether its thread is the calling one, or has it work for it: to wait for it would never end."""
        cdef uintptr_t thread = mcts_mark_read(&self.thread)
        return thread != 0 and works_for(thread)

    cdef bint wait(self, double seconds) except -1:
        """Waits so many seconds at most; whether it is over. Raises what a signal handler raises."""
        if not self.is_over() and self.lock.acquire(True, seconds):
            self.lock.release()
        PyErr_CheckSignals()
        return self.is_over()


cdef int wait_for_all(list workers, Halt halt, object failure) except -1:
    cdef Worker worker
    cdef double until = 1e300 if failure is None else mcts_clock() + <double>GRACE
    for worker in workers:
        while not worker.is_over() and mcts_clock() < until:
            try:
                worker.wait(POLL)
            except BaseException as error:
                halt.tell()
                if failure is None:
                    until = mcts_clock() + <double>GRACE
                elif error is not failure:
                    error.__context__ = failure
                failure = error
    if failure is not None:
        raise failure
    return 0


cdef int end_all(list workers, object failure) except -1:
    try:
        wait_for_all(workers, Halt(), failure)
    except BaseException as error:
        if error is not failure:
            raise
    return 0


def run_together(list functions, Halt halt not None):
    """Runs each function in a thread of its own; a list of what they return.

    When one of them raises, ``halt`` is told, which all of them have to look at. When all have ended, this raises the
    first exception in the order of the list. An interrupt (Ctrl-C) at any moment does the same, but waits for two
    seconds at most.
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


def run_apart(function):
    """What ``function`` returns, run in a thread of its own, where the system has threads: no signal handler runs
    there, so no interrupt comes between two steps of a library that does not bear it.

    An interrupt waits for two seconds at most; the function may run on after that. It must not change what others use,
    and import nothing: a thread that was interrupted in an import may hold the lock of all imports.
    """
    cdef Worker worker = Worker(function)
    try:
        worker.start()
    except RuntimeError:
        return function()
    wait_for_all([worker], Halt(), None)
    if worker.error is not None:
        raise worker.error
    return worker.value
