"""Words of messages and tables."""

from __future__ import annotations

import os
from operator import index
from os.path import basename, dirname, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.results import MoveStats, Node, Stats

LIBRARIES = (join(dirname(__file__), ""), join(dirname(os.__file__), ""))
"""The folders of this package and of Python's standard library."""
NO_FILES = ("-packages", "ipykernel")
"""Parts of the paths of installed packages and of notebook cells, whose files the user does not know."""


def counted(number: int, noun: str) -> str:
    """"1 move", "2 moves", "1,000 moves"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def proof(of: MoveStats | Stats | Node) -> str:
    """What is proven of a position or a move, in words: "win within 7", as the distance is a bound; "win in 1"; empty
    where nothing is."""
    if of.proven is None:
        return ""
    if of.distance is None:
        return of.proven
    return f"{of.proven} {'within' if of.proven != 'draw' and of.distance > 1 else 'in'} {of.distance}"


def value_of(entry: MoveStats, none: str = "-") -> str:
    """The value of a move in a table; ``none`` where it was never visited."""
    return f"{entry.value:.3f}" if entry.visits else none


def on_scale(value: float, scale: tuple[float, float] | None) -> float:
    """``value`` from 0 to 1 on a scale such as ``Stats.scale``; a value beyond its end counts as that."""
    if scale is None:
        return value
    low, high = scale
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5


def best(stats: Stats) -> MoveStats:
    """The statistics of the move to play."""
    return next(entry for entry in stats.moves if entry.move == stats.move)


def expectation(stats: Stats) -> str:
    """What the player to move may expect, in words: "win within 7" where that is proven, else "value 0.563": that of
    the move to play, as its row in a table has it. (``stats.value`` is the mean over all moves, or what is proven.)"""
    return proof(stats) or f"value {expected_value(stats):.3f}"


def expected_value(stats: Stats) -> float:
    """The value of the move to play; what is proven of the position where the search ended with that, or where that
    move has no visit."""
    entry = next((each for each in stats.moves if each.move == stats.move and each.visits), None)
    return stats.value if entry is None or stats.stop_reason == "solved" else entry.value


def ending_of(stats: Stats) -> str:
    """Whether a search still runs, or what stopped it, in words."""
    return "still running" if stats.stop_reason == "running" else f"stopped by {stats.stop_reason}"


def cause_of(error: BaseException) -> str:
    """The cause of an error and its line, to be appended to its message; without what the message already contains."""
    cause = error.__cause__
    if cause is None:
        return ""
    if f"{type(cause).__name__}: {cause}" in str(error):
        return line_of(cause)
    return f" (caused by {told(cause)})"


def told(error: BaseException) -> str:
    """The class, the message and the line of an error of the user's."""
    return f"{type(error).__name__}: {error}{line_of(error)}"


def line_of(error: BaseException) -> str:
    """" (line 8 of game.py)": the last line of the user's code on the way to an error, not that of a library which it
    called; empty where none is in a file."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(".py") and not file.startswith(LIBRARIES) and not any(word in file for word in NO_FILES):
            found = f" (line {trace.tb_lineno} of {basename(file)})"
        trace = trace.tb_next
    return found


def as_data(value: object) -> int | str:
    """``value``, which JSON does not know, as data: an int of another kind, such as numpy's, as an int, all else as its
    text."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return str(value)
