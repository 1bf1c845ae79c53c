"""Expressions have the values of Python when they are compiled."""

import copy
import math

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
