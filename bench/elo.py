"""What a match of paired games says about the difference in strength."""

import math
from collections import Counter
from dataclasses import dataclass

from figures import wilson


@dataclass(frozen=True)
class Result:
    """The result of a match, from A's side."""

    games: int
    wins: int
    draws: int
    losses: int
    pairs: tuple
    """Numbers of pairs with 0, 1/2, 1, 3/2 and 2 points for A: the pentanomial counts."""
    share: float
    """Points of A per game; a draw is half a point."""
    low: float
    high: float
    """The 95 % interval of the share."""

    @property
    def elo(self):
        return elo(self.share)

    @property
    def elo_low(self):
        return elo(self.low)

    @property
    def elo_high(self):
        return elo(self.high)

    def __str__(self):
        return (f"{self.games} games: +{self.wins} ={self.draws} -{self.losses}, {100 * self.share:.1f} % "
                f"({100 * self.low:.1f} to {100 * self.high:.1f}), Elo {elo_text(self.elo)} "
                f"({elo_text(self.elo_low)} to {elo_text(self.elo_high)})")

    def to_dict(self):
        """JSON data; an infinite difference is None."""
        elos = {name: value if math.isfinite(value) else None for name, value in
                (("elo", self.elo), ("elo_low", self.elo_low), ("elo_high", self.elo_high))}
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses,
                "pairs": list(self.pairs), "share": self.share, "low": self.low, "high": self.high} | elos


def elo(share):
    """The difference in Elo that goes with a share of the points: 400 log10(share / (1 - share))."""
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else 400 * math.log10(share / (1 - share))


def elo_text(difference):
    """``+35``, or ``+inf`` where one side won everything."""
    return f"{difference:+.0f}"


def result(pairs):
    """The Result of pairs ``(points of A in one game, points in the other)``; None without a pair.

    The two games of a pair share their opening and are not independent, so a pair is one observation: its share of the
    points x, one of 0, 1/4, 1/2, 3/4, 1. Let s be the mean and v the variance of n of them (divided by n).
    A pair tells as much as n' = s (1 - s) / v games that are won or lost, and the interval is that of Wilson for n n'
    such games. v is at most s (1 - s), so n' is at least 1; it is taken as 1 where all pairs are equal. For many pairs
    this is s -+ 1.96 sqrt(v / n), the usual pentanomial interval; unlike that it stays within 0 and 1 and does not
    shrink to nothing where one side wins everything. The ends are turned into Elo.
    """
    points = [point for pair in pairs for point in pair]
    if not points:
        return None
    shares = [(first + second) / 2 for first, second in pairs]
    count = len(shares)
    share = sum(shares) / count
    variance = sum((each - share) ** 2 for each in shares) / count
    low, high = wilson_of_share(share, count * share * (1 - share) / variance if variance > 1e-12 else count)
    low, high = 0.0 if share == 0 else low, 1.0 if share == 1 else high  # without the error of rounding
    counts = Counter(round(4 * each) for each in shares)
    return Result(len(points), points.count(1), points.count(0.5), points.count(0), tuple(counts[n] for n in range(5)),
                  share, low, high)


def wilson_of_share(share, trials):
    """Wilson's interval for a share of a number of trials that need not be whole."""
    return wilson(share * trials, trials)
