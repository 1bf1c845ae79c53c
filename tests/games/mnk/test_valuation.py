"""src/mcts_core/games/mnk/valuation.pyx: the line-pattern network in searches."""

import os
import random
import struct
import subprocess
import sys

import pytest
from network_oracle import Valuer, level, made_up

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.games.mnk.network import Network
from mcts_core.games.mnk.weights import shipped
from mcts_core.testing.network_probe import network_outputs, powers
from mcts_core.testing.probe import Probe, check_tree

NO_PROOFS = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
STATES = [
    mc.Gomoku(9), mc.Gomoku(9).play(40), mc.Gomoku.from_moves("112 97 113 98 96 111 127 128"),
    mc.Gomoku.from_moves("40 41 31", size=9, rule="exact"), mc.MNK(22, 5, 5).play(50), mc.MNK(5, 22, 5).play(4).play(9),
    mc.Gomoku.from_moves("0 21 462 483 220", size=22), mc.Gomoku(5),
    mc.Gomoku.from_string("XO......./.XO....../........./........./........./........./........./.......O./........X".replace(
        "/", "\n"), size=9),
]


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def searched(state, iterations, **options):
    own = {"seed": 5, "memory_mb": 16, "valuation": "network", "selection": "puct"}
    engine = mc.Searcher(**{**own, **NO_PROOFS, **options})
    engine.search(state, iterations=iterations)
    return engine


def figures(engine):
    data = engine.stats().to_dict()
    return {name: data[name] for name in data if name not in ("seconds", "iterations_per_second", "overshoot", "isa")}


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state.m}x{state.n}-{len(state.moves)}")
@pytest.mark.parametrize("seed", [1, 2])
def test_priors_and_values_are_those_of_the_network(state, seed):
    """The priors of the root are the softmax of the logits of the moves listed, and the first leaf has its value."""
    network = Network(made_up(seed))
    valuer = Valuer(network, state)
    listed = [move for move, *_ in Probe(state).children([], 2)[0]]
    weights = valuer.weights([], listed)
    engine = searched(state, 1, network=network, expand_distance=2)
    stats = engine.stats()
    assert {entry.move: entry.prior for entry in stats.moves if entry.prior is not None} == {
        move: single(weight / sum(weights)) for move, weight in zip(listed, weights, strict=True)}
    entry = next(entry for entry in stats.moves if entry.visits)
    assert entry.prior == max(entry.prior for entry in stats.moves if entry.prior is not None)
    assert entry.wins == 1 - (valuer.value([entry.move]) * 128 + 32768 >> 16) / 128
    assert stats.value == entry.wins and stats.rollouts == 1 == entry.visits
    again = searched(state, 2, network=network, expand_distance=2)
    total = sum(1 - (valuer.value(path) * 128 + 32768 >> 16) / 128 if len(path) == 1 else
                (valuer.value(path) * 128 + 32768 >> 16) / 128 for path in paths_of(again, entry.move))
    assert sum(one.wins for one in again.stats().moves) == total


def paths_of(engine, first):
    """The leaves of a search of two iterations, of which ``first`` was the first one."""
    others = [entry.move for entry in engine.stats().moves if entry.visits and entry.move != first]
    if others:
        return [[first], others]
    child, = [child for child in engine.tree(2, 0.0).children if child.move == first]
    return [[first], [first, next(below.move for below in child.children if below.visits)]]


def test_a_search_knows_nothing_of_the_one_before():
    """The position of the last call is kept; roots, boards and networks change, and each search is as a fresh one."""
    roots = [STATES[1], STATES[0], STATES[3], mc.Gomoku(15), STATES[2], STATES[4], STATES[5], mc.MNK(6, 20, 5),
             mc.MNK(20, 6, 5),
             mc.MNK(10, 12, 5), mc.MNK(12, 10, 5), STATES[-1]]
    engine = mc.Searcher(seed=5, memory_mb=16, network=made_up(4), valuation="network", selection="puct", reuse=False)
    for state in [*roots, *roots[::-1], *roots[::3]]:
        engine.search(state, iterations=60)
        fresh = searched(state, 60, seed=engine.stats().seed, network=made_up(4), leaf_proofs=None, node_proofs=None,
                         root_proofs=None)
        assert figures(engine) == figures(fresh)


