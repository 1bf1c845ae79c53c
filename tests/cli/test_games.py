import re
import sys
import types
from collections import Counter
from random import Random

import pytest
from general_games import Dice, Race

from mcts_core import MNK, ConnectFour, GameError, Gomoku, IllegalMove, InvalidOption, InvalidState, TicTacToe
from mcts_core.cli.games import draw, parse_game


@pytest.mark.parametrize("spec, start", [
    ("connect4", ConnectFour()),
    ("CONNECT4", ConnectFour()),
    ("connect4:5x6x3", ConnectFour(rows=5, cols=6, connect=3)),
    ("gomoku", Gomoku()),
    ("gomoku:9", Gomoku(size=9)),
    ("gomoku:9:exact", Gomoku(size=9, rule="exact")),
    ("gomoku:exact", Gomoku(rule="exact")),
    ("mnk:4,3,3", MNK(m=4, n=3, k=3)),
    ("tictactoe", TicTacToe()),
])
def test_a_spec_names_its_first_position(spec, start):
    game = parse_game(spec)
    assert game.start == start
    assert game.spec == spec


@pytest.mark.parametrize("spec", [
    "connect4:", "connect4:6", "connect4:6x7", "connect4:6x7x4x1", "connect4:6x7xfour", "connect4:8,8,4",
    "connect4:-6x7x4", "gomoku:15:freestyle", "gomoku:x", "gomoku:15:15", "mnk", "mnk:3,3", "mnk:3,3,3,3",
    "mnk:3,3,three", "tictactoe:3", "connect4:6x7x4:exact",
])
def test_a_known_game_is_refused_with_its_form(spec):
    form = {"connect4": "connect4[:ROWSxCOLSxCONNECT]", "gomoku": "gomoku[:SIZE[:exact]]", "mnk": "mnk:M,N,K[:exact]",
            "tictactoe": "tictactoe"}[spec.split(":")[0]]
    with pytest.raises(InvalidOption, match=f"^{re.escape(f'GAME must be {form}, got {spec!r}')}$"):
        parse_game(spec)


@pytest.mark.parametrize("spec", ["", ":", "chess", ":Class", "module:"])
def test_an_unknown_game_is_refused_with_all_forms(spec):
    with pytest.raises(InvalidOption, match="GAME must be connect4.*module:Class, got"):
        parse_game(spec)


@pytest.mark.parametrize("command", ["serve", "ugi --game", "bench"])
def test_a_general_game_is_refused_by_name(cli, module, command):
    code, out, err = cli(*command.split(), f"{module}:Dice")
    assert (code, out) == (2, "")
    assert f"GAME '{module}:Dice': this command plays games of two players with winner()" in err
    assert parse_game(f"{module}:Dice", general=True).start.players == 1


@pytest.mark.parametrize("spec", ["connect4:0x7x4", "connect4:99x99x4", "gomoku:0", "gomoku:33", "mnk:3,3,0"])
def test_impossible_boards_are_refused_by_the_library(spec):
    with pytest.raises((InvalidState, InvalidOption)):
        parse_game(spec)


def test_mnk_exact_needs_exactly_k():
    at_least, exactly = parse_game("mnk:6,3,3"), parse_game("mnk:6,3,3:exact")
    four_in_a_row = "a3 a1 b3 b1 d3 d1 c3"
    assert at_least.play_text(four_in_a_row).winner() == 1
    assert exactly.play_text(four_in_a_row).winner() is None
    assert (at_least.title, exactly.title) == (
        "m,n,k game, 6 columns x 3 rows, at least 3 in a row", "m,n,k game, 6 columns x 3 rows, exactly 3 in a row")


# ---- Connect Four ----


@pytest.mark.parametrize("text, base", [("4455", None), ("4 4 5 5", None), ("4,4;5, 5", None), ("3344", 0),
                                        ("4455", 1)])
def test_connect4_moves_are_columns_from_1_unless_base_says_0(text, base):
    assert list(parse_game("connect4").play_text(text, base).moves) == [3, 3, 4, 4]


def test_connect4_wide_boards_separate_their_moves():
    game = parse_game("connect4:6x12x4")
    assert list(game.play_text("12 1 11").moves) == [11, 0, 10]
    assert list(game.play_text("12").moves) == [11]


@pytest.mark.parametrize("text, words", [
    ("0", "move 1 of '0' must be a number from 1 to 7, got '0'"),
    ("48", "move 2 of '48' must be a number from 1 to 7, got '8'"),
    ("4x", "got 'x'"),
    ("-1", "got '-'"),
    ("٤", "got '٤'"),
    ("4444444", "move 7 of '4444444': column 4 (number 3) is full"),
    ("12121213", "move 8 of '12121213' comes after the end of the game"),
])
def test_connect4_bad_moves_are_explained(text, words):
    with pytest.raises(IllegalMove) as caught:
        parse_game("connect4").play_text(text)
    assert words in str(caught.value)


