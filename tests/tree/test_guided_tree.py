"""src/mcts_core/tree/guided_tree.pyx: against a slow oracle, with valuations, and with a full memory."""

import random
from collections import Counter
from pathlib import Path

import pytest
from guided_oracle import Oracle
from network_oracle import Valuer, level, made_up
from nim import Nim
from noughts import Noughts
from paper_game import Paper, random_tree
from random_play import played_on

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.games.mnk.network import Network
from mcts_core.testing.probe import Probe

pytestmark = pytest.mark.usefixtures("no_book")

DATA = Path(__file__).resolve().parents[1] / "data"
NO_PROVER = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
NAMES = {-1: "loss", 0: "draw", 1: "win"}


class Again:
    """Numbers 1 to 5 are taken in turn, but who takes an even one moves again; there are draws."""

    def __init__(self, numbers=(), to_move=1):
        self.numbers, self.to_move = numbers, to_move

    def __repr__(self):
        return f"Again({self.numbers}, {self.to_move})"

    def legal_moves(self):
        return [n for n in range(1, 6) if n not in self.numbers]

    def play(self, move):
        return Again((*self.numbers, move), self.to_move if move % 2 == 0 else -self.to_move)

    def winner(self):
        if len(self.numbers) < 5:
            return None
        total = sum(n * (-1) ** k for k, n in enumerate(self.numbers))
        return 0 if total % 3 == 0 else 1 if total > 0 else -1


# ---- every statistic, iteration by iteration -------------------------------------------------------------------------

EARLY = [*range(1, 13), 16, 20, 25, 32, 50, 80]


def compare(state, counts, seed=7, memory_mb=16, **given):
    """Runs library and oracle side by side; both must say the same after each of ``counts`` iterations."""
    own = {"seed": seed, "memory_mb": memory_mb, "valuation": "rollout", **given}
    options = mc.Searcher(**own).options(state)
    if options.get("network") is not None:
        options["valuer"] = Valuer(options["network"], state)
    assert options.pop("final_move") == "robust"
    del options["exchange_every"]  # of several threads
    oracle = Oracle(Probe(state, seed), state.to_move, prover_bytes=memory_mb * 2**18, **options)
    done = 0
    for count in counts:
        oracle.run(count - done)
        done = count
        engine = mc.Searcher(**own)
        engine.search(state, iterations=count)
        stats = engine.stats()
        expected = oracle.figures()
        assert {name: getattr(stats, name) for name in expected} == expected, count
        legal = state.legal_moves()
        number = {move: move if isinstance(state, (mc.ConnectFour, mc.MNK)) else legal.index(move) for move in legal}
        found = {number[entry.move]: (entry.visits, entry.wins, entry.proven, entry.distance) for entry in stats.moves}
        expected = oracle.children()
        assert {move: found[move] for move in expected} == expected, count
        assert all(found[move][0] == 0 for move in found if move not in expected)
        assert stats.stop_reason == ("solved" if oracle.proof is not None else "iterations")
        if oracle.settled:
            break
    return oracle


