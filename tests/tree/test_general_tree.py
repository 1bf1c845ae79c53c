"""src/mcts_core/tree/general_tree.pyx: against a slow oracle, iteration by iteration, and against trees counted on
paper."""

import importlib
import os
import pickle
import random
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from general_oracle import Oracle, Tangle, by_states, network, network_of_all

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.engine.settings import GeneralSettings
from mcts_core.testing.general_probe import GeneralProbe


def found_by(state, iterations, **options):
    engine = mc.Searcher(**options)
    engine.search(state, iterations=iterations)
    return engine.stats()


def assert_same(stats, oracle):
    assert {entry.move: (entry.visits, entry.wins) for entry in stats.moves} == oracle.children()
    assert stats.iterations == stats.visits == oracle.iterations
    assert stats.nodes == oracle.nodes
    assert stats.depth_max == max(oracle.depths)
    assert stats.depth_mean == sum(oracle.depths) / oracle.iterations
    values = [total / oracle.iterations for total in oracle.totals]
    assert stats.value == values[oracle.root.player]
    if oracle.general:
        assert list(stats.values) == values


def deciding(number, **options):
    """The first game from ``number`` on with at least two moves at its root."""
    while len(Tangle(number, **options).moves) < 2:
        number += 1000
    return Tangle(number, **options)


class Paper:
    """A game on paper: name -> (player, {move: name}), or (CHANCE, {move: (name, probability)}), or the values of all
    players."""

    def __init__(self, tree, name="root"):
        self.tree, self.name = tree, name
        self.players = next(len(entry) for entry in tree.values() if isinstance(entry, list))
        self.over = isinstance(tree[name], list)
        self.to_move = 0 if self.over else tree[name][0]

    def legal_moves(self):
        return list(self.tree[self.name][1])

    def chance_outcomes(self):
        return [(move, chance) for move, (_, chance) in self.tree[self.name][1].items()]

    def play(self, move):
        target = self.tree[self.name][1][move]
        return Paper(self.tree, target if isinstance(target, str) else target[0])

    def returns(self):
        return self.tree[self.name] if self.over else None


def visits_of(stats):
    return {entry.move: entry.visits for entry in stats.moves}


# ---- trees on paper --------------------------------------------------------------------------------------------------

def test_puct_on_paper():
    """Priors 0.5, 0.3, 0.2 and equal values: what counts is prior * sqrt(N) / (1 + n), N = 1 at first.

    N = 1: 0.50 0.30 0.20, a.  2: 0.35 0.42 0.28, b.  3: 0.43 0.26 0.35, a.  4: 0.33 0.30 0.40, c.
    5: 0.37 0.34 0.22, a.  6: 0.31 0.37 0.24, b.  7: 0.33 0.26 0.26, a.
    """
    half = [0.5]
    tree = {"root": (0, {"a": "A", "b": "B", "c": "C"}), "A": half, "B": half, "C": half}
    priors = {"a": 0.5, "b": 0.3, "c": 0.2}
    order = "abacaba"
    for iterations in range(1, len(order) + 1):
        stats = found_by(Paper(tree), iterations, policy_value=lambda state: (priors, 0.0), c_puct=1.0)
        assert visits_of(stats) == {move: order[:iterations].count(move) for move in "abc"}


def test_the_value_counts_from_zero_to_one():
    """c_puct 0: only the mean counts, and what was not visited has that of the parent.

    The root is worth 0.5. a gives 0.25, so the root 0.375, and b is next: 0.75, the root 0.5; b stays. With this seed,
    a comes first.
    """
    tree = {"root": (0, {"a": "A", "b": "B"}), "A": [0.25], "B": [0.75]}
    for iterations, expected in ((1, (1, 0)), (2, (1, 1)), (3, (1, 2)), (9, (1, 8))):
        stats = found_by(Paper(tree), iterations, policy_value=lambda state: (None, 0.0), c_puct=0.0, seed=2)
        assert tuple(visits_of(stats)[move] for move in "ab") == expected
    assert stats.values == ((0.25 + 8 * 0.75) / 9,)


