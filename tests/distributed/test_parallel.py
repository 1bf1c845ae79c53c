"""mcts_core/distributed/parallel.py and worker.py: searches by workers of executors, which may die."""

import dataclasses
import logging
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from failing_game import Deadly, Elsewhere, NoWayBack
from general_games import Dice, flat
from nested_oracle import ScoredMaze
from paper_game import Paper, random_tree
from value_games import Shares

import mcts_core as mc
from mcts_core.distributed import parallel
from mcts_core.distributed import worker as parallel_worker
from mcts_core.distributed.worker import Ended, Table, Task, table

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows ends a process at once by any signal
START = mc.ConnectFour(7, 8)
BENCH = Path(__file__).resolve().parents[2] / "bench"
SOON = 5.0
"""Seconds, for what takes a moment: a machine may be busy."""
PLAIN = {"node_proofs": 0, "root_proofs": 0, "leaf_proofs": 0}


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        both_work(executor)
        yield executor


def both_work(executor):
    """Waits until two processes are there: rounds of a millisecond are over before a slow start is."""
    found = set()
    while len(found) < 2:  # spawned processes cannot import this file
        found.update(executor.map(eval, ["__import__('time').sleep(0.05) or __import__('os').getpid()"] * 4))


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
                      silence_logs=logging.CRITICAL) as local, Client(local) as client:
        yield client


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def loky():
    from loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=2)
    yield executor
    executor.shutdown(kill_workers=True)


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert table._searches == {}


class OneByOne(Executor):
    """Runs tasks at once in this thread, and keeps them."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, /, *arguments):
        self.tasks += arguments
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class Disturbed(Executor):
    """Another executor; ``disturb`` is called at the task of a number."""

    def __init__(self, executor, number, disturb):
        self.executor, self.number, self.disturb, self.count = executor, number, disturb, 0

    def submit(self, function, /, *arguments):
        self.count += 1
        if self.count == self.number:
            self.disturb()
        return self.executor.submit(function, *arguments)


def check(result, state, workers=None, seconds=None, lost=False):
    """What holds of every result."""
    stats = result.stats
    assert result.move == stats.move and result.move in state.legal_moves()
    assert stats.visits == stats.iterations == result.own_iterations + sum(each.iterations for each in result.workers)
    assert sorted(entry.move for entry in stats.moves) == sorted(state.legal_moves())
    assert stats.pv[0] == result.move and stats.reused_visits == 0
    assert stats.nodes >= len(result.workers) and stats.depth_max >= stats.depth_mean >= 0
    assert len({each.id for each in result.workers}) == len(result.workers)
    assert result.rounds == max((each.rounds for each in result.workers), default=0)
    assert 0 <= result.overhead_per_round <= result.seconds_per_round <= result.seconds == stats.seconds
    if workers is not None:
        assert len(result.workers) == workers
    if seconds is not None:
        assert result.seconds < seconds + SOON
    if not lost and seconds is None:
        assert result.errors == ()
    pickle.loads(pickle.dumps(result))


# ---- all kinds of executors ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", ["processes", "threads", "loky", "cluster"])
def test_executors(kind, request):
    executor = request.getfixturevalue(kind)
    state = mc.ConnectFour.from_moves("444", base=1)
    result = mc.search_parallel(state, iterations=3000, executor=executor, workers=2, rounds=3, preset="uct", seed=5)
    check(result, state)
    assert result.stats.iterations == 2 * 3000 + result.own_iterations == 2 * 3000 + 1000
    assert sum(entry.visits for entry in result.stats.moves) == result.stats.visits
    assert result.stats.stop_reason == "iterations" and result.stats.seed == 5
    assert sum(each.rounds for each in result.workers) == 6
    # a pool is free to give both tasks of a round to one process, which does them one after the other on one tree
    assert all(each.error is None or each.error.startswith("silent") for each in result.workers)
    state = mc.Gomoku(15)
    result = mc.search_parallel(state, 0.3, executor=executor)  # as many workers as it has
    check(result, state, seconds=0.3)
    assert result.stats.stop_reason == "time" and result.stats.overshoot == pytest.approx(max(0, result.seconds - 0.3))


@pytest.mark.alone
def test_a_first_search_cut_short_is_not_counted_twice(threads, monkeypatch):
    # one iteration: the root has no children then
    monkeypatch.setattr("mcts_core.distributed.parallel.FIRST_SHARE", 1e-12)
    for _ in range(3):
        result = mc.search_parallel(START, 0.2, executor=threads, workers=2, preset="uct", solver=False)
        reports = sum(each.iterations for each in result.workers)
        assert result.stats.visits == result.stats.iterations == result.own_iterations + reports > 100


def test_the_own_processes_end_with_the_search():
    before = set(multiprocessing.active_children())
    result = mc.search_parallel(START, iterations=2000, workers=2, rounds=2)
    check(result, START)
    assert all(f":{os.getpid()}/" not in each.id for each in result.workers)
    deadline = time.monotonic() + SOON
    while set(multiprocessing.active_children()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not set(multiprocessing.active_children()) - before


def test_a_program_without_a_guard_is_told_so(tmp_path):
    """A script is imported by the processes that it starts."""
    program = tmp_path / "program.py"
    program.write_text("import mcts_core as mc\nmc.search_parallel(mc.ConnectFour(7, 8), 20, workers=2)\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    error = done.stderr.splitlines()[-1]
    assert "WorkersLost" in error and 'if __name__ == "__main__":' in error and "BrokenProcessPool" in error


NIM = """if True:
        import mcts_core as mc
        class Nim:
            def __init__(self, stones=12, to_move=1):
                self.stones, self.to_move = stones, to_move
            def legal_moves(self):
                return [1, 2, 3][:self.stones]
            def play(self, move):
                return Nim(self.stones - move, -self.to_move)
            def winner(self):
                return None if self.stones else -self.to_move
