"""Searches with several threads, each with a tree of its own; test_leaf_threads.py has those with one tree."""

import _thread
import pickle
import threading
import time

import pytest
from paper_game import Paper, random_tree

import mcts_core as mc
from mcts_core.engine import workers
from mcts_core.testing.probe import check_tree

pytestmark = pytest.mark.usefixtures("no_book")

CASES = [
    (mc.ConnectFour(), {"preset": "uct"}), (mc.ConnectFour(), {}), (mc.ConnectFour(9, 9, 4), {}),
    (mc.Gomoku(), {"preset": "uct"}), (mc.MNK(9, 9, 5), {"selection": "rave"}),
]


def found(state, iterations, threads, seed=3, **options):
    engine = mc.Searcher(threads=threads, seed=seed, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


def alike(stats):
    return stats.moves, stats.pv, stats.nodes, stats.bytes, stats.rollouts, stats.depth_mean, stats.prunes


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(("state", "options"), CASES, ids=str)
def test_the_same_seed_threads_and_iterations_give_the_same(state, options, threads):
    first = found(state, 15_001, threads, exchange_every=500, **options)
    assert first.iterations == first.visits == 15_001
    assert first.threads == threads
    assert sum(entry.visits for entry in first.moves) >= 15_001 - 20
    assert all(0 <= entry.wins <= entry.visits for entry in first.moves)
    for _ in range(2):
        assert alike(found(state, 15_001, threads, exchange_every=500, **options)) == alike(first)
    assert alike(found(state, 15_001, threads, seed=4, exchange_every=500, **options)) != alike(first)


def test_every_visit_of_the_root_is_a_visit_of_a_move():
    for threads in (2, 5):
        stats = found(mc.ConnectFour(), 50_000, threads, preset="uct")
        assert sum(entry.visits for entry in stats.moves) == stats.visits == 50_000


def test_one_thread_is_the_search_without_threads():
    plain = mc.Searcher(seed=3)
    plain.search(mc.ConnectFour(), iterations=20_000)
    assert alike(found(mc.ConnectFour(), 20_000, 1)) == alike(plain.stats())


def test_few_iterations_run_in_one_thread():
    stats = found(mc.ConnectFour(), 100, 2)
    assert (stats.threads, stats.iterations) == (1, 100)


def test_threads_find_what_one_finds():
    state = mc.ConnectFour.from_moves("334455", base=0)  # three in a row for the player to move
    for threads in (2, 4):
        stats = found(state, 20_000, threads, preset="uct")
        assert stats.move in (2, 6)
        assert stats.value > 0.9
        one = found(state, 20_000, 1, preset="uct")
        assert stats.value == pytest.approx(one.value, abs=0.05)


@pytest.mark.parametrize(("m", "n", "k", "proven"), [(3, 3, 3, "draw"), (4, 3, 3, "win"), (4, 4, 4, "draw")])
def test_solved_games(m, n, k, proven):
    for options in ({}, {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}):
        if options and m * n > 12:
            continue
        first = found(mc.MNK(m, n, k), 400_000, 2, exchange_every=200, **options)
        assert (first.stop_reason, first.proven) == ("solved", proven)
        again = found(mc.MNK(m, n, k), 400_000, 2, exchange_every=200, **options)
        assert (again.moves, again.iterations) == (first.moves, first.iterations)


@pytest.mark.parametrize(("state", "options", "iterations"), [
    (mc.ConnectFour(), {"preset": "uct"}, 400_000), (mc.ConnectFour(), {"solver": False}, 300_000),
    (mc.Gomoku(), {"preset": "uct", "rollouts_per_leaf": 2}, 100_000), (mc.Gomoku(), {}, 30_000),
], ids=str)
def test_memory(state, options, iterations):
    first = found(state, iterations, 2, memory_mb=2, **options)
    assert first.prunes > 0
    assert first.dropped_nodes > 0
    assert first.bytes <= 2 << 20
    assert first.stop_reason == "iterations"
    assert alike(found(state, iterations, 2, memory_mb=2, **options)) == alike(first)


WIN_IN_ONE = mc.ConnectFour.from_moves("001122")
SHORT = [
    (WIN_IN_ONE, {"seconds": 0.001}), (mc.ConnectFour(), {"seconds": 0.0005}), (mc.Gomoku(), {"seconds": 0.001}),
    (mc.Gomoku(9), {"seconds": 0.004}), (mc.ConnectFour(), {"iterations": 1}),
    (mc.MNK(26, 26, 5), {"iterations": 1100}),
    (mc.Gomoku(), {"iterations": 10**8}),
]


@pytest.mark.parametrize("options", [
    {}, {"preset": "uct"}, {"selection": "grave", "solver": False}, {"preset": "uct", "exchange_every": 16},
], ids=str)
def test_short_searches_are_whole(options):
    """Some threads begin when it is over; each iteration that is counted is one of a move all the same."""
    for threads in (2, 3):
        for state, budget in SHORT * 2:
            engine = mc.Searcher(threads=threads, memory_mb=16, **options)
            if budget.get("iterations") == 10**8:
                engine.ponder(state)
                engine.stop()  # within the first iterations
            else:
                engine.search(state, **budget)
            check_tree(engine)
            stats = engine.stats()
            assert stats.visits == stats.iterations
            assert sum(entry.visits for entry in stats.moves) >= stats.visits
            again = pickle.loads(pickle.dumps(engine))
            check_tree(again)
            assert again.stats() == stats
            again.search(state, iterations=30)
            check_tree(again)


def test_what_other_threads_found_is_not_lost():
    """Also where the first thread, waiting for a core, did not come to try every move of the root."""
    for _ in range(20):
        engine = mc.Searcher(threads=4, preset="uct")
        engine.search(mc.ConnectFour(), 0.002)
        stats = engine.stats()
        assert stats.visits == stats.iterations == sum(entry.visits for entry in stats.moves)
        assert all(entry.visits for entry in stats.moves) or stats.iterations <= 7


def test_reuse():
    engine = mc.Searcher(threads=2, exchange_every=500)
    other = mc.Searcher(threads=2, exchange_every=500, reuse=False)
    state = mc.ConnectFour()
    reused = []
    for _ in range(4):
        move = engine.search(state, iterations=20_000)
        stats = engine.stats()
        assert stats.iterations == 20_000
        assert stats.visits == stats.reused_visits + 20_000
        expected = next(entry.visits for entry in stats.moves if entry.move == move)
        reused.append(stats.reused_visits)
        state = state.play(move)
        engine.search(state, iterations=2)  # in one thread
        assert engine.stats().reused_visits == expected
        other.search(state, iterations=5000)
        assert other.stats().reused_visits == 0
    assert min(reused[1:]) > 0


def test_time_and_no_thread_left():
    before = _thread._count()
    engine = mc.Searcher(threads=3)
    for state in (mc.ConnectFour(), mc.Gomoku()):
        for seconds in (0.002, 0.05):
            engine.search(state, seconds)
            stats = engine.stats()
            assert stats.stop_reason == "time"
            assert stats.threads == 3
            assert sum(entry.visits for entry in stats.moves) >= stats.iterations - 20
    assert _thread._count() <= before  # threads of an earlier test may have ended


def test_cancel_progress_and_ponder():
    before = _thread._count()
    engine = mc.Searcher(threads=2, solver=False)
    seen = []
    engine.search(mc.ConnectFour(), 0.3, progress=seen.append, every=0.02)
    assert [stats.iterations for stats in seen] == sorted(stats.iterations for stats in seen)
    assert seen[-1].stop_reason == "running"
    assert seen[-1].iterations <= engine.stats().iterations
    for budget in ({"seconds": 60}, {"iterations": 10**9}):
        timer = threading.Timer(0.1, engine.stop)
        timer.start()
        begin = time.monotonic()
        engine.search(mc.ConnectFour(), **budget)
        assert time.monotonic() - begin < 30
        timer.join()
        assert engine.stats().stop_reason == "cancelled"
    with engine.pondering(mc.Gomoku()):
        time.sleep(0.05)
    assert engine.stats().stop_reason == "cancelled"
    assert _thread._count() <= before  # threads of an earlier test may have ended


def test_a_progress_callback_that_raises_ends_all_threads():
    before = _thread._count()
    engine = mc.Searcher(threads=2)

    def fail(stats):
        raise KeyError(stats.iterations)

    with pytest.raises(KeyError):
        engine.search(mc.ConnectFour(), 30, progress=fail, every=0.01)
    assert _thread._count() <= before  # threads of an earlier test may have ended
    assert engine.search(mc.ConnectFour(), 0.01) in range(7)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("state", "budget"), [
    (mc.ConnectFour(), {"seconds": 30}), (mc.ConnectFour(), {"iterations": 10**8}), (mc.Gomoku(), {"seconds": 30}),
    (mc.Gomoku(), {"iterations": 10**7}),
], ids=["trees, time", "trees, iterations", "one tree, time", "one tree, iterations"])
def test_a_thread_that_cannot_be_started(begun, state, budget, monkeypatch):
    """Whether it has begun or not: Python may fail after the system has started it."""
    before, true, calls = _thread._count(), workers.start_new_thread, []

    def start(function, arguments):
        calls.append(function)
        if len(calls) == 1 or begun:
            true(function, arguments)
        if len(calls) == 2:
            raise RuntimeError("can't start new thread")

    engine = mc.Searcher(threads=4, seed=1)
    monkeypatch.setattr(workers, "start_new_thread", start)
    with pytest.raises(RuntimeError, match="can't start"):
        engine.search(state, **budget)
    monkeypatch.undo()
    deadline = time.monotonic() + 30
    while _thread._count() > before:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    engine.search(state, iterations=5000)
    assert engine.stats().iterations == 5000 and engine.stats().threads == 4
    check_tree(engine)


