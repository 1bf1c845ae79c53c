"""How long a game can still be, for the clock."""

from __future__ import annotations

import math

from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.games.registry import entry_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROVEN = 28
"""Empty cells of Connect Four below which a search proves nearly every position in a moment."""


def moves_left(state: Any) -> float:
    """Moves that the player to move can still have to make, this one included; infinite where nobody knows."""
    return max(1, (_empty(state) + 1) // 2) if entry_of(state) else math.inf


def moves_to_think(state: Any) -> float | None:
    """Those of them that come before the game is proven; None where nobody knows.

    In five in a row that is no question of empty cells: of eight games two were proven after 50 and 130 moves, the
    others within 16 (``bench/game_clock.py``).
    """
    return max(0.0, (_empty(state) - PROVEN) / 2) if isinstance(state, ConnectFour) else None


def _empty(state: Any) -> int:
    """Empty cells of a board of this package."""
    return int(state.diagram().count("."))
