"""mcts_core/searcher.py and options.py: Searcher, search, stats, rollouts, and their bad input."""

import dataclasses
import gc
import math
import os
import threading
import weakref

import pytest
from general_games import Dice

import mcts_core as mc
from mcts_core.options import random_seed


class Index:
    def __index__(self):
        return 50


class Float:
    def __float__(self):
        return 0.01


class Hostile:
    def __float__(self):
        raise OverflowError("no")

    def __repr__(self):
        raise RuntimeError("no repr either")


def test_search_and_stats_of_the_module():
    state = mc.ConnectFour.from_moves("323232")
    assert mc.search(state, iterations=3000, seed=1, preset="uct") == 3
    stats = mc.stats()
    assert stats.iterations == 3000 and stats.seed == 1 and stats.proven is None
    assert mc.search(state, iterations=3000, seed=1) == 3
    stats = mc.stats()
    assert (stats.stop_reason, stats.proven, stats.distance, stats.seed) == ("solved", "win", 1, 1)
    assert mc.search(mc.Gomoku(15), 0.01) in range(225)
    assert mc.stats().stop_reason == "time"


def test_options_of_the_module_function():
    mc.search(mc.ConnectFour(), iterations=500, seed=3, book=False, exploration=1.0)
    first = mc.stats()
    mc.search(mc.ConnectFour(), iterations=500, seed=3, book=False, exploration=0.1)
    second = mc.stats()
    mc.search(mc.ConnectFour(), iterations=500, seed=3, book=False, exploration=1.0)
    assert first.moves == mc.stats().moves != second.moves
    with pytest.raises(mc.InvalidOption, match="wrong_option"):
        mc.search(mc.ConnectFour(), iterations=5, wrong_option=1)
    assert mc.stats().iterations == 500


def test_functions_that_are_equal_are_not_the_same():
    @dataclasses.dataclass
    class Checkpoint:
        """A network by the name of a file that training writes again."""

        path: str
        weights: list = dataclasses.field(compare=False)

        def __call__(self, state):
            called.append(self.weights)
            return None, 0.0

    for version in (1, 2):
        called = []
        mc.search(mc.TicTacToe(), iterations=5, solver=False, policy_value=Checkpoint("latest", version))
        assert set(called) == {version}
    for right, wrong in (({"memory_mb": 1}, {"memory_mb": True}), ({"solver": True}, {"solver": 1}),
                         ({"threads": 1}, {"threads": 1.0})):
        mc.search(mc.TicTacToe(), iterations=5, **right)
        with pytest.raises(mc.InvalidOption):
            mc.search(mc.TicTacToe(), iterations=5, **wrong)


def test_stats_belong_to_the_thread():
    mc.search(mc.ConnectFour(), iterations=123)
    seen = []

    def work():
        with pytest.raises(mc.NoSearch):
            mc.stats()
        mc.search(mc.ConnectFour(), iterations=45)
        seen.append(mc.stats().iterations)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert seen == [45] and mc.stats().iterations == 123


@pytest.mark.parametrize(("options", "most"), [({"preset": "uct"}, 200_000),
                                               ({"book": False, "root_proofs": 0, "expand_after": 1}, 20_000)])
def test_the_module_does_not_sit_on_the_memory_of_a_large_search(options, most, monkeypatch):
    from mcts_core import searcher

    monkeypatch.setattr(searcher, "ARENA_KEPT", 2**40)
    mc.search(mc.ConnectFour(), iterations=1000, seed=1, **options)
    held = searcher._local.last.engine._core.held
    assert held > 0
    monkeypatch.setattr(searcher, "ARENA_KEPT", held)
    mc.search(mc.ConnectFour(), iterations=most, seed=1, **options)
    assert searcher._local.last.engine._core.held == 0
    assert mc.stats().iterations == most and mc.stats() == mc.stats()
    mc.search(mc.ConnectFour(), iterations=500, seed=1, **options)
    assert mc.stats().iterations == 500
    with pytest.raises(mc.GameOver):
        mc.search(mc.ConnectFour.from_moves("0101010"), iterations=10, **options)
    with pytest.raises(mc.NoSearch):
        mc.stats()


def test_default_budget_is_a_second():
    engine = mc.Searcher(preset="uct")
    engine.search(mc.TicTacToe())
    assert 1.0 <= engine.stats().seconds and engine.stats().stop_reason == "time"


