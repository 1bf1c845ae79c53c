"""What a search or a run of rollouts found, as data: Stats, MoveStats, Node and Rollouts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from mcts_core.errors import NoSearch
from mcts_core.words import counted, expectation, on_scale, proof, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from mcts_core.move_names import Names
    from mcts_core.origin import Origin


@dataclass(frozen=True, slots=True)
class MoveStats:
    """The statistics of one legal move of the root.

    ``visits`` counts the iterations that went through the move; one that came to a proven draw counts for that draw and
    for the sibling that it tried instead. ``wins`` is the sum of their results for the player to
    move at the root, a draw counting half; ``value`` is ``wins / visits``, in [0, 1] (0.5 without a visit).
    In a game with rewards or a discount both are in the units of the game, the reward of the move included, and a move
    without a visit has the value of the position.
    ``proven`` is ``"win"``, ``"loss"`` or ``"draw"`` for that player when the value of the move is proven, else None;
    ``distance`` then counts the plies, this move included, within which the game ends if the winner follows the proof.
    ``prior`` is the share of the visits that the move had before any search, with selection ``"puct"`` on native games;
    else None.
    """

    move: Hashable
    visits: int
    wins: float
    value: float
    proven: str | None = None
    distance: int | None = None
    prior: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the search tree and what is below it.

    ``value``, ``proven`` and ``distance`` are meant as those of ``MoveStats``: for the player to move at the root,
    wherever in the tree the node is, and with its own move among the plies. At the root they are those of ``Stats``.
    """

    move: Hashable
    """The move that leads to the node; None for the root."""
    player: int | str
    """Who makes it: +1 or -1, in a general game the player's number or ``CHANCE``; 0 for the root."""
    visits: int
    value: float | None
    """None where the tree does not know it: of a node without children, for another one of several players than who
    moves there."""
    proven: str | None
    distance: int | None
    children: tuple[Node, ...]
    """The most visited first."""


class _Found:
    """What Stats know besides their fields: it is not compared, and a copy or a pickle does not have it."""

    __slots__ = ("_origin",)
    _origin: Origin


