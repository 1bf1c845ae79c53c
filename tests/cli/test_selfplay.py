import json

import pytest

import mcts_core
from mcts_core.cli.games import parse_game
from mcts_core.words import counted


def test_a_game_is_shown_move_by_move(cli):
    code, out, err = cli("selfplay", "tictactoe", "--iterations", 300, "--seed", 1)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert lines[0] == "tic-tac-toe"
    plies = sum(" plays " in line for line in lines)
    assert 5 <= plies <= 9
    for number in range(1, plies + 1):
        assert f"move {number}, {'XO'[(number - 1) % 2]} to move" in lines
    engine, state = mcts_core.Searcher(seed=1), mcts_core.TicTacToe()
    figures = [line for line in lines if " iterations/s, ended by " in line]
    assert len(figures) == plies
    for line in figures:
        state = state.play(engine.search(state, iterations=300))
        stats = engine.stats()
        assert f"{counted(stats.iterations, 'iteration')} in " in line and f", ended by {stats.stop_reason}" in line
    assert sum(line.split()[:4] == ["move", "visits", "wins", "value"] for line in lines) == plies
    assert "proven" in out and any(line.endswith("  draw in 9") for line in lines)
    assert any(line.endswith(f" after {plies} moves") for line in lines)


def test_the_document_is_the_game(cli):
    argv = ("selfplay", "connect4:4x4x3", "--iterations", 200, "--seed", 5, "--games", 2, "--json")
    code, out, err = cli(*argv)
    assert code == 0 and err == ""
    document = json.loads(out)
    assert document["game"] == "connect4:4x4x3"
    assert document["first_wins"] + document["draws"] + document["second_wins"] == 2
    for number, record in enumerate(document["games"]):
        engine = mcts_core.Searcher(seed=5 + number)
        state = mcts_core.ConnectFour(rows=4, cols=4, connect=3)
        for search in record["searches"]:
            assert search["to_move"] == state.to_move
            assert engine.search(state, iterations=200) == search["move"]
            assert search["iterations"] == engine.stats().iterations <= 200
            assert 0 <= search["value"] <= 1
            assert search["move_text"] == str(search["move"] + 1)
            state = state.play(search["move"])
        assert state.winner() == record["winner"]
        assert record["plies"] == len(record["searches"])
        assert record["position"] == state.diagram()
    again = json.loads(cli(*argv)[1])
    moves = [[search["move"] for search in record["searches"]] for record in document["games"]]
    assert [[search["move"] for search in record["searches"]] for record in again["games"]] == moves


def test_several_games_are_counted(cli):
    code, out, err = cli("selfplay", "tictactoe", "--iterations", 20, "--seed", 1, "--games", 3, "--top", 1)
    assert code == 0
    assert "game 1 of 3" in out and "game 3 of 3" in out
    last = out.strip().splitlines()[-1]
    assert last.startswith("3 games: X won ")
    numbers = [int(word) for word in last.replace(",", "").split() if word.isdigit()]
    assert sum(numbers[1:]) == 3
    assert "more moves" in out


@pytest.mark.parametrize("workers", [1, 2])
def test_games_of_gomoku_differ(cli, workers):
    """The default search of gomoku draws nothing at random without noise."""
    argv = ("selfplay", "gomoku:9", "--preset", "strong", "--iterations", 30, "--games", 4, "--seed", 1, "--json")
    _code, out, _err = cli(*argv, "--workers", workers)
    games = json.loads(out)["games"]
    assert len({tuple(search["move"] for search in record["searches"]) for record in games}) == 4


def test_games_elsewhere_are_the_same(cli):
    argv = ("selfplay", "connect4:4x4x3", "--iterations", 50, "--seed", 5, "--games", 3)
    here = json.loads(cli(*argv, "--json")[1])
    for executor in (("--executor", "threads", "--workers", 2), ("--workers", 2)):
        code, out, err = cli(*argv, *executor, "--json")
        assert code == 0 and err == ""
        document = json.loads(out)
        assert {**document, "games": None} == {**here, "games": None}
        for mine, other in zip(here["games"], document["games"], strict=True):
            assert [search["move"] for search in mine["searches"]] == [search["move"] for search in other["searches"]]
            assert mine["position"] == other["position"]
    lines = cli(*argv, "--executor", "threads")[1].splitlines()
    assert len(lines) == 4 and lines[-1].startswith("3 games: X won ")
    for number, record in enumerate(here["games"]):
        assert f"game {number + 1} of 3: " in lines[number] and f" after {record['plies']} moves" in lines[number]


def test_executors_that_do_not_work(cli):
    for argv, message in ((("--executor", "fast"), "executor must be"), (("--workers", 0), "workers must be"),
                          (("--executor", "dask:"), "address of a scheduler")):
        code, out, err = cli("selfplay", "tictactoe", "--iterations", 10, *argv)
        assert code == 2 and out == "" and message in err and "Traceback" not in err


def test_a_finished_first_position_is_refused(cli, tmp_path, monkeypatch):
    (tmp_path / "finished_game.py").write_text(
        "class Over:\n"
        "    to_move = 1\n"
        "    def legal_moves(self): return []\n"
        "    def play(self, move): return self\n"
        "    def winner(self): return 0\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("selfplay", "finished_game:Over")
    assert code == 2 and out == ""
    assert "the first position is a finished game" in err


def test_a_general_game(cli):
    argv = ("selfplay", "general_games:Dice", "--iterations", 30, "--seed", 3, "--games", 2)
    code, out, err = cli(*argv)
    assert code == 0 and err == ""
    document = json.loads(cli(*argv, "--json")[1])
    scores = [record["scores"] for record in document["games"]]
    assert document["mean_scores"] == [sum(score for score, in scores) / 2] and 0 < document["mean_scores"][0] <= 1
    for record in document["games"]:
        state = parse_game("general_games:Dice", general=True).play_text(" ".join(record["line"]))
        assert state.returns() == record["scores"] and record["result"] == f"score {record['scores'][0]:g}"
        assert record["plies"] == len(record["searches"]) < len(record["line"])
        assert f"{record['result']} after {record['plies']} moves\n" in out
        assert out.count(f"chance: {record['line'][1]}\n") > 0
    assert out.splitlines()[-1] == f"2 games: on average score {document['mean_scores'][0]:g}"
    elsewhere = json.loads(cli(*argv, "--json", "--executor", "threads")[1])
    assert [record["line"] for record in elsewhere["games"]] == [record["line"] for record in document["games"]]


def test_three_players(cli):
    code, out, err = cli("selfplay", "general_games:Race", "--iterations", 50, "--seed", 1)
    assert code == 0 and "player 2 plays 2" in out
    assert out.rstrip().endswith("player 0: 2, player 1: 2, player 2: 1 after 3 moves")
