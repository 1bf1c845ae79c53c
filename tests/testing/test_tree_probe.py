"""src/mcts_core/testing/tree_probe.pyx: the tree of a Searcher from Python."""

import pytest
from value_games import Claim

import mcts_core as mc
from mcts_core.testing.tree_probe import audit, prune, records, subtree

NO_PROOFS = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 3}, {"solver": False}],
                         ids=str)
@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.ConnectFour(11, 10, 4), mc.MNK(4, 4, 4), Claim()], ids=repr)
def test_the_root_is_what_the_statistics_tell(state, options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=2000)
    stats = engine.stats()
    player, children = subtree(engine)
    assert player == state.to_move
    assert children == {entry.move: (entry.visits, entry.wins) for entry in stats.moves if entry.visits}
    assert audit(engine)[0] == stats.nodes
    found = records(engine)
    assert found[()][0] == 2000 and sum(visits for visits, _ in found[()][1].values()) == 2000
    assert 0 < audit(engine)[1] - sum(units for _, _, units in found.values()) <= 3  # the block above the root


def test_a_node_below():
    state = mc.ConnectFour()
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(state, iterations=5000)
    visits, _ = subtree(engine)[1][3]
    player, children = subtree(engine, [3])
    assert player == -1 and set(children) == set(range(7))
    assert visits - 8 < sum(count for count, _ in children.values()) < visits
    assert subtree(engine, [3, 3])[0] == 1
    assert subtree(engine, [3] * 7) is None and subtree(engine, [9]) is None
    game = Claim()
    engine.search(game, iterations=3000)
    assert subtree(engine, [1])[0] == game.play(1).to_move and set(subtree(engine, [1])[1]) == set(range(8)) - {1}
    assert subtree(engine, ["none"]) is None and subtree(engine, [1, 1]) is None


def test_leaves_with_a_record_of_their_own():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.Gomoku(9), iterations=100)
    assert len(records(engine)[()][1]) == 81
    engine.search(mc.Gomoku(9), iterations=50)
    assert subtree(engine) is None
    visits, results, units = records(engine)[()]
    assert (visits, units) == (50, 1) and len(results) == 81
    assert sum(result > 0 for result in results.values()) == 50 and set(results.values()) <= {0, 1, 2, 3}
    points = sum(result - 1 for result in results.values() if result)
    assert points / 100 == engine.stats().value


def test_pruning():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=3000)
    nodes, used, taken = audit(engine)
    assert (nodes, used) == (engine.stats().nodes, taken) and taken > 100
    prune(engine, 0.5)
    assert audit(engine)[2] <= taken // 2 and engine.stats().prunes == 1


def test_without_a_tree():
    engine = mc.Searcher()
    for look in (subtree, records, audit, lambda engine: prune(engine, 0.5)):
        with pytest.raises(ValueError, match="no tree"):
            look(engine)
    engine.search(mc.ConnectFour(), iterations=10)
    engine._core.release()
    with pytest.raises(ValueError, match="no tree"):
        audit(engine)


def test_an_audit_tells_what_does_not_fit():
    """A root that is proven by a draw below it counts the last iteration alone."""
    engine = mc.Searcher(seed=3, memory_mb=64, selection="grave", grave_ref=20, symmetry=True, expand_after=1,
                         **NO_PROOFS)
    engine.search(mc.MNK(8, 1, 4), iterations=100_000)
    assert engine.stats().proven == "draw"
    with pytest.raises(AssertionError, match="visits, above it"):
        audit(engine)
    assert audit(engine, 1)[0] > 1