"""


def test_a_class_of_the_program_itself(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(NIM + """
        if __name__ == "__main__":
            result = mc.search_parallel(Nim(), iterations=400, rounds=2, workers=1, preset="uct")
            print(result.stats.visits - result.own_iterations, len(result.workers), result.errors)
    """)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("400 1 ()\n", "")


def test_a_class_that_workers_cannot_import():
    program = NIM + """
        def value(state):
            return {}, 0.0
        for state, options in ((Nim(), {"preset": "uct"}), (mc.Gomoku(), {"policy_value": value})):
            try:
                mc.search_parallel(state, iterations=400, workers=1, **options)
            except mc.WorkersLost as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    first, second = done.stdout.splitlines()
    for line, name in ((first, "'Nim'"), (second, "'value'")):
        assert f"attribute {name}" in line and "into a module" in line and "executor='threads'" in line
    assert done.stderr == ""


def test_a_cluster_by_its_address(cluster):
    address = f"dask:{cluster.scheduler.address}"
    result = mc.search_parallel(START, iterations=1000, executor=address, rounds=2, preset="uct")
    check(result, START)
    assert result.stats.iterations == 2 * 1000 + 1000
    done = subprocess.run([sys.executable, BENCH / "match.py", "--game", "mnk:4,4,3", "--iterations", "20", "--games",
                           "4", "--executor", address], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "4 games: +" in done.stdout, done.stderr


# ---- what workers tell each other ------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"preset": "uct", "stop_early": True}, {"threads": 2}],
                         ids=["uct", "strong", "early", "threads"])
def test_threads_repeat_a_search(threads, options):
    def found(seed, workers=2, rounds=4):
        result = mc.search_parallel(START, iterations=3000, executor=threads, workers=workers, rounds=rounds, seed=seed,
                                    **options)
        check(result, START, workers)
        return result.move, result.stats.moves, result.stats.nodes, result.stats.pv

    assert found(1) == found(1)
    assert len({repr(found(*case)) for case in ((1,), (2,), (1, 3), (1, 2, 5))}) == 4


def test_workers_hear_of_each_other():
    executor = OneByOne()
    result = mc.search_parallel(START, iterations=4000, executor=executor, workers=3, rounds=4, preset="uct", seed=1)
    check(result, START, 3)
    assert [(task.slot, task.number) for task in executor.tasks] == [(s, n) for n in range(4) for s in range(3)]
    own, *rest = executor.tasks[0].news
    assert rest == [] and own[0] == ""
    # from the second round on: what all told in the round before, each once
    for number in range(1, 4):
        told = [task.news for task in executor.tasks[3 * number:3 * number + 3]]
        assert told[0] == told[1] == told[2] and len({name for name, _ in told[0]}) == 3 == len(told[0])
        assert {task.first for task in executor.tasks[3 * number:3 * number + 3]} == {3 * number - 2}
    alone = mc.search_parallel(START, iterations=4000, executor=OneByOne(), workers=1, rounds=4, preset="uct", seed=1)
    assert alone.stats.nodes < result.stats.nodes and alone.stats.visits == 5000


# ---- searches without rollouts ---------------------------------------------------------------------------------------

VALUED = Counter()
"""How often ``remembering`` was called with each position."""


def remembering(state):
    """A policy and a value, which look random but depend only on the position; no two priors are equal."""
    board = state.diagram()
    VALUED[board] += 1
    number = zlib.crc32(board.encode())
    priors = {move: 1 + number * (move + 7) % 13 + move / 1000 for move in state.legal_moves()}
    return priors, (number % 1000 - 500) / 1000


