"""src/mcts_core/engine/task_threads.pyx: threads that share short jobs, by searches side by side whose steps are such
jobs."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache, partial

import numpy as np
import pytest
from general_games import WRONG, by_position, goes_wrong

import mcts_core as mc

STATES = [mc.ConnectFour().play(a).play(b) for a in range(7) for b in range(7)]


def found(threads, states=STATES, evaluator=by_position, **options):
    results = mc.search_many(states, evaluator=evaluator, threads=threads, seed=1, errors="return", **options)
    return [(result.move, result.stats and (result.stats.moves, result.stats.pv, result.stats.nodes),
             str(result.error)) for result in results]


@pytest.mark.parametrize("options", [
    {"iterations": 40, "batch": 1}, {"iterations": 40}, {"iterations": 1}, {"iterations": 200, "memory_mb": 1},
    {"iterations": 32, "batch": 1, "root_policy": "gumbel"}, {"iterations": 60, "batch": 2, "solver": False},
], ids=str)
def test_the_number_of_threads_changes_nothing(options):
    over = mc.ConnectFour.from_moves("0101010")
    states = [*STATES[:20], over, *STATES[20:], mc.TicTacToe()]
    expected = found(1, states, **options)
    for threads in (3, 9, 40):
        assert found(threads, states, **options) == expected


def test_all_tasks_are_done_once_by_several_threads():
    """More searches than threads, of different lengths, so that some threads come late."""
    uneven = [mc.ConnectFour.from_moves(moves) for moves in ("", "33", "3333", "22334", "010", "333333")] * 20
    expected = found(1, uneven, iterations=24, batch=1)
    for _ in range(3):
        assert found(6, uneven, iterations=24, batch=1) == expected


def threads_now():
    return len(os.listdir("/proc/self/task"))


def settled():
    """The threads when no more of them end: the system counts one for a moment longer."""
    counts = []
    while len(counts) < 20 or len(set(counts[-20:])) > 1:
        counts.append(threads_now())
        time.sleep(0.01)
    return counts[-1]


@pytest.mark.needs("/proc")
def test_threads_end_with_the_call():
    def counting(observations):
        seen.append(threads_now())
        return by_position(observations)

    by_position(np.zeros((1, 3, 6, 7)))  # numpy starts its own threads
    before, seen = settled(), []
    found(9, evaluator=counting, iterations=30, batch=1)
    assert max(seen) == before + 8  # one of the nine is the calling thread
    assert settled() <= before


class Noughts:
    """Tic-tac-toe in Python, with the observations of the package's."""

    actions = 9
    threads = set()

    def __init__(self, board=None):
        self.board = board or mc.TicTacToe()
        self.to_move = self.board.to_move

    def legal_moves(self):
        return self.board.legal_moves()

    def play(self, move):
        Noughts.threads.add(threading.get_ident())
        return Noughts(self.board.play(move))

    def winner(self):
        return self.board.winner()

    def observation(self):
        return self.board.observation()


nine = partial(by_position, actions=9)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_game_in_python_has_one_thread_beside_the_evaluators(mixed):
    states = [Noughts().play(move) for move in range(9)]
    if mixed:
        states = [mc.TicTacToe(), *states, *[mc.TicTacToe().play(move) for move in range(9)]]
    expected = found(1, states, nine, iterations=60, batch=1)
    Noughts.threads.clear()
    assert found(8, states, nine, iterations=60, batch=1) == expected
    assert Noughts.threads == {threading.get_ident()}


def test_positions_that_fail_at_once_are_all_told():
    """Where all searches that begin in a turn fail, there are more behind them."""
    class Broken(Noughts):
        def observation(self):
            raise KeyError("on purpose")

    states = [*[mc.TicTacToe()] * 40, *[Broken() for _ in range(400)], mc.TicTacToe()]
    for threads in (1, 2, 4):
        results = mc.search_many(states, evaluator=nine, threads=threads, iterations=8, errors="return")
        assert [type(result.error) for result in results] == [
            *[type(None)] * 40, *[mc.GameError] * 400, type(None)]


def test_a_system_without_threads_is_told(monkeypatch):
    from mcts_core.engine import workers

    def none(*arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers, "start_new_thread", none)
    with pytest.raises(RuntimeError, match="the system starts no thread"):
        found(4, iterations=20)
    monkeypatch.undo()
    assert found(4, iterations=20) == found(1, iterations=20)


@cache
def of_one_thread():
    return found(1, iterations=20, batch=1)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("at", [1, 2, 7])
def test_a_wrong_evaluation_ends_all(wrong, at):
    calls = []
    with pytest.raises(mc.EvaluatorError, match=WRONG[wrong]):
        found(5, evaluator=goes_wrong(wrong, at, calls), iterations=60, batch=1)
    assert len(calls) <= at + 1
    assert found(5, iterations=20, batch=1) == of_one_thread()


INTERRUPTED = """
import _thread, signal, threading, time
import mcts_core as mc
from general_games import by_position
from test_task_threads import STATES

def slow(observations):
    time.sleep(0.001)
    return by_position(observations)

begin, ended = time.perf_counter(), None
threading.Timer({delay}, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]).start()
try:
    while True:
        mc.search_many(STATES * 4, evaluator=slow, threads=6, iterations=300, batch=1)
except KeyboardInterrupt:
    ended = time.perf_counter() - begin
assert ended < {delay} + 3, ended
until = time.perf_counter() + 10
while _thread._count() > 0 and time.perf_counter() < until:
    time.sleep(0.01)
assert _thread._count() == 0
mc.search_many(STATES, evaluator=by_position, threads=6, iterations=30)
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs a signal to one thread")
@pytest.mark.parametrize("delay", [0.02, 0.11, 0.25])
def test_an_interrupt_ends_all_threads(delay):
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(delay=delay)], capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (0, "")
