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
from mcts_core.engine.turn cimport on_main_thread
from mcts_core.tree.plain_tree cimport RUN_DONE


cdef class Part:
    """Searches whose leaves are evaluated in one call."""

    cdef Evaluator evaluator
    cdef list running    # by index
    cdef list asking     # of these, the cores with leaves that wait
    cdef list crowded    # of these, those whose trees were full
    cdef uint32_t rows   # leaves that wait
    cdef bint asked      # the evaluator has them, in another thread

    def __cinit__(self, Evaluator evaluator, list running):
        self.evaluator = evaluator
        self.running = running
        self.asking, self.crowded = [], []


def search_together(list cores, list requests, bint overlap):
    """Searches ``requests[i]`` with ``cores[i]``. Returns a list of exceptions, None for each search that did not fail;
    the cores have the figures afterwards.

    The requests must have the same settings, with an evaluator of batches, and the same budget of iterations, without a
    time budget. An error of the evaluator ends all searches with EvaluatorError.

    ``overlap``: the evaluator is called in a thread of its own, with the leaves of one half of the searches, while the
    next leaves of the other half are gathered, so that they are there when the call ends. No search differs, because no
    tree has a second batch.
    """
    cdef GeneralCore core
    cdef SearchRequest request = requests[0]
    cdef GeneralSettings settings = request.settings
    cdef Rules first = None
    cdef uint32_t iterations = request.iterations
    cdef bint signalled = on_main_thread()
    cdef list errors = [None] * len(requests), running = [], parts, entries
    cdef dict full_at = {}
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
                core.plan(iterations)
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
            running.append(index)
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
                resolve(part, cores, iterations, full_at)
            if part.running:
                gather(part, cores, errors, first, iterations, settings.options.batch)
            if part.rows and caller is not None:
                caller.begin(part.evaluator, part.rows)
                part.asked = True
            elif part.running:
                if part.rows:
                    part.evaluator.evaluate(first, part.rows)
                resolve(part, cores, iterations, full_at)
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
                core.stop_clock(0.0)
                core.leave()
    for entry in entries:
        if entry is not None:
            log(entry)
    return errors


cdef int gather(Part part, list cores, list errors, Rules first, uint32_t iterations, uint32_t batch) except -1:
    """Lets leaves of the searches of a part wait. Those that end now, or fail, leave it."""
    cdef GeneralCore core
    cdef Evaluator evaluator = part.evaluator
    cdef bint full
    evaluator.prepare(first, <uint32_t>len(part.running) * batch)
    for index in list(part.running):
        core = cores[index]
        try:
            full = core.gather(iterations - core.spent(), evaluator.observations + part.rows * evaluator.stride,
                               evaluator.stride)
        except Exception as error:
            core.drop_result()
            errors[index] = error
            part.running.remove(index)
            continue
        if core.is_proven():
            core.end(b"solved")
            part.running.remove(index)
            continue
        if core.waiting():
            part.asking.append(core)
            part.rows += core.waiting()
        if full:
            part.crowded.append(index)
    return 0


cdef int resolve(Part part, list cores, uint32_t iterations, dict full_at) except -1:
    """Ends what waits in the searches of a part, by its evaluation. Those whose budget is spent leave it."""
    cdef GeneralCore core
    cdef uint32_t at = 0, waiting
    try:
        for core in part.asking:
            waiting = core.waiting()
            core.resolve(part.evaluator, at)
            at += waiting
    finally:
        part.evaluator.release()
    for index in part.crowded:  # nothing waits now
        core = cores[index]
        if full_at.get(index) == core.spent() or core.make_room(core.deadline) != RUN_DONE:
            core.end(b"memory")
            part.running.remove(index)
        full_at[index] = core.spent()
    for index in list(part.running):
        core = cores[index]
        if core.spent() >= iterations:
            core.end(b"iterations")
            part.running.remove(index)
    part.asking, part.crowded, part.rows = [], [], 0
    return 0


cdef bint same_form(Rules one, Rules other) except -1:
    return one.shape == other.shape and one.players == other.players and one.actions == other.actions
