"""mcts_core/clock.py: seconds for a move, and the account of a game."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts_core as mc
from mcts_core.clock import Clock

SECONDS = st.floats(0, 1e5, allow_nan=False)


class Timer:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SECONDS, st.floats(0, 100), st.none() | st.integers(1, 60), st.floats(0, 5), st.integers(1, 100),
       st.integers(0, 120))
def test_never_negative_and_never_more_than_there_is(remaining, increment, to_go, overhead, expected, moves):
    timer = Timer()
    clock = Clock(remaining, increment, to_go, overhead, expected_moves=expected, timer=timer)
    for _ in range(moves):
        clock.start()
        clock.stop()
    assert 0.0 <= clock.seconds() <= max(0.0, clock.remaining - overhead)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.floats(0.5, 1000), st.floats(0, 10), st.none() | st.integers(1, 40), st.floats(0.001, 0.1))
def test_a_bot_that_keeps_to_it_does_not_lose_on_time(remaining, increment, to_go, overhead):
    timer = Timer()
    clock = Clock(remaining, increment, to_go, overhead, timer=timer)
    for _ in range(to_go or 60):
        with clock:
            seconds = clock.seconds()
            timer.now += seconds + (0.9 * overhead if seconds else 0.0)
        assert clock.remaining >= 0.0
        if seconds:
            assert clock.remaining + 1e-9 >= increment
    assert clock.moves_to_go is None


def test_time_is_shared_out():
    assert Clock(60, moves_to_go=1, overhead=0.0).seconds() == 60
    assert Clock(60, moves_to_go=10, overhead=0.0).seconds() == pytest.approx(6)
    assert Clock(60, moves_to_go=10, overhead=0.5).seconds() == pytest.approx(5.5)
    assert Clock(60, 1.0, moves_to_go=11, overhead=0.0).seconds() == pytest.approx(70 / 11)
    assert Clock(60, expected_moves=20, overhead=0.0).seconds() == pytest.approx(3)
    # half at most while other moves follow, with an increment that would allow more
    assert Clock(1, 100, moves_to_go=5, overhead=0.0).seconds() == 0.5
    assert Clock(1, moves_to_go=1).seconds() == pytest.approx(0.97)


def test_nothing_is_left():
    assert Clock(0).seconds() == 0.0
    assert Clock(0.03).seconds() == 0.0
    assert Clock(5, overhead=10).seconds() == 0.0
    assert mc.search(mc.TicTacToe(), Clock(0).seconds() or 0.001) in range(9)


def test_the_account_of_a_game():
    timer = Timer()
    clock = Clock(10, 2, 3, timer=timer)
    assert clock.remaining == 10 and not clock.running and clock.moves_to_go == 3
    clock.start()
    timer.now += 4
    assert clock.running and clock.remaining == pytest.approx(6)
    assert clock.stop() == pytest.approx(4)
    assert clock.remaining == pytest.approx(8) and clock.moves_to_go == 2
    with clock as same:
        assert same is clock
        timer.now += 1
    assert clock.remaining == pytest.approx(9) and clock.moves_to_go == 1
    with clock:
        timer.now += 100
        assert clock.remaining == 0.0 and clock.seconds() == 0.0
    assert clock.remaining == 0.0  # too late for an increment
    assert clock.moves_to_go is None
    clock.set(7, moves_to_go=40)
    assert clock.remaining == 7 and clock.moves_to_go == 40


def test_set_while_it_runs_and_stop_within_the_block():
    timer = Timer()
    clock = Clock(10, timer=timer)
    with clock:
        timer.now += 3
        clock.set(20)
        timer.now += 1
        assert clock.remaining == pytest.approx(19)
        clock.stop()
    assert clock.remaining == pytest.approx(19)


def test_an_exception_in_the_block_ends_the_move():
    timer = Timer()
    clock = Clock(10, timer=timer)
    with pytest.raises(KeyError), clock:
        timer.now += 2
        raise KeyError
    assert clock.remaining == pytest.approx(8) and not clock.running


def test_more_is_spent_as_the_end_comes_near():
    timer = Timer()
    clock = Clock(100, expected_moves=30, overhead=0, timer=timer)
    shares = []
    for _ in range(40):
        with clock:
            shares.append(clock.seconds() / clock.remaining)
            timer.now += clock.seconds()
    assert shares == sorted(shares) and shares[0] == pytest.approx(1 / 30) and shares[-1] == pytest.approx(1 / 8)


def test_the_real_time():
    clock = Clock(100)
    with clock:
        mc.search(mc.ConnectFour(), 0.02)
    assert 90 < clock.remaining <= 99.98


@pytest.mark.parametrize("bad", [-1, -1e-9, math.nan, math.inf, "5", None, True, [], 1e10, 10**400])
@pytest.mark.parametrize("name", ["remaining", "increment", "overhead"])
def test_bad_seconds(name, bad):
    with pytest.raises(mc.InvalidOption, match=f"{name} must be a .*number of seconds"):
        Clock(**{"remaining": 1.0, name: bad})


@pytest.mark.parametrize("bad", [0, -1, 1.5, "3", True, math.nan])
@pytest.mark.parametrize("name", ["moves_to_go", "expected_moves"])
def test_bad_counts(name, bad):
    with pytest.raises(mc.InvalidOption, match=f"{name} must be an int from 1"):
        Clock(1.0, **{name: bad})


def test_bad_use():
    clock = Clock(10)
    with pytest.raises(mc.InvalidOption, match="not running"):
        clock.stop()
    clock.start()
    with pytest.raises(mc.InvalidOption, match="is running"):
        clock.start()
    with pytest.raises(mc.InvalidOption, match="remaining"):
        clock.set(-1)
    with pytest.raises(mc.InvalidOption, match="timer must be a function"):
        Clock(1, timer=5)
    with pytest.raises(mc.InvalidOption, match="expected_moves must be an int"):
        Clock(1, expected_moves=None)


def test_repr_and_export():
    assert mc.Clock is Clock
    assert repr(Clock(10, 2, 3)) == "Clock(remaining=10.000, increment=2, moves_to_go=3, overhead=0.03)"
