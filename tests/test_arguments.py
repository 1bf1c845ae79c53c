"""The checks of numbers and paths, and values in messages."""

from fractions import Fraction
from pathlib import Path

import pytest

from mcts_core.arguments import as_duration, as_int, as_number, as_path, shorten
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


def test_as_number():
    given = (0, 0.5, 1e9, Fraction(1, 4), Index())
    assert [as_number(value, "n", 0.0, 1e9) for value in given] == [0.0, 0.5, 1e9, 0.25, 3.0]
    assert type(as_number(3, "n", 0, 5)) is float
    assert as_duration(2) == 2.0


@pytest.mark.parametrize("value, words", [
    (True, "n must be a number, got True"), ("1", "n must be a number, got '1'"), (None, "got None"),
    (float("nan"), "n must be a finite number from 0 to 1e9, got nan"), (float("inf"), "from 0 to 1e9, got inf"),
    (-0.5, "from 0 to 1e9, got -0.5"), (10**400, "n must be a number"), (b"1", "n must be a number, got b'1'"),
    (bytearray(b"1"), "n must be a number, got bytearray(b'1')"), (memoryview(b"1"), "n must be a number"),
    (1j, "n must be a number, got 1j"), ([1.0], "n must be a number, got [1.0]")])
def test_as_number_says_what_was_expected(value, words):
    with pytest.raises(InvalidOption) as caught:
        as_number(value, "n", 0.0, 1e9)
    assert words in str(caught.value)


def test_a_duration_is_above_0():
    with pytest.raises(InvalidOption, match=r"^seconds must be a finite number above 0 and at most 1e9, got 0$"):
        as_duration(0)


class ArrayBool:
    """What NumPy and PyTorch have as an element of an array of bools."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __index__(self):
        return 1

    def __float__(self):
        return 1.0


@pytest.mark.parametrize("dtype", ["bool", "torch.bool"])
def test_no_bool_of_an_array_is_a_number(dtype):
    for check in (as_int, as_number):
        assert check(ArrayBool("int64"), "n", 0, 5) == 1
        with pytest.raises(InvalidOption, match="n must be a"):
            check(ArrayBool(dtype), "n", 0, 5)


def test_no_bool_of_numpy_is_a_number():
    numpy = pytest.importorskip("numpy")
    assert as_duration(numpy.float32(2)) == 2.0 and as_int(numpy.int8(3), "n", 0, 5) == 3
    with pytest.raises(InvalidOption, match="seconds must be a number, got"):
        as_duration(numpy.True_)
    with pytest.raises(InvalidOption, match="n must be an int from 0 to 5, got"):
        as_int(numpy.True_, "n", 0, 5)


def test_as_path():
    assert [as_path(value, "file") for value in ("a", b"a", Path("a"), "")] == ["a", b"a", "a", ""]
    for value in (None, 3, ["a"], bytearray(b"a"), Rude()):
        with pytest.raises(InvalidOption) as caught:
            as_path(value, "file")
        assert str(caught.value) == f"file must be a str or a path, got {shorten(value)}"
    for value in ("a\0", b"a\0"):
        with pytest.raises(InvalidOption) as caught:
            as_path(value, "file")
        assert str(caught.value) == f"file must have no null characters, got {shorten(value)}"
