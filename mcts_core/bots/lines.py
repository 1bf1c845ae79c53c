"""Lines in and lines out: the connection of an engine to the program that started it."""

from __future__ import annotations

import contextlib
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, Protocol

    class Engine(Protocol):
        """An engine for ``serve``."""

        def handle(self, line: str) -> bool: ...
        def finish(self) -> None: ...
        def close(self) -> None: ...


LONGEST = 1 << 20
"""Longest line in bytes; a longer one is cut so that it is not a valid command."""
BOM = "\ufeff"
"""The mark that some programs on Windows write before their first line."""
SHOWN = 80
"""Characters that remain of such a line."""


class Lines:
    """Commands from ``reader`` and answers to ``writer``, two binary files, as lines of UTF-8.

    Iteration yields the commands without line ends (LF or CR LF) and surrounding spaces. It skips empty lines and
    replaces bytes that are not UTF-8. ``send`` may be called from any thread.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._lock = threading.Lock()
        self._closed = False
        self.error: OSError = BrokenPipeError()
        """Why nothing can be sent any more, once the lines are closed."""

    @property
    def closed(self) -> bool:
        """Whether the other end is gone, or the output cannot be written."""
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
            line = data.decode("utf-8", "replace").strip().removeprefix(BOM).lstrip()
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
        """Writes all lines at once and flushes them. Does nothing once the other end is gone."""
        text = "".join(" ".join(answer.splitlines()) + "\n" for answer in answers)
        with self._lock:
            if self._closed:
                return
            try:
                self._writer.write(text.encode("utf-8", "backslashreplace"))
                self._writer.flush()
            except (OSError, ValueError) as error:
                if isinstance(error, OSError):
                    self.error = error
                self._closed = True


@contextlib.contextmanager
def standard_lines() -> Iterator[Lines]:
    """The Lines of standard input and output; all other output goes to standard error meanwhile.

    Raises an OSError at the end if answers could not be written: BrokenPipeError if the other end was gone, on
    Windows one of EINVAL.
    """
    lines = Lines(sys.stdin.buffer, sys.stdout.buffer)
    with contextlib.redirect_stdout(sys.stderr):
        yield lines
    if lines.closed:
        raise lines.error


def serve(engine: Engine, lines: Lines) -> None:
    """Passes every line to ``engine.handle`` until that returns False or there are no more lines.

    After the last line it calls ``engine.finish``, so that a running search can end. It closes the engine in any case.
    """
    try:
        for line in lines:
            if not engine.handle(line):
                return
        engine.finish()
    finally:
        engine.close()
