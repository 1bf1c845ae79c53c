import io
import re
from random import Random

import pytest

from mcts_core.cli.games import parse_game


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
    assert "the engine plays " in out and "200 iterations" in out
    assert out.count(" 1 2 3 4 5 6 7\n") == 2  # one board a turn: before the move, and after the answer


def test_a_wrong_move_is_explained_and_asked_again(typed):
    code, out = typed(["9", "", "h8", "4"], "connect4")
    assert code == 0
    assert "'9' is no move here: type a column from 1 to 7, or help\n" in out
    assert "'h8' is no move here: type a column from 1 to 7, or help\n" in out
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
    assert out.count("a move: a cell from a1 to c3\n") == 2
    for word in ("moves", "hint", "undo", "swap", "again", "level", "board", "help", "quit"):
        assert out.count(f"\n{word} ") == 2


def test_games_end_with_the_result(typed):
    # The person tries every cell in turn, the taken ones too.
    cells = [column + row for row in "123" for column in "abc"]
    code, out = typed(cells * 3, "tictactoe")
    assert code == 0
    ending = next(line for line in out.splitlines() if " after " in line and line.endswith(" moves"))
    assert ending.split(" after ")[0] in ("a draw", "you win", "the engine wins")
    assert " is occupied; type moves for a list\n" in out
    assert out.endswith("again, swap, undo or quit: \n")


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
    assert "'up' is no move here: type one of the moves, which \"moves\" lists, or help\n" in out
    assert out.count("moves: left, right\n") == 6  # with each board at which the person is to move
    assert "a draw after 6 moves\n" in out


@pytest.mark.parametrize("word", ["q", "quit", "exit", "EXIT"])
def test_words_that_leave(typed, word):
    code, out = typed([word, "4"], "connect4")
    assert code == 0 and out.endswith("X, column 1-7: ")


def test_the_legal_moves_are_listed(typed):
    code, out = typed(["moves", "b2", "moves"], "tictactoe")
    assert "moves: a3, b3, c3, a2, b2, c2, a1, b1, c1\n" in out
    last = out.split("moves: ")[-1].splitlines()[0].split(", ")
    assert len(last) == 7 and "b2" not in last


@pytest.mark.parametrize("lines, board", [
    (["4", "1", "4", "2", "4", "3", "4"],
     " . . . . . . .\n . . . . . . .\n . . .|X|. . .\n . . .|X|. . .\n . . .|X|. . .\n O O O|X|. . .\n"),
    (["1", "1", "2", "2", "3", "3", "4"],
     " . . . . . . .\n . . . . . . .\n . . . . . . .\n . . . . . . .\n O O O . . . .\n|X|X|X|X|. . .\n"),
])
def test_the_line_that_wins_is_marked(lines, board):
    game = parse_game("connect4")
    assert "\n".join(game.board(game.play_text("".join(lines)))) == board + " 1 2 3 4 5 6 7"


def test_after_the_end_other_commands_say_so(typed, countdown):
    code, out = typed(["go", "go", "moves", "hint", "5", "help", "board", "q"], countdown)
    assert code == 0
    assert "the game is over: there are no moves\n" in out and "the game is over: there is nothing to play\n" in out
    assert "the game is over: again, swap, undo or quit\n" in out
    assert out.count("3 done\nyou win after 3 moves\n") == 2


@pytest.fixture
def countdown(tmp_path, monkeypatch):
    """A game that the first player wins with the third move, whatever is played."""
    (tmp_path / "count_down.py").write_text(
        "class Count:\n"
        "    def __init__(self, done=0): self.done, self.to_move = done, 1 - 2 * (done % 2)\n"
        "    def legal_moves(self): return ['go', 'q']\n"
        "    def play(self, move): return Count(self.done + 1)\n"
        "    def winner(self): return 1 if self.done == 3 else None\n"
        "    def __str__(self): return f'{self.done} done'\n")
    monkeypatch.chdir(tmp_path)
    return "count_down:Count"


def test_undo_after_the_end(typed, countdown):
    code, out = typed(["go", "go", "undo", "go"], countdown)
    assert code == 0
    assert out.count("you win after 3 moves\n") == 2
    after = out.split("you win after 3 moves\n")[1]
    assert after.startswith("again, swap, undo or quit: 2 done\nmoves: go, q\n")


def test_another_game_and_changed_sides(typed, countdown):
    code, out = typed(["go", "go", "again", "go", "go", "swap", "go", "quit"], countdown)
    assert out.count("you win after 3 moves\n") == 2
    assert "You are the second player, the engine begins" in out
    assert out.count("the engine wins after 3 moves\n") == 1


def test_sides_change_within_a_game(typed):
    code, out = typed(["4", "swap", "quit"], "connect4")
    assert "you are O now\n" in out
    assert out.count("the engine plays ") == 2 and out.endswith("O, column 1-7: ")


def test_a_move_that_is_called_like_a_command_is_the_move(typed, countdown):
    code, out = typed(["q", "q", "quit"], countdown)
    assert "you win after 3 moves\n" in out


def test_levels(typed):
    code, out = typed(["4", "level", "level club", "level 9000", "3"], "connect4", "--level", "beginner")
    assert code == 0
    assert out.startswith("Connect Four, 6 rows x 7 columns, 4 in a row at level beginner. You are X")
    assert "(level beginner)" in out and "(level club)" in out
    assert "level beginner (of beginner, novice, casual, club, strong, full)\n" in out
    assert "'9000' is no level: type one of beginner, " in out
    again = typed(["4", "level", "level club", "level 9000", "3"], "connect4", "--level", "beginner")
    assert again == (code, out)  # by --seed


