"""One search at a time: the lock of a core, the number by which a search is cancelled, and what a fork does to both.

Python runs signal handlers in the main thread between two bytecodes, or in a wait, so what they raise
(KeyboardInterrupt) may interrupt Python code anywhere. So no Python code ever holds a core: a search takes and leaves
it within one native call, and a search that is to begin in another thread holds it by a Claim.
"""

import os

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
                               PyThread_get_thread_ident, PyThread_release_lock, PyThread_type_lock)
from libc.stdint cimport uint32_t, uintptr_t

from mcts_core.errors import SearchBusy

from mcts_core.platform cimport mcts_clock, mcts_flag_read, mcts_flag_write, mcts_mark_read, mcts_mark_write, mcts_raise


cdef extern from "Python.h" nogil:
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int interruptible)


cdef long long POLL = 10000  # microseconds between two looks at whether there was a fork, and at signals
cdef int DEEPEST = 64  # threads that each work for the next one
cdef double ENDING = 5.0  # seconds that a cancelled search is waited for

cdef uint32_t forks = 0  # nobody holds a lock that was taken before the last fork


cdef size_t main_thread = 0  # the thread in which Python handles signals; 0: it is not known yet


cdef bint on_main_thread() except -1:
    global main_thread
    if main_thread == 0:
        import threading  # not at the top: it would be a quarter of the package's import time

        main_thread = threading.main_thread().ident
    return <size_t>PyThread_get_thread_ident() == main_thread


def count_fork():
    global forks, main_thread
    forks += 1
    main_thread = 0
    starters.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)


cdef int require_kind(object settings, type kind) except -1:
    if settings is not None and type(settings) is not kind:
        raise SearchBusy("another thread has just searched a game of another kind with this Searcher; use one Searcher "
                         "per concurrent search")
    return 0


cdef dict starters = {}  # of each thread that works for another one, which waits for it: that other one


cdef int work_for(uintptr_t starter) except -1:
    starters[<uintptr_t>PyThread_get_thread_ident()] = starter
    return 0


cdef void work_for_none() noexcept:
    starters.pop(<uintptr_t>PyThread_get_thread_ident(), None)


cdef bint works_for(uintptr_t thread) noexcept:
    cdef uintptr_t caller = <uintptr_t>PyThread_get_thread_ident()
    cdef int _
    for _ in range(DEEPEST):  # a new thread may have the number of one that left its workers behind: a ring
        if caller == 0 or caller == thread:
            break
        caller = <uintptr_t>starters.get(caller, 0)
    return caller == thread


cdef class Halt:
    """Ends the searches that it is given to, those that begin later included."""

    def tell(self):
        """Makes each of them end within a slice. May be called from any thread."""
        mcts_flag_write(&self.flag, 1)

    @property
    def told(self):
        """Whether they are to end."""
        return mcts_flag_read(&self.flag) != 0