@dataclass(frozen=True, slots=True)
class Stats(_Found):
    """The figures of one search, in the order of usefulness.

    In a notebook it is a table of the moves, beside the board where that is known.
    """

    move: Hashable
    """The move to play."""
    value: float
    """Mean result for the player to move at the root, in [0, 1], a draw counting half; or the proven result. In a game
    with rewards or a discount, the mean of the discounted sum of rewards from here on."""
    visits: int
    """Visits of the root: ``iterations`` and ``reused_visits``."""
    moves: tuple[MoveStats, ...]
    """Every legal move, the most visited first."""
    pv: tuple[Hashable, ...]
    """Principal variation: the most visited move of the root and, below it, of each node whose moves were all tried; it
    ends where chance moves."""
    iterations: int
    """Iterations run: each is selection, expansion of at most one node, one rollout, backup."""
    rollouts: int
    """Rollouts played, or leaves evaluated; an iteration that comes back to a finished game needs none."""
    seconds: float
    """Wall-clock time of the whole call."""
    iterations_per_second: float
    nodes: int
    """Distinct nodes of the tree, the root among them."""
    bytes: int
    """Memory that the tree takes; exact search has its own, which counts towards the limit only."""
    prunes: int
    """How often the tree lost its least visited subtrees: at its limit, or when the search began and had too little
    time to move all that was left of the last one's together."""
    dropped_nodes: int
    """Nodes that went with them; when the search began, so many at most."""
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
    values: tuple[float, ...] | None = None
    """Mean result for each player, in [0, 1], by the index of the player; None in games of two players with
    ``winner()``."""
    scale: tuple[float, float] | None = None
    """In a game with rewards or a discount, the lowest and the highest mean value that the search has seen for the
    player to move at the root; ``value``, ``values`` and the values of moves are in the same units, those of the game.
    None elsewhere: values are from 0 to 1."""
    line_value: float | None = None
    """With ``final_move="best_line"``, what the line ``pv`` gives; else None."""

    @property
    def state(self) -> Any:
        """The position that was searched; None in a copy, and in statistics that were pickled or made by hand."""
        origin = getattr(self, "_origin", None)
        return None if origin is None else origin.state

    def share(self, value: float) -> float:
        """``value`` on the scale from 0 to 1 on which the search compares moves; beyond it a value is its end."""
        return on_scale(value, self.scale)

    def tree(self, max_depth: int = 3, min_share: float = 0.01) -> Node:
        """The top of the search tree, from the root down to ``max_depth`` (0 to 100) moves.

        A node is there when it has at least one visit and ``min_share`` (0 to 1) of those of the root; so is the move
        to play in any case. Below the root, a node shows its children once all its moves were tried, and none when its
        value is proven. The tree is there until the Searcher searches again or is gone. ``mcts_core.search`` gives
        trees of more than 64 MiB back at once and keeps what the defaults show.

        Raises NoSearch (the tree is gone, or these are a copy or figures that were reported on the way), SearchBusy,
        and InvalidOption, also for more than 100,000 nodes.
        """
        origin: Origin | None = getattr(self, "_origin", None)
        if origin is None:
            raise NoSearch("these statistics are a copy or were made by hand; the tree is known by those that stats() "
                           "returned")
        return origin.tree(max_depth, min_share)

    def to_dot(self, max_depth: int = 3, min_share: float = 0.01) -> str:
        """The top of the search tree in the DOT language, which Graphviz draws; see ``tree`` and ``render.dot``."""
        from mcts_core.render import dot

        return dot(self.tree(max_depth, min_share), state=self.state, pv=self.pv, scale=self.scale)

    def _repr_html_(self) -> str:
        from mcts_core.render import html

        return html(self)

    def __rich__(self) -> object:
        from mcts_core.render import rich_stats

        return rich_stats(self)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data: moves that JSON does not know, such as tuples within tuples or objects, as text.

        Beside ``move``, ``pv`` and the ``move`` of each entry of ``moves`` stand ``name``, ``pv_names`` and ``name``:
        what people call the moves, such as ``"h8"``. They are None where the position is not known or has no names.
        """
        names = self._names()
        data: dict[str, Any] = {"move": _plain(self.move), "name": names.or_none(self.move)}
        data |= {field.name: getattr(self, field.name) for field in fields(self) if field.name != "move"}
        data["pv"] = [_plain(move) for move in self.pv]
        data["pv_names"] = names.line(self.pv) if names.known else None
        data["moves"] = [
            {"move": _plain(entry.move), "name": names.or_none(entry.move)}
            | {field.name: getattr(entry, field.name) for field in fields(entry) if field.name != "move"}
            for entry in self.moves
        ]
        return data

    def _names(self) -> Names:
        from mcts_core.move_names import Names

        return Names(self.state)

    def __str__(self) -> str:
        """A table of the moves, the one to play first, at most twelve, under a line of figures.

        The line has what is proven of the position ("win in 7"), or else the value of the move to play, as its row has
        it; a column has what is proven of the moves. A move that was never visited has no value, which shows as "-".
        Moves have their names, ``h8``, beside the numbers that ``play`` takes as well; numbers alone where the position
        is not known.
        """
        names = self._names()
        head = "  ".join([
            f"move {names.with_number(self.move)}",
            expectation(self),
            f"{counted(self.iterations, 'iteration')} in {self.seconds:.3f} s ({self.iterations_per_second:,.0f}/s)",
            f"{counted(self.nodes, 'node')}, {self.bytes / 1e6:.1f} MB",
            f"depth {self.depth_mean:.1f}/{self.depth_max}",
            f"stopped by {self.stop_reason}",
        ])
        shown = sorted(self.moves, key=lambda entry: entry.move != self.move)[:12]
        cells = [["move", "visits", "wins", "value", "proven"]]
        cells += [[names.of(m.move), f"{m.visits:,}", f"{m.wins:,.1f}", value_of(m), proof(m)] for m in shown]
        if all(m.proven is None for m in shown):
            cells = [row[:-1] for row in cells]
        if names.have_numbers(m.move for m in shown):
            numbers = ["number", *(str(m.move) for m in shown)]
            cells = [[name, number, *rest] for (name, *rest), number in zip(cells, numbers, strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        if len(self.moves) > len(shown):
            lines.append(f"... and {counted(len(self.moves) - len(shown), 'more move')}")
        return "\n".join([head, *lines, "pv " + " ".join(names.line(self.pv))])


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


def _plain(move: Hashable) -> Any:
    if move is None or isinstance(move, (bool, int, float, str)):
        return move
    if isinstance(move, tuple) and all(isinstance(part, (bool, int, float, str)) for part in move):
        return list(move)
    return str(move)
