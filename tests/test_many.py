"""mcts_core/many.py: many positions in one call."""

import os
import random
import signal
import subprocess
import sys
import threading

import pytest
from general_games import by_position
from nim import Nim
from raising import Raising
from random_play import played_on

import mcts_core as mc
from mcts_core.many import Result, search_many, seed_of

OVER = mc.ConnectFour.from_moves("0101010")


class FailsAtSeven(Nim):
    def play(self, move):
        if self.stones == 7:
            raise ValueError("seven")
        return super().play(move)


class Leaves(Nim):
    """Wants the program to end."""

    def play(self, move):
        raise SystemExit("the game has enough")


def positions():
    chooser, found = random.Random(4), []
    for state in [mc.ConnectFour(), mc.TicTacToe(), mc.Gomoku(15), mc.ConnectFour(8, 9, 5), mc.MNK(5, 4, 3)] * 5:
        found.append(played_on(state, chooser, chooser.randrange(12)))
    return found + [Nim(5), Nim(6)]


def found(results):
    return [(result.move, result.stats.moves, result.stats.pv, result.stats.seed, result.stats.iterations,
             result.stats.proven, result.stats.stop_reason) for result in results]


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"preset": "uct", "stop_early": True}],
                         ids=["uct", "strong", "early"])
def test_results_do_not_depend_on_the_threads(options):
    states = positions()
    expected = search_many(states, iterations=400, seed=7, **options)
    assert len(expected) == len(states) and all(type(result) is Result for result in expected)
    for index, (state, result) in enumerate(zip(states, expected, strict=True)):
        assert result.move in state.legal_moves() and result.error is None and result.stats.move == result.move
        if index % 7 == 0:  # each of them stands alone
            engine = mc.Searcher(seed=seed_of(7, index), memory_mb=256, **options)
            assert engine.search(state, iterations=400) == result.move
            assert engine.stats().moves == result.stats.moves
    for threads in (2, 3, 8):
        assert found(search_many(states, iterations=400, seed=7, threads=threads, **options)) == found(expected)
    assert found(search_many(states[:9], iterations=400, seed=7, **options)) == found(expected[:9])
    assert found(search_many(states, iterations=400, seed=8, **options)) != found(expected)


def test_memory_that_is_none_is_the_default_of_this_function(memory_asked):
    asked = memory_asked("mcts_core.many.Searcher")
    for options in ({}, {"memory_mb": None}, {"memory_mb": 3}):
        search_many([mc.TicTacToe()], iterations=10, **options)
    assert asked == [256, 256, 3]


def test_principal_variations_do_not_depend_on_earlier_positions():
    chooser, states = random.Random(3), []
    while len(states) < 60:
        state = mc.ConnectFour()
        for _ in range(chooser.randrange(14, 34)):
            if state.winner() is None:
                state = state.play(chooser.choice(state.legal_moves()))
        if state.winner() is None:
            states.append(state)
    results = search_many(states, iterations=100, seed=1)
    assert sum(result.stats.proven is not None for result in results) > 20
    for state, result in zip(states, results, strict=True):
        engine = mc.Searcher(seed=result.stats.seed)
        engine.search(state, iterations=100)
        assert engine.stats().pv == result.stats.pv


