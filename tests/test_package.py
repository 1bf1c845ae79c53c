import importlib.metadata
import pathlib
import subprocess
import sys

import pytest

import mcts_core

PUBLIC = [
    "ConnectFour", "Gomoku", "MNK", "TicTacToe", "search", "stats", "rollouts", "Searcher", "Stats", "MoveStats",
    "Rollouts", "IllegalMove", "GameOver", "InvalidState", "InvalidOption", "SearchBusy", "GameError", "get_include",
    "EvaluatorError", "native_game", "NativeGame", "NativePosition", "check_game", "CheckReport", "Problem",
]


def python(code, cwd):
    """What a fresh interpreter prints; ``cwd`` keeps the source tree off its path."""
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_there_and_documented(name):
    assert name in mcts_core.__all__
    assert getattr(mcts_core, name).__doc__


def test_all_names_of_all_exist():
    assert len(set(mcts_core.__all__)) == len(mcts_core.__all__)
    for name in mcts_core.__all__:
        assert hasattr(mcts_core, name)


def test_the_version_is_that_of_the_distribution():
    assert mcts_core.__version__ == importlib.metadata.version("mcts-core")


def test_importing_and_searching_need_no_numpy(tmp_path):
    code = ("import sys, mcts_core\n"
            "mcts_core.search(mcts_core.TicTacToe(), iterations=10)\n"
            "unwanted = ('numpy', 'numba', 'rich', 'pyspiel', 'importlib.metadata')\n"
            "print([name for name in unwanted if name in sys.modules])")
    assert python(code, tmp_path) == "[]\n"


def test_headers_and_types_are_installed():
    package = pathlib.Path(mcts_core.__file__).parent
    for name in ("game.h", "simple_game.h"):
        assert (pathlib.Path(mcts_core.get_include()) / "mcts_core" / name).is_file()
    for name in ("py.typed", "game.pxd", "simple_game.pxd", "cli/main.py"):
        assert (package / name).is_file()
    assert list(package.glob("*.pyi"))


def test_the_distribution_holds_no_sources_of_native_modules():
    suffixes = {path.suffix for path in importlib.metadata.files("mcts-core")}
    assert suffixes & {".pyx", ".c", ".cpp", ".o"} == set()
    assert ".py" in suffixes
