"""The guided search, slow and plain, to the bit as the native one must do it.

Nodes are objects and scores are found from scratch; single precision is rounded explicitly. Only what a game knows
(children, rollouts, exact search) comes from the library, through a probe, so that both consume the same random
numbers.
"""

import math
from operator import attrgetter

from network_oracle import exp2_minus
from uct_oracle import root, single, sqrt_log

ONGOING, WIN, DRAW, LOSS = range(4)
ROLLOUTS = ("random", "decisive", "tactical")
NAMES = ("loss", "draw", "win")
EXCLUDED = -1e30
SLICE = 4096  # units of the root's exact search at a time
FOLLOWING = 64  # slices due at once where the root follows from a proven one
NODE_SLICE = 65536  # at most, of that of another node
STEPS = 64  # of the value of a leaf, at least, where a network gives a share of it; a win has twice so many
PRIOR_SLOPE = 3072  # of the logarithm of a prior, in 256ths of log2, over the expected result
FIRST_PROOF = 64  # visits of a node when its exact search begins
VISITS, WINS = attrgetter("visits"), attrgetter("wins")


def ratio(a, b):
    return single(a / b)


class Child:
    def __init__(self, move=0, action=0, prior=0.0):
        self.move, self.action, self.prior = move, action, prior
        self.visits = self.wins = self.squares = 0  # wins: half-points of the player who moves at the parent
        self.amaf_visits = self.amaf_wins = 0.0
        self.block = None
        self.value = None  # half-points of player +1 when it is proven
        self.distance = None


class Block:
    """A node that has children."""

    def __init__(self, player, children):
        self.player, self.children = player, children
        self.best = None
        self.stale = False  # see FlightOracle
        self.visits = 0
        self.has_draw = False
        self.incomplete, self.closed = False, False  # moves were left out that may be better; and cannot be had
        self.rest = 0
        self.record = None  # GRAVE: {action: [visits, wins]} of both players


