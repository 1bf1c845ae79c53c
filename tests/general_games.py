"""Small general games that several tests search, and evaluators."""

import threading
from contextlib import suppress

import mcts_core as mc

with suppress(ModuleNotFoundError):  # some tests run without it; an import within a search would delay that
    import numpy as np


def flat(observations):
    count = len(observations)
    return np.ones((count, 7), np.float32), np.zeros(count, np.float32)


def by_position(observations, actions=7):
    """An evaluator whose numbers for a position do not depend on the batch."""
    weights = np.arange(1, observations[0].size + 1, dtype=np.float64) ** 0.5
    codes = observations.reshape(len(observations), -1) @ weights
    return np.abs(np.sin(codes[:, None] * np.arange(1, actions + 1))), 0.5 * np.cos(codes)


WRONG = {"raises": "enough", "nan": "got nan in row", "shape": "shape"}
"""What may be wrong with an evaluation, and what the error says."""


def goes_wrong(wrong, at, calls):
    """An evaluator of Connect Four with something wrong in call number ``at``; ``calls`` get the threads."""
    def evaluate(observations):
        calls.append(threading.current_thread())
        policy, values = by_position(observations)
        if len(calls) == at:
            if wrong == "raises":
                raise ValueError("enough")
            if wrong == "nan":
                values[-1] = np.nan
            else:
                policy = policy[:, :5]
        return policy, values

    return evaluate


class Corner:
    """Two moves for one player, named by strings: the left one is worth 1."""

    players = 1
    to_move = 0

    def __init__(self, path=""):
        self.path = path

    def legal_moves(self):
        return ["left", "right"]

    def play(self, move):
        return type(self)(self.path + move[0])

    def returns(self):
        return [float(self.path == "ll")] if len(self.path) == 2 else None

    def observation(self):
        return np.zeros((1, 1, 2)) + len(self.path)

    def action(self, move):
        return {"left": 4, "right": 1}[move]


class Race:
    """Three players in turn take 1 or 2, which is a reward; the last one ends it, and has -1 for that."""

    players = 3

    def __init__(self, turn=0, reward=(0, 0, 0)):
        self.to_move, self.reward = turn, list(reward)

    def legal_moves(self):
        return [1, 2]

    def play(self, move):
        return type(self)(self.to_move + 1, [move * (player == self.to_move) for player in range(3)])

    def rewards(self):
        return self.reward

    def returns(self):
        return [0, 0, -1] if self.to_move == 3 else None


class Dice:
    """One player throws a die and adds, or stops; above 10 all is lost."""

    players = 1
    what = ""

    def __init__(self, total=0, over=False, rolling=False):
        self.total, self.over, self.rolling = total, over, rolling
        self.to_move = mc.CHANCE if rolling else 0

    def make(self, *arguments):
        return type(self)(*arguments)

    def legal_moves(self):
        return ["throw", "stop"]

    def chance_outcomes(self):
        return [(pips, 1 / 6) for pips in range(1, 7)]

    def play(self, move):
        if move == "stop":
            return self.make(self.total, True)
        if move == "throw":
            return self.make(self.total, False, True)
        return self.make(self.total + move, self.total + move > 10)

    def returns(self):
        return [self.total / 10 if self.total <= 10 else 0.0] if self.over else None
