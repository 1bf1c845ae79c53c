"""Lines in and lines out: how an engine talks to the program that started it."""

from __future__ import annotations

import contextlib
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, Protocol

    class Engine(Protocol):
        """What ``serve`` gives lines to."""

        def handle(self, line: str) -> bool: ...
        def finish(self) -> None: ...
        def close(self) -> None: ...


LONGEST = 1 << 20
"""Bytes of a line that is read; a longer one is cut so that no command can make sense of it."""
SHOWN = 80
"""Characters that are left of such a line."""


class Lines:
    """Commands from ``reader`` and answers to ``writer``, two binary files, as lines of UTF-8.

    Iterating gives the commands without their ends (LF or CR LF) and the spaces around; empty lines are left out, and
    bytes that are no UTF-8 are replaced. ``send`` may be called from any thread.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._lock = threading.Lock()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether nobody reads the answers any more."""
        return self._closed

    def __iter__(self) -> Iterator[str]:
        while not self._closed:
            data = self._read()
            if not data:
                return
            whole = len(data) <= LONGEST or data.endswith(b"\n")
            rest = b"" if whole else data
            while rest and not rest.endswith(b"\n"):
                rest = self._read()
            line = data.decode("utf-8", "replace").strip()
            if not whole:
                line = line[:SHOWN] + "..."
            if line:
                yield line

    def _read(self) -> bytes:
        try:
            return self._reader.readline(LONGEST + 1)
        except (OSError, ValueError):  # the other end is gone, or the file was closed: no more commands
            return b""

    def send(self, *answers: str) -> None:
        """Writes lines, together, and flushes them. Without effect once the other end is gone."""
        text = "".join(" ".join(answer.splitlines()) + "\n" for answer in answers)
        with self._lock:
            if self._closed:
                return
            try:
                self._writer.write(text.encode("utf-8", "backslashreplace"))
                self._writer.flush()
            except (OSError, ValueError):
                self._closed = True


@contextlib.contextmanager
def standard_lines() -> Iterator[Lines]:
    """The Lines of standard input and output; what anything else prints meanwhile goes to standard error.

    Raises BrokenPipeError at the end when nobody read the answers.
    """
    lines = Lines(sys.stdin.buffer, sys.stdout.buffer)
    with contextlib.redirect_stdout(sys.stderr):
        yield lines
    if lines.closed:
        raise BrokenPipeError


def serve(engine: Engine, lines: Lines) -> None:
    """Gives every line to ``engine.handle`` until that returns False or there are no more.

    After the last line, a search that is under way may ``finish``; the engine is closed in any case.
    """
    try:
        for line in lines:
            if not engine.handle(line):
                return
        engine.finish()
    finally:
        engine.close()
