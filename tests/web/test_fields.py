import pytest

from mcts_core.web import fields
from mcts_core.web.refusals import Refused


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"1", b"null", b'"text"', b"\xff{}", b'{"a": NaN}', b'{"a": -Infinity}', b"[" * 4000,
    b'{"a": 1} x',
])
def test_a_body_that_is_no_object_is_refused(body):
    with pytest.raises(Refused, match="the body must be a JSON object") as error:
        fields.parse_object(body)
    assert error.value.status == 400 and len(str(error.value)) < 200


def test_an_object_is_read():
    assert fields.parse_object('{"a": [1, "ü"]}'.encode()) == {"a": [1, "ü"]}


def test_unknown_names_are_refused():
    fields.check_names({"a": 1}, "a", "b")
    with pytest.raises(Refused, match="a field must be one of a, b, got 'c'"):
        fields.check_names({"c": 1}, "a", "b")
    with pytest.raises(Refused, match="a field must be absent, got 'c'"):
        fields.check_names({"c": 1})


@pytest.mark.parametrize("value", [True, 1.0, "1", None, [1], -1, 10, 10**400])
def test_whole_numbers(value):
    assert fields.whole({"n": 9}, "n", 0, 9) == 9 and fields.whole({}, "n", 0, 9, 3) == 3
    with pytest.raises(Refused, match="n must be a whole number from 0 to 9, got "):
        fields.whole({"n": value}, "n", 0, 9)


@pytest.mark.parametrize("value", [True, "1", None, {}, -1, 0.09, 2.1, float("nan"), float("inf"), 10**400])
def test_numbers(value):
    assert fields.real({"s": 2}, "s", 0.1, 2, 1) == 2.0 and fields.real({}, "s", 0.1, 2, 1) == 1.0
    with pytest.raises(Refused, match="s must be a number from 0.1 to 2, got "):
        fields.real({"s": value}, "s", 0.1, 2, 1)


@pytest.mark.parametrize("value", [True, 1, None, [], {}, "third", ""])
def test_choices(value):
    assert fields.choice({}, "side", ("first", "second"), "second") == "second"
    with pytest.raises(Refused, match="side must be first or second, got "):
        fields.choice({"side": value}, "side", ("first", "second"), "first")


@pytest.mark.parametrize("value", [1, 0, None, "true", []])
def test_flags(value):
    assert fields.flag({"f": True}, "f") and not fields.flag({"f": False}, "f") and not fields.flag({}, "f")
    with pytest.raises(Refused, match="f must be true or false, got ") as error:
        fields.flag({"f": value}, "f")
    assert error.value.field == "f"


@pytest.mark.parametrize("value", ["ab", [1], ["a", None], {"a": 1}, ["a"] * 4, 0])
def test_lists_of_texts(value):
    assert fields.words({"w": ["a", "b"]}, "w", 3) == ["a", "b"] and fields.words({}, "w", 3) == []
    with pytest.raises(Refused, match="w must be a list of at most 3 texts, got ") as error:
        fields.words({"w": value}, "w", 3)
    assert error.value.field == "w"


@pytest.mark.parametrize("value", [1, True, ["a"], {}])
def test_texts(value):
    assert fields.text({"t": "a"}, "t") == "a" and fields.text({}, "t") is None
    with pytest.raises(Refused, match="t must be a text, got ") as error:
        fields.text({"t": value}, "t")
    assert error.value.field == "t"