def test_seeds_are_those_of_splitmix64():
    # the published first outputs for the seed 1234567
    assert [seed_of(1234567, index) for index in range(5)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert 0 <= seed_of(2**64 - 1, 10**6) < 2**64


def test_equal_positions_get_different_seeds():
    results = search_many([mc.ConnectFour()] * 6, iterations=200, seed=1)
    assert len({result.stats.seed for result in results}) == 6
    assert len({result.stats.moves for result in results}) > 1
    assert search_many([mc.ConnectFour()], iterations=5)[0].stats.seed != search_many(
        [mc.ConnectFour()], iterations=5)[0].stats.seed


def test_any_collection_will_do():
    assert search_many([], iterations=10) == [] == search_many(iter(()), iterations=10, threads=4)
    assert len(search_many((mc.TicTacToe() for _ in range(3)), iterations=10, threads=16)) == 3
    assert mc.search_many is search_many and mc.Result is Result


def test_time_budget():
    results = mc.search_many([mc.ConnectFour(7, 8), mc.Gomoku(15)], 0.03, threads=2)
    assert [result.stats.stop_reason for result in results] == ["time", "time"]


def test_errors_are_raised_with_their_index():
    states = [mc.ConnectFour(), mc.TicTacToe(), OVER, mc.Gomoku(15)]
    for threads in (1, 3):
        with pytest.raises(mc.GameOver, match="^position 2: the game is over") as caught:
            search_many(states, iterations=20, threads=threads)
        assert type(caught.value.__cause__) is mc.GameOver
        with pytest.raises(mc.GameError, match=r"^position 1: .*seven.* \(1 more of 5 failed: 3\)$") as caught:
            search_many([mc.ConnectFour(), FailsAtSeven(7), Nim(3), OVER, Nim(2)], iterations=20, threads=threads)
        assert isinstance(caught.value.__cause__.__cause__, ValueError)
        with pytest.raises(mc.InvalidState, match=r"^position 0: .*\(8 more of 9 failed: 1, 2, 3, 4, 5, \.\.\.\)$"):
            search_many([None] * 9, iterations=20, threads=threads)


def test_errors_are_returned():
    states = [mc.ConnectFour(), OVER, FailsAtSeven(7), "nothing", Nim(2)]
    for threads in (1, 4):
        results = search_many(states, iterations=20, threads=threads, errors="return")
        assert [type(result.error) for result in results] == [
            type(None), mc.GameOver, mc.GameError, mc.InvalidState, type(None)]
        assert all((result.move is None) == (result.stats is None) == (result.error is not None) for result in results)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_game_that_wants_the_program_to_end(threads):
    before = threading.active_count()
    with pytest.raises(SystemExit, match="enough"):
        search_many([mc.TicTacToe(), Leaves(5)] + [mc.ConnectFour()] * 20, seconds=10, threads=threads, errors="return")
    assert threading.active_count() == before


@pytest.mark.parametrize(("keywords", "text"), [
    ({"threads": 0}, "threads must be an int from 1 to 1024"), ({"threads": 1.0}, "threads"),
    ({"threads": True}, "threads"), ({"seed": -1}, "seed must be an int"), ({"seed": "1"}, "seed"),
    ({"errors": "ignore"}, "errors must be 'raise' or 'return', got 'ignore'"), ({"errors": None}, "errors"),
    ({"errors": Raising("eq")}, "errors must be"),
    ({"seconds": 0}, "seconds must be a finite number above 0"), ({"seconds": "1"}, "seconds"),
    ({"iterations": 0}, "iterations must be an int from 1"), ({"iterations": 2.0}, "iterations"),
    ({"exploration": -1}, "exploration"), ({"memory_mb": 0}, "memory_mb"),
])
def test_bad_options(keywords, text):
    for states in ([mc.TicTacToe()] * 2, []):
        with pytest.raises(mc.InvalidOption, match=text):
            search_many(states, **keywords)


def test_an_evaluator_for_hidden_information():
    class Hidden(Nim):
        hidden_information = True

        def determinize(self, player, rng):
            return self

    for limit in ({"seconds": 0.01}, {"iterations": 5}):
        with pytest.raises(mc.InvalidOption, match="an evaluator needs a game in which every player sees everything"):
            mc.search_many([Hidden()], policy_value=lambda state: (None, 0.0), **limit)


def test_no_collection():
    for bad in (None, 5, mc.TicTacToe()):
        with pytest.raises(mc.InvalidState, match="states must be a collection of states"):
            search_many(bad, iterations=1)
    with pytest.raises(mc.InvalidOption, match=r"search_many\(\) has no option 'wrong_option'"):
        search_many([], wrong_option=1)


CTRL_C = """
import signal, sys, threading, time
import mcts_core as mc
sent = []
def interrupt():
    time.sleep(0.3)
    sent.append(time.perf_counter())
    signal.{send}
worker = threading.Thread(target=interrupt)
worker.start()
try:
    mc.search_many([mc.ConnectFour(), mc.Gomoku(15)] * 10, seconds=20, threads={threads})
except KeyboardInterrupt:
    delay = time.perf_counter() - sent[0]
else:
    sys.exit("no KeyboardInterrupt")
worker.join()
assert threading.active_count() == 1, threading.enumerate()
assert len(mc.search_many([mc.ConnectFour()] * 3, iterations=50, threads=2)) == 3
print(delay)
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_all(threads):
    send = "raise_signal(signal.SIGINT)"
    if hasattr(os, "fork"):
        send = "pthread_kill(threading.main_thread().ident, signal.SIGINT)"
    delays = []
    for _ in range(3):  # a busy machine may delay one of them
        done = subprocess.run([sys.executable, "-c", CTRL_C.format(threads=threads, send=send)], capture_output=True,
                              text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        delays.append(float(done.stdout))
        if delays[-1] < 0.05:
            break
    assert min(delays) < 0.05


# ---- an evaluator beside the search ----------------------------------------------------------------------------------

@pytest.mark.needs("numpy")
@pytest.mark.parametrize("options", [{}, {"batch": 4}, {"root_policy": "gumbel"}, {"solver": False, "memory_mb": 1}])
def test_an_evaluator_in_a_second_thread_changes_nothing(options):
    states = [mc.ConnectFour.from_moves(moves) for moves in ("", "3", "32", "333", "3322", "012")] + [OVER]
    callers, sizes = set(), []

    def evaluate(observations):
        callers.add(threading.get_ident())
        sizes.append(len(observations))
        return by_position(observations)

    found = [search_many(states, iterations=60, seed=1, evaluator=evaluate, threads=threads, errors="return", **options)
             for threads in (1, 2)]
    assert len(callers) == 2 and threading.get_ident() in callers
    assert max(sizes) > 3  # the leaves of several positions come together
    for one, other in zip(*found, strict=True):
        assert one.move == other.move and type(one.error) is type(other.error)
        if one.stats is not None:
            assert (one.stats.moves, one.stats.nodes, one.stats.seed) == (
                other.stats.moves, other.stats.nodes, other.stats.seed)


@pytest.mark.needs("numpy")
def test_no_thread_outlives_what_an_evaluator_raises():
    calls = []

    def fails(observations):
        calls.append(threading.get_ident())
        if len(calls) == 5:
            raise ValueError("enough")
        return by_position(observations)

    with pytest.raises(mc.EvaluatorError, match="enough"):
        search_many([mc.ConnectFour()] * 4, iterations=50, evaluator=fails, threads=2)
    assert len(calls) <= 6  # one call may have waited behind that
    found = search_many([mc.ConnectFour()] * 4, iterations=5, evaluator=by_position, threads=2)
    assert all(result.move is not None for result in found)


@pytest.mark.needs("numpy")
def test_an_interrupt_ends_the_searches_of_an_evaluator_in_a_second_thread():
    def evaluate(observations):
        if not done:
            done.append(True)
            signal.raise_signal(signal.SIGINT)
        return by_position(observations)

    done = []
    with pytest.raises(KeyboardInterrupt):
        search_many([mc.ConnectFour()] * 4, iterations=10_000, evaluator=evaluate, threads=2)


@pytest.mark.parametrize("errors", ["raise", "return"])
def test_what_a_handler_of_a_signal_raises_ends_all(errors):
    """It is no failure of the position that is searched at that moment."""
    class Slow(mc.TicTacToe):
        def winner(self):
            signal.raise_signal(signal.SIGTERM)
            return super().winner()

    def late(number, frame):
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGTERM, late)
    try:
        with pytest.raises(TimeoutError, match="^too late$"):
            search_many([mc.TicTacToe(), Slow(), mc.TicTacToe()], iterations=5, errors=errors)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_kept_error_keeps_no_tree():
    failed, searched = search_many([None, mc.ConnectFour()], iterations=2000, seed=1, preset="uct", errors="return")
    assert failed.error.__traceback__ is not None
    with pytest.raises(mc.NoSearch):
        searched.stats.tree()


def test_the_order_of_boards_of_several_sizes_changes_nothing():
    small, large = mc.ConnectFour(rows=4, cols=5), mc.ConnectFour.from_moves([1, 3, 4, 4, 1, 0, 2, 1, 2])
    after = search_many([small, large], iterations=600, seed=22)[1].stats
    alone = mc.Searcher(seed=after.seed)
    alone.search(large, iterations=600)
    assert after.book and alone.stats().book and alone.stats().moves == after.moves
