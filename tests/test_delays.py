"""mcts_core/delays.py: what is allowed for in the next move, and in many."""

import random

import pytest

from mcts_core.delays import FEW, RECENT, SAFETY, Delays


def learned(*delays, expected=0.0):
    found = Delays(expected)
    for delay in delays:
        found.learn(delay)
    return found


def test_before_anything_was_measured_delays_are_as_expected():
    found = Delays(0.01)
    assert found.longest == pytest.approx(SAFETY * 0.01)
    assert found.usual == pytest.approx(0.01) and found.total(20) == pytest.approx(0.2)


def test_the_longest_is_remembered_for_a_while():
    found = learned(0.02, *[0.001] * (RECENT - 1), expected=0.05)
    assert found.longest == pytest.approx(SAFETY * 0.02)
    found.learn(0.001)
    assert found.longest == pytest.approx(SAFETY * 0.001)
    assert learned(-1.0).longest == 0.0
    assert len(found) == RECENT and not learned()


def test_one_long_delay_is_no_rule_where_delays_are_exceptions():
    assert learned(0.012, 0.0, 0.0).usual == pytest.approx(0.002)
    assert learned(*[0.013] * RECENT).usual > 0.012


def test_a_total_is_more_than_the_mean_the_less_is_known():
    totals = [learned(*[0.01, 0.03] * count).total(100) for count in (1, 2, 4, 20)]
    assert totals == sorted(totals, reverse=True) and 2.0 < totals[-1] < 3.0 < totals[0]
    assert learned(*[0.01] * FEW).total(100) == pytest.approx(1.0, rel=0.1)
    assert learned(0.001, expected=0.02).total(10) >= 0.2


def test_a_total_is_hardly_ever_too_little():
    chooser = random.Random(1)

    def enough(count, moves):
        found = learned(*[chooser.uniform(0, 0.05) for _ in range(count)])
        return sum(chooser.uniform(0, 0.05) for _ in range(moves)) <= found.total(moves)

    for count in (3, 10, 50):
        assert sum(enough(count, 50) for _ in range(1000)) >= 950