OPTIONS = {
    "defaults": {},
    "no solver": {"solver": False, "fpu": 1e6},
    "fpu": {"fpu": 0.6, "exploration": 0.3},
    "prior": {"prior_weight": 2.5, "exploration": 0.4},
    "greedy": {"exploration": 0.0, "fpu": 0.5},
    "tuned": {"selection": "ucb1-tuned"},
    "tuned, leaves of 3": {"selection": "ucb1-tuned", "rollouts_per_leaf": 3},
    "rave by hand": {"selection": "rave", "rave_k": 30},
    "rave by hand, k 0": {"selection": "rave", "rave_k": 0, "exploration": 0.5},
    "rave by error": {"selection": "rave", "rave_schedule": "mse", "rave_bias": 0.05, "prior_weight": 1},
    "rave, leaves of 2": {"selection": "rave", "rollouts_per_leaf": 2, "solver": False, "fpu": 0.5},
    "grave": {"selection": "grave", "grave_ref": 5, "rave_bias": 0.01, "exploration": 0.2},
    "grave from the first visit": {"selection": "grave", "grave_ref": 0, "rave_bias": 0},
    "grave of the root": {"selection": "grave", "grave_ref": 10**6},
    "late leaves": {"expand_after": 3},
    "late leaves of 3": {"expand_after": 2, "rollouts_per_leaf": 3, "selection": "grave", "grave_ref": 4},
    "decisive": {"rollout": "decisive"},
    "puct": {"selection": "puct"},
    "puct, noise": {"selection": "puct", "c_puct": 1.5, "fpu": 0.4, "rollouts_per_leaf": 2, "expand_after": 3,
                    "noise_alpha": 0.4, "noise_weight": 0.6, "solver": False},
}
PYTHON_STATES = [Nim(12), Nim(9, -1), Again(), Again((2,), -1), Noughts(), Noughts.from_text("X...O...."),
                 Paper(random_tree(3)), Paper(random_tree(14)), Paper(random_tree(15))]


