"""Where a Stats comes from: the position that was searched, and the tree as long as there is one."""

from __future__ import annotations

from dataclasses import fields, replace
from weakref import ref

from mcts_core.arguments import as_int, as_number
from mcts_core.engine.records import fill, record, records
from mcts_core.errors import NoSearch
from mcts_core.results import NO_TREE, MoveStats, Node, Stats, kept_of, per_second

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from weakref import ReferenceType

    from mcts_core.engine.loop import SearchCore

KEPT_DEPTH, KEPT_SHARE = 3, 0.01
"""The part that is kept of a tree which is given back: what ``Stats.tree`` shows by default."""
MAX_NODES = 100_000
"""Nodes of ``Stats.tree``, at most."""
MAX_DEPTH = 100


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


_FIELDS = tuple(field.name for field in fields(MoveStats))


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
    figures["moves"] = records(MoveStats, _FIELDS, figures["moves"])
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
