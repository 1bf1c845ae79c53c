"""Nested rollout policy adaptation as the paper describes it (Rosin, IJCAI 2011, section 2), slow and plain, with the
library's random numbers; and games to compare it on."""

import collections
import math
import random

import mcts_core as mc
from mcts_core.testing.probe import Probe


class NestedOracle:
    """``lines``: the moves and the value of every rollout."""

    def __init__(self, state, seed, width, longest=None):
        self.state, self.width, self.longest = state, width, longest
        self.random = Probe(mc.TicTacToe(), seed)
        self.lines = []

    def search(self, level, policy=None):
        """The value and the steps of the best line; a step is the move and the moves that were legal."""
        policy = policy or collections.defaultdict(float)
        if level == 0:
            return self.rollout(policy)
        best, policy = (-math.inf, []), policy.copy()
        for _ in range(self.width):
            found = self.search(level - 1, policy)
            if found[0] >= best[0]:
                best = found
            policy = adapted(policy, best[1])
        return best

    def rollout(self, policy):
        state, steps, value, weight = self.state, [], 0.0, 1.0
        while state.returns() is None and len(steps) != self.longest:
            legal = list(state.legal_moves())
            powers = [math.exp(policy[move]) for move in legal]
            slot = 0
            if len(legal) > 1:
                at = ((self.random.random() >> 12) + 0.5) / 2**52 * sum(powers)
                while slot < len(legal) - 1 and at >= sum(powers[:slot + 1]):
                    slot += 1
            steps.append((legal[slot], legal))
            state = state.play(legal[slot])
            if hasattr(state, "rewards"):
                value += weight * state.rewards()[0]
            weight *= getattr(state, "discount", 1.0)
        if state.returns() is not None:
            value += weight * state.returns()[0]
        self.lines.append(([move for move, _ in steps], value))
        return value, steps


def adapted(policy, steps):
    changed = policy.copy()
    for played, legal in steps:
        total = sum(math.exp(policy[move]) for move in legal)
        changed[played] += 1.0
        for move in legal:
            changed[move] -= math.exp(policy[move]) / total
    return changed


class Maze:
    """A game of one player generated from a number. Names of moves come back in many positions, with other moves beside
    them. Every line that was played to its end is in ``ended``."""

    players, to_move = 1, 0

    def __init__(self, number, path=(), ended=None):
        self.number, self.path, self.ended = number, path, [] if ended is None else ended
        draw = random.Random(f"{number} {path}")
        self.moves = draw.sample(["a", "b", "c", 1, 2, 3, (4, 5)], draw.choice([1, 2, 2, 3, 5]))
        self.result = draw.choice([0.0, 0.25, draw.random(), draw.random()])
        self.over = len(path) >= 9 or (len(path) > 3 and draw.random() < 0.2)

    def __eq__(self, other):
        return type(self) is type(other) and (self.number, self.path) == (other.number, other.path)

    def __hash__(self):
        return hash((self.number, self.path))

    def legal_moves(self):
        return self.moves

    def play(self, move):
        return type(self)(self.number, (*self.path, move), self.ended)

    def returns(self):
        if not self.over:
            return None
        self.ended.append(list(self.path))
        return [self.result]


class ScoredMaze(Maze):
    discount = 0.9

    def rewards(self):
        return [self.result * 10 - 4]
