"""mcts_core/text_tables.py: tables that fit into the columns of a terminal."""

import itertools

import pytest

from mcts_core.text_tables import columns, course, cut, ellipsis, fit_table, fitting, plain_table, printable

HEADINGS = ["move", "visits", "wins", "value"]
ROWS = [["sell two sheep for one brick", "1,000", "600.0", "0.600"], ["羊を売る羊を売る", "20", "4.0", "0.200"],
        ["", "0", "0.0", "-"]]


@pytest.mark.parametrize(("text", "width"), [
    ("", 0), ("abc", 3), ("羊a", 3), ("e\N{COMBINING ACUTE ACCENT}", 1), ("…", 1), ("█", 1)])
def test_columns_are_counted_as_a_terminal_does(text, width):
    assert columns(text) == width


@pytest.mark.parametrize(("text", "room", "mark", "shown"), [
    ("abcdef", 6, "…", "abcdef"), ("abcdef", 5, "…", "abcd…"), ("abcdef", 5, "...", "ab..."), ("abcdef", 1, "…", "…"),
    ("abcdef", 2, "...", ".."), ("abcdef", 0, "…", ""), ("羊を売る", 8, "…", "羊を売る"),
    ("羊を売る", 7, "…", "羊を売…"), ("羊 を", 4, "…", "羊…"),
    ("羊を売る", 6, "…", "羊を…"), ("羊を売る", 2, "…", "…")])
def test_a_text_is_cut_with_a_mark_at_its_end(text, room, mark, shown):
    assert cut(text, room, mark) == shown
    assert columns(shown) <= room


def test_values_are_drawn_as_heights():
    assert course([0.0, 0.124, 0.126, 0.5, 0.99, 1.0]) == "▁▁▂▅██"
    assert fitting(course([0.0, 0.5, 1.0]), "ascii") == "_=#"


def test_what_moves_the_cursor_is_replaced():
    assert printable("a\nb\tc\x1b[2J\r\N{RIGHT-TO-LEFT OVERRIDE}") == "a b c?[2J ?"
    assert printable("ein Zug, 羊") == "ein Zug, 羊"


@pytest.mark.parametrize(("encoding", "mark", "shown"), [("utf-8", "…", "羊 –"), ("ascii", "...", "\\u7f8a -"),
                                                        ("cp1252", "…", "\\u7f8a -")])
def test_texts_fit_the_encoding(encoding, mark, shown):
    assert ellipsis(encoding) == mark and fitting("羊 –", encoding) == shown


@pytest.mark.parametrize(("room", "spare", "left", "name"), [
    (None, ["wins"], HEADINGS, "sell two sheep for one brick"),
    (50, ["wins"], HEADINGS, "sell two sheep for one brick"), (49, ["wins"], HEADINGS, "sell two sheep for one bri…"),
    (32, ["wins"], HEADINGS, "sell two…"), (31, ["wins"], ["move", "visits", "value"], "sell two sheep…"),
    (25, ["wins"], ["move", "visits", "value"], "sell two…"),
])
def test_names_are_cut_first_and_then_spare_columns_are_left_out(room, spare, left, name):
    found = fit_table(HEADINGS, ROWS, room, "utf-8", spare)
    assert found[0] == left and found[1][0] == name
    lines = list(plain_table(HEADINGS, ROWS, room, "utf-8", spare))
    assert len({columns(line) for line in lines[:3]}) == 1
    assert room is None or columns(lines[0]) <= room


def test_what_fits_nowhere_stands_one_below_the_other():
    assert fit_table(HEADINGS, ROWS, 24, "utf-8", ["wins"]) is None
    lines = list(plain_table(HEADINGS, ROWS, 24, "utf-8", ["wins"]))
    assert lines[:5] == ["move: sell two sheep for one brick", "visits: 1,000", "wins: 600.0", "value: 0.600", ""]


def test_numbers_are_whole_at_every_width():
    numbers = set(itertools.chain(*(row[1:2] + row[3:] for row in ROWS)))
    for room in range(1, 80):
        assert numbers <= set(" ".join(plain_table(HEADINGS, ROWS, room, "ascii", ["wins"])).replace(":", " ").split())
