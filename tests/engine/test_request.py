"""src/engine/request.pyx: what is asked of a search, as one object."""

import pytest

import mcts_core as mc
from mcts_core.engine.request import ANY, BELOW, NEVER, SearchRequest
from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import TwoPlayerSettings

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
