"""src/engine/task_threads.pyx: threads that share short jobs, by searches side by side whose steps are such jobs."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import mcts_core as mc

STATES = [mc.ConnectFour().play(a).play(b) for a in range(7) for b in range(7)]


def by_position(observations):
    """An evaluator whose numbers for a position do not depend on the batch."""
    weights = np.arange(1, observations[0].size + 1, dtype=np.float64) ** 0.5
    codes = observations.reshape(len(observations), -1) @ weights
    return np.abs(np.sin(codes[:, None] * np.arange(1, 8))), 0.5 * np.cos(codes)


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
    for threads in (3, 4, 9, 40):
        assert found(threads, states, **options) == expected


def test_all_tasks_are_done_once_by_several_threads():
    """More searches than threads, of different lengths, so that some threads come late."""
    uneven = [mc.ConnectFour.from_moves(moves) for moves in ("", "33", "3333", "22334", "010", "333333")] * 30
    expected = found(1, uneven, iterations=24, batch=1)
    for _ in range(5):
        assert found(6, uneven, iterations=24, batch=1) == expected


def threads_now():
    return len(os.listdir("/proc/self/task"))


@pytest.mark.needs("/proc")
def test_threads_end_with_the_call():
    def counting(observations):
        seen.append(threads_now())
        return by_position(observations)

    found(3, iterations=30, batch=1)  # numpy starts its own threads
    before, seen = threads_now(), []
    found(9, evaluator=counting, iterations=30, batch=1)
    assert max(seen) == before + 8  # one of the nine is the calling thread
    until = time.perf_counter() + 10
    while threads_now() > before and time.perf_counter() < until:  # the system counts a thread for a moment longer
        time.sleep(0.01)
    assert threads_now() <= before


def test_a_game_in_python_has_two_threads():
    from general_oracle import Tangle, network

    states = [Tangle(number) for number in range(9)]
    assert found(8, states, network, iterations=60) == found(1, states, network, iterations=60)


@pytest.mark.parametrize("wrong", ["raises", "nan", "shape"])
@pytest.mark.parametrize("at", [1, 2, 7])
def test_a_wrong_evaluation_ends_all(wrong, at):
    calls = []

    def fails(observations):
        calls.append(None)
        policy, values = by_position(observations)
        if len(calls) == at:
            if wrong == "raises":
                raise ValueError("enough")
            if wrong == "nan":
                values[-1] = np.nan
            else:
                policy = policy[:, :5]
        return policy, values

    text = {"raises": "enough", "nan": "got nan in row", "shape": "shape"}[wrong]
    with pytest.raises(mc.EvaluatorError, match=text):
        found(5, evaluator=fails, iterations=60, batch=1)
    assert len(calls) <= at + 1
    assert found(5, iterations=20, batch=1) == found(1, iterations=20, batch=1)


INTERRUPTED = """
import signal, threading, time
import mcts_core as mc
from test_task_threads import STATES, by_position

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
while threading.active_count() > 1 and time.perf_counter() < until:
    time.sleep(0.01)
assert threading.active_count() == 1, threading.enumerate()
mc.search_many(STATES, evaluator=by_position, threads=6, iterations=30)
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs a signal to one thread")
@pytest.mark.parametrize("delay", [0.02, 0.11, 0.25])
def test_an_interrupt_ends_all_threads(delay):
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(delay=delay)], capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (0, "")
