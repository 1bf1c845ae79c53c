"""Games of the user's native functions in searches: against oracles, with every selection and threads."""

import ctypes
import threading
from collections import Counter

import pytest
from callback_game import (
    DRAW,
    EXPAND,
    LEGAL_MOVES,
    LOSS,
    ONGOING,
    PLAY,
    ROLLOUT,
    SIMULATE,
    WIN,
    nim,
    paper,
    wide,
    word,
)
from paper_game import random_tree, solve
from uct_oracle import Oracle

import mcts_core as mc
from mcts_core.testing.probe import Probe

PRESETS = ["uct", "strong"]


@pytest.mark.parametrize("stones", [1, 2, 3, 5, 6, 7, 9, 10])
@pytest.mark.parametrize("max_moves", [4, 9])  # slots are moves, and places in the list
@pytest.mark.parametrize("preset", PRESETS)
def test_nim_is_played_perfectly(preset, max_moves, stones):
    game = nim(stones, max_moves=max_moves)
    for player in (1, -1):
        state = game.state(game.state().data, to_move=player)
        assert mc.search(state, iterations=3000, seed=3, preset=preset) == stones % 4
        stats = mc.stats()
        assert {entry.move for entry in stats.moves} == set(state.legal_moves())
        if preset == "strong":
            assert stats.proven == "win" and stats.stop_reason == "solved"
        else:
            assert stats.value > 0.5


@pytest.mark.parametrize("max_moves", [4, 9, 30])
@pytest.mark.parametrize("seed", range(6))
def test_every_statistic_equals_the_oracle(seed, max_moves):
    """Also where the same player moves twice and where a move loses at once."""
    game, other = paper(random_tree(seed), max_moves)
    state = game.state()
    assert (state.to_move, state.legal_moves()) == (other.to_move, other.legal_moves())
    oracle = Oracle(Probe(state, 5), state.to_move, 0.7)
    for _ in range(300):
        oracle.iterate()
    engine = mc.Searcher(preset="uct", seed=5, exploration=0.7)
    engine.search(state, iterations=300)
    stats = engine.stats()
    names = {
        move: move if max_moves <= 8 or oracle.root.block else state.legal_moves().index(move)
        for move in state.legal_moves()
    }
    assert {names[entry.move]: (entry.visits, entry.wins) for entry in stats.moves} == oracle.children()
    assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)


@pytest.mark.parametrize("rollout", ["random", "decisive"])
@pytest.mark.parametrize("seed", range(30))
def test_random_games_are_solved(seed, rollout):
    tree = random_tree(seed)
    game, _ = paper(tree, 4 if seed % 2 else 12)
    winner, plies = solve(tree)
    engine = mc.Searcher(seed=seed, rollout=rollout)
    state = game.state()
    engine.search(state, iterations=2000)
    stats = engine.stats()
    assert stats.proven == {1: "win", 0: "draw", -1: "loss"}[winner * state.to_move]
    assert stats.distance >= plies or winner == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_table_agrees_with_the_rules_when_turns_do_not_alternate(seed):
    """Results of rollouts and simulations are those that the tree of the game can give, seen by the right player."""
    tree = random_tree(seed)
    game, _ = paper(tree, 6)

    def leaves(name):
        node = tree[name]
        return set().union(*map(leaves, node[1].values())) if isinstance(node, tuple) else {node}

    def visit(state, path, name):
        player, children = tree[name]
        assert state.to_move == player
        probe = Probe(root, len(path))
        cursor = 0
        for move, child in children.items():
            result, slot, cursor, count = probe.simulate(path, cursor)
            assert (slot, count) == (move, 6)
            assert (result - 1) * root.to_move in leaves(child)
            policies = (
                [probe.policy_rollout([*path, move], policy)[0] for policy in (0, 1)]
                if isinstance(tree[child], tuple)
                else []
            )
            assert all((points - 1) * root.to_move in leaves(child) for points in policies)
        assert cursor is None
        outcomes, _, same = probe.expand(path, 6)
        expected = [4] * 6
        for move, child in children.items():
            if isinstance(tree[child], tuple):
                expected[move] = ONGOING
                visit(state.play(move), [*path, move], child)
            else:
                expected[move] = DRAW if tree[child] == 0 else WIN if tree[child] == player else LOSS
                assert state.play(move).winner() == tree[child]
        assert outcomes == expected and same == (player == root.to_move)
        listed, same, complete, rest = probe.children(path)
        assert [(move, action, outcome) for move, action, outcome, _, _ in listed] == [
            (move, move, expected[move]) for move in children
        ]
        assert same == (player == root.to_move) and complete and rest == 0

    root = game.state()
    visit(root, [], "root")


