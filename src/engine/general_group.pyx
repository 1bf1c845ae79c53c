"""Searches of many positions side by side, the leaves of all of them evaluated in common batches.

Each position has a tree of its own and is searched exactly as it would be alone; only the calls of the evaluator are
shared. So a network gets batches of positions x batch also where each search asks for a few leaves at a time.
"""

from _thread import get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t, uint64_t

from mcts_core.errors import EvaluatorError, InvalidState
from mcts_core.arguments import shorten
from mcts_core.engine.searcher import main_thread_ident

from mcts_core.dispatch cimport hot_table
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.games.general_rules cimport Rules
from mcts_core.engine.general_searcher cimport GeneralCore, GeneralSettings
from mcts_core.tree.general_tree cimport *


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()


cdef GeneralOps *ops = <GeneralOps *>hot_table("tree.general_tree")


def search_together(list cores, list states, GeneralSettings settings, uint32_t iterations, list seeds):
    """Searches ``states[i]`` with ``cores[i]`` and ``seeds[i]``, each for ``iterations``; what each one failed with, or
    None, in a list. The cores have the figures afterwards.

    What the evaluator does wrong ends all searches: EvaluatorError. ``settings`` has an evaluator of batches.
    """
    cdef GeneralCore core
    cdef Evaluator evaluator
    cdef Rules first = None
    cdef uint32_t rows, waiting, at, batch = settings.options.batch
    cdef int status, fault
    cdef double begin = mcts_clock()
    cdef bint on_main_thread = get_ident() == main_thread_ident()
    cdef GeneralEvaluation part
    cdef list errors = [None] * len(states), running = [], asking
    cdef Py_ssize_t begun = 0, place
    evaluator = evaluator_of(settings.function, settings.by_state)
    try:
        for index, state in enumerate(states):
            core = cores[index]
            core.begin_turn(None, None)
            begun += 1
            try:
                core.begin_search(state, settings, seeds[index])
                if first is None:
                    first = core.rules
                if not same_form(first, core.rules):
                    core.rules = None
                    raise InvalidState(f"states that are evaluated together must have observations of one shape, "
                                       f"{first.shape}, got another one from {shorten(state)}")
            except Exception as error:
                errors[index] = error
                continue
            core.stop_reason = "cancelled"
            core.begin = begin
            running.append(index)
        while running:
            evaluator.prepare(first, <uint32_t>len(running) * batch)
            rows = 0
            asking = []
            for index in list(running):
                core = cores[index]
                with nogil:
                    status = ops.gather(core.tree, iterations - core.tree.iterations,
                                        evaluator.observations + rows * evaluator.stride, evaluator.stride)
                if status == GENERAL_GAME_ERROR:
                    running.remove(index)
                    ops.retract(core.tree)
                    try:
                        core.rules.fail()
                    except Exception as error:
                        core.rules = None
                        errors[index] = error
                    continue
                if core.tree.waiting:
                    asking.append(core)
                    rows += core.tree.waiting
                if status != GENERAL_DONE:
                    core.stop_reason = "memory"
                    running.remove(index)
            if rows:
                try:
                    evaluator.evaluate(first, rows)
                    at = 0
                    for core in asking:
                        waiting = core.tree.waiting
                        part = evaluator.evaluation
                        part.rows = waiting
                        if part.policy != NULL:
                            part.policy += <uint64_t>at * part.width
                        part.values += <uint64_t>at * part.value_width
                        fault = ops.resolve(core.tree, &part)
                        if fault != FAULT_NONE:
                            core.tree.fault_row += at
                            raise evaluator.complaint(core.rules, core.tree)
                        at += waiting
                finally:
                    evaluator.release()
            for index in list(running):
                core = cores[index]
                if core.tree.iterations >= iterations:
                    core.stop_reason = "iterations"
                    running.remove(index)
            if on_main_thread:
                PyErr_CheckSignals()
        for index in range(len(states)):
            core = cores[index]
            if errors[index] is None and core.tree.iterations == 0:
                core.rules = None
                errors[index] = MemoryError("no memory for a search tree")
            if errors[index] is None:
                core.conclude()
        return errors
    except EvaluatorError:
        for place in range(begun):
            core = cores[place]
            core.rules = None
        raise
    finally:
        for place in range(begun):
            core = cores[place]
            if core.tree != NULL:
                ops.retract(core.tree)
            core.seconds = mcts_clock() - begin
            core.overshoot = 0.0
            if core.rules is not None:
                core.rules.rest()
            core.leave()


cdef bint same_form(Rules one, Rules other) except -1:
    return one.shape == other.shape and one.players == other.players and one.actions == other.actions