def test_connect4_board_shows_columns_and_the_last_move():
    game = parse_game("connect4:3x3x3")
    assert game.board(game.start) == [" . . .", " . . .", " . . .", " 1 2 3"]
    assert game.board(game.play_text("12")) == [" . . .", " . . .", " X(O).", " 1 2 3"]
    assert game.board(game.play_text("121")) == [" . . .", "(X). .", " X O .", " 1 2 3"]


# ---- m,n,k ----


@pytest.mark.parametrize("text, base", [("h8h9i7", None), ("h8 h9 i7", None), ("H8,h9; i7", None),
                                        ("112 97 128", None), ("112 h9 128", None), ("113 98 129", 1)])
def test_gomoku_moves_are_cells_or_numbers(text, base):
    assert list(parse_game("gomoku").play_text(text, base).moves) == [112, 97, 128]


def test_tictactoe_numbers_may_touch():
    assert list(parse_game("tictactoe").play_text("408").moves) == [4, 0, 8]
    assert list(parse_game("tictactoe").play_text("b2a3c1").moves) == [4, 0, 8]


@pytest.mark.parametrize("text, words", [
    ("p1", "move 1 of 'p1' must be a cell from a1 to o15, or a number from 0 to 224, got 'p1'"),
    ("a0", "got 'a0'"),
    ("a16", "got 'a16'"),
    ("225", "got '225'"),
    ("h8 h8", "move 2 of 'h8 h8': cell h8 (number 112) is occupied"),
    ("h", "got 'h'"),
    ("8h", "got '8h'"),
])
def test_gomoku_bad_moves_are_explained(text, words):
    with pytest.raises(IllegalMove) as caught:
        parse_game("gomoku").play_text(text)
    assert words in str(caught.value)


def test_mnk_board_shows_coordinates_and_the_last_move():
    game = parse_game("mnk:4,3,3")
    assert game.board(game.play_text("a3 d1 b2")) == ["3 X . . .", "2 .(X). .", "1 . . . O", "  a b c d"]
    assert len({len(line) for line in parse_game("gomoku:12").board(parse_game("gomoku:12").start)}) == 1
    assert parse_game("gomoku:32").board(parse_game("gomoku:32").start)[-2:] == [
        "   " + "  " * 26 + "a a a a a a",
        "   a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f"]


# ---- games written in Python ----


class Take:
    """Take one, two or three from five; who takes the last one wins. Moves are tuples or words."""

    def __init__(self, left=5, to_move=1):
        self.left = left
        self.to_move = to_move

    def legal_moves(self):
        return [("take", n) for n in range(1, min(3, self.left) + 1)]

    def play(self, move):
        return Take(self.left - move[1], -self.to_move)

    def winner(self):
        return None if self.left else -self.to_move

    def __str__(self):
        return f"{self.left} left"


@pytest.fixture
def module(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())  # parse_game puts the current folder there
    found = types.ModuleType("a_users_module")
    found.Take = Take
    found.Dice, found.Race = Dice, Race
    found.NoPlayers = type("NoPlayers", (), {**vars(Dice), "players": 0})
    found.Forgotten = type("Forgotten", (), dict.fromkeys(("to_move", "legal_moves", "play", "returns"), len))
    found.number = 7
    found.Failing = lambda: 1 // 0
    found.Empty = object
    monkeypatch.setitem(sys.modules, "a_users_module", found)
    return "a_users_module"


@pytest.mark.parametrize("text", ["('take', 3) ('take', 1)", "('take',3) ('take',1)", "('take', 3);('take', 1)",
                                  "('take', 3) ; ('take', 1);"])
def test_python_moves_are_their_str(module, text):
    game = parse_game(f"{module}:Take")
    state = game.play_text(text)
    assert state.left == 1 and state.to_move == 1
    assert game.board(state) == ["1 left"]
    assert game.prompt(state) == "your move" and game.listed(state) and game.moves(state) == "('take', 1)"


def test_python_bad_moves_are_explained_with_the_legal_ones(module):
    game = parse_game(f"{module}:Take")
    with pytest.raises(IllegalMove, match=r"'take 9' is not a legal move; legal moves: \('take', 1\), \('take', 2\)"):
        game.play_text("take 9;")
    with pytest.raises(InvalidOption, match="--base is for"):
        game.play_text("('take', 3)", base=0)


