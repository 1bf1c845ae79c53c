"""How moves and positions are written on the page: no other file of it knows their texts."""

from __future__ import annotations

import re
from typing import Any

from mcts_core.games import board_text
from mcts_core.games.registry import entry_of
from mcts_core.move_names import Names, find_move


def name_of(state: Any, move: Any) -> str:
    """What ``move`` is called, whole: the number of its column from 1, its cell as h8, or the text of a user's move."""
    return Names(state).shown(move)


def move_of(state: Any, name: str) -> Any:
    """The legal move of ``state`` that ``name`` says. Raises IllegalMove."""
    move = find_move(state, name)
    if entry_of(state) is not None:
        state.play(move)  # of a board it may be taken, and then this says so
    return move


def split_moves(start: Any, text: str) -> list[str]:
    """The moves of a text one by one, as "4 4 5", "445", "h8 i9", "h8i9", or "1. h8 i9 2. g7"; they need not be legal.
    Raises IllegalMove for a text with two readings."""
    entry = entry_of(start)
    if entry is None:
        parts = text.split(";") if ";" in text else re.findall(r"\([^()]*\)|\S+", text)
        return [part.strip() for part in parts if part.strip()]
    moves = re.sub(r"\b\d+\.(?:\.\.)?", " ", text).lower()
    if entry.form(start) == "slots":
        return [str(move) for move in board_text.split_moves(moves, start.cols, 1)]
    return [str(move) for move in board_text.split_moves(moves, start.rows * start.cols, 0, start.rows, start.cols)]


def find_diagram(start: Any, text: str) -> str | None:
    """The diagram in a text: lines of X, O and . with or without coordinates; None where it has none."""
    if entry_of(start) is None:
        return None
    names = list(start.column_names)
    edges = [names, *([str(number + first) for number in range(start.cols)] for first in (0, 1))]
    rows = []
    for line in re.sub(r"[][()|]", " ", text).splitlines():
        if line.split()[:start.cols] not in edges:
            rows.append(re.sub(r"^\s*\d+(?=\s)|(?<=\s)\d+\s*$", "", line))
    found = "\n".join(row.strip() for row in rows if row.strip())
    return found if re.fullmatch(r"[.XOxo\s]+", found) else None