def test_first_play_urgency():
    tree = {"root": (0, {"a": "A", "b": "B"}), "A": [0.6], "B": [0.9]}
    for urgency, expected in ((0.59, {"a": 9, "b": 0}), (0.61, {"a": 1, "b": 8})):
        for options in ({"policy_value": lambda state: (None, 0.0), "c_puct": 0.0},
                        {"exploration": 0.0, "solver": False}):
            first = visits_of(found_by(Paper(tree), 1, fpu=urgency, seed=1, **options))
            assert visits_of(found_by(Paper(tree), 9, fpu=urgency, seed=1, **options)) == (
                expected if first["a"] else {"a": 0, "b": 9})
            assert first["a"] or "exploration" in options  # without priors, chance decides which is tried first


def deep(width, depth):
    """A full tree; all is worth 0.5."""
    tree = {"root": (0, {})}
    level = ["root"]
    for step in range(depth):
        names = []
        for name in level:
            for move in range(width):
                names.append(f"{name}{move}")
                tree[name][1][move] = names[-1]
                tree[names[-1]] = [0.5] if step == depth - 1 else (0, {})
        level = names
    return tree


def test_what_is_under_way_counts_as_lost():
    """A batch of two at two equal moves takes both; one by one the first is as good as the other one. With this seed,
    chance takes them in order."""
    seen = []

    def policy_value(state):
        seen.append(state.name)
        return None, 0.0

    for batch, expected, names in ((1, {0: 2, 1: 0}, ["root", "root0", "root00"]),
                                   (2, {0: 1, 1: 1}, ["root", "root0", "root1"])):
        seen.clear()
        stats = found_by(Paper(deep(2, 4)), 2, policy_value=policy_value, batch=batch, c_puct=0.0, seed=7)
        assert visits_of(stats) == expected and seen == names


def test_a_batch_holds_no_leaf_twice():
    """One move after the other: a batch of eight finds one leaf."""
    sizes = []

    class Line(Paper):
        def observation(self):
            return [[[len(self.name)]]]

        def play(self, move):
            return Line(self.tree, self.tree[self.name][1][move])

    def evaluator(observations):
        sizes.append(len(observations))
        assert len(set(observations.ravel())) == len(observations)
        return None, np.zeros(len(observations))

    stats = found_by(Line(deep(1, 6)), 10, evaluator=evaluator)
    assert sizes == [1] * 6  # the last node is an end
    assert stats.iterations == 10 and stats.rollouts == 6 and stats.nodes == 7 and stats.depth_max == 6
    assert stats.pv == (0,) * 6


def test_every_player_wants_his_own():
    """x: player 1 takes what is best for himself, which is nothing for player 0. y: player 2 does the same."""
    tree = {
        "root": (0, {"x": "X", "y": "Y"}),
        "X": (1, {"a": "XA", "b": "XB"}), "XA": [0.0, 1.0, 0.5], "XB": [1.0, 0.2, 0.0],
        "Y": (2, {"a": "YA", "b": "YB"}), "YA": [0.6, 0.0, 0.2], "YB": [0.3, 1.0, 0.1],
    }
    for options in ({"exploration": 0.5, "solver": False}, {"policy_value": lambda state: (None, [0.0] * 3)}):
        stats = found_by(Paper(tree), 4000, seed=1, **options)
        assert stats.move == "y" and stats.pv == ("y", "a")
        assert stats.values == pytest.approx((0.6, 0.0, 0.2), abs=0.06)
        values = {entry.move: entry.value for entry in stats.moves}
        assert values["y"] == pytest.approx(0.6, abs=0.02) and values["x"] < 0.4


@pytest.mark.parametrize(("chance", "best"), [(0.3, "safe"), (0.4, "gamble")])
def test_chance_counts_by_its_mean(chance, best):
    """Not by its best outcome: a gamble for 1 against 0.35."""
    tree = {
        "root": (0, {"gamble": "wheel", "safe": "S"}), "S": [0.35],
        "wheel": (mc.CHANCE, {"win": ("W", chance), "lose": ("L", 1 - chance)}), "W": [1.0], "L": [0.0],
    }
    for options in ({"exploration": 0.5, "solver": False}, {"policy_value": lambda state: (None, 0.0)}):
        stats = found_by(Paper(tree), 20_000, seed=1, **options)
        assert stats.move == best
        value = {entry.move: entry.value for entry in stats.moves}["gamble"]
        assert value == pytest.approx(chance, abs=0.06)
        assert stats.nodes == 5 and stats.depth_max == 2
        assert stats.rollouts == ("policy_value" in options)  # there is nothing but ends


