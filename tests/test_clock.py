"""mcts_core/clock.py: seconds for a move, and the account of a game."""

import math
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noughts import Noughts

import mcts_core as mc
from mcts_core.clock import LEAST, Clock
from mcts_core.games import length

SECONDS = st.floats(0, 1e5, allow_nan=False)


class Timer:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@settings(derandomize=True, deadline=None, max_examples=150)
@given(SECONDS, st.floats(0, 100), st.none() | st.integers(1, 60), st.floats(0, 5), st.none() | st.integers(1, 100),
       st.integers(0, 120), st.sampled_from([None, mc.Gomoku(), mc.ConnectFour(), Noughts()]))
def test_never_nothing_and_never_more_than_there_is(remaining, increment, to_go, overhead, expected, moves, state):
    timer = Timer()
    clock = Clock(remaining, increment, to_go, overhead, expected_moves=expected, timer=timer)
    for _ in range(moves):
        clock.start()
        clock.stop()
    left = clock.remaining
    assert LEAST <= clock.seconds(state) <= max(LEAST, left - min(overhead, left / 2))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.floats(0.5, 1000), st.floats(0, 10), st.none() | st.integers(1, 40), st.floats(0.0001, 0.008),
       st.none() | st.integers(1, 80))
def test_a_bot_that_keeps_to_it_does_not_lose_on_time(remaining, increment, to_go, overhead, expected):
    timer = Timer()
    clock = Clock(remaining, increment, to_go, overhead, expected_moves=expected, timer=timer)
    unseen = 0.0
    for _ in range(to_go or 40):
        with clock:
            timer.now += clock.seconds()
        unseen += overhead
        assert clock.remaining - unseen >= -1e-9
    assert clock.moves_to_go is None


@pytest.mark.parametrize("total, increment, delay", [(1.5, 0.05, 0.01), (3, 0.1, 0.02), (30, 0.05, 0.01)])
def test_a_game_with_increments_on_an_uneven_network_is_not_lost(total, increment, delay):
    """What is left falls to the reserve in the end: then a move and its delay must take less than the increment."""
    for seed in range(20):
        chance, timer, left, used = Random(seed), Timer(), total, 0.0
        clock = Clock(total, increment, timer=timer)
        for move in range(100):
            clock.set(left)
            with clock:
                seconds = clock.seconds(mc.Gomoku())
                timer.now += seconds
            used += seconds
            left -= seconds + chance.expovariate(1 / delay)
            assert left > 0, f"seed {seed}, move {move}"
            left += increment
        assert used > 0.7 * (total + 100 * increment)


def periods(clock, timer, *, moves, seconds, count, reports, overhead):
    """Plays ``count`` periods in which the clock may not lose on time; returns the share of the time that is used."""
    used = 0.0
    for _ in range(count):
        left = seconds
        for move in range(moves):
            if reports == "each" or move == 0:
                clock.set(left, moves - move)
            with clock:
                searched = clock.seconds()
                timer.now += searched
            used += searched
            left -= searched + overhead()
            assert left > -1e-9
    return used / (count * seconds)


@pytest.mark.parametrize("reports", ["each", "first"])
@pytest.mark.parametrize("moves, count", [(1, 120), (2, 60), (10, 12), (40, 5)])
def test_a_new_period_says_nothing_about_the_overhead(moves, count, reports):
    chance = Random(1)
    for overhead in (lambda: 0.02, lambda: chance.uniform(0, 0.02), lambda: 0.02 if chance.random() < 0.03 else 0.0):
        timer = Timer()
        clock = Clock(moves, moves_to_go=moves, overhead=0.02, timer=timer)
        share = periods(clock, timer, moves=moves, seconds=moves, count=count, reports=reports, overhead=overhead)
        assert share > 0.96 - 0.07 / moves  # the last move of a period leaves a tenth of a second here


@pytest.mark.parametrize("late", [0.002, 0.008, 0.025])
def test_a_search_that_ends_late_does_not_cost_the_first_period(late):
    for seconds in (0.3, 5.0, 600.0):
        timer = Timer()
        clock = Clock(seconds, moves_to_go=1, timer=timer)
        with clock:
            timer.now += clock.seconds() + late
        assert clock.remaining > 0


