import json
import re

import pytest

import mcts_core
from mcts_core.cli import analyze


def test_the_table_the_move_and_the_principal_variation(cli):
    code, out, err = cli("analyze", "connect4", "4455", "--iterations", 2000, "--seed", 3)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert lines[0] == "Connect Four, 6 rows x 7 columns, 4 in a row; X to move"
    assert " . . . O(O). ." in lines
    assert " . . . X X . ." in lines
    engine = mcts_core.Searcher(seed=3)
    state = mcts_core.ConnectFour.from_moves("4455", base=1)
    best = engine.search(state, iterations=2000)
    stats = engine.stats()
    first_row = lines[next(i for i, line in enumerate(lines) if line.startswith("move")) + 1].split()
    assert first_row[:4] == [str(stats.moves[0].move + 1), f"{stats.moves[0].visits:,}",
                             f"{stats.moves[0].wins:,.1f}", f"{stats.moves[0].value:.3f}"]
    assert f"best move: {best + 1}, win within 3" in lines
    assert any(line.endswith(" iterations/s, ended by solved: win within 3") for line in lines)
    assert lines[-1] == "principal variation: " + " ".join(str(move + 1) for move in stats.pv)


def test_the_document_is_the_position_and_its_stats(cli):
    code, out, err = cli("analyze", "connect4", "4455", "--iterations", 1000, "--seed", 3, "--json")
    assert code == 0 and err == ""
    document = json.loads(out)
    assert list(document) == ["game", "moves", "position", "to_move", "move", "move_text", "pv_text", "stats"]
    assert document["game"] == "connect4"
    assert document["moves"] == [3, 3, 4, 4]
    assert document["position"] == mcts_core.ConnectFour.from_moves([3, 3, 4, 4]).diagram()
    assert document["to_move"] == 1
    assert document["move_text"] == str(document["move"] + 1)
    engine = mcts_core.Searcher(seed=3)
    assert engine.search(mcts_core.ConnectFour.from_moves([3, 3, 4, 4]), iterations=1000) == document["move"]
    expected = engine.stats().to_dict()
    for timing in ("seconds", "iterations_per_second", "overshoot"):
        del expected[timing], document["stats"][timing]
    assert document["stats"] == json.loads(json.dumps(expected))


def test_moves_with_two_readings_are_refused_with_both(cli):
    code, out, err = cli("analyze", "gomoku", "7,8", "--iterations", 10)
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert "h15 i15" in err and "h7" in err


@pytest.mark.parametrize("game, moves, best", [
    ("connect4", "121212", "1"),
    ("connect4", "12 1212", "1"),
    ("connect4:5x6x3", "1212", "1"),
    ("tictactoe", "a3 a1 b3 b1", "c3"),
    ("gomoku:9", "a1 a9 b1 b9 c1 c9 d1 d9", "e1"),
    ("mnk:5,4,4:exact", "a1 a4 b1 b4 c1 c4", "d1"),
])
def test_a_win_in_one_is_found(cli, game, moves, best):
    code, out, err = cli("analyze", game, moves, "--iterations", 3000, "--seed", 1)
    assert code == 0, err
    assert f"\nbest move: {best}, win in 1\n" in out


def test_what_is_not_proven_is_told_as_a_value(cli):
    code, out, err = cli("analyze", "connect4", "--iterations", 2000, "--seed", 1, "--preset", "uct")
    assert code == 0 and err == ""
    assert re.search(r"^best move: 4, value 0\.\d{3}$", out, re.MULTILINE)
    assert "proven" not in out and ", ended by iterations\n" in out


def test_a_lost_position_is_told(cli):
    code, out, err = cli("analyze", "tictactoe", "a3 b1 c1 c2 a1", "--iterations", 2000, "--seed", 1)
    assert code == 0 and err == ""
    assert re.search(r"^best move: \w\d, loss within 2$", out, re.MULTILINE)
    assert ", ended by solved: loss within 2\n" in out
    assert len(re.findall("loss within 2$", out, re.MULTILINE)) >= 4


def test_base_0_is_the_numbering_of_the_library(cli):
    one = cli("analyze", "connect4", "4455", "--iterations", 500, "--seed", 1, "--json")[1]
    zero = cli("analyze", "connect4", "3344", "--base", 0, "--iterations", 500, "--seed", 1, "--json")[1]
    assert json.loads(one)["position"] == json.loads(zero)["position"]
    assert json.loads(one)["move"] == json.loads(zero)["move"]


def test_top_shortens_the_table(cli):
    code, out, err = cli("analyze", "connect4", "--iterations", 500, "--seed", 1, "--top", 3)
    assert "... and 4 more moves" in out
    code, out, err = cli("analyze", "gomoku:5", "--iterations", 500, "--seed", 1, "--top", 0)
    assert "more moves" not in out
    assert out.count("\n") > 25


