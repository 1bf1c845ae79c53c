import threading
import time

import pytest

import mcts_core
from mcts_core.bots.budgets import LEAST
from mcts_core.bots.thinking import Thinking

LONG = 600.0


class Outcome:
    """What ``done`` was called with."""

    def __init__(self):
        self.calls = []
        self.ended = threading.Event()

    def __call__(self, stats, error):
        self.calls.append((stats, error))
        self.ended.set()

    @property
    def stats(self):
        (stats, error), = self.calls
        assert error is None
        return stats


def test_a_search_ends_by_itself():
    done, told = Outcome(), []
    thinking = Thinking(mcts_core.Searcher(seed=1), mcts_core.Gomoku(), 0.2, None, done, told.append, 0.02)
    thinking.wait(LONG)
    assert done.stats.stop_reason == "time" and not thinking.running
    assert told and all(stats.stop_reason == "running" for stats in told)
    done = Outcome()
    Thinking(mcts_core.Searcher(seed=1), mcts_core.Gomoku(), None, 100, done).wait(LONG)
    assert done.stats.iterations == 100


@pytest.mark.parametrize("wait", [0.0, 0.0001, 0.001, 0.05])
def test_stop_waits_for_the_outcome_whenever_it_comes(wait):
    """Also before the thread has begun the search: then it ends after one iteration, or as soon as it has begun."""
    engine = mcts_core.Searcher()
    for _ in range(20 if wait < 0.01 else 2):
        done = Outcome()
        thinking = Thinking(engine, mcts_core.Gomoku(), LONG, None, done)
        time.sleep(wait)
        thinking.stop()
        assert not thinking.running
        assert done.stats.stop_reason in ("cancelled", "iterations", "only_move") and done.stats.move is not None


def test_stops_of_many_threads_are_one():
    done = Outcome()
    thinking = Thinking(mcts_core.Searcher(), mcts_core.Gomoku(), LONG, None, done)
    threads = [threading.Thread(target=thinking.stop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert done.stats.move is not None


class Told:
    """A Searcher that keeps the budget it is given."""

    def search(self, state, seconds, *, iterations, progress, every):
        self.seconds = seconds

    def stats(self):
        return self


@pytest.mark.parametrize("seconds", [LONG, 1e-9])
def test_what_the_thread_takes_to_begin_is_part_of_the_time(seconds):
    engine, done = Told(), Outcome()
    Thinking(engine, None, seconds, None, done).wait(LONG)
    assert done.stats is engine
    assert LEAST <= engine.seconds < LONG


def test_silence():
    done = Outcome()
    thinking = Thinking(mcts_core.Searcher(), mcts_core.Gomoku(), LONG, None, done)
    thinking.stop(silent=True)
    assert done.calls == [] and not thinking.running


def test_stop_after_ends_the_search_and_the_last_word_counts():
    done = Outcome()
    thinking = Thinking(mcts_core.Searcher(), mcts_core.Gomoku(), LONG, None, done)
    thinking.stop_after(LONG)
    thinking.stop_after(0.05)
    assert done.ended.wait(LONG / 10)
    assert done.stats.stop_reason == "cancelled"
    thinking.stop()


def test_a_timer_that_is_no_longer_needed_is_gone():
    thinking = Thinking(mcts_core.Searcher(), mcts_core.Gomoku(), LONG, None, Outcome())
    thinking.stop_after(LONG)
    timer = thinking._timer
    thinking.stop()
    timer.join(LONG / 10)
    assert not timer.is_alive()


def test_wait_stops_what_takes_too_long():
    done = Outcome()
    thinking = Thinking(mcts_core.Searcher(), mcts_core.Gomoku(), LONG, None, done)
    thinking.wait(0.05)
    assert done.stats.stop_reason == "cancelled"


def test_an_error_is_the_outcome():
    class Broken:
        to_move = 1

        def legal_moves(self):
            return [0, 1]

        def play(self, move):
            raise ZeroDivisionError("by design")

        def winner(self):
            return None

    done = Outcome()
    Thinking(mcts_core.Searcher(), Broken(), LONG, None, done).wait(LONG)
    (stats, error), = done.calls
    assert stats is None and isinstance(error, mcts_core.GameError)
    assert isinstance(error.__cause__, ZeroDivisionError)
