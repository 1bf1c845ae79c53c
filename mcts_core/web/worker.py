"""The engine's side of the page where there is no server: ``tools/page`` runs it with Pyodide in a worker of a browser.

No thread starts there. A search goes on step by step, and between two steps the worker reads what the page asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcts_core import ConnectFour
from mcts_core.web.fields import parse_object
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.protocol import act, offers, refusal
from mcts_core.web.session import Search, Session
from mcts_core.web.turns import Turns

LIMITS = Limits(sessions=1, searches=1, threads=1, memory_mb=128.0)
"""What the engine takes of the visitor's own browser."""


class Worker(Session):
    """The one session of a page, with requests and answers as JSON texts."""

    _IN_SLICES = True

    def __init__(self, granted: Limits = LIMITS) -> None:
        self._granted = granted
        self._games = Games()
        self._steps: Iterator[None] = iter(())
        super().__init__(Turns(1), granted, self._games)

    def offers(self) -> str:
        """What the page can ask for."""
        defaults = {"game": self._games.fields_of(ConnectFour()), "seconds": 1.0, "threads": 1}
        return _text(offers(self._games, self._granted, defaults) | self.look())

    def act(self, action: str, fields: str) -> str:
        """Does an action of the protocol: the status that HTTP would have, and the answer."""
        try:
            return _text((200, act(self, self._granted, action, parse_object(fields.encode()))))
        except Exception as error:
            refused = refusal(error)
            if refused is None:
                raise
            return _text(refused)

    def news(self) -> str:
        """How the search goes, at once."""
        return _text(self.look())

    def step(self) -> bool:
        """Goes on with the search for about ``limits.NEWS_SECONDS``; whether there is more of it to do."""
        if self._search is not None:
            next(self._steps, None)
        return self._search is not None

    def _begin(self, search: Search) -> None:
        self._steps = self._work(search)


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False)
