"""src/engine/descent.pyx: the next root below the last one, by its moves or, without them, by the tree."""

import pytest

import mcts_core as mc


def bare(state):
    """The same position, which does not tell the moves that led to it."""
    return type(state).from_string(str(state))


@pytest.mark.parametrize("preset", ["uct", "strong"])
def test_two_plies_are_found_without_moves_and_more_are_not(preset):
    for plies in range(5):
        engine, state = mc.Searcher(preset=preset), bare(mc.ConnectFour())
        engine.search(state, iterations=50_000)
        for move in engine.stats().pv[:plies]:
            state = state.play(move)
        engine.search(bare(state), iterations=10)
        assert (engine.stats().reused_visits > 0) == (plies <= 2), plies


def test_moves_that_do_not_lead_there_are_not_believed():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour.from_moves([3, 3]), iterations=5000)
    engine.search(mc.ConnectFour.from_moves([2, 3, 3, 3]), iterations=10)  # a longer list, but of another game
    assert engine.stats().reused_visits == 0


def test_a_transposed_order_is_found_by_the_position():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.ConnectFour(), iterations=50_000)
    visits = engine.stats().visits
    swapped = mc.ConnectFour.from_moves([2, 3, 4])
    assert swapped == mc.ConnectFour.from_moves([4, 3, 2])
    engine.search(swapped, iterations=10)
    assert 0 < engine.stats().reused_visits < visits
    engine.search(mc.ConnectFour.from_moves([4, 3, 2]), iterations=10)
    assert engine.stats().reused_visits > 0
