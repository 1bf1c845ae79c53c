"""src/mcts_core/engine/top.pyx: the top of the tree as data."""

import functools

import pytest
from paper_game import Paper, random_tree

import mcts_core as mc
from mcts_core.engine.top import top

ROOT = (None, 0)


def searched(state, iterations=3000, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine


def nodes(node):
    yield node
    for child in node.children:
        yield from nodes(child)


def check_sums(tree, own):
    """The visits and results of a node are those of its children and ``own`` rollouts from itself."""
    for node in nodes(tree):
        if node.children and node is not tree:
            assert sum(child.visits for child in node.children) == node.visits - own
            points = node.value * node.visits - sum(child.value * child.visits for child in node.children)
            assert -1e-9 < points < own + 1e-9


def check_figures(tree, stats):
    """The root and its children are what the statistics say."""
    assert (tree.move, tree.player, tree.visits, tree.value) == (None, 0, stats.visits, stats.value)
    assert (tree.proven, tree.distance) == (stats.proven, stats.distance)
    visited = [entry for entry in stats.moves if entry.visits or entry.move == stats.move]
    assert [(node.move, node.visits, node.value, node.proven, node.distance) for node in tree.children] == [
        (entry.move, entry.visits, entry.value, entry.proven, entry.distance) for entry in visited]


UCT = [mc.ConnectFour.from_moves("33"), mc.ConnectFour(cols=8).play(0), mc.ConnectFour(cols=9), mc.TicTacToe(),
       mc.MNK(5, 4, 4).play(3), mc.Gomoku(6)]


@pytest.mark.parametrize("rollouts", [1, 3])
@pytest.mark.parametrize("state", UCT)
def test_the_plain_tree_adds_up(state, rollouts):
    engine = searched(state, preset="uct", rollouts_per_leaf=rollouts)
    tree = engine.tree(max_depth=100, min_share=0)
    check_figures(tree, engine.stats())
    assert sum(node.visits for node in tree.children) == tree.visits
    assert sum(1 for node in nodes(tree) if node.children) > 10
    for node in nodes(tree):
        assert 0 <= node.value <= 1 and (node is tree) == ((node.move, node.player) == ROOT)
        assert [child.visits for child in node.children] == sorted(
            (child.visits for child in node.children), reverse=True)
        player = -node.player if node.player else state.to_move
        assert {child.player for child in node.children} <= {player}
        assert len({child.move for child in node.children}) == len(node.children)
    check_sums(tree, 1)


def legal_below(state, node):
    for child in node.children:
        assert state.to_move == child.player and child.move in state.legal_moves()
        after = state.play(child.move)
        assert after.winner() is None or not child.children
        legal_below(after, child)


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}])
@pytest.mark.parametrize("state", [*UCT, mc.Gomoku.from_moves([112, 97])])
def test_moves_can_be_played(state, options):
    engine = searched(state, 1500, **options)
    legal_below(state, engine.tree(max_depth=100, min_share=0))


@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.Gomoku(9), mc.MNK(6, 6, 4)])
@pytest.mark.parametrize("selection", ["ucb1", "ucb1-tuned", "rave", "grave"])
def test_the_guided_tree_adds_up(state, selection):
    engine = searched(state, selection=selection, solver=False, expand_after=3)
    tree = engine.tree(max_depth=100, min_share=0)
    check_figures(tree, engine.stats())
    inner = [node for node in nodes(tree) if node.children and node is not tree]
    assert len(inner) > 10
    assert all({child.player for child in node.children} == {-node.player} for node in inner)
    check_sums(tree, 3)


@functools.cache
def solve(state):
    """Half-points of the player +1 by best play."""
    winner = state.winner()
    if winner is not None:
        return 1 + winner
    values = [solve(state.play(move)) for move in state.legal_moves()]
    return max(values) if state.to_move > 0 else min(values)


