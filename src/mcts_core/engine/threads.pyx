"""The threads of one search beside the one that called it: starting them, what each one does, joining them.

Each has a tree of its own; how they exchange news is in ``engine/thread_exchange.pyx``.
"""

from libc.stdint cimport uint32_t

from mcts_core.platform cimport mcts_clock, mcts_flag_read, mcts_flag_write
from mcts_core.tree.exchange cimport forget_gone
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, Tree, spent_of
from mcts_core.game cimport mcts_interrupt
from mcts_core.engine.reuse cimport prune
from mcts_core.engine.slices cimport SIGNAL_INTERVAL, SLICE, next_batch
from mcts_core.engine.turn cimport SearchTurn
from mcts_core.engine.thread_exchange cimport Member, Team, team_begin, team_end, team_merge, team_run
from mcts_core.engine.workers cimport Worker


cdef enum:
    NEVER = 0xFFFFFFFF


cdef class SearchThreads:
    """The other threads of a search; the search itself is the team's first member."""

    def __cinit__(self):
        self.workers = []

    cdef int start(self, Team *team, uint32_t limit, uint32_t interval, bint repeatable, bint prunes, double begin,
                   double deadline, mcts_interrupt interrupt) except -1:
        cdef uint32_t i = 1, later
        cdef Worker worker
        self.team = team
        self.prunes = prunes
        self.begin = begin
        self.workers = [Worker(self.work, (index,)) for index in range(1, team.count)]
        team_begin(team, limit, interval, repeatable, deadline, interrupt)
        try:
            for worker in self.workers:
                worker.start()
                i += 1
        except BaseException:
            mcts_flag_write(&team.stop, 1)
            for later in range(i if worker.is_over() else i + 1, team.count):
                team_end(team, later)
            self.join(None, False)
            raise
        return 0

    def work(self, uint32_t number):
        """Runs one of these threads, to its end."""
        with nogil:
            self.run_worker(number)

    cdef void run_worker(self, uint32_t number) noexcept nogil:
        cdef Member *member = &self.team.members[number]
        cdef Tree *tree = member.tree
        cdef uint32_t batch = 1, left, full_at = NEVER
        cdef double last = mcts_clock(), now
        while not mcts_flag_read(&self.team.stop) and last < self.team.deadline:
            left = member.limit - spent_of(tree)
            if left == 0:
                break
            member.status = team_run(self.team, number, left if left < batch else batch)
            if member.status == RUN_MEMORY and self.prunes and spent_of(tree) != full_at:
                full_at = spent_of(tree)
                member.status = prune(tree, self.begin, self.team.deadline, mcts_clock())
                if member.status == RUN_DONE:
                    forget_gone(tree, &member.known)
                    continue
            if member.status != RUN_DONE:
                break
            now = mcts_clock()
            batch = next_batch(batch, now - last, SLICE)
            last = now
        team_end(self.team, number)

    cdef int join(self, SearchTurn core, bint wait) except -1:
        cdef uint32_t i
        cdef Worker worker
        failure = None
        self.cancelled = False
        team_end(self.team, 0)
        if not wait:
            mcts_flag_write(&self.team.stop, 1)
        for worker in self.workers:
            while not worker.is_over():
                try:
                    if not worker.wait(SIGNAL_INTERVAL) and core is not None and core.is_cancelled():
                        mcts_flag_write(&self.team.stop, 1)
                        self.cancelled = True
                except BaseException as error:  # Ctrl-C
                    failure = error
                    mcts_flag_write(&self.team.stop, 1)
        self.workers = []
        if failure is not None:
            raise failure
        with nogil:
            team_merge(self.team)
        for i in range(1, self.team.count):
            if self.team.members[i].status == RUN_GAME_ERROR:
                return RUN_GAME_ERROR
        return RUN_DONE
