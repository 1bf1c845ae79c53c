"""The checks of numbers, and values in messages."""

import pytest

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import InvalidOption, InvalidState


class Index:
    def __index__(self):
        return 3


class Rude:
    def __repr__(self):
        raise RuntimeError("no")


def test_shorten():
    assert shorten([1, "a"]) == "[1, 'a']"
    assert shorten("x" * 100) == "'" + "x" * 76 + "..."
    assert shorten("x" * 100, 10) == "'xxxxxx..."
    assert shorten(Rude()) == "<Rude whose repr raised RuntimeError>"


def test_one_int_alone():
    with pytest.raises(InvalidOption, match=r"^n must be 3, got 4$"):
        as_int(4, "n", 3, 3)
    assert as_int(3, "n", 3, 3) == 3


def test_as_int():
    assert [as_int(value, "n", 0, 5) for value in (0, 5, Index())] == [0, 5, 3]
    assert type(as_int(Index(), "n", 0, 5)) is int


@pytest.mark.parametrize("value", [-1, 6, 10**40, 2.0, "3", None, True, False, [], Rude()])
def test_as_int_says_what_was_expected_and_what_came(value):
    with pytest.raises(InvalidOption) as caught:
        as_int(value, "n", 0, 5)
    assert str(caught.value) == f"n must be an int from 0 to 5, got {shorten(value)}"
    with pytest.raises(InvalidState):
        as_int(value, "n", 0, 5, InvalidState)