def test_the_overhead_is_learned_within_periods():
    timer = Timer()
    clock = Clock(10, moves_to_go=10, timer=timer)
    assert periods(clock, timer, moves=10, seconds=10, count=8, reports="each", overhead=lambda: 0.03) > 0.95
    clock = Clock(2, moves_to_go=10, overhead=0.1, timer=timer)  # half of the time, before it knows better
    clock.set(2, 10)
    assert clock.seconds() < 0.11
    assert periods(clock, timer, moves=10, seconds=2, count=8, reports="each", overhead=lambda: 0.001) > 0.85


def test_reports_of_new_time_teach_nothing():
    for first, second in [((60, None), (70, None)), ((60, 10), (60, 10)), ((60, 1), (50, None)), ((60, 1), (50, 1))]:
        timer = Timer()
        clock = Clock(60, overhead=0.02, timer=timer)
        clock.set(*first)
        for _ in range(60):
            with clock:
                timer.now += 0.5
            clock.set(*second)
            clock.set(*first)
        assert clock.seconds() == Clock(first[0], moves_to_go=first[1], overhead=0.02, moves_made=60).seconds()


def test_the_overhead_is_learned_where_the_moves_to_go_are_always_the_same():
    timer, left = Timer(), 10.0
    clock = Clock(10, moves_to_go=20, timer=timer)
    for _ in range(70):
        clock.set(left, 20)
        with clock:
            seconds = clock.seconds()
            timer.now += seconds
        left -= seconds + 0.03
        assert left > 0.0


def test_reports_in_whole_seconds_are_learned_from():
    timer, left = Timer(), 60.0
    clock = Clock(60, overhead=0.3, timer=timer)
    for _ in range(40):
        clock.set(math.ceil(left))
        with clock:
            timer.now += 0.7
        left -= 0.7
    clock.set(60)
    assert clock.seconds() > Clock(60, overhead=0.3, moves_made=40).seconds()


def test_the_given_overhead_is_kept_free_for_the_move_to_make():
    timer = Timer()
    clock = Clock(60, moves_to_go=60, overhead=0.2, timer=timer)
    for move in range(59):
        clock.set(60 - move, 60 - move)
        with clock:
            timer.now += 1
    clock.set(1, 1)
    assert 0.79 < clock.seconds() <= 0.8


@pytest.mark.parametrize("left", [0.0065, 0.008, 0.01, 0.012, 0.02])
def test_the_overhead_is_kept_free_where_little_is_left(left):
    clock = Clock(left, moves_to_go=1, overhead=0.005)
    assert max(LEAST, left - 0.0085) <= clock.seconds() <= left - 0.0052


def test_time_is_shared_out_evenly_over_a_period():
    assert Clock(60, moves_to_go=1, overhead=0.0).seconds() == pytest.approx(59.85)
    assert Clock(0.3, moves_to_go=1, overhead=0.0).seconds() == pytest.approx(0.27)
    assert Clock(60, moves_to_go=10, overhead=0.0).seconds() == pytest.approx(6, abs=0.02)
    assert Clock(60, moves_to_go=10, overhead=0.5).seconds() == pytest.approx(5.5, abs=0.02)
    assert Clock(60, 1.0, moves_to_go=11, overhead=0.0).seconds() == pytest.approx(70 / 11, abs=0.02)
    # half at most while other moves follow, with an increment that would allow more
    assert Clock(1, 100, moves_to_go=5, overhead=0.0).seconds() == 0.5


def test_the_first_moves_of_a_game_get_most():
    timer = Timer()
    for state in (None, mc.Gomoku(), mc.ConnectFour(), Noughts()):
        clock = Clock(3, overhead=0, timer=timer)
        for _ in range(8):
            with clock:
                timer.now += clock.seconds(state)
        assert 0.02 < clock.remaining < (0.25 if isinstance(state, mc.ConnectFour) else 0.4) * 3, state
    assert Clock(60, expected_moves=60, overhead=0).seconds() == pytest.approx(2, abs=0.05)
    assert Clock(60, expected_moves=60, moves_made=30).seconds() == pytest.approx(4, abs=0.1)


