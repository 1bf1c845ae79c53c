"""Errors in compiled rules end a search, and name the line of the class."""

import inspect

import pytest
from hostile_classes import ERRORS, OutOfRange

import mcts_core as mc


def line_of(cls):
    """The last line of the class with what goes wrong."""
    lines, first = inspect.getsourcelines(cls)
    wanted = {"OutOfRange": "+ 9] = 1", "DivisionByZero": "7 //", "Raising": "raise"}.get(cls.__name__, "def ")
    return first + next(number for number, line in enumerate(lines) if wanted in line)


@pytest.mark.parametrize("cls", [
    pytest.param(cls, marks=() if cls is OutOfRange else pytest.mark.slow) for cls in ERRORS])
def test_an_error_that_no_random_game_meets_ends_the_search_and_names_the_line(cls):
    game = mc.compile(cls, cache=False)
    state = game.from_moves([1, 2, 3, 4])
    with pytest.raises(mc.GameError) as caught:
        if cls.__name__ == "Raising":
            mc.search(state, iterations=20_000, seed=1, preset="uct")
        else:
            state.play(5)
    assert ERRORS[cls].format(line=line_of(cls)) in str(caught.value)
    with pytest.raises(mc.GameError):
        mc.search(state, iterations=20_000, seed=1, preset="uct")
    assert mc.search(game.from_moves([8, 7, 6, 5, 4, 3, 2]), iterations=100, seed=1) in (0, 1)
