"""mcts_core/results.py: Stats, MoveStats, Rollouts."""

import copy
import dataclasses
import gc
import json
import pickle
import threading
import weakref

import pytest
from wide_games import Wide, WideGeneral, WideHidden

import mcts_core as mc
from mcts_core import results, searcher

pytestmark = pytest.mark.wasm

FIELDS = ("move", "value", "visits", "moves", "pv", "iterations", "rollouts", "seconds", "iterations_per_second",
          "nodes", "bytes", "prunes", "dropped_nodes", "depth_mean", "depth_max", "reused_visits",
          "stop_reason", "proven", "distance", "overshoot", "seed", "threads",
          "isa", "values", "book", "scale", "line_value", "bounds")


@pytest.fixture(scope="module")
def stats():
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(mc.ConnectFour(), iterations=5000)
    return engine.stats()


def test_fields(stats):
    assert tuple(field.name for field in dataclasses.fields(stats)) == FIELDS
    assert isinstance(stats.moves, tuple) and isinstance(stats.pv, tuple)
    assert isinstance(stats.moves[0], mc.MoveStats) and isinstance(stats, mc.Stats)
    assert stats.iterations_per_second == pytest.approx(stats.iterations / stats.seconds)
    assert stats.threads == 1 and stats.reused_visits == stats.prunes == stats.dropped_nodes == 0
    assert stats.proven is stats.distance is None
    for entry in stats.moves:
        assert entry.value == entry.wins / entry.visits
        assert 2 * entry.wins == int(2 * entry.wins) <= 2 * entry.visits


def test_frozen(stats):
    with pytest.raises(dataclasses.FrozenInstanceError):
        stats.move = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        stats.moves[0].visits = 3


def test_to_dict_is_json(stats):
    data = json.loads(json.dumps(stats.to_dict()))
    assert tuple(data) == ("move", "name", *FIELDS[1:], "pv_names")
    assert data["name"] == str(stats.move + 1) and data["pv_names"] == [str(move + 1) for move in stats.pv]
    assert data["moves"][0] == {"move": stats.moves[0].move, "name": str(stats.moves[0].move + 1),
                                "visits": stats.moves[0].visits, "wins": stats.moves[0].wins,
                                "value": stats.moves[0].value, "proven": None, "distance": None, "prior": None,
                                "policy": None, "bounds": None}
    assert data["pv"] == list(stats.pv)


def test_moves_that_json_does_not_know():
    class Odd:
        to_move = 1

        def __init__(self, over=False):
            self.over = over

        def legal_moves(self):
            return [(1, "a"), frozenset({2}), None, ((1, 2), 3), float("inf"), (1, float("-inf"))]

        def play(self, move):
            return Odd(True)

        def winner(self):
            return 1 if self.over else None

    engine = mc.Searcher(seed=1)
    engine.search(Odd(), iterations=20)
    data = json.loads(json.dumps(engine.stats().to_dict(), allow_nan=False))
    names = {json.dumps(entry["move"]) for entry in data["moves"]}
    assert names == {'[1, "a"]', '"frozenset({2})"', "null", '"((1, 2), 3)"', '"inf"', '[1, "-inf"]'}
    assert "frozenset({2})" in str(engine.stats())


def test_str_is_a_table(stats):
    lines = str(stats).splitlines()
    best = next(entry for entry in stats.moves if entry.move == stats.move)
    assert best.value != stats.value  # that of the move, as in its row, and not the mean over all moves
    assert lines[0].startswith(
        f"move {stats.move + 1} (number {stats.move})  value {best.value:.3f}  5,000 iterations in ")
    assert lines[0].endswith("stopped by iterations")
    assert lines[1].split() == ["move", "number", "visits", "wins", "value"]
    assert [line.split() for line in lines[2:9]] == [
        [str(entry.move + 1), str(entry.move), f"{entry.visits:,}", f"{entry.wins:,.1f}", f"{entry.value:.3f}"]
        for entry in stats.moves]
    assert len({len(line) for line in lines[1:9]}) == 1
    assert lines[9] == "pv " + " ".join(str(move + 1) for move in stats.pv)
    assert lines[10:] == [f"{stats.nodes:,} nodes, {stats.bytes / 1e6:.1f} MB  depth {stats.depth_mean:.1f}/"
                          f"{stats.depth_max}"]
    assert max(map(len, lines)) <= 100


def test_what_is_proven_is_in_the_table():
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour.from_moves("112233", base=1), iterations=500)
    stats = engine.stats()
    assert (stats.move, stats.proven, stats.distance, stats.stop_reason) == (3, "win", 1, "solved")
    lines = str(stats).splitlines()
    assert "  win in 1  " in lines[0] and lines[0].endswith("stopped by solved")
    assert lines[1].split() == ["move", "number", "visits", "wins", "value", "proven"]
    assert lines[2].split()[:2] == ["4", "3"] and lines[2].endswith("  win in 1")
    assert stats.to_dict()["proven"] == "win" and stats.to_dict()["distance"] == 1


def test_the_move_to_play_is_the_first_row():
    for seed in range(30):
        engine = mc.Searcher(seed=seed, preset="uct", final_move="max")
        engine.search(mc.Gomoku(15), iterations=2000)
        stats = engine.stats()
        lines = str(stats).splitlines()
        name = mc.Gomoku(15).name(stats.move)
        assert lines[2].split()[:2] == [name, str(stats.move)] and len(lines) == 17
        assert [line.split()[0] for line in lines[2:14]].count(name) == 1


