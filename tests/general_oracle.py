"""The search of general games as the documents tell it, slow and plain, to the bit as the native one must do it.

Nodes are objects, single precision is rounded explicitly. Random numbers come from the library's generator, which is
tested elsewhere, so that both consume the same ones.
"""

import functools
import math
import random
from contextlib import suppress

from uct_oracle import inverse_root, root, single, sqrt_log

import mcts_core as mc
from mcts_core.testing.probe import Probe

with suppress(ModuleNotFoundError):  # some tests run without it
    import numpy as np


class Node:
    def __init__(self, state, tree):
        self.state, self.tree = state, tree
        self.ending = tree.returns(state)
        self.kind = "over" if self.ending is not None else "chance" if state.to_move == mc.CHANCE else "decision"
        self.children = None  # of an expanded node, in the order of the moves
        self.waits = False
        self.total, self.visits, self.flight = 0.0, 0, 0
        if self.kind == "decision":
            self.player = tree.player(state)
            self.moves = list(state.legal_moves())
        elif self.kind == "chance":
            self.moves = [move for move, _ in state.chance_outcomes()]
            self.chances = [chance for _, chance in state.chance_outcomes()]

    def expand(self):
        if self.kind == "decision" and not self.tree.evaluate:
            self.tree.shuffle(self.moves)
        self.children = [None] * len(self.moves)
        self.counts = [0] * len(self.moves)
        self.sums = [0.0] * len(self.moves)


