"""The games that the page offers, as fields of JSON."""

from __future__ import annotations

from typing import Any

from mcts_core import MNK, ConnectFour, Gomoku, InvalidOption, TicTacToe
from mcts_core.notation import shorten
from mcts_core.web.fields import check_names, choice
from mcts_core.web.refusals import Refused

Position = ConnectFour | MNK

_FIELDS = {
    "connect4": ("rows", "cols", "connect"),
    "gomoku": ("size", "rule"),
    "tictactoe": (),
    "mnk": ("m", "n", "k", "rule"),
}
_CLASSES = {"connect4": ConnectFour, "gomoku": Gomoku, "tictactoe": TicTacToe, "mnk": MNK}


def make_game(fields: Any) -> Position:
    """The first position of the game that ``fields`` say: its ``name``, and the arguments of its constructor.

    Raises Refused, and InvalidState for numbers that the constructor does not take.
    """
    if not isinstance(fields, dict):
        raise Refused(400, f"game must be a JSON object, got {shorten(fields)}")
    name = choice(fields, "name", tuple(_FIELDS), "")
    check_names(fields, "name", *_FIELDS[name])
    options = {field: value for field, value in fields.items() if field != "name"}
    return _CLASSES[name](**options)  # type: ignore[no-any-return]


def fields_of(state: Any) -> dict[str, Any]:
    """The fields from which ``make_game`` makes the game of ``state``. Raises InvalidOption for other games."""
    for name, kind in _CLASSES.items():
        if type(state) is kind:
            return {"name": name} | {field: getattr(state, field) for field in _FIELDS[name]}
    raise InvalidOption(f"the page plays Connect Four, gomoku, tic-tac-toe and m,n,k games, got {shorten(state)}")
