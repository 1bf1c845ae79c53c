"""How long a game can still be, for the clock: by its rules in games of this package, by random games in others."""

from __future__ import annotations

import math
from random import Random
from time import perf_counter

from mcts_core.game import CHANCE
from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.games.registry import entry_of
from mcts_core.games.state_kinds import is_general, is_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROVEN = 28
"""Empty cells of Connect Four below which a search proves nearly every position in a moment."""
GAMES = 16
"""Random games from which a length is known well enough."""
FADE = 0.7
"""What the games from an earlier position count, for each move since then."""
LONGEST = 5_000
"""Moves of all players after which a random game is given up."""


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


class GameLength:
    """How many moves a player still has to make, by the mean of random games from the positions of the game so far."""

    __slots__ = ("_chooser", "_cost", "_games", "_made", "_mean", "_saved")

    def __init__(self) -> None:
        self._chooser = Random(0)
        self._mean = 0.0
        self._games = 0.0
        """Random games that the mean is worth."""
        self._made: int | None = None
        """Moves that the player had made at the last estimate."""
        self._saved = 0.0
        """Seconds that random games may take, left from earlier moves."""
        self._cost = 0.0
        """Seconds of the longest random game."""

    @property
    def known(self) -> float:
        """The last estimate; 0 without any."""
        return self._mean if self._games else 0.0

    def estimate(self, state: Any, made: int, seconds: float, most: float) -> float | None:
        """The moves to come of the player to move, at least 1; None where no random game has come to its end.

        ``made``: moves that the player has made. ``seconds``: what random games may take in the mean of all moves;
        ``most``: what a single one may take before the first has ended.
        """
        if self._made != made:
            passed = 0 if self._made is None else made - self._made
            self._mean, self._games = max(1.0, self._mean - passed), self._games * FADE ** max(0, passed)
            self._made, self._saved = made, self._saved + seconds
        while self._games <= GAMES - 1 and self._saved >= self._cost:
            begin = perf_counter()
            moves = random_game(state, self._chooser, begin + max(self._saved, 0.0 if self._games else most))
            spent = perf_counter() - begin
            self._saved -= spent
            if moves is None:
                self._cost = max(self._cost, 2 * spent)
                break
            self._cost = max(self._cost, spent)
            self._mean = (self._games * self._mean + moves) / (self._games + 1)
            self._games += 1
        return self._mean if self._games else None


def random_game(state: Any, chooser: Random, deadline: float) -> int | None:
    """The moves of the player to move in a random game from ``state``; None if it does not end before ``deadline``, a
    value of perf_counter, or within LONGEST moves, or breaks its contract, which the search will report."""
    try:
        player, moves, general = state.to_move, 0, is_general(state)
        if is_hidden(state):
            state = state.determinize(player, chooser)
        for _ in range(LONGEST):
            if (state.returns() if general else state.winner()) is not None:
                return max(1, moves)
            if perf_counter() > deadline:
                return None
            if general and state.to_move == CHANCE:
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                move = chooser.choices(outcomes, weights)[0]
            else:
                moves += state.to_move == player
                move = chooser.choice(list(state.legal_moves()))
            state = state.play(move)
    except Exception:
        return None
    return None