def test_both_budgets():
    engine = mc.Searcher(book=False)
    engine.search(mc.ConnectFour(), 30, iterations=1000)
    assert engine.stats().stop_reason == "iterations"
    engine.search(mc.ConnectFour(), 0.01, iterations=2**30 - 1)
    assert engine.stats().stop_reason == "time"


def test_numbers_of_other_types_are_taken():
    engine = mc.Searcher(seed=Index(), exploration=1, memory_mb=2)
    engine.search(mc.ConnectFour(), Float(), iterations=Index())
    assert engine.stats().seed == 50 and engine.stats().iterations <= 50


@pytest.mark.parametrize("seconds", [0, -1, 0.0, -0.0, math.nan, math.inf, -math.inf, "1", b"1", [], {}, True, 1e300,
                                     1j, Hostile(), object()], ids=lambda value: type(value).__name__)
def test_bad_seconds(seconds):
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour(), iterations=77)
    with pytest.raises(mc.InvalidOption, match="seconds must be"):
        engine.search(mc.ConnectFour(), seconds)
    assert engine.stats().iterations == 77  # nothing is lost


@pytest.mark.parametrize("iterations", [0, -1, 1.5, 10.0, math.nan, "10", True, 2**30, 10**30, [], Hostile()],
                         ids=lambda value: type(value).__name__)
def test_bad_iterations(iterations):
    engine = mc.Searcher(seed=1)
    engine.search(mc.ConnectFour(), iterations=77)
    with pytest.raises(mc.InvalidOption, match="iterations must be an int from 1 to 1073741823"):
        engine.search(mc.ConnectFour(), iterations=iterations)
    assert engine.stats().iterations == 77


@pytest.mark.parametrize(("name", "values"), [
    ("exploration", [-0.1, math.nan, math.inf, 1e7, "1", True, [], Hostile()]),
    ("preset", ["UCT", "", 1, True, b"uct", []]),
    ("selection", ["UCB1", "PUCT", "", 1, b"rave", [], Hostile()]),
    ("fpu", [math.nan, math.inf, -math.inf, -1e7, 1e7, "1", False, []]),
    ("solver", ["no", "True", 0, 1, 1.0, []]),
    ("rollout", ["heavy", "", 0, True, object(), b"random"]),
    ("expand_after", [0, -1, 1.0, "1", True, 2**30 + 1]),
    ("expand_distance", [-1, 33, 2.0, "2", True]),
    ("prior_weight", [-1, math.nan, math.inf, 1e7, "4", True]),
    ("rave_schedule", ["MSE", "", 0, True]),
    ("rave_k", [-1, math.nan, math.inf, 1e10, "1000", True]),
    ("rave_bias", [-0.1, math.nan, math.inf, 1e7, "0", True]),
    ("grave_ref", [-1, 1.0, "50", True, 2**30 + 1]),
    ("symmetry", ["no", 0, 1, []]),
    ("leaf_proofs", [-1, 1.0, "1", True, 2**20 + 1]),
    ("node_proofs", [-1, 1.0, "1", True, 2**20 + 1]),
    ("root_proofs", [-1, 1.0, "1", True, 2**20 + 1]),
    ("final_move", ["best", 1, "", [], b"max"]),
    ("memory_mb", [0, -5, math.nan, math.inf, 0.5, 1e9, "64", True]),
    ("seed", [-1, 2**64, 1.0, "x", True, math.nan]),
    ("rollouts_per_leaf", [0, -1, 101, 2.0, "2", True]),
    ("threads", [0, 257, -1, 1.0, "1", True, None]),
    ("reuse", ["no", 0, 1, []]),
    ("prune", ["no", 0, 1, []]),
    ("stop_early", ["no", 0, 1, []]),
])
def test_bad_options(name, values):
    for value in values:
        with pytest.raises(mc.InvalidOption, match=name):
            mc.Searcher(**{name: value})


OPTIONS = ["preset", "selection", "exploration", "fpu", "solver", "rollout", "rollouts_per_leaf", "expand_after",
           "expand_distance", "prior_weight", "rave_schedule", "rave_k", "rave_bias", "grave_ref", "symmetry",
           "leaf_proofs", "node_proofs", "root_proofs", "final_move", "memory_mb", "seed", "stop_early",
           "reuse", "prune"]


