"""src/tree/guided_tree.pyx: against a slow oracle, trees solved by hand, and plain minimax."""

import importlib
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from guided_oracle import Oracle
from network_oracle import Valuer, level, made_up
from paper_game import Paper, random_tree, solve

import mcts_core as mc
from mcts_core import dispatch
from mcts_core.games.mnk.network import Network
from mcts_core.testing.probe import Probe
from mcts_core.testing.threat_probe import ThreatProbe

pytestmark = pytest.mark.usefixtures("no_book")

DATA = Path(__file__).resolve().parents[1] / "data"
NO_PROVER = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
NAMES = {-1: "loss", 0: "draw", 1: "win"}


class Nim:
    """Take one to three of the stones; who takes the last one wins."""

    def __init__(self, stones=10, to_move=1):
        self.stones, self.to_move = stones, to_move

    def __repr__(self):
        return f"Nim({self.stones}, {self.to_move})"

    def legal_moves(self):
        return [n for n in (1, 2, 3) if n <= self.stones]

    def play(self, move):
        return Nim(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


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


class Noughts:
    """Tic-tac-toe in Python."""

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self, cells=(0,) * 9, to_move=1):
        self.cells, self.to_move = cells, to_move

    def __repr__(self):
        return "".join("O.X"[cell + 1] for cell in self.cells)

    @classmethod
    def from_text(cls, text):
        cells = tuple("O.X".index(mark) - 1 for mark in text)
        return cls(cells, 1 if sum(cells) == 0 else -1)

    def legal_moves(self):
        return [cell for cell in range(9) if not self.cells[cell]]

    def play(self, move):
        return Noughts((*self.cells[:move], self.to_move, *self.cells[move + 1:]), -self.to_move)

    def winner(self):
        for a, b, c in self.LINES:
            if self.cells[a] and self.cells[a] == self.cells[b] == self.cells[c]:
                return self.cells[a]
        return None if 0 in self.cells else 0


# ---- every statistic, iteration by iteration -------------------------------------------------------------------------

EARLY = [*range(1, 26), 32, 50, 80, 130]


def compare(state, counts, seed=7, memory_mb=16, **given):
    """Runs library and oracle side by side; both must say the same after each of ``counts`` iterations."""
    engine = mc.Searcher(seed=seed, memory_mb=memory_mb, **{"valuation": "rollout", **given})
    options = engine.options(state)
    if options.get("network") is not None:
        options["valuer"] = Valuer(options["network"], state)
    assert options.pop("final_move") == "robust"
    del options["exchange_every"]  # of several threads
    oracle = Oracle(Probe(state, seed), state.to_move, prover_bytes=memory_mb * 2**18, **options)
    done = 0
    for count in counts:
        oracle.run(count - done)
        done = count
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


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_python_games_equal_the_oracle(options):
    for state in PYTHON_STATES:
        compare(state, [*EARLY, 250], **options)


NATIVE = [mc.TicTacToe(), mc.ConnectFour(4, 5, 4), mc.ConnectFour.from_moves("33323504"), mc.MNK(4, 4, 3),
          mc.MNK(5, 4, 4), mc.Gomoku(8), mc.Gomoku.from_moves("40 41 31", size=9, rule="exact")]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_native_games_equal_the_oracle(options):
    for state in NATIVE:
        compare(state, [1, 2, 3, 5, 8, 13, 40, 150], **options)


def random_case(seed):
    """A position of a small board and options, most of them unusual."""
    chooser = random.Random(seed)
    pick = chooser.choice
    if chooser.random() < 0.3:
        state, distance = mc.ConnectFour(*pick([(4, 4, 3), (4, 5, 4), (6, 7, 4), (5, 4, 4)])), 0
    else:
        size = pick([(4, 4, 3), (5, 4, 4), (5, 5, 4), (6, 6, 4), (6, 6, 5), (4, 4, 4), (3, 3, 3)])
        state, distance = mc.MNK(*size, rule=pick(["freestyle", "exact"])), pick([0, 1, 1, 2])
    for _ in range(chooser.randrange(16)):
        following = state.play(pick(state.legal_moves()))
        if following.winner() is not None:
            break
        state = following
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
    for seed in [*range(150), 188, 229, 365, 659, 679]:  # the last ones have to widen a node
        state, options = random_case(seed)
        compare(state, [10, 50, 250], **options)
    assert min(taken.values()) >= 3, taken


