import json

from mcts_core.cli.bench import GAMES
from mcts_core.cli.games import parse_game


def test_the_table_has_a_row_per_game(cli):
    code, out, err = cli("bench", "tictactoe", "connect4:4x4x3", "--seconds", 0.02)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert lines[0].split() == ["game", "rollouts/s", "iterations/s", "moves/rollout", "bytes/iteration"]
    assert [line.split()[0] for line in lines[1:]] == ["tictactoe", "connect4:4x4x3"]
    for line in lines[1:]:
        rollouts, iterations, length, _ = (float(cell.replace(",", "")) for cell in line.split()[1:])
        assert rollouts > 0 and iterations > 0
        assert 5 <= length <= 16


def test_the_document(cli):
    code, out, err = cli("bench", "tictactoe", "--seconds", 0.02, "--json")
    assert code == 0 and err == ""
    document = json.loads(out)
    assert document["seconds"] == 0.02
    row, = document["games"]
    assert row["game"] == "tictactoe"
    assert row["rollouts"] > 0 and row["rollouts_per_second"] > 0
    assert row["iterations"] > 0 and row["iterations_per_second"] > 0
    assert 5 <= row["mean_length"] <= 9


def test_the_games_measured_by_default_exist():
    assert [parse_game(spec).spec for spec in GAMES] == list(GAMES)
