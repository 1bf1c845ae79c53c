"""The results of a search or of rollouts, as data: Stats, MoveStats, Node and Rollouts."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from weakref import ref

from mcts_core.arguments import as_int, as_number
from mcts_core.engine.records import fill, record, records
from mcts_core.errors import NoSearch
from mcts_core.field_docs import documented
from mcts_core.words import as_data, counted, ending_of, expectation, on_scale, proof, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any
    from weakref import ReferenceType

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.stats_snapshot import StatsSnapshot
    from mcts_core.move_names import Names

NO_TREE = "these statistics are a copy or were made by hand; only statistics that stats() returned have a tree"
KEPT_DEPTH, KEPT_SHARE = 3, 0.01
"""The part that is kept of a tree which is given back: what ``Stats.tree`` shows by default."""
MAX_NODES = 100_000
"""Nodes of ``Stats.tree``, at most."""
MAX_DEPTH = 100
SPENT = ("time", "iterations", "memory", "cancelled")
"""Stop reasons of searches that may not continue."""
CLOCK_STEP = 1e-4
"""Seconds: how coarse the clock of a browser may be."""


def per_second(count: int, seconds: float) -> float:
    """Where the clock saw no time go by: at least so many."""
    return count / (seconds or CLOCK_STEP)


@documented
@dataclass(frozen=True, slots=True)
class MoveStats:
    """The statistics of one legal move of the root.
    """

    move: Any
    """The move, as ``play`` takes it."""
    visits: int
    """The iterations that went through the move. An iteration that reached a proven draw, or with ``bounds`` a move of
    a proven value, counts both for that move and for the other move that it tried then."""
    wins: float
    """The sum of the results for the player to move at the root; a draw counts one half. In a game with rewards or a
    discount, it is in the units of the game and includes the reward of the move."""
    value: float
    """``wins / visits``, from 0 to 1, and 0.5 without a visit. In a game with rewards or a discount, it is in the units
    of the game, and a move without a visit has the value of the position."""
    proven: str | None = None
    """``"win"``, ``"loss"`` or ``"draw"`` for the player to move at the root if the value of the move is proven, else
    None. With ``bounds``, ``"win"`` is a value of 1 and ``"loss"`` a value of 0."""
    distance: int | None = None
    """If the value is proven, the number of plies (moves of either player), including this move, within which the game
    ends if the winner follows the proof, else None. With ``bounds`` it may be None."""
    prior: float | None = None
    """The prior of the move, as a share of 1, in a search with an evaluator or, in native games, with selection
    ``"puct"``; 0 once the move is proven lost, and None in other searches."""
    policy: float | None = None
    """The share of the move in the improved policy, from 0 to 1, with ``root_policy="gumbel"``, else None."""
    bounds: tuple[float, float] | None = None
    """The lowest and the highest value that the move can have with best play, in searches of general games that prove
    such bounds, else None; if both are equal, that is its value."""


_MOVE_FIELDS = tuple(field.name for field in fields(MoveStats))


@documented
@dataclass(frozen=True, slots=True)
class Node:
    """A node of the search tree and what is below it.

    ``value``, ``proven`` and ``distance`` have the same meaning as in ``MoveStats``: at every node they are from the
    view of the player to move at the root, and ``distance`` includes the move to the node. At the root they are the
    same as in ``Stats``.
    """

    move: Any
    """The move that leads to the node; None for the root."""
    player: int | str
    """The player who makes that move: +1 or -1, in a general game the player's number or ``CHANCE``; 0 for the root."""
    visits: int
    """The visits of the node."""
    value: float | None
    """The mean result, as in ``MoveStats``. None if the tree does not know it: in a game of several players, a node
    without children has a value only for the player who moves there."""
    proven: str | None
    """``"win"``, ``"loss"`` or ``"draw"`` if the value of the node is proven, else None."""
    distance: int | None
    """Plies within which the game ends if the winner follows the proof, else None."""
    children: tuple[Node, ...]
    """The children, the most visited first."""


