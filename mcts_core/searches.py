"""Many searches in one call: one after the other, in several threads, or with the leaves of all in common batches."""

from __future__ import annotations

from functools import partial
from threading import Lock

from mcts_core.engine.loop import clock
from mcts_core.engine.request import NEVER
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import run_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.request import SearchRequest
    from mcts_core.engine.searched_general import GeneralCore
    from mcts_core.searcher import Searcher

    class Feed(Protocol):
        """The positions to search, and what becomes of the results. One thread at a time calls it."""

        def next(self) -> tuple[Any, Any, int] | None:
            """The key, position and seed of the next search; None while there is none."""

        def done(self, key: Any, core: SearchCore, error: Exception | None, /) -> None:
            """A search has ended: ``core`` has its figures, unless it failed with ``error``."""


def search_in_turn(feed: Feed, engines: list[Searcher], seconds: float | None, iterations: int | None) -> None:
    """Each engine searches position after position; with several, each has a thread. What ``feed`` raises ends all.

    An engine ends when ``feed`` has no position for it, so a feed that goes on with a position after its search has to
    give it to the thread that was told of its end.
    """
    halt, lock = Halt(), Lock()
    if len(engines) == 1:
        _work(feed, seconds, iterations, halt, lock, engines[0])
    else:
        run_together([partial(_work, feed, seconds, iterations, halt, lock, engine) for engine in engines], halt)


def _work(
    feed: Feed, seconds: float | None, iterations: int | None, halt: Halt, lock: Lock, engine: Searcher
) -> None:
    """Searches what ``feed`` gives with ``engine``."""
    core = engine._core
    while not halt.told:
        with lock:
            given = feed.next()
        if given is None:
            break
        key, state, seed = given
        failure: Exception | None = None
        try:
            request = engine._request(state, seconds, iterations, clock(), seed)
            request.reuse, request.halt = NEVER, halt
            core = engine._core
            core.search(request)
        except (ValueError, RuntimeError, MemoryError) as error:  # others come from handlers of signals
            failure = error
        with lock:
            feed.done(key, core, failure)


def search_side_by_side(
    feed: Feed, engine: Searcher, iterations: int | None, together: int, most: int, threads: int,
    cores: list[GeneralCore],
) -> None:
    """Searches with the options of ``engine``, which has an evaluator. It gets the leaves of ``together`` positions in
    one call. With several threads there are twice as many, one half of which is gathered while it works.

    ``most``: of the positions that ``feed`` can give at a time. ``cores`` grow to as many as are needed. ``threads``:
    see ``search_together``.
    """
    from mcts_core.engine.general_group import search_together
    from mcts_core.engine.searched_general import GeneralCore

    places = min(most, together * (2 if threads > 1 else 1))
    while len(cores) < places:
        cores.append(GeneralCore(engine._options.memory))
    first: SearchRequest | None = None

    def give() -> tuple[Any, SearchRequest] | None:
        nonlocal first
        while (given := feed.next()) is not None:
            key, state, seed = given
            if first is not None:
                return key, first.replace(state=state, seed=seed, begin=clock())
            try:
                first = engine._request(state, None, iterations, clock(), seed)
            except (ValueError, RuntimeError) as error:
                feed.done(key, engine._core, error)
            else:
                first.reuse = NEVER
                return key, first
        return None

    search_together(give, feed.done, cores[:places], threads)
