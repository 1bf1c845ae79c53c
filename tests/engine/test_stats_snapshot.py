"""src/mcts_core/engine/stats_snapshot.pyx: statistics that are read later are those that are read at once."""

import copy
import gc
import pickle
import random
import sys
import threading
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial

import pytest
from general_games import by_position
from nim import Nim
from random_play import played_on

import mcts_core as mc
from mcts_core.many import MEMORY_MB, seed_of
from mcts_core.results import Stats, kept_of, last_stats_of

MEASURED = {"seconds", "iterations_per_second", "overshoot"}
STARTS = (mc.ConnectFour(), mc.ConnectFour(8, 8, 5), mc.Gomoku(15), mc.Gomoku(9, "exact"), mc.TicTacToe(),
          mc.MNK(5, 4, 3))
OPTIONS = ({"preset": "uct"}, {"preset": "uct", "rollouts_per_leaf": 3}, {"preset": "uct", "solver": True}, {},
           {"selection": "rave"}, {"final_move": "max", "preset": "uct"})


def positions(start, count, seed):
    chooser, found = random.Random(seed), []
    while len(found) < count:
        found.append(played_on(start, chooser, chooser.randrange(10)))
    return found


def searched(state, iterations, **options):
    """A Searcher that has just searched."""
    engine = mc.Searcher(seed=5, memory_mb=16, **options)
    engine.search(state, iterations=iterations)
    return engine


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("iterations", [1, 6, 100, 900])
def test_the_figures_are_those_that_are_made_at_once(options, iterations):
    for start in STARTS:
        for state in positions(start, 4, iterations):
            engine = searched(state, iterations, **options)
            later, now = last_stats_of(engine._core), engine.stats()
            assert kept_of(later) is not None and kept_of(now) is None
            for field in fields(Stats):
                one, other = getattr(later, field.name), getattr(now, field.name)
                assert one == other and type(one) is type(other), field.name
            assert kept_of(later) is None and later == now and hash(later) == hash(now) and str(later) == str(now)
            assert later.state is state and later.tree() == now.tree()


@pytest.mark.needs("numpy")
@pytest.mark.parametrize("options", [
    {}, {"solver": False}, {"root_policy": "gumbel"}, {"noise_alpha": 0.5, "batch": 1}], ids=str)
@pytest.mark.parametrize("iterations", [1, 6, 100])
def test_the_figures_of_searches_with_an_evaluator(options, iterations):
    for start in STARTS:
        for state in positions(start, 4, iterations):
            engine = searched(state, iterations, evaluator=partial(by_position, actions=state.actions), **options)
            later, now = last_stats_of(engine._core), engine.stats()
            assert kept_of(later) is not None and kept_of(now) is None
            for field in fields(Stats):
                one, other = getattr(later, field.name), getattr(now, field.name)
                assert one == other and type(one) is type(other), field.name
            assert later.tree() == now.tree()
            # the search finds the move without a list
            entry, = (entry for entry in now.moves if entry.move == now.move)
            alive = [entry for entry in now.moves if entry.proven != "loss"] or now.moves
            if now.proven is None and "root_policy" not in options and state.play(now.move).winner() is None:
                assert (entry.visits, entry.value) == max((entry.visits, entry.value) for entry in alive)
            assert entry.proven != "loss" or alive == now.moves
            wins = [entry for entry in now.moves if entry.proven == "win"]
            assert not wins or entry.distance == min(entry.distance for entry in wins)


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}], ids=["uct", "strong"])
def test_the_move_is_the_best_of_the_listed_ones(options):
    # which the search finds without a list where no other one is equal to it; of equal ones chance takes one
    first_of_equal = []
    for start in STARTS:
        for state in positions(start, 6, 8):
            for iterations in (1, 3, 30, 200):
                found = searched(state, iterations, **options).stats()
                if (found.proven is None and not any(entry.proven for entry in found.moves)
                        and state.play(found.move).winner() is None):  # a win at once is played before all others
                    most = max(found.moves, key=lambda entry: (entry.visits, entry.value))
                    equal = [entry.move for entry in found.moves
                             if (entry.visits, entry.value) == (most.visits, most.value)]
                    assert found.move in equal and found.moves[0].move == found.move
                    if len(equal) > 1:
                        first_of_equal.append(found.move == min(equal))
    assert 0.1 < sum(first_of_equal) / len(first_of_equal) < 0.6


