"""src/mcts_core/tree/guided_solver.pxd: against trees solved by hand, plain minimax and exact search."""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from network_oracle import level, made_up
from noughts import Noughts
from paper_game import Paper, random_tree, solve
from random_play import played_on

import mcts_core as mc
from mcts_core.testing.threat_probe import ThreatProbe

pytestmark = pytest.mark.usefixtures("no_book")

DATA = Path(__file__).resolve().parents[1] / "data"
NO_PROVER = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
NAMES = {-1: "loss", 0: "draw", 1: "win"}


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
    for number in range(80):
        state = chooser.choice([mc.MNK(4, 3, 3), mc.MNK(3, 4, 3, rule="exact"), mc.ConnectFour(4, 4, 3),
                                mc.ConnectFour(4, 3, 3), mc.ConnectFour(3, 5, 3)])
        state = played_on(state, chooser, chooser.randrange(3, 9))
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
    assert proven > 300


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


# ---- exact search ----------------------------------------------------------------------------------------------------

def test_exact_search_looks_at_the_position_after_the_best_move():
    """There the other side wins by threes, which the tree alone does not see."""
    state = mc.Gomoku.from_moves([111, 109, 84, 125, 141, 126, 127, 95, 113, 99, 81], size=15)
    options = {"seed": 1, "memory_mb": 16, "network": level(0), "leaf_proofs": 0, "node_proofs": 0, "fpu": 0.1}
    blind, engine = mc.Searcher(**options, root_proofs=0), mc.Searcher(**options, root_proofs=64)
    chosen = blind.search(state, iterations=2000)
    assert engine.search(state, iterations=2000) != chosen
    entry, = (entry for entry in engine.stats().moves if entry.move == chosen)
    assert entry.proven == "loss" and entry.distance > 10 and engine.stats().proven is None
    proof, _ = ThreatProbe(state.play(chosen)).prove([], 100_000)
    assert proof[0] == 2
    assert all(entry.proven is None for entry in blind.stats().moves)


@pytest.mark.parametrize("moves", [
    [70, 97, 144, 154, 141, 111, 125, 109, 112, 124, 139, 81, 98],
    [70, 97, 144, 154, 141, 111, 125, 109, 112, 124, 139, 96, 95, 138, 110, 140, 156, 168, 126, 153],
])
def test_where_the_best_move_loses_the_next_best_one_is_checked_as_well(moves):
    """Two or more moves lose to attacks by threes; the tree alone plays one of them."""
    state = mc.Gomoku.from_moves(moves, size=15)
    options = {"seed": 1, "memory_mb": 16, "network": level(0), "leaf_proofs": 0, "node_proofs": 0}
    blind, engine = mc.Searcher(**options, root_proofs=0), mc.Searcher(**options, root_proofs=32)
    chosen = blind.search(state, iterations=2000)
    move = engine.search(state, iterations=2000)
    losing = [entry.move for entry in engine.stats().moves if entry.proven == "loss"]
    assert chosen in losing and len(losing) >= 2 and move not in losing
    for each in losing:
        proof, _ = ThreatProbe(state.play(each)).prove([], 200_000, wins_only=True)
        assert proof is not None and proof[0] == 2
    # the move played has had at least what is due by then: four times 32 steps an iteration
    assert ThreatProbe(state.play(move)).prove([], 4 * 32 * 1000, wins_only=True)[0] is None


def test_what_follows_from_a_proven_position_is_proven_too():
    """A proof of the root needs more steps of exact search here than a search of 100 iterations has otherwise."""
    state = mc.MNK.from_moves([36, 28, 45, 21, 35, 52, 53, 19, 26, 14, 62], m=8, n=8, k=5, rule="exact")
    for reply in state.legal_moves():
        engine = mc.Searcher(seed=1, memory_mb=64, leaf_proofs=2000)
        engine.search(state, iterations=20)
        assert (engine.stats().proven, engine.stats().distance) == ("loss", 8)
        engine.search(state.play(reply), iterations=100)
        assert engine.stats().proven == "win", reply


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
