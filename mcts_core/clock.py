"""How long to think about a move: the account of a player's clock."""

from __future__ import annotations

import math
import time

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import InvalidOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

LONGEST = 1e9
SHARE = 0.5
"""Of what is left, the most that one move may take while others follow."""
FEWEST = 8
"""Moves that an estimate of the game's length leaves, however long the game has been."""


class Clock:
    """A player's clock: it tells how many seconds to spend on the next move, and keeps the account during a game.

    remaining: seconds left on the clock, 0 to 1e9.
    increment: seconds that every move made adds, >= 0.
    moves_to_go: moves to make with ``remaining``, this one included; None: all moves of the game.
    overhead: seconds that a move costs beyond its search (the network, the process that starts), >= 0.
    expected_moves: of this player in the whole game, an estimate for when ``moves_to_go`` is None. Connect Four has up
        to 21, gomoku 20 to 40.
    timer: a function that returns seconds.

    What is left, with the increments to come and less the overheads to come, is shared out evenly over the moves to
    come; a single move gets at most half of what is left unless it is the last one. Raises InvalidOption.

        clock = Clock(60, increment=1)
        with clock:
            move = engine.search(state, clock.seconds() or 0.001)
    """

    __slots__ = ("_expected", "_increment", "_moves", "_overhead", "_remaining", "_started", "_timer", "_to_go")

    def __init__(
        self,
        remaining: float,
        increment: float = 0.0,
        moves_to_go: int | None = None,
        overhead: float = 0.03,
        *,
        expected_moves: int = 30,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._remaining = _seconds(remaining, "remaining")
        self._increment = _seconds(increment, "increment")
        self._to_go = None if moves_to_go is None else as_int(moves_to_go, "moves_to_go", 1, 10**6)
        self._overhead = _seconds(overhead, "overhead")
        self._expected = as_int(expected_moves, "expected_moves", 1, 10**6)
        if not callable(timer):
            raise InvalidOption(f"timer must be a function that returns seconds, got {shorten(timer)}")
        self._timer = timer
        self._started: float | None = None
        self._moves = 0

    def __repr__(self) -> str:
        return (
            f"Clock(remaining={self.remaining:.3f}, increment={self._increment:g}, moves_to_go={self._to_go}, "
            f"overhead={self._overhead:g})"
        )

    @property
    def remaining(self) -> float:
        """Seconds left, now; 0 when the time is over."""
        left = self._remaining
        if self._started is not None:
            left -= self._timer() - self._started
        return max(0.0, left)

    @property
    def moves_to_go(self) -> int | None:
        """Moves to make with ``remaining``; None: all that come."""
        return self._to_go

    @property
    def running(self) -> bool:
        """Whether a move is being thought about."""
        return self._started is not None

    def seconds(self) -> float:
        """Seconds to spend on this move: never negative, never more than ``remaining`` less ``overhead``.

        0.0 when there is nothing left to spend; a search wants more than 0, so write ``clock.seconds() or 0.001``.
        """
        remaining = self.remaining
        left = remaining - self._overhead
        if left <= 0.0:
            return 0.0
        moves = self._to_go
        if moves is None:
            moves = max(self._expected - self._moves, FEWEST)
        if moves == 1:
            return left
        share = (remaining + self._increment * (moves - 1)) / moves - self._overhead
        return min(max(0.0, share), SHARE * left)

    def start(self) -> None:
        """The player's time begins to run. Raises InvalidOption when it runs already."""
        if self._started is not None:
            raise InvalidOption("the clock is running; stop() it first")
        self._started = self._timer()

    def stop(self) -> float:
        """The move is made: takes the seconds passed off the clock, adds the increment, and returns those seconds.

        Where the time was over there is no increment, and ``remaining`` stays 0. Raises InvalidOption when the clock
        is not running.
        """
        if self._started is None:
            raise InvalidOption("the clock is not running; start() it first")
        passed = max(0.0, self._timer() - self._started)
        self._started = None
        self._remaining = min(LONGEST, self._remaining - passed + self._increment) if passed <= self._remaining else 0.0
        self._moves += 1
        if self._to_go is not None:  # after the last move of a period comes an unknown number
            self._to_go = self._to_go - 1 or None
        return passed

    def set(self, remaining: float, moves_to_go: int | None = None) -> None:
        """What the server says is left: for the next move, or for the one that is being thought about from now on."""
        checked = _seconds(remaining, "remaining")
        self._to_go = None if moves_to_go is None else as_int(moves_to_go, "moves_to_go", 1, 10**6)
        self._remaining = checked
        if self._started is not None:
            self._started = self._timer()

    def __enter__(self) -> Clock:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._started is not None:
            self.stop()


def _seconds(value: Any, name: str) -> float:
    """``value`` as a float from 0 to LONGEST, or InvalidOption."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidOption(f"{name} must be a number of seconds, got {shorten(value)}") from None
    if not math.isfinite(number) or not 0.0 <= number <= LONGEST:
        raise InvalidOption(f"{name} must be a finite number of seconds from 0 to {LONGEST:g}, got {shorten(value)}")
    return number
