"""What moves cost beyond their searches, learned from the last ones."""

from __future__ import annotations

import math
from collections import deque

RECENT = 50
"""Moves whose delays are remembered."""
SAFETY = 1.5
"""How much longer the next delay may be than the recent ones. A core that is shared is waited for in whole turns."""
PRIOR = 3
"""Moves that the expected delay counts for beside those that were measured."""
DEVIATIONS = 3.0
"""Standard deviations that are allowed for in the sum of many delays."""

FEW = 10
"""Measured delays that may look alike by chance: below that many the mean is taken for the expected
one at least, and the deviation for half of the mean."""


class Delays:
    """The delays of the last moves, in seconds. ``expected``: of a move, before any was measured."""

    __slots__ = ("_recent", "expected")

    def __init__(self, expected: float) -> None:
        self.expected = expected
        self._recent: deque[float] = deque(maxlen=RECENT)

    def learn(self, delay: float) -> None:
        """A move took ``delay`` seconds beyond its search; below 0 counts as 0."""
        self._recent.append(max(0.0, delay))

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._recent)

    @property
    def longest(self) -> float:
        """What to allow for in the next move: SAFETY times the longest delay of RECENT moves, the expected included."""
        expected = self.expected if len(self._recent) < RECENT else 0.0
        return SAFETY * max(expected, max(self._recent, default=0.0))

    @property
    def usual(self) -> float:
        """The mean, where one long delay among few moves is an exception: a core was busy, a file was read."""
        return (sum(self._recent) + PRIOR * self.expected) / (len(self._recent) + PRIOR)

    def total(self, moves: float) -> float:
        """What to allow for in ``moves`` to come where all delays are of one kind, as those of a network are.

        Their mean, closer to the longest the fewer were measured, and what the sum may be above it.
        """
        count = len(self._recent)
        if not count:
            return moves * self.expected
        mean = sum(self._recent) / count
        deviation = math.sqrt(sum((delay - mean) ** 2 for delay in self._recent) / count)
        if count < FEW:
            mean = max(mean, self.expected)
            deviation = max(deviation, mean / 2)
        uncertain = deviation * math.sqrt(moves * (1.0 + moves / count))  # of the sum itself, and of the mean so far
        return moves * (mean + max(0.0, self.longest - mean) / count) + DEVIATIONS * uncertain