@pytest.mark.parametrize("last", [100, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_python_games_equal_the_oracle(options, last):
    for state in PYTHON_STATES:
        compare(state, [*EARLY, last], **options)


NATIVE = [mc.TicTacToe(), mc.ConnectFour(4, 5, 4), mc.ConnectFour.from_moves("33323504"), mc.MNK(4, 4, 3),
          mc.MNK(5, 4, 4), mc.Gomoku(8), mc.Gomoku.from_moves("40 41 31", size=9, rule="exact")]


@pytest.mark.parametrize("last", [80, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_native_games_equal_the_oracle(options, last):
    for state in NATIVE:
        compare(state, [1, 2, 3, 5, 8, 13, 40, last], **options)


def random_case(seed):
    """A position of a small board and options, most of them unusual."""
    chooser = random.Random(seed)
    pick = chooser.choice
    if chooser.random() < 0.3:
        state, distance = mc.ConnectFour(*pick([(4, 4, 3), (4, 5, 4), (6, 7, 4), (5, 4, 4)])), 0
    else:
        size = pick([(4, 4, 3), (5, 4, 4), (5, 5, 4), (6, 6, 4), (6, 6, 5), (4, 4, 4), (3, 3, 3)])
        state, distance = mc.MNK(*size, rule=pick(["freestyle", "exact"])), pick([0, 1, 1, 2])
    state = played_on(state, chooser, chooser.randrange(16))
    solver = chooser.random() < 0.9
    return state, {
        "selection": pick(["ucb1", "ucb1-tuned", "rave", "grave"]), "exploration": pick([0.0, 0.1, 0.5, 1.4]),
        "fpu": pick([None, 0.5, 1.0]) if solver else 1.0, "solver": solver, "rollout": pick(["random", "decisive"]),
        "rollouts_per_leaf": pick([1, 1, 2, 3]), "expand_after": pick([1, 2, 5]), "prior_weight": pick([0, 0, 2.5]),
        "rave_schedule": pick(["hand", "mse"]), "rave_k": pick([0, 10, 1000]), "rave_bias": pick([0, 1e-3, 1]),
        "grave_ref": pick([0, 5, 50]), "symmetry": chooser.random() < 0.3,
        "leaf_proofs": pick([0, 0, 5, 50]), "node_proofs": pick([0, 0, 1, 30]), "root_proofs": pick([0, 0, 1, 100]),
        "expand_distance": distance, "seed": chooser.randrange(10**6),
    }


def test_random_options_on_random_positions_equal_the_oracle(monkeypatch):
    """Everything together; the rare ways through the code are taken, too."""
    taken = dict.fromkeys(("widen", "prove_node", "search_root", "settle"), 0)

    def counted(name, function):
        def call(self, *args):
            taken[name] += 1
            return function(self, *args)

        return call

    for name in taken:
        monkeypatch.setattr(Oracle, name, counted(name, getattr(Oracle, name)))
    for seed in [*range(90), 188, 229, 365, 659, 679]:  # the last ones have to widen a node
        state, options = random_case(seed)
        compare(state, [10, 50, 200], **options)
    assert min(taken.values()) >= 3, taken


# ---- PUCT and valuations ---------------------------------------------------------------------------------------------

VALUED = [
    (mc.Gomoku(9), {}), (mc.Gomoku.from_moves("40 41 31", size=9, rule="exact"), {"fpu": 0.3, "c_puct": 2.0}),
    (mc.MNK(12, 6, 5).play(30), {"expand_after": 3, "symmetry": True}),
    (mc.Gomoku.from_moves("12 7 16 8 11", size=5), {"solver": False}), (mc.Gomoku(7), {"expand_distance": 0}),
    (mc.Gomoku.from_moves("24 17 25", size=7), {"leaf_proofs": 30, "node_proofs": 8, "root_proofs": 64,
                                                     "least_prior": 0.5}),
    (mc.Gomoku.from_moves("24 17", size=7), {"valuation": 0.5}),
    (mc.Gomoku.from_moves("24 17 25", size=7), {"valuation": 0.3, "rollouts_per_leaf": 3, "rollout": "tactical"}),
    (mc.Gomoku.from_moves("24 17 25", size=7), {"valuation": 0.001, "rollouts_per_leaf": 100}),
    (mc.Gomoku.from_moves("12 7 16", size=6), {"noise_alpha": 0.3, "noise_weight": 0.5, "least_prior": 1.0}),
]


@pytest.mark.parametrize(("state", "options"), VALUED, ids=lambda value: str(value)[:60].replace("\n", "/"))
def test_searches_by_a_network_equal_the_oracle(state, options):
    """Which sums up each position anew: so what the valuation keeps from one position to the next is right as well."""
    compare(state, [1, 2, 3, 5, 8, 13, 50], network=Network(made_up(11)), **{
        "selection": "puct", "valuation": "network", "least_prior": 0.2, **NO_PROVER, **options})


def test_random_searches_by_puct_equal_the_oracle():
    for seed in range(15):
        state, options = random_case(seed)
        for name in ("exploration", "prior_weight", "rave_schedule", "rave_k", "rave_bias", "grave_ref"):
            del options[name]
        compare(state, [10, 50, 200], **{**options, "selection": "puct", "least_prior": (0.01, 0.3, 1.0)[seed % 3]})


@pytest.mark.parametrize("logit", [-4095, -300, 0, 300, 4095])
def test_the_value_of_a_leaf_is_that_of_its_player_to_move(logit):
    """Every position has the same value for the player to move: what is good for one is bad two plies later."""
    engine = mc.Searcher(seed=1, memory_mb=16, network=level(logit), **NO_PROVER)
    for state in (mc.Gomoku(9), mc.Gomoku(9).play(40)):
        engine.search(state, iterations=1)
        entry = next(entry for entry in engine.stats().moves if entry.visits)
        assert abs(entry.value - (1 - 1 / (1 + 2 ** (-logit / 256)))) <= 1 / 256
        assert engine.stats().value == entry.value and engine.stats().rollouts == 1
        assert entry.value * 128 == int(entry.value * 128)


def test_least_prior_keeps_what_wins_and_what_saves():
    """Positions whose good moves are known: fives, and the only cells that stop one."""
    checked = 0
    for line in (DATA / "gomoku_dev.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        rule, size, moves, *rest = line.split("\t")
        if rest[1] not in ("win1", "block4") or checked == 20:
            continue
        cells = [int(y) * int(size) + int(x) for x, y in (move.split(",") for move in moves.split(";"))]
        state = mc.Gomoku.from_moves(cells, size=int(size), rule="exact" if rule == "exact5" else "freestyle")
        good = {int(y) * int(size) + int(x) for x, y in (move.split(",") for move in rest[2].split(";"))}
        engine = mc.Searcher(seed=checked, memory_mb=16, network=made_up(checked, extreme=True), least_prior=1.0,
                             valuation="network", selection="puct", **NO_PROVER)
        assert engine.search(state, iterations=40) in good
        if rest[1] == "win1":
            assert (engine.stats().proven, engine.stats().distance) == ("win", 1)
        elif engine.stats().proven != "win":  # with a win the others need not be known
            assert {entry.move for entry in engine.stats().moves if entry.proven != "loss"} <= good
        checked += 1
    assert checked == 20


def priors(stats):
    return {entry.move: entry.prior for entry in stats.moves if entry.prior is not None}


def test_noise_is_in_the_priors_of_the_root_alone():
    state, options = mc.Gomoku.from_moves("40 41", size=9), {"network": made_up(2), "noise_weight": 0.5, **NO_PROVER}

    def found(seed=1, iterations=30, **others):
        engine = mc.Searcher(seed=seed, memory_mb=16, **{**options, **others})
        engine.search(state, iterations=iterations)
        return engine

    plain, noisy = found().stats(), found(noise_alpha=0.3).stats()
    assert priors(plain) == priors(found(seed=2).stats()) and priors(noisy) == priors(found(noise_alpha=0.3).stats())
    assert priors(noisy) != priors(found(seed=2, noise_alpha=0.3).stats())
    assert set(priors(noisy)) == set(priors(plain)) and priors(noisy) != priors(plain)
    for stats in (plain, noisy):
        assert abs(sum(priors(stats).values()) - 1) < 1e-5 and min(priors(stats).values()) >= 0
    assert all(priors(noisy)[move] >= 0.5 * prior - 1e-7 for move, prior in priors(plain).items())
    assert priors(found(noise_alpha=0.3, noise_weight=0.0).stats()) == priors(plain)
    # the next root, of the same tree, gets noise when it becomes the root; its children had none before
    engine = found(noise_alpha=0.3, iterations=400, least_prior=0.0)
    following = state.play(engine.stats().move)
    engine.search(following, iterations=1)
    assert engine.stats().reused_visits > 30
    calm = mc.Searcher(seed=1, memory_mb=16, network=made_up(2), least_prior=0.0, **NO_PROVER)
    calm.search(following, iterations=1)
    mixed, pure = priors(engine.stats()), priors(calm.stats())
    assert set(mixed) == set(pure) and mixed != pure and abs(sum(mixed.values()) - 1) < 1e-5
    assert all(mixed[move] >= 0.5 * pure[move] - 1e-7 for move in pure)


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_a_share_mixes_values_and_rollouts(share):
    """A network that is sure of a loss of the player to move, and rollouts of a position where either may win."""
    state = mc.Gomoku(9).play(40)
    engine = mc.Searcher(seed=1, memory_mb=16, network=level(-4095), selection="puct", valuation=share,
                         rollouts_per_leaf=1, **NO_PROVER)
    seen = set()
    for seed in range(12):
        engine = mc.Searcher(seed=seed, memory_mb=16, network=level(-4095), valuation=share, **NO_PROVER)
        engine.search(state, iterations=1)
        seen.add(next(entry.value for entry in engine.stats().moves if entry.visits))
    assert seen <= {share, share + (1 - share) / 2, 1.0} and {share, 1.0} <= seen


# ---- determinism, memory ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_the_same_seed_gives_the_same_search(options):
    def run(seed, state):
        engine = mc.Searcher(seed=seed, memory_mb=64, **options)
        engine.search(state, iterations=400)
        data = engine.stats().to_dict()
        return {name: data[name] for name in data if name not in ("seconds", "iterations_per_second", "overshoot")}

    for state in (Noughts(), mc.ConnectFour(), mc.MNK(6, 6, 4)):
        first = run(4, state)
        assert run(4, state) == first
        assert run(5, state)["moves"] != first["moves"]


def test_one_searcher_takes_games_with_and_without_keys_and_exact_search():
    engine, fresh = mc.Searcher(seed=2, memory_mb=64), []
    states = [mc.ConnectFour(), Nim(40), mc.MNK(6, 6, 4), Noughts(), mc.Gomoku(15), mc.ConnectFour(5, 5, 4)]
    for state in states * 2:
        engine.search(state, iterations=300)
        fresh.append(engine.stats())
    for state, stats in zip(states * 2, fresh, strict=True):
        alone = mc.Searcher(seed=stats.seed, memory_mb=64)
        alone.search(state, iterations=300)
        assert (alone.stats().moves, alone.stats().nodes) == (stats.moves, stats.nodes)


class Wide:
    """Forty numbers, each to be taken once, and an even chance: a tree that never ends."""

    def __init__(self, taken=frozenset(), to_move=1):
        self.taken, self.to_move = taken, to_move

    def legal_moves(self):
        return [n for n in range(40) if n not in self.taken]

    def play(self, move):
        return Wide(self.taken | {move}, -self.to_move)

    def winner(self):
        return None if len(self.taken) < 6 else 1 - sum(self.taken) % 3


FULL = [{}, {"solver": False, "fpu": 1.0}, {"selection": "grave", "grave_ref": 3}, {"selection": "rave"},
        {**NO_PROVER, "expand_distance": 1}, {**NO_PROVER, "selection": "grave", "symmetry": True, "grave_ref": 20}]


@pytest.mark.parametrize("options", FULL, ids=str)
def test_a_full_memory_ends_the_search_with_what_it_has(options):
    states = [Wide(), mc.ConnectFour(), mc.MNK(7, 7, 5), mc.Gomoku(9), mc.Gomoku(15, "exact")]
    for seed in range(2):
        for state in states[seed > 0:]:
            engine = mc.Searcher(seed=seed, memory_mb=1, prune=False, expand_after=2, **options)
            move = engine.search(state, iterations=60_000)
            stats = engine.stats()
            assert stats.stop_reason == "memory" and 0 < stats.iterations < 60_000
            assert 0.55 * 2**20 < stats.bytes <= 2**20
            assert move == stats.move == stats.pv[0] and move in state.legal_moves()
            assert len(stats.moves) == len(state.legal_moves()) and 0 <= stats.value <= 1
            assert sum(entry.visits for entry in stats.moves) >= stats.iterations == stats.visits
            assert all(0 <= entry.wins <= entry.visits for entry in stats.moves)
            engine.search(state, iterations=30)
            assert engine.stats().stop_reason == "iterations" and engine.stats().iterations == 30


def test_memory_that_fills_up_while_values_are_proven():
    """Boards that are nearly solved: blocks are widened and proven until the last byte."""
    reasons = Counter()
    for seed in range(30):
        state, options = random_case(seed)
        options |= {"solver": True, **NO_PROVER}
        for rows, cols in ((6, 6), (5, 7)):
            board = mc.MNK(rows, cols, 4) if isinstance(state, mc.MNK) else mc.ConnectFour(5, 6, 4)
            for move in random.Random(seed).sample(range(rows * cols), 4) if isinstance(board, mc.MNK) else (2, 2, 3):
                board = board.play(move)
            engine = mc.Searcher(memory_mb=1, prune=False, **options)
            move = engine.search(board, iterations=30_000)
            stats = engine.stats()
            reasons[stats.stop_reason] += 1
            assert move in board.legal_moves() and stats.bytes <= 2**20
            assert {entry.move for entry in stats.moves} == set(board.legal_moves())
    assert reasons["memory"] > 22 and reasons["solved"] > 3, reasons


def test_the_hot_module_exports_its_table():
    module = dispatch.hot_module("tree.guided_tree", dispatch.isa)
    assert "mcts_core.table" in repr(module.table)