cdef class SearchTurn:
    """The part of a core that says whose turn it is to search."""

    def __cinit__(self, *arguments):
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError("no memory for a lock")
        self.forks = forks

    def __dealloc__(self):
        if self.lock != NULL and self.forks == forks:  # else another process's thread may have been in it
            PyThread_free_lock(self.lock)

    cdef void forget(self) noexcept:
        """After a fork: drops what a thread was changing that this process does not have."""

    cdef bint take(self) except -1:
        """Takes the lock; False while a search runs, and where the calling thread has the lock. Waits for a search that
        was cancelled: it is about to end."""
        cdef double until
        cdef PyThread_type_lock other
        if PyThread_acquire_lock(self.lock, NOWAIT_LOCK):
            self.hold()
            return True
        until = mcts_clock() + ENDING
        while self.forks == forks:
            if self.is_own() or (mcts_flag_read(&self.searching) and (
                    mcts_flag_read(&self.cancelled) != mcts_flag_read(&self.number) or mcts_clock() > until)):
                return False
            if self.acquire_soon():  # a thread that reads statistics holds it only for a moment
                self.hold()
                return True
            PyErr_CheckSignals()
        # after a fork: this process does not have the thread that holds the lock and was changing the tree. The lock
        # is not freed: on some systems that is an error while it is held.
        other = PyThread_allocate_lock()
        if other == NULL:
            raise MemoryError("no memory for a lock")
        self.lock = other
        PyThread_acquire_lock(self.lock, NOWAIT_LOCK)
        self.hold()
        self.forks = forks
        mcts_flag_write(&self.searching, 0)
        self.forget()
        return True

    cdef bint acquire_soon(self) noexcept:
        """Takes the lock if it becomes free within a moment."""
        cdef bint taken
        with nogil:
            taken = PyThread_acquire_lock_timed(self.lock, POLL, True) == 1
        return taken

    cdef void hold(self) noexcept:
        """Says that the calling thread has the lock."""
        mcts_mark_write(&self.thread, <uintptr_t>PyThread_get_thread_ident())

    cdef void give(self) noexcept:
        """Releases the lock."""
        mcts_mark_write(&self.thread, 0)
        PyThread_release_lock(self.lock)

    cdef int take_or_refuse(self) except -1:
        """Takes the lock, or raises SearchBusy."""
        if self.take():
            return 0
        if self.is_own():
            raise SearchBusy("the game, evaluator or progress callback of a search called the Searcher that runs it; "
                             "make another Searcher for it (calls of search() with the same options share one in each "
                             "thread)")
        raise SearchBusy("this Searcher is searching in another thread; use one Searcher per concurrent search, "
                         "or stop() it first")

    cdef int take_to(self, str what) except -1:
        """Takes the lock for something that can be done after a search, or raises SearchBusy."""
        if self.take():
            return 0
        where = "" if self.is_own() else " in another thread"
        raise SearchBusy(f"this Searcher is searching{where}; {what} afterwards")

    cdef int claim(self) except -1:
        """Takes the core for a new search, with a new number."""
        self.take_or_refuse()
        self.forks = forks
        mcts_mark_write(&self.thread, 0)
        mcts_raise(&self.cancelled, self.number)  # it wraps around, as the number does
        mcts_flag_write(&self.number, self.number + 1)
        mcts_flag_write(&self.searching, 1)
        return 0

    cdef int begin_turn(self, Claim claim, Halt halt) except -1:
        """Begins a search in this thread. ``claim`` holds the core already; None: this takes it."""
        if claim is None:
            self.claim()
        elif claim.core is self:
            claim.core = None
        else:
            raise ValueError("a search needs a Claim of its own core, which no other search has had")
        self.hold()
        self.halt = halt
        return 0

    cdef void leave(self) noexcept:
        """Ends the turn of a search."""
        self.halt = None
        mcts_flag_write(&self.searching, 0)
        self.give()

    cdef bint is_own(self) noexcept:
        """Whether the calling thread has the lock, or works for the one that has it."""
        cdef uintptr_t holder = mcts_mark_read(&self.thread)
        return holder != 0 and works_for(holder)

    cdef bint is_cancelled(self) noexcept nogil:
        """Whether the search that runs is to end."""
        return (mcts_flag_read(&self.cancelled) == self.number
                or (self.halt is not None and mcts_flag_read(&self.halt.flag) != 0))

    cdef void cancel_search(self, uint32_t number) noexcept nogil:
        """Cancels the search of this number; without effect when it has ended."""
        mcts_raise(&self.cancelled, number)

    def cancel(self):
        """Cancels the search that is running and returns its number, or that of the last one. May be called from any
        thread."""
        number = mcts_flag_read(&self.number)
        self.cancel_search(number)
        return number

    def wait(self, uint32_t number):
        """Waits until the search of this number has ended; False at once when the calling thread is one of those that
        run it."""
        while mcts_flag_read(&self.number) == number:
            if self.take():
                self.give()
                break
            if self.is_own():
                return False
            if self.acquire_soon():
                self.give()
                break
            PyErr_CheckSignals()
        return True

    def check_free(self):
        """Raises SearchBusy while a search runs."""
        self.take_or_refuse()
        self.give()


@cython.no_gc_clear  # __dealloc__ needs the core
cdef class Claim:
    """Holds a core for a search that begins in another thread; frees it at the end if that search never began."""

    def __cinit__(self, SearchTurn core not None):
        core.claim()
        self.core = core
        self.number = core.number

    def __dealloc__(self):
        self.give_back()

    cdef void give_back(self) noexcept:
        """Frees the core without a search; without effect when the search has begun."""
        cdef SearchTurn core = self.core
        if core is not None:
            self.core = None
            core.leave()
