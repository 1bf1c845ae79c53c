"""src/mcts_core/engine/evaluation_thread.pyx: searches whose evaluator is called in a second thread. That they search
what they should, iteration by iteration, is tested in ``tree/test_general_tree.py``."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from general_games import WRONG, by_position, goes_wrong
from general_oracle import Tangle, network

import mcts_core as mc
from mcts_core.engine import workers

START = mc.ConnectFour.from_moves("3332")
KINDS = [{}, {"batch": 1}, {"solver": False}, {"root_policy": "gumbel"}, {"noise_alpha": 0.5, "temperature": 1.0}]


def found(engine):
    stats = engine.stats()
    return stats.moves, stats.nodes, stats.pv, stats.rollouts, stats.bytes, stats.stop_reason


def slow(observations):
    time.sleep(0.003)
    return by_position(observations)


def wide(observations):
    codes = observations.reshape(len(observations), -1) @ np.arange(observations[0].size)
    return np.abs(np.sin(codes[:, None] * np.arange(1, 226))), 0.5 * np.cos(codes)


def assert_sound(engine):
    """What is unpickled has been checked."""
    assert pickle.loads(pickle.dumps(engine)).stats().moves == engine.stats().moves


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_a_search_does_not_depend_on_how_long_the_calls_take(options):
    callers = set()

    def uneven(observations):
        callers.add(threading.get_ident())
        time.sleep(0.002 * bool(observations.sum() % 3 == 0))
        return by_position(observations)

    one, other = (mc.Searcher(evaluator=evaluator, seed=4, threads=2, **options)
                  for evaluator in (by_position, uneven))
    for state in (START, START.play(2), START):
        assert one.search(state, iterations=150) == other.search(state, iterations=150)
        assert found(one) == found(other)
        stats = one.stats()
        assert stats.threads == 1 and stats.iterations == 150 and stats.visits - stats.reused_visits == 150
        own = stats.reused_visits > 0  # the visit that evaluated the root, when it was a leaf
        assert stats.visits == sum(entry.visits for entry in stats.moves) + own
    assert callers and threading.get_ident() not in callers


def test_leaves_are_gathered_while_the_evaluator_works():
    seen, given, met = [0], [0], []
    more = threading.Condition()

    class Watched(Tangle):
        def play(self, move):
            return Watched(self.number, self.players, self.chance, self.length, (*self.path, move))

        def observation(self):
            with more:
                seen[0] += 1
                more.notify()
            return super().observation()

    def waits(observations):
        """Until a leaf of the next call is gathered; after the last one, there is none."""
        given[0] += len(observations)
        if len(met) in (2, 3, 4):
            with more:
                met.append(more.wait_for(lambda: seen[0] > given[0], 10))
        else:
            met.append(None)
        return network(observations)

    mc.search(Watched(5, length=12), iterations=200, evaluator=waits, threads=2, seed=1)
    assert met[2:5] == [True] * 3


def test_progress_shows_what_has_been_evaluated():
    shown = []

    engine = mc.Searcher(evaluator=slow, threads=2, seed=1, solver=False)
    engine.search(mc.ConnectFour(), iterations=200, progress=shown.append, every=0.001)
    assert len(shown) > 5
    for stats in shown:
        assert stats.visits == stats.iterations == sum(entry.visits for entry in stats.moves)
        assert all(0 <= entry.value <= 1 for entry in stats.moves)
    quiet = mc.Searcher(evaluator=by_position, threads=2, seed=1, solver=False)
    quiet.search(mc.ConnectFour(), iterations=200)
    assert found(quiet) == found(engine)


def test_a_time_limit_and_stop():
    engine = mc.Searcher(evaluator=slow, threads=2, seed=1)
    engine.search(mc.ConnectFour(), seconds=0.1)
    stats = engine.stats()
    assert stats.stop_reason == "time" and stats.iterations > 0
    assert stats.visits == sum(entry.visits for entry in stats.moves) == stats.iterations
    assert stats.rollouts <= stats.iterations + 1
    assert_sound(engine)
    engine = mc.Searcher(evaluator=slow, threads=2, seed=1)
    engine.ponder(mc.ConnectFour())
    time.sleep(0.05)
    stats = engine.stop()
    assert stats.stop_reason == "cancelled" and stats.visits == sum(entry.visits for entry in stats.moves)
    assert_sound(engine)


def test_a_decided_search_is_repeatable():
    def strong(observations):
        time.sleep(0.001 * float(observations.sum() % 2))
        return np.tile([0.0, 0, 0, 9, 1, 0, 0], (len(observations), 1)), np.zeros(len(observations))

    engines = [mc.Searcher(evaluator=strong, threads=2, seed=1, solver=False, stop_early=True) for _ in range(2)]
    for engine in engines:
        engine.search(mc.ConnectFour(), iterations=600)
    stats = engines[0].stats()
    assert stats.stop_reason == "decided" and stats.iterations < 600
    assert found(engines[0]) == found(engines[1])
    first, second = sorted((entry.visits for entry in stats.moves), reverse=True)[:2]
    assert first - second > 600 - stats.iterations


@pytest.mark.parametrize("prune", [True, False])
def test_a_full_tree(prune):
    engine = mc.Searcher(evaluator=wide, threads=2, seed=1, memory_mb=2, prune=prune, solver=False)
    engine.search(mc.Gomoku(15), iterations=4000)
    stats = engine.stats()
    if prune:
        assert stats.prunes > 0 and stats.iterations == 4000
    else:
        assert stats.stop_reason == "memory" and 0 < stats.iterations < 4000
        assert stats.visits == sum(entry.visits for entry in stats.moves) == stats.iterations
    assert_sound(engine)


@pytest.mark.parametrize("moves", ["", "2", "22", "010", "2132"])
def test_proofs_hold_while_a_batch_waits(moves):
    def even(observations):
        return np.ones((len(observations), 5)), np.zeros(len(observations))

    state = mc.ConnectFour(4, 5)
    for move in moves:
        state = state.play(int(move))
    exact = mc.solve(state)
    engine = mc.Searcher(evaluator=even, threads=2, seed=1, leaf_proofs=1, root_proofs=1)
    for iterations in (10, 40, 160, 3000):
        move = engine.search(state, iterations=iterations)
        proven = engine.stats().proven
        assert proven in (None, exact.proven)
        assert proven is None or move in [row.move for row in exact.moves if row.proven == proven]
    assert proven is not None and engine.stats().stop_reason == "solved"


@pytest.mark.parametrize("iterations", [10, 64])
def test_what_exact_search_proves_of_a_leaf_that_waits_is_kept(iterations):
    """The root's exact search finds the one winning move, whose position is with the evaluator then."""
    def uneven(observations):
        codes = observations.reshape(len(observations), -1) @ np.arange(1, 61) ** 0.5
        return np.abs(np.sin(codes[:, None] * np.arange(1, 5))), 0.9 * np.cos(codes)

    state = mc.ConnectFour.from_moves([1, 1, 0], rows=5, cols=4, connect=4)
    engine = mc.Searcher(evaluator=uneven, threads=2, seed=1, batch=2, leaf_proofs=0)
    assert engine.search(state, iterations=iterations) == 1
    assert engine.stats().proven == "win"
    assert next(entry.proven for entry in engine.stats().moves if entry.move == 1) == "win"


