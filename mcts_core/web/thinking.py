"""What the engine does for the page: searches with their figures as JSON data, for a move, a hint, or without end.

``think`` does a job in steps of about ``limits.NEWS_SECONDS``, and between two of them its caller may do other things.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from time import monotonic
from typing import Any

from mcts_core import MoveStats, Node, Searcher, Stats
from mcts_core.bots import levels
from mcts_core.render.board import Board, is_board
from mcts_core.results import per_second
from mcts_core.web import limits
from mcts_core.web.notation import name_of
from mcts_core.web.positions import Line

PURPOSES = ("answer", "hint", "review", "analysis")
"""``answer``: the engine's move; ``hint``, ``review``: the value of each move; ``analysis``: the same without end."""
LINES = 8
"""Moves whose principal variations are told."""
LINE_LENGTH = 16
_NEVER_EARLY = 10_000_000
"""With a number of iterations beside the time a search does not end before both because its move is certain: here the
value counts. It is the most that every number of rollouts per leaf allows."""
_SETTLED = 16
"""A hint gives each move a number of its own where there are so many at most; an analysis always does."""
_ALONE: dict[str, Any] = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0, "book": False}
"""Options of a search in which the tree searches alone: without exact search and without the book."""
_RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}
_FEW = 100
"""Visits: with fewer, the standard error of a value may be above 5 %."""
_FIRST_SLICE, _SLICE = 0.25, 1.0
_FIRST_LOOK, _LAST_LOOK = 0.05, 2.0
"""Seconds for a move that the search of the position has left without a number: the first time, and at most."""
_SHORTEST = 0.001
_GOES_ON = ("time", "iterations", "decided")
"""Why a slice of a search ends after which there may be another one."""


@dataclass(slots=True)
class Job:
    """A search that the page asked for."""

    number: int
    purpose: str
    line: Line
    seconds: float
    threads: int
    level: str = levels.FULL
    alone: bool = False
    """Whether the tree searches alone, without exact search and the book."""
    finishing: bool = False
    """Whether it shall end with what was found so far."""


class Engines:
    """The Searchers of a session, which share ``memory_mb``: one for positions, one for single moves of them.

    A search runs in a thread of its own; ``in_slices``: as many short ones of the same tree, which needs no thread but
    costs some 5 % of the iterations.
    """

    def __init__(self, memory_mb: float, in_slices: bool = False) -> None:
        self._memory_mb = memory_mb
        self._in_slices = in_slices
        self._threads, self._alone = 0, False
        self._found: dict[str, Searcher] = {}

    def main(self, threads: int, alone: bool = False) -> Searcher:
        """Of the position; its tree is kept while the arguments stay. ``side`` follows ``alone``."""
        if (threads, alone) != (self._threads, self._alone):
            self.forget()
        self._threads, self._alone = threads, alone
        return self._make("main", threads, max(0.75 * self._memory_mb, self._memory_mb - 64.0))

    def side(self) -> Searcher:
        """Of the positions after single moves."""
        return self._make("side", 1, max(1.0, min(0.25 * self._memory_mb, 64.0)))

    def search(self, engine: Searcher, job: Job, state: Any, seconds: float | None = None,
               iterations: int | None = None) -> Iterator[Stats]:
        """Searches a position of a job, and yields Stats every ``limits.NEWS_SECONDS`` and at the end, of which there
        is at least one; ends early when the job does."""
        if self._in_slices:
            yield from _in_slices(engine, job, state, seconds, iterations)
            return
        try:
            for stats in engine.watch(state, seconds, iterations=iterations, every=limits.NEWS_SECONDS):
                if job.finishing:
                    engine.stop()
                yield stats
        finally:
            engine.stop()

    def forget(self) -> None:
        """Gives the memory of the trees back."""
        self._found = {}

    def _make(self, name: str, threads: int, memory_mb: float) -> Searcher:
        if name not in self._found:
            options: dict[str, Any] = _ALONE if self._alone else {}
            self._found[name] = Searcher(threads=threads, memory_mb=max(memory_mb, threads), **options)
        return self._found[name]


def _in_slices(engine: Searcher, job: Job, state: Any, seconds: float | None,
               iterations: int | None) -> Iterator[Stats]:
    begun, done, goes_on = monotonic(), 0, True
    while goes_on:
        rest = limits.NEWS_SECONDS if seconds is None else begun + seconds - monotonic()
        engine.search(state, max(min(limits.NEWS_SECONDS, rest), _SHORTEST),
                      iterations=None if iterations is None else iterations - done)
        stats, spent = engine.stats(), monotonic() - begun
        done += stats.iterations
        goes_on = (stats.stop_reason in _GOES_ON and (seconds is None or spent < seconds)
                   and (iterations is None or done < iterations))
        reason = stats.stop_reason
        if goes_on:
            goes_on = not job.finishing
            reason = "running" if goes_on else "cancelled"
        yield replace(stats, iterations=done, seconds=spent, iterations_per_second=per_second(done, spent),
                      stop_reason=reason)