class Oracle:
    """A search from ``state``; ``evaluate`` takes a list of states and returns a list of (policy, values of each
    player), the policy a list by legal move; None: rollouts. ``ahead``: a batch is gathered before the one before it
    has been evaluated. ``ordered``: moves with priors keep their order, which is random otherwise."""

    def __init__(self, state, seed, *, exploration=0.5**0.5, fpu=None, rollouts_per_leaf=1, evaluate=None, batch=1,
                 c_puct=0.625, noise_alpha=0.0, noise_weight=0.25, ahead=False, ordered=False):
        self.random = Probe(mc.TicTacToe(), seed)
        self.general = hasattr(state, "players")
        self.players = state.players if self.general else 2
        self.exploration, self.c_puct = single(exploration), single(c_puct)
        self.fpu = None if fpu is None else single(fpu)
        self.rollouts_per_leaf, self.batch = rollouts_per_leaf, batch
        self.evaluate = evaluate
        self.noise_alpha, self.noise_weight = noise_alpha, noise_weight
        self.root = Node(state, self)
        self.root.expand()
        self.totals = [0.0] * self.players
        self.iterations = self.evaluations = 0
        self.nodes, self.depths, self.batches = 1, [], []
        self.ahead, self.pending, self.ordered = ahead, [], ordered
        if evaluate:
            self.resolve([([], self.root)])

    def returns(self, state):
        if self.general:
            return state.returns()
        winner = state.winner()
        return None if winner is None else [(1 + winner) / 2, (1 - winner) / 2]

    def player(self, state):
        return state.to_move if self.general else (1 - state.to_move) // 2

    def shuffle(self, moves, *columns):
        """Puts the moves of a new node, and columns beside them, into random order."""
        for slot in range(len(moves) - 1):
            other = slot + self.random.below(len(moves) - slot)
            for column in (moves, *columns):
                column[slot], column[other] = column[other], column[slot]

    # ---- selection ----

    def draw(self, node):
        """An outcome by 31 random bits."""
        number = self.random.random() >> 33
        total, sum = 0.0, 0.0
        for chance in node.chances:
            total += chance
        for slot, chance in enumerate(node.chances):
            sum += chance
            share = sum / total
            last = not any(node.chances[slot + 1:])
            if last or number < int(share * 2**31):
                return slot
        raise AssertionError

    def score(self, node, slot):
        visits, sum = node.counts[slot], single(node.sums[slot])
        if self.evaluate:
            scale = single(self.c_puct * root(node.visits))
            if visits:
                mean = single(sum / visits)
            else:
                mean = single(node.total / (node.visits - node.flight)) if self.fpu is None else self.fpu
            return single(mean + single(single(scale * node.priors[slot]) / (1 + visits)))
        if visits == 0:
            return math.inf if self.fpu is None else self.fpu
        scale = single(self.exploration * sqrt_log(max(node.visits, 1)))
        inverse = inverse_root(visits)
        return single(inverse * single(single(sum * inverse) + scale))

    def select(self, node):
        if node.kind == "chance":
            return self.draw(node)
        scores = [self.score(node, slot) for slot in range(len(node.moves))]
        return scores.index(max(scores))  # the first of them

    def step(self, node, path):
        """Goes down one move; the visit counts at once."""
        slot = self.select(node)
        path.append((node, slot))
        node.visits += 1
        node.flight += 1
        node.counts[slot] += 1
        return node.children[slot]

    def child(self, node, slot):
        child = node.children[slot] = Node(node.state.play(node.moves[slot]), self)
        return child

    def undo(self, path):
        for node, slot in path:
            node.visits -= 1
            node.flight -= 1
            node.counts[slot] -= 1

    def backup(self, path, values):
        for node, slot in path:
            node.flight -= 1
            if node.kind == "decision":
                node.total += values[node.player]
                node.sums[slot] += values[node.player]
        for player, value in enumerate(values):
            self.totals[player] += value
        self.iterations += 1
        self.depths.append(len(path))

    # ---- rollouts ----

    def next_move(self, state):
        """The move or outcome of a rollout."""
        if state.to_move != mc.CHANCE:
            moves = list(state.legal_moves())
            return moves[self.random.below(len(moves))]
        at, sum = (self.random.random() >> 11) / 2**53, 0.0
        for outcome, chance in state.chance_outcomes():
            if chance > 0:
                move = outcome
                sum += chance
                if at < sum:
                    break
        return move

    def roll_out(self, state):
        while (values := self.returns(state)) is None:
            state = state.play(self.next_move(state))
        return values

    def iterate(self):
        """One iteration by rollouts."""
        node, path = self.root, []
        while True:
            child = self.step(node, path)
            parent, slot = path[-1]
            new = child is None
            if new:
                child = self.child(parent, slot)
                self.nodes += 1
            if child.kind == "over":
                self.backup(path, child.ending)
                return
            if child.kind == "decision" and new:
                means = [0.0] * self.players
                for _ in range(self.rollouts_per_leaf):
                    for player, value in enumerate(self.roll_out(child.state)):
                        means[player] += value
                self.backup(path, [mean / self.rollouts_per_leaf for mean in means])
                return
            if child.children is None:
                child.visits = parent.counts[slot] - 1
                child.expand()
            node = child

    # ---- evaluations ----

    def gather(self, count):
        """Descents up to a batch of leaves, at most ``count`` iterations."""
        waiting, collisions, begin = [], [], self.iterations
        count -= sum(len(batch) for batch, _ in self.pending)
        while (len(waiting) < self.batch and len(collisions) < self.batch and self.iterations - begin < self.batch
               and self.iterations - begin + len(waiting) < count):
            node, path = self.root, []
            while True:
                child = self.step(node, path)
                parent, slot = path[-1]
                if child is None:
                    child = self.child(parent, slot)
                    if child.kind == "decision":
                        child.waits = True
                        child.visits = child.flight = 1
                        child.expand()
                        waiting.append((path, child))
                        break
                    self.nodes += 1
                    if child.kind == "chance":
                        child.expand()
                elif child.waits:
                    collisions.append(path)
                    break
                if child.kind == "over":
                    self.backup(path, child.ending)
                    break
                node = child
        if waiting:
            self.pending.append((waiting, collisions))
        else:
            for path in collisions:
                self.undo(path)
        if len(self.pending) > (self.ahead and bool(waiting)):
            self.resolve(*self.pending.pop(0))

    def resolve(self, waiting, collisions=()):
        for (path, leaf), (policy, values) in zip(
                waiting, self.evaluate([leaf.state for _, leaf in waiting]), strict=True):
            total = sum(policy)
            if total > 0:
                leaf.priors = [single(share / total) for share in policy]
            else:
                leaf.priors = [single(1 / len(policy))] * len(policy)
            if not (self.ordered or (leaf is self.root and self.noise_alpha)):
                self.shuffle(leaf.moves, leaf.priors)
            leaf.waits, leaf.flight = False, 0
            leaf.total = values[leaf.player]
            self.evaluations += 1
            if leaf is self.root:
                if self.noise_alpha:
                    noise = self.random.dirichlet(self.noise_alpha, len(policy))
                    leaf.priors = [single((1 - self.noise_weight) * prior + self.noise_weight * part)
                                   for prior, part in zip(leaf.priors, noise, strict=True)]
                leaf.visits = 1
            else:
                self.nodes += 1
                self.backup(path, values)
        for path in collisions:
            self.undo(path)
        self.batches.append(len(waiting))

    def run(self, iterations):
        while self.iterations < iterations:
            if self.evaluate:
                self.gather(iterations - self.iterations)
            else:
                self.iterate()
        return self

    def children(self):
        """{move: (visits, sum of values of the player to move)} of the root."""
        return {move: (visits, sum) for move, visits, sum in zip(
            self.root.moves, self.root.counts, self.root.sums, strict=True)}


