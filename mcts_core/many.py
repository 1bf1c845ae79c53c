"""Searches of many positions in one call, for example to label data sets."""

from __future__ import annotations

from dataclasses import dataclass

from mcts_core.arguments import as_duration, as_int, shorten
from mcts_core.engine.loop import clock
from mcts_core.engine.records import record
from mcts_core.engine.request import MOST_ITERATIONS, seed_of
from mcts_core.errors import InvalidOption, InvalidState
from mcts_core.field_docs import documented
from mcts_core.option_rows import MAX_SEED, NAMES, as_interval, as_progress, refuse
from mcts_core.options import limit_memory, random_seed
from mcts_core.progress import of_positions, watching
from mcts_core.results import last_stats_of
from mcts_core.searcher import Searcher
from mcts_core.searches import search_in_turn, search_side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Unpack

    from mcts_core.engine.loop import SearchCore
    from mcts_core.option_rows import ManyOptions
    from mcts_core.results import Stats

MEMORY_MB = 256
"""Default memory limit of a thread. If it depended on the machine or on ``threads``, so would the results."""
TOGETHER = 256
"""The most positions whose leaves an evaluator gets in the same batches."""
_ON_ERROR = ("raise", "return")
_OWN = ("seconds", "iterations", "threads", "seed", "errors", "progress", "every")


@documented
@dataclass(frozen=True, slots=True)
class Result:
    """The result of ``search_many`` for one position."""

    move: Any
    """The move to play; None if the search failed."""
    stats: Stats | None
    """The statistics of the search; None if it failed."""
    error: Exception | None = None
    """The exception of the search if it failed, with ``errors="return"``."""


@documented
@dataclass(frozen=True, slots=True)
class SearchManyProgress:
    """The progress of a call of ``search_many``."""

    done: int
    """Positions whose search has ended, including those that failed."""
    failed: int
    """Positions whose search failed."""
    total: int
    """All positions of the call."""
    seconds: float
    """Seconds since the start of the call."""


def search_many(
    states: Iterable[Any],
    seconds: float | None = None,
    *,
    iterations: int | None = None,
    threads: int = 1,
    seed: int | None = None,
    errors: Literal["raise", "return"] = "raise",
    progress: bool | Callable[[SearchManyProgress], object] | None = None,
    every: float = 0.1,
    **options: Unpack[ManyOptions],
) -> list[Result]:
    """Searches every state of ``states`` and returns a list with a Result for each, in the same order.

    ``seconds`` and ``iterations`` are the limits for one position, as in ``Searcher.search``. ``options`` are those of
    ``Searcher``. The function searches ``threads`` (1 to 1024) positions at a time; native games run in parallel. Each
    position has its own tree and its own seed, derived from ``seed`` and its index. So with a number of iterations, the
    results do not depend on ``threads``. ``memory_mb`` is the limit of one thread, 256 by default.

    With an ``evaluator`` and only a number of iterations, up to 256 positions are searched side by side, and the next
    one begins when one of them has ended. The evaluator gets the leaves of all of them in one batch of up to
    256 * ``batch``. Then ``memory_mb`` is the limit of one position. With ``threads=2``, up to 512 positions are
    searched side by side, and a second thread calls the evaluator with the leaves of one half of them, while the
    calling thread gathers the next leaves of the other half. With more threads, all but one gather leaves, in games of
    this package and native ones.

    If a position fails (GameOver, InvalidState, GameError, ...), the others are still searched. Then, with
    ``errors="raise"``, the first failure is raised with its index in the message and the original exception as its
    cause. With ``errors="return"``, the failure is in the position's Result. Ctrl-C ends all searches at once. Raises
    InvalidOption, and InvalidState if ``states`` is not a collection.

    ``progress``: True draws a bar. A function gets a SearchManyProgress when a position is done and ``every`` seconds
    (0.001 to 1e9) have passed since its last call, and at the end. It is called in the thread that searched the
    position, one call at a time. If it raises an exception, all searches end and that exception is raised.
    """
    begin = clock()
    if not options.keys() <= NAMES:
        unknown = {name: value for name, value in options.items() if name not in NAMES}
        refuse("search_many", unknown, (*_OWN, *NAMES))
    count = as_int(threads, "threads", 1, 1024)
    first = random_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    if not isinstance(errors, str) or errors not in _ON_ERROR:
        raise InvalidOption(f"errors must be {' or '.join(map(repr, _ON_ERROR))}, got {shorten(errors)}")
    try:
        positions = list(states)
    except TypeError:
        raise InvalidState(f"states must be a collection of states, got {shorten(states)}") from None
    limit_memory(options, MEMORY_MB)
    together = options.get("evaluator") is not None and seconds is None and iterations is not None
    engines = [Searcher(**options) for _ in range(1 if together else max(1, min(count, len(positions))))]
    if seconds is not None:
        as_duration(seconds)
    if iterations is not None:
        as_int(iterations, "iterations", 1, MOST_ITERATIONS)
    interval = as_interval(every)
    with watching(as_progress(progress, "a SearchManyProgress"), of_positions) as tell:
        reporter = None if tell is None else _Reporter(tell, interval, len(positions), begin)
        feed = _Positions(positions, first, reporter)
        if together and iterations is not None:
            search_side_by_side(feed, engines[0], iterations, TOGETHER, len(positions), count, [])
        else:
            search_in_turn(feed, engines, seconds, iterations)
    for engine in engines:  # the traceback of an error would keep their trees
        engine._core.release()
    failed = [index for index, result in enumerate(feed.results) if result.error is not None]
    if failed and errors == "raise":
        raise _named(feed.results, failed)
    return feed.results


class _Reporter:
    """Calls ``progress``."""

    def __init__(
        self, progress: Callable[[SearchManyProgress], object], every: float, total: int, begin: float
    ) -> None:
        self._progress, self._every, self._total, self._begin = progress, every, total, begin
        self._done = self._failed = 0
        self._next = begin + every

    def add(self, result: Result) -> None:
        """This position is done."""
        self._done += 1
        self._failed += result.error is not None
        now = clock()
        if now >= self._next or self._done == self._total:
            self._progress(SearchManyProgress(self._done, self._failed, self._total, now - self._begin))
            self._next = clock() + self._every


class _Positions:
    """The feed of ``search_many``."""

    def __init__(self, positions: list[Any], first_seed: int, reporter: _Reporter | None) -> None:
        self._positions = positions
        self._first_seed = first_seed
        self._reporter = reporter
        self._left = iter(range(len(positions)))
        self.results: list[Result] = [Result(None, None)] * len(positions)

    def next(self) -> tuple[int, Any, int] | None:
        index = next(self._left, None)
        return None if index is None else (index, self._positions[index], seed_of(self._first_seed, index))

    def read(self, core: SearchCore) -> Result:
        return record(Result, {"move": core.move, "stats": last_stats_of(core), "error": None})

    def done(self, index: int, found: Result | None, error: Exception | None) -> None:
        self.results[index] = Result(None, None, error) if found is None else found
        if self._reporter is not None:
            self._reporter.add(self.results[index])


def _named(results: list[Result], failed: list[int]) -> Exception:
    """The first failure, of the same class where that takes a text, with its index."""
    error = results[failed[0]].error
    assert error is not None
    others = ""
    if len(failed) > 1:
        shown = ", ".join(map(str, failed[1:6])) + (", ..." if len(failed) > 6 else "")
        others = f" ({len(failed) - 1} more of {len(results)} failed: {shown})"
    named = type(error)(f"position {failed[0]}: {error}{others}")
    named.__cause__ = error
    return named
