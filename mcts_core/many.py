"""Searches of many positions in one call, for example to label data sets."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from threading import Lock

from mcts_core.arguments import as_duration, as_int, shorten
from mcts_core.engine.loop import clock
from mcts_core.engine.records import record
from mcts_core.engine.request import MOST_ITERATIONS, NEVER, seed_of
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import run_together
from mcts_core.errors import InvalidOption, InvalidState
from mcts_core.keywords import refuse
from mcts_core.options import MAX_SEED, NAMES, as_interval, as_progress, limit_memory, random_seed
from mcts_core.origin import last_stats_of, stats_of
from mcts_core.progress import of_positions, watching
from mcts_core.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Unpack

    from mcts_core.engine.searched_general import GeneralCore
    from mcts_core.keywords import ManyOptions
    from mcts_core.results import Stats

MEMORY_MB = 256
"""Default memory limit of a thread. If it depended on the machine or on ``threads``, so would the results."""
TOGETHER = 256
"""The most positions whose leaves an evaluator gets in the same batches."""
_ON_ERROR = ("raise", "return")
_OWN = ("seconds", "iterations", "threads", "seed", "errors", "progress", "every")


@dataclass(frozen=True, slots=True)
class Result:
    """The result of ``search_many`` for one position."""

    move: Any
    """The move to play; None if the search failed."""
    stats: Stats | None
    """The statistics of the search; None if it failed."""
    error: Exception | None = None
    """The exception of the search if it failed, with ``errors="return"``."""


@dataclass(frozen=True, slots=True)
class SearchManyProgress:
    """The progress of a call of ``search_many``."""

    done: int
    """Positions whose search has ended, including those that failed."""
    failed: int
    total: int
    seconds: float
    """Seconds since the start of the call."""


def search_many(
    states: Iterable[Any],
    *,
    seconds: float | None = None,
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

    With an ``evaluator`` and only a number of iterations, up to 256 positions are searched side by side in the calling
    thread. The evaluator gets the leaves of all of them in one batch of up to 256 * ``batch``. Then ``memory_mb`` is
    the limit of one position. With ``threads`` above 1, a second thread calls the evaluator with the leaves of one half
    of the positions, while the calling thread gathers the next leaves of the other half.

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
    engines = [Searcher(**options) for _ in range(max(1, min(count, len(positions))))]
    if seconds is not None:
        as_duration(seconds)
    if iterations is not None:
        as_int(iterations, "iterations", 1, MOST_ITERATIONS)
    batch = _Batch(positions, seconds, iterations, [seed_of(first, index) for index in range(len(positions))])
    interval = as_interval(every)
    together = options.get("evaluator") is not None and seconds is None and iterations is not None
    with watching(as_progress(progress, "a SearchManyProgress"), of_positions) as tell:
        if tell is not None:
            batch.reporter = _Reporter(tell, interval, len(positions), begin)
        if together:
            batch.work_together(engines[0], [], count > 1)
        elif len(engines) == 1:
            batch.work(engines[0])
        else:
            batch.run(engines)
    for engine in engines:  # the traceback of an error would keep their trees
        engine._core.release()
    failed = [index for index, result in enumerate(batch.results) if result.error is not None]
    if failed and errors == "raise":
        raise _named(batch.results, failed)
    return batch.results


class _Reporter:
    """Calls ``progress``."""

    def __init__(
        self, progress: Callable[[SearchManyProgress], object], every: float, total: int, begin: float
    ) -> None:
        self._progress, self._every, self._total, self._begin = progress, every, total, begin
        self._lock = Lock()
        self._done = self._failed = 0
        self._next = begin + every

    def add(self, results: list[Result]) -> None:
        """These positions are done."""
        with self._lock:
            self._done += len(results)
            self._failed += sum(result.error is not None for result in results)
            now = clock()
            if now >= self._next or self._done == self._total:
                self._progress(SearchManyProgress(self._done, self._failed, self._total, now - self._begin))
                self._next = clock() + self._every


class _Batch:
    """Positions that several Searchers take one after the other."""

    def __init__(
        self, positions: list[Any], seconds: float | None, iterations: int | None, seeds: list[int]
    ) -> None:
        self._positions = positions
        self._seconds = seconds
        self._iterations = iterations
        self._seeds = seeds
        self._left = deque(range(len(positions)))
        self._halt = Halt()
        self.results: list[Result] = [Result(None, None)] * len(positions)
        self.reporter: _Reporter | None = None

    def work(self, engine: Searcher) -> None:
        """Searches positions with ``engine`` until none is left."""
        while not self._halt.told:
            try:
                index = self._left.popleft()
            except IndexError:
                break
            try:
                request = engine._request(self._positions[index], self._seconds, self._iterations, clock(),
                                          self._seeds[index])
                request.reuse, request.halt = NEVER, self._halt
                core = engine._core
                move = core.search(request)
                self.results[index] = record(Result, {"move": move, "stats": last_stats_of(core), "error": None})
            except (ValueError, RuntimeError, MemoryError) as error:  # others come from handlers of signals
                self.results[index] = Result(None, None, error)
            if self.reporter is not None:
                self.reporter.add([self.results[index]])

    def work_together(self, engine: Searcher, cores: list[GeneralCore], overlap: bool) -> None:
        """Searches the positions in groups whose leaves are evaluated together; ``cores`` grow to as many.

        ``overlap``: a second thread calls the evaluator.
        """
        from mcts_core.engine.general_group import search_together
        from mcts_core.engine.searched_general import GeneralCore

        while len(cores) < min(TOGETHER, len(self._positions)):
            cores.append(GeneralCore(engine._options.memory))
        for begin in range(0, len(self._positions), TOGETHER):
            group = self._positions[begin:begin + TOGETHER]
            first = engine._request(group[0], None, self._iterations, clock())
            first.reuse = NEVER
            seeds = self._seeds[begin:begin + TOGETHER]
            requests = [first.replace(state=state, seed=seed) for state, seed in zip(group, seeds, strict=True)]
            errors = search_together(cores[:len(group)], requests, overlap)
            for index, (core, error) in enumerate(zip(cores, errors, strict=False)):
                figures = core.figures()
                if error is not None or figures is None:
                    self.results[begin + index] = Result(None, None, error)
                else:
                    self.results[begin + index] = Result(figures["move"], stats_of(core, figures))
            if self.reporter is not None:
                self.reporter.add(self.results[begin:begin + len(group)])

    def run(self, engines: list[Searcher]) -> None:
        """``work`` of each engine in a thread of its own."""
        run_together([partial(self.work, engine) for engine in engines], self._halt)


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
