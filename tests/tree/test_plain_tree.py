"""src/mcts_core/tree/plain_tree.pyx: selection, expansion and backup, against a slow oracle and trees counted on
paper."""

import pytest
from paper_game import Paper
from uct_oracle import Oracle

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.testing.probe import Probe

pytestmark = pytest.mark.wasm

# +1 moves at the root. a: +1 wins at once; b: a draw at once; c: -1 moves, and has a win and a loss.
PAPER = {
    "root": (+1, {"a": "a", "b": "b", "c": "c"}),
    "a": +1,
    "b": 0,
    "c": (-1, {"x": "cx", "y": "cy"}),
    "cx": -1,
    "cy": +1,
}


def tables(state, **options):
    engine = mc.Searcher(preset="uct", seed=1, **options)

    def run(iterations):
        engine.search(state, iterations=iterations)
        return engine.stats()

    return run


def by_move(stats):
    return {entry.move: (entry.visits, entry.wins) for entry in stats.moves}


def test_first_iterations_on_paper():
    run = tables(Paper(PAPER), exploration=1.0)
    # Every child once, in random order; c is a rollout, which ends in cx or cy.
    for iterations in (1, 2, 3):
        tried = {move: found for move, found in by_move(run(iterations)).items() if found != (0, 0.0)}
        assert len(tried) == iterations
        assert all(found in {"a": [(1, 1.0)], "b": [(1, 0.5)], "c": [(1, 0.0), (1, 1.0)]}[move]
                   for move, found in tried.items())
    stats = run(3)
    assert by_move(stats)["c"] in ((1, 0.0), (1, 1.0))
    assert stats.nodes == 4 and stats.rollouts == 3
    assert stats.value == pytest.approx((1.0 + 0.5 + by_move(stats)["c"][1]) / 3)


def test_values_converge_to_the_tree_on_paper():
    stats = tables(Paper(PAPER), exploration=0.7)(4000)
    moves = by_move(stats)
    visits_a, wins_a = moves["a"]
    visits_b, wins_b = moves["b"]
    visits_c, wins_c = moves["c"]
    assert wins_a == visits_a and wins_b == visits_b / 2
    assert wins_c <= 2  # at most c's own rollout and the one visit of cy: then -1 has found x
    assert visits_a > 20 * visits_b and visits_b > visits_c
    assert stats.nodes == 6 and stats.depth_max == 2 and stats.move == "a"
    assert stats.rollouts == 5  # one for each node but the root: what is known to be over is not played again
    assert stats.value == pytest.approx((wins_a + wins_b + wins_c) / 4000)


@pytest.mark.parametrize("player", [+1, -1])
def test_signs_follow_the_player_and_not_the_depth(player):
    """The same player moves twice in a row: maximising twice, not minimising in between."""
    tree = {
        "root": (player, {"l": "l", "r": "r"}),
        "l": (player, {"ll": "win", "lr": "lose"}),
        "r": (-player, {"rl": "win", "rr": "lose"}),
        "win": player,
        "lose": -player,
    }
    moves = by_move(tables(Paper(tree), exploration=0.7)(2000))
    assert moves["l"][1] / moves["l"][0] > 0.95
    assert moves["r"][1] <= 2


@pytest.mark.parametrize(("winner", "value"), [(+1, 1.0), (0, 0.5), (-1, 0.0)])
def test_terminal_children_count_for_the_player_to_move(winner, value):
    for player in (+1, -1):
        stats = tables(Paper({"root": (player, {"only": "end"}), "end": winner * player}))(100)
        assert stats.value == value and stats.moves[0].visits == 100 and stats.moves[0].wins == 100 * value
        assert stats.nodes == 2 and stats.depth_max == 1 and stats.depth_mean == 1.0 and stats.rollouts == 1


def test_exploration_zero_is_greedy():
    stats = tables(Paper({"root": (1, {0: "lost", 1: "won", 2: "won"}), "lost": -1, "won": 1}), exploration=0.0)(50)
    moves = by_move(stats)
    assert moves[0] == (1, 0.0) and moves[1][0] + moves[2][0] == 49 == moves[1][1] + moves[2][1]