def remembering_many(observations):
    numpy = pytest.importorskip("numpy")
    policy, values = numpy.empty((len(observations), 81), "f4"), numpy.empty(len(observations), "f4")
    for row, observation in enumerate(observations):
        board = observation.tobytes()
        VALUED[board] += 1
        number = zlib.crc32(board)
        policy[row] = [1 + number * (move + 7) % 13 for move in range(81)]
        values[row] = (number % 1000 - 500) / 1000
    return policy, values


@pytest.mark.parametrize("options", [{"policy_value": remembering}, {"evaluator": remembering_many}],
                         ids=["policy_value", "evaluator"])
def test_workers_with_an_evaluator_search_different_trees(options):
    def found(seed, workers):
        VALUED.clear()
        result = mc.search_parallel(mc.Gomoku(9), iterations=500, executor=OneByOne(), workers=workers, rounds=3,
                                    seed=seed, leaf_proofs=0, root_proofs=0, **options)
        check(result, mc.Gomoku(9), workers)
        return result.stats.moves, len(VALUED) / VALUED.total()

    first, share = found(1, 4)
    assert share > 0.5  # of 2,500 calls; with five times the same tree it would be 0.2
    assert found(1, 4)[0] == first != found(2, 4)[0]
    assert found(1, 1) == found(2, 1)  # the first worker and the calling process search as a Searcher does


def test_workers_of_gomoku_search_different_trees():
    state = mc.Gomoku.from_moves("h8 h9")
    engine = mc.Searcher(seed=1, stop_early=False)
    engine.search(state, iterations=600)
    alone = {entry.move: entry.visits for entry in engine.stats().moves}

    def found(seed, workers):
        result = mc.search_parallel(state, iterations=600, executor=OneByOne(), workers=workers, seed=seed)
        check(result, state, workers)
        return {entry.move: entry.visits for entry in result.stats.moves}

    assert found(1, 1) == found(2, 1) == {move: 2 * visits for move, visits in alone.items()}
    for workers in (2, 4):
        visits = found(1, workers)
        assert found(1, workers) == visits != found(2, workers)
        assert visits != {move: (workers + 1) * count for move, count in alone.items()}
        assert max(visits, key=visits.get) in sorted(alone, key=alone.get)[-2:]


def test_only_the_first_tree_of_a_search_is_a_plain_one():
    """Rounds of any slot may be the first ones of a process."""
    problem = pickle.dumps((mc.Gomoku.from_moves("h8 h9"), {"preset": "strong"}))

    def told(**changes):
        return Table().run(task_of(problem=problem, legal=223, iterations=400, **changes)).told

    assert told() == told(seed=2)
    made = [told(slot=slot, number=number, seed=seed) for slot, number in ((0, 0), (1, 0), (0, 1)) for seed in (1, 2)]
    assert len(set(made)) == 5


# ---- what a tree does with what it hears -----------------------------------------------------------------------------

def task_of(**changes):
    return Task(**{
        "search": "s", "home": "another", "slot": 0, "number": 0, "problem": pickle.dumps((START, {"preset": "uct"})),
        "legal": 7, "seed": 1, "seconds": 0.0, "iterations": 1000, "first": 0, "news": (), "lease": 60.0, **changes})


def test_a_tree_hears_nothing_twice_and_not_itself():
    other = Table().run(task_of(slot=1))
    here = Table()
    first = here.run(task_of())
    assert first.fresh and (first.iterations, first.visits, first.heard) == (1000, 1000, 0)
    news = ((first.tree, first.told), (other.tree, other.told))
    second = here.run(task_of(number=1, news=news))
    assert not second.fresh and second.tree == first.tree
    assert (second.iterations, second.visits, second.heard) == (1000, 3000, 2)
    # all of it again, something that was missed, and something new
    third = here.run(task_of(number=2, news=news))
    assert (third.visits, third.heard) == (4000, 2)
    later = here.run(task_of(number=3, first=5, news=news[1:]))
    assert (later.visits, later.heard) == (6000, 6)
    # a new tree begins with what it hears
    fresh = Table().run(task_of(slot=2, number=4, iterations=3000, news=news))
    assert fresh.fresh and (fresh.iterations, fresh.visits) == (3000, 5000)


def test_a_process_keeps_trees_between_rounds():
    here = Table()
    trees = {here.run(task_of(slot=slot, number=number)).tree for number in range(3) for slot in range(2)}
    assert len(trees) == 1  # a process with one thread has one
    home = [here.run(task_of(search="h", home=here.process, slot=slot, number=number)).tree
            for number in range(3) for slot in range(2)]
    assert home == 3 * home[:2] and home[0] != home[1]
    assert here.run(task_of(search="other")).tree not in trees
    here.end("h")
    with pytest.raises(Ended):
        here.run(task_of(search="h"))
    assert set(here._searches) == {"s", "other"}


