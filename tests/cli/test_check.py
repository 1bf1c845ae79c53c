import json
import sys
import types

import pytest


class Countdown:
    """The player who reaches 0 wins."""

    def __init__(self, left=4, to_move=1):
        self.left, self.to_move = left, to_move

    def legal_moves(self):
        return [1, 2][: self.left]

    def play(self, move):
        return type(self)(self.left - move, -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move


class Stuck(Countdown):
    def legal_moves(self):
        return [1, 2][: self.left - 1]


class Endless(Countdown):
    def play(self, move):
        return Endless(4, -self.to_move)


class Patience:
    """A general game: one player takes stones."""

    players, to_move = 1, 0

    def __init__(self, left=4):
        self.left = left

    def legal_moves(self):
        return [1, 2][: self.left]

    def play(self, move):
        return Patience(self.left - move)

    def returns(self):
        return None if self.left else [1.0]


@pytest.fixture
def games(monkeypatch):
    module = types.ModuleType("checked_games")
    module.Countdown, module.Stuck, module.Endless, module.Patience = Countdown, Stuck, Endless, Patience
    monkeypatch.setitem(sys.modules, "checked_games", module)


def test_a_sound_game(cli, games):
    code, out, err = cli("check", "checked_games:Countdown", "--games", 30)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert lines[0].startswith("Countdown: 30 random games") and lines[-2] == "no problem found"
    assert lines[-1].startswith("hint: positions have no __eq__()")


def test_our_own_game(cli):
    code, out, err = cli("check", "tictactoe", "--games", 20, "--seed", 3)
    assert code == 0 and out.startswith("TicTacToe: 20 random games")


def test_a_broken_game(cli, games):
    code, out, err = cli("check", "checked_games:Stuck", "--games", 30)
    assert code == 3 and err == ""
    assert "1. legal_moves(): returned no move although winner() is None" in out
    code, out, err = cli("check", "checked_games:Endless", "--games", 30, "--max-plies", 40)
    assert code == 3 and "a random game did not end within 40 moves" in out


def test_the_document(cli, games):
    code, out, err = cli("check", "checked_games:Stuck", "--games", 10, "--seed", 7, "--json")
    document = json.loads(out)
    assert code == 3 and document["ok"] is False and document["seed"] == 7
    assert document["problems"][0]["part"] == "legal_moves()" and sum(document["problems"][0]["moves"]) == 3
    code, out, err = cli("check", "checked_games:Countdown", "--games", 10, "--json")
    assert code == 0 and json.loads(out)["ok"] is True


@pytest.mark.parametrize(
    "argv, words",
    [
        (["chess"], "GAME must be connect4"),
        (["tictactoe", "--games", "0"], "games must be an int from 1"),
        (["tictactoe", "--max-plies", "0"], "max_plies must be an int from 1"),
        (["tictactoe", "--seed", "-1"], "seed must be an int from 0"),
    ],
)
def test_bad_arguments(cli, argv, words):
    code, out, err = cli("check", *argv)
    assert code == 2 and err.startswith("mcts-core: error: ") and words in err


def test_a_general_game_is_checked(cli, games):
    code, out, err = cli("check", "checked_games:Patience", "--games", 20, "--color", "never")
    assert (code, err) == (0, "") and "mean results of the players 1.000\nno problem found\n" in out
