"""The tree of the last search, used again: the oracles go on from the same node, and find the same."""

import guided_oracle
import pytest
import uct_oracle
from reused_tree import play

import mcts_core as mc
from mcts_core.engine.request import seed_of
from mcts_core.testing.probe import Probe
from mcts_core.testing.tree_probe import audit

pytestmark = pytest.mark.usefixtures("no_book")


class Below:
    """A game from a later position on: rollouts from a new probe, exact search by the one that has its memory."""

    def __init__(self, probe, path, state, seed):
        self.before, self.path, self.after = probe, path, Probe(state, seed)

    def __getattr__(self, name):
        return getattr(self.after, name)

    def prove(self, path, *arguments):
        return self.before.prove([*self.path, *path], *arguments)


def busiest(children, plies, of):
    """The moves to the most visited child that has children, so many times; ``of``: {move: child} of a node, None where
    there are none."""
    path, node = [], children
    for _ in range(plies):
        below = {move: child for move, child in of(node).items() if of(child)}
        path.append(max(below, key=lambda move: below[move].visits))
        node = below[path[-1]]
    return path


def plain_children(node):
    names = range(node.count) if node.block and node.moves is None else node.moves
    return {names[slot]: child for slot, child in node.children.items()} if node.block else None


def guided_children(child):
    return {below.move: below for below in child.block.children} if child.block and child.value is None else None


def plain_descendant(oracle, path, probe, player):
    """A UCT oracle that goes on below ``path``."""
    below = uct_oracle.Oracle(probe, player, oracle.exploration, oracle.rollouts_per_leaf)
    node = oracle.root
    for move in path:
        mover, node = node.player, plain_children(node)[move]
    if mover < 0:
        node.points = 2 * oracle.rollouts_per_leaf * node.visits - node.points
    below.root = node
    waiting, below.nodes = [node], 0
    while waiting:
        below.nodes += 1
        waiting.extend(waiting.pop().children.values())
    return below


@pytest.mark.parametrize(("state", "plies"), [
    (mc.ConnectFour(), 1), (mc.ConnectFour(), 2), (mc.ConnectFour(5, 8, 4), 3), (mc.TicTacToe(), 2),
    (mc.ConnectFour(11, 10, 4), 1), (mc.MNK(4, 4, 3), 1), (mc.MNK(6, 3, 3), 1),
], ids=str)
@pytest.mark.parametrize("rollouts_per_leaf", [1, 3])
def test_uct_goes_on_as_the_oracle_does(state, plies, rollouts_per_leaf):
    options = {"preset": "uct", "rollouts_per_leaf": rollouts_per_leaf}
    before = uct_oracle.Oracle(Probe(state, 11), state.to_move, 0.5**0.5, rollouts_per_leaf)
    for _ in range(1200):
        before.iterate()
    path = busiest(before.root, plies, plain_children)
    after = play(state, path)
    oracle = plain_descendant(before, path, Probe(after, seed_of(11, 1)), after.to_move)
    reused, done = oracle.root.visits, 0
    for count in (1, 2, 3, 10, 50, 200):
        while done < count:
            oracle.iterate()
            done += 1
        engine = mc.Searcher(seed=11, **options)
        engine.search(state, iterations=1200)
        engine.search(after, iterations=count)
        stats = engine.stats()
        assert (stats.reused_visits, stats.iterations) == (reused, count)
        assert {entry.move: (entry.visits, entry.wins) for entry in stats.moves if entry.visits} == oracle.children()
        assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)
        assert (stats.depth_max, stats.depth_mean) == (max(oracle.depths), sum(oracle.depths) / count)
        points = oracle.root.points / (2 * rollouts_per_leaf)
        assert stats.value == (points if after.to_move > 0 else stats.visits - points) / stats.visits
        assert stats.visits == reused + count


def guided_descendant(oracle, path, probe, player, options):
    """A guided oracle that goes on below ``path``."""
    below = guided_oracle.Oracle(probe, player, prover_bytes=oracle.memory, **options)
    child, record = oracle.root, None
    for move in path:
        mover, record, child = child.block.player, child.block.record or record, guided_children(child)[move]
    if mover < 0:
        child.wins = 2 * oracle.rollouts_per_leaf * child.visits - child.wins
    if oracle.selection == "grave":
        child.block.record = child.block.record or record
    below.root = child
    below.top.children, below.top.best = [child], child
    waiting, below.nodes = [child], 0
    while waiting:
        node = waiting.pop()
        below.nodes += node.visits > 0
        if node.block is not None:
            for child in node.block.children if node.value is not None else ():
                if child.value is None:  # it is no part of the proof
                    child.block = None
            waiting.extend(node.block.children)
    if oracle.proof is not None:
        below.follow_proof()
    return below


GUIDED = {
    "defaults": {},
    "no solver": {"solver": False, "fpu": 0.6},
    "tuned, leaves of 3": {"selection": "ucb1-tuned", "rollouts_per_leaf": 3},
    "rave": {"selection": "rave", "rave_k": 30, "prior_weight": 1},
    "grave": {"selection": "grave", "grave_ref": 5, "rave_bias": 0.01, "exploration": 0.2},
    "grave of the root": {"selection": "grave", "grave_ref": 10**6},
    "late leaves, decisive": {"expand_after": 3, "rollout": "decisive"},
    "near cells": {"expand_distance": 1},
}


@pytest.mark.parametrize(("state", "plies"), [
    (mc.ConnectFour(), 2), (mc.ConnectFour(5, 5, 4), 1), (mc.MNK(5, 5, 4), 1), (mc.MNK(4, 3, 3), 1),
    (mc.MNK(9, 9, 5).play(40), 1),
], ids=str)
@pytest.mark.parametrize("name", GUIDED)
def test_the_guided_search_goes_on_as_the_oracle_does(name, state, plies):
    options = {"valuation": "rollout", **GUIDED[name]}
    if "expand_distance" in options and isinstance(state, mc.ConnectFour):
        options = {"valuation": "rollout", "fpu": 0.4}
    kept = mc.Searcher(**options).options(state)
    del kept["final_move"], kept["exchange_every"]
    probe = Probe(state, 7)
    before = guided_oracle.Oracle(probe, state.to_move, prover_bytes=16 * 2**18, **kept)
    before.run(180)
    path = busiest(before.root, plies, guided_children)
    after = play(state, path)
    oracle = guided_descendant(before, path, Below(probe, path, after, seed_of(7, 1)), after.to_move, kept)
    reused, done = oracle.root.visits, 0
    for count in (1, 2, 3, 10, 40, 100):
        oracle.run(count - done)
        done = count
        engine = mc.Searcher(seed=7, memory_mb=16, **options)
        engine.search(state, iterations=180)
        engine.search(after, iterations=count)
        stats = engine.stats()
        expected = oracle.figures() | {"iterations": oracle.root.visits - reused}
        if not expected["iterations"]:
            expected |= {"depth_max": 0, "depth_mean": 0.0}
        assert {key: getattr(stats, key) for key in expected} == expected, count
        assert stats.reused_visits == reused
        found = {entry.move: (entry.visits, entry.wins, entry.proven, entry.distance) for entry in stats.moves}
        assert {move: found[move] for move in oracle.children()} == oracle.children()
        audit(engine, 2)
        if oracle.settled:
            break
