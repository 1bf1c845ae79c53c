"""Whose turn it is to search: one search at a time, which any thread may cancel or wait for."""

from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport uint32_t, uintptr_t


cdef uint32_t forks                # number of forks that led to this process

# Whether Python handles signals in this thread.
cdef bint on_main_thread() except -1

# The calling thread works for the one that started it, which waits for it: what would wait for that one would never
# end. ``work_for_none`` ends this.
cdef int work_for(uintptr_t starter) except -1
cdef void work_for_none() noexcept

# Whether the calling thread is this one, or works for it, or for a thread that works for it, and so on.
cdef bint works_for(uintptr_t thread) noexcept

# Raises SearchBusy for settings of another kind: the core was exchanged before the search began.
cdef int require_kind(object settings, type kind) except -1


cdef class Halt:
    cdef uint32_t flag             # 1: the searches that it was given to are to end; written by any thread


cdef class SearchTurn:
    cdef PyThread_type_lock lock   # held while a search runs, or while a thread reads what the last one found
    cdef uint32_t number           # of the latest search; read by any thread, as the following four are
    cdef uint32_t cancelled        # the latest search that is to end; written by any thread
    cdef uint32_t searching        # 1: the lock is held by a search
    cdef uintptr_t thread          # the one that searches or reads, 0: none
    cdef uint32_t forks            # the value of `forks` when the lock was taken last
    cdef Halt halt                 # that of the search that runs, or None

    cdef bint take(self) except -1
    cdef bint acquire_soon(self) noexcept
    cdef void hold(self) noexcept
    cdef void give(self) noexcept
    cdef int take_or_refuse(self) except -1
    cdef int take_to(self, str what) except -1
    cdef int claim(self) except -1
    cdef int begin_turn(self, Claim claim, Halt halt) except -1
    cdef void leave(self) noexcept
    cdef void forget(self) noexcept
    cdef bint is_own(self) noexcept
    cdef bint is_cancelled(self) noexcept nogil
    cdef void cancel_search(self, uint32_t number) noexcept nogil


cdef class Claim:
    cdef SearchTurn core           # None: the search has begun, or was given up
    cdef uint32_t number           # of the search

    cdef void give_back(self) noexcept
