"""src/engine/report.pyx: the move to play, the principal variation, the order and the names of moves."""

import pytest
from value_games import Claim

import mcts_core as mc
from mcts_core.engine.loop import clock
from mcts_core.engine.report import by_distance_key, by_length_key, by_value_key, by_visits_key
from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_tree import SearchedTree
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import TwoPlayerSettings

pytestmark = pytest.mark.wasm

PRESETS = ["uct", "strong"]
GAMES = [mc.ConnectFour(), mc.ConnectFour(8, 9, 5), mc.TicTacToe(), mc.Gomoku(15), mc.Gomoku(20, "exact")]


@pytest.mark.parametrize("preset", PRESETS)
def test_final_move_rules(preset):
    state = mc.ConnectFour()
    for seed in range(20):
        robust = mc.Searcher(preset=preset, seed=seed)
        best = mc.Searcher(preset=preset, seed=seed, final_move="max")
        move, other = robust.search(state, iterations=40), best.search(state, iterations=40)
        moves = robust.stats().moves
        assert moves == best.stats().moves
        assert next(entry for entry in moves if entry.move == move).visits == max(entry.visits for entry in moves)
        assert next(entry for entry in moves if entry.move == other).value == max(
            entry.value for entry in moves if entry.visits)
        assert robust.stats().move == move and best.stats().move == other


@pytest.mark.parametrize("preset", PRESETS)
def test_max_never_picks_an_unvisited_move(preset):
    # the first tried moves lose often; unvisited ones stand at 0.5
    for seed in range(30):
        engine = mc.Searcher(preset=preset, seed=seed, final_move="max")
        move = engine.search(mc.Gomoku(15), iterations=2)
        assert next(entry for entry in engine.stats().moves if entry.move == move).visits >= 1


@pytest.mark.parametrize("preset", PRESETS)
def test_pv_can_be_played(preset):
    for state in GAMES:
        engine = mc.Searcher(preset=preset, seed=2)
        engine.search(state, iterations=20_000)
        pv = engine.stats().pv
        assert pv[0] == engine.stats().move
        if preset == "uct":
            assert pv[0] == engine.stats().moves[0].move
        for move in pv:
            state = state.play(move)
        assert len(pv) >= 1


def test_a_win_at_once_is_played_whatever_was_visited():
    state = mc.ConnectFour.from_moves("121212", base=1)
    for seed in range(10):
        for preset in PRESETS:
            engine = mc.Searcher(preset=preset, seed=seed)
            assert engine.search(state, iterations=12) == 0 == engine.stats().pv[0]


def test_the_keys_that_order_moves():
    often, good, unseen = ("a", 9, 1.0, 0.1), ("b", 3, 3.0, 1.0), ("c", 0, 0.0, 0.5)
    children = [unseen, good, often]
    assert sorted(children, key=by_visits_key) == [unseen, good, often]
    assert sorted(children, key=by_value_key) == [unseen, often, good]
    soon, late, later = ("a", 1, 0.0, 0.0, None, 1), ("b", 5, 0.0, 0.0, None, 3), ("c", 9, 0.0, 0.0, None, 3)
    assert min([late, later, soon], key=by_distance_key) == soon and min([late, later], key=by_distance_key) == later
    assert max([late, later, soon], key=by_length_key) == later


def test_moves_of_a_user_are_told_by_name():
    core = TwoPlayerCore(2**24)
    assert SearchedTree.__doc__ and isinstance(core, SearchedTree)
    settings = TwoPlayerSettings(guided=False, exploration=0.7, rollouts_per_leaf=1, by_value=False)
    core.search(SearchRequest(mc.ConnectFour(), settings, clock(), iterations=10, seed=1))
    assert core.names is None
    core.search(SearchRequest(Claim(), settings, clock(), iterations=50, seed=1))
    assert set(Claim().legal_moves()) <= set(core.names)
