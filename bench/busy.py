"""Processes that keep the cores busy, and end with the one that started them.

``busy.py SECONDS [CORE]`` is such a process: it runs for SECONDS at most, on CORE or wherever the system puts it, and
ends at once when its standard input is closed. That happens whatever becomes of the process that started it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

LONGEST = 3600.0
"""Seconds after which such a process ends in any case."""


def cores():
    """The numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextlib.contextmanager
def processes(pinned=True, count=None):
    """A context in which ``count`` processes, by default as many as cores, do nothing but compute; their pids.

    ``pinned``: each stays on a core of its own, where the system knows that.
    """
    numbers = cores()
    count = len(numbers) if count is None else count
    started = []
    try:
        for index in range(count):
            words = [sys.executable, "-S", __file__, str(LONGEST)]
            if pinned:
                words.append(str(numbers[index % len(numbers)]))
            started.append(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        for process in started:
            if process.stdout.readline().strip() != b"busy":
                raise RuntimeError(f"a process that was to keep a core busy ended with {process.wait()}")
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
            process.stdin.close()
            process.stdout.close()


def end_with_input():
    """Ends this process when nobody holds its standard input open any more."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(0)


def main(argv):
    """Computes until the time is over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the one that started this, too
    end = time.monotonic() + float(argv[0])
    if len(argv) > 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(argv[1])})
    print("busy", flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    while time.monotonic() < end:
        sum(range(1000))
    os._exit(0)  # without waiting for the thread that waits


if __name__ == "__main__":
    main(sys.argv[1:])
