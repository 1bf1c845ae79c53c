"""mcts_core/games/data_files.py: the files of data of the package."""

import sys
import zipfile

import pytest

from mcts_core.games import data_files
from mcts_core.games.mnk import weights


def test_a_file_beside_a_module():
    assert data_files.read(weights.__spec__, "gomoku.network") == weights.shipped().source


def test_a_file_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed/__init__.py", "")
        archive.writestr("packed/some.data", b"\0\1\2")
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    import packed

    try:
        assert data_files.read(packed.__spec__, "some.data") == b"\0\1\2"
    finally:
        del sys.modules["packed"]


def test_a_file_that_is_missing():
    with pytest.raises(OSError, match="nothing.data"):
        data_files.read(weights.__spec__, "nothing.data")
