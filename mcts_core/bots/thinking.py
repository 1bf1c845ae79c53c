"""A search that runs while commands are read, and that any command can end at once."""

from __future__ import annotations

import threading
import time

from mcts_core.bots.budgets import LEAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcts_core import Searcher, Stats

GRACE = 5.0
"""Seconds that a search may still take after the last command."""
POLL = 0.002
"""Seconds between two attempts to end a search that is about to begin."""


class Thinking:
    """A search of ``state`` in a thread of its own, which starts at once.

    At the end it calls ``done(stats, error)`` in that thread, with the Stats or with the exception of the search.
    During the search it calls ``progress(stats)`` every ``every`` seconds. ``seconds`` and ``iterations`` are those of
    ``Searcher.search``; the time to start the thread counts as part of ``seconds``. With ``hold``, a search that ends
    before ``stop`` calls ``progress`` once more, and ``done`` only after ``stop``.
    """

    def __init__(
        self,
        engine: Searcher,
        state: Any,
        seconds: float | None,
        iterations: int | None,
        done: Callable[[Stats | None, Exception | None], object],
        progress: Callable[[Stats], object] | None = None,
        every: float = 0.5,
        *,
        hold: bool = False,
    ) -> None:
        self._begin = time.perf_counter()
        self._engine = engine
        self._done = done
        self._stop = threading.Event()
        self._silent = False
        self._timer: threading.Timer | None = None
        self._thread = threading.Thread(
            target=self._run, args=(state, seconds, iterations, progress, every, hold), name="mcts_core thinking",
            daemon=True)
        self._thread.start()

    def _run(
        self,
        state: Any,
        seconds: float | None,
        iterations: int | None,
        progress: Callable[[Stats], object] | None,
        every: float,
        hold: bool,
    ) -> None:
        stats, failure = None, None
        try:
            if self._stop.is_set():
                iterations = 1
            if seconds is not None:
                seconds = max(LEAST, seconds - (time.perf_counter() - self._begin))
            self._engine.search(state, seconds, iterations=iterations, progress=progress, every=every)
            if not self._silent:
                stats = self._engine.stats()
                if hold and not self._stop.is_set():
                    if progress is not None:
                        progress(stats)
                    self._stop.wait()
        except Exception as error:  # a user's game may raise anything
            failure = error
        if not self._silent:
            self._done(stats, failure)

    @property
    def running(self) -> bool:
        """Whether the search still runs."""
        return self._thread.is_alive()

    def stop(self, *, silent: bool = False) -> None:
        """Ends the search and waits until ``done`` has returned; ``silent`` skips ``done``. For any other thread."""
        self._silent = self._silent or silent
        self._stop.set()
        while self._thread.is_alive():
            self._engine.stop()  # without effect before the thread has begun the search
            self._thread.join(POLL)
        if self._timer is not None:
            self._timer.cancel()

    def stop_after(self, seconds: float) -> None:
        """Ends the search after ``seconds``, unless it ends before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(max(0.0, seconds), self.stop)
        self._timer.daemon = True
        self._timer.start()

    def wait(self, seconds: float) -> None:
        """Waits at most ``seconds`` for the end of the search, then ends it."""
        self._thread.join(seconds)
        self.stop()