@pytest.mark.parametrize("moves", ["", "4", "40", "018", "1", "02"])
def test_what_is_proven_is_true(moves):
    state = mc.TicTacToe.from_moves(moves)
    found = 0
    for iterations in (30, 100, 300, 3000):
        engine = searched(state, iterations, root_proofs=0, node_proofs=0, leaf_proofs=0)
        tree = engine.tree(max_depth=100, min_share=0)
        check_figures(tree, engine.stats())
        waiting = [(tree, state)]
        while waiting:
            node, position = waiting.pop()
            if node.proven is not None:
                points = ("loss", "draw", "win").index(node.proven)
                assert (points if state.to_move > 0 else 2 - points) == solve(position)
                assert node is tree or not node.children
                assert node.distance <= 9 - len(position.moves) + (node is not tree)
                if node is not tree:
                    assert (position.winner() is not None) == (node.distance == 1)
                found += 1
            waiting += [(child, position.play(child.move)) for child in node.children]
    assert found >= 4


def test_games_in_python():
    for seed in range(40):
        tree = random_tree(seed)
        engine = searched(Paper(tree), 200, solver=bool(seed % 2), preset="uct" if seed % 4 == 0 else "strong")
        found = engine.tree(max_depth=100, min_share=0)
        check_figures(found, engine.stats())
        legal_below(Paper(tree), found)
        if seed % 4 == 0:
            check_sums(found, 1)


def cut(node, depth, least, chosen=None):
    """The same node with its children and theirs limited by brute force."""
    if depth == 0:
        return (node.move, ())
    return (node.move, tuple(cut(child, depth - 1, least) for child in node.children
                             if child.visits >= least or (node.move is None and child.move == chosen)))


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}])
@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.Gomoku(9)])
def test_limits(state, options):
    engine = searched(state, **options)
    whole = engine.tree(max_depth=100, min_share=0)
    for depth in (0, 1, 2, 3, 7):
        for share in (0, 1e-9, 0.001, 0.01, 0.1, 0.5, 1):
            part = engine.tree(max_depth=depth, min_share=share)
            assert cut(part, 100, 0) == cut(whole, depth, share * whole.visits, engine.stats().move)
    assert engine.tree() == engine.tree(max_depth=3, min_share=0.01)


def test_the_move_to_play_is_there_in_any_case():
    state = mc.ConnectFour.from_moves("112233", base=1)
    engine = searched(state, 50)
    tree = engine.tree(max_depth=1, min_share=1)
    assert [(node.move, node.proven, node.distance) for node in tree.children] == [(3, "win", 1)]


def test_before_all_moves_of_the_root_were_tried():
    engine = searched(mc.Gomoku(15), 10, preset="uct")
    tree = engine.tree(min_share=0)
    assert [node.visits for node in tree.children] == [1] * 10
    check_figures(tree, engine.stats())


def test_too_many_nodes():
    engine = searched(mc.ConnectFour(), 1_000_000, preset="uct")
    with pytest.raises(mc.InvalidOption, match="more than 100,000 nodes: give a larger min_share"):
        engine.tree(max_depth=100, min_share=0)
    assert 1000 < sum(1 for _ in nodes(engine.tree(max_depth=4, min_share=0))) <= 1 + 7 + 49 + 343 + 2401
    assert len(top(engine._core, 1, 1, 0.0, 7)[6]) == 7
    with pytest.raises(mc.InvalidOption, match="more than 6 nodes"):
        top(engine._core, 1, 1, 0.0, 6)


def test_while_a_search_runs():
    engine = searched(mc.ConnectFour(), solver=False, stop_early=False)  # else the searches may soon be over
    assert top(engine._core, 1, 1, 0.0, 100) is not None
    assert top(engine._core, 0, 1, 0.0, 100) is top(engine._core, 2, 1, 0.0, 100) is None
    engine.ponder(mc.ConnectFour())
    try:
        assert top(engine._core, 1, 1, 0.0, 100) is None  # it has searched again
        with pytest.raises(mc.SearchBusy, match="in another thread; its tree can be read afterwards"):
            top(engine._core, 2, 1, 0.0, 100)
    finally:
        engine.stop()
    assert top(engine._core, 2, 1, 0.0, 100) is not None

    def inside(_):
        with pytest.raises(mc.SearchBusy, match="is searching; its tree can be read afterwards"):
            top(engine._core, 3, 1, 0.0, 100)
        seen.append(engine.stop())

    seen = []
    engine.search(mc.Gomoku(), 60, progress=inside, every=0.01)
    assert seen == [None]


def test_what_is_no_core():
    with pytest.raises(TypeError):
        top(None, 1, 1, 0.0, 100)