class _Found:
    """What Stats have besides their fields. Comparisons ignore it."""

    __slots__ = ("_kept", "_origin", "_to_try")
    _kept: StatsSnapshot | None
    """The fields as numbers, until one of them is read; not set, or None, where the fields are set."""
    _origin: Origin
    _to_try: int
    """Moves of the root each of which a search has to try, 0 where priors or values choose; not set in Stats that were
    made by hand."""


def kept_of(stats: Stats) -> StatsSnapshot | None:
    """The numbers of Stats whose fields are not set yet."""
    try:
        return object.__getattribute__(stats, "_kept")  # type: ignore[no-any-return]
    except AttributeError:
        return None


@documented
@dataclass(frozen=True, slots=True, repr=False)
class Stats(_Found):
    """The statistics of one search.

    ``print`` shows them as a table, ``repr`` the first line of it. A notebook displays the table beside the board, if
    the position is known.
    """

    move: Any
    """The move to play."""
    value: float
    """Mean result for the player to move at the root, from 0 to 1, or the proven result. A draw counts one half. In a
    game with rewards or a discount, it is the mean discounted sum of rewards from the root on."""
    visits: int
    """Visits of the root: ``iterations`` plus ``reused_visits``."""
    moves: tuple[MoveStats, ...]
    """All legal moves, the most visited first. The move to play may be another one, because a proof decides first."""
    pv: tuple[Any, ...]
    """Principal variation, the expected play of both sides: the most visited move of the root, then of the node after
    it, and so on. It ends at a node with moves that were never tried, or where chance moves."""
    iterations: int
    """Number of iterations. An iteration is a selection, the expansion of at most one node, a rollout and a backup."""
    rollouts: int
    """Rollouts played; a leaf that is evaluated without rollouts counts as one. An iteration that reaches the end of
    the game inside the tree needs no rollout."""
    seconds: float
    """Wall-clock time of the whole call, in seconds."""
    iterations_per_second: float
    """``iterations / seconds``."""
    nodes: int
    """Nodes of the tree, including the root."""
    bytes: int
    """Memory of the tree in bytes. The memory of exact search is not included, although it counts towards the limit."""
    prunes: int
    """How often the tree was pruned. This happens when it reaches the memory limit, or at the start of a search that
    has too little time to move all of the reused tree."""
    dropped_nodes: int
    """Nodes that pruning dropped. If the tree was pruned when the search started, the number is an upper limit."""
    depth_mean: float
    """Mean number of moves from the root to the node that an iteration reached."""
    depth_max: int
    """The largest number of moves from the root to a node that an iteration reached."""
    reused_visits: int
    """Visits of the root that an earlier search made."""
    stop_reason: str
    """Why the search ended: ``time``, ``iterations``, ``solved`` (the value of the root is proven), ``memory`` (the
    tree reached the memory limit), ``cancelled`` (Ctrl-C, ``stop()``), ``only_move`` (there is one legal move),
    ``decided`` (no other move can become the most visited one before the limit). In the statistics of a running search,
    it is ``running``."""
    proven: str | None
    """``"win"``, ``"loss"`` or ``"draw"`` for the player to move at the root if that is proven, else None."""
    distance: int | None
    """Plies (moves of either player) within which the game ends if the winner follows the proof. For a draw, the plies
    to the end of the game."""
    overshoot: float
    """Seconds by which the search missed its time limit; 0 if it did not."""
    seed: int
    """The seed of this search (of a Searcher with a ``seed``, only the first search has that one). A new search with
    this seed, the same options and the same number of iterations repeats this one, unless that reused visits."""
    threads: int
    """The threads that searched, 1 to 256: a short search runs in one."""
    isa: str
    """The instruction set of the compiled code that ran: ``baseline``, ``avx2`` or ``avx512``."""
    values: tuple[float, ...] | None = None
    """In general games, the mean result of each player, from 0 to 1 and in the order of the players' numbers. If the
    search ended with the stop reason ``solved``, proven values replace means, and with a ``constant_sum`` the other
    players share the rest in proportion to their means. None in games with ``winner()``."""
    book: bool = False
    """Whether the exact search read the book of Connect Four. If so, proofs may rest on the book."""
    scale: tuple[float, float] | None = None
    """In games with rewards or a discount, the lowest and the highest mean value that the search has seen for the
    player to move at the root. In such games ``value``, ``values`` and the values of moves are in the units of the
    game. In all other games, ``scale`` is None and values are from 0 to 1."""
    line_value: float | None = None
    """With ``final_move="best_line"`` or ``nested_rollouts``, the discounted sum of rewards along ``pv``; else None."""
    bounds: tuple[float, float] | None = None
    """In searches of general games that prove score bounds, the lowest and the highest value that the position can have
    for the player to move, with best play of all; else None. If they meet within one millionth, the search ends."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Sets the fields of Stats that keep numbers, when one is first read."""
            if kept_of(self) is not None:
                unpack(self)
            return object.__getattribute__(self, name)

    @property
    def state(self) -> Any:
        """The position that was searched. None in statistics that were made by hand (also by ``dataclasses.replace``),
        and in copies and pickles if the position cannot be pickled."""
        origin = getattr(self, "_origin", None)
        return None if origin is None else origin.state

    @property
    def hint(self) -> str | None:
        """What to do if the search was too short to compare the moves: if its budget ended with fewer visits of the
        root than twice its moves, and neither a proof nor priors chose the move. Otherwise None. ``print`` shows it as
        the last line."""
        visits, to_try = self.visits, getattr(self, "_to_try", 0)
        if to_try < 2 or visits >= 2 * to_try or self.proven is not None or self.stop_reason not in SPENT:
            return None
        return (f"{counted(visits, 'iteration')} cannot compare {to_try:,} moves, because each move is tried once "
                f"before any is tried again: the choice is largely chance. Give the search at least {2 * to_try:,} "
                f"iterations, better {10 * to_try:,} (iterations=, or more seconds)")

    def share(self, value: float) -> float:
        """Returns ``value``, a number in the units of the game, on the scale from 0 to 1 on which the search compares
        moves: 0 and 1 are the ends of ``scale``. Values outside of ``scale`` become 0 or 1."""
        return on_scale(value, self.scale)

    def tree(self, max_depth: int = 3, min_share: float = 0.01) -> Node:
        """Returns the top of the search tree, from the root down to ``max_depth`` (0 to 100) moves.

        It includes the nodes that have at least one visit and at least the share ``min_share`` (0 to 1) of the root's
        visits, and always the move to play. Below the root, it shows the children of a node only if all moves of the
        node were tried and its value is not proven.

        The tree exists until the Searcher searches again or is deleted. ``mcts_core.search`` frees a tree of more than
        64 MiB at once, and keeps only the part that the default arguments show.

        Raises NoSearch (the tree no longer exists, or these Stats are a copy or of a running search), SearchBusy, and
        InvalidOption, also for more than 100,000 nodes.
        """
        origin: Origin | None = getattr(self, "_origin", None)
        if origin is None:
            raise NoSearch(NO_TREE)
        return origin.tree(max_depth, min_share)

    def to_dot(self, max_depth: int = 3, min_share: float = 0.01) -> str:
        """Returns the top of the search tree in the DOT language of Graphviz, as ``render.dot`` draws it.

        ``max_depth`` (0 to 100) and ``min_share`` (0 to 1) choose the nodes as in ``tree``, whose errors it raises.
        """
        from mcts_core.render import dot

        return dot(self.tree(max_depth, min_share), state=self.state, pv=self.pv, scale=self.scale)

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, field.name) for field in fields(self))
        return copied, (values, packed(self.state), getattr(self, "_to_try", 0))

    def _repr_html_(self) -> str:
        from mcts_core.render import html

        return html(self)

    def __rich__(self) -> object:
        from mcts_core.render import rich_stats

        return rich_stats(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields as data for JSON. Moves that JSON cannot represent, such as objects, become texts.

        The names of the moves, such as ``"h8"``, are added as ``name`` beside ``move``, ``pv_names`` beside ``pv``, and
        ``name`` in each entry of ``moves``. They are None if the position is not known or has no names.
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

    def _head(self, names: Names) -> str:
        return "  ".join([
            f"move {names.with_number(self.move)}",
            expectation(self),
            f"{counted(self.iterations, 'iteration')} in {self.seconds:.3f} s ({self.iterations_per_second:,.0f}/s)",
            ending_of(self),
        ])

    def __repr__(self) -> str:
        return f"<Stats {self._head(self._names())}>"

    def __str__(self) -> str:
        """A line of figures, a table of at most twelve moves, the move to play first, the principal variation, and the
        size of the tree with its mean and greatest depth.

        The line shows the proven result of the position ("win within 7") if there is one, otherwise the value of the
        move to play, which is also in the row of that move. The value of a move that was never visited is "-". The
        table shows each move by its name, such as ``h8``, and by the number that ``play`` also takes. If the position
        is not known, it shows only the numbers. The ``hint`` comes last, if there is one.
        """
        from mcts_core.text_tables import LONGEST_NAME, cut, plain_table, printable

        names = self._names()
        shown = sorted(self.moves, key=lambda entry: entry.move != self.move)[:12]
        cells = [["move", "visits", "wins", "value", "proven"]]
        cells += [[cut(names.shown(m.move), LONGEST_NAME), f"{m.visits:,}", f"{m.wins:,.1f}", value_of(m), proof(m)]
                  for m in shown]
        if all(m.proven is None for m in shown):
            cells = [row[:-1] for row in cells]
        if names.have_numbers(m.move for m in shown):
            numbers = ["number", *(str(m.move) for m in shown)]
            cells = [[name, number, *rest] for (name, *rest), number in zip(cells, numbers, strict=True)]
        lines = list(plain_table(cells[0], cells[1:]))
        if len(self.moves) > len(shown):
            lines.append(f"... and {counted(len(self.moves) - len(shown), 'more move')}")
        tree = f"{counted(self.nodes, 'node')}, {self.bytes / 1e6:.1f} MB  depth {self.depth_mean:.1f}/{self.depth_max}"
        line = "pv " + " ".join(map(printable, names.line(self.pv)))
        hints = [] if self.hint is None else [f"hint: {self.hint}"]
        return "\n".join([self._head(names), *lines, line, tree, *hints])


@documented
@dataclass(frozen=True, slots=True)
class Rollouts:
    """The results of many random games from one position, for the player to move there."""

    wins: int
    """Games that the player to move won."""
    draws: int
    """Games without a winner."""
    losses: int
    """Games that the player to move lost."""
    mean_length: float
    """Mean number of moves from the position to the end of the game."""
    seconds: float
    """Wall-clock time of the call."""
    rollouts_per_second: float
    """Rollouts divided by ``seconds``."""


class Origin:
    """The position and the tree of one search; it keeps neither the Searcher nor its memory alive.

    ``core`` is None for a copy, which has no tree. ``number``: of the search; None for figures that were reported on
    the way, the tree of which has grown since.
    """

    __slots__ = ("_chosen", "_core", "_kept", "_number", "state")

    def __init__(self, core: ReferenceType[SearchCore] | None, state: Any, number: int | None) -> None:
        self.state = state
        self._core = core
        self._number = number
        self._kept: Node | None = None
        self._chosen: Any = None

    def keep(self, chosen: Any, top: tuple[Any, ...] | None) -> None:
        """For when the tree is given back: the move to play, and the top of the tree as ``engine.top`` returns it."""
        self._chosen = chosen
        self._kept = None if top is None else _node_of(top)

    def tree(self, max_depth: int, min_share: float) -> Node:
        """See ``Stats.tree``."""
        from mcts_core.engine.top import top

        depth = as_int(max_depth, "max_depth", 0, MAX_DEPTH)
        share = as_number(min_share, "min_share", 0.0, 1.0)
        if self._core is None:
            raise NoSearch(NO_TREE)
        if self._number is None:
            raise NoSearch("these statistics are of a running search, whose tree has changed since; "
                           "read the tree after the search, from its last statistics")
        core = self._core()
        found = None if core is None else top(core, self._number, depth, share, MAX_NODES)
        if found is not None:
            return _node_of(found)
        if self._kept is None:
            raise NoSearch("the tree of these statistics no longer exists: its Searcher has searched again, "
                           "has released its memory or was deleted")
        if depth > KEPT_DEPTH or share < KEPT_SHARE:
            raise NoSearch(f"mcts_core.search has released this large tree and kept only what max_depth={KEPT_DEPTH} "
                           f"and min_share={KEPT_SHARE} show, got max_depth={depth}, min_share={share:g}; "
                           f"a Searcher keeps the whole tree")
        return self._cut(self._kept, depth, share * self._kept.visits)

    def _cut(self, node: Node, depth: int, least: float) -> Node:
        children = () if depth == 0 else tuple(
            self._cut(child, depth - 1, least)
            for child in node.children
            if child.visits >= least or (node is self._kept and child.move == self._chosen)
        )
        return replace(node, children=children)


def _node_of(found: tuple[Any, ...]) -> Node:
    move, player, visits, value, proven, distance, children = found
    return Node(move, player, visits, value, proven, distance, tuple(map(_node_of, children)))


def top_of(core: SearchCore, number: int) -> tuple[Any, ...] | None:
    """What ``Origin.keep`` keeps of the tree of the search ``number``, the last one."""
    from mcts_core.engine.top import top

    return top(core, number, KEPT_DEPTH, KEPT_SHARE, MAX_NODES)


def stats_of(core: SearchCore | None, figures: dict[str, Any]) -> Stats:
    """The Stats that the figures of ``core`` make; without it they have no tree."""
    return record(Stats, _fields_of(None if core is None else ref(core), figures))


def last_stats_of(core: SearchCore) -> Stats:
    """The Stats of the search that ``core`` has just ended. They keep numbers where they can, and make the objects when
    these are first read."""
    kept = core.keep()
    if kept is not None:
        return record(Stats, {"_kept": kept})
    figures = core.figures()
    assert figures is not None  # a search has just ended
    return stats_of(core, figures)


def unpack(stats: Stats) -> None:
    """Makes the objects of Stats that keep numbers. Several threads may do so at a time: all make the same."""
    kept = kept_of(stats)
    if kept is not None:
        fill(stats, {**_fields_of(kept.core, kept.figures()), "_kept": None})


def _fields_of(core: ReferenceType[SearchCore] | None, figures: dict[str, Any]) -> dict[str, Any]:
    """The fields of Stats, and their origin."""
    state, number = figures.pop("state"), figures.pop("number")
    figures["moves"] = records(MoveStats, _MOVE_FIELDS, figures["moves"])
    figures["iterations_per_second"] = per_second(figures["iterations"], figures["seconds"])
    figures["pv"] = tuple(figures["pv"])
    figures["_to_try"] = figures.pop("to_try", 0)
    figures["_origin"] = Origin(core, state, None if figures["stop_reason"] == "running" else number)
    return figures


def packed(state: Any) -> bytes | None:
    """The position of a copy or a pickle of Stats; None where it cannot be pickled. It is a pickle of its own, so that
    the figures can be read where the class of the position cannot be imported."""
    import pickle

    try:
        return None if state is None else pickle.dumps(state)
    except Exception:
        return None


def copied(values: tuple[Any, ...], state: bytes | None, to_try: int = 0) -> Stats:
    """The Stats of their fields, of what ``packed`` made of their position, and of the moves that are to be tried."""
    import pickle

    found = Stats(*values)
    object.__setattr__(found, "_to_try", to_try)
    if state is not None:
        try:
            position = pickle.loads(state)
        except Exception:
            return found
        object.__setattr__(found, "_origin", Origin(None, position, None))
    return found


def _plain(move: Hashable) -> Any:
    if isinstance(move, float) and not math.isfinite(move):
        return str(move)  # JSON has no such numbers
    if move is None or isinstance(move, (bool, int, float, str)):
        return move
    if isinstance(move, tuple) and all(isinstance(part, (bool, int, float, str)) or hasattr(part, "__index__")
                                       for part in move):
        return list(map(_plain, move))
    return as_data(move)
