"""bench/game_clock.py: its models, its counting, and that a clock which spends too much loses."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_core as mc

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import game_clock  # noqa: E402

sys.path.remove(str(BENCH))


class Spendthrift(mc.Clock):
    """Half of what is left for each move, whatever it costs beyond."""

    __slots__ = ()

    def search(self, engine, state):
        self.start()
        engine.search(state, self.remaining / 2)
        self.stop()


@pytest.mark.parametrize("games", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_no_simulated_game_is_lost_and_even_ones_use_their_time(games):
    for row in game_clock.ROWS:
        found = game_clock.simulated(mc.Clock, row, games, 1)
        assert found["lost"] == 0 and found["games"] == games
        if not row[3]:
            assert found["mean"] >= 0.8


def test_a_clock_that_lays_nothing_aside_loses():
    row = ("connect4", 1.5, 0.0, 0.05, True, None)
    assert game_clock.simulated(Spendthrift, row, 40, 1)["lost"] > 20


@pytest.mark.parametrize("row", game_clock.UNKNOWN)
def test_a_game_of_unknown_length_uses_its_time_evenly(row):
    found = game_clock.unknown(mc.Clock, *row)
    assert found["reached"] and found["used"] >= 0.8 and found["least"] >= 1 / 3 and found["most"] <= 4


def test_half_of_the_time_for_each_move_is_not_even():
    found = game_clock.unknown(Spendthrift, 1e-3, 10, 10.0)
    assert found["lost"] is False and found["least"] < 0.1 and not found["reached"]


def test_the_line_of_a_game_fills_the_board():
    states = game_clock.line("connect4")
    assert len(states) == 42 and len(states[-1].moves) == 41
    assert all(state.winner() is None for state in states)


def test_games_end_after_their_proof():
    chooser = random.Random(1)
    for name, longest in game_clock.LONGEST.items():
        for _ in range(200):
            thought, moves = game_clock.lengths(name, chooser)
            assert 1 <= thought <= moves <= longest


@pytest.mark.alone
def test_a_real_game():
    one = game_clock.play(game_clock.games.find("connect4"), 1.0, [3, 3])
    assert not one["lost"] and all(0 < share < 1 for share in one["used"])
    assert one["plies"] <= 40 and all(thought <= 20 for thought in one["thought"])


@pytest.mark.long
def test_the_script_simulates_games(tmp_path):
    file = tmp_path / "figures.json"
    done = subprocess.run([sys.executable, BENCH / "game_clock.py", "--games", "1", "--json", file],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(file.read_text())) == len(game_clock.ROWS) + len(game_clock.UNKNOWN)
    assert "Simulated games" in done.stdout and "Games of unknown length" in done.stdout


@pytest.mark.alone
def test_the_script_plays_games():
    done = subprocess.run([sys.executable, BENCH / "game_clock.py", "--play", "connect4:0.5", "--plies", "0",
                           "--games", "1"], capture_output=True, text=True)
    assert done.returncode == 0 and "connect4, 0.5 s: used" in done.stdout


@pytest.mark.parametrize("arguments", [["--games", "0"], ["--play", "chess:1"], ["--play", "gomoku"]])
def test_wrong_arguments_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        game_clock.main(arguments)
    assert end.value.code == 2 and "usage: game_clock.py" in capsys.readouterr().err
