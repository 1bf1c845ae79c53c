import contextlib
import errno
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys

import pytest

import mcts_core
import mcts_core.dispatch
from mcts_core.cli import main as main_module
from mcts_core.cli.document import print_json

SCRIPT = shutil.which("mcts-core", path=os.path.dirname(sys.executable))


def test_version_names_package_instruction_set_and_python(cli):
    code, out, err = cli("--version")
    assert code == 0 and err == ""
    assert out == main_module.version_text() + "\n"
    assert out.startswith(f"mcts-core {mcts_core.__version__} (")
    assert platform.python_version() in out
    assert mcts_core.dispatch.isa in out


@pytest.mark.parametrize("command", [[], ["play"], ["selfplay"], ["analyze"], ["bench"], ["check"]])
def test_help_lists_the_games(cli, command):
    code, out, err = cli(*command, "--help")
    assert code == 0 and err == ""
    for word in ("usage: mcts-core", "connect4:9x8x5", "gomoku:15:exact", "module:Class", "h8"):
        assert word in out


def test_the_program_alone_and_help_show_what_help_shows(cli):
    for argv, same in (([], ["--help"]), (["help"], ["--help"]), (["help", "play"], ["play", "--help"]),
                       (["version"], ["--version"])):
        assert cli(*argv) == cli(*same)
        assert cli(*argv)[0] == 0


@pytest.mark.parametrize("argv, line", [
    (["fly"], "mcts-core: error: there is no command 'fly'; see mcts-core --help"),
    (["plya", "connect4"], "mcts-core: error: there is no command 'plya'; did you mean play?"),
    (["versoin"], "mcts-core: error: there is no command 'versoin'; did you mean version?"),
    (["help", "analyse"], "mcts-core: error: there is no command 'analyse'; did you mean analyze?"),
    (["--verson"], "mcts-core: error: unrecognized arguments: --verson; did you mean --version?"),
    (["play"], "mcts-core play: error: the following arguments are required: GAME; see mcts-core play --help"),
    (["analyze", "connect4", "--iterations", "1e3"],
     "mcts-core analyze: error: argument --iterations: must be a whole number, got '1e3'; did you mean 1000?"),
    (["analyze", "connect4", "--iterations", "1,000"],
     "mcts-core analyze: error: argument --iterations: must be a whole number, got '1,000'; did you mean 1000?"),
    (["analyze", "connect4", "--iterations", "1.5"],
     "mcts-core analyze: error: argument --iterations: must be a whole number, got '1.5'; "
     "see mcts-core analyze --help"),
    (["selfplay", "connect4", "--games", "inf"],
     "mcts-core selfplay: error: argument --games: must be a whole number, got 'inf'; see mcts-core selfplay --help"),
    (["analyze", "connect4", "--seconds", "soon"],
     "mcts-core analyze: error: argument --seconds: must be a number, got 'soon'; see mcts-core analyze --help"),
    (["analyze", "connect4", "44", "--threds", "2"],
     "mcts-core analyze: error: unrecognized arguments: --threds 2; did you mean --threads?"),
    (["play", "connect4", "--threds=2"],
     "mcts-core play: error: unrecognized arguments: --threds=2; did you mean --threads?"),
    (["play", "connect4", "--time", "2"],
     "mcts-core play: error: unrecognized arguments: --time 2; did you mean --seconds?"),
    (["serve", "--prot", "2"], "mcts-core serve: error: unrecognized arguments: --prot; did you mean --port?"),
    (["play", "connect4", "--json"],
     "mcts-core play: error: unrecognized arguments: --json; see mcts-core play --help"),
])
def test_a_wrong_argument_is_one_line_with_what_was_meant(cli, argv, line):
    assert cli(*argv) == (2, "", line + "\n")


def test_a_wrong_choice_is_one_line_with_the_choices(cli):
    code, out, err = cli("analyze", "connect4", "--final-move", "random")
    assert (code, out) == (2, "") and err.count("\n") == 1 and "robust" in err and "max" in err


def test_no_help_names_an_option_that_its_command_lacks(cli):
    for command in main_module.COMMANDS:
        shown = cli(command, "--help")[1]
        usage = shown.split("\n\n")[0]
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown))
        assert {name for name in named if name not in usage and name.replace("--no-", "--") not in usage
                and name != "--help"} == set()


