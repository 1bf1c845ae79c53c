"""Threads that an interrupt cannot lose."""

from libc.stdint cimport uint32_t, uintptr_t

from mcts_core.engine.turn cimport Halt


# Seconds between two looks at signals: on Windows, Ctrl-C does not end a wait.
cdef double POLL


cdef class Worker:
    cdef object function           # None: it has ended, or never begins
    cdef tuple arguments
    cdef Halt halt                 # told when the function raises; or None
    cdef bint alone                # its starter does not wait for it
    cdef uintptr_t starter         # the thread that waits for it, 0: none
    cdef uintptr_t thread          # its own while it runs, else 0; read by any thread
    cdef object lock               # held until the thread ends
    cdef uint32_t taken            # 1: by the thread, which runs, or by its starter: then the thread does nothing
    cdef uint32_t ended            # published
    cdef uint32_t forks            # the value of `forks` when it was started
    cdef readonly object value     # what the function returned
    cdef object error              # what it raised

    cdef int start(self) except -1
    cdef void end(self) noexcept
    cdef bint is_over(self) noexcept
    cdef bint is_own(self) noexcept
    cdef bint wait(self, double seconds) except -1


# Waits until all have ended; after an interrupt, which tells the halt, for some seconds at most. Raises the interrupt.
cdef int wait_for_all(list workers, Halt halt, object failure) except -1

# The same for workers that end by themselves now, where ``failure`` is on its way already: it is not raised again.
cdef int end_all(list workers, object failure) except -1