def test_a_game_without_equality_keeps_its_tree():
    assert Paper.__eq__ is object.__eq__
    here, problem = Table(), pickle.dumps((Paper(random_tree(1)), {"preset": "uct"}))
    answers = [here.run(task_of(problem=problem, number=number, iterations=200, legal=4)) for number in range(3)]
    assert [answer.visits for answer in answers] == [200, 400, 600] and len({answer.tree for answer in answers}) == 1


def test_trees_that_nobody_wants_are_dropped():
    here = Table()
    for number in range(parallel_worker.MOST_SEARCHES + 3):
        here.run(task_of(search=str(number), iterations=10))
    assert list(here._searches) == [str(number) for number in range(3, parallel_worker.MOST_SEARCHES + 3)]
    here = Table()
    here.run(task_of(iterations=10, lease=0.02))
    here.run(task_of(search="kept", iterations=10))
    deadline = time.monotonic() + SOON
    while "s" in here._searches and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(here._searches) == {"kept"}
    with pytest.raises(pickle.UnpicklingError):
        here.run(task_of(search="broken", problem=b"garbage"))
    assert set(here._searches) == {"kept"}


def test_an_end_reaches_a_round_that_runs():
    here = Table()
    failures = []

    def run():
        try:
            here.run(task_of(iterations=2**29, home=here.process))
            here.run(task_of(number=1))
        except Ended as error:
            failures.append(error)

    worker = threading.Thread(target=run)
    worker.start()
    deadline = time.monotonic() + SOON
    while "s" not in here._searches or not here._searches["s"].trees:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    here.end("s")
    worker.join(SOON)
    assert not worker.is_alive() and len(failures) == 1 and here._searches == {}


# ---- games written in Python -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("preset", ["uct", "strong"])
def test_games_written_in_python(processes, preset):
    for number in range(2):
        tree = random_tree(number)
        state = Paper(tree)
        result = mc.search_parallel(state, iterations=600, executor=processes, workers=2, rounds=3, preset=preset)
        check(result, state)
        assert result.stats.iterations == 1200 + result.own_iterations or result.stats.proven


def test_a_game_that_fails_in_a_worker(processes):
    with pytest.raises(mc.GameError, match="legal_moves.*OSError: not at home"):
        mc.search_parallel(Elsewhere(), iterations=500, executor=processes, preset="uct")
    with pytest.raises(mc.GameError, match="legal_moves"):
        mc.search_parallel(Elsewhere(home=1), iterations=500, executor=OneByOne(), workers=1)


# ---- proven values ---------------------------------------------------------------------------------------------------

def test_a_proven_value_ends_the_search(processes):
    state = mc.ConnectFour.from_moves("65246514315", base=1)  # a win in 19 plies; a tree alone takes 13,000 iterations
    for executor in (processes, OneByOne()):
        result = mc.search_parallel(state, iterations=2**20, executor=executor, workers=2, rounds=256, seed=1, **PLAIN)
        check(result, state)
        assert result.stats.stop_reason == "solved" and result.stats.proven == "win" and result.stats.value == 1.0
        assert result.own_iterations == 1000 < result.stats.iterations < 2**16 and result.workers
        assert [each.error for each in result.workers] == [None] * len(result.workers)
        # the move wins
        follow = mc.Searcher(seed=1)
        follow.search(state.play(result.move), iterations=2**20)
        assert follow.stats().proven == "loss"


def test_bounds_that_a_worker_has_proven_end_the_search():
    """A game of three: the value of the root is neither a win nor a loss."""
    state = Shares()
    best = state.best()
    result = mc.search_parallel(state, iterations=20_000, executor="threads", workers=2, rounds=20, seed=1)
    stats = result.stats
    assert (stats.stop_reason, stats.proven) == ("solved", None) and result.own_iterations < stats.iterations < 40_000
    assert state.play(result.move).best() == best and stats.value == pytest.approx(best[0])
    assert stats.bounds == pytest.approx((best[0], best[0]))


@pytest.mark.parametrize("options", [{"final_move": "best_line"}, {"nested_rollouts": 10}], ids=["tree", "nested"])
def test_the_best_line_of_all_workers_is_played(options):
    """Each worker has a line of its own, and that of this process is seldom the best one."""
    improved = 0
    for number in range(8):
        state = ScoredMaze(number)
        result = mc.search_parallel(state, iterations=300, workers=3, executor="threads", seed=1, **options)
        stats, end, value, weight = result.stats, state, 0.0, 1.0
        for move in stats.pv:
            end = end.play(move)
            value, weight = value + weight * end.rewards()[0], 0.9 * weight
        assert value + weight * end.returns()[0] == pytest.approx(stats.line_value) and stats.pv[0] == result.move
        alone = mc.Searcher(seed=1, **options)
        alone.search(state, iterations=300)
        improved += stats.line_value > alone.stats().line_value
    assert improved


