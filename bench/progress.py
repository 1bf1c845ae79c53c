"""One line on a terminal that tells how far the work is."""

import sys
import time

WIDTH = 24
"""Characters of the bar."""


def follow(results, total, label, note=lambda: "", done=0):
    """Passes results on; ``done`` of ``total`` were there before. ``note()`` is shown at the end of the line."""
    start, shown, before = time.monotonic(), 0.0, done
    show(label, done, total, 0, 0.0, note())
    try:
        for result in results:
            yield result
            done += 1
            if time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                show(label, done, total, done - before, shown - start, note())
    finally:
        clear()


def show(label, done, total, fresh, seconds, note):
    """Draws the line."""
    if not sys.stderr.isatty():
        return
    filled = WIDTH * done // max(1, total)
    left = f", {clock((total - done) * seconds / fresh)} left" if fresh else ""
    line = f"{label} [{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}{left}{'  ' + note if note else ''}"
    print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)


def clear():
    """Takes the line away."""
    if sys.stderr.isatty():
        print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def clock(seconds):
    """``1:05`` of 65 seconds."""
    seconds = round(seconds)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
