import pytest
from noughts import Noughts

import mcts_core
from mcts_core import delays
from mcts_core.bots import budgets


@pytest.mark.parametrize("limit, seconds", [
    (30.0, 29.9), (1.0, 0.9), (0.2, 0.1), (0.1, 0.05), (0.01, 0.005), (0.001, 0.001), (0.0, 0.001), (1e15, 1e9)])
def test_a_tenth_of_a_second_is_left_or_half_of_the_limit(limit, seconds):
    assert budgets.within(limit) == pytest.approx(seconds)


LIMITS = (0.001, 0.01, 0.03, 0.05, 0.1, 0.3, 1.0, 5.0, 30.0, 1000.0)


@pytest.fixture
def elsewhere(monkeypatch):
    """Not on Windows, whatever this runs on."""
    monkeypatch.setattr(budgets.sys, "platform", "linux")


@pytest.mark.parametrize("limit, seconds", [
    (0.03, 0.0206), (0.05, 0.0405), (0.1, 0.09025), (0.3, 0.28925), (1.0, 0.98575), (30.0, 29.9), (0.01, 0.005),
    (0.001, 0.001), (1e15, 1e9)])
def test_a_process_that_has_measured_nothing_leaves_about_ten_milliseconds(elsewhere, limit, seconds):
    assert budgets.Margin().within(limit) == pytest.approx(seconds)


def test_a_margin_learns_that_moves_are_prompt(elsewhere):
    margin = budgets.Margin()
    before = margin.seconds(1.0)
    for _ in range(delays.RECENT - 1):
        margin.learn(0.001)
    assert margin.seconds(1.0) == before
    margin.learn(-0.2)  # found before the planned end
    assert margin.seconds(1.0) == pytest.approx(0.004 + 0.005 + 1.5 * 0.001)
    for limit in LIMITS:
        assert margin.seconds(limit) < 0.006 + 0.005 * limit


def test_a_margin_remembers_the_longest_delay_for_fifty_moves(elsewhere):
    margin = budgets.Margin()
    margin.learn(0.02)
    for _ in range(delays.RECENT - 1):
        margin.learn(0.001)
        assert margin.seconds(0.3) == pytest.approx(0.004 + 0.0015 + 1.5 * 0.02)
    margin.learn(0.001)
    assert margin.seconds(0.3) == pytest.approx(0.004 + 0.0015 + 1.5 * 0.001)


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.05, 3600.0])
def test_whatever_it_learned_a_margin_leaves_no_more_than_the_fixed_one(delay):
    margin = budgets.Margin()
    margin.learn(delay)
    for limit in LIMITS:
        assert margin.within(limit) >= budgets.within(limit)
        assert 0.0 < margin.seconds(limit) <= limit / 2


def test_clocks_that_tick_coarsely_are_allowed_for(monkeypatch):
    monkeypatch.setattr(budgets.sys, "platform", "win32")
    assert budgets.Margin().seconds(1.0) > 0.016 + delays.SAFETY * budgets.EXPECTED


@pytest.mark.parametrize("remaining", [-5.0, 0.0, 0.004, 0.02, 0.3, 5.0, 600.0, 1e12])
@pytest.mark.parametrize("made", [0, 29, 100])
def test_a_search_leaves_half_of_the_clock_and_is_never_nothing(remaining, made):
    for state in (mcts_core.Gomoku(), mcts_core.ConnectFour(), Noughts()):
        seconds = budgets.MatchClock().seconds(remaining, state=state, moves_made=made)
        assert budgets.LEAST <= seconds <= max(0.001, remaining / 2)


def test_a_new_match_clock_says_what_the_clock_says():
    state = mcts_core.Gomoku()
    for arguments in ((60.0, 1.0), (60.0, 1.0, 10), (60.0, 0.0, 10), (2.0,)):
        clock = mcts_core.Clock(*arguments, overhead=budgets.OVERHEAD, moves_made=7)
        assert budgets.MatchClock().seconds(*arguments, state=state, moves_made=7) == clock.seconds(state)


def test_a_match_has_one_clock_that_learns_from_reports_what_a_move_costs():
    """Here each move costs 100 ms more than the engine can see."""
    state, clock, left = mcts_core.Gomoku(), budgets.MatchClock(), 20.0
    for made in range(5):
        took = clock.seconds(left, state=state, moves_made=made)
        clock.spend(took)
        left -= took + 0.1
    learned = clock.seconds(left, state=state, moves_made=5)
    assert learned < 0.8 * budgets.MatchClock().seconds(left, state=state, moves_made=5)
    assert clock.seconds(left, state=state, moves_made=3) == budgets.MatchClock().seconds(
        left, state=state, moves_made=3)  # moves were taken back, or this is another game


def test_without_reports_a_clock_keeps_its_own_account():
    state, clock = mcts_core.Gomoku(), budgets.MatchClock()
    first = clock.seconds(20.0, state=state, moves_made=0)
    clock.spend(5.0)
    second = clock.seconds(15.0, state=state, moves_made=1, reported=False)
    assert second < first
    assert clock.seconds(40.0, state=state, moves_made=1, reported=False) > 2 * second  # the limit has changed


@pytest.mark.parametrize("seconds, start", [
    (3.0, mcts_core.Gomoku()), (1.0, mcts_core.ConnectFour()), (30.0, mcts_core.Gomoku(20)),
    (0.2, mcts_core.ConnectFour())])
def test_a_game_on_one_clock_is_never_lost_on_time(seconds, start):
    """Not even one that fills the board, with moves that cost four milliseconds beyond their search."""
    left, longest, state, clock = seconds, 0.0, start, budgets.MatchClock()
    for made in range((start.rows * start.cols + 1) // 2):
        took = clock.seconds(left, state=state, moves_made=made)
        clock.spend(took)
        longest = max(longest, took)
        left -= took + 0.004
        for _ in range(2):  # the board fills
            quiet = (state.play(move) for move in state.legal_moves())
            state = next((after for after in quiet if after.winner() is None), state)
    assert left > 0
    assert longest > seconds / 20


def test_wrong_budgets_and_options_are_found_at_once():
    state = mcts_core.ConnectFour()
    budgets.check(mcts_core.Searcher(), state, None, None)
    budgets.check(mcts_core.Searcher(), state, 1e6, 10**6)
    for seconds, iterations in ((0, None), (None, 0), (None, 2**30), ("1", None), (None, 1.5), (float("inf"), None)):
        with pytest.raises(mcts_core.InvalidOption):
            budgets.check(mcts_core.Searcher(), state, seconds, iterations)
    with pytest.raises(mcts_core.InvalidOption):
        budgets.check(mcts_core.Searcher(rollout="tactical"), state, None, None)


def test_the_fewest_iterations_are_those_that_a_search_takes():
    small, valued = mcts_core.TicTacToe(), mcts_core.Gomoku(9)
    assert budgets.fewest(mcts_core.Searcher(), small, None, None) is None
    assert budgets.fewest(mcts_core.Searcher(), small, None, 7, 9) == 7
    for state, leaf in ((small, 1), (small, 7), (small, 100), (valued, 1), (valued, 100)):
        engine = mcts_core.Searcher(rollouts_per_leaf=leaf)
        assert budgets.fewest(engine, state, 10**18) == engine.most_iterations(state)
