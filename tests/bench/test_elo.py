"""bench/elo.py: Elo and its interval from pairs of games."""

import math
import random
import statistics
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import elo  # noqa: E402
import figures  # noqa: E402

sys.path.remove(str(BENCH))


def test_elo_of_shares():
    assert elo.elo(0.5) == 0 and elo.elo(0.76) == pytest.approx(200.24, abs=0.01)
    assert elo.elo(0.24) == pytest.approx(-elo.elo(0.76))
    assert elo.elo(1) == math.inf and elo.elo(0) == -math.inf
    assert [elo.elo_text(value) for value in (34.6, -0.2, 0, math.inf)] == ["+35", "-0", "+0", "+inf"]


def test_counts():
    found = elo.result([(1, 1), (1, 0), (0, 1), (0.5, 1), (0.5, 0.5), (0, 0.5), (0, 0)])
    assert (found.games, found.wins, found.draws, found.losses) == (14, 5, 4, 5)
    assert found.pairs == (1, 1, 3, 1, 1) and found.share == 0.5 and found.elo == 0
    assert found.low == pytest.approx(1 - found.high) and elo.result([]) is None
    assert str(found).startswith("14 games: +5 =4 -5, 50.0 % (")


def test_interval_is_the_pentanomial_one_for_many_pairs():
    pairs = [(1, 1)] * 900 + [(1, 0)] * 1500 + [(0.5, 1)] * 800 + [(0.5, 0)] * 500 + [(0, 0)] * 300
    found = elo.result(pairs)
    shares = [(first + second) / 2 for first, second in pairs]
    half = 1.959964 * statistics.pstdev(shares) / math.sqrt(len(shares))
    assert found.share == pytest.approx(statistics.fmean(shares))
    assert (found.low, found.high) == pytest.approx((found.share - half, found.share + half), abs=2e-4)


def test_interval_of_pairs_that_go_together_is_that_of_half_the_games():
    found = elo.result([(1, 1)] * 60 + [(0, 0)] * 40)
    assert (found.low, found.high) == pytest.approx(figures.wilson(60, 100))


def test_interval_of_independent_games_is_that_of_the_games():
    found = elo.result([(1, 1)] * 36 + [(1, 0)] * 24 + [(0, 1)] * 24 + [(0, 0)] * 16)
    assert (found.low, found.high) == pytest.approx(figures.wilson(120, 200))


def test_interval_where_one_side_wins_everything():
    found = elo.result([(1, 1)] * 100)
    assert found.low == pytest.approx(figures.wilson(100, 100)[0]) and found.high == 1
    assert found.to_dict()["elo"] is None and found.to_dict()["elo_high"] is None and found.to_dict()["elo_low"] > 500
    lost = elo.result([(0, 0)] * 100)
    assert (lost.low, lost.high) == (0, pytest.approx(1 - found.low))


def test_interval_does_not_vanish_when_all_pairs_are_equal():
    found = elo.result([(1, 0)] * 50)
    assert (found.low, found.high) == pytest.approx(figures.wilson(25, 50))


def test_interval_holds_what_it_promises():
    """Pairs whose games go together in part: the true share is inside in about 95 % of matches."""
    chooser, inside = random.Random(3), 0
    for _ in range(600):
        pairs = []
        for _ in range(60):
            first = chooser.choices((1, 0.5, 0), (6, 2, 2))[0]
            pairs.append((first, first if chooser.random() < 0.3 else chooser.choices((1, 0.5, 0), (6, 2, 2))[0]))
        found = elo.result(pairs)
        inside += found.low <= 0.7 <= found.high
    assert 0.93 <= inside / 600 <= 0.975