def think(job: Job, engines: Engines) -> Iterator[dict[str, Any]]:
    """Does the job in steps and yields the figures after each; ``move`` of the last ones is the one to play.

    ``job.finishing`` ends it with what was found; whoever takes no further step ends it for nothing.
    """
    if job.purpose == "answer" and job.level != levels.FULL:
        return _play_at_level(job, engines)
    findings = Findings(job)
    if job.purpose == "analysis":
        return _analyse(findings, engines)
    return _search_once(findings, engines)


def _play_at_level(job: Job, engines: Engines) -> Iterator[dict[str, Any]]:
    state, level, findings = job.line.state, levels.LEVELS[job.level], Findings(job)
    engine = levels.searcher(state, level, **(_ALONE if job.alone else {}))
    yield from findings.of(engines.search(engine, job, state, iterations=level.iterations))
    move = levels.draw(state, level, findings.stats, Random())
    yield findings.figures(findings.stats, move=move)


def _search_once(findings: Findings, engines: Engines) -> Iterator[dict[str, Any]]:
    """One search of the position; for a hint or a review, each move gets a number then."""
    job, engine = findings.job, engines.main(findings.job.threads, findings.job.alone)
    iterations = None if job.purpose == "answer" else _NEVER_EARLY
    yield from findings.of(engines.search(engine, job, findings.state, job.seconds, iterations))
    stats = findings.stats
    findings.follow(engine.stats())
    if job.purpose != "answer":
        if len(stats.moves) <= _SETTLED:
            share = max(min(job.seconds, 1.0) / (2 * len(stats.moves)), _FIRST_LOOK)
            for entry in findings.unsettled(stats):
                yield from findings.look_at(entry.move, stats, engines, share)
    yield findings.figures(stats)


def _analyse(findings: Findings, engines: Engines) -> Iterator[dict[str, Any]]:
    """A search of the position until it is solved, then of each move that has no number of its own."""
    job, seconds, state = findings.job, _FIRST_SLICE, findings.state
    engine = engines.main(job.threads, job.alone)
    while True:
        yield from findings.of(engines.search(engine, job, state, seconds, _NEVER_EARLY))
        stats = findings.stats
        findings.follow(engine.stats())
        yield findings.figures(stats)
        if stats.stop_reason == "solved" or job.finishing:
            break
        seconds = min(2 * seconds, _SLICE)
    look = _FIRST_LOOK
    while not job.finishing and (left := list(findings.unsettled(stats))):
        for entry in left:
            yield from findings.look_at(entry.move, stats, engines, look)
        look = min(2 * look, _LAST_LOOK)