# ---- the oracle ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_rollouts_equal_the_oracle(number, players):
    state = deciding(number, players=players, chance=(0.0, 0.3, 0.7)[number % 3])
    options = [{}, {"exploration": 0.0}, {"exploration": 1.5, "rollouts_per_leaf": 3}, {"fpu": 0.6}][number % 4]
    for iterations in (1, 2, 5, 17, 250):
        stats = found_by(state, iterations, seed=number, solver=False, **options)
        assert_same(stats, Oracle(state, number, **options).run(iterations))


@pytest.mark.parametrize("number", [*range(6), *(pytest.param(each, marks=pytest.mark.slow) for each in range(6, 24))])
@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("batch", [1, 2, 8, 40])
@pytest.mark.parametrize("threads", [1, 2])
def test_evaluations_equal_the_oracle(number, players, batch, threads):
    """With two threads, up to two batches wait at a time."""
    state = deciding(number, players=players, chance=(0.0, 0.3, 0.7)[number % 3])
    function = network if players < 3 else network_of_all
    options = [{}, {"c_puct": 2.0}, {"fpu": 0.2}, {"noise_alpha": 0.5, "noise_weight": 0.4}][number % 4]
    sizes = []

    def spy(observations):
        sizes.append(len(observations))
        return function(observations)

    for iterations in (1, 2, 9, 100):
        sizes.clear()
        stats = found_by(state, iterations, seed=number, evaluator=spy, batch=batch, threads=threads, **options)
        oracle = Oracle(state, number, evaluate=by_states(function, players), batch=batch, ahead=threads > 1, **options)
        assert_same(stats, oracle.run(iterations))
        assert sizes == oracle.batches
        assert stats.rollouts == oracle.evaluations == sum(sizes)


@pytest.mark.parametrize("batch", [1, 8])
def test_a_network_of_one_state_equals_that_of_a_batch(batch):
    for number in range(4):
        state = deciding(number, players=2)
        evaluate = by_states(network, 2)

        def policy_value(state, evaluate=evaluate, by_move=number % 2):
            priors, values = evaluate([state])[0]
            value = 2 * values[state.to_move] - 1
            return (dict(zip(state.moves, priors, strict=True)) if by_move else np.array(priors)), value

        one = found_by(state, 200, seed=3, policy_value=policy_value, batch=batch)
        many = found_by(state, 200, seed=3, evaluator=network, batch=batch)
        assert one.moves == many.moves and one.pv == many.pv and one.nodes == many.nodes


@pytest.mark.parametrize("state", [mc.ConnectFour.from_moves("3332"), mc.ConnectFour(4, 5, 3), mc.MNK(5, 4, 3),
                                   mc.TicTacToe.from_moves("40")], ids=repr)
@pytest.mark.parametrize("batch", [1, 8])
def test_native_games_equal_the_oracle(state, batch):
    actions = state.actions

    def function(observations):
        sums = (observations.reshape(len(observations), -1) * np.arange(observations[0].size)).sum(1).astype(int)
        policy = ((sums[:, None] * 7 + np.arange(actions) * 5) % 19 / 16.0).astype(np.float32)
        return policy, ((sums % 41 - 20) / 20).astype(np.float32)

    def evaluate(states):
        policies, values = function(np.array([state.observation() for state in states]))
        found = []
        for state, policy, value in zip(states, policies, values, strict=True):
            value = float(value) * state.to_move
            found.append(([float(policy[move]) for move in state.legal_moves()],
                          [0.5 + 0.5 * value, 0.5 - 0.5 * value]))
        return found

    for iterations in (1, 10, 150):
        for threads in (1, 2):
            stats = found_by(state, iterations, seed=1, evaluator=function, batch=batch, solver=False, threads=threads)
            oracle = Oracle(state, 1, evaluate=evaluate, batch=batch, ahead=threads > 1, ordered=True)
            assert_same(stats, oracle.run(iterations))
            assert stats.values is None


