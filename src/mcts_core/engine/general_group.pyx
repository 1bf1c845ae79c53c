"""Searches of many positions side by side, the leaves of all of them evaluated in common batches.

Each position has a tree of its own and is searched exactly as it would be alone; only the calls of the evaluator are
shared. So a network gets batches of positions x batch also where each search asks for a few leaves at a time. Where a
search ends, the next one takes its place in the batches.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t
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
from mcts_core.engine.slices cimport SIGNAL_INTERVAL
from mcts_core.engine.stop_rules cimport Look, begin_look, due, make_room, stop_reason
from mcts_core.engine.task_threads cimport TaskThreads
from mcts_core.engine.turn cimport on_main_thread
from mcts_core.platform cimport mcts_clock, mcts_flag_read, mcts_flag_write
from mcts_core.tree.general_tree cimport FAULT_NONE, GeneralTree
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY


cdef extern from "Python.h" nogil:
    unsigned long this_thread "PyThread_get_thread_ident"()


cdef enum:
    NO_LIMIT = 0xFFFFFFFF
    DRY = 64    # batches in which a search had nothing to evaluate, after which the others go on
    SPREAD = 8  # turns over which the searches of a part begin, where there are two parts


cdef class GroupSearch:
    """One of the searches."""

    cdef GeneralCore core
    cdef object key
    cdef bint native               # its game needs no GIL
    cdef Look look                 # what the stop rules look at
    cdef bint crowded              # the tree is full
    cdef uint32_t place            # its place in the part
    cdef uint32_t rows, first_row  # its leaves that wait, and where they begin in the batch
    cdef bint failed               # its game has reported an error
    cdef int fault                 # what the tree found in its evaluation
    cdef const char *reason        # why it ended, NULL: it goes on

    def __cinit__(self, key, GeneralCore core, SearchRequest request):
        self.key, self.core = key, core
        self.native = isinstance(core.rules, NativeRules)
        begin_look(&self.look, core, request)

    cdef bint is_over(self) noexcept nogil:
        """Asks the stop rules. Nothing waits now."""
        self.look.spent = self.core.spent()
        self.look.status = RUN_DONE
        if self.crowded:
            self.crowded = False
            self.look.status = RUN_MEMORY
            make_room(self.core, &self.look)
        self.reason = stop_reason(self.core, &self.look)
        return self.reason != NULL

    cdef void step(self, Evaluator evaluator, uint32_t batch) noexcept nogil:
        """Ends what waits by its evaluation, then gathers the next leaves, up to ``batch``."""
        cdef int status, _
        if self.rows:
            self.rows = 0
            self.fault = self.core.use_evaluation(&evaluator.evaluation, self.first_row)
            if self.fault != FAULT_NONE:
                return
        self.first_row = self.place * batch
        for _ in range(DRY):
            if self.is_over():
                return
            status = self.core.gather_leaves(
                due(&self.look), evaluator.observations + self.first_row * evaluator.stride, evaluator.stride)
            self.failed = status == RUN_GAME_ERROR
            self.crowded = status != RUN_DONE
            if self.failed:
                return
            if self.core.is_proven():
                self.reason = b"solved"
                return
            self.rows = self.core.waiting()
            if self.rows or self.core.tree.interrupted:
                return


cdef class Group  # below: all of the searches


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

    cdef list members(self):
        return [member for member in self.places if member is not None]

    cdef int step(self, list members, TaskThreads threads, Group group) except -1:
        """Takes the steps of searches of native games, by all threads there are."""
        cdef uint32_t number, count = <uint32_t>len(members)
        for number, member in enumerate(members):
            self.stepped[number] = <void *>member
        with nogil:
            if threads is not None:
                threads.run(step_of_one, <void *>self, count, is_interrupted, <void *>group)
                return 0
            for number in range(count):
                step_of_one(<void *>self, number)
                if group.is_interrupted():
                    break
        return 0

    cdef int compact(self) except -1:
        """Moves the leaves together: the batch has no gaps."""
        cdef GroupSearch member
        cdef float *observations
        cdef uint64_t stride
        self.rows = 0
        if self.evaluator is None:
            return 0
        observations, stride = self.evaluator.observations, self.evaluator.stride
        for member in self.members():
            if member.rows and member.first_row != self.rows:
                memmove(observations + self.rows * stride, observations + member.first_row * stride,
                        member.rows * stride * sizeof(float))
                member.first_row = self.rows
            self.rows += member.rows
        return 0


cdef int32_t is_interrupted(void *group) noexcept nogil:
    return (<Group>group).is_interrupted()


cdef void step_of_one(void *part, uint32_t number) noexcept nogil:
    (<GroupSearch>(<Part>part).stepped[number]).step((<Part>part).evaluator, (<Part>part).batch)


cdef class Group:
    """All of the searches."""

    cdef object next, done
    cdef list idle             # cores without a search
    cdef set held              # cores with one
    cdef Rules form            # those of the first search, whose form all have
    cdef list parts
    cdef uint32_t threads
    cdef uint32_t at_once      # searches of a part that begin in a turn, at most
    cdef bint dry              # there was no further search when one was last asked for
    cdef EvaluationThread caller
    cdef TaskThreads helpers
    cdef uintptr_t thread      # the calling one
    cdef double signals_at     # when it looks at signals next; in other threads than the main one never
    cdef object failure        # what a handler of signals raised
    cdef uint32_t stop         # a flag: it did

    def __cinit__(self, next, done, list cores, uint32_t threads):
        self.thread = <uintptr_t>this_thread()
        self.signals_at = 0.0 if on_main_thread() else 1e300
        self.next, self.done = next, done
        self.idle, self.held = list(cores), set()
        self.threads = threads
        self.at_once = NO_LIMIT
        parts = 2 if threads > 1 and len(cores) > 1 else 1
        self.parts = [Part(<uint32_t>len(cores[number::parts])) for number in range(parts)]

    cdef int run(self) except -1:
        cdef Part part
        cdef Py_ssize_t turn = 0
        while not self.is_idle():
            part = self.parts[turn]
            turn = (turn + 1) % len(self.parts)
            if part.asked:
                self.caller.finish()
                part.asked = False
            self.advance(part)
            if part.rows and self.caller is not None:
                self.caller.begin(part.evaluator, part.rows)
                part.asked = True
            elif part.rows:
                part.evaluator.evaluate(self.form, part.rows)
        return 0

    cdef bint is_interrupted(self) noexcept nogil:
        """Whether a handler of signals has raised something; all threads ask this in long exact searches."""
        if (<uintptr_t>this_thread() == self.thread and mcts_clock() >= self.signals_at
                and not mcts_flag_read(&self.stop)):
            with gil:
                self.look_at_signals()
        return mcts_flag_read(&self.stop) != 0

    cdef void look_at_signals(self) noexcept:
        try:
            PyErr_CheckSignals()
        except BaseException as error:  # Ctrl-C
            self.failure = error
            mcts_flag_write(&self.stop, 1)
        self.signals_at = mcts_clock() + SIGNAL_INTERVAL

    cdef bint is_idle(self) except -1:
        cdef Part part
        if not self.dry:
            return False
        for part in self.parts:
            if part.asked or part.members():
                return False
        return True

    cdef int advance(self, Part part) except -1:
        """Ends the iterations that were evaluated and gathers the next batch."""
        cdef list stepping = part.members()
        cdef uint32_t begun = 0
        cdef bint prepared = False
        try:
            while True:
                if stepping:
                    if not prepared:
                        part.evaluator.prepare(self.form, <uint32_t>len(part.places) * part.batch)
                        prepared = True
                    self.step(part, stepping)
                stepping = self.fill(part, &begun)
                if not stepping:
                    break
        finally:
            if part.evaluator is not None:
                part.evaluator.release()
        part.compact()
        return 0

    cdef int step(self, Part part, list members) except -1:
        """One step of each of these searches; those that are over then leave the part."""
        cdef GroupSearch member
        part.step([member for member in members if member.native], self.helpers, self)
        for member in members:
            if self.failure is None and not member.native:  # in Python, one thread at a time
                member.core.fit_names()
                with nogil:
                    member.step(part.evaluator, part.batch)
                    self.is_interrupted()
            if self.failure is not None:
                raise self.failure
            if member.fault != FAULT_NONE:
                raise part.evaluator.complaint(member.core.rules, <const GeneralTree *>member.core.tree,
                                               member.first_row)
            if not member.failed and member.reason == NULL:
                continue
            error = None
            if member.failed:
                try:
                    member.core.fail()
                except Exception as failure:  # an interrupt ends all
                    member.core.drop_result()
                    error = failure
            else:
                member.core.end(member.reason)
            part.places[member.place] = None
            self.finish(member.key, member.core, error)
        return 0

    cdef list fill(self, Part part, uint32_t *begun):
        """Begins searches at the places that are free, up to ``at_once`` in a turn, while there are more; the new
        ones."""
        cdef list found = []
        cdef GroupSearch member
        cdef uint32_t place
        for place in range(<uint32_t>len(part.places)):
            while part.places[place] is None:
                if begun[0] >= self.at_once:
                    return found
                given = self.next()
                self.dry = given is None
                if self.dry:
                    return found
                key, request = given
                member = self.begin(part, key, request)
                if member is not None:
                    member.place = place
                    part.places[place] = member
                    found.append(member)
                    begun[0] += 1
        return found

    cdef GroupSearch begin(self, Part part, key, SearchRequest request):
        """The search; None when it failed."""
        cdef GeneralCore core = self.idle.pop()
        cdef GroupSearch member = None
        cdef GeneralSettings settings = request.settings
        self.held.add(core)
        try:
            core.begin_turn(None, None)
        except BaseException:
            self.held.discard(core)
            raise
        error = None
        try:
            core.set_up(request)
            member = GroupSearch(key, core, request)
            core.plan(member.look.limit)
            core.tree.interrupt = mcts_interrupt(is_interrupted, <void *>self)
            if self.form is not None and not same_form(self.form, core.rules):
                core.drop_result()
                raise InvalidState(f"states that are evaluated together must have observations of one shape, "
                                   f"{self.form.shape}, the same numbers of players and actions, and all or none may "
                                   f"have rewards or a discount; got another kind: {shorten(request.state)}")
            if part.evaluator is not None and settings.options.batch != part.batch:
                core.drop_result()
                raise InvalidState(f"states that are evaluated together must have batches of one size, {part.batch}, "
                                   f"got another one for {shorten(request.state)}")
        except Exception as failure:
            error = failure
        if error is not None:
            self.finish(key, core, error)
            return None
        if self.form is None:
            self.ready_threads(core.rules, request.iterations // settings.options.batch)
            self.form = core.rules
        if part.evaluator is None:
            part.evaluator = evaluator_of(settings.function, settings.by_state)
            part.batch = settings.options.batch
        return member

    cdef int ready_threads(self, Rules form, uint32_t batches) except -1:
        """``batches``: of a search, about."""
        cdef uint32_t places = <uint32_t>len((<Part>self.parts[0]).places)
        if len(self.parts) > 1:
            # searches that begin together end together, and the network waits until all of them have made room for
            # others
            self.at_once = places // max(<uint32_t>1, min(<uint32_t>SPREAD, batches // 2)) + 1
            self.caller = EvaluationThread(form)
            if self.threads > 2 and places > 1 and isinstance(form, NativeRules):
                self.helpers = TaskThreads(min(self.threads - 2, places - 1))
        return 0

    cdef int finish(self, key, GeneralCore core, error) except -1:
        """Ends a search, and passes it on. Its core is idle afterwards."""
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
        self.done(key, core, error)
        self.idle.append(core)
        return 0

    cdef int close(self, object failure) except -1:
        """Ends the threads and all searches that go on."""
        cdef GeneralCore core
        if isinstance(failure, EvaluatorError):
            for core in self.held:
                core.drop_result()
        try:
            if self.caller is not None:
                self.caller.give_up(failure)
                self.caller.close()
        finally:
            try:
                if self.helpers is not None:
                    self.helpers.close()
            finally:
                for core in self.held:
                    core.stop_clock(0.0)
                    core.leave()
        return 0


def search_together(next not None, done not None, list cores not None, uint32_t threads):
    """Runs the searches that ``next`` returns, as many at a time as there are ``cores``.

    ``next()``: the key and the SearchRequest of the next search; None while there is none. The requests must have the
    same evaluator, of batches, and a budget of iterations, without a time budget.
    ``done(key, core, error)`` is called when a search has ended: its core has the figures, unless it failed with
    ``error``. All ends when no search runs and ``next`` returns None, or with an exception of ``next``, ``done`` or the
    evaluator (EvaluatorError).

    ``threads``: with 2, the evaluator is called in a thread of its own, with the leaves of one half of the searches,
    while the next leaves of the other half are gathered, so that they are there when the call ends. With more, the
    others help to gather, in native games. No search differs, because no tree has a second batch.
    """
    cdef Group group = Group(next, done, cores, threads)
    failure = None
    try:
        if cores:
            group.run()
    except BaseException as error:
        failure = error
        raise
    finally:
        group.close(failure)


cdef bint same_form(Rules one, Rules other) except -1:
    return (one.shape == other.shape and one.players == other.players and one.actions == other.actions
            and one.table.scored == other.table.scored)