def test_rollouts_tell_who_played_what():
    _, played, proof = Probe(nim(3).state(), 1).policy_rollout([1], 0)  # two stones are left, the other one moves
    assert proof is None and len(played) == 4
    assert list(played) in ([0, 0, 2, 0], [0, 2, 0, 0])  # 2 takes both, or 1 and 1, of which the first counts
    assert Probe(nim(3).state(), 1).policy_rollout([1], 0, told=False)[1] == bytes(4)


def test_decisive_rollouts_win_at_once_or_keep_the_opponent_from_it():
    tree = {
        "root": (1, {0: "a", 1: "b", 2: "c"}),
        "a": (-1, {0: "lost", 1: "won"}),  # the opponent wins at once
        "b": (-1, {0: "won", 1: "drawn"}),
        "c": (1, {0: "won", 1: "lost"}),  # the same player wins at once
        "won": 1,
        "drawn": 0,
        "lost": -1,
    }
    game, _ = paper(tree)
    results = [Probe(game.state(), seed).policy_rollout([], 1) for seed in range(60)]
    assert not any(played[0] for _, played, _ in results if played[1] == played[2] == 0)
    assert {result for result, _, _ in results} == {1, 2}  # b, where -1 draws or blunders, and c
    assert all(result == 2 for seed in range(20) for result in [Probe(game.state(), seed).policy_rollout([2], 1)[0]])
    assert {Probe(game.state(), seed).policy_rollout([0], 1)[0] for seed in range(20)} == {0}
    assert {Probe(game.state(), seed).policy_rollout([0], 0)[0] for seed in range(20)} == {0, 2}


@pytest.mark.parametrize("selection", ["ucb1", "ucb1-tuned", "rave", "grave"])
def test_every_selection_works(selection):
    assert mc.search(nim(7).state(), iterations=2000, seed=1, selection=selection) == 3
    assert mc.stats().proven == "win"


def test_the_same_seed_gives_the_same_search():
    found = []
    for _ in range(2):
        for preset in PRESETS:
            engine = mc.Searcher(seed=7, preset=preset, solver=False)
            engine.search(nim(30).state(), iterations=500)
            found.append({entry.move: (entry.visits, entry.wins) for entry in engine.stats().moves})
    assert found[:2] == found[2:]


def test_rollouts():
    counted = mc.rollouts(nim(1).state(), 100, seed=1)
    assert (counted.wins, counted.draws, counted.losses, counted.mean_length) == (100, 0, 0, 1)
    counted = mc.rollouts(nim(2).state(), 2000, seed=1)
    assert counted.wins == pytest.approx(1000, abs=150) and 1 < counted.mean_length < 2


def test_the_largest_sizes():
    def legal_moves(context, state, moves):
        moves[0], moves[1] = 16383, 5
        return 2

    def play(context, state, move):
        last = ctypes.cast(state + 32764, ctypes.POINTER(ctypes.c_int32))
        last[0] += 1
        return WIN if move == 16383 and last[0] == 3 else LOSS if last[0] == 3 else ONGOING

    game = mc.native_game(legal_moves=LEGAL_MOVES(legal_moves), play=PLAY(play), state_size=32768, max_moves=16384)
    for preset, extra in (("uct", {}), ("strong", {}), ("strong", {"rollout": "decisive", "selection": "grave"})):
        assert mc.search(game.state(), iterations=200, preset=preset, seed=1, **extra) in (5, 16383)
    assert mc.stats().proven == "win"
    assert mc.check_game(game, 5).ok


def test_several_threads_search_one_game():
    game = nim(25)
    found = {}

    def run(number):
        engine = mc.Searcher(preset="uct", seed=number % 2)
        engine.search(game.state(), iterations=300)
        found[number] = [(entry.move, entry.visits) for entry in engine.stats().moves]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[2] != found[1] == found[3]


@pytest.mark.parametrize("preset", PRESETS)
def test_one_search_in_several_threads(preset):
    found = []
    for _ in range(2):
        engine = mc.Searcher(preset=preset, seed=4, threads=2, solver=False)
        engine.search(nim(30, max_moves=9).state(), iterations=3000)
        found.append([(entry.move, entry.visits, entry.wins) for entry in engine.stats().moves])
        assert engine.stats().threads == 2
    assert found[0] == found[1]