def test_a_win_is_played_while_a_batch_waits():
    engine = mc.Searcher(evaluator=slow, threads=2, seed=1)
    assert engine.search(mc.ConnectFour.from_moves("3322"), iterations=3000) in (1, 4)
    assert engine.stats().proven == "win" and engine.stats().stop_reason == "solved"
    assert_sound(engine)


@pytest.mark.parametrize("at", [1, 2, 3, 9])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_goes_wrong_ends_the_search_and_the_thread(at, wrong):
    calls = []
    engine = mc.Searcher(evaluator=goes_wrong(wrong, at, calls), threads=2, seed=1)
    with pytest.raises(mc.EvaluatorError, match=WRONG[wrong]):
        engine.search(START, iterations=500)
    assert at <= len(calls) <= at + 1  # one call may have waited behind that
    assert engine.search(START, iterations=50) in START.legal_moves()
    assert engine.stats().iterations == 50
    fresh = mc.Searcher(evaluator=by_position, threads=2, seed=1)
    fresh.search(START, iterations=50)
    assert found(fresh) == found(engine)


def test_a_game_that_fails_while_a_batch_waits():
    class Broken(Tangle):
        def play(self, move):
            if len(self.path) == 3:
                raise KeyError("on purpose")
            return Broken(self.number, self.players, self.chance, self.length, (*self.path, move))

    def slow(observations):
        time.sleep(0.002)
        return network(observations)

    engine = mc.Searcher(evaluator=slow, threads=2, seed=1)
    with pytest.raises(mc.GameError, match="on purpose"):
        engine.search(Broken(4), iterations=500)
    assert engine.search(Tangle(4), iterations=50) in Tangle(4).moves