@pytest.mark.parametrize("name, error, words", [
    ("Nothing", InvalidOption, "has no class 'Nothing'"),
    ("number", InvalidOption, "has no class 'number'"),
    ("Failing", GameError, r"Failing\(\) failed"),
    ("Empty", GameError, "has no to_move, legal_moves, play, winner"),
    ("Forgotten", GameError, r"Forgotten\(\) has no winner; with returns\(\) it also needs players"),
])
def test_python_games_that_do_not_work_are_refused(module, name, error, words):
    with pytest.raises(error, match=words):
        parse_game(f"{module}:{name}")


def test_a_position_in_place_of_a_class_is_refused(module):
    sys.modules[module].position = sys.modules[module].Take()
    with pytest.raises(InvalidOption, match="'position' is a position; give its class, or a function"):
        parse_game(f"{module}:position")


def test_python_modules_that_are_missing_or_broken_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption, match="there is no module 'no_such_module' here"):
        parse_game("no_such_module:Game")
    (tmp_path / "module_that_imports.py").write_text("import no_such_module\n")
    with pytest.raises(GameError, match="importing 'module_that_imports' failed") as caught:
        parse_game("module_that_imports:Game")
    assert "no_such_module" in str(caught.value.__cause__)
    (tmp_path / "a_file.py").write_text("class Game: pass\n")
    with pytest.raises(InvalidOption, match=r"no module 'a_file.py' here; did you mean a_file:Game\?"):
        parse_game("a_file.py:Game")
    (tmp_path / "module_that_raises.py").write_text("raise RuntimeError('on import')\n")
    with pytest.raises(GameError, match="importing 'module_that_raises' failed") as caught:
        parse_game("module_that_raises:Game")
    assert str(caught.value.__cause__) == "on import"


def test_results_are_told_in_words(module):
    game = parse_game("tictactoe")
    won, drawn = game.play_text("03142"), game.play_text("012435768")
    assert (game.result([won]), game.result([won], 1), game.result([won], -1)) == (
        "X wins", "you win", "the engine wins")
    assert game.result([drawn]) == game.result([drawn], 1) == "a draw"
    game = parse_game(f"{module}:Take")
    assert game.result([game.play_text("('take', 3) ('take', 2)")]) == "the second player wins"


# ---- general games ----


def test_moves_of_players_and_outcomes_of_chance_have_names(module):
    game = parse_game(f"{module}:Dice", general=True)
    assert (game.moves(game.start), game.chances(game.start)) == ("throw, stop", ())
    thrown = game.play_text("throw")
    assert game.moves(thrown) == "1, 2, 3, 4, 5, 6"
    assert game.play_text("throw 4").total == 4
    with pytest.raises(IllegalMove, match="move 2 of 'throw 7': '7' is not an outcome of chance, which moves here; "
                                          "outcomes: 1, 2, 3, 4, 5, 6"):
        game.play_text("throw 7")
    with pytest.raises(IllegalMove, match="comes after the end"):
        game.play_text("stop throw")


def test_chance_draws_by_the_probabilities():
    random = Random(1)
    drawn = Counter(draw([("often", 0.75), ("never", 0.0), ("seldom", 0.25)], random) for _ in range(4000))
    assert set(drawn) == {"often", "seldom"} and abs(drawn["often"] - 3000) < 150


def test_scores_are_rewards_and_returns(module):
    game = parse_game(f"{module}:Race", general=True)
    line = [game.start]
    for move in (2, 1, 2):
        line.append(line[-1].play(move))
    assert list(game.players) == [0, 1, 2] and game.scores(line) == [2, 1, 1]
    assert game.result(line) == "player 0: 2, player 1: 1, player 2: 1"
    assert game.result(line, 1) == "player 0: 2, you: 1, player 2: 1"
    game = parse_game(f"{module}:Dice", general=True)
    assert game.result([game.play_text("throw 4 stop")]) == "score 0.4"


def test_a_wrong_number_of_players_is_refused(module):
    with pytest.raises(InvalidState, match="players must be an int from 1 to 32, got 0"):
        parse_game(f"{module}:NoPlayers", general=True)


def test_only_classes_are_compiled(cli):
    code, _, err = cli("analyze", "connect4", "--compile")
    assert code == 2 and "--compile is for a class of your own, module:Class, got 'connect4'" in err


@pytest.mark.slow
@pytest.mark.needs("numba")
def test_a_class_is_compiled_before_it_is_searched(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("MCTS_CORE_CACHE", str(tmp_path / "kept"))
    code, out, _ = cli("analyze", "compiled_games:Nim", "--compile", "--seconds", "0.2", "--color", "never")
    assert code == 0 and "2from0" in out


def test_an_unknown_game_is_refused_with_the_nearest_name(cli):
    code, out, err = cli("analyze", "conect4")
    assert code == 2 and out == "" and "got 'conect4'; did you mean connect4?" in err
    code, _, err = cli("analyze", "draughts")
    assert code == 2 and "did you mean" not in err
