import errno
import io
import os
import re
import sys

import pytest

from mcts_core.bots.lines import LONGEST, SHOWN, Lines, serve, standard_lines


def read(data):
    return list(Lines(io.BytesIO(data), io.BytesIO()))


def test_lines_end_with_lf_or_cr_lf_and_the_last_one_with_neither():
    assert read(b"START 15\r\nTURN 1,2\n  BEGIN \t\r\r\n\r\n\n   \nEND") == ["START 15", "TURN 1,2", "BEGIN", "END"]
    assert read(b"") == read(b"\r\n\n") == []


def test_a_byte_order_mark_is_no_part_of_a_command():
    assert read("\ufeffSTART 15\n\ufeff\n".encode()) == ["START 15"]


def test_what_is_no_text_is_replaced():
    line, = read(b"A\xff\x00B\n")
    assert line == "A\N{REPLACEMENT CHARACTER}\x00B"


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, LONGEST + 2, 3 * LONGEST + 7])
@pytest.mark.parametrize("end", [b"\nEND\n", b""])
def test_a_line_that_is_too_long_is_cut_and_the_next_one_is_whole(length, end):
    first, *rest = read(b"x" * length + end)
    assert first == ("x" * length if length <= LONGEST else "x" * SHOWN + "...")
    assert rest == (["END"] if end else [])


def test_the_end_of_a_broken_reader_is_an_end():
    class Broken(io.RawIOBase):
        def readline(self, size=-1):
            raise OSError("gone")

    assert list(Lines(Broken(), io.BytesIO())) == []
    closed = io.BytesIO(b"START\n")
    closed.close()
    assert list(Lines(closed, io.BytesIO())) == []


def test_answers_are_written_and_flushed_one_to_a_line():
    class Writer(io.BytesIO):
        flushed = b""

        def flush(self):
            self.flushed = self.getvalue()

    writer = Writer()
    lines = Lines(io.BytesIO(), writer)
    lines.send("OK")
    assert writer.flushed == b"OK\n"
    lines.send("two\r\nlines", "\N{BULLET}", "\ud800")
    assert writer.flushed == b"OK\ntwo lines\n\xe2\x80\xa2\n\\ud800\n"
    assert not lines.closed


@pytest.mark.parametrize("error", [BrokenPipeError(), OSError(errno.EINVAL, "as Windows tells it")], ids=repr)
def test_nobody_reads_any_more(error):
    class Gone(io.RawIOBase):
        calls = 0

        def write(self, data):
            self.calls += 1
            raise error

    gone = Gone()
    lines = Lines(io.BytesIO(b"A\nB\nC\n"), gone)
    read = []
    for line in lines:
        read.append(line)
        lines.send("answer")
    assert lines.closed and read == ["A"] and gone.calls == 1
    lines.send("more")
    assert gone.calls == 1


def test_a_log_has_every_line_with_its_time(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("before\n", encoding="utf-8")
    lines = Lines(io.BytesIO("A\n\N{BULLET}\n".encode()), io.BytesIO())
    lines.send("not logged")
    lines.log(path)
    for line in lines:
        lines.send(f"got {line}", "\ud800")
    lines.log(None)
    lines.send("not logged")
    first, header, *rest = path.read_text(encoding="utf-8").splitlines()
    assert first == "before" and re.fullmatch(r" +0\.\d{3} # log of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", header)
    assert [line.lstrip().split(" ", 1)[1] for line in rest] == [
        "> A", "< got A", "< \\ud800", "> \N{BULLET}", "< got \N{BULLET}", "< \\ud800"]


def test_a_log_that_cannot_be_written_ends_and_the_answers_go_on(tmp_path):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "no space left on device")

    lines = Lines(io.BytesIO(b"A\n"), io.BytesIO())
    lines.log(tmp_path / "log.txt")
    lines._log.close()
    lines._log = Full()
    assert list(lines) == ["A"]
    lines.send("OK")
    assert not lines.closed and lines._writer.getvalue() == b"OK\n"
    with pytest.raises(OSError):
        lines.log(tmp_path / "none" / "log.txt")


class Engine:
    def __init__(self, last=None):
        self.last = last
        self.done = []

    def handle(self, line):
        if line == "fail":
            raise ZeroDivisionError
        self.done.append(line)
        return line != self.last

    def finish(self):
        self.done.append("finish()")

    def close(self):
        self.done.append("close()")


def test_an_engine_is_served_until_its_last_command_or_the_end_and_closed_in_any_case():
    for data, last, done in ((b"A\nB\nC\n", "B", ["A", "B", "close()"]),
                             (b"A\nB\n", None, ["A", "B", "finish()", "close()"])):
        engine = Engine(last)
        serve(engine, Lines(io.BytesIO(data), io.BytesIO()))
        assert engine.done == done
    engine = Engine()
    with pytest.raises(ZeroDivisionError):
        serve(engine, Lines(io.BytesIO(b"A\nfail\nB\n"), io.BytesIO()))
    assert engine.done == ["A", "close()"]


def test_what_a_game_prints_does_not_reach_the_answers(capfdbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"START\r\n")))
    with open(os.dup(1), "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with standard_lines() as lines:
            print("chatter")
            lines.send(*lines)
        assert sys.stdout is out
    assert capfdbinary.readouterr() == (b"START\n", b"chatter\n")


def test_answers_that_nobody_read_are_told_at_the_end(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        with pytest.raises(OSError) as told, standard_lines() as lines:
            lines.send("answer")
        assert told.value.errno == (errno.EINVAL if os.name == "nt" else errno.EPIPE)
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)


def test_an_output_that_is_full_is_told_at_the_end(monkeypatch):
    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Full()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(OSError, match="No space left on device"), standard_lines() as lines:
        lines.send("answer")