class Findings:
    """What is known of the moves of a position, from its own search and from those of single moves."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.state = job.line.state
        self.stats: Stats
        """Of the last step of the search of the position."""
        self._board = Board(self.state, base=1) if is_board(self.state) else None
        self._own: dict[Any, MoveStats] = {}
        self._looks: dict[Any, Stats] = {}
        """The last search of the position after a move."""
        self._lines: dict[Any, list[Any]] = {}

    def of(self, search: Iterator[Stats]) -> Iterator[dict[str, Any]]:
        """The figures after each step of the search of the position."""
        for self.stats in search:
            yield self.figures(self.stats)

    def follow(self, stats: Stats) -> None:
        """Reads the lines of the best moves from the tree of a search that has just ended."""
        self._lines = {stats.move: list(stats.pv)} if stats.pv and stats.pv[0] == stats.move else {}
        share = min(1.0, 4.0 / max(4, stats.visits))
        for child in stats.tree(1, share).children[:LINES]:
            self._lines.setdefault(child.move, [child.move])
        for child in stats.tree(LINE_LENGTH, max(share, 0.002)).children[:LINES]:
            line = _most_visited(child)
            if len(line) > len(self._lines.get(child.move, ())):
                self._lines[child.move] = line

    def unsettled(self, stats: Stats) -> Iterator[MoveStats]:
        """The moves without a proof that a solved search has left behind, and those without a visit."""
        solved = stats.stop_reason == "solved"
        for entry in stats.moves:
            known = self._known(entry)
            if known.proven is None and (solved or known.visits == 0):
                yield entry

    def look_at(self, move: Any, stats: Stats, engines: Engines, seconds: float) -> Iterator[dict[str, Any]]:
        """Searches the position after a move, for the number and the line of the move."""
        after = self._after(move)
        if after is not None:
            for found in engines.search(engines.side(), self.job, after, seconds, _NEVER_EARLY):
                self._learn(move, after, found)
                yield self.figures(stats)

    def _after(self, move: Any) -> Any:
        """The position after a move; None, and the result is noted, where it ends the game."""
        after = self.state.play(move)
        winner = after.winner()
        if winner is None:
            return after
        proven = "draw" if winner == 0 else "win" if winner == self.state.to_move else "loss"
        value = _RESULTS[proven]
        self._own[move] = MoveStats(move, 1, value, value, proven, 1)
        self._lines[move] = [move]
        return None

    def _learn(self, move: Any, after: Any, stats: Stats) -> None:
        """Notes what the search of the position after a move has found."""
        self._looks[move] = stats
        turned = after.to_move != self.state.to_move
        value = 1.0 - stats.value if turned else stats.value
        known = {"win": "loss", "loss": "win"}.get(stats.proven or "", stats.proven) if turned else stats.proven
        distance = None if stats.distance is None else stats.distance + 1
        self._own[move] = MoveStats(move, stats.visits, value * stats.visits, value, known, distance)
        self._lines[move] = [move, *stats.pv]

    def figures(self, stats: Stats, move: Any = None) -> dict[str, Any]:
        """What the page shows of a search so far; ``move``: the one that is played, where that is not the best one."""
        best = stats.move if move is None else move
        moves = [self._known(entry) for entry in stats.moves]
        few = len(moves) <= limits.SHOWN_MOVES
        searches = [stats, *self._looks.values()]
        iterations = sum(each.iterations for each in searches)
        first = next(entry for entry in moves if entry.move == best)
        value = _value_of(first)
        lines = {best: list(stats.pv)} if stats.pv and stats.pv[0] == best else {}
        lines = {**lines, **{key: line for key, line in self._lines.items() if len(line) > len(lines.get(key, ()))}}
        return {
            "number": self.job.number,
            "purpose": self.job.purpose,
            "ply": len(self.job.line.names),
            "player": self.state.to_move,
            "move": self._name(best),
            "value": _RESULTS.get(stats.proven or "", stats.value if value is None else value),
            "proven": stats.proven,
            "few": stats.proven is None and (stats.visits < _FEW or stats.hint is not None),
            "distance": stats.distance,
            "alone": self.job.alone,
            "visits": max(stats.visits, sum(entry.visits for entry in moves)),
            "per_second": per_second(iterations, sum(each.seconds for each in searches)),
            "seconds": stats.seconds,
            "depth": sum(each.depth_mean * each.iterations for each in searches) / max(1, iterations),
            "stop_reason": stats.stop_reason,
            "moves": [
                {"name": self._name(entry.move), "cell": self._board.cell_of(entry.move) if self._board else None,
                 "visits": entry.visits, "value": _value_of(entry),
                 "proven": entry.proven, "distance": entry.distance,
                 "line": self._names(lines.get(entry.move, [entry.move]))}
                for entry in sorted(moves, key=lambda entry: _rank(entry, best))
                if few or entry.visits or entry.proven or entry.move == best
            ][:limits.SHOWN_MOVES],
        }

    def _known(self, entry: MoveStats) -> MoveStats:
        """The better known of the two statistics of a move."""
        own = self._own.get(entry.move)
        if own is None or entry.proven is not None or (own.proven is None and own.visits <= entry.visits):
            return entry
        return own

    def _name(self, move: Any) -> str:
        return self._board.name_of(move) if self._board else name_of(self.state, move)

    def _names(self, line: list[Any]) -> list[str]:
        if self._board:
            return [self._board.name_of(move) for move in line[:LINE_LENGTH]]
        state, found = self.state, []
        for move in line[:LINE_LENGTH]:
            found.append(name_of(state, move))
            state = state.play(move)
        return found


def _rank(entry: MoveStats, best: Any) -> tuple[int, ...]:
    """The order in which a player needs the moves: proven wins, the shortest first; the others by visits; proven
    losses, the longest first."""
    distance = entry.distance or 0
    if entry.proven == "win":
        return 0, distance, entry.move != best, -entry.visits
    if entry.proven == "loss":
        return 2, -distance, entry.move != best, -entry.visits
    return 1, entry.move != best, -entry.visits


def _value_of(entry: MoveStats) -> float | None:
    """The proven or the mean result of a move; None where there is neither."""
    return _RESULTS.get(entry.proven or "", entry.value if entry.visits else None)


def _most_visited(node: Node) -> list[Any]:
    """The moves from a node down, always the most visited one."""
    line = [node.move]
    while node.children:
        node = node.children[0]
        line.append(node.move)
    return line
