"""UCT as in the textbooks, slow and plain, to the bit as the native search must do it.

Nodes are objects, every statistic is recomputed from scratch, single precision is rounded explicitly. Only the rollouts
come from the library, through a probe of the game table, so that both consume the same random numbers.
"""

import math
from array import array
from functools import cache

ONGOING, WIN, DRAW, LOSS, ILLEGAL = range(5)
_SINGLE = array("f", [0.0])


def single(x):
    """``x`` rounded to single precision, by the fastest way that there is: half of an oracle's time goes into it."""
    _SINGLE[0] = x
    return _SINGLE[0]


@cache
def root(n):
    return single(math.sqrt(single(n)))


@cache
def inverse_root(n):
    return single(1 / root(n))


@cache
def sqrt_log(n):
    if n < 4096:
        return single(math.sqrt(single(math.log(n))))
    shift = n.bit_length() - 12
    top = n >> shift
    rest = single((n - (top << shift)) / (1 << shift))
    low, high = single(math.log(top)), single(math.log(top + 1))
    total = single(single(low + single(rest * single(high - low))) + single(shift * single(math.log(2))))
    return single(math.sqrt(total))


class Node:
    def __init__(self):
        self.visits = 0
        self.points = 0  # half-points of the player who moves at the parent
        self.cursor = 0  # None: all moves tried
        self.count = None
        self.children = {}  # slot -> Node
        self.ending = None  # half-points of player +1 when the game is over here
        self.block = False  # whether all children count, seen by the player to move here
        self.best = None  # the slot that the next iteration takes
        self.moves = None
        self.player = None


class Oracle:
    """A search over the game of ``probe`` from a position where ``player`` (+1 or -1) is to move."""

    def __init__(self, probe, player, exploration, rollouts_per_leaf=1):
        self.probe, self.player, self.exploration = probe, player, single(exploration)
        self.rollouts_per_leaf = rollouts_per_leaf
        self.unit = single(0.5 / rollouts_per_leaf)
        self.root = Node()
        self.root.player = player
        self.nodes, self.rollouts, self.depths = 1, 0, []
        self.exact_slots = 16

    def score(self, child, slots, s):
        """``s``: the exploration at the node above."""
        inverse = inverse_root(child.visits)
        half = single(self.unit * child.points)
        if slots <= self.exact_slots:
            return single(inverse * single(single(half * inverse) + s))
        return single(single(half / child.visits) + single(s * inverse))

    def select(self, node):
        slots = -(-node.count // 8) * 8
        s = single(self.exploration * sqrt_log(node.visits))
        best, top = None, -math.inf
        for slot in sorted(node.children):
            score = self.score(node.children[slot], slots, s)
            if score > top:
                best, top = slot, score
        first = node.children[best]
        if not self.probe.ordered and first.visits <= 8:  # chance chooses between equal moves
            equal = [slot for slot in sorted(node.children) if slot >= best and (
                node.children[slot].visits, node.children[slot].points) == (first.visits, first.points)]
            best = equal[self.probe.below(len(equal)) if len(equal) > 1 else 0]
        return best

    def expand(self, node, path):
        outcomes, node.moves, same = self.probe.expand(path, node.count)
        node.player = self.player if same else -self.player
        for slot, child in node.children.items():
            assert outcomes[slot] != ILLEGAL
            child.points = self.gain_of(node.player, child.points)  # until now seen by player +1
            if outcomes[slot] != ONGOING:
                won = {WIN: node.player, LOSS: -node.player, DRAW: 0}[outcomes[slot]]
                child.ending = 1 + won

    def iterate(self):
        node, path, way = self.root, [], [self.root]
        while True:
            if node.ending is not None:
                points = node.ending * self.rollouts_per_leaf
                depth = len(path)
                break
            if node.cursor is None:
                if not node.block:
                    self.expand(node, path)
                    node.block = True
                    node.best = self.select(node)
                slot = node.best
                path.append(slot if node.moves is None else node.moves[slot])
                node = node.children[slot]
                way.append(node)
                continue
            cursor, points, tried, lot = node.cursor, 0, None, 0
            if not self.probe.ordered:  # chance chooses what is tried next
                tried, lot = list(node.children), self.probe.random() >> 32
            for _ in range(self.rollouts_per_leaf):
                result, slot, node.cursor, node.count = self.probe.simulate(path, cursor, tried, lot)
                points += 1 + self.player * (result - 1)
            child = node.children[slot] = Node()
            child.visits, child.points = 1, points
            self.nodes += 1
            self.rollouts += self.rollouts_per_leaf
            depth = len(path) + 1
            break
        self.depths.append(depth)
        for parent, child in zip([None, *way[:-1]], way, strict=True):
            child.visits += 1
            if parent is None:
                child.points += points
            else:
                child.points += self.gain_of(parent.player, points)
                parent.best = self.select(parent)

    def gain_of(self, player, points):
        """What ``player`` gets of an iteration that gave ``points`` half-points to player +1."""
        return points if player > 0 else 2 * self.rollouts_per_leaf - points

    def children(self):
        """{move: (visits, wins)} of the root, wins for its player."""
        root = self.root
        result = {}
        for slot, child in root.children.items():
            name = slot if root.moves is None else root.moves[slot]
            points = child.points if root.block else self.gain_of(self.player, child.points)
            result[name] = (child.visits, points / (2 * self.rollouts_per_leaf))
        return result
