"""bench/evaluator.py: what it prints."""

import re
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import evaluator  # noqa: E402

sys.path.remove(str(BENCH))


def test_a_line_for_each_game(capsys):
    assert evaluator.main(["connect4", "tictactoe", "--iterations", "40", "--batch", "4", "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["connect4", "tictactoe"]
    assert all(re.search(r"-?\d+ ns a simulation  \(-?\d+ to -?\d+\)$", line) for line in lines)


def test_an_unknown_game(capsys):
    with pytest.raises(SystemExit):
        evaluator.main(["chess"])
    assert "GAME must be one of connect4, tictactoe, gomoku, got 'chess'" in capsys.readouterr().err


def test_the_evaluator_gives_other_numbers_at_every_call():
    evaluate = evaluator.make_evaluator(7, 8)
    first, second = evaluate([0] * 8), evaluate([0] * 3)
    assert first[0].shape == (8, 7) and second[1].shape == (3,)
    assert (first[0][:3] != second[0]).any() and abs(first[1]).max() <= 0.3
