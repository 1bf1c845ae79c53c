"""Words of messages and tables."""

from __future__ import annotations

from operator import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.results import MoveStats, Node, Stats


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
    entry = next((each for each in stats.moves if each.move == stats.move and each.visits), None)
    value = stats.value if entry is None or stats.stop_reason == "solved" else entry.value
    return proof(stats) or f"value {value:.3f}"


def cause_of(error: BaseException) -> str:
    """The cause of an error, to be written behind its message; empty where the message itself has it."""
    told = f"{type(error.__cause__).__name__}: {error.__cause__}"
    return "" if error.__cause__ is None or told in str(error) else f" (caused by {told})"


def as_data(value: object) -> int | str:
    """``value``, which JSON does not know, as data: an int of another kind, such as numpy's, as an int, all else as its
    text."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return str(value)
