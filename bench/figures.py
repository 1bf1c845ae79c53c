"""The statistics of the benchmarks."""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """The median of some values and the quartiles around it."""

    median: float
    low: float
    high: float
    count: int


def summarize(values):
    """The Summary of a sequence of at least one number; quartiles as by linear interpolation."""
    values = sorted(values)
    if len(values) == 1:
        return Summary(values[0], values[0], values[0], 1)
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Summary(median, low, high, len(values))


def wilson(successes, trials, z=1.959964):
    """Wilson's interval (JASA 22, 1927) for the probability behind ``successes`` of ``trials``. 95 % by default."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    spread = z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def percentile(values, share):
    """The value at this share of at least one number, by nearest rank: the least one that so many are not above."""
    values = sorted(values)
    return values[max(0, math.ceil(share * len(values)) - 1)]


def slope(points):
    """The rise of the least-squares line through points (x, y) of which two have different x, per unit of x."""
    middle, height = (statistics.fmean(column) for column in zip(*points, strict=True))
    spread = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * (y - height) for x, y in points) / spread
