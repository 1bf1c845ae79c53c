import io

import pytest


@pytest.fixture
def typed(monkeypatch, cli):
    """Plays with the lines that a person types; returns the exit code and standard output."""

    def run(lines, *argv):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))
        code, out, err = cli("play", *argv, "--iterations", 200, "--seed", 1)
        assert err == ""
        return code, out

    return run


def test_the_end_of_input_and_quit_end_politely(typed):
    code, out = typed([], "connect4")
    assert code == 0
    assert out.startswith("Connect Four, 6 rows x 7 columns, 4 in a row. You are X and begin.")
    assert " 1 2 3 4 5 6 7\n" in out
    assert out.endswith("X, column 1-7: \n")
    code, out = typed(["quit", "4"], "connect4")
    assert code == 0
    assert "the engine plays" not in out


def test_a_move_is_answered(typed):
    code, out = typed(["4"], "connect4")
    assert code == 0
    assert " . . .(X). . .\n" in out
    assert "the engine plays " in out and "200 iterations" in out
    assert out.count(" 1 2 3 4 5 6 7\n") == 3


def test_a_wrong_move_is_explained_and_asked_again(typed):
    code, out = typed(["9", "", "h8", "4"], "connect4")
    assert code == 0
    assert "the name of a column must be a number from 1 to 7, got '9'\n" in out
    assert "the name of a column must be a number from 1 to 7, got 'h8'\n" in out
    assert out.count("the engine plays") == 1
    assert out.count("X, column 1-7: ") == 5


def test_the_second_side_is_answered_first(typed):
    code, out = typed(["b2", "a1"], "tictactoe", "--side", "second")
    assert code == 0
    assert "You are O, the engine begins" in out
    assert out.index("the engine plays") < out.index("O, cell a1-c3: ")


def test_undo_takes_back_the_move_and_its_answer(typed):
    code, out = typed(["undo", "4", "undo", "undo", "board"], "connect4")
    assert code == 0
    assert out.count("there is no move of yours to take back") == 2
    assert out.endswith(
        "X, column 1-7:  . . . . . . .\n" + " . . . . . . .\n" * 5 + " 1 2 3 4 5 6 7\nX, column 1-7: \n")


def test_undo_as_second_player_keeps_the_first_move_of_the_engine(typed):
    code, out = typed(["1", "undo", "undo", "board"], "connect4", "--side", "second")
    assert out.count("there is no move of yours to take back") == 1
    last_board = out.split("O, column 1-7: ")[-2]
    assert last_board.count("X") == 1 and last_board.count("O") == 0


def test_hint_shows_the_statistics_and_plays_nothing(typed):
    code, out = typed(["hint"], "connect4")
    assert code == 0
    assert "move  visits" in out and "... and 2 more moves" in out and "\nhint: " in out
    assert "the engine plays" not in out


def test_help_lists_the_commands_and_the_notation(typed):
    code, out = typed(["help", "?"], "tictactoe")
    assert code == 0
    assert out.count("a move: cell a1-c3\n") == 2
    for word in ("undo", "hint", "board", "help", "quit"):
        assert out.count(f"\n{word} ") == 2


def test_games_end_with_the_result(typed):
    # The person tries every cell in turn, the taken ones too.
    cells = [column + row for row in "123" for column in "abc"]
    code, out = typed(cells * 3, "tictactoe")
    assert code == 0
    assert out.splitlines()[-1].split(" after ")[0] in ("a draw", "you win", "the engine wins")
    assert " is occupied\n" in out


def test_ctrl_c_at_the_prompt_ends_with_130(cli, monkeypatch):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, out, err = cli("play", "connect4")
    assert code == 130
    assert err == "\ninterrupted\n"


def test_a_python_game_whose_turns_do_not_alternate(typed, tmp_path, monkeypatch):
    (tmp_path / "double_moves.py").write_text(
        "class Double:\n"
        "    '''Each player moves twice in a row; six moves; never a winner.'''\n"
        "    def __init__(self, done=0):\n"
        "        self.done = done\n"
        "        self.to_move = 1 if done % 4 < 2 else -1\n"
        "    def legal_moves(self): return ['left', 'right']\n"
        "    def play(self, move): return Double(self.done + 1)\n"
        "    def winner(self): return 0 if self.done == 6 else None\n"
        "    def __str__(self): return f'{self.done} done'\n")
    monkeypatch.chdir(tmp_path)
    code, out = typed(["left", "undo", "left", "right", "up", "left", "right"], "double_moves:Double")
    assert code == 0
    assert out.count("the engine plays") == 2
    assert "'up' is not a legal move; legal moves: left, right" in out
    assert out.endswith("a draw after 6 moves\n")
