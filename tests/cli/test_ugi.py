import io

import pytest


@pytest.fixture
def said(monkeypatch, cli):
    """Plays with the commands of a referee; returns the exit code, the answers and standard error."""

    def run(commands, *argv):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("".join(commands).encode())))
        code, out, err = cli("ugi", *argv)
        return code, out.splitlines(), err

    return run


@pytest.mark.parametrize("game, moves", [("connect4:5x4x4", "1 4"), ("gomoku:9:exact", "a1 i9"), ("mnk:8,7,5", "h7 a1"),
                                         ("tictactoe", "b2 c3")])
def test_the_game_and_the_options_of_the_search_reach_the_engine(said, game, moves):
    commands = ["ugi\n", f"position startpos moves {moves}\n", "query p1turn\n", "go\n"]
    code, lines, err = said(commands, "--game", game, "--iterations", 30, "--seed", 7)
    assert code == 0 and err == ""
    assert "option name seed type string default 7" in lines and "response true" in lines
    assert lines[-1].startswith("bestmove ")


def test_a_log_has_the_talk(said, tmp_path):
    path = tmp_path / "log.txt"
    assert said(["isready\n"], "--game", "connect4", "--log", path) == (0, ["readyok"], "")
    text = path.read_text(encoding="utf-8")
    assert " > isready\n" in text and " < readyok\n" in text
    code, lines, err = said(["isready\n"], "--game", "connect4", "--log", tmp_path / "none" / "log.txt")
    assert code == 2 and lines == [] and err.startswith("mcts-core: error: ") and "log.txt" in err


def test_quit_is_the_end(said):
    assert said(["isready\n", "quit\n", "isready\n"], "--game", "connect4") == (0, ["readyok"], "")


def test_a_python_game_may_talk(said, tmp_path, monkeypatch):
    (tmp_path / "talking_game.py").write_text(
        "print('imported')\n"
        "class Talking:\n"
        "    def __init__(self, left=3):\n"
        "        self.left, self.to_move = left, 1\n"
        "    def legal_moves(self): return ['left', 'right']\n"
        "    def play(self, move):\n"
        "        print('played')\n"
        "        return Talking(self.left - 1)\n"
        "    def winner(self): return None if self.left else 1\n")
    monkeypatch.chdir(tmp_path)
    code, lines, err = said(["position startpos moves right left\n", "go\n"],
                            "--game", "talking_game:Talking", "--iterations", 10)
    assert code == 0
    assert lines[-1] in ("bestmove left", "bestmove right") and " score mate 1 " in lines[-2]
    assert err.startswith("imported\nplayed\n") and "imported" not in lines


@pytest.mark.parametrize("argv", [["--game", "chess"], ["--game", "no_module:Class"],
                                  ["--game", "connect4", "--seconds", "nan"],
                                  ["--game", "connect4", "--rollout", "tactical"]])
def test_wrong_arguments_are_told_on_standard_error(said, argv):
    code, lines, err = said(["ugi\n"], *argv)
    assert code == 2 and lines == [] and err.startswith("mcts-core: error: ") and err.count("\n") == 1


def test_the_game_has_to_be_named(cli):
    code, out, err = cli("ugi")
    assert code == 2 and "--game" in err
    code, out, err = cli("ugi", "--help")
    assert code == 0 and "connect4:9x8x5" in out and "--game GAME" in out
