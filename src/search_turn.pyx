"""One search at a time: the lock of a core, its number for cancelling, and what a fork does to them."""

import os
from _thread import allocate_lock, get_ident

from libc.stdint cimport uint32_t

from mcts_core.errors import SearchBusy


cdef extern from "kernels/platform.h" nogil:
    void mcts_flag_write(uint32_t *flag, uint32_t value)


cdef uint32_t forks = 0  # that this process comes from: a lock that was taken before the last one is nobody's


def count_fork():
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)


cdef class SearchTurn:
    """The part of a core that says who searches."""

    def __cinit__(self, *arguments):
        self.lock = allocate_lock()
        self.forks = forks

    cdef void forget(self) noexcept:
        """Drops what a thread that is not in this process, after a fork, was changing."""

    cdef bint take(self) except -1:
        """Takes the lock; False while a search runs."""
        if self.lock.acquire(False):
            return True
        while self.forks == forks:
            if self.searching:
                return False
            if self.lock.acquire(True, 0.01):  # whoever reads statistics has it for a moment
                return True
        # after a fork: the thread that holds the lock, and was changing the tree, is not in this process
        self.lock = allocate_lock()
        self.lock.acquire(False)
        self.forks = forks
        self.searching = False
        self.forget()
        return True

    cdef void leave(self) noexcept:
        """Ends the turn of a search."""
        self.thread = 0
        self.searching = False
        self.lock.release()

    def claim(self):
        """Takes the core for a search that this thread or another one then runs; the number of it."""
        if not self.take():
            if self.thread == get_ident():
                raise SearchBusy("this Searcher is searching; a progress callback can use another one")
            raise SearchBusy("this Searcher is searching in another thread; use one Searcher per concurrent search, "
                             "or stop() it first")
        self.searching = True
        self.forks = forks
        self.thread = 0
        self.number += 1
        return self.number

    def abandon(self):
        """Gives a claimed core back without a search."""
        self.leave()

    def cancel(self, number=None):
        """Ends the search of this number, by default the latest one; without effect when it has ended.

        From any thread.
        """
        mcts_flag_write(&self.cancelled, self.number if number is None else <uint32_t>number)

    def wait(self):
        """Waits until the search that is running has ended; False when that is the calling thread's own."""
        number = self.number
        while self.number == number:
            if self.take():
                self.lock.release()
                break
            if self.thread == get_ident():
                return False
            if self.lock.acquire(True, 0.01):
                self.lock.release()
                break
        return True