class Oracle:
    """A search over the game of ``probe`` from a position where ``player`` (+1 or -1) is to move."""

    def __init__(self, probe, player, *, selection="ucb1", valuation="rollout", exploration=0.7, fpu=None, solver=True,
                 rollout="random", rollouts_per_leaf=1, expand_after=1, expand_distance=0, prior_weight=0.0,
                 rave_schedule="hand",
                 rave_k=1000.0, rave_bias=1e-5, grave_ref=50, symmetry=False, leaf_proofs=0, node_proofs=0,
                 root_proofs=0, prover_bytes=0, c_puct=0.8, noise_alpha=None, noise_weight=0.25, least_prior=0.01,
                 network=None, valuer=None):
        """``valuer``: what knows ``network``, see ``network_oracle.Valuer``."""
        self.puct, self.least_prior = selection == "puct", single(least_prior)
        self.noise_alpha, self.noise_weight = noise_alpha, noise_weight
        self.valuer = None if network is None else valuer
        self.valued = {"rollout": 0, "network": 256}.get(valuation)
        if self.valued is None:
            self.valued = max(int(valuation * 256 + 0.5), int(valuation > 0))
        self.leaf_rollouts = rollouts_per_leaf
        if self.valued:
            rollouts_per_leaf = max(rollouts_per_leaf, STEPS)
        if self.puct:
            exploration, prior_weight, fpu = c_puct, 1.0, 0.0 if fpu is None else fpu
        self.probe, self.player = probe, player
        self.selection, self.solver, self.schedule = selection, solver, rave_schedule
        self.amaf = selection in ("rave", "grave")
        self.exploration, self.prior_weight = single(exploration), single(prior_weight)
        self.fpu = 1e20 if fpu is None else single(fpu)
        self.k, self.bias, self.grave_ref = single(rave_k), single(rave_bias), grave_ref
        self.rollout, self.rollouts_per_leaf = ROLLOUTS.index(rollout), rollouts_per_leaf
        self.unit = ratio(0.5, rollouts_per_leaf)
        self.expand_after, self.distance, self.symmetry = expand_after, expand_distance, symmetry
        self.leaf_proofs, self.node_proofs, self.root_proofs = leaf_proofs, node_proofs, root_proofs
        self.memory = prover_bytes
        self.has_prover = solver and probe.guide[3] and prover_bytes > 0
        self.root = Child()
        self.top = Block(1, [self.root])  # the root is a child like any other
        self.top.best = self.root
        self.proof = None  # (half-points for the player to move, distance, exact, move)
        self.settled, self.root_proofs_due = False, 0
        self.nodes, self.rollouts, self.depths = 1, 0, []

    # ---- selection

    def puct_scores(self, block, children):
        visits, wins = sum(map(VISITS, block.children)), sum(map(WINS, block.children))
        mean = ratio(single(single(wins) * self.unit), single(visits)) if visits else 0.5
        unvisited = single(mean - self.fpu)
        scale = single(self.exploration * single(math.sqrt(single(max(block.visits, 1)))))
        for child in children:
            if child.prior == EXCLUDED:
                yield single(EXCLUDED)
                continue
            visits, share = child.visits, single(scale * child.prior)
            if visits:
                value = ratio(single(single(child.wins) * self.unit), single(visits))
                yield single(value + ratio(share, single(visits + 1)))
            else:
                yield single(unvisited + share)

    def score(self, block, child, record, s):
        """``s``: the exploration at the block."""
        if child.prior == EXCLUDED:
            return single(EXCLUDED)
        n = single(child.visits)
        m = single(n + self.prior_weight)
        if not m > 0 and not self.amaf:
            return self.fpu
        played = max(child.visits, 1)
        own = single(single(child.wins) * self.unit)
        mean = ratio(single(own + child.prior), m if m > 0 else 1.0)
        if self.selection == "ucb1":
            return single(mean + ratio(s, root(played)))
        if self.selection == "ucb1-tuned":
            log = ratio(s, self.exploration) if self.exploration > 0 else 0.0
            square = single(single(self.unit * self.unit) * self.rollouts_per_leaf)
            mean_square = ratio(single(child.squares * square), played)
            average = ratio(own, played)
            variance = single(mean_square - single(average * average))
            variance = single(variance + single(math.sqrt(ratio(single(2 * log * log), played))))
            variance = max(min(variance, 0.25), 0.0)
            return single(mean + single(s * single(math.sqrt(ratio(variance, played)))))
        if self.selection == "rave":
            a, wins = child.amaf_visits, child.amaf_wins
        else:
            a, wins = record[block.player].get(child.action, (0.0, 0.0))
        if not single(m + a) > 0:
            return self.fpu
        amaf = ratio(wins, a if a > 0 else 1.0)
        if not a > 0:
            beta = 0.0
        elif not m > 0:
            beta = 1.0
        elif self.selection == "rave" and self.schedule == "hand":
            beta = root(self.k / (3.0 * single(block.visits) + self.k)) if self.k > 0 else 0.0
        else:
            below = single(single(n + a) + single(single(n * a) * self.bias))
            beta = ratio(a, single(below + single(1e-9)))
        value = single(single(mean * single(1 - beta)) + single(amaf * beta))
        return single(value + ratio(s, root(played)))

    def highest(self, block, children, record):
        """The child of the highest score, the first of them."""
        if self.puct:
            scores = list(self.puct_scores(block, children))
        else:
            s = single(self.exploration * sqrt_log(max(block.visits, 1)))
            scores = [self.score(block, child, record, s) for child in children]
        return children[scores.index(max(scores))] if children else None

    def record_for(self, way):
        """GRAVE: the statistics of the deepest node of the way that has some."""
        if self.selection != "grave":
            return None
        return next((block.record for block in reversed(way) if block.record is not None), None)

    def at_most_draw(self, block, child):
        return child.block is not None and child.block.has_draw and child.block.player != block.player

    # ---- proven values

    def prove(self, child, player, value, distance, excluded_for=None, keep=False):
        if not keep:  # what proves it stays
            child.block = None
        child.value, child.distance = value if player > 0 else 2 - value, min(distance, 0xFFFF)
        if excluded_for is not None and self.solver and self.worth(excluded_for, child) == 0:
            child.prior = EXCLUDED

    @staticmethod
    def worth(player, child):
        return child.value if player > 0 else 2 - child.value

    def value_of(self, block):
        """(half-points for the player to move, distance) when the children prove it, else (-1, None); (-2, None) when
        all lose, but some were left out."""
        known = [(self.worth(block.player, child), child.distance) for child in block.children
                 if child.value is not None]
        wins = [distance for value, distance in known if value == 2]
        if wins:
            return 2, 1 + min(wins)
        draws = [distance for value, distance in known if value == 1]
        if draws:
            block.has_draw = True
        others = [child for child in block.children if child.value is None]
        if any(not self.at_most_draw(block, child) for child in others) or (others and not draws):
            return -1, None
        if block.incomplete:
            return -2, None
        if draws:
            return 1, 1 + max(draws)
        return 0, 1 + max([block.rest, *(distance for _, distance in known)])

    def prove_root(self, value, distance):
        self.proof = value, distance, False, None
        if not self.has_prover or not self.root_proofs or (value, distance) == (2, 1):
            self.settled = True

    def alternating_player(self, path):
        return self.player if len(path) % 2 == 0 else -self.player

    def settle(self, way, points):
        """The end of the way was just proven: finds what follows for those above; (the shorter way, points)."""
        end = len(way)
        while end > 1:
            block = way[end - 1][0]
            had_draw = block.has_draw
            value, distance = self.value_of(block)
            if value == -2 and not block.closed:
                block = self.widen(way, end - 1)
                value, distance = self.value_of(block)
            if value < 0:
                if block.has_draw == had_draw:
                    break
                end -= 1
                continue
            points = (value if block.player > 0 else 2 - value) * self.rollouts_per_leaf
            if end == 2:
                self.prove_root(value, distance)
                return way[:2], points
            end -= 1
            above, child, _ = way[end - 1]
            self.prove(child, block.player, value, distance, above.player, keep=True)
            way = way[:end]
        return way, points

    def widen(self, way, level):
        """All moves of the node at ``level`` of the way become its children; its new block."""
        old, path = way[level][0], [entry[1].move for entry in way[1:level]]
        listed, _, complete, rest = self.list_children(path)
        block = Block(old.player, self.children_of(old.player, listed))
        block.visits, block.record = old.visits, old.record
        block.incomplete = block.closed = not complete
        block.rest, way[level][2] = rest, None
        for child in block.children:
            for before in old.children:
                if before.move == child.move:
                    if before.value is not None or child.value is None:
                        child.value, child.distance, child.block = before.value, before.distance, before.block
                        child.prior = before.prior
                    for name in ("visits", "wins", "squares", "amaf_visits", "amaf_wins"):
                        setattr(child, name, getattr(before, name))
                    if way[level][1] is before:
                        way[level][1] = child
        way[level][0] = way[level - 1][1].block = block
        block.best = self.highest(block, block.children, self.record_for([entry[0] for entry in way[1:level + 1]]))
        return block

    # ---- expansion

    def children_of(self, player, listed):
        children = []
        for move, action, outcome, distance, prior in listed:
            child = Child(move, action, single(self.prior_weight * prior))
            if outcome != ONGOING and (self.solver or distance == 0):
                self.prove(child, player, {WIN: 2, DRAW: 1, LOSS: 0}[outcome], distance, player)
            children.append(child)
        return children

    def list_children(self, path, distance=0, symmetry=False):
        listed, same, complete, rest = self.probe.children(path, distance, symmetry, self.valuer is not None)
        if not self.probe.ordered and len({prior for *_, prior in listed}) == 1:
            for slot in range(len(listed) - 1):  # the game prefers none: they are tried in random order
                other = slot + self.probe.below(len(listed) - slot)
                listed[slot], listed[other] = listed[other], listed[slot]
        if not self.puct:
            return listed, same, complete, rest
        if self.valuer is not None:
            weights = self.valuer.weights(path, [move for move, *_ in listed])
        else:
            most = max(0.0, *(prior for *_, prior in listed))
            weights = [exp2_minus(int(single(single(most - prior) * PRIOR_SLOPE))) >> 7 for *_, prior in listed]
        total = sum(weights)
        listed = [(*child[:4], single(weight / total)) for child, weight in zip(listed, weights, strict=True)]
        if path and distance:
            least = single(max(prior for *_, prior in listed) * self.least_prior)
            kept = [child for child in listed if child[2] != ONGOING or child[4] >= least]
            listed, complete = kept, complete and len(kept) == len(listed)
        return listed, same, complete, rest

    def expand(self, way):
        above, child, at_root = way[-1][0], way[-1][1], len(way) == 1
        path = [entry[1].move for entry in way[1:]]
        if self.leaf_proofs and self.has_prover and not at_root and not self.valued:
            proof = self.probe.prove(path, self.leaf_proofs, False, self.memory)[0]
            if proof is not None:
                self.prove(child, self.alternating_player(path), proof[0], proof[1], above.player)
                return
        distance, symmetry = self.distance, self.symmetry and not at_root
        while True:
            listed, same, complete, rest = self.list_children(path, distance, symmetry)
            player = self.player if same else -self.player
            block = Block(player, self.children_of(player, listed))
            block.incomplete, block.rest = not complete, rest
            value, away = self.value_of(block) if self.solver else (-1, None)
            if value != -2 or not distance:
                break
            distance = 0
        if self.selection == "grave" and at_root:
            block.record = {1: {}, -1: {}}
        if value >= 0 and at_root:
            self.prove_root(value, away)
        elif value >= 0:
            self.prove(child, block.player, value, away, above.player)
            return
        block.visits = child.visits
        child.block = block
        if at_root and self.noise_alpha is not None:
            noise = self.probe.dirichlet(self.noise_alpha, len(block.children))
            for other, drawn in zip(block.children, noise, strict=True):
                if other.prior != EXCLUDED:
                    other.prior = single((1 - self.noise_weight) * other.prior + self.noise_weight * drawn)
        blocks = [entry[0] for entry in way[1:]] + [block]
        block.best = self.highest(block, block.children, self.record_for(blocks))

    # ---- one iteration

    def descend(self):
        """The way to a leaf, which is expanded where that is due; and whether its end has just been proven."""
        way, block, proven = [], self.top, False
        while True:
            if block.stale:
                block.best = self.highest(block, block.children, None)
                block.stale = False
            child, drawn = block.best, None
            if child.value == 1 and self.solver:
                unknown = [other for other in block.children
                           if other.value is None and not self.at_most_draw(block, other)]
                if unknown:
                    above = [entry[0] for entry in way[1:]] + [block]
                    drawn, child = child, self.highest(block, unknown, self.record_for(above))
                else:
                    proven = True
            way.append([block, child, drawn])
            if child.block is None and child.value is None and (child.visits >= self.expand_after or len(way) == 1):
                self.expand(way)
                proven = child.value is not None
            if child.block is None or child.value is not None:
                return way, proven
            block = child.block

    def iterate(self):
        way, proven = self.descend()
        child = way[-1][1]
        self.depths.append(len(way) - 1)
        path, played = [entry[1].move for entry in way[1:]], {}
        if child.value is not None:
            points = child.value * self.rollouts_per_leaf
        elif self.valued:
            points, proven = self.value_leaf(way, path)
        else:
            points = 0
            for _ in range(self.rollouts_per_leaf):
                result, who, proof = self.probe.policy_rollout(path, self.rollout, self.amaf)
                played = {action: self.player if code == 1 else -self.player
                          for action, code in enumerate(who) if code}
                points += 1 + self.player * (result - 1)
                self.rollouts += 1
                if proof is not None and self.solver and len(way) > 1:
                    self.prove(child, self.alternating_player(path), proof[0], proof[1], way[-1][0].player)
                    points = child.value * self.rollouts_per_leaf
                    proven = True
                    break
        self.nodes += child.visits == 0
        if proven and self.solver:
            way, points = self.settle(way, points)
        self.backup(way, points, played)

    def value_leaf(self, way, path):
        """(points of the leaf at the end of the way, whether they are proven)."""
        child, player = way[-1][1], self.alternating_player(path)
        self.rollouts += 1  # or evaluations
        if self.leaf_proofs and self.has_prover and path:
            proof = self.probe.prove(path, self.leaf_proofs, False, self.memory)[0]
            if proof is not None:
                self.prove(child, player, proof[0], proof[1], way[-1][0].player)
                return child.value * self.rollouts_per_leaf, True
        whole, most = 2 * self.rollouts_per_leaf, 2 * self.leaf_rollouts
        gained = self.valuer.value(path) * self.valued * most
        if self.valued < 256:
            self.rollouts += self.leaf_rollouts - 1
            played = sum(1 + self.player * (self.probe.policy_rollout(path, self.rollout, False)[0] - 1)
                         for _ in range(self.leaf_rollouts))
            gained += 65536 * (256 - self.valued) * (played if player > 0 else most - played)
        one = 65536 * 256 * most
        points = (gained * whole + one // 2) // one
        return points if player > 0 else whole - points, False

    def add_amaf(self, block, played, points):
        value = single(self.unit * self.share(block.player, points))
        if self.selection == "rave":
            for child in block.children:
                if played.get(child.action) == block.player:
                    child.amaf_visits = single(child.amaf_visits + 1)
                    child.amaf_wins = single(child.amaf_wins + value)
            return
        if block.record is None:
            if block.visits < self.grave_ref:
                return
            block.record = {1: {}, -1: {}}
        first = single(self.unit * points)
        for action, player in played.items():
            counts = block.record[player].setdefault(action, [0.0, 0.0])
            counts[0] = single(counts[0] + 1)
            counts[1] = single(counts[1] + (first if player > 0 else single(1 - first)))

    def backup(self, way, points, played):
        doubled = 0
        for level in range(len(way) - 1, 0, -1):
            block, child, drawn = way[level]
            if self.amaf:
                played[child.action] = block.player
                self.add_amaf(block, played, points)
            self.add(child, self.share(block.player, points))
            if drawn is not None:
                points = self.rollouts_per_leaf  # what the levels above see is the draw
                self.nodes += drawn.visits == 0
                self.add(drawn, points)
            block.visits += 1
            if block.visits >= FIRST_PROOF and block.visits % 2 ** (block.visits.bit_length() - 3) == 0:
                doubled = doubled or level
            blocks = [entry[0] for entry in way[1:level + 1]]
            block.best = self.highest(block, block.children, self.record_for(blocks))
        self.root.visits += 1
        self.root.wins += points
        if doubled > 1 and self.node_proofs and self.has_prover:
            self.prove_node(way, doubled)

    def add(self, child, points):
        child.visits += 1
        child.wins += points
        child.squares += points * points // self.rollouts_per_leaf

    def share(self, player, points):
        """What ``player`` gets of an iteration that gave ``points`` half-points to player +1."""
        return points if player > 0 else 2 * self.rollouts_per_leaf - points

    # ---- exact search

    def prove_node(self, way, level):
        block, (above, child, _) = way[level][0], way[level - 1]
        path = [entry[1].move for entry in way[1:level]]
        proof = self.probe.prove(path, min(self.node_proofs * block.visits // 4, NODE_SLICE), False, self.memory)[0]
        if proof is None:
            return
        self.prove(child, self.alternating_player(path), proof[0], proof[1], above.player)
        way, _ = self.settle(way[:level], 0)
        block = way[-1][0]
        block.best = self.highest(block, block.children, self.record_for([entry[0] for entry in way[1:]]))

    def search_root(self):
        known = self.proof is not None
        proof, spent = self.probe.prove([], SLICE, known, self.memory)
        if proof is not None:
            value, distance, exact, move = proof
            if not known:
                self.root_proofs_due %= SLICE
            if not known or exact or (value == 2 and distance < self.proof[1]):
                self.proof = proof
            if move is not None and self.root.block is not None and distance > 0:
                block = self.root.block
                for child in block.children:
                    if child.move == move:
                        self.prove(child, block.player, value, distance - 1, keep=child.value is not None)
            if exact:
                self.settled = True
        if known and spent < SLICE // 2:
            self.settled = True

    # ---- from outside

    def follow_proof(self):
        """The root follows from a proven one."""
        if self.root_proofs:
            self.root_proofs_due = FOLLOWING * SLICE

    def run(self, count):
        """Up to ``count`` iterations, fewer when the root is solved."""
        for _ in range(count):
            if self.settled:
                return
            if self.proof is None:
                self.iterate()
            if self.has_prover:
                self.root_proofs_due += self.root_proofs
                if self.root_proofs_due >= SLICE:
                    self.root_proofs_due -= SLICE
                    self.search_root()

    def figures(self):
        """What the statistics of the library must be."""
        points = self.root.wins / (2 * self.rollouts_per_leaf)
        visits = self.root.visits
        return {
            "iterations": visits, "nodes": self.nodes, "rollouts": self.rollouts,
            "value": self.proof[0] / 2 if self.proof else (points if self.player > 0 else visits - points) / visits,
            "depth_max": max(self.depths), "depth_mean": sum(self.depths) / len(self.depths),
            "proven": None if self.proof is None else NAMES[self.proof[0]],
            "distance": None if self.proof is None else self.proof[1],
        }

    def children(self):
        """{move: (visits, wins, proven, distance)} of the root's children, for its player."""
        result = {}
        for child in self.root.block.children:
            proven = distance = None
            if child.value is not None:
                proven, distance = NAMES[self.worth(self.player, child)], child.distance + 1
            result[child.move] = (child.visits, child.wins / (2 * self.rollouts_per_leaf), proven, distance)
        return result
