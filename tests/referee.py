"""Engines as processes, and what a game between two of them is watched for: time and legality."""

import pathlib
import queue
import subprocess
import sys
import threading
import time

PATIENCE = 60
"""Seconds after which a silent engine counts as hanging."""


class EngineProcess:
    """``mcts-core ARGUMENTS``, or another ``program``, with its standard input and output in pipes, Python's buffering
    left on."""

    def __init__(self, *arguments, end=b"\n", cwd=None, env=None, program=(sys.executable, "-m", "mcts_core")):
        self.process = subprocess.Popen(
            [*program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
            env=env)
        self.end = end
        self.answers = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def _read(self):
        for line in self.process.stdout:
            self.answers.put((time.perf_counter(), line.decode()))
        self.answers.put((time.perf_counter(), None))

    def send(self, *commands):
        """Writes the commands in one piece."""
        data = [command if isinstance(command, bytes) else command.encode() + self.end for command in commands]
        self.process.stdin.write(b"".join(data))
        self.process.stdin.flush()

    def answer(self):
        """The next line, or None at the end, and when it came."""
        when, line = self.answers.get(timeout=PATIENCE)
        assert line is None or line.endswith("\n"), f"half a line: {line!r}"
        return when, None if line is None else line.rstrip("\r\n")

    def answer_that(self, wanted):
        """The next line for which ``wanted(line)`` is true, and when it came."""
        while True:
            when, line = self.answer()
            assert line is not None, f"the engine ended: {self.process.stderr.read()}"
            if wanted(line):
                return when, line

    def ended(self):
        """What it still said, its exit code and standard error, after the end of its commands or of its own accord."""
        lines = []
        while True:
            _, line = self.answer()
            if line is None:
                break
            lines.append(line)
        return lines, self.process.wait(PATIENCE), self.process.stderr.read().decode()


class Watch:
    """A stopwatch that knows for how long processes of this machine waited for a processor.

    A move that came after its limit on an overloaded machine says nothing about the engine. Where the kernel does not
    tell (Linux does), no time is excused.
    """

    def __init__(self):
        self.stalled = self._pressure()
        self.begin = time.perf_counter()

    @staticmethod
    def _pressure():
        try:
            some = pathlib.Path("/proc/pressure/cpu").read_text().splitlines()[0]
            return int(some.rsplit("total=", 1)[1]) / 1e6
        except (OSError, IndexError, ValueError):
            return 0.0

    def seconds(self, when):
        """Seconds until ``when``, without those excused."""
        return when - self.begin - (self._pressure() - self.stalled)


def never_late(play, games=3):
    """The first of up to ``games`` games, each a call of ``play() -> (record, late moves)``, without a late move.

    One is enough: a machine can stop for a moment, an engine that ignores its limit is late in all of them.
    """
    for _ in range(games):
        record, late = play()
        if not late:
            return record
    raise AssertionError(f"late in each of {games} games, in the last one: {late}")
