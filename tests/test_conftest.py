"""tests/conftest.py: what holds for all tests, on every system."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.needs("signals to processes")
def test_ctrl_c_works_where_it_was_ignored(tmp_path):
    (tmp_path / "test_inner.py").write_text(INNER)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "test_inner.py"]
    code = f"import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv({command[0]!r}, {command})"
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


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


def test_every_system_can_import_tests_and_what_they_import():
    """What only some systems have is imported where it is used, by tests that are marked as needing it."""
    folders = ("tests", "bench", "examples", "tools", ".ci")
    paths = [path for folder in folders for path in (TESTS.parent / folder).rglob("*.py")]
    assert TESTS / "conftest.py" in paths and len(paths) > 150
    assert {path: found for path in paths if (found := OF_ONE_SYSTEM.intersection(imported_at_once(path)))} == {}
