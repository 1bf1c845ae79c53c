"""bench/compile.py: its classes play by the rules, and the script runs. Never a speed."""

import copy
import importlib.util
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import compiled_rules  # noqa: E402

spec = importlib.util.spec_from_file_location("bench_compile", BENCH / "compile.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)
sys.path.remove(str(BENCH))


def count(state, plies):
    """The number of lines of so many moves."""
    if plies == 0 or state.winner() is not None:
        return 1
    total = 0
    for move in list(state.legal_moves()):
        after = copy.deepcopy(state)
        after.push(move)
        total += count(after, plies - 1)
    return total


@pytest.mark.parametrize(("cls", "plies", "wanted"), [
    (compiled_rules.ConnectFourGame, 3, 343), (compiled_rules.BitsGame, 3, 343),
    (compiled_rules.OthelloGame, 4, 244), (compiled_rules.PentagoGame, 1, 288), (compiled_rules.HexGame, 1, 121),
    (compiled_rules.BreakthroughGame, 2, 22 * 22), (compiled_rules.NimGame, 1, 25)])
def test_the_number_of_lines_is_that_of_the_game(cls, plies, wanted):
    assert count(cls(), plies) == wanted


def test_the_chart_has_a_bar_for_each_way_to_write_a_game():
    bars = bench.drawn({"compiled": [300.0, 500.0, 400.0], "python": [4.0], "hand": [], "built in": [900.0]})
    assert [(bar["name"], bar["per_second"]) for bar in bars] == [
        ("class in Python", 4.0), ("class, compiled", 400.0), ("built in", 900.0)]
    assert "class, compiled" in bench.chart.bars([("Nim", bars)], "here")


def test_the_copying_class_plays_without_push():
    state = bench.copied(compiled_rules.NimGame)()
    assert state.play((4, 7)).heaps == [3, 4, 5, 6, 0] and state.heaps[4] == 7 and state.push is None


def test_both_classes_of_connect_four_are_the_game():
    for cls in (compiled_rules.ConnectFourGame, compiled_rules.BitsGame):
        state, ours = bench.copied(cls)(), mc.ConnectFour()
        for column in (3, 3, 2, 2, 4, 4, 1):
            assert state.winner() is None
            state, ours = state.play(column), ours.play(column)
        assert state.winner() == ours.winner() == 1


@pytest.mark.slow
def test_the_script_prints_a_row_for_each_game(capsys):
    assert bench.main(["--rounds", "1", "--iterations", "400"]) == 0
    shown = capsys.readouterr().out
    assert all(cls.__name__.removesuffix("Game") in shown for cls in bench.GAMES)
