"""The threads that value the leaves of one tree, beside the thread of the search: starting, serving, joining.

How leaves wait for them is in ``tree/flights.pxd``. A search without a valuation gives every thread a tree of its own
instead (``engine/threads.pyx``): there an iteration is too short to hand a part of it to another core.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.dispatch cimport hot_table
from mcts_core.engine.slices cimport SIGNAL_INTERVAL
from mcts_core.engine.workers cimport Worker
from mcts_core.game cimport mcts_interrupt
from mcts_core.platform cimport mcts_clock, mcts_flag_read, mcts_flag_write, mcts_wait
from mcts_core.tree.guided_tree cimport MOST_FLIGHTS, GuidedOps, GuidedTree


cdef GuidedOps *ops = <GuidedOps *>hot_table("tree.guided_tree")


cdef uint32_t lanes_of(uint32_t threads) noexcept nogil:
    return threads if threads < MOST_FLIGHTS else <uint32_t>MOST_FLIGHTS


cdef class LeafThreads:
    """The threads that value leaves for one search."""

    def __cinit__(self):
        self.workers = []

    cdef int start(self, GuidedTree *tree, uint32_t lanes, uint32_t limit, bint repeatable, uint64_t seed,
                   double deadline) except -1:
        cdef Worker worker
        cdef mcts_interrupt interrupt
        self.tree = tree
        self.stop = 0
        self.deadline = deadline
        interrupt.raised = is_over
        interrupt.context = <void *>self
        if not ops.take_off(tree, lanes, limit, repeatable, seed, &interrupt):
            raise MemoryError("no memory for the threads of a search")
        try:
            self.workers = [Worker(self.work, (number,)) for number in range(1, lanes)]
            for worker in self.workers:
                worker.start()
        except BaseException:
            self.join(False)
            raise
        return 0

    def work(self, uint32_t number):
        """Runs one of these threads, to its end."""
        with nogil:
            self.serve(number)

    cdef void serve(self, uint32_t number) noexcept nogil:
        cdef uint32_t times = 0
        while not mcts_flag_read(&self.stop):
            if ops.help(self.tree.flights, number):
                times = 0
            else:
                mcts_wait(times)
                times += 1

    cdef bint is_over(self) noexcept nogil:
        return mcts_flag_read(&self.stop) or mcts_clock() >= self.deadline

    cdef int join(self, bint whole) except -1:
        cdef Worker worker
        failure = None
        if whole:
            with nogil:
                ops.answer_all(self.tree)
        mcts_flag_write(&self.stop, 1)
        for worker in self.workers:
            while not worker.is_over():
                try:
                    worker.wait(SIGNAL_INTERVAL)
                except BaseException as error:  # Ctrl-C
                    failure = error
        self.workers = []
        ops.land(self.tree)
        if failure is not None:
            raise failure
        return 0


cdef int32_t is_over(void *context) noexcept nogil:
    """What exact search asks in all of these threads."""
    return (<LeafThreads>context).is_over()
