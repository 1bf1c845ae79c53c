"""Searches for asyncio. This module is imported when the first one starts."""

from __future__ import annotations

from collections import deque

from mcts_core.engine.background_search import BackgroundSearch
from mcts_core.errors import SearchBusy
from mcts_core.results import stats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.request import SearchRequest
    from mcts_core.results import Stats

POLL = 0.05
"""Seconds between two looks at the thread: an interrupt within the event loop may have lost its message."""


async def search_async(
    core: SearchCore, request: SearchRequest, progress: bool | Callable[[Stats], object] = False
) -> Any:
    """Runs a search in another thread and returns its move. A cancelled task leaves no thread running.

    ``progress`` is called in the thread of the event loop, with the latest Stats; True draws a bar there.
    """
    if progress is not True:
        return await _run(core, request, progress or None)
    from mcts_core.progress import of_search

    with of_search(request.state, request.seconds, request.iterations) as bar:
        move = await _run(core, request, bar)
        try:
            figures = core.figures()
        except SearchBusy:  # another thread has begun the next search
            figures = None
        if figures is not None:
            bar.finish(stats_of(core, figures))
        return move


async def _run(core: SearchCore, request: SearchRequest, progress: Callable[[Stats], object] | None) -> Any:
    import asyncio

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    reports: deque[dict[str, Any]] = deque(maxlen=1)
    failures: list[BaseException] = []

    def wake() -> None:
        if not ended.done():
            ended.set_result(None)

    def call(function: Callable[[], None]) -> None:
        """Makes the event loop call this soon."""
        try:
            loop.call_soon_threadsafe(function)
        except RuntimeError:  # the loop was closed meanwhile
            pass

    def show() -> None:
        if not reports or failures or ended.done() or progress is None:
            return
        try:
            progress(stats_of(core, reports.pop()))
        except BaseException as error:
            failures.append(error)
            search.cancel()

    def report(figures: dict[str, Any]) -> None:
        reports.append(figures)
        call(show)

    if progress is not None:
        request.progress = report
    search = BackgroundSearch(core, request, lambda: call(wake))
    cancelled = None
    try:
        while search.running and not ended.done():
            try:
                await asyncio.wait([ended], timeout=POLL)
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
    move = search.result()
    if failures:
        try:
            raise failures[0]
        finally:
            failures.clear()  # as above
    return move
