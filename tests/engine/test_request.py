"""src/mcts_core/engine/request.pyx: what is asked of a search, as one object."""

import pytest

import mcts_core as mc
from mcts_core.engine.request import ANY, BELOW, MOST_ITERATIONS, NEVER, Requests, SearchRequest, seed_of
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import GeneralSettings, TwoPlayerSettings, kind_of
from mcts_core.errors import InvalidOption

SETTINGS = TwoPlayerSettings(guided=False, exploration=0.7, rollouts_per_leaf=1, by_value=False)


def test_what_is_not_given_is_not_asked_for():
    request = SearchRequest(mc.TicTacToe(), SETTINGS)
    assert (request.seconds, request.iterations, request.stop_early, request.reuse) == (0.0, 0, False, NEVER)
    assert request.progress is request.halt is None
    assert NEVER < BELOW < ANY


def test_a_changed_copy_leaves_the_request_as_it_is():
    request = SearchRequest(mc.TicTacToe(), SETTINGS, iterations=10, seed=3, reuse=BELOW)
    other = request.replace(iterations=20, reuse=ANY)
    assert (request.iterations, request.reuse) == (10, BELOW) and (other.iterations, other.reuse) == (20, ANY)
    assert (other.state, other.settings, other.seed) == (request.state, SETTINGS, 3)


def test_what_cannot_be_asked():
    with pytest.raises(TypeError):
        SearchRequest(mc.TicTacToe(), None)
    with pytest.raises(TypeError):
        SearchRequest(mc.TicTacToe(), {"exploration": 0.7})
    with pytest.raises(OverflowError):
        SearchRequest(mc.TicTacToe(), SETTINGS, iterations=-1)
    with pytest.raises(AttributeError):
        SearchRequest(mc.TicTacToe(), SETTINGS).replace(rounds=3)


def test_one_request_is_the_same_search_again():
    core, request = TwoPlayerCore(2**24), SearchRequest(mc.TicTacToe(), SETTINGS, iterations=500, seed=3)
    first = core.search(request), core.figures()["moves"]
    assert (core.search(request), core.figures()["moves"]) == first


class Asked:
    """Options that say for what states they were asked."""

    def __init__(self):
        self.states = []

    def general_kind(self, state):
        return "hidden"

    def settings(self, state):
        self.states.append(state)
        return GeneralSettings() if isinstance(state, mc.ConnectFour) else SETTINGS


def requests(asked=None, **changes):
    """Those of a Searcher without options, which has searched tic-tac-toe."""
    options = {"served": TwoPlayerSettings, "seed": None, "stop_early": None, "early_in_time": True, "reuse": True,
               "by_halving": False, "evaluates": False, **changes}
    found = Requests(asked or Asked(), **options)
    found.settings[kind_of(mc.TicTacToe())] = SETTINGS
    return found


def test_requests_know_the_settings_of_a_kind_of_state():
    asked, state, other, users = Asked(), mc.TicTacToe(), mc.ConnectFour(), object()
    known = requests(asked)
    request = known.make(state, 2.5, None, 10, 7)
    assert (request.state, request.settings, request.begin, request.seed) == (state, SETTINGS, 2.5, 7)
    assert asked.states == []
    made = [known.make(each, 0.0, None, 10, 7) for each in (other, users, other, users)]
    assert asked.states == [other, users]  # each kind once
    assert made[0].settings is made[2].settings is known.settings[kind_of(other)] is not SETTINGS
    evaluating = requests(asked, evaluates=True)
    assert [evaluating.make(each, 0.0, None, 10, 7).settings for each in (state, users)] == [SETTINGS] * 2
    assert asked.states == [other, users, state] and evaluating.settings["hidden"] is SETTINGS


def test_the_core_is_made_to_fit_where_it_is_for_another_kind_of_search():
    class Core:
        fitted = []

        def _fit_core(self, settings):
            self.fitted.append(settings)

    known, core = requests(), Core()
    known.make(mc.TicTacToe(), 0.0, None, 10, 7, core)
    assert core.fitted == []
    found = known.make(mc.ConnectFour(), 0.0, None, 10, 7, core).settings
    assert core.fitted == [found] and type(found) is GeneralSettings


def test_settings_that_cannot_be_made_are_asked_for_again():
    class Refusing(Asked):
        def settings(self, state):
            raise InvalidOption(f"not for {state!r}")

    known = requests(Refusing())
    for _ in range(2):
        with pytest.raises(InvalidOption, match="not for"):
            known.make(mc.ConnectFour(), 0.0, None, 10, 7)
    assert len(known.settings) == 1


@pytest.mark.parametrize("seconds, iterations, expected", [
    (None, None, (1.0, 0)), (0.5, None, (0.5, 0)), (None, 3, (0.0, 3)), (2, 3, (2.0, 3))])
def test_limits_of_a_request(seconds, iterations, expected):
    request = requests().make(mc.TicTacToe(), 0.0, seconds, iterations, 1)
    assert (request.seconds, request.iterations) == expected
    assert request.stop_early == (iterations is None)
    for chosen in (True, False):
        assert requests(stop_early=chosen).make(mc.TicTacToe(), 0.0, seconds, iterations, 1).stop_early == chosen
    assert not requests(early_in_time=False).make(mc.TicTacToe(), 0.0, seconds, iterations, 1).stop_early


def test_a_seed_begins_the_same_position_anew():
    found = [requests(seed=seed, reuse=reuse).make(mc.TicTacToe(), 0.0, None, 1, 1).reuse
             for seed in (None, 5) for reuse in (True, False)]
    assert found == [ANY, NEVER, BELOW, NEVER]


@pytest.mark.parametrize("seconds, iterations, words", [
    (0.0, None, "seconds must be a finite number above 0"), ("1", None, "seconds must be a number"),
    (None, 0, "iterations must be an int from 1"), (None, MOST_ITERATIONS + 1, f"to {MOST_ITERATIONS}, got"),
    (1.0, 2.0, "iterations must be an int")])
def test_limits_that_no_search_has(seconds, iterations, words):
    with pytest.raises(InvalidOption, match=words):
        requests().make(mc.TicTacToe(), 0.0, seconds, iterations, 1)


def test_sequential_halving_needs_iterations_alone():
    halving = requests(by_halving=True)
    request = halving.make(mc.TicTacToe(), 0.0, None, 50, 1)
    assert (request.iterations, request.reuse) == (50, NEVER)
    for seconds, iterations in ((None, None), (1.0, None), (1.0, 50)):
        with pytest.raises(InvalidOption, match="give iterations, no seconds"):
            halving.make(mc.TicTacToe(), 0.0, seconds, iterations, 1)


def test_a_request_without_a_seed_takes_the_next_one_when_it_begins():
    core, known = TwoPlayerCore(2**24), requests(seed=5)
    made = [known.make(mc.TicTacToe(), 0.0, None, 10, None) for _ in range(3)]
    assert all(request.series is known for request in made) and known.searches == 0
    other, alone = made[0].replace(iterations=20), made[0].replace(seed=9)
    assert other.series is known and (alone.series, alone.seed) == (None, 9)
    for request in (made[2], alone, made[0], other, made[1]):
        core.search(request)
    assert (made[2].seed, alone.seed) == (5, 9) and known.searches == 4
    assert [made[0].seed, other.seed, made[1].seed] == [seed_of(5, number) for number in (1, 2, 3)]
    assert known.make(mc.TicTacToe(), 0.0, None, 10, 7).series is None
