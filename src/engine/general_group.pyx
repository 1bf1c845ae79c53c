"""Searches of many positions side by side, the leaves of all of them evaluated in common batches.

Each position has a tree of its own and is searched exactly as it would be alone; only the calls of the evaluator are
shared. So a network gets batches of positions x batch also where each search asks for a few leaves at a time. Where a
search ends, the next one takes its place in the batches.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

from mcts_core.errors import EvaluatorError, GameError, InvalidOption, InvalidState
from mcts_core.arguments import shorten

from mcts_core.engine.evaluation_thread cimport EvaluationThread
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.engine.report cimport log, log_entry
from mcts_core.game cimport mcts_interrupt
from mcts_core.games.general_rules cimport NativeRules, Rules
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport GeneralSettings
from mcts_core.engine.searched_general cimport GeneralCore
from mcts_core.engine.stop_rules cimport Look, begin_look, due, stop_reason
from mcts_core.engine.task_threads cimport TaskThreads
from mcts_core.engine.turn cimport on_main_thread
from mcts_core.tree.general_tree cimport FAULT_NONE
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY


cdef enum:
    NEVER = 0xFFFFFFFF
    DRY = 64    # batches without a leaf to evaluate, after which a search lets the others go on
    SPREAD = 8  # turns in which a part gets all of its searches, where another one is evaluated meanwhile


cdef class GroupSearch:
    """One of the searches."""

    cdef GeneralCore core
    cdef object key
    cdef Look look             # what the stop rules look at
    cdef bint crowded          # the tree is full
    cdef uint32_t full_at      # the iterations when it was full last
    cdef uint32_t place        # its place in the part
    cdef uint32_t rows, first  # its leaves that wait, and where they begin in the batch
    cdef bint failed           # its game has reported an error
    cdef int fault             # what the tree found in its evaluation
    cdef const char *reason    # why it ended, NULL: it goes on

    def __cinit__(self, key, GeneralCore core, SearchRequest request):
        self.key, self.core = key, core
        self.full_at = NEVER
        begin_look(&self.look, core, request)

    cdef bint is_over(self) noexcept nogil:
        """Asks the stop rules. Nothing waits now."""
        self.look.spent = self.core.spent()
        self.look.status = RUN_DONE
        if self.crowded:
            self.crowded = False
            self.look.status = RUN_MEMORY
            if self.full_at != self.look.spent:
                self.full_at = self.look.spent
                self.look.status = self.core.make_room(self.core.deadline)
        self.reason = stop_reason(self.core, &self.look)
        return self.reason != NULL

    cdef void step(self, Evaluator evaluator, uint32_t batch) noexcept nogil:
        """Ends what waits by its evaluation, then gathers the next leaves, up to ``batch``."""
        cdef int status
        cdef uint32_t _
        if self.rows:
            self.rows = 0
            self.fault = self.core.use_evaluation(&evaluator.evaluation, self.first)
            if self.fault != FAULT_NONE:
                return
        self.first = self.place * batch
        for _ in range(DRY):
            if self.is_over():
                return
            status = self.core.gather_leaves(due(&self.look), evaluator.observations + self.first * evaluator.stride,
                                             evaluator.stride)
            self.failed = status == RUN_GAME_ERROR
            self.crowded = status != RUN_DONE
            if self.failed:
                return
            if self.core.is_proven():
                self.reason = b"solved"
                return
            self.rows = self.core.waiting()
            if self.rows:
                return


cdef class Part:
    """Searches whose leaves are evaluated in one call."""

    cdef Evaluator evaluator
    cdef list places     # of its searches, None where there is none
    cdef uint32_t batch  # leaves of a search, at most
    cdef uint32_t rows   # leaves that wait
    cdef bint asked      # the evaluator has them, in another thread
    cdef void **stepped  # the searches that take a step

    def __cinit__(self, uint32_t places):
        self.places = [None] * places
        self.stepped = <void **>malloc((places + 1) * sizeof(void *))
        if self.stepped == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.stepped)

    cdef bint is_idle(self) except -1:
        return not self.asked and not self.members()

    cdef list members(self):
        return [member for member in self.places if member is not None]

    cdef int step(self, list members, TaskThreads threads) except -1:
        cdef uint32_t number
        for number, member in enumerate(members):
            self.stepped[number] = <void *>member
        number = <uint32_t>len(members)
        with nogil:
            if threads is not None:
                threads.run(step_of_one, <void *>self, number)
            else:
                while number > 0:
                    number -= 1
                    step_of_one(<void *>self, number)
        return 0

    cdef void close_ranks(self, list members) noexcept:
        """Moves the leaves together: the batch has no gaps."""
        cdef GroupSearch member
        cdef float *observations
        cdef uint64_t stride
        self.rows = 0
        if self.evaluator is None:
            return
        observations, stride = self.evaluator.observations, self.evaluator.stride
        for member in members:
            if member.rows and member.first != self.rows:
                memmove(observations + self.rows * stride, observations + member.first * stride,
                        member.rows * stride * sizeof(float))
                member.first = self.rows
            self.rows += member.rows


cdef void step_of_one(void *part, uint32_t number) noexcept nogil:
    (<GroupSearch>(<Part>part).stepped[number]).step((<Part>part).evaluator, (<Part>part).batch)


cdef class Group:
    """All of the searches."""

    cdef object give, take
    cdef list free             # cores without a search
    cdef set held              # cores with one
    cdef Rules first           # of the first search
    cdef list parts
    cdef uint32_t threads
    cdef uint32_t at_once      # searches of a part that begin in a turn, at most
    cdef EvaluationThread caller
    cdef TaskThreads helpers

    def __cinit__(self, give, take, list cores, uint32_t threads):
        self.give, self.take = give, take
        self.free, self.held = list(cores), set()
        self.threads = threads
        self.at_once = NEVER
        parts = 2 if threads > 1 and len(cores) > 1 else 1
        self.parts = [Part(<uint32_t>len(cores[number::parts])) for number in range(parts)]

    cdef int run(self) except -1:
        cdef Part part
        cdef bint signalled = on_main_thread()
        cdef Py_ssize_t turn = 0
        while True:
            part = self.parts[turn]
            turn = (turn + 1) % len(self.parts)
            if part.asked:
                self.caller.finish()
                part.asked = False
            members = self.advance(part)
            if part.rows == 0:
                if not members and self.is_idle():
                    return 0
            elif self.caller is not None:
                self.caller.begin(part.evaluator, part.rows)
                part.asked = True
            else:
                part.evaluator.evaluate(self.first, part.rows)
            if signalled:
                PyErr_CheckSignals()

    cdef bint is_idle(self) except -1:
        cdef Part part
        for part in self.parts:
            if not part.is_idle():
                return False
        return True

    cdef list advance(self, Part part):
        """Ends the iterations that were evaluated and gathers the next batch; the searches of the part now."""
        cdef uint32_t left = self.at_once
        cdef GroupSearch member
        cdef list members, stepping = part.members()
        cdef bint prepared = False
        try:
            while True:
                if stepping:
                    if not prepared:
                        part.evaluator.prepare(self.first, <uint32_t>len(part.places) * part.batch)
                        prepared = True
                    part.step(stepping, self.helpers)
                    for member in stepping:
                        if member.fault != FAULT_NONE:
                            raise part.evaluator.complaint(member.core.rules, member.core.fault_in(member.first))
                    self.let_go(part, stepping)
                stepping = self.fill(part, left)
                if not stepping:
                    break
                left -= <uint32_t>len(stepping)
        finally:
            if part.evaluator is not None:
                part.evaluator.release()
        members = part.members()
        part.close_ranks(members)
        return members

    cdef int let_go(self, Part part, list members) except -1:
        """Ends the searches that are over; they leave the part."""
        cdef GroupSearch member
        for member in members:
            error = None
            if member.failed:
                try:
                    member.core.fail()
                except Exception as failure:
                    member.core.drop_result()
                    error = failure
            elif member.reason == NULL:
                continue
            else:
                member.core.end(member.reason)
            part.places[member.place] = None
            self.finish(member.key, member.core, error)
        return 0

    cdef list fill(self, Part part, uint32_t most):
        """Begins up to so many searches at the places that are free, while there are more; the new ones."""
        cdef list begun = []
        cdef GroupSearch member
        cdef uint32_t place
        for place in range(<uint32_t>len(part.places)):
            while part.places[place] is None:
                if <uint32_t>len(begun) == most:
                    return begun
                given = self.give()
                if given is None:
                    return begun
                key, request = given
                member = self.begin(part, key, request)
                if member is not None:
                    member.place = place
                    part.places[place] = member
                    begun.append(member)
        return begun

    cdef GroupSearch begin(self, Part part, key, SearchRequest request):
        """The search; None when it failed."""
        cdef GeneralCore core = self.free.pop()
        cdef GroupSearch member
        cdef GeneralSettings settings = request.settings
        try:
            core.begin_turn(None, None)
        except BaseException:
            self.free.append(core)
            raise
        self.held.add(core)
        try:
            core.set_up(request)
            member = GroupSearch(key, core, request)
            core.plan(member.look.limit)
            core.tree.interrupt = mcts_interrupt(NULL, NULL)  # there is no deadline
            if self.first is None:
                self.begin_first(core.rules, request)
            if not same_form(self.first, core.rules):
                core.drop_result()
                raise InvalidState(f"states that are evaluated together must have observations of one shape, "
                                   f"{self.first.shape}, got another one from {shorten(request.state)}")
            if part.evaluator is None:
                part.evaluator = evaluator_of(settings.function, settings.by_state)
                part.batch = settings.options.batch
            return member
        except Exception as failure:
            error = failure
        self.finish(key, core, error)
        return None

    cdef int begin_first(self, Rules rules, SearchRequest request) except -1:
        """Readies the threads, when the first search is ready."""
        cdef uint32_t places = <uint32_t>len((<Part>self.parts[0]).places)
        cdef uint32_t batches = request.iterations // (<GeneralSettings>request.settings).options.batch
        self.first = rules
        if len(self.parts) > 1:
            self.caller = EvaluationThread(rules)
            # searches that begin together end together, and the network waits for all that comes between two of them
            self.at_once = places // max(<uint32_t>1, min(<uint32_t>SPREAD, batches // 2)) + 1
            # a game written in Python has one thread at a time
            if self.threads > 2 and places > 1 and isinstance(rules, NativeRules):
                self.helpers = TaskThreads(min(self.threads - 2, places - 1))
        return 0

    cdef int finish(self, key, GeneralCore core, error) except -1:
        """Ends a search, and passes it on. Its core is free afterwards."""
        entry = None
        if error is None:
            try:
                core.check_root()
                core.conclude()
            except (GameError, InvalidOption, MemoryError) as failure:
                core.drop_result()
                error = failure
        core.stop_clock(0.0)
        if error is None:
            entry = log_entry(core)
        self.held.discard(core)
        core.leave()
        if entry is not None:
            log(entry)
        self.take(key, core, error)
        self.free.append(core)
        return 0

    cdef int close(self, object failure) except -1:
        """Ends the threads and all searches that go on."""
        cdef GeneralCore core
        if isinstance(failure, EvaluatorError):
            for core in self.held:
                core.drop_result()
        try:
            if self.caller is not None:
                if failure is not None:
                    self.caller.give_up(failure)
                self.caller.close()
        finally:
            try:
                if self.helpers is not None:
                    self.helpers.close(failure)
            finally:
                for core in self.held:
                    core.stop_clock(0.0)
                    core.leave()
        return 0


def search_together(give not None, take not None, list cores not None, uint32_t threads):
    """Runs the searches that ``give`` returns, as many at a time as there are ``cores``.

    ``give()``: the key and the SearchRequest of the next search; None while there is none. The requests must have the
    same settings, with an evaluator of batches, and a budget of iterations, without a time budget.
    ``take(key, core, error)`` is called when a search has ended: its core has the figures, unless it failed with
    ``error``. All ends when no search runs and ``give`` returns None, or with an exception of ``give``, ``take`` or the
    evaluator (EvaluatorError).

    ``threads``: with 2, the evaluator is called in a thread of its own, with the leaves of one half of the searches,
    while the next leaves of the other half are gathered, so that they are there when the call ends. With more, the
    others help to gather, in games that need no GIL. No search differs, because no tree has a second batch.
    """
    cdef Group group = Group(give, take, cores, threads)
    failure = None
    try:
        group.run()
    except BaseException as error:
        failure = error
        raise
    finally:
        group.close(failure)


cdef bint same_form(Rules one, Rules other) except -1:
    return one.shape == other.shape and one.players == other.players and one.actions == other.actions
