"""The threads of one search beside the one that called it."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_interrupt
from mcts_core.engine.turn cimport SearchTurn
from mcts_core.engine.thread_exchange cimport Team


cdef class SearchThreads:
    cdef Team *team                # of the search that runs
    cdef list workers
    cdef bint prunes               # a full tree is pruned; otherwise its thread ends
    cdef double begin              # when the search began
    cdef bint cancelled            # the search was cancelled while it waited for them

    # starts them; `repeatable`: their iterations are counted, and all are run
    cdef int start(self, Team *team, uint32_t limit, uint32_t interval, bint repeatable, bint prunes, double begin,
                   double deadline, mcts_interrupt interrupt) except -1
    cdef void run_worker(self, uint32_t number) noexcept nogil
    # ends them (`wait`: waits until they have run their iterations) and merges what they found; a Status
    cdef int join(self, SearchTurn core, bint wait) except -1
