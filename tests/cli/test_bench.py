import json
import re

import pytest

from mcts_core.cli.bench import GAMES
from mcts_core.cli.games import parse_game


def test_the_table_has_a_row_per_game(cli):
    code, out, err = cli("bench", "tictactoe", "connect4:7x9x4", "--seconds", 0.02)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert re.split("  +", lines[0].strip()) == [
        "game", "rollouts/s", "uct iterations/s", "bytes/iteration", "default iterations/s", "moves/rollout"]
    rows = [re.split("  +", line.strip()) for line in lines[1:]]
    assert [row[0] for row in rows] == ["tictactoe", "connect4:7x9x4"]
    for row in rows:
        rollouts, iterations, _, length = (float(row[column].replace(",", "")) for column in (1, 2, 3, 5))
        assert rollouts > 0 and iterations > 0
        assert 5 <= length <= 63
    assert re.fullmatch(r"solved in 0\.\d{3} s", rows[0][4])
    assert float(rows[1][4].replace(",", "")) > 0


def test_the_document(cli):
    code, out, err = cli("bench", "tictactoe", "--seconds", 0.02, "--json")
    assert code == 0 and err == ""
    document = json.loads(out)
    assert document["seconds"] == 0.02
    row, = document["games"]
    assert row["game"] == "tictactoe"
    assert row["rollouts"] > 0 and row["rollouts_per_second"] > 0
    assert row["uct"]["stop_reason"] == "time" and row["default"]["stop_reason"] == "solved"
    for found in (row["uct"], row["default"]):
        assert found["iterations"] > 0
        assert found["iterations_per_second"] == pytest.approx(found["iterations"] / found["seconds"])
    assert 5 <= row["mean_length"] <= 9


def test_the_games_measured_by_default_exist():
    assert [parse_game(spec).spec for spec in GAMES] == list(GAMES)