@pytest.mark.parametrize("top", ["-1", "x", "1.5", ""])
def test_a_number_of_rows_that_is_none(cli, top):
    code, out, err = cli("analyze", "connect4", "--iterations", 5, f"--top={top}")
    assert (code, out) == (2, "") and f"--top: must be a number of rows, 0 for all, got {top!r}" in err


def test_the_options_reach_the_search(cli):
    common = ("analyze", "connect4", "--iterations", 2000, "--seed", 1, "--no-book", "--json")
    plain = json.loads(cli(*common)[1])["stats"]
    curious = json.loads(cli(*common, "--exploration", 50)[1])["stats"]
    assert plain["iterations"] == curious["iterations"] == 2000
    assert plain["seed"] == 1
    visits = [move["visits"] for move in curious["moves"]]
    assert max(visits) - min(visits) < 100 < plain["moves"][0]["visits"] - plain["moves"][-1]["visits"]
    differ = 0
    for seed in range(30):
        document = json.loads(
            cli("analyze", "connect4", "--iterations", 50, "--seed", seed, "--final-move", "max", "--json")[1])
        moves = document["stats"]["moves"]
        chosen = next(entry for entry in moves if entry["move"] == document["move"])
        assert chosen["value"] == max(entry["value"] for entry in moves)
        differ += chosen is not moves[0]
    assert differ > 0


@pytest.mark.parametrize("options, book", [((), True), (("--book",), True), (("--no-book",), False)])
def test_the_exact_values_of_moves_are_without_the_book_where_the_search_is(cli, monkeypatch, options, book):
    seen = []

    def completed(stats, state, seconds, *, book):
        seen.append(book)
        return stats

    monkeypatch.setattr(analyze, "completed", completed)
    assert cli("analyze", "connect4", "4455", "--seconds", 10, *options)[0] == 0
    assert seen == [book]


def test_a_python_game_is_analyzed(cli, tmp_path, monkeypatch):
    (tmp_path / "last_stone.py").write_text(
        "class Stones:\n"
        "    '''Take one to three of ten stones; who takes the last one wins.'''\n"
        "    def __init__(self, left=10, to_move=1):\n"
        "        self.left, self.to_move = left, to_move\n"
        "    def legal_moves(self): return [('take', n) for n in range(1, min(3, self.left) + 1)]\n"
        "    def play(self, move): return Stones(self.left - move[1], -self.to_move)\n"
        "    def winner(self): return None if self.left else -self.to_move\n"
        "    def __str__(self): return f'{self.left} left'\n")
    monkeypatch.chdir(tmp_path)
    argv = ("analyze", "last_stone:Stones", "('take', 1) ('take', 3)", "--iterations", 2000, "--seed", 1)
    code, out, err = cli(*argv)
    assert code == 0, err
    assert "6 left\n" in out
    assert "\nbest move: ('take', 2), win within 3\n" in out
    document = json.loads(cli(*argv, "--json")[1])
    assert document["move"] == ["take", 2]
    assert document["position"] == "6 left"


def test_a_general_game_is_analyzed(cli):
    code, out, err = cli("analyze", "general_games:Dice", "throw 6 throw 4", "--iterations", 300, "--seed", 1)
    assert code == 0 and err == ""
    assert "general_games:Dice; player 0 to move\n" in out and "\nbest move: stop, win\n" in out
    code, out, err = cli("analyze", "general_games:Race", "2", "--seconds", 0.2, "--json")
    assert code == 0 and json.loads(out)["move"] == 2 and json.loads(out)["to_move"] == 1


@pytest.mark.parametrize("argv", [
    ("h8 h9 i7",), ("h8", "h9", "i7"), ("--top", 3, "h8", "h9", "i7"), ("h8", "--top", 3, "h9", "i7"),
])
def test_moves_are_one_word_or_many_before_and_behind_options(cli, argv):
    code, out, err = cli("analyze", "gomoku", *argv, "--iterations", 5, "--json")
    assert code == 0, err
    assert json.loads(out)["moves"] == [112, 97, 128]


def test_a_wrong_option_is_no_move(cli):
    code, out, err = cli("analyze", "gomoku", "h8", "--iterations", 5, "h9", "--unknown")
    assert code == 2 and "unrecognized arguments: h9 --unknown" in err


def test_chance_to_move_is_refused(cli):
    code, out, err = cli("analyze", "general_games:Dice", "throw")
    assert (code, out) == (2, "")
    assert "MOVES 'throw': chance moves next; add its outcome, one of 1, 2, 3, 4, 5, 6" in err
