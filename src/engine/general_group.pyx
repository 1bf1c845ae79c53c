"""Searches of many positions side by side, the leaves of all of them evaluated in common batches.

Each position has a tree of its own and is searched exactly as it would be alone; only the calls of the evaluator are
shared. So a network gets batches of positions x batch also where each search asks for a few leaves at a time.
"""

from _thread import get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from mcts_core.errors import EvaluatorError, GameError, InvalidState
from mcts_core.arguments import shorten
from mcts_core.engine.turn import main_thread_ident

from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.engine.report cimport log, log_entry
from mcts_core.games.general_rules cimport Rules
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport GeneralSettings
from mcts_core.engine.searched_general cimport GeneralCore
from mcts_core.tree.plain_tree cimport RUN_DONE


def search_together(list cores, list requests):
    """Searches ``requests[i]`` with ``cores[i]``. Returns a list of exceptions, None for each search that did not fail;
    the cores have the figures afterwards.

    The requests must have the same settings, with an evaluator of batches, and the same budget of iterations, without a
    time budget. An error of the evaluator ends all searches with EvaluatorError.
    """
    cdef GeneralCore core
    cdef SearchRequest request = requests[0]
    cdef GeneralSettings settings = request.settings
    cdef Evaluator evaluator
    cdef Rules first = None
    cdef uint32_t rows, waiting, at, iterations = request.iterations, batch = settings.options.batch
    cdef bint on_main_thread = get_ident() == main_thread_ident(), full
    cdef list errors = [None] * len(requests), running = [], asking, crowded, entries
    cdef dict full_at = {}
    cdef Py_ssize_t begun = 0, place
    evaluator = evaluator_of(settings.function, settings.by_state)
    try:
        for index, request in enumerate(requests):
            core = cores[index]
            core.begin_turn(None, None)
            begun += 1
            try:
                core.set_up(request)
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
        while running:
            evaluator.prepare(first, <uint32_t>len(running) * batch)
            rows = 0
            asking, crowded = [], []
            for index in list(running):
                core = cores[index]
                try:
                    full = core.gather(iterations - core.spent(), evaluator.observations + rows * evaluator.stride,
                                       evaluator.stride)
                except Exception as error:
                    core.drop_result()
                    errors[index] = error
                    running.remove(index)
                    continue
                if core.waiting():
                    asking.append(core)
                    rows += core.waiting()
                if full:
                    crowded.append(index)
            if rows:
                try:
                    evaluator.evaluate(first, rows)
                    at = 0
                    for core in asking:
                        waiting = core.waiting()
                        core.resolve(evaluator, at)
                        at += waiting
                finally:
                    evaluator.release()
            for index in crowded:  # nothing waits now
                core = cores[index]
                if full_at.get(index) == core.spent() or core.make_room(core.deadline) != RUN_DONE:
                    core.end(b"memory")
                    running.remove(index)
                full_at[index] = core.spent()
            for index in list(running):
                core = cores[index]
                if core.spent() >= iterations:
                    core.end(b"iterations")
                    running.remove(index)
            if on_main_thread:
                PyErr_CheckSignals()
        for index in range(len(requests)):
            core = cores[index]
            if errors[index] is None:
                try:
                    core.check_root()
                    core.conclude()
                except (GameError, MemoryError) as error:
                    core.drop_result()
                    errors[index] = error
        for place in range(begun):
            core = cores[place]
            core.stop_clock(0.0)
        entries = [log_entry(cores[index]) for index in range(len(requests)) if errors[index] is None]
    except EvaluatorError:
        for place in range(begun):
            core = cores[place]
            core.drop_result()
        raise
    finally:
        for place in range(begun):
            core = cores[place]
            core.stop_clock(0.0)
            core.leave()
    for entry in entries:
        if entry is not None:
            log(entry)
    return errors


cdef bint same_form(Rules one, Rules other) except -1:
    return one.shape == other.shape and one.players == other.players and one.actions == other.actions