@pytest.mark.parametrize("options", [{}, {"preset": "uct"}], ids=["default", "uct"])
def test_a_thread_that_was_alone_when_another_could_not_be_started(options, monkeypatch):
    """Its tree goes on as that of the Searcher, whose own has no statistics of the root's moves yet."""
    true, calls = workers.start_new_thread, []

    def start(function, arguments):
        calls.append(function)
        if len(calls) == 2:
            time.sleep(0.1)  # the first one searches
            raise RuntimeError("can't start new thread")
        true(function, arguments)

    for _ in range(3):
        engine = mc.Searcher(threads=3, memory_mb=16, reuse=False, **options)
        calls.clear()
        with monkeypatch.context() as patch:
            patch.setattr(workers, "start_new_thread", start)
            with pytest.raises(RuntimeError, match="can't start"):
                engine.search(mc.Gomoku(), 30)
        engine.search(mc.Gomoku(), 5, iterations=100)  # in one thread
        assert (engine.stats().iterations, engine.stats().stop_reason) == (100, "iterations")
        check_tree(engine)
        engine.search(mc.Gomoku(), iterations=5000)
        assert engine.stats().iterations == 5000
        check_tree(engine)
        del engine


def test_bad_options():
    for wrong in (0, -1, 257, True, 1.5, "2", None):
        with pytest.raises(mc.InvalidOption, match="threads"):
            mc.Searcher(threads=wrong)
    with pytest.raises(mc.InvalidOption, match="memory_mb must be at least 1 for each of the 4 threads, got 2"):
        mc.Searcher(threads=4, memory_mb=2)
    for wrong in (0, 15, 1.5, "many"):
        with pytest.raises(mc.InvalidOption, match="exchange_every"):
            mc.Searcher(threads=2, exchange_every=wrong)
    with pytest.raises(mc.InvalidOption, match="written in Python"):
        mc.Searcher(threads=2).search(Paper(random_tree(1)), iterations=100)
    with pytest.raises(mc.InvalidState):
        mc.Searcher(threads=2).search(None, iterations=100)


def test_nothing_is_lost_with_little_memory():
    """What is told does not fit into a share of the budget here."""
    for state, options in ((mc.MNK(6, 6, 4), {"preset": "uct", "selection": "ucb1-tuned"}), (mc.Gomoku(), {})):
        stats = found(state, 40_000, 2, memory_mb=2, exchange_every=4000, **options)
        assert stats.visits == stats.iterations == 40_000
        assert sum(entry.visits for entry in stats.moves) == 40_000