@pytest.mark.parametrize("max_moves", [4, 9, 16384])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_tree_is_kept_from_move_to_move(preset, max_moves):
    engine = mc.Searcher(seed=1, preset=preset, reuse=True, solver=False)
    game = nim(20, max_moves=max_moves)
    state = game.state()

    def reused(later):
        engine.search(state, iterations=500)
        engine.search(later, iterations=100)
        assert {entry.move for entry in engine.stats().moves} == {1, 2, 3}
        return engine.stats().reused_visits

    assert reused(state.play(1).play(3)) > 0
    left = state.play(1).play(3).data
    assert reused(game.state(left)) > 0
    assert reused(game.state(left, to_move=-1)) == 0  # the same bytes, but after an odd number of moves
    assert reused(game.state(state.data, to_move=-1)) == 0
    assert reused(state.play(3)) > 0
    assert reused(game.state(state.play(3).data, to_move=-1)) > 0
    assert reused(nim(17, max_moves=max_moves).state()) == 0  # another game


# ---- functions that are given for speed ------------------------------------------------------------------------------


def test_a_given_rollout_is_used():
    calls = []

    def rollout(context, state, rng):
        calls.append(word(state)[0])
        return 2 + 4 * 7  # the player to move wins after seven moves

    game = nim(9, rollout=ROLLOUT(rollout))
    counted = mc.rollouts(game.state(), 10, seed=1)
    assert (counted.wins, counted.mean_length) == (10, 7) and calls == [9] * 10
    probe = Probe(game.state())
    assert probe.simulate([], 0)[0] == 0 and calls[-1] == 8  # the other one is to move there
    assert probe.simulate([1], 0)[0] == 2 and calls[-1] == 7
    assert probe.policy_rollout([1, 1])[0] in (0, 2) and calls[-1] == 7  # told what was played: move by move
    assert probe.policy_rollout([1, 1], told=False)[0] == 2 and calls[-1] == 7
    game, _ = paper({"root": (1, {0: "a"}), "a": (1, {0: "b"}), "b": (-1, {0: "c"}), "c": 0}, rollout=ROLLOUT(rollout))
    probe = Probe(game.state())
    assert [probe.simulate(path, 0)[0] for path in ([], [0], [0, 0])] == [2, 0, 1]


def test_given_simulations_and_expansions_are_used():
    calls = []

    def simulate(context, root, path, length, simulation, rng):
        calls.append(("simulate", length, simulation[0]))
        simulation[1], simulation[2] = simulation[0] + 1, 4
        simulation[0] = simulation[0] + 1 if simulation[0] < 2 else 0xFFFFFFFF
        return 2 if length % 2 == 0 else 0

    def expand(context, root, path, length, expansion):
        calls.append(("expand", length))
        for slot in range(4):
            expansion[0].outcomes[slot] = 4 if slot == 0 else ONGOING
        expansion[0].root_player = length % 2 == 0
        return 4

    game = nim(9, simulate=SIMULATE(simulate), expand=EXPAND(expand))
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(game.state(), iterations=3)
    assert calls == [("simulate", 0, 0), ("simulate", 0, 1), ("simulate", 0, 2)]
    engine.search(game.state(), iterations=4)
    assert calls[-2:] == [("expand", 0), ("simulate", 1, 0)]


# ---- equal moves -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("preset", ["uct", None])
def test_of_equal_moves_of_a_native_game_none_is_preferred(preset):
    state = wide()
    played = Counter(mc.Searcher(seed=seed, preset=preset).search(state, iterations=100) for seed in range(60))
    assert 15 <= sum(count for move, count in played.items() if move >= 100) <= 45
    assert max(played.values()) <= 6


@pytest.mark.parametrize("iterations", [3, 12])
@pytest.mark.parametrize("count", [2, 7, 8, 16, 17])
@pytest.mark.parametrize("preset", ["uct", None])
def test_of_few_equal_moves_none_is_preferred(preset, count, iterations):
    """Native games of up to 8 moves have nodes of another form."""
    state, searches = wide(count), 30 * count
    played = Counter(mc.Searcher(seed=seed, preset=preset).search(state, iterations=iterations)
                     for seed in range(searches))
    assert max(played.values()) <= 50  # of 30 that are expected


@pytest.mark.parametrize("preset", ["uct", None])
def test_an_ordered_native_game_has_its_first_moves_tried(preset):
    engine = mc.Searcher(seed=1, preset=preset)
    engine.search(wide(ordered=True), iterations=100)
    assert {entry.move for entry in engine.stats().moves if entry.visits} == set(range(100))


def test_an_ordered_native_game_keeps_its_order_where_priors_are_equal():
    engine = mc.Searcher(seed=1, policy_value=lambda state: (None, 0.0))
    engine.search(wide(ordered=True), iterations=100)
    assert {entry.move for entry in engine.stats().moves if entry.visits} == set(range(100))
    assert engine.stats().move == 0
    engine = mc.Searcher(seed=1, policy_value=lambda state: (None, 0.0))
    engine.search(wide(), iterations=100)
    assert 60 < sum(entry.move for entry in engine.stats().moves if entry.visits) / 100 < 140