@pytest.mark.parametrize("argv, words", [
    (["analyze", "chess"], "GAME must be connect4"),
    (["analyze", "connect4", "8"], "move 1 of '8' must be a number from 1 to 7, got '8'"),
    (["analyze", "connect4", "--seconds", "nan"], "nan"),
    (["analyze", "connect4", "--seconds", "-1"], "-1"),
    (["analyze", "connect4", "--iterations", "0"], "iterations"),
    (["analyze", "connect4", "--exploration", "inf", "--iterations", "1"], "exploration"),
    (["analyze", "connect4:0x7x4"], "rows"),
    (["analyze", "tictactoe", "01234567 8"], "8"),
    (["analyze", "tictactoe", "03142"], "over"),
    (["analyze", "tictactoe", "031425"], "move 6 of '031425' comes after the end of the game"),
    (["selfplay", "tictactoe", "--games", "0"], "--games must be 1 or more, got 0"),
    (["bench", "chess"], "GAME must be connect4"),
    (["bench", "tictactoe", "--seconds", "0"], "seconds"),
])
def test_errors_are_one_line_and_code_2(cli, argv, words):
    code, out, err = cli(*argv)
    assert code == 2
    assert err.startswith("mcts-core: error: ") and err.count("\n") == 1
    assert words in err
    assert "Traceback" not in err


