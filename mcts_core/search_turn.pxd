"""Whose turn it is: one search at a time, which any thread may cancel or wait for."""

from libc.stdint cimport uint32_t, uint64_t


cdef class SearchTurn:
    cdef object lock               # held while a search runs
    cdef uint32_t number           # of the latest search
    cdef uint32_t cancelled        # the search that is to end; written by any thread
    cdef uint64_t thread           # that runs the search, 0: none; a number, since any thread may read it at any time
    cdef bint searching            # the lock is held by a search
    cdef uint32_t forks            # when the lock was taken last

    cdef bint take(self) except -1
    cdef void leave(self) noexcept
    cdef void forget(self) noexcept
