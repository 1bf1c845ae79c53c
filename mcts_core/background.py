"""Searches in threads of their own: pondering, asyncio and watching. Imported when one is asked for."""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque

from mcts_core.errors import SearchBusy
from mcts_core.searcher import SearchCore, clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any

    from mcts_core.api import Searcher
    from mcts_core.general_searcher import GeneralCore
    from mcts_core.results import Stats

    AnyCore = SearchCore | GeneralCore

AT_EXIT = 5.0
"""Seconds that the end of the interpreter waits for a search; only a user's game can need more than a moment."""
POLL = 0.05
"""Seconds between two looks at signals while waiting: on Windows, Ctrl-C does not end a wait."""

_running: set[BackgroundSearch] = set()


class BackgroundSearch:
    """A search of ``core`` in a thread of its own, from the moment that this is made.

    ``arguments``: those of ``SearchCore.search`` up to ``stop_early``. ``ended`` is called in that thread when the
    search has ended. Raises SearchBusy.
    """

    def __init__(
        self,
        core: AnyCore,
        arguments: tuple[Any, ...],
        ended: Callable[[], object] | None = None,
        progress: Callable[[dict[str, Any]], object] | None = None,
        every: float = 0.0,
    ) -> None:
        self._core = core
        self._ended = ended
        self._move: Any = None
        self._error: BaseException | None = None
        self._number = core.claim()
        # A thread that the interpreter's end would wait for could not be stopped by it.
        self._thread = threading.Thread(
            target=self._run, args=(*arguments, progress, every, True), name="mcts_core search", daemon=True
        )
        _running.add(self)
        try:
            self._thread.start()
        except BaseException:
            _running.discard(self)
            core.abandon()
            raise

    def _run(self, *arguments: Any) -> None:
        try:
            self._move = self._core.search(*arguments)
        except BaseException as error:  # result() raises it in the thread that asks
            self._error = error
        finally:
            if self._ended is not None:
                self._ended()
            _running.discard(self)

    def cancel(self) -> None:
        """Lets the search end within a slice; without effect when it has ended."""
        self._core.cancel(self._number)

    def join(self, timeout: float | None = None) -> None:
        """Waits for the thread; ``cancel`` makes that short."""
        self._thread.join(timeout)

    def result(self) -> Any:
        """Waits for the thread; the move, or what the search raised."""
        self._thread.join()
        if self._error is not None:
            error, self._error = self._error, None
            try:
                raise error
            finally:
                del error  # its traceback refers to this frame
        return self._move


class Pondering:
    """The context of ``Searcher.pondering``; ``with`` gives the Searcher."""

    def __init__(self, engine: Searcher, state: Any) -> None:
        self._engine = engine
        self._state = state
        self._search: BackgroundSearch | None = None

    def __enter__(self) -> Searcher:
        self._engine.ponder(self._state)
        self._search = self._engine._background
        return self._engine

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        search, self._search = self._search, None
        if search is None:
            return
        search.cancel()
        if self._engine._background is search:
            self._engine._background = None
        if kind is None:
            search.result()
        else:  # what the body raised says more
            search.join()


async def search_async(core: AnyCore, arguments: tuple[Any, ...]) -> Any:
    """The move that a search in another thread finds; a cancelled task leaves no thread."""
    import asyncio

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ended.done():
            ended.set_result(None)

    def tell() -> None:
        try:
            loop.call_soon_threadsafe(wake)
        except RuntimeError:  # the loop was closed meanwhile
            pass

    search = BackgroundSearch(core, arguments, tell)
    cancelled = None
    try:
        while not ended.done():
            try:
                await asyncio.shield(ended)
            except asyncio.CancelledError as error:
                search.cancel()
                cancelled = error
    finally:
        search.cancel()
    if cancelled is not None:
        search.join()
        try:
            raise cancelled
        finally:
            del cancelled  # its traceback refers to this frame
    return search.result()


def watch(core: AnyCore, budget: tuple[Any, ...], every: float) -> Iterator[Stats]:
    """Stats of a search in another thread, after every ``every`` seconds and at its end."""
    from mcts_core.api import _stats_of

    state, settings, *rest = budget
    reports: deque[dict[str, Any]] = deque(maxlen=1)
    news, over = threading.Event(), threading.Event()

    def report(figures: dict[str, Any]) -> None:
        reports.append(figures)
        news.set()

    def end() -> None:
        over.set()
        news.set()

    search = BackgroundSearch(core, (state, settings, clock(), *rest), end, report, every)
    try:
        while True:
            news.wait(POLL)
            news.clear()
            if over.is_set():
                break
            if reports:
                yield _stats_of(core, reports.pop())
        search.result()
        try:
            figures = core.figures()
        except SearchBusy:  # another thread has begun the next search
            return
        if figures is not None:
            yield _stats_of(core, figures)
    finally:
        search.cancel()
        search.join()


def _end_all() -> None:
    """Before the interpreter goes: a thread that asked for the GIL later would hang, or be killed halfway."""
    searches = list(_running)
    for search in searches:
        search.cancel()
    for search in searches:
        search.join(AT_EXIT)


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)
