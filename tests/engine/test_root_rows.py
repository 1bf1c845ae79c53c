"""src/mcts_core/engine/root_rows.pyx: which of the moves of a root a search prefers."""

import pytest

import mcts_core as mc
from mcts_core.testing.tree_probe import preferred


def ordered(children, order):
    """The children from the last to the first choice."""
    left, found = list(children), []
    while left:
        found.append(preferred(left, order))
        left.remove(found[-1])
    return found[::-1]


def test_max_knows_what_proven_values_are_worth():
    """The mean of a move may be that of visits from before its proof."""
    draw = ("a", 24, 8.5, 0.354, "draw", 3)
    bad, good = ("b", 23, 9.5, 0.413, None, None), ("c", 3, 1.6, 0.53, None, None)
    assert ordered((draw, bad, good), "value") == [bad, draw, good]
    closed = ("d", 9, 1.8, 0.2, None, None, None, None, (0.6, 0.6))
    assert ordered((draw, good, closed), "value") == [draw, good, closed]
    below = ("e", 9, 7.2, 0.8, None, None, None, None, (0.0, 0.4))
    assert ordered((draw, below), "value") == [below, draw]


def test_the_keys_that_order_moves():
    often, good, unseen = ("a", 9, 1.0, 0.1, None, None), ("b", 3, 3.0, 1.0, None, None), ("c", 0, 0.0, 0.5, None, None)
    children = [unseen, good, often]
    assert ordered(children, "visits") == [unseen, good, often]
    assert ordered(children, "value") == [unseen, often, good]
    soon, late, later = ("a", 1, 0.0, 0.0, None, 1), ("b", 5, 0.0, 0.0, None, 3), ("c", 9, 0.0, 0.0, None, 3)
    assert preferred([late, later, soon], "shortest") == soon and preferred([late, later], "shortest") == later
    assert preferred([late, later, soon], "longest") == later


def test_a_lot_chooses_among_equal_moves_alone():
    worse, one, other = ("a", 2, 1.0, 0.5, None, None), ("b", 4, 2.0, 0.5, None, None), ("c", 4, 2.0, 0.5, None, None)
    assert [preferred([worse, one, other], "visits", lot) for lot in range(4)] == [one, other, one, other]
    assert preferred([worse, one, worse], "visits", 7) == one


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"selection": "puct"}], ids=str)
@pytest.mark.parametrize("iterations", [1, 5, 300])
def test_every_legal_move_has_one_row(options, iterations):
    """Also those that the tree does not list."""
    for state in (mc.ConnectFour(), mc.Gomoku(9).play(40), mc.MNK(4, 4, 4)):
        engine = mc.Searcher(seed=1, **options)
        engine.search(state, iterations=iterations)
        moves = engine.stats().moves
        assert sorted(entry.move for entry in moves) == sorted(state.legal_moves())
        assert [(entry.visits, entry.value) for entry in moves] == sorted(
            ((entry.visits, entry.value) for entry in moves), reverse=True)