def test_what_needs_no_worker():
    executor = OneByOne()
    state = mc.ConnectFour.from_moves("4757", base=1)
    result = mc.search_parallel(state, 20.0, executor=executor, workers=2)
    check(result, state, 0, seconds=0.0)
    assert (result.stats.stop_reason, result.stats.proven) == ("solved", "win") and result.move == 2
    state = Paper({"root": (1, {"only": "next"}), "next": (-1, {"a": "x", "b": "y"}), "x": 1, "y": -1})
    result = mc.search_parallel(state, 20.0, executor=executor, workers=2, solver=False)
    check(result, state, 0, seconds=0.0)
    assert result.stats.stop_reason == "only_move" and executor.tasks == []


# ---- deadlines, losses -----------------------------------------------------------------------------------------------

def test_late_workers(threads):
    blocked = threading.Event()
    threads.submit(blocked.wait), threads.submit(blocked.wait)
    try:
        result = mc.search_parallel(START, 0.3, executor=threads)
    finally:
        blocked.set()
    check(result, START, 0, seconds=0.3)
    assert 0.3 <= result.seconds and len(result.errors) == 2 and all("late" in text for text in result.errors)
    assert result.stats.iterations == result.own_iterations > 0 and result.stats.stop_reason == "time"


def test_waiting_takes_no_time(threads, monkeypatch):
    looks = []
    monkeypatch.setattr(parallel, "wait", lambda *given, wait=parallel.wait: looks.append(1) or wait(*given))
    blocked = ThreadPoolExecutor(1)
    blocked.submit(time.sleep, 0.5)
    switched = Disturbed(threads, 2, lambda: setattr(switched, "executor", blocked))
    result = mc.search_parallel(START, iterations=1000, executor=switched, workers=2, rounds=2, preset="uct")
    blocked.shutdown()
    check(result, START)
    assert len(looks) <= 25  # every 50 ms


def test_one_of_two_is_late():
    blocked = threading.Event()
    with ThreadPoolExecutor(1) as busy, ThreadPoolExecutor(1) as free:
        busy.submit(blocked.wait)
        pools = Disturbed(free, 2, lambda: setattr(pools, "executor", busy))
        back = Disturbed(pools, 3, lambda: setattr(pools, "executor", free))
        try:
            result = mc.search_parallel(START, 0.8, executor=back, workers=2, rounds=8)
        finally:
            blocked.set()
    check(result, START, 1, seconds=0.8)
    assert len([text for text in result.errors if text.startswith("worker 1, round 0: late")]) == 1
    assert result.workers[0].rounds >= 2


@pytest.mark.alone
@pytest.mark.parametrize("budget", [{"seconds": 0.8}, {"iterations": 20_000}], ids=["time", "iterations"])
def test_a_process_is_killed(budget):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        mc.search_parallel(START, iterations=1000, executor=executor)
        victim = next(iter(executor._processes))
        disturbed = Disturbed(executor, 9, lambda: os.kill(victim, KILL))
        result = mc.search_parallel(START, **budget, executor=disturbed, workers=2, rounds=20, solver=False,
                                    stop_early=False, preset="uct")
    check(result, START, seconds=budget.get("seconds"), lost=True)
    assert any("BrokenProcessPool" in text for text in result.errors)
    assert result.workers and all("lost" in each.error for each in result.workers)
    # the calling process went on alone
    assert result.own_iterations > 1000 and result.stats.stop_reason == next(iter(budget)).replace("seconds", "time")
    if "seconds" in budget:
        assert result.seconds >= budget["seconds"]
    else:
        assert result.own_iterations <= 21_000 - 1000 * 3 and result.stats.iterations < 41_000


@pytest.mark.parametrize("end", [
    pytest.param(-KILL, marks=pytest.mark.needs("signals to processes")),
    pytest.param(-signal.SIGTERM, marks=pytest.mark.needs("signals to processes")), 3], ids=["kill", "term", "exit"])
@pytest.mark.parametrize("own", [True, False], ids=["own", "given"])
def test_the_caller_continues_alone_when_workers_are_killed_before_they_answer(own, end):
    """The calling process goes on alone."""
    given = None if own else ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
    try:
        result = mc.search_parallel(Deadly(end), iterations=3000, executor=given, workers=2, rounds=4, solver=False)
    finally:
        if given is not None:
            given.shutdown()
    assert result.workers == () and result.move in (1, 3) and result.stats.stop_reason == "iterations"
    assert result.stats.iterations == result.own_iterations > 2000
    assert {text.split(":")[1] for text in result.errors} == {" BrokenProcessPool"}


