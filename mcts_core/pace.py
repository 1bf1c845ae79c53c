"""When a move has been thought about for long enough: less for a sure one, more for a close choice.

Source: H. Baier and M. Winands, "Time management for Monte Carlo tree search", IEEE TCIAIG 8, 2016, of which this takes
the two rules that gained most there: to stop when no other move can catch up, and to go on while the choice is open.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.results import Stats

EARLIEST = 0.5
"""Share of the planned time before which no search is enough."""
LONGEST = 2.0
"""Times the planned time: the longest search."""
CLOSE = 0.7
"""Share of the leader's visits from which on another move is close."""
UNCHANGED = 0.5
"""Share of the time so far for which a settled choice has been the same."""


class Pace:
    """The pace of one search that is planned to take ``seconds``: ``enough`` looks at its Stats from time to time.

    A search is enough

    - after half of the planned time, when no other move can become the most visited one within the planned time at the
      speed so far;
    - after the planned time, when the choice is settled: for half of the time it has been the same, and no other move
      has 70 % of its visits.
    """

    __slots__ = ("_choice", "_since", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._choice: Any = None
        self._since = 0.0

    @staticmethod
    def longest(seconds: float) -> float:
        """Seconds of the longest search where ``seconds`` are planned."""
        return LONGEST * seconds

    def enough(self, stats: Stats) -> bool:
        """Whether the search may end with ``stats.move``."""
        now = stats.seconds
        if stats.move != self._choice:
            self._choice, self._since = stats.move, now
        if now < EARLIEST * self.seconds:
            return False
        first = second = 0
        for move in stats.moves:
            if move.move == stats.move:
                first = move.visits
            elif move.proven != "loss":
                second = max(second, move.visits)
        if now < self.seconds:
            return first - second > stats.iterations / now * (self.seconds - now)
        return now - self._since >= UNCHANGED * now and second < CLOSE * first