@functools.cache
def drawn(number, players, chance, length, path):
    """(result, player to move, moves, their chances, code) of a position of ``Tangle``."""
    draw = random.Random(f"{number} {path}")
    over = len(path) >= length or (len(path) > 1 and draw.random() < 0.12)
    result = [draw.choice([0.0, 0.25, 0.5, 1.0, draw.random()]) for _ in range(players)] if over else None
    to_move = draw.randrange(players)
    if path and draw.random() < chance:
        to_move = mc.CHANCE
    count = draw.randint(1, 11 if len(path) == 0 else 4)
    moves = [f"m{k}" if draw.random() < 0.5 else k for k in range(count)]
    weights = [draw.choice([0.0, 1.0, 2.0, draw.random()]) for _ in moves]
    weights[draw.randrange(count)] += 0.1
    return result, to_move, moves, [weight / sum(weights) for weight in weights], draw.randrange(1000)


class Tangle:
    """A game made up from a number: who moves, what may happen, how it ends, all by a hash of the moves so far."""

    def __init__(self, number, players=2, chance=0.3, length=8, path=()):
        self.number, self.players, self.chance, self.length, self.path = number, players, chance, length, path
        self.result, self.to_move, self.moves, self.chances, self.code = drawn(number, players, chance, length, path)
        self.known = {}

    def legal_moves(self):
        assert self.result is None and self.to_move != mc.CHANCE
        return list(self.moves)

    def chance_outcomes(self):
        assert self.result is None and self.to_move == mc.CHANCE
        return list(zip(self.moves, self.chances, strict=True))

    def play(self, move):
        assert self.result is None and move in self.moves
        if move not in self.known:
            self.known[move] = Tangle(self.number, self.players, self.chance, self.length, (*self.path, move))
        return self.known[move]

    def returns(self):
        return self.result

    def observation(self):
        return [[[self.code, len(self.path), self.to_move]]]

    def action(self, move):
        return 3 + 2 * self.moves.index(move)

    actions = 30


def network(observations):
    """An evaluator of ``Tangle`` that is a function of the observation: policies, and the value of the side to move."""
    codes = observations[:, 0, 0, 0].astype(int)
    actions = np.arange(Tangle.actions)
    policy = ((codes[:, None] * 7 + actions * 13) % 17 / 16.0).astype(np.float32)
    policy[codes % 9 == 0] = 0
    return policy, ((codes % 21 - 10) / 10).astype(np.float32)


def network_of_all(observations):
    """The same with a value for each of three players."""
    codes = observations[:, 0, 0, 0].astype(int)
    values = (codes[:, None] * [1, 3, 5] % 21 - 10) / 10
    return network(observations)[0], values.astype(np.float32)


def by_states(function, players):
    """``function`` over observations as the ``evaluate`` of the oracle, its values as those of every player."""

    def evaluate(states):
        observations = np.array([state.observation() for state in states], np.float32)
        policies, values = function(observations)
        found = []
        for state, policy, value in zip(states, policies, values, strict=True):
            if np.ndim(value) == 0:
                value = [value if player == state.to_move else -value for player in range(players)]
            found.append(([float(policy[state.action(move)]) for move in state.moves],
                          [0.5 + 0.5 * float(number) for number in value]))
        return found

    return evaluate