@pytest.mark.parametrize("name", OPTIONS)
def test_none_is_the_default(name):
    engine = mc.Searcher(**{name: None})
    assert repr(engine) == repr(mc.Searcher())
    assert engine.options(mc.ConnectFour()) == mc.Searcher().options(mc.ConnectFour())
    assert engine.search(mc.ConnectFour(), iterations=20) in range(7)


@pytest.mark.parametrize(("state", "options", "divisor"), [
    (mc.TicTacToe(), {}, 1), (mc.TicTacToe(), {"rollouts_per_leaf": 7}, 7),
    (mc.Gomoku(9), {"rollouts_per_leaf": 100}, 100), (mc.Gomoku(9), {"valuation": "network"}, 64),
    (mc.TicTacToe(), {"selection": "ucb1-tuned"}, 2),
    (mc.Gomoku(9), {"selection": "ucb1-tuned", "rollouts_per_leaf": 3}, 6), (Dice(), {"rollouts_per_leaf": 7}, 7)])
def test_the_most_iterations_are_accepted_and_no_more(state, options, divisor):
    engine = mc.Searcher(**options)
    most = engine.most_iterations(state)
    assert most == (2**30 - 1) // divisor
    engine.search(state, 0.01, iterations=most)
    with pytest.raises(mc.InvalidOption, match=f"iterations must .*{most}"):
        engine.search(state, 0.01, iterations=most + 1)


@pytest.mark.parametrize(("state", "text"), [
    (None, "None has no method legal_moves"), (7, "7 has no method"), ("33", "'33' has no method"),
    (mc.ConnectFour, r"got the class ConnectFour: did you mean ConnectFour\(\)"),
    (type("Players", (), {"players": 3})(), "a state must have players, to_move")])
def test_what_is_no_state_has_no_options(state, text):
    engine = mc.Searcher()
    for call in (engine.options, engine.most_iterations):
        with pytest.raises(mc.InvalidState, match=text):
            call(state)


def test_the_bounds_of_options_are_taken():
    for options in ({"exploration": 0}, {"exploration": 1e6}, {"fpu": -1e6}, {"fpu": 1e6}, {"rollouts_per_leaf": 100},
                    {"expand_after": 2**30}, {"expand_distance": 32}, {"prior_weight": 1e6}, {"memory_mb": 1},
                    {"selection": "rave", "rave_k": 0}, {"selection": "rave", "rave_k": 1e9},
                    {"selection": "rave", "rave_schedule": "mse", "rave_bias": 0},
                    {"selection": "rave", "rave_schedule": "mse", "rave_bias": 1e6},
                    {"selection": "grave", "grave_ref": 0}, {"selection": "grave", "grave_ref": 2**30},
                    {"leaf_proofs": 2**20}, {"node_proofs": 2**20}, {"root_proofs": 2**20}, {"seed": 2**64 - 1}):
        engine = mc.Searcher(**{"seed": 1, **options})
        assert engine.search(mc.ConnectFour(4, 4, 4), iterations=60) in range(4), options
        stats = engine.stats()
        assert 0 < stats.iterations <= 60 and 0 <= stats.value <= 1, options


def test_options_are_by_keyword():
    with pytest.raises(mc.InvalidOption, match="options by name only, got 0.7"):
        mc.Searcher(0.7)


def test_messages_quote_what_came():
    with pytest.raises(mc.InvalidOption, match="got -1"):
        mc.search(mc.ConnectFour(), -1)
    with pytest.raises(mc.InvalidOption, match="'robust' or 'max' or 'best_line', got 'best'"):
        mc.Searcher(final_move="best")
    with pytest.raises(mc.InvalidOption, match="threads must be .* 1 to 256, got 0"):
        mc.Searcher(threads=0)
    with pytest.raises(mc.InvalidOption, match="reuse must be True or False, got 'always'"):
        mc.Searcher(reuse="always")
    with pytest.raises(mc.InvalidOption, match="selection must be 'ucb1' or 'puct' or 'ucb1-tuned' or .* got 5"):
        mc.Searcher(selection=5)
    with pytest.raises(mc.InvalidOption, match="solver must be True or False, got 'yes'"):
        mc.Searcher(solver="yes")
    with pytest.raises(mc.InvalidOption, match="expand_distance must be an int from 0 to 32, got 33"):
        mc.Searcher(expand_distance=33)


