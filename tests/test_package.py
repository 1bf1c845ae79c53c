import importlib.machinery
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import mcts_core

PUBLIC = [
    "ConnectFour", "Gomoku", "MNK", "TicTacToe", "search", "stats", "rollouts", "Searcher", "Stats", "MoveStats",
    "Rollouts", "IllegalMove", "GameOver", "InvalidState", "InvalidOption", "SearchBusy", "GameError", "get_include",
    "EvaluatorError", "native_game", "NativeGame", "NativePosition", "check_game", "CheckReport", "Problem",
    "OutOfTime", "seconds_left",
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


def test_only_public_names_show(tmp_path):
    code = ("import mcts_core, mcts_core.cli.main, mcts_core.distributed.parallel\n"
            "mcts_core.search(mcts_core.TicTacToe(), iterations=10)\n"
            "print([name for name in dir(mcts_core) if name[:2] != '__'] == sorted(mcts_core.__all__))")
    assert python(code, tmp_path) == "True\n"
    assert {"__version__", "__all__", "__doc__", "__file__", "__path__", "__spec__"} <= set(dir(mcts_core))


def test_the_version_is_that_of_the_distribution():
    assert mcts_core.__version__ == importlib.metadata.version("mcts-core")


def copied(folder, *patterns):
    """The package without its metadata, as far as the names of its files match."""
    package = pathlib.Path(mcts_core.__file__).parent
    for pattern in patterns:
        for path in package.rglob(pattern):
            target = folder / "mcts_core" / path.relative_to(package)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with a copy that runs."""
    native = (f"*{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES)
    return copied(tmp_path_factory.mktemp("whole"), "*.py", "*.network", *native)


def without_installed(*arguments, path, cwd, **options):
    """A run of Python that finds the package in the folder ``path`` alone, and in ``cwd``."""
    return subprocess.run([sys.executable, "-S", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(path)}, **options)


def test_a_copy_without_metadata_has_its_version(whole, tmp_path):
    code = ("import importlib.metadata, sys\n"
            "import mcts_core, mcts_core.cli.main\n"
            "assert not list(importlib.metadata.distributions(name='mcts-core'))\n"
            "print(mcts_core.__version__, mcts_core.__file__, flush=True)\n"
            "sys.exit(mcts_core.cli.main.main(['gomocup']))")
    done = without_installed("-c", code, path=whole, cwd=tmp_path, input="ABOUT\nEND\n")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == f"{mcts_core.__version__} {whole / 'mcts_core' / '__init__.py'}"
    assert f'version="{mcts_core.__version__}"' in second


@pytest.mark.parametrize("arguments", [["-c", "import mcts_core"], ["-c", "import mcts_core.cli.main"],
                                       ["-m", "mcts_core", "--version"]])
def test_sources_that_are_not_built_say_what_to_do(whole, tmp_path, arguments):
    """In the folder of a clone they hide the installed package."""
    copied(tmp_path, "*.py", "*.pyi", "*.pxd")
    done = without_installed(*arguments, path=whole, cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    *_, end = done.stderr.splitlines()
    assert end == (
        f"ImportError: {tmp_path / 'mcts_core'} has no native modules for this Python: if it is a clone, import the "
        "installed package from another folder or by `python -P`, or build the modules here by `pip install -e .`")
    done = without_installed("-P", *arguments, path=whole, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_other_errors_of_native_modules_are_told_as_they_are(tmp_path):
    copied(tmp_path, "*.py")
    (tmp_path / "mcts_core" / "game.py").write_text("import mcts_core.of_another_kind")
    done = without_installed("-c", "import mcts_core", path=tmp_path, cwd=tmp_path)
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'mcts_core.of_another_kind'\n")


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
    assert list(package.rglob("*.pyi"))


def test_headers_that_are_no_contract_are_not_installed():
    installed = {path.name for path in importlib.metadata.files("mcts-core") if path.suffix in (".pxd", ".h")}
    assert installed <= {"game.pxd", "simple_game.pxd", "game.h", "simple_game.h"}


def test_the_distribution_holds_no_sources_of_native_modules():
    suffixes = {path.suffix for path in importlib.metadata.files("mcts-core")}
    assert suffixes & {".pyx", ".c", ".cpp", ".o"} == set()
    assert ".py" in suffixes
