"""src/mcts_core/engine/general_group.pyx: many positions at a time, whose leaves are evaluated together."""

import signal
import time

import numpy as np
import pytest
from general_games import flat
from general_oracle import Tangle, network
from table_games import Race

import mcts_core as mc
from mcts_core import many

START = mc.ConnectFour()


def test_positions_side_by_side_are_searched_as_alone():
    sizes = []

    def spy(observations):
        sizes.append(len(observations))
        return network(observations)

    states = [Tangle(number) for number in range(12)]
    options = {"noise_alpha": 0.4, "temperature": 1.0, "batch": 4}
    results = mc.search_many(states, evaluator=spy, iterations=120, seed=6, **options)
    assert sizes[0] == 12 and max(sizes) > 24
    for index, (state, result) in enumerate(zip(states, results, strict=True)):
        engine = mc.Searcher(seed=many.seed_of(6, index), evaluator=network, **options)
        assert engine.search(state, iterations=120) == result.move
        stats = engine.stats()
        assert (result.stats.moves, result.stats.values, result.stats.nodes, result.stats.bytes, result.stats.pv) == (
            stats.moves, stats.values, stats.nodes, stats.bytes, stats.pv)
        assert result.stats.stop_reason == "iterations" and result.error is None and result.stats.seconds > 0


def test_more_positions_than_go_side_by_side(monkeypatch):
    states = [START.play(column) for column in range(7)]
    all_at_once = mc.search_many(states, evaluator=flat, iterations=30, seed=1)
    monkeypatch.setattr(many, "TOGETHER", 3)
    a_few = mc.search_many(states, evaluator=flat, iterations=30, seed=1)
    assert [result.stats.moves for result in a_few] == [result.stats.moves for result in all_at_once]
    assert mc.search_many([], evaluator=flat, iterations=30) == []


def test_positions_that_fail_do_not_stop_the_others():
    over = mc.ConnectFour.from_moves("0101010")
    results = mc.search_many([START, over, "no state", mc.TicTacToe(), START.play(1)], evaluator=flat, iterations=40,
                             seed=1, errors="return")
    assert [type(result.error) for result in results] == [
        type(None), mc.GameOver, mc.InvalidState, mc.InvalidState, type(None)]
    assert results[0].stats.iterations == results[4].stats.iterations == 40
    assert "observations of one shape, (3, 6, 7)" in str(results[3].error)

    class Scored(Tangle):
        discount = 0.9

    for together in ([Tangle(2), Scored(2)], [Scored(2), Tangle(2)]):
        error = mc.search_many(together, evaluator=lambda observations: (None, [[0.0] * 2] * len(observations)),
                               iterations=5, seed=1, errors="return")[1].error
        assert "all or none may have rewards" in str(error)
    with pytest.raises(mc.GameOver, match="position 1: .*2 more of 4 failed: 2, 3"):
        mc.search_many([START, over, "no state", mc.TicTacToe()], evaluator=flat, iterations=40, seed=1)

    class Broken(Tangle):
        def play(self, move):
            if len(self.path) == 2:
                raise KeyError("on purpose")
            return Broken(self.number, self.players, self.chance, self.length, (*self.path, move))

    first, second = mc.search_many([Broken(4), Tangle(4)], evaluator=network, iterations=100, seed=1, errors="return")
    assert isinstance(first.error, mc.GameError) and second.stats.iterations == 100


def test_a_broken_evaluator_ends_all_positions():
    calls = []

    def evaluator(observations):
        calls.append(len(observations))
        policy, values = flat(observations)
        if len(calls) == 3:
            values[10] = np.nan
        return policy, values

    with pytest.raises(mc.EvaluatorError, match="from -1 to 1, got nan in row 10"):
        mc.search_many([START, START.play(1), START.play(2)], evaluator=evaluator, iterations=100, seed=1)
    assert calls == [3, 21, 24]  # after the root, there are seven leaves each


def test_many_positions_with_other_budgets():
    for options in ({"policy_value": lambda state: (None, 0.0), "iterations": 30}, {"evaluator": flat, "seconds": 0.01},
                    {"evaluator": flat, "iterations": 30, "seconds": 60}):
        results = mc.search_many([START, START.play(1)], seed=1, threads=2, **options)
        assert [result.error for result in results] == [None, None]
    assert [result.move in (0, 1) for result in mc.search_many([Race(), Race(2)], iterations=50, seed=1)] == [True] * 2