def test_an_option_that_the_game_does_not_know():
    engine = mc.Searcher(rollout="tactical")
    with pytest.raises(mc.InvalidOption, match="rollout must be one of 'random', 'decisive' for .*, got 'tactical'"):
        engine.search(mc.ConnectFour(), iterations=10)
    with pytest.raises(mc.NoSearch):
        engine.stats()
    # games of one class may know different ones
    assert engine.search(mc.MNK(7, 7, 4), iterations=10) in range(49)
    with pytest.raises(mc.InvalidOption, match="rollout must be one of 'random', 'decisive' for .*, got 'tactical'"):
        engine.search(mc.MNK(5, 5, 3), iterations=10)


@pytest.mark.parametrize("states", [
    [mc.ConnectFour(12, 8, 4), mc.ConnectFour(), mc.ConnectFour(12, 8, 4)],
    [mc.MNK(32, 32, 6), mc.Gomoku(15), mc.MNK(9, 9, 5)],
])
def test_a_search_does_not_depend_on_the_game_before(states):
    """Boards of one class with exact search and without."""
    engine = mc.Searcher(seed=1, memory_mb=32)
    for state in states:
        engine.search(state, iterations=300)
        alone = mc.Searcher(seed=engine.stats().seed, memory_mb=32)
        alone.search(state, iterations=300)
        assert engine.stats().moves == alone.stats().moves
        assert engine.stats().bytes == alone.stats().bytes


@pytest.mark.parametrize("state", [mc.ConnectFour.from_moves("0101010"), mc.TicTacToe.from_moves("031425"[:5])])
def test_finished_games(state):
    assert state.winner() is not None
    for call in (lambda: mc.search(state, 1), lambda: mc.rollouts(state, 10)):
        with pytest.raises(mc.GameOver, match="winner 1"):
            call()


def test_a_failed_search_leaves_no_statistics():
    engine = mc.Searcher()
    with pytest.raises(mc.NoSearch, match="no search has run"):
        engine.stats()
    engine.search(mc.ConnectFour(), iterations=10)
    with pytest.raises(mc.GameOver):
        engine.search(mc.ConnectFour.from_moves("0101010"), iterations=10)
    with pytest.raises(mc.NoSearch):
        engine.stats()


def made():
    """A class of states that nothing else knows."""
    class Nim:
        fails = False

        def __init__(self, stones=9, to_move=1):
            self.stones, self.to_move = stones, to_move

        def legal_moves(self):
            return [1, 2] if self.stones > 1 else [1]

        def play(self, move):
            return type(self)(self.stones - move, -self.to_move)

        def winner(self):
            if self.fails and self.stones < 5:
                raise KeyError(self.stones)
            return None if self.stones else -self.to_move

    return Nim


def made_general():
    class Take(made()):
        players = 2

        def __init__(self, stones=9, to_move=0):
            self.stones, self.to_move = stones, to_move

        def play(self, move):
            return type(self)(self.stones - move, 1 - self.to_move)

        def returns(self):
            return None if self.stones else [float(self.to_move == player) for player in (1, 0)]

    return Take


def is_dead(reference):
    gc.collect()
    return reference() is None


@pytest.mark.parametrize("make", [made, made_general])
@pytest.mark.parametrize("search", [mc.search, mc.Searcher().search, mc.Searcher(preset="uct").search],
                         ids=["search", "searcher", "uct"])
def test_no_game_is_kept_longer_than_its_statistics(make, search):
    cls = make()
    reference = weakref.ref(cls)
    search(cls(), iterations=50)
    del cls
    assert not is_dead(reference)  # the position is that of the statistics
    search(mc.TicTacToe(), iterations=50)
    assert is_dead(reference)


def test_a_searcher_and_a_thread_take_their_last_position_with_them():
    cls = made()
    reference = weakref.ref(cls)
    engine = mc.Searcher()
    engine.search(cls(), iterations=50)
    thread = threading.Thread(target=lambda state: mc.search(state, iterations=50), args=(cls(),))
    thread.start()
    thread.join()
    del cls, engine, thread
    assert is_dead(reference)


def test_a_game_that_failed_is_not_kept():
    cls = made()
    reference = weakref.ref(cls)
    engine = mc.Searcher()
    cls.fails = True
    with pytest.raises(mc.GameError):
        engine.search(cls(), iterations=50)
    with pytest.raises(mc.GameError):
        mc.search(cls(), iterations=50)
    del cls
    assert is_dead(reference)


