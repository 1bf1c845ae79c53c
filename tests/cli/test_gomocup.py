import io
import os
import re
import shutil
import subprocess
import sys

import pytest

SCRIPT = shutil.which("pbrain-mcts_core", path=os.path.dirname(sys.executable))


@pytest.fixture
def said(monkeypatch, cli):
    """Plays with the commands of a manager; returns the exit code and the answers."""

    def run(commands, *argv):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("".join(commands).encode())))
        code, out, err = cli("gomocup", *argv)
        assert err == ""
        return code, out.splitlines()

    return run


def test_the_options_of_the_search_reach_the_engine(said):
    code, lines = said(["START 15\n", "BEGIN\n"], "--iterations", 30, "--seed", 7)
    assert code == 0
    ok, message, debug, move = lines
    assert ok == "OK" and ", 30 iterations in " in message and debug.endswith("seed 7")
    assert re.fullmatch(r"\d+,\d+", move)


def test_pondering_is_an_option_and_ends_with_the_commands(said):
    code, lines = said(["START 15\n", "TURN 7,7\n"], "--iterations", 30, "--ponder")
    assert code == 0 and lines[0] == "OK" and re.fullmatch(r"\d+,\d+", lines[-1]) and len(lines) == 4


def test_end_is_the_end(said):
    assert said(["START 15\n", "END\n", "ABOUT\n"]) == (0, ["OK"])


@pytest.mark.parametrize("argv", [["--seconds", "0"], ["--iterations", "0"], ["--memory-mb", "-1"], ["--seed", "-1"]])
def test_wrong_options_are_told_on_standard_error(cli, monkeypatch, argv):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"START 15\n")))
    code, out, err = cli("gomocup", *argv)
    assert code == 2 and out == "" and err.startswith("mcts-core: error: ") and err.count("\n") == 1


def test_a_game_is_no_argument(cli):
    code, out, err = cli("gomocup", "connect4")
    assert code == 2 and "unrecognized arguments: connect4" in err


def test_the_program_that_managers_look_for(tmp_path):
    done = subprocess.run([SCRIPT, "--iterations", "10"], input=b"ABOUT\r\nSTART 15\r\nEND\r\n", capture_output=True,
                          cwd=tmp_path, timeout=60)
    about, ok = done.stdout.splitlines()
    assert about.startswith(b'name="mcts_core"') and ok == b"OK"
    assert (done.returncode, done.stderr) == (0, b"")
