"""bench/python_games.py: games in Python beside other packages and their own calls."""

import random
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import python_games  # noqa: E402
from peers import othello  # noqa: E402
from peers.python_rules import state_class  # noqa: E402


@pytest.mark.parametrize("cls", [state_class(othello.Board), python_games.Gomoku, python_games.PushingGomoku])
def test_the_rules_keep_the_contract(cls):
    report = mc.check_game(cls(), 3, seed=1)
    assert report.ok, report


def test_gomoku_has_the_winner_of_our_own():
    choose = random.Random(1)
    for _ in range(3):
        theirs, ours = python_games.Gomoku(), mc.Gomoku(15)
        while ours.winner() is None:
            row, column = choose.choice(theirs.legal_moves())
            theirs, ours = theirs.play((row, column)), ours.play(15 * row + column)
            assert theirs.winner() == ours.winner()


def test_othello_counts_its_first_positions():
    """4, 12, 56, 244 positions after one to four moves are known."""
    level = [othello.Board()]
    for count in (4, 12, 56, 244):
        level = [board.play(move) for board in level for move in board.moves()]
        assert len(level) == count


def test_all_tables_are_printed(capsys):
    assert python_games.main(["--rounds", "1", "--iterations", "48"]) == 0
    told = capsys.readouterr().out
    assert "push by play" in told and "play per iteration" in told and "Othello class" in told