# ---- trees solved by hand --------------------------------------------------------------------------------------------

def search(tree, iterations=1000, **options):
    engine = mc.Searcher(**{"seed": 1, **options})
    engine.search(Paper(tree), iterations=iterations)
    return engine.stats()


def proofs(stats):
    return {entry.move: (entry.proven, entry.distance) for entry in stats.moves}


@pytest.mark.parametrize("player", [1, -1])
def test_the_shortest_win_is_chosen(player):
    """slow wins in three plies, fast in one; the search stops with the first win that it knows."""
    tree = {
        "root": (player, {"slow": "a", "fast": "end"}),
        "a": (-player, {0: "b"}), "b": (player, {0: "end"}), "end": player,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == ("fast", "win", 1, "solved")
    assert stats.iterations == 1 and proofs(stats)["fast"] == ("win", 1)


@pytest.mark.parametrize("player", [1, -1])
def test_a_win_is_one_more_than_the_shortest_and_a_loss_one_more_than_the_longest(player):
    """After `long` the opponent loses in 2 or in 4 plies and takes 4; after `short` in 2. So `short` wins in 3."""
    tree = {
        "root": (player, {"long": "a", "bad": "lost"}),
        "a": (-player, {"resist": "b", "give up": "c"}),
        "b": (player, {0: "d"}), "d": (-player, {0: "e"}), "e": (player, {0: "won"}),
        "c": (player, {0: "won"}),
        "won": player, "lost": -player,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance) == ("long", "win", 5)
    assert proofs(stats) == {"long": ("win", 5), "bad": ("loss", 1)}


@pytest.mark.parametrize("player", [1, -1])
def test_the_longest_loss_is_chosen(player):
    tree = {
        "root": (player, {"now": "lost", "soon": "a", "late": "b"}),
        "a": (-player, {"wins": "lost", "draws": "drawn"}),
        "b": (-player, {0: "c"}), "c": (player, {0: "d", 1: "lost"}), "d": (-player, {0: "lost"}),
        "lost": -player, "drawn": 0,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == ("late", "loss", 4, "solved")
    assert proofs(stats) == {"now": ("loss", 1), "soon": ("loss", 2), "late": ("loss", 4)}


@pytest.mark.parametrize("player", [1, -1])
def test_a_draw_is_better_than_a_loss_and_passed_over_while_more_is_possible(player):
    tree = {
        "root": (player, {"loses": "lost", "draws": "drawn", "wins late": "a"}),
        "a": (-player, {0: "b", 1: "c"}), "b": (player, {0: "won", 1: "lost"}), "c": (player, {0: "lost", 1: "won"}),
        "lost": -player, "drawn": 0, "won": player,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance) == ("wins late", "win", 3)
    tree["c"] = 0
    stats = search(tree)
    assert (stats.move, stats.proven) == ("draws", "draw") and stats.stop_reason == "solved"
    assert proofs(stats)["loses"] == ("loss", 1) and proofs(stats)["draws"] == ("draw", 1)
    tree["drawn"] = -player
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance) == ("wins late", "draw", 2)


@pytest.mark.parametrize("player", [1, -1])
def test_a_proven_loss_is_never_chosen_while_another_move_lives(player):
    """The loss has by far the best statistics when it is found; afterwards its visits stand still."""
    chain = {f"n{i}": (player if i % 2 == 0 else -player, {0: f"n{i + 1}"}) for i in range(60)}
    tree = {
        "root": (player, {"trap": "t", "lives": "n0"}),
        "t": (-player, {**{i: "nice" for i in range(6)}, "refutation": "u"}),
        "u": (player, {0: "v"}), "v": (-player, {0: "lost"}),
        "nice": (player, {i: "won" for i in range(2)}), **chain, "n60": 0, "lost": -player, "won": player,
    }
    for final_move in ("robust", "max"):
        for iterations in range(10, 120, 10):
            stats = search(tree, iterations, final_move=final_move)
            if proofs(stats)["trap"][0] == "loss":
                assert stats.move == "lives" and proofs(stats)["trap"] == ("loss", 4)
                break
        assert proofs(stats)["trap"][0] == "loss" and stats.proven is None
        visits = {entry.move: entry.visits for entry in stats.moves}
        later = {entry.move: entry.visits for entry in search(tree, iterations + 40, final_move=final_move).moves}
        assert later["trap"] == visits["trap"] and later["lives"] == visits["lives"] + 40


def test_bounds_prove_a_draw_without_every_reply():
    """The opponent can force a draw after `other`, the player has one already: more need not be known of `other`."""
    tree = {
        "root": (1, {"sure": "drawn", "other": "o"}),
        "o": (-1, {"draw": "drawn", "unclear": "x"}),
        "x": (1, {i: f"x{i}" for i in range(4)}), **{f"x{i}": (-1, {0: "won", 1: "lost"}) for i in range(4)},
        "drawn": 0, "won": 1, "lost": -1,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == ("sure", "draw", 1, "solved")
    assert proofs(stats) == {"sure": ("draw", 1), "other": (None, None)}


def test_players_who_move_twice_keep_their_wins():
    """+1 moves at the root and below: a win below is a win, a loss of one move below is none."""
    tree = {
        "root": (1, {"l": "l", "r": "r"}),
        "l": (1, {0: "lost", 1: "l1"}), "l1": (1, {0: "lost", 1: "won"}),
        "r": (-1, {0: "lost", 1: "won"}), "won": 1, "lost": -1,
    }
    stats = search(tree)
    assert (stats.move, stats.proven, stats.distance) == ("l", "win", 3)
    assert proofs(stats)["l"] == ("win", 3)


def test_the_root_is_solved_when_its_only_move_is():
    for winner, name in ((1, "win"), (0, "draw"), (-1, "loss")):
        stats = search({"root": (1, {"only": "a"}), "a": (-1, {0: "end"}), "end": winner})
        assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == ("only", name, 2, "solved")
        assert [(entry.proven, entry.distance) for entry in stats.moves] == [(name, 2)]
        assert stats.pv[0] == "only"
    stats = search({"root": (-1, {"only": "end"}), "end": -1})
    assert (stats.proven, stats.distance, stats.iterations, stats.value) == ("win", 1, 1, 1.0)


def test_without_the_solver_only_finished_games_are_proven():
    tree = {
        "root": (1, {"now": "won", "soon": "a", "drawn": "drawn", "lost": "lost"}),
        "a": (-1, {0: "b"}), "b": (1, {0: "won"}), "won": 1, "drawn": 0, "lost": -1,
    }
    stats = search(tree, 500, solver=False, fpu=1.0)
    assert stats.stop_reason == "iterations" and stats.proven is stats.distance is None
    assert proofs(stats) == {"now": ("win", 1), "soon": (None, None), "drawn": ("draw", 1), "lost": ("loss", 1)}
    assert stats.move == "now"
    for seed in range(20):
        stats = search(random_tree(seed), 300, solver=False, fpu=1.0, seed=seed)
        assert stats.proven is None and stats.iterations == 300
        assert {entry.distance for entry in stats.moves} <= {None, 1}


# ---- plain minimax ---------------------------------------------------------------------------------------------------

SOLVERS = [{}, {"selection": "rave"}, {"selection": "grave", "grave_ref": 3}, {"selection": "ucb1-tuned"},
           {"expand_after": 4, "rollouts_per_leaf": 2}, {"prior_weight": 3.0, "exploration": 0.1},
           {"fpu": 0.4, "exploration": 0.0}]


@pytest.mark.parametrize("options", SOLVERS, ids=str)
def test_whatever_is_proven_of_random_games_is_true_and_the_root_gets_proven(options):
    solved, names = 0, set()
    for seed in range(60):
        tree = random_tree(seed)
        player, moves = tree["root"]
        for iterations in (4, 15, 50, 5000):
            stats = search(tree, iterations, **options)
            for entry in stats.moves:
                if entry.proven is not None:
                    winner, distance = solve(tree, moves[entry.move])
                    assert entry.proven == NAMES[player * winner], (seed, entry)
                    assert entry.proven == "draw" or 1 + distance <= entry.distance <= 5, (seed, entry)
            if stats.proven is None:
                assert stats.stop_reason == "iterations"
                continue
            winner, distance = solve(tree)
            assert stats.proven == NAMES[player * winner], seed
            assert stats.proven == "draw" or distance <= stats.distance <= 5, seed
            # the move keeps the value, and a lost position is drawn out as far as the proof goes
            assert solve(tree, moves[stats.move])[0] == winner, seed
            if stats.proven == "loss":
                assert stats.distance == max(entry.distance for entry in stats.moves)
                assert next(entry for entry in stats.moves if entry.move == stats.move).distance == stats.distance
            solved += iterations == 5000
            names.add(stats.proven)
        assert stats.stop_reason == "solved", seed
    assert solved == 60 and names == {"win", "draw", "loss"}


def truth():
    for line in (DATA / "ttt_truth.tsv").read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")[:5]


@pytest.mark.parametrize("make", [Noughts.from_text, mc.TicTacToe.from_string], ids=["python", "native"])
def test_tic_tac_toe_is_solved_from_every_position_with_four_stones(make):
    """Native: without exact search and with few children, so that the tree has to find out everything itself."""
    engine = mc.Searcher(seed=1, memory_mb=64, **({} if make == Noughts.from_text else {
        **NO_PROVER, "expand_distance": 1, "symmetry": True, "rollout": "random"}))
    checked = 0
    for board, to_move, value, plies, best in truth():
        if to_move == "-" or board.count(".") > 5:
            continue
        move = engine.search(make(board), iterations=5000)
        stats = engine.stats()
        assert stats.stop_reason == "solved" and stats.proven == NAMES[int(value)], board
        assert str(move) in best, board
        assert stats.distance >= int(plies) or stats.proven == "draw", board
        checked += 1
    assert checked > 2500


def test_small_boards_agree_with_minimax():
    """Whatever is proven of a move, by the tree and by exact search, with all that leaves moves out."""
    @cache
    def winner_of(state):
        winner = state.winner()
        if winner is not None:
            return winner
        return state.to_move * max(state.to_move * winner_of(state.play(move)) for move in state.legal_moves())

    chooser, proven = random.Random(5), 0
    for number in range(120):
        state = chooser.choice([mc.MNK(4, 3, 3), mc.MNK(3, 4, 3, rule="exact"), mc.ConnectFour(4, 4, 3),
                                mc.ConnectFour(4, 3, 3), mc.ConnectFour(3, 5, 3)])
        for _ in range(chooser.randrange(3, 9)):
            following = state.play(chooser.choice(state.legal_moves()))
            if following.winner() is not None:
                break
            state = following
        options = {"expand_distance": chooser.choice([0, 1]) if isinstance(state, mc.MNK) else 0,
                   "symmetry": chooser.random() < 0.5, "selection": chooser.choice(["ucb1", "rave", "grave"]),
                   "grave_ref": 5, "rollout": chooser.choice(["random", "decisive"]),
                   **(NO_PROVER if number % 3 else {})}
        engine = mc.Searcher(seed=number, memory_mb=64, **options)
        for iterations in (10, 100, 3000):
            move = engine.search(state, iterations=iterations)
            stats = engine.stats()
            for entry in stats.moves:
                if entry.proven:
                    proven += 1
                    value = state.to_move * winner_of(state.play(entry.move))
                    assert entry.proven == NAMES[value], (state, entry, options)
            if stats.proven:
                assert stats.proven == NAMES[state.to_move * winner_of(state)], (state, options)
                assert winner_of(state.play(move)) == winner_of(state), (state, options)
    assert proven > 500


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


@pytest.mark.parametrize("player", [1, -1])
def test_puct_solves_trees_by_hand(player):
    tree = {
        "root": (player, {"loses": "lost", "draws": "drawn", "wins late": "a"}),
        "a": (-player, {0: "b", 1: "c"}), "b": (player, {0: "won", 1: "lost"}), "c": (player, {0: "lost", 1: "won"}),
        "lost": -player, "drawn": 0, "won": player,
    }
    stats = search(tree, selection="puct")
    assert (stats.move, stats.proven, stats.distance) == ("wins late", "win", 3)
    tree["c"] = -player
    stats = search(tree, selection="puct")
    assert (stats.move, stats.proven) == ("draws", "draw") and proofs(stats)["wins late"] == ("loss", 2)


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


def test_exact_search_looks_at_the_position_after_the_best_move():
    """There the other side wins by threes, which the tree alone does not see."""
    state = mc.Gomoku.from_moves([111, 109, 84, 125, 141, 126, 127, 95, 113, 99, 81], size=15)
    options = {"seed": 1, "memory_mb": 16, "network": level(0), "leaf_proofs": 0, "node_proofs": 0}
    blind, engine = mc.Searcher(**options, root_proofs=0), mc.Searcher(**options, root_proofs=64)
    chosen = blind.search(state, iterations=2000)
    assert engine.search(state, iterations=2000) != chosen
    entry, = (entry for entry in engine.stats().moves if entry.move == chosen)
    assert entry.proven == "loss" and entry.distance > 10 and engine.stats().proven is None
    proof, _ = ThreatProbe(state.play(chosen)).prove([], 100_000)
    assert proof[0] == 2
    assert all(entry.proven is None for entry in blind.stats().moves)


def test_least_prior_never_proves_a_loss_that_is_none():
    """Nodes whose listed moves all lose are widened, whatever the network thinks of the moves that were left out."""
    def winner_of(state):
        if state.winner() is not None:
            return state.winner()
        return state.to_move * max(state.to_move * outcome(state.play(move)) for move in state.legal_moves())

    outcome, proven, chooser = cache(winner_of), Counter(), random.Random(4)
    for number in range(24):
        state = mc.MNK(5, 5, 5, "exact" if number % 2 else "freestyle")
        while len(state.moves) < 19:
            following = state.play(chooser.choice(state.legal_moves()))
            state = following if following.winner() is None else mc.MNK(5, 5, 5)
        engine = mc.Searcher(seed=number, memory_mb=16, network=made_up(number % 5, extreme=True), least_prior=1.0,
                             selection="puct", valuation="network", expand_distance=1, **NO_PROVER)
        for iterations in (10, 1000):
            engine.search(state, iterations=iterations)
            stats = engine.stats()
            for entry in stats.moves:
                if entry.proven is not None:
                    proven[entry.proven] += 1
                    assert entry.proven == NAMES[state.to_move * outcome(state.play(entry.move))], (state, entry)
            if stats.proven is not None:
                assert stats.proven == NAMES[state.to_move * outcome(state)]
        assert stats.stop_reason == "solved"
    assert min(proven[name] for name in ("draw", "loss")) > 10, proven


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

@pytest.mark.parametrize("options", [*SOLVERS, {"solver": False, "fpu": 1.0}], ids=str)
def test_the_same_seed_gives_the_same_search(options):
    def run(seed, state):
        engine = mc.Searcher(seed=seed, memory_mb=64, **options)
        engine.search(state, iterations=400)
        data = engine.stats().to_dict()
        return {name: data[name] for name in data if name not in ("seconds", "iterations_per_second", "overshoot")}

    for state in (Noughts(), mc.ConnectFour(), mc.MNK(6, 6, 4)):
        assert run(4, state) == run(4, state)
        assert run(4, state)["moves"] != run(5, state)["moves"]


def test_one_searcher_takes_games_with_and_without_keys_and_exact_search():
    engine, fresh = mc.Searcher(seed=2, memory_mb=64), []
    states = [mc.ConnectFour(), Nim(40), mc.MNK(6, 6, 4), Noughts(), mc.Gomoku(15), mc.ConnectFour(5, 5, 4)]
    for state in states * 2:
        engine.search(state, iterations=300)
        fresh.append(engine.stats())
    for state, stats in zip(states * 2, fresh, strict=True):
        alone = mc.Searcher(seed=2, memory_mb=64)
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
    for seed in range(3):
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
    for seed in range(40):
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
    assert reasons["memory"] > 30 and reasons["solved"] > 5, reasons


def test_the_hot_module_exports_its_table():
    module = importlib.import_module(f"mcts_core.tree._guided_tree_{dispatch.isa}")
    assert "mcts_core.table" in repr(module.table)


@pytest.mark.parametrize("state", [mc.ConnectFour.from_moves("44444432553", base=1), mc.TicTacToe(),
                                   mc.MNK(4, 3, 3), mc.ConnectFour.from_moves("3232323"[:6])], ids=str)
def test_the_principal_variation_of_a_solved_game_is_best_play_to_its_end(state):
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=200_000)
    stats = engine.stats()
    assert stats.stop_reason == "solved" and len(stats.pv) == stats.distance and stats.pv[0] == stats.move
    end = state
    for move in stats.pv:
        end = end.play(move)
    assert end.winner() == {"win": state.to_move, "loss": -state.to_move, "draw": 0}[stats.proven]
    assert engine.stats() == stats
