"""The games that the page offers, as fields of JSON."""

from __future__ import annotations

import re
from typing import Any

from mcts_core import InvalidState
from mcts_core.arguments import shorten
from mcts_core.games.registry import GAMES, entry_of
from mcts_core.web.fields import check_names, choice
from mcts_core.web.refusals import Refused


def is_offered(state: Any) -> bool:
    """Whether every page offers the game of ``state``: it is one of this package, and no subclass."""
    entry = entry_of(state)
    return entry is not None and type(state) is entry.kind


class Games:
    """The boards of this package, and the one ``own`` game with which the server was started, by its name.

    A visitor can name no other game: nothing is imported for a request.
    """

    def __init__(self, own: Any = None, name: str = "") -> None:
        self._own, self.own_name = own, name

    def offered(self) -> list[dict[str, str]]:
        """Name and label of each game."""
        found = [{"name": entry.name, "label": entry.label[0].upper() + entry.label[1:]} for entry in GAMES]
        return [{"name": self.own_name, "label": self.own_name}, *found] if self.own_name else found

    def make(self, fields: Any, diagram: str | None = None) -> Any:
        """The first position of the game that ``fields`` say: its ``name``, and the arguments of its constructor.

        ``diagram``: begin from this board. Raises Refused, whose ``field`` is the argument that is wrong.
        """
        if not isinstance(fields, dict):
            raise Refused(400, f"game must be a JSON object, got {shorten(fields)}", "game")
        games = {entry.name: entry for entry in GAMES}
        name = choice(fields, "name", (*games, *([self.own_name] if self.own_name else [])), "")
        if name not in games:
            check_names(fields, "name")
            if diagram is not None:
                raise Refused(400, f"{name} begins from its first position; give moves", "text")
            return self._own
        entry = games[name]
        check_names(fields, "name", *entry.arguments)
        options = {field: value for field, value in fields.items() if field != "name"}
        try:
            start = entry.kind(**options)
        except InvalidState as error:
            word = re.match(r"\w+", str(error))
            raise Refused(400, str(error), word[0] if word and word[0] in entry.arguments else "name") from None
        if diagram is None:
            return start
        try:
            kind: Any = entry.kind
            return kind.from_string(diagram, **entry.arguments_of(start))
        except InvalidState as error:
            raise Refused(400, str(error), "text") from None

    def fields_of(self, state: Any) -> dict[str, Any]:
        """The fields from which ``make`` makes the empty board of ``state``."""
        entry = entry_of(state)
        if entry is None or not is_offered(state):
            return {"name": self.own_name}
        return {"name": entry.name, **entry.arguments_of(state)}
