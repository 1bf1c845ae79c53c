"""mcts_core/games/data_files.py: the files of data of the package."""

import pathlib
import re
import sys
import zipfile

import pytest

import mcts_core as mc
from mcts_core.games import data_files
from mcts_core.games.connect_four.book import Book
from mcts_core.games.mnk import weights
from mcts_core.games.mnk.network import Network


def test_a_file_beside_a_module():
    assert data_files.load(weights.__spec__, "gomoku.network", bytes) == weights.shipped().source


def test_a_file_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed/__init__.py", "")
        archive.writestr("packed/some.data", b"\0\1\2")
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    import packed

    try:
        assert data_files.load(packed.__spec__, "some.data", bytes) == b"\0\1\2"
    finally:
        del sys.modules["packed"]


def test_a_file_that_is_missing():
    with pytest.raises(OSError, match="nothing.data"):
        data_files.load(weights.__spec__, "nothing.data", bytes)


@pytest.mark.parametrize(("make", "text"), [(Book, "not a book of Connect Four"), (Network, "not a network")])
def test_a_file_that_is_damaged_is_named(make, text):
    path = pathlib.Path(weights.__file__)
    with pytest.raises(mc.InvalidFile, match=f"{re.escape(repr(str(path)))} cannot be read, .*: {text}"):
        data_files.load(weights.__spec__, path.name, make)