SMALL = [
    ("connect4", lambda: mc.ConnectFour(), 3000),
    ("connect4 with a full column", lambda: mc.ConnectFour.from_moves("00000033"), 3000),
    ("connect4 near its end", lambda: mc.ConnectFour.from_moves("11344673311434644357232776616177", base=1), 4000),
    ("connect4, three columns", lambda: mc.ConnectFour(4, 3, 3), 4000),
    ("eight columns", lambda: mc.ConnectFour(5, 8, 4), 3000),
    ("nine columns", lambda: mc.ConnectFour(9, 9, 5), 2000),
    ("128 bits", lambda: mc.ConnectFour(12, 7, 4), 2000),
    ("tic-tac-toe", lambda: mc.TicTacToe(), 4000),
    ("a won position", lambda: mc.TicTacToe.from_moves("0314"), 1000),
    ("4x4, sixteen slots", lambda: mc.MNK(4, 4, 4), 3000),
    ("5x4, kept means", lambda: mc.MNK(5, 4, 4), 3000),
    ("gomoku 8x8", lambda: mc.Gomoku(8), 2500),
    ("exactly five, second to move", lambda: mc.Gomoku.from_moves("40 41 31", size=9, rule="exact"), 2500),
]


@pytest.mark.parametrize(("make", "iterations"), [case[1:] for case in SMALL], ids=[case[0] for case in SMALL])
@pytest.mark.parametrize("exploration", [0.0, 0.5, 2**0.5])
@pytest.mark.parametrize("share", [0.3, pytest.param(4.0, marks=pytest.mark.slow)])
def test_every_statistic_equals_the_oracle(make, iterations, exploration, share):
    state, iterations = make(), round(share * iterations)
    oracle = Oracle(Probe(state, 7), state.to_move, exploration)
    engine = mc.Searcher(preset="uct", exploration=exploration, seed=7)
    for _ in range(iterations):
        oracle.iterate()
    engine.search(state, iterations=iterations)
    stats = engine.stats()
    assert {move: counts for move, counts in by_move(stats).items() if counts[0]} == oracle.children()
    assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)
    assert (stats.depth_max, stats.depth_mean) == (max(oracle.depths), sum(oracle.depths) / iterations)


@pytest.mark.parametrize("make", [case[1] for case in SMALL], ids=[case[0] for case in SMALL])
@pytest.mark.parametrize("rollouts", [2, 3, 8, 100])
def test_several_rollouts_per_leaf_equal_the_oracle(make, rollouts):
    state = make()
    for iterations in (5, 500 if rollouts < 100 else 200):
        oracle = Oracle(Probe(state, 7), state.to_move, 0.5, rollouts)
        for _ in range(iterations):
            oracle.iterate()
        engine = mc.Searcher(preset="uct", exploration=0.5, seed=7, rollouts_per_leaf=rollouts)
        engine.search(state, iterations=iterations)
        stats = engine.stats()
        assert {move: counts for move, counts in by_move(stats).items() if counts[0]} == oracle.children()
        assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)
        assert stats.visits == iterations == sum(entry.visits for entry in stats.moves)
        assert stats.value == pytest.approx(sum(entry.wins for entry in stats.moves) / iterations)


@pytest.mark.parametrize("iterations", [1, 2, 6, 7, 8, 9, 30, 300])
def test_visits_add_up_from_the_first_iteration_on(iterations):
    for state in (mc.ConnectFour(), mc.TicTacToe(), mc.Gomoku(15)):
        engine = mc.Searcher(preset="uct", seed=3)
        engine.search(state, iterations=iterations)
        stats = engine.stats()
        assert stats.visits == stats.iterations == iterations == sum(entry.visits for entry in stats.moves)
        assert sum(entry.wins for entry in stats.moves) / iterations == pytest.approx(stats.value)
        assert [entry.visits for entry in stats.moves] == sorted((entry.visits for entry in stats.moves), reverse=True)
        assert sorted(entry.move for entry in stats.moves) == state.legal_moves()


def test_nodes_grow_by_at_most_one_an_iteration_and_memory_with_them():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=1)
    small = engine.stats().bytes
    engine.search(mc.ConnectFour(), iterations=200_000)
    stats = engine.stats()
    assert 100_000 < stats.nodes <= 200_001
    assert small < 1000 and 5 * 200_000 < stats.bytes < 8 * 200_000


def test_the_hot_module_exports_its_table():
    module = dispatch.hot_module("tree.plain_tree", dispatch.isa)
    assert "mcts_core.table" in repr(module.table)
