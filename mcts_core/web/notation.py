"""How moves and positions are written on the page: no other file of it knows their texts."""

from __future__ import annotations

import re
from typing import Any

from mcts_core import IllegalMove
from mcts_core.arguments import shorten
from mcts_core.games.registry import entry_of
from mcts_core.render.board import column_names
from mcts_core.render.markup import label

_LISTED = 12
"""Legal moves that an error lists."""


def name_of(state: Any, move: Any) -> str:
    """What ``move`` is called: the number of its column from 1, its cell as h8, or the text of a user's move."""
    entry = entry_of(state)
    if entry is None:
        own = getattr(state, "name", None)
        return label(own(move) if callable(own) else move)
    if entry.form(state) == "slots":
        return str(move + 1)
    row, column = divmod(move, state.cols)
    return f"{column_names(state.cols)[column]}{state.rows - row}"


def move_of(state: Any, name: str) -> Any:
    """The legal move of ``state`` that ``name`` says. Raises IllegalMove."""
    legal = state.legal_moves()
    entry = entry_of(state)
    if entry is not None:
        return _board_move(state, name, legal, entry.form(state) == "slots")
    wanted = "".join(name.split())
    for move in legal:
        if "".join(name_of(state, move).split()) == wanted:
            return move
    shown = ", ".join(name_of(state, move) for move in legal[:_LISTED]) + (", ..." if len(legal) > _LISTED else "")
    raise IllegalMove(f"{shorten(name)} is not a legal move; legal moves: {shown}")


def split_moves(start: Any, text: str) -> list[str]:
    """The moves of a text one by one, as "4 4 5", "445", "h8 i9", "h8i9", or "1. h8 i9 2. g7"; nothing is checked."""
    entry = entry_of(start)
    if entry is None:
        parts = text.split(";") if ";" in text else re.findall(r"\([^()]*\)|\S+", text)
        return [part.strip() for part in parts if part.strip()]
    tokens = re.sub(r"\b\d+\.(?:\.\.)?", " ", text).replace(",", " ").replace(";", " ").lower().split()
    if len(tokens) == 1:
        if entry.form(start) == "slots":
            return list(tokens[0]) if start.cols < 10 else tokens
        if re.fullmatch("(?:[a-z]+[0-9]+)+", tokens[0]):
            return re.findall("[a-z]+[0-9]+", tokens[0])
    return tokens


def find_diagram(start: Any, text: str) -> str | None:
    """The diagram in a text: lines of X, O and . with or without coordinates; None where it has none."""
    if entry_of(start) is None:
        return None
    edges = [column_names(start.cols), *([str(number + first) for number in range(start.cols)] for first in (0, 1))]
    rows = []
    for line in text.replace("[", " ").replace("]", " ").splitlines():
        if line.split() not in edges:
            rows.append(re.sub(r"^\s*\d+(?=\s)|(?<=\s)\d+\s*$", "", line))
    found = "\n".join(row.rstrip() for row in rows if row.strip())
    return found if re.fullmatch(r"[.XOxo\s]+", found) else None


def _board_move(state: Any, name: str, legal: list[int], slots: bool) -> int:
    text = name.strip().lower()
    if slots:
        if not re.fullmatch("[0-9]{1,4}", text) or not 1 <= int(text) <= state.cols:
            raise IllegalMove(f"a column must be a number from 1 to {state.cols}, got {shorten(name)}")
        move = int(text) - 1
        if move not in legal:
            raise IllegalMove(f"column {text} is full")
        return move
    names = column_names(state.cols)
    cell = re.fullmatch("([a-z]{1,2})([0-9]{1,4})", text)
    if not cell or cell[1] not in names or not 1 <= int(cell[2]) <= state.rows:
        raise IllegalMove(f"a cell must be a letter and a number from a1 to {names[-1]}{state.rows}, "
                          f"got {shorten(name)}")
    move = int((state.rows - int(cell[2])) * state.cols + names.index(cell[1]))
    if move not in legal:
        raise IllegalMove(f"cell {text} is taken")
    return move