def test_the_position_tells_how_much_is_to_come():
    clock = Clock(60, overhead=0.0)
    assert clock.seconds(mc.ConnectFour(9, 8)) < clock.seconds(mc.ConnectFour()) < clock.seconds(
        mc.ConnectFour.from_moves("44455", base=1))
    last = mc.MNK.from_string("XOX\nXOO\nOX.", m=3, n=3, k=3)
    assert clock.seconds(last) == pytest.approx(59.85)
    late = Clock(60, overhead=0.0, moves_made=50)
    assert late.seconds(mc.Gomoku()) < clock.seconds(mc.Gomoku()) / 3  # a long game goes on


class Steps:
    """A position of a game of ``left`` moves; each costs ``cost`` seconds of ``timer``."""

    def __init__(self, left, to_move=1, timer=None, cost=0.0):
        self.left, self.to_move, self.timer, self.cost = left, to_move, timer, cost

    def legal_moves(self):
        return iter("abcde")

    def play(self, move):
        if self.timer is not None:
            self.timer.now += self.cost
        return type(self)(self.left - 1, -self.to_move, self.timer, self.cost)

    def winner(self):
        return None if self.left else 0


@pytest.mark.parametrize("moves", [3, 10, 40, 200])
@pytest.mark.parametrize("share", [0.5, 0.52, 0.95], ids=["alike", "close", "sure"])
def test_a_game_of_unknown_length_is_divided_evenly(moves, share):
    timer, left, used = Timer(), 2 * moves, []
    clock, engine = Clock(moves, timer=timer), Engine(timer, lambda now: "a", share)
    for _ in range(moves):
        before = clock.remaining
        clock.search(engine, Steps(left))
        used.append(before - clock.remaining)
        left -= 2
    usual = sorted(used)[moves // 2]
    assert 0.0 < clock.remaining < (0.2 if moves > 3 else 0.5) * moves
    assert usual / 3 <= min(used[:-1]) and max(used) <= 4 * usual


def test_random_games_take_little_of_the_time(monkeypatch):
    """A move takes 5 ms, and a random game of 40 moves a fifth of a second."""
    timer = Timer()
    monkeypatch.setattr(length, "perf_counter", timer)
    clock, probes, left = Clock(20, timer=timer), 0.0, 40
    for _ in range(20):
        with clock:
            begin = timer.now
            seconds = clock.seconds(Steps(left, 1, timer, 0.005))
            probes += timer.now - begin
            timer.now += seconds
        left -= 2
    assert 0.19 < probes < 0.05 * 20 and 0.0 < clock.remaining < 4


class Broken(Steps):
    def legal_moves(self):
        raise ValueError


class Endless(Steps):
    def winner(self):
        return None


@pytest.mark.parametrize("state", [Broken(10), Endless(10), Steps(10, 1, None), mc.TicTacToe()])
def test_a_game_without_a_known_length_has_a_plan(state):
    clock = Clock(60, overhead=0.0)
    assert 1 <= clock.seconds(state) <= 30
    assert Clock(0, overhead=0.0).seconds(state) == LEAST


def test_expected_moves_leave_time_for_the_last_ones():
    timer, used = Timer(), []
    clock = Clock(60, expected_moves=60, overhead=0, timer=timer)
    for _ in range(60):
        with clock:
            used.append(clock.seconds())
            timer.now += used[-1]
    assert min(used[:-1]) > 0.2 * max(used) and clock.remaining < 3


def test_what_later_moves_cost_is_laid_aside():
    assert Clock(3, overhead=0.02).seconds(mc.Gomoku()) < 0.5 * Clock(3, overhead=0.0).seconds(mc.Gomoku())
    assert Clock(3, overhead=0.05).seconds(mc.Gomoku()) == LEAST  # 113 moves cost more than there is
    timer = Timer()
    clock = Clock(10, timer=timer)
    before = clock.seconds(mc.Gomoku())
    for _ in range(3):  # the server tells that a move costs 40 ms which nobody sees here
        clock.set(10)
        with clock:
            timer.now += 1.0
        clock.set(8.96)
    clock.set(10)
    assert clock.seconds(mc.Gomoku()) < 0.6 * before


def test_a_move_is_due_when_nothing_is_left():
    for clock in (Clock(0), Clock(0.001), Clock(0.0, moves_to_go=1)):
        assert clock.seconds() == LEAST
        assert clock.seconds(mc.ConnectFour()) == LEAST
    assert mc.search(mc.TicTacToe(), Clock(0).seconds()) in range(9)


class Engine:
    """A model of a Searcher: time passes, and the visits are those of a script."""

    def __init__(self, timer, choices, share):
        self.timer, self.choices, self.share, self.calls = timer, choices, share, []
        self.stopped = False

    def stop(self):
        self.stopped = True

    def search(self, state, seconds, progress=None, every=None):
        self.calls.append(seconds)
        begin, self.stopped = self.timer.now, False
        for look in range(1, int(seconds / every) if progress else 0):
            now = look * every
            self.timer.now = begin + now
            best = self.choices(now / seconds)
            progress(SimpleNamespace(seconds=now, iterations=1000 * now, move=best, moves=[
                SimpleNamespace(move=move, visits=1000 * now * (self.share if move == best else 1 - self.share),
                                proven=None) for move in "ab"]))
            if self.stopped:
                return best
        self.timer.now = begin + seconds
        return self.choices(1.0)


@pytest.mark.parametrize("choices, share, least, most", [
    (lambda now: "a", 0.95, 0.5, 0.7),                            # sure
    (lambda now: "a", 0.60, 1.0, 1.4),                            # settled
    (lambda now: "a", 0.52, 1.8, 2.01),                           # two moves alike
])
def test_sure_moves_take_less_and_open_ones_more(choices, share, least, most):
    timer = Timer()
    clock = Clock(100, timer=timer, expected_moves=40, overhead=0.0)
    planned = clock.seconds()
    engine = Engine(timer, choices, share)
    assert clock.search(engine, None) == choices(1.0)
    assert least * planned <= 100 - clock.remaining <= most * planned
    assert not clock.running


def test_short_searches_are_not_watched_and_a_block_keeps_its_time():
    timer = Timer()
    engine = Engine(timer, lambda now: "a", 0.9)
    clock = Clock(0.1, overhead=0.0, timer=timer)
    planned = clock.seconds()
    assert clock.search(engine, None) == "a"
    assert engine.calls == [planned] and 0.01 < planned < 0.02
    clock = Clock(10, timer=timer)
    with clock:
        clock.search(engine, None)
        assert clock.running
    assert not clock.running and clock.remaining < 9


def test_the_clock_stops_when_a_search_fails():
    clock = Clock(10)
    with pytest.raises(mc.InvalidState):
        clock.search(mc.Searcher(), 5)
    assert not clock.running


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("options", [
    {}, {"threads": 2}, {"solver": False}, pytest.param({"seed": 1}, marks=pytest.mark.slow)])
def test_whole_games_on_a_clock(options):
    state, clocks = mc.ConnectFour(), {player: Clock(0.75) for player in (1, -1)}
    engines = {player: mc.Searcher(memory_mb=64, **options) for player in (1, -1)}
    while state.winner() is None:
        state = state.play(clocks[state.to_move].search(engines[state.to_move], state))
    # where proofs end the game, little time is needed
    most = 0.5 if options.get("solver") is False else 0.75
    assert all(0 < clock.remaining < most for clock in clocks.values())


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
        assert clock.remaining == 0.0 and clock.seconds() == LEAST
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


def test_the_real_time():
    clock = Clock(100)
    with clock:
        mc.search(mc.ConnectFour(), 0.02, book=False)
    assert 90 < clock.remaining <= 99.98


@pytest.mark.parametrize("bad", [-1, -1e-9, math.nan, math.inf, "5", bytearray(b"5"), None, True, [], 1e10,
                                 10**400])
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
    with pytest.raises(mc.InvalidOption, match=r"engine must be a Searcher, got TicTacToe.*it comes before the state"):
        Clock(1).search(mc.TicTacToe(), mc.Searcher())
    with pytest.raises(mc.InvalidOption, match="timer must be a function"):
        Clock(1, timer=5)
    with pytest.raises(mc.InvalidOption, match="expected_moves must be an int"):
        Clock(1, expected_moves=0)
    with pytest.raises(mc.InvalidOption, match="moves_made must be an int from 0"):
        Clock(1, moves_made=-1)
    for state in (7, [], mc.ConnectFour):
        with pytest.raises(mc.InvalidState, match="a state must"):
            Clock(1).seconds(state)


def test_repr_and_export():
    assert mc.Clock is Clock
    assert repr(Clock(10, 2, 3)) == "Clock(remaining=10.000, increment=2, moves_to_go=3, overhead=0.001)"