def test_ordinary_python_games_equal_native_ones():
    class Wrapped:
        def __init__(self, state):
            self.state, self.to_move = state, state.to_move
            self.legal_moves, self.winner, self.observation = state.legal_moves, state.winner, state.observation

        def play(self, move):
            return Wrapped(self.state.play(move))

    def function(observations):
        sums = observations.reshape(len(observations), -1) @ np.arange(observations[0].size) % 23
        return np.outer(sums, np.ones(7)) + np.arange(7), sums / 23 - 0.5

    state = mc.ConnectFour.from_moves("33324")
    native, wrapped = (found_by(one, 500, seed=2, evaluator=function, leaf_proofs=0, root_proofs=0)
                       for one in (state, Wrapped(state)))
    assert native.moves == wrapped.moves and native.pv == wrapped.pv and native.bytes == wrapped.bytes


@cache
def found_with(isa):
    """What searches print that use an instruction set."""
    code = """
import sys
sys.path[:0] = PATH
import mcts_core as mc
from general_oracle import Tangle, network
for number in range(0, 40, 2):
    for options in ({"evaluator": network, "noise_alpha": 0.3}, {"exploration": 0.9}):
        engine = mc.Searcher(seed=number, **options)
        engine.search(Tangle(number + 5), iterations=300)
        stats = engine.stats()
        print(stats.moves, stats.values, stats.pv, stats.nodes, stats.bytes)
"""
    folder = os.path.dirname(os.path.abspath(importlib.import_module("general_oracle").__file__))
    done = subprocess.run(
        [sys.executable, "-c", code.replace("PATH", repr([folder, *sys.path]))], capture_output=True, text=True,
        env={**os.environ, "MCTS_CORE_ISA": isa}, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("isa", dispatch.supported())
def test_every_instruction_set_searches_the_same_tree(isa):
    assert found_with("baseline") == found_with(isa) and len(found_with(isa)) > 10_000


# ---- nodes of many moves ---------------------------------------------------------------------------------------------

def first_tried(state, seed, iterations=1, **options):
    """The moves of the root that a search tries."""
    stats = found_by(state, iterations, seed=seed, **options)
    return [entry.move for entry in stats.moves if entry.visits]


@pytest.mark.parametrize("options", [
    {"policy_value": lambda state: (None, 0.0)},
    {"policy_value": lambda state: ([0.5] * 30, 0.0), "batch": 4},
    {"policy_value": lambda state: (None, 0.0), "root_policy": "gumbel", "gumbel_scale": 0.0, "gumbel_moves": 4},
], ids=["none", "half", "gumbel"])
def test_moves_of_equal_priors_are_tried_in_random_order(options):
    tree = {"root": (0, {move: str(move) for move in range(30)})} | {str(move): [0.5] for move in range(30)}
    tried = [first_tried(Paper(tree), seed, 4, **options) for seed in range(40)]
    assert tried[:10] == [first_tried(Paper(tree), seed, 4, **options) for seed in range(10)]
    assert {move for moves in tried for move in moves} == set(range(30))
    assert 12 < sum(map(sum, tried)) / 160 < 17
    assert 10 < sum(found_by(Paper(tree), 4, seed=seed, **options).move for seed in range(40)) / 40 < 19


def test_the_highest_priors_are_tried_first_and_of_these_none_is_preferred():
    tree = {"root": (0, {move: str(move) for move in range(30)})} | {str(move): [0.5] for move in range(30)}
    tried = [first_tried(Paper(tree), seed, 5, policy_value=lambda state: ([1.0, 2.0, 3.0] * 10, 0.0))
             for seed in range(40)]
    assert {move for moves in tried for move in moves} == set(range(2, 30, 3))


@pytest.mark.parametrize("width", [5, 30])
def test_moves_of_equal_priors_are_tried_in_random_order_below_the_root(width):
    """In blocks that have statistics for all of their moves, and for few of them."""
    second = []
    for seed in range(40):
        seen = []
        found_by(Wide(width), 3, seed=seed, policy_value=lambda state, seen=seen: (
            seen.append(state.path), (None, 0.2 if len(state.path) % 2 else -0.2))[1], c_puct=0.0)
        second += [path[1] for path in seen if len(path) == 2]
    assert len(second) > 20 and 0.35 < sum(second) / len(second) / (width - 1) < 0.65


def test_a_reused_root_tries_moves_of_equal_priors_in_random_order():
    fresh = []
    for seed in range(40):
        probe = GeneralProbe(Wide(30), GeneralSettings(policy_value=lambda state: (None, 0.0), c_puct=0.05), seed)
        assert probe.run(60)
        path = max(((move,) for move in range(30)), key=lambda path: probe.node()[4][path[0]][0])
        tried = {move for move, (visits, _) in probe.node(path)[4].items() if visits}
        assert probe.reroot(path, Wide(30, path), seed + 1) and probe.run(3)
        fresh += [move for move, (visits, _) in probe.node()[4].items() if visits and move not in tried]
    assert len(fresh) > 40 and 11 < sum(fresh) / len(fresh) < 18


class Wide:
    """``width`` moves in every position, without an end."""

    players, to_move = 1, 0

    def __init__(self, width, path=()):
        self.width, self.path = width, path

    def legal_moves(self):
        return list(range(self.width))

    def play(self, move):
        return Wide(self.width, (*self.path, move))

    def returns(self):
        return None


def by_hash(state):
    """Priors and a value that are a function of the position, some priors small."""
    draw = random.Random(str(state))
    priors = [draw.choice([1e-2 * draw.random(), draw.random(), draw.random()]) for _ in state.legal_moves()]
    return priors, draw.uniform(-0.6, 0.6)


def of_all(states):
    """``by_hash`` as the ``evaluate`` of the oracle."""
    found = []
    for state in states:
        priors, value = by_hash(state)
        value = 0.5 + 0.5 * value
        found.append((np.float32(priors).tolist(), [value, 1 - value] if state.to_move == 1 else [1 - value, value]))
    return found


@pytest.mark.parametrize("fpu", [None, 0.7])
@pytest.mark.parametrize("batch", [1, 8, 40])
def test_a_node_with_statistics_for_few_of_its_moves(batch, fpu):
    """Those of the other moves join in the order of their priors: visits as in a tree that has them all."""
    state = mc.MNK(6, 5, 4)
    oracle = Oracle(state, 3, evaluate=of_all, batch=batch, fpu=fpu).run(700)
    probe = GeneralProbe(state, GeneralSettings(policy_value=by_hash, c_puct=0.625, batch=batch, fpu=fpu), 3)
    assert probe.run(700)
    probe.check()
    compared, most = 0, 0
    waiting = [((), oracle.root)]
    while waiting:
        path, node = waiting.pop()
        if node is None or node.children is None or node.kind == "over":
            continue
        children = probe.node(path)[4]
        visited = {move: count for move, count in zip(node.moves, node.counts, strict=True) if count}
        assert {move: visits for move, (visits, _) in children.items() if visits} == visited
        assert len(children) <= len(visited) + 1 or path == ()
        compared += 1
        most = max(most, len(visited) if path else 0)
        waiting += [((*path, move), child) for move, child in zip(node.moves, node.children, strict=True)]
    assert compared > 200 and most > 8  # some had to move to a larger block


def test_a_root_that_was_a_node_of_few_statistics():
    state = mc.MNK(6, 5, 4)
    probe = GeneralProbe(state, GeneralSettings(policy_value=by_hash, c_puct=0.625, batch=8), 3)
    assert probe.run(500)
    best = max(probe.node()[4], key=lambda move: probe.node()[4][move])
    before = probe.node((best,))
    assert len(before[4]) < 29
    assert probe.reroot((best,), state.play(best), 4)
    after = probe.node()
    assert after[:4] == before[:4] and before[4].items() <= after[4].items() and len(after[4]) == 29
    assert probe.run(300)
    probe.check()
    probe.compact(0.5)
    probe.check()
    assert probe.run(300)
    probe.check()


def test_a_leaf_of_many_moves_takes_few_bytes():
    engine = mc.Searcher(policy_value=lambda state: (None, 0.0), seed=1, leaf_proofs=0, root_proofs=0)
    engine.search(mc.Gomoku(), iterations=500)
    assert engine.stats().bytes / 500 < 2200


def test_nodes_of_few_statistics_are_saved():
    engine = mc.Searcher(policy_value=by_hash, seed=1, solver=False)
    engine.search(mc.MNK(6, 5, 4), iterations=600)
    copy = pickle.loads(pickle.dumps(engine))
    state = mc.MNK(6, 5, 4).play(engine.stats().move)
    assert copy.search(state, iterations=300) == engine.search(state, iterations=300)
    assert copy.stats().moves == engine.stats().moves
    assert copy.stats().reused_visits > 0