def test_the_caller_continues_alone_when_a_worker_is_killed_at_its_start():
    def kill():
        while not (found := set(multiprocessing.active_children()) - before) and time.monotonic() < deadline:
            time.sleep(0.001)
        for process in found:
            os.kill(process.pid, KILL)

    before, deadline = set(multiprocessing.active_children()), time.monotonic() + SOON
    thread = threading.Thread(target=kill)
    thread.start()
    result = mc.search_parallel(START, iterations=2000, workers=1, rounds=2, preset="uct")
    thread.join()
    assert result.stats.iterations == result.own_iterations >= 2000 - 1000 and result.workers == ()
    assert "BrokenProcessPool" in result.errors[0]


@pytest.mark.parametrize("pool", [ProcessPoolExecutor, ThreadPoolExecutor])
def test_workers_whose_initializer_fails_cannot_start(pool, caplog):
    context = {"mp_context": multiprocessing.get_context("spawn")} if pool is ProcessPoolExecutor else {}
    with pool(1, initializer=divmod, initargs=(1, 0), **context) as given:
        with pytest.raises(mc.WorkersLost, match="no worker could start: .*Broken"):
            mc.search_parallel(START, 20.0, executor=given)


def test_a_dask_worker_is_killed(cluster):
    addresses = cluster.run(os.getpid)
    victim = max(addresses.values())
    disturbed = Disturbed(cluster.get_executor(pure=False), 13, lambda: os.kill(victim, KILL))
    result = mc.search_parallel(START, iterations=20_000, seconds=30.0, executor=disturbed, workers=2, rounds=20,
                                preset="uct")
    check(result, START, seconds=30.0)
    assert result.stats.iterations == 2 * 20_000 + 1000  # its tasks were done by others
    hit = [each for each in result.workers if f":{victim}/" in each.id]
    assert len(hit) == 1 and "silent" in hit[0].error and 0 < hit[0].iterations < 20_000
    cluster.wait_for_workers(2, timeout=30)


def test_a_worker_that_fails_now_and_then():
    class Failing(OneByOne):
        def submit(self, function, /, *arguments):
            if len(self.tasks) in (4, 5, 9):
                self.tasks += arguments
                future = Future()
                if len(self.tasks) == 10:
                    future.cancel()
                    future.set_running_or_notify_cancel()
                else:
                    future.set_exception(MemoryError("no room"))
                return future
            return super().submit(function, *arguments)

    result = mc.search_parallel(START, iterations=6000, executor=Failing(), workers=2, rounds=6, preset="uct")
    check(result, START, lost=True)
    assert result.errors[:2] == ("worker 0, round 2: MemoryError: no room", "worker 1, round 2: MemoryError: no room")
    assert "CancelledError" in result.errors[2] and len(result.errors) == 3
    assert result.stats.iterations == 12_000 - 3000 + 1000  # their shares


@pytest.mark.parametrize("budget", [{"seconds": 0.5}, {"iterations": 6000}], ids=["time", "iterations"])
def test_tasks_that_are_cancelled_while_they_wait(budget):
    """As by ``shutdown(cancel_futures=True)``: nobody is told of such a future."""
    class Dropping(OneByOne):
        def submit(self, function, /, *arguments):
            future = Future() if self.tasks else super().submit(function, *arguments)
            self.tasks += arguments
            if not future.done():
                future.cancel()
            return future

    result = mc.search_parallel(START, executor=Dropping(), workers=2, rounds=6, preset="uct", **budget)
    assert result.errors and all("the executor dropped the task" in each for each in result.errors)
    assert result.seconds < 10


def test_no_worker_can_begin(processes):
    with pytest.raises(mc.WorkersLost, match="UnpicklingError") as caught:
        mc.search_parallel(NoWayBack(), 20.0, executor=processes)
    assert isinstance(caught.value.__cause__, pickle.UnpicklingError)
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    with pytest.raises(mc.WorkersLost, match="cannot schedule new futures after shutdown"):
        mc.search_parallel(START, 20.0, executor=closed)
    dead = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with pytest.raises(BrokenProcessPool):
        dead.submit(os._exit, 3).result()
    with pytest.raises(mc.WorkersLost, match="__main__"):
        mc.search_parallel(START, 20.0, executor=dead)