def test_long_tables_are_cut():
    engine = mc.Searcher(seed=1)
    engine.search(mc.Gomoku(15), iterations=500)
    lines = str(engine.stats()).splitlines()
    assert len(lines) == 1 + 1 + 12 + 1 + 2 and lines[-3] == "... and 213 more moves"


def test_a_move_without_a_visit_has_no_value():
    engine = mc.Searcher(seed=1, preset="uct")
    engine.search(mc.ConnectFour(), iterations=1)
    lines = str(engine.stats()).splitlines()
    assert "  1 iteration in " in lines[0] and " nodes, " in lines[-2] and lines[-1].startswith("hint: ")
    assert [line.split() for line in lines[2:9]] == [
        [str(entry.move + 1), str(entry.move), str(entry.visits), f"{entry.wins:.1f}",
         f"{entry.value:.3f}" if entry.visits else "-"] for entry in engine.stats().moves]
    assert sum(line.endswith(" -") for line in lines) == 6


def test_a_proven_position_has_its_proof_in_place_of_a_value():
    state = mc.ConnectFour.from_moves("1534754656135", base=1)
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=100_000)
    stats = engine.stats()
    assert stats.proven == "win"
    assert str(stats).startswith(f"move {stats.move + 1} (number {stats.move})  win within {stats.distance}  "
                                 f"{stats.iterations:,} iterations in ")


def test_moves_that_are_ints_of_another_kind_are_ints_in_json():
    numpy = pytest.importorskip("numpy")

    class Takes:
        def __init__(self, left=5, to_move=1):
            self.left, self.to_move = left, to_move

        def legal_moves(self):
            return list(numpy.arange(1, min(3, self.left) + 1))

        def play(self, move):
            return Takes(self.left - move, -self.to_move)

        def winner(self):
            return None if self.left else -self.to_move

        def name(self, move):
            return f"take {move}"

    mc.search(Takes(), iterations=50, seed=1)
    data = json.loads(json.dumps(mc.stats().to_dict()))
    assert data["move"] == 1 and sorted(entry["move"] for entry in data["moves"]) == [1, 2, 3]
    assert "move    number" in str(mc.stats()) or "move  number" in str(mc.stats())


# ---- the hint at searches that were too short ------------------------------------------------------------------------

def found_by(state, iterations, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


@pytest.mark.parametrize("options", [{}, {"preset": "uct"}], ids=str)
@pytest.mark.parametrize("game", [Wide, WideGeneral, WideHidden])
def test_a_search_that_is_too_short_says_so(game, options):
    if game is not Wide and options:
        pytest.skip("options of two players")
    stats = found_by(game(), 100, **options)
    assert stats.hint == (
        "100 iterations cannot compare 200 moves, because each move is tried once before any is tried again: the "
        "choice is largely chance. Give the search at least 400 iterations, better 2,000 (iterations=, or more "
        "seconds)")
    assert str(stats).splitlines()[-1] == f"hint: {stats.hint}"
    assert stats.hint in stats._repr_html_()
    assert found_by(game(), 399, **options).hint is not None
    enough = found_by(game(), 400, **options)
    assert enough.hint is None and "hint" not in str(enough)


def test_copies_keep_the_hint():
    stats = found_by(Wide(), 100)
    assert pickle.loads(pickle.dumps(stats)).hint == copy.copy(stats).hint == stats.hint is not None
    assert dataclasses.replace(stats, seed=2).hint is None  # made by hand


def test_reused_visits_count_for_the_hint():
    engine = mc.Searcher(preset="uct", seed=1)
    state = Wide(8)
    move = engine.search(state, iterations=300)
    engine.search(state.play(move), iterations=1)
    assert engine.stats().reused_visits >= 16 and engine.stats().hint is None
    assert found_by(state.play(move), 1, preset="uct").hint is not None


def test_a_plain_search_of_a_board_may_be_too_short_as_well():
    assert "cannot compare 225 moves" in found_by(mc.Gomoku(), 100, preset="uct").hint
    assert "cannot compare 7 moves" in found_by(mc.ConnectFour(), 13, preset="uct").hint
    assert found_by(mc.ConnectFour(), 14, preset="uct").hint is None


def test_there_is_no_hint_where_something_else_decides():
    class Won(Wide):
        def winner(self):
            return None if not self.chosen else -self.to_move

    def prior(state):
        return [1.0] * len(state.legal_moves()), 0.0

    won = found_by(Won(), 10)
    assert won.stop_reason == "solved" and won.hint is None
    only = found_by(Wide(1), 100, solver=False, stop_early=True)
    assert only.stop_reason == "only_move" and only.hint is None
    assert found_by(Wide(), 100, policy_value=prior).hint is None
    assert found_by(mc.Gomoku(), 20).hint is None  # a network has priors
    assert found_by(mc.MNK(20, 20, 5), 20).hint is None  # the game has
    assert found_by(WideGeneral(1), 20, final_move="best_line").hint is None
    assert found_by(WideGeneral(1), 3, nested_rollouts=2).hint is None


# ---- the position and the tree of Stats ----


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
    assert results.stats_of(None, figures).iterations_per_second == speed
