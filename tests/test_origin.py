"""mcts_core/origin.py: Stats know their position, and their tree as long as there is one."""

import copy
import dataclasses
import gc
import pickle
import threading
import weakref

import pytest

import mcts_core as mc
from mcts_core import origin, searcher


def searched(state, iterations=2000, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine


def test_stats_know_their_position():
    class Mine:
        to_move = 1

        def legal_moves(self):
            return [1]

        def play(self, move):
            return mc.TicTacToe.from_moves("03142")

        def winner(self):
            return None

    for state in (mc.ConnectFour.from_moves("33"), mc.Gomoku(9), Mine()):
        engine = searched(state, 20)
        assert engine.stats().state is state
        mc.search(state, iterations=20)
        assert mc.stats().state is state
    assert mc.search_many([mc.TicTacToe(), mc.Gomoku(9)], iterations=20)[1].stats.state == mc.Gomoku(9)


def test_the_tree_is_that_of_its_own_search():
    engine = searched(mc.ConnectFour(), book=False)
    first, tree = engine.stats(), engine.tree()
    assert first.tree() == tree == engine.stats().tree()
    engine.search(mc.ConnectFour(), iterations=500)
    with pytest.raises(mc.NoSearch, match="the tree of these statistics no longer exists: its Searcher has searched"):
        first.tree()
    with pytest.raises(mc.NoSearch, match="no longer exists"):
        first.to_dot()
    assert engine.tree().visits == engine.stats().visits != first.visits
    with pytest.raises(mc.InvalidState):
        engine.search(None, iterations=5)
    with pytest.raises(mc.NoSearch):
        engine.tree()


def test_stats_keep_neither_the_searcher_nor_its_memory():
    engine = searched(mc.ConnectFour())
    stats, core = engine.stats(), weakref.ref(engine._core)
    del engine
    gc.collect()
    assert core() is None
    with pytest.raises(mc.NoSearch, match="or was deleted"):
        stats.tree()
    assert stats.state == mc.ConnectFour() and "<svg" in stats._repr_html_()


def pickled(stats):
    return pickle.loads(pickle.dumps(stats))


class Mine:
    """A game of a user, of which nothing but its state can be pickled."""

    to_move = 1

    def __init__(self, state, lock=None):
        self.state, self.lock = state, lock

    def legal_moves(self):
        return self.state.legal_moves()

    def play(self, move):
        return Mine(self.state.play(move), self.lock)

    def winner(self):
        return self.state.winner()

    def name(self, move):
        return f"drop {move}"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_have_the_names_of_moves_but_no_tree(copied):
    for state in (mc.ConnectFour(7, 8), Mine(mc.ConnectFour(7, 8))):
        engine = searched(state, 200)
        stats = engine.stats()
        for other in (copied(stats), copied(copied(stats))):
            assert other == stats and hash(other) == hash(stats) and repr(other) == repr(stats)
            assert str(other) == str(stats) and other.to_dict() == stats.to_dict()
            assert other.state.name(3) == state.name(3) and other.state is not state
            for call in (other.tree, other.to_dot):
                with pytest.raises(mc.NoSearch, match="these statistics are a copy or were made by hand"):
                    call()
        assert stats.tree().visits == 200


def assert_figures_alone(other, stats):
    assert other == stats and other.state is None
    assert other.to_dict()["name"] is None and other.to_dict()["pv_names"] is None
    lines = str(other).splitlines()
    assert lines[0].startswith(f"move {stats.move}  value ") and lines[-2] == "pv " + " ".join(map(str, stats.pv))
    assert "<svg" not in other._repr_html_()
    with pytest.raises(mc.NoSearch, match="these statistics are a copy or were made by hand"):
        other.tree()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_whose_position_cannot_be_pickled_have_the_figures_only(copied):
    stats = searched(Mine(mc.ConnectFour(7, 8), threading.Lock()), 200).stats()
    assert_figures_alone(copied(stats), stats)


def test_a_pickle_whose_class_is_gone_has_the_figures_only(monkeypatch):
    stats = searched(Mine(mc.ConnectFour(7, 8)), 200).stats()
    message = pickle.dumps(stats)
    monkeypatch.delattr(f"{__name__}.Mine")
    assert_figures_alone(pickle.loads(message), stats)


def test_statistics_made_by_hand_have_the_figures_only():
    stats = searched(mc.ConnectFour(7, 8)).stats()
    assert_figures_alone(dataclasses.replace(stats), stats)


def test_stats_are_as_frozen_and_small_as_before():
    stats = searched(mc.TicTacToe(), 20).stats()
    assert not hasattr(stats, "__dict__")
    for name in ("state", "_origin", "visits", "other"):
        with pytest.raises((AttributeError, TypeError)):  # Python 3.11 has the latter for what is no field
            setattr(stats, name, 3)
    assert stats.state == mc.TicTacToe()


@pytest.mark.alone
def test_figures_on_the_way_have_the_position_and_no_tree():
    seen = []
    engine = mc.Searcher(seed=1, preset="uct")
    engine.search(mc.ConnectFour(), 0.3, progress=seen.append, every=0.01)
    watched = list(engine.watch(mc.ConnectFour(), 0.3, every=0.01))
    for stats in (*seen, *watched[:-1]):
        assert stats.stop_reason == "running" and stats.state == mc.ConnectFour()
        with pytest.raises(mc.NoSearch, match="are of a running search, whose tree has changed since"):
            stats.tree()
    assert seen and len(watched) > 1
    assert watched[-1].tree().visits == watched[-1].visits


def test_large_trees_that_search_gives_back(monkeypatch):
    state = mc.ConnectFour.from_moves("33")
    expected = searched(state, 3000)
    monkeypatch.setattr(searcher, "ARENA_KEPT", 0)
    mc.search(state, iterations=3000, seed=1)
    stats = mc.stats()
    assert stats.tree() == expected.tree() and stats.to_dot() == expected.stats().to_dot()
    for depth, share in ((0, 0.01), (1, 0.01), (2, 0.05), (3, 1.0)):
        assert stats.tree(depth, share) == expected.tree(depth, share)
    assert stats.tree(1, 1.0).children[0].move == stats.move
    for depth, share in ((4, 0.01), (3, 0.009), (0, 0)):
        with pytest.raises(mc.NoSearch, match="has released this large tree and kept only what max_depth=3"):
            stats.tree(depth, share)
    mc.search(state, iterations=10, seed=1)
    assert stats.tree() == expected.tree()


@pytest.mark.parametrize("options, message", [
    ({"max_depth": -1}, "max_depth must be an int from 0 to 100, got -1"),
    ({"max_depth": 101}, "max_depth must be an int from 0 to 100, got 101"),
    ({"max_depth": 1.5}, "max_depth must be an int from 0 to 100, got 1.5"),
    ({"min_share": -0.1}, "min_share must be a finite number from 0 to 1, got -0.1"),
    ({"min_share": float("nan")}, "min_share must be a finite number from 0 to 1, got nan"),
    ({"min_share": "1"}, "min_share must be a number, got '1'"),
])
def test_wrong_arguments(options, message):
    engine = searched(mc.TicTacToe(), 20)
    for call in (engine.tree, engine.stats().tree, engine.stats().to_dot):
        with pytest.raises(mc.InvalidOption) as caught:
            call(**options)
        assert message in str(caught.value)


def test_no_search():
    with pytest.raises(mc.NoSearch, match="there are no statistics"):
        mc.Searcher().tree()


@pytest.mark.parametrize("seconds, speed", [(0.5, 60), (0.0, 300_000)])
def test_speed_by_a_clock_that_may_be_coarse(seconds, speed):
    """As in a browser, where a short search ends before the clock moves."""
    figures = {"state": None, "number": 1, "moves": [], "pv": [], "iterations": 30, "seconds": seconds,
               "stop_reason": "solved"}
    assert origin.stats_of(None, figures).iterations_per_second == speed