@pytest.mark.parametrize("budget", [{"seconds": 20.0}, {"iterations": 300}], ids=["time", "iterations"])
@pytest.mark.parametrize("returned", [None, "done"])
def test_an_executor_that_returns_no_future(budget, returned):
    class Careless:
        def submit(self, function, /, *arguments):
            return returned

    with pytest.raises(mc.InvalidOption, match=f"Future from submit.., but Careless returned {returned!r}"):
        mc.search_parallel(START, executor=Careless(), workers=2, **budget)


def test_an_executor_that_returns_something_else():
    class Careless(Executor):
        def submit(self, function, /, *arguments):
            future = Future()
            future.set_result(None)
            return future

    with pytest.raises(mc.WorkersLost, match="TypeError: the executor must return the result of its task, got None"):
        mc.search_parallel(START, iterations=300, executor=Careless(), workers=2)


@pytest.mark.parametrize("budget", [{"seconds": 60.0, "rounds": 2}, {"iterations": 2**29, "rounds": 1}],
                         ids=["time", "iterations"])
def test_ctrl_c_leaves_no_task(threads, budget):
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mc.search_parallel(START, **budget, executor=threads, workers=3, preset="uct")
    threads.shutdown(wait=True)  # nothing runs any more, and the third task never will
    assert time.monotonic() - begin < SOON