def test_the_cause_of_a_game_error_is_told(cli, tmp_path, monkeypatch):
    (tmp_path / "broken_game.py").write_text(
        "class Broken:\n"
        "    to_move = 1\n"
        "    def legal_moves(self): return [0, 1]\n"
        "    def play(self, move): raise ZeroDivisionError('by design')\n"
        "    def winner(self): return None\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("analyze", "broken_game:Broken", "--iterations", 5)
    assert code == 2
    assert err.startswith("mcts-core: error: ") and err.count("\n") == 1
    assert err.count("ZeroDivisionError: by design (line 4 of broken_game.py)") == 1
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    code, out, err = cli("analyze", "broken_module:Game")
    assert code == 2
    assert err == ("mcts-core: error: GAME 'broken_module:Game': importing 'broken_module' failed "
                   "(caused by ZeroDivisionError: division by zero (line 1 of broken_module.py))\n")


def test_ctrl_c_ends_with_130_and_no_traceback(cli, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(mcts_core.cli.analyze.options, "make_engine", interrupted)
    code, out, err = cli("analyze", "connect4")
    assert code == 130
    assert err == "\ninterrupted\n"


@pytest.mark.parametrize("command", [[sys.executable, "-m", "mcts_core"], [SCRIPT]])
def test_the_module_and_the_script_run_from_any_folder(command, tmp_path):
    done = subprocess.run([*command, "analyze", "connect4", "4455", "--iterations", "100", "--seed", "1"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "principal variation: " in done.stdout
    done = subprocess.run([*command, "analyze", "connect4", "9"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith("mcts-core: error: ")


def test_a_reader_that_goes_away_gets_code_1_and_no_traceback(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "mcts_core", "analyze", "tictactoe", "--iterations", "10"],
                          cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


class Pipe(io.RawIOBase):
    """One whose reader is gone, as Windows tells it."""

    def writable(self):
        return True

    def write(self, data):
        raise OSError(errno.EINVAL, "Invalid argument")


@pytest.mark.parametrize("argv", [
    ["analyze", "tictactoe", "--iterations", "10"], ["analyze", "tictactoe", "--iterations", "10", "--json"],
    ["analyze", "tictactoe", "--iterations", "10", "--color", "always"], ["play", "tictactoe"], ["--version"],
    ["selfplay", "tictactoe", "--iterations", "5"], ["check", "tictactoe", "--games", "1"], ["gomocup"],
    ["ugi", "--game", "tictactoe"], ["serve", "--port", "0"]])
def test_a_reader_that_goes_away_on_windows_too(monkeypatch, capsys, argv):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ABOUT\nugi\n")))
    out = io.TextIOWrapper(io.BufferedWriter(Pipe()), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", out)
    try:
        assert main_module.main(argv) == 1
    finally:
        monkeypatch.undo()
        drop(out)
    assert capsys.readouterr().err == ""


def drop(stream):
    """Closes a stream that cannot be written."""
    for part in (stream, stream.buffer):
        with contextlib.suppress(OSError):
            part.close()


@pytest.mark.parametrize("argv", [["analyze", "chess"], ["analyze"], ["--help"]])
def test_pipes_that_nobody_reads_leave_no_traceback(tmp_path, argv):
    """Not even where an error is to be told, or before a command begins."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run([sys.executable, "-m", "mcts_core", *argv], cwd=tmp_path, stdout=writing, timeout=60,
                          stderr=subprocess.PIPE, text=True, env=environment)
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    assert done.returncode == (1 if argv == ["--help"] else 2)
    done = subprocess.run([sys.executable, "-m", "mcts_core", *argv], cwd=tmp_path, stdout=writing, stderr=writing,
                          timeout=60, env=environment)
    os.close(writing)
    assert done.returncode in (1, 2)


def test_other_errors_of_the_system_are_one_line(cli, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(mcts_core.cli.analyze.options, "make_engine", full)
    code, out, err = cli("analyze", "connect4")
    assert code == 2 and out == "" and err.endswith("No space left on device\n") and err.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device /dev/full")
@pytest.mark.parametrize("argv", [["--help"], ["play", "--help"], ["--version"], ["completion", "bash"], ["gomocup"],
                                  ["ugi", "--game", "tictactoe"], ["analyze", "tictactoe", "--iterations", "10"]])
def test_output_that_is_lost_is_an_error_in_one_line(tmp_path, argv):
    """Whatever the output is buffered by: a help is longer than that."""
    for unbuffered in ("", "1"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([sys.executable, "-m", "mcts_core", *argv], cwd=tmp_path, stdout=full, timeout=60,
                                  input="ABOUT\nugi\n", stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
        assert done.returncode == 2
        assert done.stderr == f"mcts-core: error: [Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.parametrize("encoding, errors, escaped", [
    ("cp1252", "strict", ["\\u2603", "\\u2588", "\\ud800"]),
    ("utf-8", "surrogateescape", ["\\ud800"]),  # standard output in the locale C
])
def test_what_the_output_cannot_encode_is_escaped(encoding, errors, escaped, tmp_path, monkeypatch):
    (tmp_path / "snow.py").write_text(
        "class Snow:\n    to_move = 1\n    def __init__(self, over=False): self.over = over\n"
        "    def legal_moves(self): return ['\\u2603', '\\u00e9', '\\ud800']\n"
        "    def play(self, move): return Snow(True)\n"
        "    def winner(self): return 1 if self.over else None\n    def __str__(self): return '\\u2588\\u2603'\n",
        encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for color in ("never", "always"):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, errors=errors))
        assert main_module.main(["analyze", "snow:Snow", "--iterations", "9", "--color", color]) == 0
        sys.stdout.flush()
        shown = raw.getvalue().decode(encoding)
        assert "\u00e9" in shown and all(text in shown for text in escaped)


def test_what_is_no_text_is_a_wrong_move(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mcts_core", "play", "tictactoe"], input=b"\xff\nquit\n", cwd=tmp_path,
                          capture_output=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"}, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"") and b"'\\\\xff' is no move here" in done.stdout


@pytest.mark.parametrize("message, told", [("can't start new thread", True), ("of another kind", False)])
def test_a_system_without_threads_is_an_error_in_one_line(cli, monkeypatch, message, told):
    def failing(*args, **options):
        raise RuntimeError(message)

    monkeypatch.setattr(mcts_core.cli.analyze.options, "make_engine", failing)
    if not told:
        with pytest.raises(RuntimeError, match=message):
            cli("analyze", "connect4")
        return
    code, out, err = cli("analyze", "connect4")
    assert (code, out) == (2, "") and err.startswith("mcts-core: error: the system starts no more threads: ")


def test_importing_the_command_line_imports_no_rich_and_no_numpy(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import sys, mcts_core.cli.main\n"
                               "print([name for name in ('rich', 'numpy', 'json') if name in sys.modules])"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell of Unix")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_were_closed_before(tmp_path, closed):
    for command in ("play tictactoe --iterations 10", "bench tictactoe --seconds 0.01 --progress"):
        line = f"'{sys.executable}' -m mcts_core {command} {closed}"
        done = subprocess.run(line, shell=True, cwd=tmp_path, timeout=60, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        assert done.returncode == 0 and "Traceback" not in done.stderr


def test_shells_are_offered(cli):
    assert "completion" in cli("--help")[1]


def test_numbers_that_json_does_not_have_are_texts(capsys):
    print_json({"move": float("inf"), "pv": [(1, float("nan")), 2.5], "deep": {"value": float("-inf")}})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "move": "inf", "pv": [[1, "nan"], 2.5], "deep": {"value": "-inf"}}