def test_games_with_the_same_options_do_not_mix():
    """Two classes of one kind, whose positions look alike, in one Searcher."""
    engine = mc.Searcher()
    one, two = made(), made()
    for cls in (one, two, one):
        assert engine.search(cls(), iterations=50) in (1, 2)
        assert type(engine.stats().state) is cls
        assert engine.stats().reused_visits == 0
    with pytest.raises(mc.InvalidOption, match="written in Python"):
        mc.Searcher(threads=2).search(one(), iterations=50)


def test_repr_rebuilds():
    engine = mc.Searcher(exploration=0.5, final_move="max", memory_mb=16, seed=4, rollouts_per_leaf=3)
    assert repr(engine) == "Searcher(exploration=0.5, rollouts_per_leaf=3, final_move='max', memory_mb=16.0, seed=4)"
    assert repr(eval(repr(engine), {"Searcher": mc.Searcher})) == repr(engine)
    assert repr(mc.Searcher(memory_mb=16, progress=True, every=0.5)) == (
        "Searcher(final_move='robust', memory_mb=16.0, progress=True, every=0.5)")
    assert "progress=<built-in function print>" in repr(mc.Searcher(progress=print))


def test_flags_of_numpy_are_flags():
    numpy = pytest.importorskip("numpy")
    yes, no = numpy.True_, numpy.zeros(1, bool)[0]
    assert repr(mc.Searcher(solver=no, reuse=no, symmetry=yes, progress=no)) == repr(
        mc.Searcher(solver=False, reuse=False, symmetry=True))
    assert mc.check_game(mc.TicTacToe, 5, raise_on_error=yes).ok
    for flag in (1, numpy.int64(1), numpy.ones(1, bool), "True"):
        with pytest.raises(mc.InvalidOption, match="solver must be True or False, got"):
            mc.Searcher(solver=flag)


def test_random_seeds_differ_and_reproduce():
    engine = mc.Searcher()
    engine.search(mc.ConnectFour(), iterations=2000)
    first = engine.stats()
    engine.search(mc.ConnectFour(), iterations=2000)
    assert engine.stats().seed != first.seed
    again = mc.Searcher(seed=first.seed)
    again.search(mc.ConnectFour(), iterations=2000)
    assert again.stats().moves == first.moves


def test_no_two_random_seeds_are_equal():
    """Many threads draw them from one supply, which is filled several times."""
    drawn = [[] for _ in range(4)]
    threads = [threading.Thread(target=lambda own=own: own.extend(random_seed() for _ in range(1000))) for own in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set().union(*drawn)) == 4000


@pytest.mark.needs("fork")
def test_a_fork_draws_seeds_of_its_own():
    random_seed()  # the supply is not empty
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, random_seed().to_bytes(8, "little"))
        os._exit(0)
    os.waitpid(child, 0)
    other = int.from_bytes(os.read(reading, 8), "little")
    os.close(reading)
    os.close(writing)
    assert other != random_seed()


def test_wins_and_blocks_are_found():
    # column 3 wins for the player to move; column 0 must be blocked
    assert mc.search(mc.ConnectFour.from_moves("303131"), iterations=2000, seed=1) == 3
    assert mc.search(mc.ConnectFour.from_moves("0203044"[:5]), iterations=4000, seed=1) == 0
    # a four to complete, a four to block
    line = "112 0 113 1 114 2 115"
    assert mc.search(mc.Gomoku.from_moves(line + " 3"), iterations=50_000, seed=1) in (111, 116)


def test_rollouts():
    result = mc.rollouts(mc.ConnectFour(), 20_000, seed=1)
    assert result.wins + result.draws + result.losses == 20_000
    assert result.wins / 20_000 == pytest.approx(0.5557, abs=0.02)
    assert result.mean_length == pytest.approx(21.31, abs=0.3)
    assert result.rollouts_per_second == pytest.approx(20_000 / result.seconds)
    again = mc.rollouts(mc.ConnectFour(), 20_000, seed=1)
    assert (again.wins, again.draws, again.mean_length) == (result.wins, result.draws, result.mean_length)


@pytest.mark.parametrize("n", [0, -1, 1.5, "10", True, 2**41, math.nan])
def test_bad_rollouts(n):
    with pytest.raises(mc.InvalidOption, match="n must be an int"):
        mc.rollouts(mc.ConnectFour(), n)
    with pytest.raises(mc.InvalidOption, match="seed must be"):
        mc.rollouts(mc.ConnectFour(), 10, seed=-1)
    with pytest.raises(mc.InvalidState):
        mc.rollouts("state", 10)
