"""What a search or a run of rollouts found, as data: Stats, MoveStats and Rollouts."""

from __future__ import annotations

from dataclasses import dataclass, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any


@dataclass(frozen=True, slots=True)
class MoveStats:
    """The statistics of one legal move of the root.

    ``visits`` counts the iterations that went through the move; one that came to a proven draw counts for that draw and
    for the sibling that it tried instead. ``wins`` is the sum of their results for the player to
    move at the root, a draw counting half; ``value`` is ``wins / visits``, in [0, 1] (0.5 without a visit).
    ``proven`` is ``"win"``, ``"loss"`` or ``"draw"`` for that player when the value of the move is proven, else None;
    ``distance`` then counts the plies, this move included, within which the game ends if the winner follows the proof.
    """

    move: Hashable
    visits: int
    wins: float
    value: float
    proven: str | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of one search, in the order of usefulness."""

    move: Hashable
    """The move to play."""
    value: float
    """Mean result for the player to move at the root, in [0, 1], a draw counting half; or the proven result."""
    visits: int
    """Visits of the root."""
    moves: tuple[MoveStats, ...]
    """Every legal move, the most visited first."""
    pv: tuple[Hashable, ...]
    """Principal variation: the most visited move of the root and, below it, of each node whose moves were all tried."""
    iterations: int
    """Iterations run: each is selection, expansion of at most one node, one rollout, backup."""
    rollouts: int
    """Rollouts played; an iteration that comes back to a finished game needs none."""
    seconds: float
    """Wall-clock time of the whole call."""
    iterations_per_second: float
    nodes: int
    """Distinct nodes of the tree, the root among them."""
    bytes: int
    """Memory that the tree takes; exact search has its own, which counts towards the limit only."""
    depth_mean: float
    """Mean number of moves between the root and the node that an iteration reached."""
    depth_max: int
    reused_visits: int
    """Visits of the root that came from an earlier search."""
    stop_reason: str
    """``time``, ``iterations``, ``solved`` (the value of the root is proven), ``memory`` (the tree reached its limit),
    ``cancelled`` (Ctrl-C, ``stop()``), ``only_move`` (there is one legal move), ``decided`` (no other move can be the
    most visited one at the end of the budget), or ``running`` in what a search reports on its way."""
    proven: str | None
    """``"win"``, ``"loss"`` or ``"draw"`` for the player to move at the root, when that is proven; else None."""
    distance: int | None
    """Plies within which the game ends if the winner follows that proof; of a draw, plies to its end."""
    overshoot: float
    """Seconds by which the search missed its deadline; 0 when it met it."""
    seed: int
    """The seed that reproduces this search, given the same number of iterations."""
    threads: int
    isa: str
    """The instruction set for which the search was compiled: ``baseline`` or ``avx2``."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data: moves that JSON does not know, such as tuples within tuples or objects, as text."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data["move"] = _plain(self.move)
        data["pv"] = [_plain(move) for move in self.pv]
        data["moves"] = [
            {field.name: getattr(entry, field.name) for field in fields(entry)} | {"move": _plain(entry.move)}
            for entry in self.moves
        ]
        return data

    def __str__(self) -> str:
        """A table of the moves, the one to play first, at most twelve, under a line of figures.

        What is proven stands there as "win in 7", for the position in the line and for the moves in a column.
        """
        proof = _proof(self)
        head = "  ".join([
            f"move {self.move}",
            f"value {self.value:.3f}",
            *([proof] if proof else []),
            f"{self.iterations:,} iterations in {self.seconds:.3f} s ({self.iterations_per_second:,.0f}/s)",
            f"{self.nodes:,} nodes, {self.bytes / 1e6:.1f} MB",
            f"depth {self.depth_mean:.1f}/{self.depth_max}",
            f"stopped by {self.stop_reason}",
        ])
        shown = sorted(self.moves, key=lambda entry: entry.move != self.move)[:12]
        cells = [["move", "visits", "wins", "value", "proven"]]
        cells += [[str(m.move), f"{m.visits:,}", f"{m.wins:,.1f}", f"{m.value:.3f}", _proof(m)] for m in shown]
        if all(m.proven is None for m in shown):
            cells = [row[:-1] for row in cells]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        if len(self.moves) > len(shown):
            lines.append(f"... and {len(self.moves) - len(shown)} more moves")
        return "\n".join([head, *lines, "pv " + " ".join(str(move) for move in self.pv)])


@dataclass(frozen=True, slots=True)
class Rollouts:
    """The results of many uniformly random games from one position, for the player to move there."""

    wins: int
    draws: int
    losses: int
    mean_length: float
    """Mean number of moves played, from the position to the end of the game."""
    seconds: float
    rollouts_per_second: float


def _proof(of: MoveStats | Stats) -> str:
    """What is proven, in words: "win in 7"; empty where nothing is."""
    if of.proven is None:
        return ""
    return of.proven if of.distance is None else f"{of.proven} in {of.distance}"


def _plain(move: Hashable) -> Any:
    if move is None or isinstance(move, (bool, int, float, str)):
        return move
    if isinstance(move, tuple) and all(isinstance(part, (bool, int, float, str)) for part in move):
        return list(move)
    return str(move)
