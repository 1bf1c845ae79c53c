"""src/mcts_core/files.pyx: files are replaced as a whole, and interrupts leave nothing open or half written."""

import os
import random
import signal
import stat
import time
from array import array

import pytest

import mcts_core as mc
from mcts_core.files import reading, replace_file, target_of


def content(path):
    return reading(os.fspath(path), lambda file: file.read())


@pytest.mark.parametrize("form", [os.fspath, os.fsencode], ids=["str", "bytes"])
def test_a_file_is_written_and_replaced(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "file", "file"):
        name = form(path)
        replace_file(name, [b"one", memoryview(b" and "), bytearray(b"two")])
        assert content(name) == b"one and two"
        replace_file(name, iter([]))
        assert content(name) == b"" and os.listdir(tmp_path) == ["file"]


def test_numbers_are_written_as_their_bytes(tmp_path):
    replace_file(str(tmp_path / "file"), [array("I", [1, 2])])
    assert content(tmp_path / "file") == array("I", [1, 2]).tobytes()


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, OSError])
def test_parts_that_raise_leave_the_old_file(tmp_path, error):
    def parts():
        yield b"new"
        raise error

    for before in (None, b"old"):
        path = tmp_path / "file"
        if before is not None:
            path.write_bytes(before)
        with pytest.raises(error):
            replace_file(str(path), parts())
        assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([] if before is None else [before])


def test_folders_are_not_replaced(tmp_path):
    for name in (str(tmp_path), f"{tmp_path / 'file'}{os.sep}"):
        with pytest.raises(IsADirectoryError):
            replace_file(name, [b""])
    with pytest.raises(IsADirectoryError):
        content(tmp_path)
    with pytest.raises(FileNotFoundError):
        replace_file(str(tmp_path / "no folder" / "file"), [b""])
    with pytest.raises(FileNotFoundError):
        content(tmp_path / "file")
    assert os.listdir(tmp_path) == []


@pytest.mark.needs("named pipes")
def test_pipes_are_neither_read_nor_replaced(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    for call in (lambda: content(path), lambda: replace_file(path, [b""]), lambda: mc.SelfPlayData.load(path)):
        with pytest.raises(OSError, match="not a regular file"):
            call()
    assert stat.S_ISFIFO(os.stat(path).st_mode) and os.listdir(tmp_path) == ["pipe"]


@pytest.mark.needs("modes and links of POSIX")
def test_modes_and_links_stay(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    assert target_of(str(link)) == str(file.resolve())
    replace_file(str(link), [b"new"])
    assert link.is_symlink() and file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_that_is_read_is_closed(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    kept = reading(str(path), lambda file: file)
    assert kept.closed
    seen = []
    with pytest.raises(ZeroDivisionError):
        reading(str(path), lambda file: seen.append(file) or 1 / 0)
    assert seen[0].closed


@pytest.mark.needs("/proc")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer that sends signals")
@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", ["searcher", pytest.param("positions", marks=pytest.mark.needs("numpy"))])
def test_interrupted_saves_leave_no_file_open(tmp_path, count, what):
    """By signals at random moments."""
    engine, path, chooser, armed = mc.Searcher(seed=1, memory_mb=4), tmp_path / "file", random.Random(1), False
    engine.search(mc.ConnectFour(4, 4, 3), iterations=300)
    if what == "searcher":
        save = engine.save
    else:
        save = next(mc.selfplay(mc.ConnectFour(4, 4, 3), games=1, iterations=2, seed=1)).save

    def interrupt(*_):
        if armed:
            raise KeyboardInterrupt

    save(path)
    begin = time.perf_counter()
    save(path)
    longest = 1.2 * (time.perf_counter() - begin)
    before, whole, ends = len(os.listdir("/proc/self/fd")), path.read_bytes(), set()
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(count):
            try:
                try:
                    armed = True
                    signal.setitimer(signal.ITIMER_REAL, chooser.uniform(1e-5, longest))
                    save(path)
                finally:
                    armed = False
                    signal.setitimer(signal.ITIMER_REAL, 0)
                ends.add("ended")
            except BaseException as error:
                ends.add(type(error).__name__)
            assert os.listdir(tmp_path) == ["file"]
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert "KeyboardInterrupt" in ends and ends <= {"KeyboardInterrupt", "ended"}
    assert len(os.listdir("/proc/self/fd")) == before and path.read_bytes() == whole
