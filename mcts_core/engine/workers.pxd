"""Threads that no interrupt can part from who started them."""

from libc.stdint cimport uint32_t

from mcts_core.engine.turn cimport Halt


cdef class Worker:
    cdef object function           # None: it has run, or never will
    cdef tuple arguments
    cdef Halt halt                 # what else ends when the function raises, None: nothing
    cdef object lock               # held until the thread ends
    cdef uint32_t taken            # 1: by the thread, which runs, or by its starter: then it never will
    cdef uint32_t ended            # published
    cdef uint32_t forks            # when it was started
    cdef readonly object value     # what the function returned
    cdef object error              # what it raised

    cdef int start(self) except -1
    cdef void end(self) noexcept
    cdef bint is_over(self) noexcept
    cdef bint wait(self, double seconds) except -1


# Waits until all have ended, or for some seconds after an interrupt, which ends what has the halt and then goes on.
cdef int wait_for_all(list workers, Halt halt, object failure) except -1
