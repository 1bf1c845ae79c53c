"""Rollouts in bits, many in one call: against exact probabilities, against single rollouts, and the same on every
instruction set. Single ones are tested with all others, in test_rollout.py.
"""

import math
import random

import pytest
from mnk_odds import exact_lengths, late_positions
from random_play import played_on

from mcts_core.dispatch import isa, supported
from mcts_core.games.mnk.position import MNK, Gomoku
from mcts_core.testing.kernel_probe import MnkKernels

HOT = {name: MnkKernels(name) for name in supported()}


@pytest.mark.odds
@pytest.mark.parametrize("board", [(9, 1, 5), (1, 9, 5), (9, 6, 5), (15, 15, 5), (16, 16, 5)], ids=str)
def test_many_rollouts_in_one_call_have_the_same_distribution(board):
    count = 20_300  # the last 332 of them in vectors that are not full
    for state in [MNK(9, 1, 5), MNK(1, 9, 5)] if 1 in board else late_positions(board, "freestyle"):
        chances = exact_lengths(state)
        *results, plies = HOT[isa].bulk_rollouts(state, count, 4)
        assert sum(results) == count
        by_result = [sum(chance for value, chance in chances.items() if value & 3 == result) for result in (2, 1, 0)]
        for found, chance in zip(results, by_result, strict=True):
            assert abs(found - count * chance) <= 4.5 * math.sqrt(count * chance * (1 - chance)) + 1e-6
        mean = sum((value >> 2) * chance for value, chance in chances.items())
        variance = sum(((value >> 2) - mean) ** 2 * chance for value, chance in chances.items())
        assert abs(plies - count * mean) <= 4.5 * math.sqrt(count * variance) + 1e-6


@pytest.mark.odds
@pytest.mark.parametrize("board", [(9, 5, 5), (5, 9, 5), (16, 4, 5), (12, 15, 5), (15, 15, 5), (16, 16, 5)], ids=str)
def test_many_rollouts_in_one_call_agree_with_single_ones(board):
    """At any stage of a game; with few cells left, a player often fills all of his own."""
    rng = random.Random(f"{board}")
    count = 20_300
    for share in (0, 0.1, 0.3, 0.6, 0.8, 0.9):
        state = played_on(MNK(*board), rng, int(board[0] * board[1] * share))
        singles = HOT[isa].lengths(state, count, 5)
        *results, plies = HOT[isa].bulk_rollouts(state, count, 5)
        assert sum(results) == count
        for found, result in zip(results, (2, 1, 0), strict=True):
            single = sum(times for value, times in singles.items() if value & 3 == result)
            chance = (found + single) / (2 * count)
            assert abs(found - single) <= 4.5 * math.sqrt(2 * count * chance * (1 - chance))
        mean = sum((value >> 2) * times for value, times in singles.items()) / count
        variance = sum(((value >> 2) - mean) ** 2 * times for value, times in singles.items()) / count
        assert abs(plies - count * mean) <= 4.5 * math.sqrt(2 * count * variance)


@pytest.mark.parametrize("count", [0, 1, 127, 128, 255, 511, 512, 513, 640, 1000, 2048])
def test_many_rollouts_in_one_call_are_the_same_on_every_instruction_set(count):
    for state in (Gomoku(15), played_on(Gomoku(16), random.Random(1), 200), MNK(9, 1, 5)):
        first, *others = [hot.bulk_rollouts(state, count, 7) for hot in HOT.values()]
        assert sum(first[:3]) == count
        assert all(other == first for other in others)
