"""The games that the page offers, as fields of JSON."""

from __future__ import annotations

from typing import Any

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidOption
from mcts_core.games.registry import GAMES, entry_of, labels
from mcts_core.web.fields import check_names, choice
from mcts_core.web.refusals import Refused


def make_game(fields: Any) -> Any:
    """The first position of the game that ``fields`` say: its ``name``, and the arguments of its constructor.

    Raises Refused, and InvalidState for numbers that the constructor does not take.
    """
    if not isinstance(fields, dict):
        raise Refused(400, f"game must be a JSON object, got {shorten(fields)}")
    games = {entry.name: entry for entry in GAMES}
    entry = games[choice(fields, "name", tuple(games), "")]
    check_names(fields, "name", *entry.arguments)
    options = {field: value for field, value in fields.items() if field != "name"}
    return entry.kind(**options)


def fields_of(state: Any) -> dict[str, Any]:
    """The fields from which ``make_game`` makes the game of ``state``. Raises InvalidOption for other games."""
    entry = entry_of(state)
    if entry is None or type(state) is not entry.kind:
        raise InvalidOption(f"the page plays {labels()}, got {shorten(state)}")
    return {"name": entry.name, **entry.arguments_of(state)}
