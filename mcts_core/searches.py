"""Many searches in one call: one after the other, in several threads, or with the leaves of all in common batches."""

from __future__ import annotations

from functools import partial
from threading import Lock

from mcts_core.engine.loop import clock
from mcts_core.engine.request import NEVER
from mcts_core.engine.turn import Halt
from mcts_core.engine.workers import run_together
from mcts_core.game import import_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.request import SearchRequest
    from mcts_core.engine.searched_general import GeneralCore
    from mcts_core.searcher import Searcher

    class Feed(Protocol):
        """The positions to search, and what becomes of the results. One thread at a time calls ``next`` and ``done``.
        """

        def next(self) -> tuple[Any, Any, int] | None:
            """The key, position and seed of the next search; None while there is none."""

        def read(self, core: SearchCore, /) -> Any:
            """What is to be kept of the last search of ``core``."""

        def done(self, key: Any, found: Any, error: Exception | None, /) -> None:
            """A search has ended: ``found`` is what was read, unless it failed with ``error``."""

_FAILURES = (ValueError, RuntimeError, MemoryError)
"""What may be wrong with one position; other exceptions come from handlers of signals."""


def search_in_turn(feed: Feed, engines: list[Searcher], seconds: float | None, iterations: int | None) -> None:
    """Each engine searches position after position; with several, each has a thread. What ``feed`` raises ends all.

    An engine ends when ``next`` returns None. So that nothing is left over, a ``done`` that makes a further position
    ready must have ``next`` return it from then on: the engine whose search has ended asks after that.
    """
    halt, lock = Halt(), Lock()
    if len(engines) == 1:
        _work(feed, seconds, iterations, halt, lock, engines[0])
    else:
        _import_first(engines[0])
        run_together([partial(_work, feed, seconds, iterations, halt, lock, engine) for engine in engines], halt)


def _import_first(engine: Searcher) -> None:
    """Imports what searches need later, because their threads must not import: see ``run_apart``."""
    from mcts_core.engine import searched_general, searched_information  # noqa: F401

    if "evaluator" in engine._options.conditional:
        import_numpy()


def _work(
    feed: Feed, seconds: float | None, iterations: int | None, halt: Halt, lock: Lock, engine: Searcher
) -> None:
    """Searches what ``feed`` gives with ``engine``."""
    while True:
        with lock:
            given = None if halt.told else feed.next()
        if given is None:
            break
        key, state, seed = given
        found, failure = None, None
        try:
            request = engine._request(state, seconds, iterations, clock(), seed)
            request.reuse, request.halt = NEVER, halt
            engine._core.search(request)
            found = feed.read(engine._core)
        except _FAILURES as error:
            failure = error
        with lock:
            if halt.told:  # the search was cut off
                break
            try:
                feed.done(key, found, failure)
            except BaseException:
                halt.tell()
                raise


def search_side_by_side(
    feed: Feed, engine: Searcher, iterations: int, together: int, most: int, threads: int, cores: list[GeneralCore]
) -> None:
    """Searches with the options of ``engine``, which has an evaluator. It gets the leaves of ``together`` positions in
    one call. With several threads there are twice as many, one half of which is gathered while it works.

    ``most``: the largest number of searches that ``feed`` can have at a time. ``cores`` grow to as many as are needed.
    ``threads``: see ``search_together``.
    """
    from mcts_core.engine.general_group import search_together
    from mcts_core.engine.searched_general import GeneralCore

    places = min(most, together * (2 if threads > 1 else 1))
    while len(cores) < places:
        cores.append(GeneralCore(engine._options.memory))

    def following() -> tuple[Any, SearchRequest] | None:
        while (given := feed.next()) is not None:
            key, state, seed = given
            try:
                request = engine._request(state, None, iterations, clock(), seed)
            except _FAILURES as error:
                feed.done(key, None, error)
            else:
                request.reuse = NEVER
                return key, request
        return None

    def done(key: Any, core: GeneralCore, error: Exception | None) -> None:
        found = None
        if error is None:
            try:
                found = feed.read(core)
            except _FAILURES as failure:
                error = failure
        feed.done(key, found, error)

    search_together(following, done, cores[:places], threads)