def test_used_trees_go_on_as_the_oracle_says():
    """Below a new root, the network values what it valued before: the value of each node that has one visit."""
    state, network = STATES[2], Network(made_up(8))
    engine, seen = searched(state, 150, network=network, c_puct=3.0), 0
    for _ in range(3):
        state = state.play(engine.stats().move)
        engine.search(state, iterations=100)
        assert engine.stats().reused_visits > 0
        valuer = Valuer(network, state)
        for entry in engine.stats().moves:
            if entry.visits == 1:
                assert entry.wins == 1 - (valuer.value([entry.move]) * 128 + 32768 >> 16) / 128
                seen += 1
        assert check_tree(engine)
    assert seen > 3


BARE = [mc.MNK(15, 15, 4), mc.MNK(15, 15, 6), mc.MNK(4, 30, 5), mc.MNK(4, 9, 5), mc.Gomoku(23), mc.MNK(23, 9, 5),
        mc.MNK(9, 23, 5), mc.MNK(5, 4, 5), mc.TicTacToe(), mc.ConnectFour()]


@pytest.mark.parametrize("state", BARE, ids=repr)
def test_boards_without_a_valuation(state):
    for valuation in ("network", 0.5):
        for own in ({}, {"selection": "puct"}):
            needed = rf"^valuation .*needs a game with a valuation, which {type(state).__name__}\("
            with pytest.raises(mc.InvalidOption, match=needed):
                mc.Searcher(valuation=valuation, **own).search(state, iterations=10)
    engine = mc.Searcher(seed=1, memory_mb=16, selection="puct")
    assert engine.search(state, iterations=50) in state.legal_moves()
    assert engine.options(state)["valuation"] == "rollout"
    assert abs(sum(entry.prior or 0 for entry in engine.stats().moves) - 1) < 1e-5


def test_boards_of_one_size_with_and_without_a_valuation():
    """Both have 120 cells and the same guide, but a Searcher must not keep the settings of the one for the other."""
    engine = mc.Searcher(seed=1, memory_mb=16)
    for state in (mc.MNK(8, 15, 5), mc.MNK(4, 30, 5), mc.MNK(8, 15, 5)):
        engine.search(state, iterations=30)
        assert engine.options(state)["selection"] == ("puct" if state.m == 8 else "grave")
        fresh = mc.Searcher(seed=engine.stats().seed, memory_mb=16)
        fresh.search(state, iterations=30)
        assert figures(engine) == figures(fresh)


def test_networks_need_puct():
    with pytest.raises(mc.InvalidOption, match="valuation 'network' needs selection 'puct', got 'grave'"):
        mc.Searcher(valuation="network", selection="grave").search(mc.Gomoku(9), iterations=5)
    with pytest.raises(mc.InvalidOption, match="needs selection 'puct', got 'ucb1', the default for this game; set"):
        mc.Searcher(valuation="network").search(mc.Gomoku(8), iterations=5)
    with pytest.raises(mc.InvalidOption, match="network and an evaluator"):
        mc.Searcher(network=level(), evaluator=print)
    with pytest.raises(mc.InvalidOption, match="network <Network 3-.*needs"):
        mc.Searcher(network=level(), selection="grave").search(mc.Gomoku(9), iterations=5)
    for valuation in ("Network", -0.1, 1.1, float("nan"), True):
        with pytest.raises(mc.InvalidOption, match="^valuation must be "):
            mc.Searcher(valuation=valuation)


