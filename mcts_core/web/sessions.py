"""All sessions of a server: found by an id that nobody can guess, ended when nobody asks for them any more."""

from __future__ import annotations

import re
import secrets
import threading
import time

from mcts_core.web import limits
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.session import Session
from mcts_core.web.turns import Turns

ID_FORM = re.compile("[A-Za-z0-9_-]{32}")
_SPARED_SECONDS = 60.0
"""A full server ends the session that was unused longest, but none that was used so lately."""


class Sessions:
    """The sessions by id."""

    def __init__(self, granted: Limits, games: Games | None = None) -> None:
        self.granted = granted
        self.games = games or Games()
        self._turns = Turns(granted.searches)
        self._lock = threading.Lock()
        self._found: dict[str, Session] = {}
        self._leaving: list[Session] = []
        self._closed = False

    def __len__(self) -> int:
        return len(self._found)

    def open(self) -> tuple[str, Session]:
        """A new session, and its id. Raises Refused where there are too many."""
        self.sweep()
        with self._lock:
            if self._closed:
                raise Refused(503, "the server is stopping")
            if len(self._found) >= self.granted.sessions:
                oldest = min(self._found, key=lambda key: self._found[key].used)
                if time.monotonic() - self._found[oldest].used < _SPARED_SECONDS:
                    raise Refused(503, f"there are {self.granted.sessions} games already; try again in a minute")
                self._end(oldest)
            key = secrets.token_urlsafe(24)
            session = self._found[key] = Session(self._turns, self.granted, self.games)
            return key, session

    def get(self, key: str) -> Session:
        """The session of an id, which counts as used now. Raises Refused."""
        with self._lock:
            session = self._found.get(key)
            if session is None:
                raise Refused(404, "there is no such game, or not any more")
            session.used = time.monotonic()
            return session

    def drop(self, key: str) -> None:
        """Ends a session."""
        with self._lock:
            if key in self._found:
                self._end(key)

    def sweep(self, now: float | None = None) -> None:
        """Ends the sessions that were not used for too long, and takes the trees of those that rest."""
        now = time.monotonic() if now is None else now
        with self._lock:
            for key, session in list(self._found.items()):
                idle = now - session.used
                if idle > 60.0 * self.granted.idle_minutes:
                    self._end(key)
                elif idle > limits.REST_SECONDS:
                    session.rest()
            self._leaving = [session for session in self._leaving if session.thinks()]

    def close(self) -> None:
        """Ends all sessions and waits for their searches."""
        with self._lock:
            self._closed = True
            for key in list(self._found):
                self._end(key)
            leaving = self._leaving
        for session in leaving:
            session.join()

    def _end(self, key: str) -> None:
        session = self._found.pop(key)
        session.close()
        self._leaving.append(session)
