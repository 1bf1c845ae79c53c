"""tests/conftest.py: what holds for all tests, on every system."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).resolve().parent
OF_ONE_SYSTEM = {"_winapi", "crypt", "curses", "fcntl", "grp", "msvcrt", "nt", "posix", "pty", "pwd", "readline",
                 "resource", "syslog", "termios", "tty", "winreg"}
"""Modules of the library of Python that are not there on Windows, or nowhere else."""
INNER = """
import signal, subprocess, sys

def test_ctrl_c():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    code = "import signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
"""
BESIDE = """
import time, pytest

ALONE = [pytest.param(number, marks=pytest.mark.alone) for number in "abcdef"]

@pytest.mark.parametrize("number", [*range(6), *ALONE])
def test_note(number, tmp_path_factory):
    begin = time.monotonic()
    time.sleep(0.02)
    with open(tmp_path_factory.getbasetemp().parent.parent / "notes", "a") as notes:
        notes.write(f"{number} {begin} {time.monotonic()}\\n")
"""
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider"]


def run(command, folder):
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    outside["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of other packages may take seconds
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60,
                          env={**outside, "PYTHONPATH": path})


@pytest.mark.needs("signals to processes")
def test_ctrl_c_works_where_it_was_ignored(tmp_path):
    (tmp_path / "test_inner.py").write_text(INNER)
    command = [*PYTEST, "test_inner.py"]
    code = f"import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv({command[0]!r}, {command})"
    done = run([sys.executable, "-c", code], tmp_path)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.needs("locks of files", "pytest-xdist")
def test_what_is_to_run_alone_does(tmp_path):
    (tmp_path / "test_beside.py").write_text(BESIDE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    alone\n    needs\n")
    done = run([*PYTEST, "-p", "xdist.plugin", "-n", "2", f"--basetemp={tmp_path / 'base'}", "test_beside.py"],
               tmp_path)
    assert done.returncode == 0 and "12 passed" in done.stdout, done.stdout + done.stderr
    notes = [line.split() for line in (tmp_path / "notes").read_text().splitlines()]
    spans = {(name, float(begin)): float(end) for name, begin, end in notes}
    assert len(spans) == 12
    together = 0
    for (name, begin), end in spans.items():
        for (other, its_begin), its_end in spans.items():
            if (name, begin) != (other, its_begin) and begin < its_end and its_begin < end:
                assert name.isdigit() and other.isdigit(), f"{name} ran beside {other}"
                together += 1
    assert together  # the others do


def test_this_session_can_be_interrupted():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def imported_at_once(path):
    """The modules that a file imports on its first level."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


@pytest.mark.parametrize(("expression", "left_out"), [
    ("not slow and not examples", True), ("examples", None), ("", None)])
def test_files_that_import_much_are_not_imported_where_their_tests_are_left_out(expression, left_out, pytestconfig):
    conftest = pytestconfig.pluginmanager.get_plugin(str(TESTS / "conftest.py"))
    config = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
    files = [TESTS / name for names in conftest.MARKED.values() for name in names]
    assert files and all(path.exists() and "pytestmark = [pytest.mark." in path.read_text() for path in files)
    assert [conftest.pytest_ignore_collect(path, config) for path in files] == [left_out] * len(files)
    assert conftest.pytest_ignore_collect(TESTS / "test_conftest.py", config) is None


def test_every_system_can_import_tests_and_what_they_import():
    """What only some systems have is imported where it is used, by tests that are marked as needing it."""
    folders = ("tests", "bench", "examples", "tools", ".ci")
    paths = [path for folder in folders for path in (TESTS.parent / folder).rglob("*.py")]
    assert TESTS / "conftest.py" in paths and len(paths) > 150
    assert {path: found for path in paths if (found := OF_ONE_SYSTEM.intersection(imported_at_once(path)))} == {}
