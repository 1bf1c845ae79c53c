"""Games of the user's native functions and numpy: arrays as positions, evaluators and observations."""

import ctypes
import struct

import numpy
import pytest
from callback_game import (
    PLAY,
    ROLLOUT,
    TO_MOVE,
    nim,
    word,
)

import mcts_core as mc


def test_numpy_arrays_are_buffers():
    game = nim()
    array = numpy.arange(8, dtype=numpy.int32)
    assert game.state(array[7:]).data == struct.pack("i", 7)
    with pytest.raises(mc.InvalidState, match=r"must have 4 bytes \(state_size\), got 8"):
        game.state(array[1:3])
    wide = numpy.zeros((2, 2), numpy.int16)[:, 0]
    with pytest.raises(mc.InvalidState, match="contiguous array of 4 bytes"):
        game.state(wide)


def observed(**changes):
    """Nim that shows its stones, in a plane of two cells."""
    def observe(context, state, planes):
        floats = ctypes.cast(planes, ctypes.POINTER(ctypes.c_float))
        floats[0], floats[1] = word(state)[0], word(state)[0] % 4
        return -3 if word(state)[0] == 77 else 0

    return nim(**{"observe": ROLLOUT(observe), "shape": (1, 1, 2), **changes})


@pytest.mark.parametrize("max_moves", [4, 9])
def test_an_evaluator_searches_it(max_moves):
    state = observed(stones=9, max_moves=max_moves).state()
    assert state.observation().tolist() == [[[9, 1]]] and state.actions == max_moves
    seen = []

    def evaluate(observations):
        seen.append(observations.shape)
        return None, [-1.0 if row[0][0][1] == 0 else 1.0 for row in observations]

    engine = mc.Searcher(evaluator=evaluate, seed=1)
    assert engine.search(state, iterations=200) == 1
    assert seen[0][1:] == (1, 1, 2) and engine.stats().value > 0.8
    assert mc.check_game(state, 20).ok


def test_a_policy_of_positions_needs_no_observations():
    move = mc.search(nim(7).state(), iterations=200, seed=1, policy_value=lambda state: (None, 0.0))
    assert move in (1, 2, 3)


def test_evaluators_of_games_that_show_nothing():
    with pytest.raises(mc.InvalidState, match="has no observe"):
        mc.search(nim().state(), iterations=10, evaluator=lambda observations: (None, [0.0]))
    with pytest.raises(mc.InvalidState, match="has no observations"):
        nim().state().observation()
    assert nim().state().actions is None


@pytest.mark.parametrize("changes, words", [
    ({"shape": None}, r"shape must be the \(planes, rows, columns\) that observe writes, got None"),
    ({"shape": (1, 2)}, "shape must be"), ({"shape": 3}, "shape must be"),
    ({"shape": (1, 0, 2)}, "rows of the shape must be an int from 1"),
    ({"shape": (4096, 4096, 2)}, "shape must have at most 16777216 numbers"),
    ({"observe": None}, "observe must be a native function"),
    ({"observe": PLAY(lambda *_: 0)}, r"observe must be a function int32_t \(void \*context, const void \*state, fl"),
    ({"to_move": TO_MOVE(lambda *_: 1)}, "observe is for games whose players alternate"),
])
def test_bad_observations(changes, words):
    with pytest.raises(mc.InvalidOption, match=words):
        observed(**changes)


def test_observations_that_fail():
    with pytest.raises(mc.InvalidState, match="must return 0, returned -3 for this position"):
        observed(stones=77).state().observation()
    with pytest.raises(mc.GameError, match=r"play\(\) returned 9; it must return 0"):
        broken = observed(play=lambda context, state, move: 9)
        mc.search(broken.state(), iterations=50, evaluator=lambda observations: (None, [0.0] * len(observations)))
