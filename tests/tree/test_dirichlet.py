"""src/mcts_core/tree/dirichlet.pxd: logarithm and exponential against libm, noise against its moments."""

import math
import statistics

import pytest

import mcts_core as mc
from mcts_core.testing.probe import Probe


@pytest.mark.parametrize("x", [1e-300, 1e-9, 0.3, 0.7071, 1 - 1e-8, 1.0, 1 + 1e-8, 1.4143, 2.0, math.pi, 1e9, 1e300])
def test_the_logarithm_is_that_of_the_library(x):
    assert Probe.log(x) == pytest.approx(math.log(x), rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("x", [-699.0, -30.5, -1.0, -0.34, 0.0, 1e-12, 0.35, 0.36, 1.0, 20.0, 600.0])
def test_the_exponential_is_that_of_the_library(x):
    assert Probe.exp(x) == pytest.approx(math.exp(x), rel=1e-12)


@pytest.mark.parametrize("x", [-701.0, -1e9, -math.inf])
def test_the_exponential_of_what_is_very_small(x):
    assert Probe.exp(x) == 0.0


@pytest.mark.parametrize(("alpha", "count"), [(0.03, 40), (0.3, 7), (1.0, 2), (1.0, 30), (10.0, 5), (1000.0, 3)])
def test_noise_has_the_moments_of_its_distribution(alpha, count):
    probe = Probe(mc.TicTacToe(), 7)
    drawn = [probe.dirichlet(alpha, count) for _ in range(4000)]
    for numbers in drawn:
        assert min(numbers) >= 0 and sum(numbers) == pytest.approx(1, abs=1e-12)
    variance = (count - 1) / (count * count * (alpha * count + 1))
    error = math.sqrt(variance / len(drawn))
    for column in (0, count - 1):
        values = [numbers[column] for numbers in drawn]
        assert statistics.fmean(values) == pytest.approx(1 / count, abs=5 * error)
        assert statistics.pvariance(values) == pytest.approx(variance, rel=0.2)


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1e6])
def test_noise_of_extreme_shape_is_still_noise(alpha):
    probe = Probe(mc.TicTacToe(), 3)
    for _ in range(50):
        numbers = probe.dirichlet(alpha, 6)
        assert sum(numbers) == pytest.approx(1, abs=1e-12) and all(0 <= number <= 1 for number in numbers)
    if alpha < 1:
        assert max(numbers) > 0.999
    else:
        assert numbers == pytest.approx([1 / 6] * 6, abs=0.01)


def test_noise_follows_its_seed():
    assert Probe(mc.TicTacToe(), 5).dirichlet(0.3, 7) == Probe(mc.TicTacToe(), 5).dirichlet(0.3, 7)
    assert Probe(mc.TicTacToe(), 5).dirichlet(0.3, 7) != Probe(mc.TicTacToe(), 6).dirichlet(0.3, 7)


def test_one_number_is_everything():
    assert Probe(mc.TicTacToe(), 5).dirichlet(0.3, 1) == [1.0]