def test_any_use_of_stats_makes_their_objects():
    def kept():
        return last_stats_of(searched(mc.ConnectFour(), 50, preset="uct")._core)

    expected = searched(mc.ConnectFour(), 50, preset="uct").stats()
    for use in (lambda stats: stats.to_dict()["visits"], lambda stats: stats.visits,
                lambda stats: copy.copy(stats).visits,
                lambda stats: pickle.loads(pickle.dumps(stats)).visits, lambda stats: copy.deepcopy(stats).visits,
                lambda stats: replace(stats, move=3).visits,
                lambda stats: "50 iterations" in repr(stats) and stats.visits):
        stats = kept()
        assert use(stats) == 50 and kept_of(stats) is None and stats.moves == expected.moves
    stats = kept()
    with pytest.raises(FrozenInstanceError):
        stats.visits = 3
    with pytest.raises(AttributeError, match="weight"):
        stats.weight  # noqa: B018
    with pytest.raises(AttributeError):
        kept_of(kept()).weight  # noqa: B018


def test_stats_made_by_hand_have_no_numbers():
    made = replace(searched(mc.TicTacToe(), 9).stats(), visits=7)
    assert kept_of(made) is None and made.visits == 7 and made.state is None
    with pytest.raises(AttributeError, match="weight"):
        made.weight  # noqa: B018


def test_users_games_and_subclasses_have_their_objects_at_once():
    class Own(mc.TicTacToe):
        """May refer to anything."""

    for state in (Own(), Nim()):
        engine = searched(state, 30)
        assert engine._core.keep() is None
        stats = last_stats_of(engine._core)
        assert kept_of(stats) is None and stats == engine.stats() and stats.state is state


def test_nothing_is_kept_before_a_search_and_of_one_that_failed():
    engine = mc.Searcher()
    assert engine._core.keep() is None
    with pytest.raises(mc.GameOver):
        engine.search(mc.ConnectFour.from_moves("0101010"), iterations=5)
    assert engine._core.keep() is None


def test_a_progress_function_cannot_keep_the_running_search():
    engine, errors = mc.Searcher(preset="uct", seed=1), []

    def progress(_):
        try:
            engine._core.keep()
        except mc.SearchBusy as error:
            errors.append(error)

    engine.search(mc.ConnectFour(), 0.05, progress=progress, every=0.001)
    assert errors and engine._core.keep() is not None


def test_threads_that_read_the_same_stats_get_the_same():
    many = mc.search_many([mc.Gomoku(15)] * 40, iterations=80, seed=2, preset="uct")
    expected = mc.search_many([mc.Gomoku(15)] * 40, iterations=80, seed=2, preset="uct")
    barrier, failures = threading.Barrier(4), []

    def read():
        barrier.wait()
        for one, other in zip(many, expected, strict=True):
            if one.stats.moves != other.stats.moves or one.stats.seed != other.stats.seed:
                failures.append(one)

    workers = [threading.Thread(target=read) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_numbers_keep_neither_the_searcher_nor_anything_else_alive():
    state = mc.ConnectFour(7, 7)
    before = sys.getrefcount(state)
    stats = last_stats_of(searched(state, 40, preset="uct")._core)
    gc.collect()
    with pytest.raises(mc.NoSearch, match="no longer exists"):
        stats.tree()
    stats = last_stats_of(searched(state, 40, preset="uct")._core)
    assert not gc.is_tracked(kept_of(stats))
    del stats
    gc.collect()
    assert sys.getrefcount(state) == before


def test_many_searches_stand_alone():
    states = positions(mc.Gomoku(15), 10, 3)
    for index, result in enumerate(mc.search_many(states, iterations=60, seed=9, preset="uct")):
        engine = mc.Searcher(seed=seed_of(9, index), memory_mb=MEMORY_MB, preset="uct")
        assert engine.search(states[index], iterations=60) == result.move
        now = engine.stats()
        assert all(getattr(now, field.name) == getattr(result.stats, field.name)
                   for field in fields(Stats) if field.name not in MEASURED)
