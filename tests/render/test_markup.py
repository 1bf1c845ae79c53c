"""mcts_core/render/markup.py: text that is safe, colours, figures in words."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mcts_core as mc
from mcts_core.move_names import Names
from mcts_core.render.markup import (
    check_theme,
    check_value,
    clean,
    escape,
    label,
    number,
    percent,
    value_colour,
)
from mcts_core.words import proof


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(st.characters(codec=None)))
@example("<script>alert('\"&')</script>")
@example("\x00\x1b[31m\ud800\ufffe]]>")
def test_any_text_survives_xml(text):
    read = ET.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert len(read) == 0 and set(read.attrib) == {"b"}
    plain = clean(text)
    assert read.text in (plain.replace("\r\n", "\n").replace("\r", "\n"), None) and len(plain) == len(text)
    assert all(new == old or new == "\ufffd" for new, old in zip(plain, text, strict=True))


def test_what_is_escaped():
    assert escape("<a b='c' d=\"e\"> & é 中") == "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt; &amp; é 中"
    assert clean("a\x00b\ud800c\uffffd\te\nf\U0001f600") == "a\ufffdb\ufffdc\ufffdd\te\nf\U0001f600"


def test_labels_are_short_lines():
    none = Names(None)

    class Bad:
        def __str__(self):
            raise RuntimeError("no text")

        __repr__ = __str__

    assert label(("a", 1), none) == "('a', 1)" and label("two\n lines\t", none) == "two lines"
    assert label("x" * 81, none) == "x" * 79 + "…" and label("x" * 80, none) == "x" * 80
    assert label(Bad(), none) == "<Bad whose repr raised RuntimeError>"


def test_numbers():
    assert [number(value) for value in (0, -0.0, -0.001, 1.005, 10, 0.5, -2.25, 100.0, 1e6)] == [
        "0", "0", "0", "1", "10", "0.5", "-2.25", "100", "1000000"]


def test_percent():
    assert [percent(share) for share in (0, 0.001, 0.0099, 0.01, 0.5, 0.984, 0.99, 0.991, 0.9999, 1)] == [
        "0 %", "<1 %", "<1 %", "1 %", "50 %", "98 %", "99 %", ">99 %", ">99 %", "100 %"]


def luminance(colour):
    parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("value", [0, 0.25, 0.5, 0.75, 1])
def test_white_text_is_readable_on_the_colours_of_values(value):
    assert 1.05 / (luminance(value_colour(value)) + 0.05) >= 4.5  # WCAG 2.1, 1.4.3
    assert value_colour(0) != value_colour(1)


def test_proofs_in_words():
    entry = mc.MoveStats(move=0, visits=1, wins=1.0, value=1.0)
    assert proof(entry) == ""
    assert proof(mc.MoveStats(0, 1, 1.0, 1.0, "win", 3)) == "win within 3"
    assert proof(mc.MoveStats(0, 1, 1.0, 1.0, "draw")) == "draw"


def test_checks():
    assert check_value(1) == 1.0 and check_theme("dark") == "dark"
    for value in (-0.1, 1.1, float("nan"), "1", None):
        with pytest.raises(mc.InvalidOption, match="a value must be a number from 0 to 1"):
            check_value(value)
    for theme in ("Dark", None, []):
        with pytest.raises(mc.InvalidOption, match="theme must be 'auto', 'light', 'dark'"):
            check_theme(theme)
