"""The loop of a search: slices, the clock, signals, progress.

The loop runs without the GIL in short slices, or from one batch of evaluations to the next; between them it looks at
the clock and, on the main thread, at signals. It drives any tree by the operations of ``SearchedTree``. The rules by
which it ends are in ``engine/stop_rules.pyx``; ``engine/report.pyx`` says what it found.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint32_t

from mcts_core.dispatch import isa
from mcts_core.errors import EvaluatorError, NoSearch

from mcts_core.game cimport mcts_interrupt
from mcts_core.engine.report cimport final_move, log, log_entry, snapshot_of
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.turn cimport Claim, on_main_thread
from mcts_core.engine.slices cimport SIGNAL_INTERVAL, SLICE, next_batch
from mcts_core.engine.stats_snapshot cimport StatsSnapshot
from mcts_core.engine.stop_rules cimport Look, begin_look, due, make_room, stop_reason
from mcts_core.platform cimport mcts_clock
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SYSTEM_MEMORY


def clock():
    """Seconds of the clock that deadlines are measured on."""
    return mcts_clock()


cdef class SearchCore(SearchedTree):
    """Searches over one tree, one at a time. The memory is kept between searches and given back with the object."""

    def search(self, SearchRequest request not None, Claim claim=None):
        """Runs the search that is asked for and returns the move to play.

        ``claim``: the Claim of this search, where it runs in another thread than the one that asked for it; else None.
        """
        cdef int status, joined = RUN_DONE
        cdef Look look
        cdef const char *reason = NULL
        cdef dict entry
        self.begin_turn(claim, request.halt)
        try:
            self.set_up(request)
            begin_look(&look, self, request)
            self.progress = request.progress
            self.every = request.every
            try:
                look.limit = self.start(look.limit, look.seconds <= 0)
                if look.seconds <= 0 and self.busy > 1:
                    look.early = False
                try:
                    with nogil:
                        status = self.loop(&look, &reason)
                    if reason != NULL:  # else the game failed
                        self.end(reason)
                except BaseException as error:
                    self.give_up(error)
                    raise
                finally:
                    joined = self.join()
                if joined != RUN_DONE:
                    status = joined
                if self.is_proven():
                    self.stop_reason = "solved"
            except EvaluatorError:
                self.drop_result()
                raise
            finally:
                self.stop_clock(request.seconds)
            try:
                if status == RUN_GAME_ERROR:
                    self.fail()
                self.check_root()
            except Exception:  # Ctrl-C in the user's code is no Exception: the statistics stay then
                self.drop_result()
                raise
            if status == RUN_SYSTEM_MEMORY and not self.has_result():
                raise self.refusal(self.tree, status)
            move = self.conclude()
            entry = log_entry(self)
        finally:
            self.leave()
        if entry is not None:  # now what reads the log may use the Searcher
            log(entry)
        return move

    cdef int set_up(self, SearchRequest request) except -1:
        """Readies the tree and the clock."""
        self.finished = False
        self.line = None
        self.begin = request.begin
        if request.series is not None:
            request.seed = request.series.next_seed()
        self.open(request)
        if request.series is not None:  # a search that is refused takes no seed
            request.series.searches += 1
        self.state = request.state
        self.seed = request.seed
        self.isa = isa
        self.used = 0
        self.stop_reason = "cancelled"  # stays when a signal ends the search
        self.deadline = request.begin + request.seconds if request.seconds > 0 else 1e300
        self.named = self.crowded = False
        self.limit_rollouts(self.deadline)
        self.signals_at = request.begin + SIGNAL_INTERVAL if on_main_thread() else 1e300
        self.failure = None
        return 0

    cdef void end(self, const char *reason) noexcept:
        self.stop_reason = reason.decode()

    cdef void stop_clock(self, double seconds) noexcept:
        """Measures the time and drops what only a running search has; ``seconds``: its time budget, 0: none."""
        self.seconds = mcts_clock() - self.begin
        self.overshoot = max(0.0, self.seconds - seconds) if seconds > 0 else 0.0
        self.progress = None
        self.rest()

    cdef object conclude(self):
        """Settles the move to play."""
        if not self.has_result():
            raise self.refusal(self.tree, RUN_MEMORY)
        self.move = final_move(self)
        self.finished = True
        return self.move

    cdef int loop(self, Look *look, const char **reason) except -1 nogil:
        """Runs iterations until a stop rule ends it, which ``reason`` names. Returns the tree's Status."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, slice_seconds
        cdef double report_at = self.begin + self.every if self.progress is not None else 1e300
        look.spent = self.spent()
        while reason[0] == NULL:
            count = look.limit - look.spent if self.runs_ahead else due(look)
            if count > batch and not self.in_batches:
                count = batch
            look.status = self.run(count)
            last = now
            now = mcts_clock()
            look.ran = self.spent() - look.spent
            look.took = now - last
            look.spent = self.spent()
            if self.named:
                with gil:
                    self.fit_names()
            if now >= self.signals_at:
                with gil:
                    self.look_at_signals()
            if self.failure is not None:
                raise_failure(self)
            if look.status == RUN_MEMORY:
                make_room(self, look)
                now = mcts_clock()
            if look.status == RUN_GAME_ERROR:
                return look.status
            look.now = now
            reason[0] = stop_reason(self, look)
            # the next slice: SLICE long, half of what is left before the deadline, growing at most eightfold
            slice_seconds = SLICE
            if look.seconds > 0 and 0.5 * (self.deadline - now) < slice_seconds:
                slice_seconds = 0.5 * (self.deadline - now)
            batch = next_batch(batch, now - last, slice_seconds)
            if now >= report_at and reason[0] == NULL:
                with gil:
                    self.report()
                now = mcts_clock()
                report_at = now + self.every
        return look.status

    cdef mcts_interrupt interrupt(self) noexcept nogil:
        """What exact search asks in the search's own thread."""
        cdef mcts_interrupt interrupt
        interrupt.raised = is_over
        interrupt.context = <void *>self
        return interrupt

    cdef bint is_over(self) noexcept nogil:
        """Whether the search has to end now."""
        cdef double now = mcts_clock()
        if now >= self.signals_at:
            with gil:
                self.look_at_signals()
        return now >= self.deadline or self.is_cancelled() or self.failure is not None

    cdef void look_at_signals(self) noexcept:
        try:
            PyErr_CheckSignals()
        except BaseException as error:  # Ctrl-C
            self.failure = error
        self.signals_at = mcts_clock() + SIGNAL_INTERVAL

    cdef int report(self) except -1:
        """Calls ``progress`` with the figures of the search so far."""
        self.seconds = mcts_clock() - self.begin
        self.stop_reason = "running"
        found = snapshot_of(self)
        self.stop_reason = "cancelled"
        if found is not None:
            self.progress(found.figures())
        return 0

    def figures(self):
        """What the last search found, as a dict; None when there was none or it failed."""
        self.take_to("its statistics can be read (a progress callback gets those so far)")
        try:
            found = snapshot_of(self)
            return None if found is None else found.figures()
        finally:
            self.give()

    def keep(self):
        """The same as a StatsSnapshot, which makes the objects later; None where it would keep more than numbers."""
        cdef StatsSnapshot found
        self.take_to("its statistics can be read")
        try:
            found = snapshot_of(self)
            return found if found is not None and found.light else None
        finally:
            self.give()

    def tell(self, uint32_t least=1):
        """The news of the last search's tree since the last call, as bytes, for other searches of the same root.

        ``least``: new visits that a node below the root needs so that its children are told. None where there is no
        search to tell of, or where the root's moves have no statistics yet.
        """
        self.take_to("it can send its statistics")
        try:
            return self.tell_news(least) if self.state is not None else None
        finally:
            self.give()

    def hear(self, bytes told not None):
        """Adds the news of another search of the same root, with the same options.

        Raises ValueError, with nothing changed, for bytes that ``tell`` of such a search cannot have returned; NoSearch
        before the root's moves have statistics.
        """
        cdef int status
        self.take_to("it can receive the statistics of others")
        try:
            if self.state is None:
                raise NoSearch("there is no search to which the statistics of another one could be added")
            status = self.hear_news(told)
            self.look_again()
            if status == RUN_GAME_ERROR:  # of a game in Python, when a node got its other moves
                try:
                    self.fail()
                finally:
                    self.drop_result()
            if status != RUN_DONE:
                raise MemoryError("no memory for the statistics of another search")
        finally:
            self.give()

    cdef int look_again(self) except -1:
        """Finds the move to play again after the statistics have changed; the line is made when it is asked for."""
        self.line = None
        if self.finished:
            if self.is_proven():
                self.stop_reason = "solved"
            self.move = final_move(self)
        return 0

    def release(self):
        """Gives the memory of the trees back; the statistics of the last search go with them."""
        self.take_to("its memory can be released")
        try:
            self.forget()
        finally:
            self.give()


cdef int raise_failure(SearchCore core) except -1 with gil:
    """Raises what a signal handler raised. A function of its own: a Python object among the variables of ``loop`` would
    make it take the GIL at its beginning and at its end."""
    failure, core.failure = core.failure, None
    raise failure


cdef int32_t is_over(void *context) noexcept nogil:
    return (<SearchCore>context).is_over()
