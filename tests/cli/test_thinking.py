"""mcts_core/cli/thinking.py: progress on the command line, and Ctrl-C, in programs of their own."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

import mcts_core
from mcts_core.cli import thinking

pty = pytest.importorskip("pty", reason="needs terminals")
ESCAPE = re.compile("\x1b\\[[0-9;?]*[a-zA-Z]")
LIMIT = 60.0


class OnTerminal:
    """The command line on a terminal of its own."""

    def __init__(self, *argv, cwd, columns=80, stdout=None, **environment):
        import fcntl
        import struct
        import termios

        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mcts_core", *map(str, argv)], cwd=cwd, stdin=inside,
            stdout=inside if stdout is None else stdout, stderr=inside, start_new_session=True,
            env={**variables, "TERM": "xterm", **environment})
        os.close(inside)
        self.text = ""

    def read_until(self, words):
        """Everything that is shown until ``words`` come."""
        begin, end = len(self.text), time.monotonic() + LIMIT
        while words not in self.text[begin:]:
            assert time.monotonic() < end and self._read(), self.text
        return self.text[begin:]

    def _read(self):
        if not select.select([self.terminal], [], [], 1.0)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.text += data.decode()
        return bool(data)

    def type(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def interrupted_at_prompt(self):
        """The exit code after Ctrl-C, pressed again where input() began to wait in the moment after the signal."""
        self.interrupt()
        again = time.monotonic() + 3.0
        while time.monotonic() < again:
            if not self._read():
                return self.end()
        self.interrupt()
        return self.end()

    def end(self):
        """The exit code, when all was read."""
        end = time.monotonic() + LIMIT
        while self._read():
            assert time.monotonic() < end, self.text
        return self.process.wait(LIMIT)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal)


@pytest.fixture
def start(tmp_path):
    """Starts the command line on a terminal."""
    with contextlib.ExitStack() as stack:
        def run(*argv, **given):
            return stack.enter_context(contextlib.closing(OnTerminal(*argv, cwd=tmp_path, **given)))

        yield run


def shown(text):
    """The lines that a terminal shows after ``text``, without colours."""
    lines = []
    for line in ESCAPE.sub("", text.replace("\r\n", "\n")).split("\n"):
        kept = ""
        for part in line.split("\r"):
            kept = part + kept[len(part):]
        lines.append(kept.rstrip())
    return lines


def interrupted_analysis(start, tmp_path, *options):
    found = tmp_path / "found"
    with found.open("wb") as out:
        work = start("analyze", "connect4", "--seconds", 60, "--preset", "uct", "--progress", *options, stdout=out)
    work.read_until("s left")
    work.interrupt()
    assert work.end() == 130 and "Traceback" not in work.text
    assert shown(work.text)[-2:] == ["interrupted: this is what was found so far", ""]
    return found.read_text(encoding="utf-8")


def test_ctrl_c_in_analyze_prints_what_was_found(start, tmp_path):
    out = interrupted_analysis(start, tmp_path)
    assert ", ended by cancelled\n" in out and re.search("^best move: [1-7], value ", out, re.MULTILINE)
    document = json.loads(interrupted_analysis(start, tmp_path, "--json"))
    assert document["stats"]["stop_reason"] == "cancelled" and document["stats"]["seconds"] < 30


def test_ctrl_c_before_the_search_has_begun():
    """As if the signal came in the moment before."""
    engine = mcts_core.Searcher(preset="uct")
    interrupt = thinking._Interrupt(engine)
    with interrupt:
        signal.raise_signal(signal.SIGINT)
        begin = time.monotonic()
        engine.search(mcts_core.Gomoku(), 30.0, progress=lambda stats: interrupt.pass_on())
        assert time.monotonic() - begin < 10.0 and engine.stats().stop_reason == "cancelled"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_stays():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        engine = mcts_core.Searcher()
        assert not thinking.think(engine, mcts_core.TicTacToe(), {"iterations": 10})
        with thinking._Interrupt(engine):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_in_play(start):
    game = start("play", "gomoku", "--seconds", 60, "--preset", "uct", "--color", "never")
    game.read_until("X, cell a1-o15: ")
    game.type("h8")
    game.read_until("s left")
    game.interrupt()
    game.read_until("X, cell a1-o15: ")
    assert "the engine plays " in game.text and ", hurried by Ctrl-C)" in " ".join(shown(game.text))
    assert game.interrupted_at_prompt() == 130
    assert shown(game.text)[-2:] == ["interrupted", ""] and "Traceback" not in game.text


def test_a_second_ctrl_c_ends_a_game_that_does_not_return(start, tmp_path):
    (tmp_path / "sleepy.py").write_text(
        "import signal, time\n"
        "def tell(*signalled): print('pressed', flush=True); taken(*signalled)\n"
        "class Sleepy:\n"
        "    def __init__(self, done=0): self.done, self.to_move = done, 1 - 2 * (done % 2)\n"
        "    def legal_moves(self): return [0, 1]\n"
        "    def play(self, move):\n"
        "        global taken\n"
        "        if self.done:\n"
        "            taken = signal.signal(signal.SIGINT, tell)\n"
        "            print('asleep', flush=True); time.sleep(60)\n"
        "        return Sleepy(self.done + 1)\n"
        "    def winner(self): return None\n")
    game = start("play", "sleepy:Sleepy", "--seconds", 1)
    game.read_until("your move: ")
    game.type("0")
    game.read_until("asleep")
    game.interrupt()
    game.read_until("pressed")  # two signals that nobody has seen are one
    game.interrupt()
    assert game.end() == 130 and "Traceback" not in game.text


@pytest.mark.long
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_progress_leaves_nothing_behind(start, term):
    with open(os.devnull, "wb") as nothing:
        work = start("analyze", "connect4", "--seconds", 1.5, "--preset", "uct", stdout=nothing, TERM=term)
        assert work.end() == 0
    assert re.search(r" move [1-7], value 0\.\d{3}, 1 s left", work.text) and "\n" not in shown(work.text)
    assert "".join(shown(work.text)) == "" or term == "xterm"
    if term == "xterm" and "\x1b" in work.text:  # rich: the cursor is shown again, the line erased
        assert work.text.endswith("\x1b[?25h\r\x1b[1A\x1b[2K") or "".join(shown(work.text)) == ""


def test_short_work_and_no_progress_show_none(start):
    with open(os.devnull, "wb") as nothing:
        assert start("analyze", "connect4", "--iterations", 10, stdout=nothing).end() == 0
        work = start("analyze", "connect4", "--seconds", 1.2, "--preset", "uct", "--no-progress", stdout=nothing)
        assert work.end() == 0 and work.text == ""


@pytest.mark.parametrize("argv, words", [
    (["bench", "tictactoe", "--seconds", "0.05"], "100 %  3 of 3 measurements, "),
    (["selfplay", "tictactoe", "--games", "2", "--iterations", "20", "--json"], "100 %  2 of 2 games, "),
    (["selfplay", "tictactoe", "--games", "2", "--iterations", "20", "--executor", "threads"], "100 %  2 of 2 games, "),
    (["selfplay", "tictactoe", "--games", "1", "--iterations", "20"], ""),
    (["check", "tictactoe", "--games", "20"], "100 %  20 of 20 games, "),
    (["analyze", "tictactoe", "--iterations", "20"], "")])
def test_progress_that_is_asked_for_in_a_file(cli, argv, words):
    code, out, err = cli(*argv, "--progress")
    assert code == 0 and words in err
    assert cli(*argv)[2] == ""


NARROW = 40


@pytest.mark.parametrize("argv, typed", [
    (["analyze", "connect4", "4455", "--iterations", 3000], []),
    (["analyze", "gomoku:20", "--iterations", 300, "--preset", "uct"], []),
    (["play", "gomoku:20", "--iterations", 100, "--seed", 1], ["k10", "help", "moves", "hint", "zz", "q"]),
    (["selfplay", "tictactoe", "--iterations", 300], []),
    (["bench", "tictactoe", "--seconds", 0.05], []),
])
@pytest.mark.parametrize("color", ["auto", "never"])
def test_narrow_terminals(start, argv, typed, color):
    look_at_lines(start(*argv, "--color", color, columns=NARROW), typed)


@pytest.mark.parametrize("argv", [["--help"], ["play", "--help"]])
def test_help_on_narrow_terminals(start, argv):
    look_at_lines(start(*argv, columns=NARROW), [])


def look_at_lines(work, typed):
    for line in typed:
        work.read_until("a1-t20: ")
        work.type(line)
    assert work.end() == 0, work.text
    wide = [line for line in shown(work.text) if len(line) > NARROW]
    assert wide == []
    assert "…" not in work.text