@pytest.mark.needs("signals to processes")
def test_ctrl_c_ends_the_own_processes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""if __name__ == "__main__":
        import mcts_core as mc, multiprocessing, threading, time
        def tell():
            while len(multiprocessing.active_children()) < 2:
                time.sleep(0.01)
            time.sleep(0.5)
            print(*(process.pid for process in multiprocessing.active_children()), flush=True)
        threading.Thread(target=tell).start()
        mc.search_parallel(mc.ConnectFour(7, 8), iterations=2**29, rounds=1, workers=2, preset="uct")
    """)
    process = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    children = [int(pid) for pid in process.stdout.readline().split()]
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=4 * SOON)
    assert len(children) == 2 and error.rstrip().endswith("KeyboardInterrupt")
    deadline = time.monotonic() + SOON
    while any(map(alive, children)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, children))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# ---- budgets, options ------------------------------------------------------------------------------------------------

def test_budgets():
    executor = OneByOne()
    result = mc.search_parallel(START, 30.0, iterations=1001, executor=executor, workers=2, rounds=4, preset="uct")
    check(result, START, 2)
    assert [task.iterations for task in executor.tasks] == [250, 250, 250, 250, 250, 250, 251, 251]
    assert result.stats.stop_reason == "iterations" and result.stats.overshoot == 0.0
    assert (parallel._rounds(None, 10_000), parallel._rounds(None, 1400), parallel._rounds(None, 3)) == (20, 2, 1)
    assert (parallel._rounds(10.0, None), parallel._rounds(0.4, None), parallel._rounds(0.01, None)) == (20, 8, 1)
    assert parallel._rounds(0.4, 1400) == 2
    executor.tasks.clear()
    result = mc.search_parallel(START, iterations=30, executor=executor, workers=2, rounds=31, preset="uct")
    check(result, START, 2)
    assert [task.iterations for task in executor.tasks] == 60 * [1] and result.rounds == 30
    assert result.stats.stop_reason == "iterations"
    result = mc.search_parallel(START, 1e-6, executor=executor, workers=2)
    check(result, START, 0, seconds=0.0)
    result = mc.search_parallel(START, 0.05, iterations=2**29, executor=OneByOne(), workers=2, preset="uct")
    check(result, START, seconds=0.05)
    assert result.stats.stop_reason == "time"


def test_no_tree_counts_beyond_its_limit(monkeypatch):
    monkeypatch.setattr(mc.Searcher, "most_iterations", lambda engine, state: 9000)
    executor = OneByOne()
    result = mc.search_parallel(START, iterations=8000, executor=executor, workers=2, rounds=2, preset="uct")
    check(result, START, 2)
    assert 4500 < result.stats.visits <= 9000 and result.stats.stop_reason == "iterations"


def test_rounds_become_longer_where_they_cost_much():
    class Slow(OneByOne):
        def submit(self, function, /, *arguments):
            time.sleep(0.03)
            return super().submit(function, *arguments)

    adapted, given = (mc.search_parallel(START, 0.7, executor=Slow(), workers=1, rounds=rounds, preset="uct")
                      for rounds in (None, 20))
    assert adapted.rounds < given.rounds
    check(adapted, START, 1, seconds=0.7)


def test_stats_are_a_dataclass_of_the_usual_kind(threads):
    result = mc.search_parallel(START, iterations=1000, executor=threads)
    text = str(result).splitlines()
    name = result.stats.to_dict()["name"]
    assert text[0].startswith(f"move {name} (number {result.move})  value 0.") and text[-1].startswith("worker ")
    assert "1,000 iterations in 2 rounds of 0." in text[-1] and result.stats.to_dict()["threads"] == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.move = 1


def test_memory_that_is_none_is_the_default_of_this_function(memory_asked):
    asked = memory_asked("mcts_core.distributed.parallel.Searcher")
    for options in ({}, {"memory_mb": None}, {"memory_mb": 3}):
        mc.search_parallel(START, iterations=10, executor="threads", workers=1, **options)
    assert {*asked[:-1]} == {256} and asked[-1] == 3 and len(asked) >= 3


BAD = [
    ({"seconds": 0}, "seconds must be"), ({"seconds": float("nan")}, "seconds must be"),
    ({"seconds": "1"}, "seconds must be"), ({"iterations": 0}, "iterations must be"),
    ({"iterations": 2**30}, "iterations must be"),
    ({"iterations": 2**29, "rollouts_per_leaf": 4}, "iterations must be"),
    ({"iterations": 1.5}, "iterations must be"), ({"rounds": 0}, "rounds must be"), ({"rounds": "2"}, "rounds must be"),
    ({"workers": 0}, "workers must be"), ({"workers": 5000}, "workers must be"), ({"workers": True}, "workers must be"),
    ({"seed": -1}, "seed must be"), ({"reuse": True}, "has no option 'reuse'"), ({"preset": "best"}, "preset must be"),
    ({"exploration": -1}, "exploration must be"), ({"rollout": "tactical"}, "rollout must be"),
    ({"memory_mb": 0.5}, "memory_mb must be"), ({"executor": "fast"}, "executor must be"),
    ({"executor": 4}, "executor must be"), ({"executor": "dask:"}, "address of a scheduler"),
    ({"executor": OneByOne()}, "workers must be given"),
    ({"executor": ThreadPoolExecutor}, "an object, got the class <class .*ThreadPoolExecutor"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[f"{list(o)[-1]}{i}" for i, (o, _) in enumerate(BAD)])
def test_bad_options(options, message):
    executor = OneByOne()
    given = {"executor": executor, "iterations": 100, **options}
    if "executor" not in options:
        given.setdefault("workers", 1)
    with pytest.raises(mc.InvalidOption, match=message):
        mc.search_parallel(START, **given)
    assert executor.tasks == []


class Seen(Paper):
    hidden_information = True

    def __init__(self):
        super().__init__(random_tree(1))


class Kuhn(Seen):
    """As much of a game with hidden information as a search asks for at first."""

    def determinize(self, player, rng):
        return self

    def observation_key(self, player):
        return 0


def test_bad_states():
    executor = OneByOne()

    def search(state, **options):
        return mc.search_parallel(state, 20.0, executor=executor, workers=1, **options)

    with pytest.raises(mc.InvalidState, match="no method legal_moves"):
        search("a board")
    with pytest.raises(mc.GameOver, match="nothing to search"):
        search(mc.ConnectFour.from_moves("0101010"))
    with pytest.raises(mc.InvalidOption, match="policy_value of workers must pickle, but .*wait.* does not"):
        search(START, policy_value=threading.Event().wait)
    with pytest.raises(mc.InvalidState, match="Kuhn.* has hidden_information, which solve"):
        search(Kuhn())
    with pytest.raises(mc.InvalidState, match=r"has hidden_information. To have it searched.* write determinize"):
        search(Seen())
    state = Elsewhere()
    state.note = threading.Lock()
    with pytest.raises(mc.InvalidState, match="must pickle, but <failing_game.Elsewhere.* does not"):
        search(state)
    with pytest.raises(mc.InvalidOption, match="has no option 'explore'.* did you mean 'exploration'"):
        search(START, explore=1)
    assert executor.tasks == []


def test_many_searches_at_a_time(threads):
    states = [START.play(move) for move in range(3)]
    random.Random(1).shuffle(states)
    with ThreadPoolExecutor(3) as callers:
        def search(state):
            return mc.search_parallel(state, iterations=1500, executor=threads, rounds=3, seed=2, preset="uct")

        together = list(callers.map(search, states))
    for state, result in zip(states, together, strict=True):
        check(result, state, 2)
        assert result.stats.moves == search(state).stats.moves


@pytest.mark.parametrize(("state", "options"), [(Dice(), {}), (mc.ConnectFour(), {"evaluator": flat})])
def test_what_the_general_tree_searches(state, options, processes):
    result = mc.search_parallel(state, iterations=1000, executor=processes, workers=2, rounds=2, **options)
    check(result, state)
    assert result.stats.iterations == 2 * 1000 + result.own_iterations
    assert sum(entry.visits for entry in result.stats.moves) == result.stats.visits
