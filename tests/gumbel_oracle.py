"""Planning with Gumbel noise as the paper tells it, slow and plain: Danihelka et al., ICLR 2022, scaled as in mctx, but
for values that lie close together.

Nodes are objects, all numbers are those of Python. The noise is made of the library's random numbers: -log(-log(u)).
"""

import math

import mcts_core as mc
from mcts_core.testing.probe import Probe

NOISE = 0x6A09E667F3BCC909
"""By which the seed of the noise differs from that of the search."""


LEAST_RANGE = 0.25
"""Values that lie closer together are not stretched from 0 to 1."""


def noise(seed, count):
    random = Probe(mc.TicTacToe(), seed ^ NOISE)
    return [-math.log(-math.log(((random.random() >> 12) + 0.5) / 2**52)) for _ in range(count)]


class Node:
    """``value``: of the evaluation or the end of the game, for player 0, from 0 to 1."""

    def __init__(self, state, evaluate, player):
        self.state, self.player = state, player
        self.over = state.winner() is not None
        if self.over:
            self.value = (1 + state.winner()) / 2
            return
        priors, value = evaluate(state)
        self.value = (1 + value) / 2 if player == 0 else (1 - value) / 2
        self.expand(priors)

    def expand(self, priors):
        self.moves = self.state.legal_moves()
        self.priors = [priors[move] / sum(priors[move] for move in self.moves) for move in self.moves]
        self.children = [None] * len(self.moves)
        self.visits = [0] * len(self.moves)
        self.sums = [0.0] * len(self.moves)

    def own(self, value):
        return value if self.player == 0 else 1 - value

    def completed(self):
        """Appendix D: what has no visit has the mixed value."""
        tried = [slot for slot, visits in enumerate(self.visits) if visits]
        mixed = self.own(self.value)
        if tried:
            weight = sum(self.priors[slot] for slot in tried)
            mean = sum(self.priors[slot] * self.sums[slot] / self.visits[slot] for slot in tried) / weight
            mixed = (mixed + sum(self.visits) * mean) / (1 + sum(self.visits))
        values = [total / visits if visits else mixed for total, visits in zip(self.sums, self.visits, strict=True)]
        low, high = min(values), max(values)
        return [(50 + max(self.visits)) * 0.1 * (value - low) / max(high - low, self.least()) for value in values]

    def least(self):
        return LEAST_RANGE

    def improved(self):
        """The softmax of logits and completed values."""
        values = self.completed()
        shares = [prior * math.exp(value - max(values)) for prior, value in zip(self.priors, values, strict=True)]
        return [share / sum(shares) for share in shares]


def halving(moves, simulations):
    """The visits that a move must have for each simulation to consider it."""
    if moves == 1:
        return list(range(simulations))
    rounds, sequence, visits, left = math.ceil(math.log2(moves)), [], [0] * moves, moves
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            visits[:left] = [number + 1 for number in visits[:left]]
        left = max(2, left // 2)
    return sequence[:simulations]


class Search:
    """The search of ``state``; ``evaluate(state)`` returns ({move: prior}, value of the side to move from -1 to 1)."""

    def __init__(self, state, evaluate, iterations, seed, moves=16, scale=1.0):
        self.evaluate, self.seen = evaluate, []
        self.root = root = self.node(state)
        self.scores = [scale * number + math.log(prior)
                       for number, prior in zip(noise(seed, len(root.moves)), root.priors, strict=True)]
        for wanted in halving(min(moves, len(root.moves)), iterations):
            self.descend(root, self.best(wanted))
        self.move = root.moves[self.best(max(root.visits))]

    def node(self, state):
        node = Node(state, self.evaluate, 0 if state.to_move == 1 else 1)
        if not node.over:
            self.seen.append(state)
        return node

    def best(self, wanted):
        values = self.root.completed()
        return max((slot for slot, visits in enumerate(self.root.visits) if visits == wanted),
                   key=lambda slot: (self.scores[slot] + values[slot], -slot))

    def descend(self, node, slot):
        path = []
        while True:
            path.append((node, slot))
            child = node.children[slot]
            if child is None:
                child = node.children[slot] = self.node(node.state.play(node.moves[slot]))
                break
            if child.over:
                break
            node, total = child, 1 + sum(child.visits)
            policy = node.improved()
            slot = max(range(len(node.moves)), key=lambda slot: (policy[slot] - node.visits[slot] / total, -slot))
        self.backup(path, child)

    def backup(self, path, leaf):
        for node, slot in path:
            node.visits[slot] += 1
            node.sums[slot] += node.own(leaf.value)


class ScoredNode(Node):
    """``value``: a list, of every player. ``search``: knows the range of all values."""

    def __init__(self, state, evaluate, search):
        self.state, self.search = state, search
        ends = state.returns()
        self.over = ends is not None
        self.player = None if self.over else state.to_move
        self.value = ends
        if not self.over:
            priors, self.value = evaluate(state)
            self.expand(priors)
        self.totals, self.count = list(self.value), 1

    def own(self, value):
        return value[self.player]

    def least(self):
        low, high = self.search.range[self.player]
        return LEAST_RANGE * (high - low if high > low else 1.0)

    def carried(self, values):
        """The values of the move that leads here."""
        return [reward + self.state.discount * value
                for reward, value in zip(self.state.rewards(), values, strict=True)]


class ScoredSearch(Search):
    """The same in a game without chance that has rewards; ``evaluate(state)`` returns the values of all players."""

    def __init__(self, state, *arguments, **options):
        self.range = [[math.inf, -math.inf] for _ in range(state.players)]
        super().__init__(state, *arguments, **options)

    def node(self, state):
        return ScoredNode(state, self.evaluate, self)

    def backup(self, path, leaf):
        values = leaf.value
        for node, slot in reversed(path):
            child = node.children[slot]
            values = child.carried(values)
            node.totals = [total + value for total, value in zip(node.totals, values, strict=True)]
            node.count += 1
            node.visits[slot] += 1
            node.sums[slot] += node.own(values)
            mean = node.own(child.carried([total / child.count for total in child.totals]))
            seen = self.range[node.player]
            seen[:] = min(seen[0], mean), max(seen[1], mean)
