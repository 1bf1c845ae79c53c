"""Threads that share the tasks of short jobs."""

from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int32_t, uint32_t


ctypedef void (*Task)(void *context, uint32_t number) noexcept nogil
ctypedef int32_t (*Ask)(void *context) noexcept nogil


cdef class TaskThreads:
    cdef list workers
    cdef uint32_t count             # threads beside the one that calls `run`
    cdef PyThread_type_lock *doors  # each thread waits at one
    cdef uint32_t *called           # 1: its door is open, or it has not yet begun to look for tasks
    cdef uint32_t stop              # a flag
    # the job
    cdef Task task
    cdef void *context
    cdef uint32_t left             # tasks that nobody has taken; it may count below 0
    cdef uint32_t unfinished

    # Does tasks 0 to `tasks` - 1, in any order, and returns when all are done. While it waits for the others, it calls
    # `ask`.
    cdef void run(self, Task task, void *context, uint32_t tasks, Ask ask, void *asked) noexcept nogil
    cdef void do_tasks(self) noexcept nogil
    cdef void serve(self, uint32_t number) noexcept nogil
    # Ends the threads.
    cdef int close(self) except -1
