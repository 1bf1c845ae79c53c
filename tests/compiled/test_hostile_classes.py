"""Errors in compiled rules end a search, and name the line of the class."""

import inspect
import os
import subprocess
import sys

import pytest
from hostile_classes import ERRORS, HAZARDS, Hazards, OutOfRange

import mcts_core as mc


def line_of(cls):
    """The last line of the class with what goes wrong."""
    lines, first = inspect.getsourcelines(cls)
    wanted = {"OutOfRange": "+ 9] = 1", "DivisionByZero": "7 //", "Raising": "raise"}.get(cls.__name__, "def ")
    return first + next(number for number, line in enumerate(lines) if wanted in line)


@pytest.mark.parametrize("cls", [
    pytest.param(cls, marks=() if cls is OutOfRange else pytest.mark.slow) for cls in ERRORS])
def test_an_error_that_no_random_game_meets_ends_the_search_and_names_the_line(cls):
    game = mc.compile(cls, cache=False)
    state = game.from_moves([1, 2, 3, 4])
    with pytest.raises(mc.GameError) as caught:
        if cls.__name__ == "Raising":
            mc.search(state, iterations=20_000, seed=1, preset="uct")
        else:
            state.play(5)
    assert ERRORS[cls].format(line=line_of(cls)) in str(caught.value)
    with pytest.raises(mc.GameError):
        mc.search(state, iterations=20_000, seed=1, preset="uct")
    assert mc.search(game.from_moves([8, 7, 6, 5, 4, 3, 2]), iterations=100, seed=1) in (0, 1)


@pytest.mark.long
def test_every_hazard_is_an_error_where_it_is_met_and_nowhere_else():
    game = mc.compile(Hazards, cache=False, check=False)
    for line, wanted in HAZARDS.items():
        *before, last = map(int, str(line))
        state = game.from_moves(before)
        with pytest.raises(mc.GameError) as caught:
            state.play(last)
        assert wanted in str(caught.value), line
        with pytest.raises(mc.GameError):
            mc.search(state, iterations=20_000, seed=1, preset="uct")
    assert mc.search(game.from_moves([4, 5, 6]), iterations=100, seed=1, threads=2) in range(9)


SLOW = """
import _thread, threading, time
import mcts_core as mc
from hostile_classes import Slow
state = mc.compile(Slow, cache=False, check=False).state()
begin = time.perf_counter()
mc.search(state, seconds=0.2, seed=1)
print("deadline", time.perf_counter() - begin < 5)
begin = time.perf_counter()
threading.Timer(0.5, _thread.interrupt_main).start()
try:
    mc.search(state, seconds=60, seed=1)
except KeyboardInterrupt:
    print("interrupt", time.perf_counter() - begin < 10)
"""


@pytest.mark.long
@pytest.mark.alone
def test_slow_rules_end_at_the_deadline_and_at_an_interrupt():
    path = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", SLOW], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path}, timeout=120)
    assert (done.returncode, done.stdout.split()) == (0, ["deadline", "True", "interrupt", "True"]), done.stderr
