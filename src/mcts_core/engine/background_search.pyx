"""Searches in threads of their own, and what uses them: pondering and watching.

The caller of such a search holds an object, and the search ends with the last reference to it, wherever an interrupt
drops that. So an interrupt leaves either no search or one that is about to end; the Searcher waits for the latter
(``SearchTurn.take``). All of it is native code, above all what runs when an object is deleted: Python drops exceptions
there, an interrupt included.
"""

import atexit
import os
from _thread import allocate_lock
from collections import deque

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from mcts_core.errors import SearchBusy

from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.turn cimport Claim, on_main_thread
from mcts_core.engine.workers cimport Worker
from mcts_core.platform cimport mcts_clock, mcts_publish, mcts_published


cdef double AT_EXIT = 5.0  # seconds to wait when the interpreter exits; only a user's game can need more than a moment
cdef double POLL = 0.05    # seconds between two looks at signals while waiting: on Windows, Ctrl-C does not end a wait

cdef set running = set()   # each Run that has begun and not ended


cdef class Run:
    """What the thread of a search holds: no reference to the BackgroundSearch, whose end is to end it."""

    cdef SearchCore core
    cdef SearchRequest request
    cdef Claim claim
    cdef object ended
    cdef Worker worker

    def search(self):
        try:
            return self.core.search(self.request, self.claim)
        finally:
            self.claim.give_back()  # in case the search never began
            self.request = None
            running.discard(self)
            ended, self.ended = self.ended, None
            if ended is not None:
                ended()

    cdef bint wait(self, double seconds) except -1:
        """Waits so many seconds at most; whether it has ended. Raises SearchBusy within the search itself."""
        cdef double until = mcts_clock() + seconds, left = seconds
        if self.worker.is_own():
            raise SearchBusy("the game, evaluator or progress callback of a search cannot wait for the end of that "
                             "search")
        while not self.worker.is_over():
            if left <= 0:
                return False
            self.worker.wait(min(left, POLL))
            left = until - mcts_clock()
        return True


@cython.no_gc_clear  # __dealloc__ needs the core
cdef class BackgroundSearch:
    """A search of ``core`` in a thread of its own, which begins with this object and ends with it at the latest.

    ``ended`` is called in that thread when the search has ended. Raises SearchBusy; RuntimeError where the system
    cannot start a thread.
    """

    cdef SearchCore core
    cdef uint32_t number
    cdef Run run

    def __cinit__(self, SearchCore core not None, SearchRequest request not None, ended=None):
        cdef Run run = Run.__new__(Run)
        run.core = core
        run.ended = ended
        run.request = request
        run.claim = Claim(core)
        self.core = core
        self.number = run.claim.number
        self.run = run
        try:
            run.worker = Worker(run.search, (), None, True)
            running.add(run)
            run.worker.start()
        except BaseException:
            if run.worker is None or run.worker.is_over():
                running.discard(run)
                run.claim.give_back()
            raise

    def __dealloc__(self):
        if self.core is not None:
            self.end()

    cdef void end(self) noexcept:
        self.core.cancel_search(self.number)

    def cancel(self):
        """Makes the search end within a slice; without effect when it has ended."""
        self.end()

    def join(self, double timeout=1e9):
        """Waits for the thread, ``timeout`` seconds at most; call ``cancel`` first to keep that short."""
        self.run.wait(timeout)

    def result(self):
        """Waits for the thread and returns the move, or raises what the search raised."""
        cdef Worker worker = self.run.worker
        self.run.wait(1e9)
        error, worker.error = worker.error, None
        if error is not None:
            raise error
        return worker.value

    @property
    def running(self):
        """Whether the thread runs."""
        return not self.run.worker.is_over()

    @property
    def own(self):
        """Whether the calling thread is one of those that run the search, which cannot wait for it."""
        return self.run.worker.is_own()


@cython.no_gc_clear
cdef class Pondering:
    """The context of ``Searcher.pondering``; ``with`` gives the Searcher."""

    cdef object engine, state
    cdef BackgroundSearch search

    def __cinit__(self, engine, state):
        self.engine = engine
        self.state = state

    def __dealloc__(self):
        if self.search is not None:
            self.search.end()

    def __enter__(self):
        cdef BackgroundSearch search = self.engine._begin_pondering(self.state)
        self.engine._background = search
        self.search = search
        return self.engine

    def __exit__(self, kind, error, traceback):
        cdef BackgroundSearch search = self.search
        if search is None:
            return
        search.end()
        self.search = None
        if self.engine._background is search:
            self.engine._background = None
        if search.own:
            return
        if kind is None:
            search.result()
        else:  # the exception of the body takes precedence
            search.join()


cdef class Mailbox:
    """Figures from a search to the thread that watches it."""

    cdef object reports            # the latest one
    cdef object bell               # a lock that the search releases
    cdef uint32_t over             # published

    def __cinit__(self):
        self.reports = deque(maxlen=1)
        self.bell = allocate_lock()
        self.bell.acquire(False)

    cdef void ring(self) noexcept:
        if self.bell.locked():
            self.bell.release()

    def report(self, figures):
        self.reports.append(figures)
        self.ring()

    def end(self):
        mcts_publish(&self.over, 1)
        self.ring()


cdef class Watch:
    """The iterator of ``Searcher.watch``: ``convert(core, figures)`` of a search in another thread, after every
    ``request.every`` seconds and at its end. The search begins when the first item is asked for.
    """

    cdef SearchCore core
    cdef SearchRequest request
    cdef object convert
    cdef Mailbox mail
    cdef BackgroundSearch search
    cdef bint over

    def __cinit__(self, SearchCore core not None, SearchRequest request not None, convert):
        self.core = core
        self.request = request
        self.convert = convert
        self.mail = Mailbox()

    def __iter__(self):
        return self

    def __next__(self):
        if self.over:
            raise StopIteration
        if self.search is not None and self.search.own:
            raise SearchBusy("the game or evaluator of a search cannot wait for the figures of that search")
        try:
            return self.following()
        except BaseException:
            self.over = True
            if self.search is not None:
                self.search.end()
            raise

    cdef object following(self):
        cdef Mailbox mail = self.mail
        if self.search is None:
            self.request.begin = mcts_clock()
            self.request.progress = mail.report
            self.search = BackgroundSearch(self.core, self.request, mail.end)
        while not mcts_published(&mail.over) and self.search.running:  # a forked process does not have its thread
            if mail.reports:
                return self.convert(self.core, mail.reports.pop())
            mail.bell.acquire(True, POLL)
            PyErr_CheckSignals()
        self.search.result()
        try:
            figures = self.core.figures()
        except SearchBusy:  # another thread has begun the next search
            figures = None
        if figures is None:
            raise StopIteration
        self.over = True
        return self.convert(self.core, figures)

    def close(self):
        """Ends the search and waits for its thread; within the search itself, it does not wait."""
        self.over = True
        if self.search is not None:
            self.search.end()
            if not self.search.own:
                self.search.join()


def end_all():
    """Ends all searches before the interpreter exits: a thread that asked for the GIL later would hang or be killed."""
    cdef Run run
    cdef list left = list(running)
    for run in left:
        run.core.cancel_search(run.claim.number)
    for run in left:
        run.wait(AT_EXIT)


on_main_thread()  # imports what it needs here: the thread of a search must not (see run_apart)
atexit.register(end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=running.clear)
