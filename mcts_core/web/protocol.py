"""What the page asks for, as JSON objects: the same requests and answers whatever carries them.

``offers`` is the first answer; each request is an action of a session with its fields, and the session's ``look``
reports how its search goes. The page sends the game and its moves with every request. ``server`` carries it over HTTP,
and ``worker`` within the browser.
"""

from __future__ import annotations

from typing import Any

from mcts_core import GameOver, IllegalMove, InvalidOption, InvalidState
from mcts_core.bots import levels
from mcts_core.web import limits
from mcts_core.web.fields import check_names, choice, flag, real, whole
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.session import Session
from mcts_core.web.thinking import PURPOSES

ACTIONS = ("drop", "finish", "position", "read", "search")
_POSITION = ("game", "diagram", "moves")


def offers(games: Games, granted: Limits, defaults: dict[str, Any]) -> dict[str, Any]:
    """What the page can ask for: ``defaults`` are the first game, seconds and threads."""
    return {
        **defaults,
        "games": games.offered(),
        "levels": list(levels.NAMES),
        "limits": {"seconds": [limits.LEAST_SECONDS, granted.seconds], "threads": [1, granted.threads]},
    }


def act(session: Session, granted: Limits, action: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Does one of ``ACTIONS`` and returns the answer. Raises Refused."""
    if action == "position":
        check_names(fields, *_POSITION)
        return session.position(fields)
    if action == "read":
        check_names(fields, "game", "text")
        return session.read(fields)
    if action == "search":
        check_names(fields, *_POSITION, "purpose", "seconds", "threads", "level", "alone")
        session.search(
            fields, choice(fields, "purpose", PURPOSES, ""),
            real(fields, "seconds", limits.LEAST_SECONDS, granted.seconds, min(1.0, granted.seconds)),
            whole(fields, "threads", 1, granted.threads, 1), choice(fields, "level", levels.NAMES, levels.FULL),
            flag(fields, "alone"))
    else:
        check_names(fields)
        (session.finish if action == "finish" else session.drop)()
    return session.look()


def refusal(error: Exception) -> tuple[int, dict[str, Any]] | None:
    """What ``error`` answers a request: a status of HTTP and an object. None for errors that no visitor makes."""
    if isinstance(error, Refused):
        return error.status, {"error": str(error), "field": error.field}
    if isinstance(error, (IllegalMove, GameOver, InvalidOption, InvalidState)):
        return 400, {"error": str(error), "field": None}
    return None
