"""What the engine does for the page: searches with their figures as JSON data, for a move, a hint, or without end.

No threads here: ``think`` runs in whatever calls it, and asks ``report`` after each step whether to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

from mcts_core import MoveStats, Node, Searcher, Stats
from mcts_core.bots import levels
from mcts_core.render.board import Board, is_board
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
_RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}
_FIRST_SLICE, _SLICE = 0.25, 1.0
_GLANCE = 8
"""Iterations for a move that the search leaves out, such as one far from all stones."""
_GLANCES_SECONDS = 1.0
_FIRST_LOOK, _LAST_LOOK = 0.05, 2.0
"""Seconds for a move that the search of the position has left without a number: the first time, and at most."""


@dataclass(slots=True)
class Job:
    """A search that the page asked for."""

    number: int
    purpose: str
    line: Line
    seconds: float
    threads: int
    level: str = levels.FULL


class Engines:
    """The Searchers of a session, which share ``memory_mb``: one for positions, one for single moves of them."""

    def __init__(self, memory_mb: float) -> None:
        self._memory_mb = memory_mb
        self._threads = 0
        self._found: dict[str, Searcher] = {}

    def main(self, threads: int) -> Searcher:
        """Of the position; its tree is kept while the number of threads stays."""
        if threads != self._threads:
            self.forget()
        self._threads = threads
        return self._make("main", threads, max(0.75 * self._memory_mb, self._memory_mb - 64.0))

    def side(self) -> Searcher:
        """Of the positions after single moves."""
        return self._make("side", 1, max(1.0, min(0.25 * self._memory_mb, 64.0)))

    def forget(self) -> None:
        """Gives the memory of the trees back."""
        self._found = {}

    def _make(self, name: str, threads: int, memory_mb: float) -> Searcher:
        if name not in self._found:
            self._found[name] = Searcher(threads=threads, memory_mb=max(memory_mb, threads))
        return self._found[name]


def think(job: Job, engines: Engines, report: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Does the job; returns the last figures, of which ``move`` is the one to play.

    ``report`` gets the figures so far; False ends the job with what was found.
    """
    state = job.line.state
    if job.purpose == "answer" and job.level != levels.FULL:
        move, stats = levels.choose(state, levels.LEVELS[job.level])
        return Findings(job).figures(stats, move=move)
    findings = Findings(job)
    if job.purpose == "analysis":
        for figures in _analyse(findings, engines, report):
            if not report(figures):
                return figures
        return findings.last
    options = {} if job.purpose == "answer" else {"iterations": _NEVER_EARLY}
    engine = engines.main(job.threads)
    stats = _search(engine, state, job.seconds, findings, report, **options)
    findings.follow(stats)
    figures = findings.figures(stats)
    if job.purpose != "answer":
        findings.glance(stats, engines.side(), min(job.seconds, _GLANCES_SECONDS))
        figures = findings.figures(stats)
    if job.purpose != "answer" and len(stats.moves) <= _SETTLED:
        share = min(job.seconds, 1.0) / (2 * len(stats.moves))
        for entry in findings.unsettled(stats):
            findings.look_at(entry.move, engines.side(), max(share, _FIRST_LOOK))
            figures = findings.figures(stats)
    return figures


def _search(engine: Searcher, state: Any, seconds: float, findings: Findings,
            report: Callable[[dict[str, Any]], bool], **options: int) -> Stats:
    def progress(stats: Stats) -> None:
        if not report(findings.figures(stats)):
            engine.stop()

    engine.search(state, seconds, progress=progress, every=limits.NEWS_SECONDS, **options)
    return engine.stats()


def _analyse(
    findings: Findings, engines: Engines, report: Callable[[dict[str, Any]], bool]
) -> Iterator[dict[str, Any]]:
    """Figures after each slice: of the position until it is solved, then of each move that has no number of its own."""
    engine, seconds, state = engines.main(findings.job.threads), _FIRST_SLICE, findings.state
    while True:
        stats = _search(engine, state, seconds, findings, report, iterations=_NEVER_EARLY)
        findings.follow(stats)
        if stats.stop_reason != "solved":
            findings.glance(stats, engines.side(), _GLANCES_SECONDS)
        yield findings.figures(stats)
        if stats.stop_reason == "solved":
            break
        seconds = min(2 * seconds, _SLICE)
    look = _FIRST_LOOK
    while left := list(findings.unsettled(stats)):
        for entry in left:
            findings.look_at(entry.move, engines.side(), look)
            yield findings.figures(stats)
        look = min(2 * look, _LAST_LOOK)


class Findings:
    """What is known of the moves of a position, from its own search and from those of single moves."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.state = job.line.state
        self.last: dict[str, Any] = {}
        self._board = Board(self.state, base=1) if is_board(self.state) else None
        self._own: dict[Any, MoveStats] = {}
        self._lines: dict[Any, list[Any]] = {}

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

    def glance(self, stats: Stats, engine: Searcher, seconds: float) -> None:
        """Gives the moves without a visit a number, as many as there is time for."""
        end = monotonic() + seconds
        for entry in stats.moves:
            if monotonic() > end:
                break
            if entry.visits == 0 and entry.proven is None and entry.move not in self._own:
                self.look_at(entry.move, engine, seconds, _GLANCE)

    def look_at(self, move: Any, engine: Searcher, seconds: float, iterations: int = _NEVER_EARLY) -> None:
        """Searches the position after a move, for the number and the line of the move."""
        after = self.state.play(move)
        winner = after.winner()
        if winner is not None:
            proven = "draw" if winner == 0 else "win" if winner == self.state.to_move else "loss"
            value = _RESULTS[proven]
            self._own[move] = MoveStats(move, 1, value, value, proven, 1)
            self._lines[move] = [move]
            return
        engine.search(after, seconds, iterations=iterations)
        stats = engine.stats()
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
        searched = {entry.move: entry.visits > 0 or entry.proven is not None for entry in stats.moves}
        few = len(moves) <= limits.SHOWN_MOVES
        first = next(entry for entry in moves if entry.move == best)
        value = _value_of(first)
        lines = {best: list(stats.pv)} if stats.pv and stats.pv[0] == best else {}
        lines = {**lines, **{key: line for key, line in self._lines.items() if len(line) > len(lines.get(key, ()))}}
        self.last = {
            "number": self.job.number,
            "purpose": self.job.purpose,
            "ply": len(self.job.line.names),
            "player": self.state.to_move,
            "move": self._name(best),
            "value": _RESULTS.get(stats.proven or "", stats.value if value is None else value),
            "proven": stats.proven,
            "distance": stats.distance,
            "visits": stats.visits,
            "per_second": stats.iterations_per_second,
            "seconds": stats.seconds,
            "depth": stats.depth_mean,
            "stop_reason": stats.stop_reason,
            "moves": [
                {"name": self._name(entry.move), "cell": self._board.cell_of(entry.move) if self._board else None,
                 "visits": entry.visits, "searched": searched[entry.move], "value": _value_of(entry),
                 "proven": entry.proven, "distance": entry.distance,
                 "line": self._names(lines.get(entry.move, [entry.move]))}
                for entry in sorted(moves, key=lambda entry: entry.move != best)
                if few or entry.visits or entry.proven or entry.move == best
            ][:limits.SHOWN_MOVES],
        }
        return self.last

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
