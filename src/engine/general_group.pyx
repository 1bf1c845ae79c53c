"""Searches of many positions side by side, the leaves of all of them evaluated in common batches.

Each position has a tree of its own and is searched exactly as it would be alone; only the calls of the evaluator are
shared. So a network gets batches of positions x batch also where each search asks for a few leaves at a time.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from mcts_core.errors import EvaluatorError, GameError, InvalidOption, InvalidState
from mcts_core.arguments import shorten

from mcts_core.engine.evaluation_thread cimport EvaluationThread
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.engine.report cimport log, log_entry
from mcts_core.game cimport mcts_interrupt
from mcts_core.games.general_rules cimport Rules
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport GeneralSettings
from mcts_core.engine.searched_general cimport GeneralCore
from mcts_core.engine.stop_rules cimport Look, begin_look, due, stop_reason
from mcts_core.engine.turn cimport on_main_thread
from mcts_core.tree.tree cimport RUN_DONE, RUN_MEMORY


cdef enum:
    NEVER = 0xFFFFFFFF


cdef class GroupSearch:
    """One of the searches."""

    cdef GeneralCore core
    cdef object index
    cdef Look look         # what the stop rules look at
    cdef bint crowded      # the tree is full
    cdef uint32_t full_at  # the iterations when it was full last

    def __cinit__(self, index, GeneralCore core, SearchRequest request):
        self.index, self.core = index, core
        self.full_at = NEVER
        begin_look(&self.look, core, request)

    cdef bint is_over(self) noexcept:
        """Asks the stop rules. Nothing waits now."""
        cdef const char *reason
        self.look.spent = self.core.spent()
        self.look.status = RUN_DONE
        if self.crowded:
            self.crowded = False
            self.look.status = RUN_MEMORY
            if self.full_at != self.look.spent:
                self.full_at = self.look.spent
                self.look.status = self.core.make_room(self.core.deadline)
        reason = stop_reason(self.core, &self.look)
        if reason == NULL:
            return False
        self.core.end(reason)
        return True


cdef class Part:
    """Searches whose leaves are evaluated in one call."""

    cdef Evaluator evaluator
    cdef list running    # the members that go on
    cdef list asking     # of these, those with leaves that wait
    cdef uint32_t rows   # leaves that wait
    cdef bint asked      # the evaluator has them, in another thread

    def __cinit__(self, Evaluator evaluator, list running):
        self.evaluator = evaluator
        self.running = running
        self.asking = []


def search_together(list cores, list requests, bint overlap):
    """Searches ``requests[i]`` with ``cores[i]``. Returns a list of exceptions, None for each search that did not fail;
    the cores have the figures afterwards.

    The requests must have the same settings, with an evaluator of batches, and a budget of iterations, without a time
    budget. An error of the evaluator ends all searches with EvaluatorError.

    ``overlap``: the evaluator is called in a thread of its own, with the leaves of one half of the searches, while the
    next leaves of the other half are gathered, so that they are there when the call ends. No search differs, because no
    tree has a second batch.
    """
    cdef GeneralCore core
    cdef SearchRequest request = requests[0]
    cdef GeneralSettings settings = request.settings
    cdef Rules first = None
    cdef GroupSearch member
    cdef bint signalled = on_main_thread()
    cdef list errors = [None] * len(requests), running = [], parts, entries = None
    cdef Py_ssize_t begun = 0, place, count, turn = 0
    cdef Part part
    cdef EvaluationThread caller = None
    try:
        for index, request in enumerate(requests):
            core = cores[index]
            core.begin_turn(None, None)
            begun += 1
            try:
                core.set_up(request)
                member = GroupSearch(index, core, request)
                core.plan(member.look.limit)
                core.tree.interrupt = mcts_interrupt(NULL, NULL)  # there is no deadline
                if first is None:
                    first = core.rules
                if not same_form(first, core.rules):
                    core.drop_result()
                    raise InvalidState(f"states that are evaluated together must have observations of one shape, "
                                       f"{first.shape}, got another one from {shorten(request.state)}")
            except Exception as error:
                errors[index] = error
                continue
            running.append(member)
        count = 2 if overlap and len(running) > 1 else 1
        parts = [Part(evaluator_of(settings.function, settings.by_state), running[place::count])
                 for place in range(count)]
        if count > 1:
            caller = EvaluationThread(first)
        while any([part.asked or part.running for part in parts]):
            part = parts[turn]
            turn = (turn + 1) % count
            if part.asked:
                caller.finish()
                part.asked = False
                resolve(part)
            if part.running:
                gather(part, errors, first, settings.options.batch)
            if part.rows and caller is not None:
                caller.begin(part.evaluator, part.rows)
                part.asked = True
            elif part.running:
                if part.rows:
                    part.evaluator.evaluate(first, part.rows)
                resolve(part)
            if signalled:
                PyErr_CheckSignals()
        for index in range(len(requests)):
            core = cores[index]
            if errors[index] is None:
                try:
                    core.check_root()
                    core.conclude()
                except (GameError, InvalidOption, MemoryError) as error:
                    core.drop_result()
                    errors[index] = error
        for place in range(begun):
            core = cores[place]
            core.stop_clock(0.0)
        entries = [log_entry(cores[index]) for index in range(len(requests)) if errors[index] is None]
    except BaseException as error:
        if isinstance(error, EvaluatorError):
            for place in range(begun):
                core = cores[place]
                core.drop_result()
        if caller is not None:
            caller.give_up(error)
        raise
    finally:
        try:
            if caller is not None:
                caller.close()
        finally:
            for place in range(begun):
                core = cores[place]
                if entries is None:
                    core.stop_clock(0.0)
                core.leave()
    for entry in entries:
        if entry is not None:
            log(entry)
    return errors


cdef int gather(Part part, list errors, Rules first, uint32_t batch) except -1:
    """Lets leaves of the searches of a part wait. Those that end now, or fail, leave it."""
    cdef GroupSearch member
    cdef GeneralCore core
    cdef Evaluator evaluator = part.evaluator
    evaluator.prepare(first, <uint32_t>len(part.running) * batch)
    for member in list(part.running):
        core = member.core
        try:
            member.crowded = core.gather(due(&member.look), evaluator.observations + part.rows * evaluator.stride,
                                         evaluator.stride)
        except Exception as error:
            core.drop_result()
            errors[member.index] = error
            part.running.remove(member)
            continue
        if core.is_proven():
            core.end(b"solved")
            part.running.remove(member)
        elif core.waiting():
            part.asking.append(member)
            part.rows += core.waiting()
    return 0


cdef int resolve(Part part) except -1:
    """Ends what waits in the searches of a part, by its evaluation. Those that a stop rule ends leave it."""
    cdef GroupSearch member
    cdef uint32_t at = 0, waiting
    try:
        for member in part.asking:
            waiting = member.core.waiting()
            member.core.resolve(part.evaluator, at)
            at += waiting
    finally:
        part.evaluator.release()
    for member in list(part.running):
        if member.is_over():
            part.running.remove(member)
    part.asking, part.rows = [], 0
    return 0


cdef bint same_form(Rules one, Rules other) except -1:
    return one.shape == other.shape and one.players == other.players and one.actions == other.actions
