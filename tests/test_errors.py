"""src/mcts_core/errors.pyx: the exceptions."""

import pickle

import pytest

import mcts_core as mc


@pytest.mark.parametrize(("error", "base"), [
    (mc.IllegalMove, ValueError), (mc.GameOver, ValueError), (mc.InvalidState, ValueError),
    (mc.InvalidOption, ValueError), (mc.InvalidFile, ValueError), (mc.InvalidCell, IndexError),
    (mc.InvalidCell, ValueError), (mc.SearchBusy, RuntimeError),
    (mc.GameError, RuntimeError), (mc.NoSearch, RuntimeError), (mc.EvaluatorError, RuntimeError),
    (mc.WorkersLost, RuntimeError), (mc.OutOfTime, mc.GameError)])
def test_hierarchy(error, base):
    assert issubclass(error, base) and error.__doc__
    again = pickle.loads(pickle.dumps(error("text")))
    assert type(again) is error and again.args == ("text",)
