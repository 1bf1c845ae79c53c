"""Lines in and lines out: the connection of an engine to the program that started it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import BinaryIO, Protocol, TextIO

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
    replaces bytes that are not UTF-8. ``send`` may be called from any thread. ``log`` writes both to a file, too.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._lock = threading.Lock()
        self._closed = False
        self._log: TextIO | None = None
        self._log_from = 0.0
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
                with self._lock:
                    self._note(">", line)
                yield line

    def _read(self) -> bytes:
        try:
            return self._reader.readline(LONGEST + 1)
        except (OSError, ValueError):  # the other end is gone, or the file was closed: no more commands
            return b""

    def log(self, path: str | PathLike[str] | None) -> None:
        """Appends every line from now on to the file ``path``; None ends that.

        A line of the log has the seconds since this call, ``>`` for a command or ``<`` for an answer, and the text. If
        the file cannot be written later, the log ends and the engine goes on. Raises OSError if it cannot be opened.
        """
        file = None if path is None else open(path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)
        with self._lock:
            before, self._log, self._log_from = self._log, file, time.monotonic()
            if file is not None:
                self._note("#", time.strftime("log of %Y-%m-%d %H:%M:%S"))
        if before is not None:
            with contextlib.suppress(OSError):
                before.close()

    def _note(self, mark: str, line: str) -> None:
        if self._log is None:
            return
        try:
            self._log.write(f"{time.monotonic() - self._log_from:9.3f} {mark} {line}\n")
        except OSError:  # the disk is full: games go on
            self._log = None

    def send(self, *answers: str) -> None:
        """Writes all lines at once and flushes them. Does nothing once the other end is gone."""
        lines = [" ".join(answer.splitlines()) for answer in answers]
        text = "".join(line + "\n" for line in lines)
        with self._lock:
            if self._closed:
                return
            for line in lines:
                self._note("<", line)
            try:
                self._writer.write(text.encode("utf-8", "backslashreplace"))
                self._writer.flush()
            except (OSError, ValueError) as error:
                if isinstance(error, OSError):
                    self.error = error
                self._closed = True


@contextlib.contextmanager
def standard_lines(log: str | None = None) -> Iterator[Lines]:
    """The Lines of standard input and output; all other output goes to standard error meanwhile. ``log`` is the path of
    their log.

    Raises OSError if the log cannot be opened, and at the end an OSError if answers could not be written:
    BrokenPipeError if the other end was gone, on Windows one of EINVAL.
    """
    lines = Lines(sys.stdin.buffer, sys.stdout.buffer)
    lines.log(log)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield lines
    finally:
        lines.log(None)
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