def test_threads(typed):
    code, out = typed(["4"], "connect4", "--threads", 2)
    assert code == 0 and out.count("the engine plays ") == 1


def test_a_finished_game_cannot_be_played(cli, tmp_path, monkeypatch):
    (tmp_path / "over_game.py").write_text(
        "class Over:\n    to_move = 1\n    def legal_moves(self): return []\n    def play(self, move): return self\n"
        "    def winner(self): return 0\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("play", "over_game:Over")
    assert code == 2 and "the first position is a finished game" in err


# ---- the engine's view -----------------------------------------------------------------------------------------------


@pytest.fixture
def on_terminal(monkeypatch):
    """Makes standard output a terminal with this many columns."""
    return lambda width: monkeypatch.setattr("mcts_core.cli.tables.width_of", lambda stream: width)


@pytest.mark.parametrize("color", ["never", "always"])
def test_the_engines_view_stands_beside_the_board_where_there_is_room(typed, on_terminal, color):
    on_terminal(100)
    _, out = typed(["e5", "a1"], "gomoku:9", "--color", color)
    plain = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert plain.count("the engine's view before its move") == 2
    top = [line for line in plain.splitlines() if line.startswith("9 ")]
    assert [line[:19].rstrip() for line in top] == ["9 . . . . . . . . .", "9 . . . . . . . . .", "9 . . . . . . . . ."]
    assert [line[19:].strip() for line in top] == ["", *["the engine's view before its move"] * 2]
    played = re.findall("the engine plays (\\w+) ", plain)
    rows = [line for line in plain.splitlines() if line.startswith("7 ")]
    assert [row.split()[-3] for row in rows[1:]] == played  # the first row of its table
    assert "    expected: " in plain


def test_the_board_stands_alone_where_there_is_no_room(typed, on_terminal):
    on_terminal(30)
    _, out = typed(["e5"], "gomoku:9")
    assert "the engine's view" not in out and out.count("\n9 . . . . . . . . .\n") == 2


def test_the_value_of_each_search_is_drawn(typed, on_terminal):
    on_terminal(100)
    _, out = typed(["4", "3", "hint", "board", "undo", "undo", "board"], "connect4", "--no-book")
    drawn = re.findall("value for you: ([▁-█]+) (0\\.[0-9]{3}|1\\.000)", out)
    assert [len(course) for course, _ in drawn] == [2, 3]  # with the second answer, and after the hint
    assert out.count("the engine's view") == 3


def test_a_pipe_gets_the_values_below_the_board(typed):
    _, out = typed(["4", "3"], "connect4")
    assert re.search(" 1 2 3 4 5 6 7\nvalue for you: [▁-█]{2} [01]", out) and "the engine's view" not in out


def test_a_hint_explains_move_and_line(typed):
    _, out = typed(["a1", "hint"], "tictactoe", "--side", "second", "--seed", "3")
    explained = out.split("\nhint: ")[1].splitlines()[1:]
    assert "you" in explained[-2] and explained[-2].startswith("The expected line: you play ")
    assert explained[-2].endswith((", a draw.", ", and the engine wins.", ", and you win."))


# ---- general games ----


def test_one_player_and_chance(typed):
    code, out = typed(["throw", "hint", "swap", "level", "stop", "again", "stop"], "general_games:Dice")
    assert code == 0
    assert out.startswith("general_games:Dice. You play alone. Type help for the commands.\n")
    thrown = Random(1).choices(range(1, 7))[0]  # by --seed
    assert out.count("your move: chance: ") == 1 and f"chance: {thrown}\n" in out
    assert "\nhint: " in out and "there is only one player\n" in out
    assert "levels are for games of two players with winner(); all others are played at full strength\n" in out
    assert f"score {thrown / 10:g} after 2 moves\n" in out and "score 0 after 1 move\n" in out
    assert "the engine" not in out


def test_three_players(typed):
    code, out = typed(["2", "swap", "again", "1"], "general_games:Race")
    assert code == 0
    assert out.startswith("general_games:Race. You are player 0 and begin.")
    assert out.count("the engine, player 1, plays 2 (") == 1 and out.count("the engine, player 2, plays 2 (") == 2
    assert "you: 2, player 1: 2, player 2: 1 after 3 moves\n" in out
    assert "You are player 1, the engine begins" in out
    assert "the engine, player 0, plays 2 (" in out
    assert "player 0: 2, you: 1, player 2: 1 after 3 moves\n" in out


def test_undo_takes_chance_back(typed):
    code, out = typed(["throw", "undo", "undo", "stop"], "general_games:Dice")
    assert out.count("there is no move of yours to take back") == 1 and "score 0 after 1 move\n" in out


@pytest.mark.parametrize("argv, words", [
    (("general_games:Dice", "--side", "second"), "--side second: general_games:Dice is a game of one player"),
    (("general_games:Dice", "--level", "club"), "--level club: levels are for games of two players with winner()"),
    (("cards:Cards",), "GAME 'cards:Cards' has hidden information: a terminal would show it"),
])
def test_what_a_general_game_cannot_do(cli, tmp_path, monkeypatch, argv, words):
    (tmp_path / "cards.py").write_text(
        "import general_games\nclass Cards(general_games.Dice):\n    hidden_information = True\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("play", *argv)
    assert (code, out) == (2, "") and words in err
