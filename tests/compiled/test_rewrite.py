"""Expressions have the values of Python when they are compiled."""

import copy
import math

import numpy as np
import pytest

import mcts_core as mc


class Values:
    """``push`` computes numbers; ``results`` keeps them."""

    def __init__(self):
        self.results = [0.0] * 32
        self.board = [5, 3, 8]
        self.text = "xyz"
        self.price = 0.5
        self.to_move = 1
        self.count = 0

    def legal_moves(self):
        return [0, 1, 2]

    def least(self):
        best = float("inf")
        for value in self.board:
            if value < best:
                best = value
        return best

    def push(self, move):
        self.price += move
        found = self.results
        found[0] = self.least()
        found[1] = max(float("-inf"), -math.inf, -2.5)
        found[2] = float("1.5") + int("12")
        found[3] = float("nan") == float("nan")
        found[4] = "yz" in "xyz"
        found[5] = "zy" in "xyz"
        found[6] = "xz" not in "xyz"
        found[7] = round(self.price)
        found[8] = round(-self.price)
        found[9] = round(self.price + 2)
        found[10] = round(self.count)
        found[11] = int(-self.price)
        found[12] = math.floor(-self.price)
        found[13] = self.price * 1e308 * 100
        found[14] = self.price < float("inf")
        found[15] = -self.price > float("-inf")
        found[16] = math.isinf(float("-inf"))
        found[17] = math.sqrt(self.price)
        self.count += 1
        self.to_move = -self.to_move

    def winner(self):
        return 0 if self.count == 3 else None


def test_numbers_and_texts_have_the_values_of_python():
    state, position = mc.compile(Values, cache=False).state(), Values()
    for move in (1, 2, 0):
        position = copy.deepcopy(position)
        position.push(move)
        state = state.play(move)
        assert state.to_python().results == position.results


class Wrapping:
    """Sums of numpy's bytes wrap around at 256; those of Numba do not."""

    def __init__(self):
        self.points = np.zeros(2, np.uint8)
        self.count, self.to_move = 0, 1

    def legal_moves(self):
        return [50, 60]

    def push(self, move):
        self.points[self.count % 2] += move
        self.count += 1
        self.to_move = -self.to_move

    def winner(self):
        return None if self.count < 8 else 1 if self.points[0] + self.points[1] > 200 else -1


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_small_numbers_of_numpy_that_wrap_around_are_an_error():
    with pytest.raises(mc.GameError, match=r"too large for the dtype of its array"):
        mc.compile(Wrapping, cache=False)


class Grown(Wrapping):
    """A list that grows, which Numba does not refuse by an error of its own kind."""

    def __init__(self):
        self.squares = [1, 2, 3]
        self.count, self.to_move = 0, 1

    def winner(self):
        taken = self.squares[:]
        taken += [7]
        return None if self.count < 3 else 0 if len(taken) == 4 else 1

    def push(self, move):
        self.count += 1
        self.to_move = -self.to_move


def test_faults_within_numba_are_refusals():
    with pytest.raises(mc.GameError, match="Grown cannot be compiled"):
        mc.compile(Grown, cache=False)


def test_positions_with_numbers_of_another_kind_are_refused():
    game = mc.compile(Values, cache=False)
    for board in ([5, 3.5, 8], [5, "x", 8], [5, None, 8]):
        position = Values()
        position.board = board
        with pytest.raises(mc.InvalidState, match="board is"):
            game.state(position)
