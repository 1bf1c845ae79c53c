"""Threads that share the tasks of short jobs, such as one step in each of many trees.

A job takes some hundred microseconds, and the network is at work between two of them. So the threads sleep in between,
each at a lock of its own: a thread that looks for work again and again would take a core from the network. A job never
waits for a thread to wake up: one that wakes late finds no task left.
"""

from cpython.pythread cimport (WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
                               PyThread_release_lock)
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free

from mcts_core.engine.workers cimport Worker, end_all
from mcts_core.platform cimport (mcts_count_down, mcts_flag_read, mcts_flag_write, mcts_publish, mcts_published,
                                 mcts_take, mcts_wait)


cdef class TaskThreads:
    """``count`` threads beside the one that calls ``run``. Call ``close`` at the end."""

    def __cinit__(self, uint32_t count):
        cdef uint32_t number
        cdef Worker worker
        self.doors = <PyThread_type_lock *>calloc(count + 1, sizeof(PyThread_type_lock))
        self.called = <uint32_t *>calloc(count + 1, sizeof(uint32_t))
        if self.doors == NULL or self.called == NULL:
            raise MemoryError
        for number in range(count):
            self.doors[number] = PyThread_allocate_lock()
            if self.doors[number] == NULL:
                raise MemoryError("no memory for a lock")
            self.count += 1
            PyThread_acquire_lock(self.doors[number], WAIT_LOCK)
        self.workers = []
        try:
            for number in range(count):
                worker = Worker(self.work, (number,))
                self.workers.append(worker)
                worker.start()
        except BaseException:
            self.close()
            raise

    def __dealloc__(self):
        cdef uint32_t number
        for number in range(self.count):
            PyThread_release_lock(self.doors[number])  # on some systems it is an error to free a lock that is held
            PyThread_free_lock(self.doors[number])
        free(self.doors)
        free(self.called)

    def work(self, uint32_t number):
        """Runs one of the threads, to its end."""
        with nogil:
            self.serve(number)

    cdef void serve(self, uint32_t number) noexcept nogil:
        while True:
            PyThread_acquire_lock(self.doors[number], WAIT_LOCK)
            mcts_count_down(&self.called[number])  # who calls again from here on opens the door again
            if mcts_flag_read(&self.stop):
                return
            self.do_tasks()

    cdef void do_tasks(self) noexcept nogil:
        cdef int32_t number = mcts_count_down(&self.left)
        while number >= 0:
            self.task(self.context, <uint32_t>number)
            mcts_count_down(&self.unfinished)
            number = mcts_count_down(&self.left)

    cdef void run(self, Task task, void *context, uint32_t tasks, Ask ask, void *asked) noexcept nogil:
        cdef uint32_t number, times = 0
        self.task = task
        self.context = context
        self.unfinished = tasks
        mcts_publish(&self.left, tasks)
        for number in range(self.count):
            if number + 1 < tasks and mcts_take(&self.called[number]):
                PyThread_release_lock(self.doors[number])
        self.do_tasks()
        while mcts_published(&self.unfinished) != 0:
            mcts_wait(times)
            times += 1
            if times % 64 == 0:
                ask(asked)

    cdef int close(self) except -1:
        cdef uint32_t number
        mcts_flag_write(&self.stop, 1)
        for number in range(self.count):
            if mcts_take(&self.called[number]):
                PyThread_release_lock(self.doors[number])
        return end_all(self.workers, None)
