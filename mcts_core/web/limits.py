"""What one server grants to all its visitors together, and to each."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mcts_core import InvalidOption
from mcts_core.arguments import shorten

BODY_BYTES = 8192
"""Longest body of a request: the moves of a game that fills the largest board."""
REQUEST_BYTES = 32768
"""Longest request, head and body together."""
REQUEST_SECONDS = 10.0
"""From the connection to the last byte of the request."""
SEND_SECONDS = 10.0
"""For an answer to be taken."""
CONNECTIONS = 64
"""Connections at a time."""
WAIT_SECONDS = 5.0
"""How long a request waits for news of a search."""
NEWS_SECONDS = 0.1
"""Between two reports of a search."""
LEAST_SECONDS = 0.01
"""The shortest search that can be asked for."""
SHOWN_MOVES = 400
"""Moves of a search that are told to the page, the most visited ones."""
WATCH_SECONDS = 20.0
"""An analysis that nobody asked about for so long ends."""
SHARE_SECONDS = 1.0
"""After so long an analysis lets those search who wait for their turn."""
REST_SECONDS = 300.0
"""After so long without a request a session gives its tree back; it keeps its game."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that the command line sets. Raises InvalidOption for one out of its range."""

    sessions: int = 16
    """Games at a time."""
    searches: int = 2
    """Searches at a time, in all games together; the others wait for their turn."""
    seconds: float = 60.0
    """Longest time of one search."""
    threads: int = os.cpu_count() or 1
    """Most threads of one search."""
    memory_mb: float = 256.0
    """Memory of one session's tree, in MiB."""
    idle_minutes: float = 120.0
    """A session without a request for so long is ended."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("sessions", 1, 1000), ("searches", 1, 256), ("seconds", 0.1, 3600), ("threads", 1, 256),
            ("memory_mb", 1, 65536), ("idle_minutes", 0.1, 100_000),
        ):
            value = getattr(self, name)
            if not low <= value <= high:  # nan is out of every range
                raise InvalidOption(f"the limit of {name} must be from {low} to {high}, got {shorten(value)}")
        if self.memory_mb < self.threads:
            raise InvalidOption(
                f"the limit of memory_mb must be at least 1 for each of the {self.threads} threads, "
                f"got {shorten(self.memory_mb)}")