def test_an_interrupt():
    def evaluate(observations):
        calls.append(len(observations))
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.05)
        return by_position(observations)

    calls = []
    engine = mc.Searcher(evaluator=evaluate, threads=2, seed=1)
    with pytest.raises(KeyboardInterrupt):
        engine.search(mc.ConnectFour(), iterations=1_000_000)
    assert engine.search(START, iterations=20) in START.legal_moves()


@pytest.mark.parametrize("many", [False, True])
def test_an_evaluator_may_return_the_same_arrays_each_time(many):
    policies, values = np.zeros((64, 7), np.float32), np.zeros(64, np.float32)

    def reusing(observations):
        rows = len(observations)
        policies[:rows], values[:rows] = by_position(observations)
        return policies[:rows], values[:rows]

    results = []
    for evaluator in (by_position, reusing):
        if many:
            found_ = mc.search_many([START, mc.ConnectFour()], iterations=200, evaluator=evaluator, threads=2, seed=3)
            results.append([result.stats.moves for result in found_])
        else:
            engine = mc.Searcher(evaluator=evaluator, threads=2, seed=3)
            engine.search(START, iterations=400)
            results.append(found(engine))
    assert results[0] == results[1]


def test_two_threads_have_one_tree_and_all_the_memory():
    engine = mc.Searcher(evaluator=by_position, threads=2, memory_mb=1, seed=3)
    engine.search(START, iterations=20_000)
    stats = engine.stats()
    assert stats.prunes > 0 and 2**19 < stats.bytes <= 2**20


def test_an_evaluator_may_stop_its_search():
    calls = []

    def stopping(observations):
        calls.append(None)
        if len(calls) == 5:
            engine.stop()
            with pytest.raises(mc.SearchBusy):
                engine.search(START, iterations=1)
        return by_position(observations)

    engine = mc.Searcher(evaluator=stopping, threads=2, solver=False)
    engine.search(START, iterations=5000)
    assert engine.stats().stop_reason == "cancelled" and len(calls) < 10
    engine.search(START, iterations=100)
    assert engine.stats().iterations == 100


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
@pytest.mark.parametrize("many", [False, True])
def test_an_interrupt_does_not_wait_for_a_call_that_does_not_end(many, monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 0.2)
    calls, end = [], threading.Event()

    def hanging(observations):
        calls.append(None)
        if len(calls) == 3:
            end.wait(60)
        return by_position(observations)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    begin = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            if many:
                mc.search_many([START, mc.ConnectFour()], iterations=500, evaluator=hanging, threads=2)
            else:
                mc.search(START, iterations=500, evaluator=hanging, threads=2, solver=False)
        assert time.perf_counter() - begin < 40
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        end.set()


@pytest.mark.needs("fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("many", [False, True])
def test_a_process_that_is_forked_during_a_search_is_told(many):
    """Its thread is not there in the child."""
    children = []

    def fork(progress):
        if not children:
            children.append(os.fork())

    try:
        if many:
            mc.search_many([START, mc.ConnectFour()] * 30, iterations=40, evaluator=slow, threads=2, progress=fork,
                           every=0.001)
        else:
            mc.search(mc.ConnectFour(), iterations=400, evaluator=slow, threads=2, solver=False, progress=fork,
                      every=0.001)
        status = 3
    except RuntimeError as error:
        status = 0 if "forked" in str(error) else 4
    except BaseException:
        status = 5
    if children == [0]:
        os._exit(status)
    assert status == 3
    until = time.perf_counter() + 30
    while (ended := os.waitpid(children[0], os.WNOHANG)) == (0, 0) and time.perf_counter() < until:
        time.sleep(0.02)
    if ended == (0, 0):
        os.kill(children[0], signal.SIGKILL)
        os.waitpid(children[0], 0)
    assert ended == (children[0], 0)
