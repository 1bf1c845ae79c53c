"""What one visitor of the page has: the positions last asked for, and the search that runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import closing
from typing import Any

from mcts_core.web import limits
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.positions import Lines, describe
from mcts_core.web.refusals import Refused
from mcts_core.web.thinking import Engines, Job, think
from mcts_core.web.turns import Turns
from mcts_core.words import cause_of

_TURN_POLL = 0.05
"""Seconds between two looks at whether a search that waits for its turn is still wanted."""


class Search:
    """A job and how far it is."""

    __slots__ = ("figures", "job", "waiting")

    def __init__(self, job: Job) -> None:
        self.job = job
        self.figures: dict[str, Any] | None = None
        self.waiting = False
        """Whether other searches have to end before it can begin."""


class Session:
    """Positions and one search at a time; every method may be called from any thread.

    It knows no game in progress: the page says the moves with each request, so that a page that was away, or shows an
    earlier position, needs nothing of it. The methods that a visitor calls raise Refused and change nothing then.
    """

    _IN_SLICES = False
    """Whether the searches are in short slices, without threads of their own."""

    def __init__(self, turns: Turns, granted: Limits, games: Games) -> None:
        self._turns = turns
        self._granted = granted
        self._news = threading.Condition()
        self._lines = Lines(games)
        self._version = 0
        self._number = 0
        self._closed = False
        self._engines = Engines(granted.memory_mb, self._IN_SLICES)
        self._search: Search | None = None
        self._last: Search | None = None
        self._thread: threading.Thread | None = None
        self._error: str | None = None
        self.used = time.monotonic()
        """When the last request for this session came."""

    # -- what a visitor does ----------------------------------------------------------------------

    def position(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What the page draws of the position of ``fields``: ``game``, ``diagram``, ``moves``."""
        with self._news:
            return describe(self._lines.find(fields))

    def read(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The diagram and the moves in a text that a person pasted."""
        with self._news:
            return self._lines.read(fields)

    def search(self, fields: dict[str, Any], purpose: str, seconds: float, threads: int, level: str,
               alone: bool = False) -> int:
        """Begins a search of the position of ``fields``, for which one that runs is dropped; returns its number."""
        with self._news:
            line = self._lines.find(fields)
            if line.state.winner() is not None:
                raise Refused(409, "the game is over: there is nothing to search")
            if self._closed:
                raise Refused(503, "the server is stopping")
            self._number += 1
            search = Search(Job(self._number, purpose, line, seconds, threads, level, alone))
            self._begin(search)
            self._search = self._last = search
            self._error = None
            self._tell()
            return self._number

    def finish(self) -> None:
        """Ends the search that is running with what it has found so far."""
        with self._news:
            if self._search is not None:
                self._search.job.finishing = True

    def drop(self) -> None:
        """Ends the search that is running, for nothing."""
        with self._news:
            self._search = self._last = None
            self._tell()

    # -- what it tells ----------------------------------------------------------------------------

    def look(self, after: int = -1) -> dict[str, Any]:
        """The last search as JSON data, at once; while it runs, when there is something newer than ``after``."""
        with self._news:
            self._news.wait_for(
                lambda: self._version > after or self._search is None or self._closed, limits.WAIT_SECONDS)
            last = self._last
            return {
                "version": self._version,
                "number": 0 if last is None else last.job.number,
                "running": last is not None and self._search is last,
                "waiting": last is not None and last.waiting,
                "figures": None if last is None else last.figures,
                "error": self._error,
            }

    # -- what the server does ---------------------------------------------------------------------

    def rest(self) -> None:
        """Gives the memory of the trees back."""
        with self._news:
            if self._search is None:
                self._engines = Engines(self._granted.memory_mb, self._IN_SLICES)

    def close(self) -> None:
        """Ends the search and whoever waits for news."""
        with self._news:
            self._closed = True
            self._search = None
            self._tell()

    def thinks(self) -> bool:
        """Whether the thread of a search lives, wanted or not."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def join(self) -> None:
        """Waits for the thread of the last search; after ``close`` that is short."""
        thread = self._thread
        if thread is not None:
            thread.join()

    # -- the work of a search ---------------------------------------------------------------------

    def _tell(self) -> None:
        self._version += 1
        self._news.notify_all()

    def _work(self, search: Search) -> Generator[None, None, None]:
        """Does the job of a search in steps, while it is wanted."""
        with self._news:
            if self._search is not search:
                return
        try:
            for figures in think(search.job, self._engines):
                with self._news:
                    if self._search is not search:
                        return
                    search.figures = figures
                    self._tell()
                yield
        except Exception as error:
            self._end(search, f"the search failed: {str(error) or type(error).__name__}{cause_of(error)}")
        else:
            self._end(search)

    def _end(self, search: Search, error: str | None = None) -> None:
        with self._news:
            if self._search is search:
                self._search, self._error = None, error
                self._tell()

    # -- its thread -------------------------------------------------------------------------------

    def _begin(self, search: Search) -> None:
        thread = threading.Thread(target=self._run, args=(search, self._thread), name="mcts_core session")
        thread.start()
        self._thread = thread

    def _run(self, search: Search, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        while self._queue(search):
            try:
                if not self._think(search):
                    return
            finally:
                self._turns.give_back()

    def _queue(self, search: Search) -> bool:
        """Waits for a turn; False: the search is not wanted any more."""
        place = self._turns.join()
        while not self._turns.take(place, _TURN_POLL):
            with self._news:
                if self._search is not search:
                    self._turns.leave(place)
                    return False
                if not search.waiting:
                    search.waiting = True
                    self._tell()
        return True

    def _think(self, search: Search) -> bool:
        """Works on the job; whether it goes on with the next turn, because others wait."""
        begun = time.monotonic()
        with self._news:
            if search.waiting:
                search.waiting = False
                self._tell()
        with closing(self._work(search)) as steps:
            for _ in steps:
                if search.job.purpose == "analysis":
                    now = time.monotonic()
                    if now - self.used > limits.WATCH_SECONDS:
                        self._end(search)
                        return False
                    if self._turns.wanted and now - begun > limits.SHARE_SECONDS:
                        return True
        return False
