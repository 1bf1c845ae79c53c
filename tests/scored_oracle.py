"""Searches of scored games as the documents tell them, slow and plain, to the bit as the native one must do it; games
made up from a number; and their exact values by value iteration."""

import collections
import functools
import math
import random

from general_oracle import Node, Oracle, Tangle
from uct_oracle import root, single, sqrt_log

import mcts_core as mc


class ScoredOracle(Oracle):
    """Rewards count from the leaf back to the root, and UCB1 and PUCT compare means between the lowest and highest one
    seen. Visits that wait for an evaluation count with the lowest one."""

    def __init__(self, state, seed, **options):
        self.low, self.high = [math.inf] * 3, [-math.inf] * 3
        self.waiting = collections.Counter()  # visits by (node, slot)
        self.sums = collections.defaultdict(lambda: [0.0] * 3)  # of the values of every player in a node
        self.valued = collections.Counter()  # how many these are
        super().__init__(state, seed, **options)

    def add(self, node, values):
        self.valued[node] += 1
        for player, value in enumerate(values):
            self.sums[node][player] += value

    def step(self, node, path):
        child = super().step(node, path)
        self.waiting[path[-1]] += 1
        return child

    def undo(self, path):
        super().undo(path)
        self.waiting.subtract(path)

    def resolve(self, waiting, collisions=()):
        found = self.evaluate([leaf.state for _, leaf in waiting])
        for (path, leaf), evaluation in zip(waiting, found, strict=True):
            self.add(leaf, evaluation[1])
            self.take(path, leaf, evaluation)
        for path in collisions:
            self.undo(path)
        self.batches.append(len(waiting))

    def take(self, path, leaf, evaluation):
        """One evaluation, by the other oracle."""
        evaluate, self.evaluate = self.evaluate, lambda _: [evaluation]
        super().resolve([(path, leaf)])
        self.evaluate = evaluate
        self.batches.pop()

    def mean(self, node, slot):
        """Of the move; with an evaluator it is that of the node to which it leads."""
        child = node.children[slot]
        if not self.evaluate or child.kind == "over":
            return node.sums[slot] / node.counts[slot]
        own = [value / self.valued[child] for value in self.sums[child][:self.players]]
        return self.carried(child, own)[node.player]

    def by_prior(self, node, slot):
        visits, low, high = node.counts[slot], self.low[node.player], self.high[node.player]
        factor = self.factor(low, high)
        if factor == 0.0:
            low = 0.0
        value = 0.0 if self.fpu is None else self.fpu
        if visits:
            value = (node.sums[slot] - (visits - self.waiting[node, slot]) * low) * factor / visits
        elif self.fpu is None and factor:
            value = min(max((self.sums[node][node.player] / self.valued[node] - low) * factor, 0.0), 1.0)
        return value + single(self.c_puct * root(node.visits)) * node.priors[slot] / (1.0 + visits)

    def carried(self, node, values):
        """The values of the move to a node, of values of the node."""
        factor = 1.0 if node.kind == "chance" else node.state.discount
        return [reward + factor * value for reward, value in zip(node.state.rewards(), values, strict=True)]

    def score(self, node, slot):
        if self.evaluate:
            return self.by_prior(node, slot)
        visits, low, high = node.counts[slot], self.low[node.player], self.high[node.player]
        if visits == 0:
            return math.inf if self.fpu is None else self.fpu
        scale = single(self.exploration * sqrt_log(max(node.visits, 1)))
        return (node.sums[slot] / visits - low) * self.factor(low, high) + float(scale) / math.sqrt(visits)

    @staticmethod
    def factor(low, high):
        """By which means are scaled; 0 where all are equal but for rounding."""
        return 1.0 / (high - low) if high - low > 1e-9 * max(abs(low), abs(high)) else 0.0

    def backup(self, path, values):
        for node, slot in reversed(path):
            values = self.carried(node.children[slot], values)
            self.add(node, values)
            self.waiting[node, slot] -= 1
            node.flight -= 1
            if node.kind == "decision":
                node.total += values[node.player]
                node.sums[slot] += values[node.player]
                mean = self.mean(node, slot)
                self.low[node.player] = min(self.low[node.player], mean)
                self.high[node.player] = max(self.high[node.player], mean)
        for player, value in enumerate(values):
            self.totals[player] += value
        self.iterations += 1
        self.depths.append(len(path))

    def roll_out(self, state):
        values, weight = [0.0] * self.players, 1.0
        while state.returns() is None:
            state = state.play(self.next_move(state))
            values = [value + weight * reward for value, reward in zip(values, state.rewards(), strict=True)]
            if state.returns() is not None or state.to_move != mc.CHANCE:
                weight *= state.discount
        return [value + weight * last for value, last in zip(values, state.returns(), strict=True)]


@functools.cache
def gains(number, path, players):
    """The rewards of a position of ``ScoredTangle``."""
    draw = random.Random(f"rewards {number} {path}")
    return [draw.choice([0.0, -3.0, 100.0, 1000 * draw.random()]) for _ in range(players)]


class ScoredTangle(Tangle):
    """A ``Tangle`` with rewards of any size on the way."""

    discount = 0.9

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.gain = gains(self.number, self.path, self.players)

    def play(self, move):
        if move not in self.known:
            self.known[move] = ScoredTangle(self.number, self.players, self.chance, self.length, (*self.path, move))
        return self.known[move]

    def rewards(self):
        return self.gain


def exact(state):
    """The values of every player in ``state`` when each maximises his own, and of each move: by exhaustive search."""
    ends = state.returns()
    if ends is not None:
        return [float(value) for value in ends], {}
    chance = state.to_move == mc.CHANCE
    found = {}
    for move, _ in state.chance_outcomes() if chance else [(move, 1.0) for move in state.legal_moves()]:
        child = state.play(move)
        factor = 1.0 if child.returns() is None and child.to_move == mc.CHANCE else state.discount
        found[move] = [reward + factor * value for reward, value in zip(child.rewards(), exact(child)[0], strict=True)]
    if chance:
        outcomes = state.chance_outcomes()
        means = [sum(chance * found[move][player] for move, chance in outcomes) for player in range(state.players)]
        return means, found
    best = max(found, key=lambda move: found[move][state.to_move])
    return found[best], found


__all__ = ["Node", "ScoredOracle", "ScoredTangle", "exact"]