class Countdown:
    """Two players take 1 or 2 stones; the last stone wins. With one stone left there is one move."""

    actions = 2

    def __init__(self, stones, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [n for n in (1, 2) if n <= self.stones]

    def play(self, move):
        return Countdown(self.stones - move, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move

    def observation(self):
        return np.full((1, 1, 1), self.stones, np.float32)

    def action(self, move):
        return move - 1


@pytest.mark.parametrize("batch", [1, 8])
def test_stop_early_ends_each_search_as_alone(batch):
    def leaning(observations):
        policy = np.tile(np.float32([3.0, 0.0]), (len(observations), 1))
        return policy, np.zeros(len(observations), np.float32)

    states = [Countdown(1), Countdown(2), Countdown(40), Countdown(41)]
    options = {"evaluator": leaning, "stop_early": True, "solver": False, "batch": batch}
    results = mc.search_many(states, iterations=400, seed=3, **options)
    for index, (state, result) in enumerate(zip(states, results, strict=True)):
        alone = mc.Searcher(seed=many.seed_of(3, index), **options)
        assert alone.search(state, iterations=400) == result.move
        stats = alone.stats()
        assert (stats.stop_reason, stats.iterations, stats.moves) == (
            result.stats.stop_reason, result.stats.iterations, result.stats.moves)
    reasons = [result.stats.stop_reason for result in results]
    assert reasons[0] == "only_move" and results[0].stats.iterations == 1
    assert "decided" in reasons[2:]


def test_searches_begin_over_some_turns_where_another_part_is_evaluated():
    def sizes_of(threads):
        sizes = []

        def spy(observations):
            sizes.append(len(observations))
            return flat(observations)

        mc.search_many([START] * 64, evaluator=spy, iterations=40, batch=1, threads=threads, solver=False)
        return sizes

    assert sizes_of(1) == [64] * 41  # one evaluation of the root, and 40 of leaves
    sizes = sizes_of(2)
    assert sum(sizes) == 64 * 41 and max(sizes) == 32
    for part in (sizes[::2], sizes[1::2]):  # in turn, until one has no more
        assert part[:7] == [5, 10, 15, 20, 25, 30, 32]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_fault_is_told_with_its_row(threads):
    calls = []

    def wrong(observations):
        policy, values = flat(observations)
        calls.append(len(observations))
        if len(calls) == 12:
            values[-1] = 7
        return policy, values

    with pytest.raises(mc.EvaluatorError) as caught:
        mc.search_many([START] * 20, evaluator=wrong, iterations=40, batch=3, threads=threads, solver=False)
    assert f"got 7 in row {calls[11] - 1}" in str(caught.value)


class Uneven:
    """Two players whose results do not add up to the same: the solver is not for it."""

    players, actions = 2, 9

    def __init__(self, path=()):
        self.path, self.to_move = path, len(path) % 2

    def legal_moves(self):
        return [0, 1, 2]

    def play(self, move):
        return Uneven((*self.path, move))

    def returns(self):
        if len(self.path) < 3:
            return None
        one, two, three = self.path
        return [(one * 7 + two * 3 + three * 5) % 4 / 3, (one * 5 + two * 2 + three * 3) % 4 / 3]

    def observation(self):
        return np.zeros((3, 3, 3), np.float32)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_each_game_has_its_own_options(threads):
    def level(observations):
        return None, np.zeros(len(observations))

    states = [Uneven(), mc.TicTacToe(), Uneven((1,)), mc.TicTacToe().play(4)]
    for ordered in (states, states[::-1]):
        results = mc.search_many(ordered, evaluator=level, iterations=100, seed=5, threads=threads)
        for index, (state, result) in enumerate(zip(ordered, results, strict=True)):
            engine = mc.Searcher(evaluator=level, seed=many.seed_of(5, index))
            engine.search(state, iterations=100)
            stats = engine.stats()
            assert (result.stats.moves, result.stats.proven, result.stats.stop_reason, result.stats.iterations) == (
                stats.moves, stats.proven, stats.stop_reason, stats.iterations)
    found = mc.search_many([mc.TicTacToe(), Uneven()], evaluator=level, iterations=9, solver=True, errors="return",
                           threads=threads)
    assert found[0].error is None and isinstance(found[1].error, mc.InvalidOption)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("options", [{"leaf_proofs": 2**20}, {"root_proofs": 2**20}], ids=str)
def test_an_interrupt_does_not_wait_for_exact_search(options, threads):
    states = [START.play(one).play(two) for one in range(7) for two in range(7)] * 3
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    begin = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            mc.search_many(states, evaluator=flat, iterations=5000, threads=threads, **options)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - begin < 5  # minutes, before