TREES = """
import mcts_core as mc
from network_oracle import made_up
for state in (mc.Gomoku.from_moves("112 97 113 98"), mc.Gomoku(9, "exact"), mc.MNK(22, 5, 5).play(50)):
    for source in (None, made_up(3, extreme=True)):
        engine = mc.Searcher(seed=3, memory_mb=16, network=source, selection="puct", valuation="network")
        engine.search(state, iterations=300)
        stats = engine.stats()
        print(stats.nodes, stats.depth_max, stats.moves)
print(stats.isa)
"""


def test_every_instruction_set_searches_the_same_tree():
    found = []
    for isa in dispatch.supported():
        path = os.pathsep.join([os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                                os.environ.get("PYTHONPATH", "")])
        changed = {"MCTS_CORE_ISA": isa, "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-P", "-c", TREES], env=os.environ | changed,
                              check=True, capture_output=True, text=True)
        *lines, used = done.stdout.splitlines()
        assert used == isa and len(set(lines)) == 6
        found.append(lines)
    assert all(lines == found[0] for lines in found)


@pytest.mark.parametrize("size", [9, 15])
def test_threads_and_a_full_memory(size):
    """Threads are deterministic; a search whose memory is full prunes and goes on, also below the next root."""
    options = {"threads": 2, "exchange_every": 64, "memory_mb": 32}
    first, again = (searched(mc.Gomoku(size), 2000, **options) for _ in range(2))
    assert figures(first) == figures(again) and first.stats().threads == 2 and check_tree(first)
    state, engine = mc.Gomoku(size), searched(mc.Gomoku(size).play(0), 10, memory_mb=2)
    for _ in range(3):
        engine.search(state, iterations=40_000)
        stats = engine.stats()
        assert stats.prunes > 0 and stats.stop_reason == "iterations" and stats.bytes <= 2 << 20 and check_tree(engine)
        state = state.play(stats.move)
    assert stats.reused_visits > 0


def test_the_hot_module_exports_its_table():
    module = dispatch.hot_module("games.mnk.valuation", dispatch.isa)
    assert "mcts_core.table" in repr(module.table)


@pytest.mark.parametrize(("m", "n"), [(5, 5), (9, 9), (13, 5), (22, 22)])
def test_positions_in_any_order_have_the_values_of_their_boards(m, n):
    draw = random.Random(m)
    start = mc.MNK(m, n, 5)
    for _ in range(2):
        start = start.play(draw.choice(start.legal_moves()))
    paths, state = [[]], start
    while state.play(state.legal_moves()[0]).winner() is None and len(paths) < 40:
        move = draw.choice(state.legal_moves())
        if state.play(move).winner() is None:
            state = state.play(move)
            paths.append([*paths[-1], move])
    probe = Probe(start)
    assert probe.create_valuation(shipped())
    for path in draw.choices(paths, k=60):
        board = bytearray(m * n)
        for number, move in enumerate([*start.moves, *path]):
            board[move] = 1 + number % 2
        logit, looked_at = network_outputs(shipped(), bytes(board), n, m, len(path) % 2)
        assert probe.value(path) == (0, round(65536 * powers([logit])[0][1]), None)
        moves = sorted(cell for cell in looked_at if not board[cell])
        most = max(looked_at[move][0] for move in moves)
        returned, weights, damage = probe.weigh(path, moves)
        assert (returned, damage) == (0, None)
        expected = [powers([(most - looked_at[move][0]) * 3 // 4])[0][0] for move in moves]
        assert [weight / max(weights) for weight in weights] == pytest.approx(expected, abs=1e-5)


def test_boards_that_networks_do_not_know_have_no_valuation():
    assert Probe(mc.Gomoku(22)).valuation == (True, True, True, True)
    for state in (mc.Gomoku(23), mc.MNK(9, 4, 5), mc.MNK(9, 9, 4), mc.MNK(9, 9, 6), mc.ConnectFour()):
        assert not (Probe(state).valuation or (False,))[0]
