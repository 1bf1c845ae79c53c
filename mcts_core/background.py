"""Searches for asyncio. This module is imported when the first one starts."""

from __future__ import annotations

from mcts_core.engine.background_search import BackgroundSearch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.request import SearchRequest

POLL = 0.05
"""Seconds between two looks at the thread: an interrupt within the event loop may have lost its message."""


async def search_async(core: SearchCore, request: SearchRequest) -> Any:
    """Runs a search in another thread and returns its move. A cancelled task leaves no thread running."""
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

    search = BackgroundSearch(core, request, tell)
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
    return search.result()
