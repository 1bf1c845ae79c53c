import importlib.machinery
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

import mcts_core as mc
from mcts_core.bots import kaggle_bundle
from mcts_core.bots.kaggle_bundle import main_file, write_bundle

LOADER = """
import json, os, sys
path = sys.argv[1]
text = open(path).read()
folder = os.path.dirname(path)
names = {}
before = list(sys.path)
sys.path.append(folder)
exec(compile(text, path, "exec"), names)
sys.path.pop()
agent = [value for value in names.values() if callable(value)][-1]
board = [0] * 28 + [2, 2, 0, 0, 0, 0, 0] + [1, 1, 1, 0, 2, 0, 0]
observation = {"board": board, "mark": 1, "remainingOverageTime": 60, "step": 6}
configuration = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 2, "timeout": 2}
first = agent(*[observation, configuration][:agent.__code__.co_argcount])
wide = agent({"board": [0] * 144, "mark": 1, "remainingOverageTime": 0}, {"rows": 12, "columns": 12, "actTimeout": 0.1})
print(json.dumps([first, wide, agent.__name__, sys.modules["mcts_core"].__file__, sys.path == before]))
"""
"""What Kaggle does with a submission, in an interpreter without installed packages."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "submission.tar.gz"
    assert write_bundle(path) == path.stat().st_size
    return path


@pytest.fixture
def unpacked(archive, tmp_path):
    folder = tmp_path / "agent"
    with tarfile.open(archive) as file:
        file.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # not in 3.11.2
    return folder


def load(main, cwd):
    return subprocess.run([sys.executable, "-I", "-S", "-c", LOADER, str(main)], cwd=cwd, capture_output=True,
                          text=True, timeout=60)


def test_it_plays_where_nothing_is_installed(unpacked, tmp_path):
    done = load(unpacked / "main.py", tmp_path)
    assert done.returncode == 0, done.stderr
    first, wide, name, package, restored = json.loads(done.stdout)
    assert (name, restored) == ("agent", True)
    assert pathlib.Path(package) == unpacked / "mcts_core" / "__init__.py"
    assert first == 3 and wide in range(12)


def test_it_plays_from_the_folder_that_it_is_in(unpacked):
    done = load("main.py", unpacked)
    assert done.returncode == 0, done.stderr


def test_another_interpreter_is_told(unpacked, tmp_path):
    for path in unpacked.rglob("*"):
        if path.suffix in (".so", ".pyd"):
            path.unlink()
    done = load(unpacked / "main.py", tmp_path)
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    assert done.returncode == 1
    assert f"ImportError: this archive was made for {python} on " in done.stderr


def test_it_holds_what_runs_and_nothing_else(archive):
    with tarfile.open(archive) as file:
        members = file.getmembers()
    names = [member.name for member in members]
    assert names[0] == "main.py" and len(set(names)) == len(names)
    assert {"mcts_core/__init__.py", "mcts_core/bots/kaggle.py"} <= set(names)
    suffixes = {pathlib.PurePosixPath(name).suffix for name in names}
    assert suffixes - {""} == {".py", ".book", pathlib.Path(mc.errors.__file__).suffix}
    assert "mcts_core/games/connect_four/openings.book" in names
    assert {name for name in names if not pathlib.PurePosixPath(name).suffix} <= {"mcts_core/LICENSE"}
    assert all(member.isfile() and member.mode == 0o644 and member.mtime == 0 for member in members)


def test_the_same_package_makes_the_same_archive(archive, tmp_path):
    other = tmp_path / "other.tar.gz"
    other.write_bytes(b"was there before")
    write_bundle(str(other))
    assert other.read_bytes() == archive.read_bytes()
    assert list(tmp_path.iterdir()) == [other]


def test_only_native_modules_of_this_interpreter_go_in():
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        assert kaggle_bundle._is_native_module("tree" + suffix)
    for name in ("tree.cpython-399-x86_64-linux-gnu.so", "tree/plain_tree.pyx", "tree.py", "tree"):
        assert not kaggle_bundle._is_native_module(name)


def test_the_license_of_the_installed_package_goes_along(monkeypatch):
    class File:
        def __init__(self, name):
            self.name = name

        def read_binary(self):
            return self.name.encode()

    monkeypatch.setattr(importlib.metadata, "files", lambda name: [File("METADATA"), File("LICENSE")])
    assert kaggle_bundle._license() == [("mcts_core/LICENSE", b"LICENSE")]
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    assert kaggle_bundle._license() == []


def test_the_main_file_is_python_with_short_lines():
    compile(main_file(), "main.py", "exec")
    assert max(map(len, main_file().splitlines())) <= 120


@pytest.mark.parametrize("name", [".", "missing/submission.tar.gz", "with\0nul", "folder/", 7])
def test_a_file_that_cannot_be_written_is_told(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kaggle_bundle, "_archive", lambda: b"content")
    with pytest.raises(mc.InvalidOption, match="the archive cannot be written to"):
        write_bundle(name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_no_pipe_and_no_link_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(kaggle_bundle, "_archive", lambda: b"content")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(mc.InvalidOption, match="not a regular file"):
        write_bundle(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_bundle(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"content"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "target"]
