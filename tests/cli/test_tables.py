import dataclasses
import io
import re
import sys

import pytest

import mcts_core
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import PlainScreen, RichScreen, fold, make_screen, show_board, show_stats, side_by_side
from mcts_core.move_names import Names
from mcts_core.text_tables import columns
from mcts_core.words import expectation, proof

ESCAPE = re.compile("\x1b\\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def searched():
    engine = mcts_core.Searcher(seed=1, book=False)
    engine.search(mcts_core.ConnectFour(), iterations=500)
    return engine.stats()


@pytest.mark.parametrize("color, stream, expected", [
    ("auto", io.StringIO(), PlainScreen),
    ("auto", Terminal(), RichScreen),
    ("always", io.StringIO(), RichScreen),
    ("never", Terminal(), PlainScreen),
])
def test_rich_is_for_terminals_or_when_asked_for(monkeypatch, color, stream, expected):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert type(make_screen(color, stream)) is expected


def test_no_color_in_the_environment_is_obeyed(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert type(make_screen("auto", Terminal())) is PlainScreen


def test_a_dumb_terminal_has_no_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert type(make_screen("auto", Terminal())) is PlainScreen


def test_lines_are_folded_on_narrow_terminals_alone(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("NO_COLOR", "1")
    line = "principal variation: 1 2 3 4 5 6 7"
    for stream, lines in ((Terminal(), ["principal variation:", "1 2 3 4 5 6 7"]), (io.StringIO(), [line])):
        make_screen("auto", stream).text(line)
        assert stream.getvalue().splitlines() == lines
    assert fold("hint   what the engine would play", 20).splitlines() == [
        "hint   what the", "       engine would", "       play"]
    assert fold("moves: 羊を売る, 羊 " + "y" * 30, 20).splitlines() == ["moves: 羊を売る, 羊", "y" * 20, "y" * 10]
    assert fold("羊" * 15, 20).splitlines() == ["羊" * 10, "羊" * 5]
    assert fold("  far from the left, here", 20).splitlines() == ["  far from the left,", "  here"]


@pytest.mark.parametrize("color", ["never", "always"])
def test_tables_that_do_not_fit(monkeypatch, searched, color):
    monkeypatch.setenv("COLUMNS", "24")
    stream = Terminal()
    screen = make_screen(color, stream)
    show_stats(screen, Names(searched.state), searched)
    assert "wins" not in stream.getvalue() and "value" in stream.getvalue()
    screen.table(["one", "two"], [["a" * 18, "b" * 18]])
    assert ESCAPE.sub("", stream.getvalue()).endswith(f"one: {'a' * 18}\ntwo: {'b' * 18}\n\n")


class Trade:
    """A game with names of every kind: long, wide, empty, with characters that move a cursor."""

    NAMES = ("sell two sheep and one brick to the harbour in the north-west for one ore", "羊を売る" * 30, "", "end",
             "é" * 50, "two\nlines\tand \x1b[2J", "x" * 1000)

    def __init__(self, chosen=(), to_move=1):
        self.chosen, self.to_move = chosen, to_move

    def legal_moves(self):
        return list(range(len(self.NAMES)))

    def play(self, move):
        return Trade((*self.chosen, move), -self.to_move)

    def winner(self):
        return None if len(self.chosen) < 6 else 1 if sum(self.chosen[::2]) > sum(self.chosen[1::2]) else -1

    def name(self, move):
        return self.NAMES[move]


@pytest.fixture(scope="module")
def traded():
    engine = mcts_core.Searcher(seed=1, solver=False)
    engine.search(Trade(), iterations=2000)
    return engine.stats()


@pytest.mark.parametrize("width", [*range(20, 90, 7), 100, 200])
@pytest.mark.parametrize("color", ["never", "always"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_numbers_are_whole_however_long_the_names(monkeypatch, traded, width, color, encoding):
    """In a table, or in lines one below the other."""
    monkeypatch.setenv("COLUMNS", str(width))
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace")
    stream.isatty = lambda: True
    show_stats(make_screen(color, stream), Names(traded.state), traded)
    stream.flush()
    shown = ESCAPE.sub("", raw.getvalue().decode(encoding)).replace("|", " ")  # rules in ASCII
    for entry in traded.moves:
        assert f"{entry.visits:,}" in shown and f"{entry.value:.3f}" in shown
    table = shown[:shown.index("2,000 iterations")].splitlines()
    assert "\x1b" not in shown and all(columns(line) <= width for line in table if line.isascii())
    if width >= 41:
        heading, = [line.split() for line in table if "visits" in line]
        assert heading == ["move", "visits", "wins", "value"]
        rows = [line for line in table if line.split()[-1:] and re.fullmatch(r"[01][.]\d{3}", line.split()[-1])]
        assert len(rows) == 7 and len({columns(line.rstrip()) for line in rows}) == 1
        assert all(columns(line) <= width for line in table)
        assert any("…" in row or "..." in row for row in rows) and sum(row.split()[0] == "2" for row in rows) == 1
    else:
        assert width >= 24 or "visits: " in shown


def test_a_pipe_gets_the_names_whole_without_colours_alone(traded):
    plain, coloured = io.StringIO(), io.StringIO()
    show_stats(make_screen("never", plain), Names(traded.state), traded)
    assert Trade.NAMES[0] in plain.getvalue() and "x" * 1000 in plain.getvalue()
    show_stats(make_screen("always", coloured), Names(traded.state), traded)
    for word in ("visits", "wins", "value"):
        assert word in coloured.getvalue()


def test_boards_that_do_not_fit():
    game = parse_game("gomoku:20")
    state = game.play_text("k10 a1 l10 a2 m10 a3 n10 a4 o10")
    lines = game.board(state, 40)
    assert lines[10] == "10 ..........xxxxx....." and lines[16] == " 4 O..................."
    assert lines[-1] == "   abcdefghijklmnopqrst" and len(lines) == 21
    assert game.board(state, 43) == game.board(state) and "|X|X|X|X|X|" in game.board(state)[10]
    stream = io.StringIO()
    make_screen("always", stream).board([lines[10], lines[16], lines[-1]], coloured=True)
    assert "\x1b[1;31mxxxxx" in stream.getvalue() and stream.getvalue().endswith("   abcdefghijklmnopqrst\n")


@pytest.mark.parametrize("lines, beside, expected", [
    (["a", "bb"], [], ["a", "bb"]),
    (["a", "bb"], ["x"], ["a     x", "bb"]),
    (["a"], ["x", "y"], ["a    x", "     y"]),
    (["界"], ["x"], ["界    x"]),
])
def test_two_blocks_stand_side_by_side(lines, beside, expected):
    assert ["".join(parts) for parts in side_by_side(lines, beside)] == expected


def test_without_rich_there_is_plain_text(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert type(make_screen("auto", Terminal())) is PlainScreen
    with pytest.raises(mcts_core.InvalidOption, match=r"--color always needs rich: .* \[rich\]"):
        make_screen("always", io.StringIO())


def test_plain_tables_are_aligned(searched):
    stream = io.StringIO()
    show_stats(PlainScreen(stream), Names(searched.state), searched)
    lines = stream.getvalue().splitlines()
    assert lines[0].split() == ["move", "visits", "wins", "value"]
    assert len({len(line) for line in lines[:8]}) == 1
    rows = [line.split() for line in lines[1:8]]
    assert sorted(row[0] for row in rows) == list("1234567")
    visits = [int(row[1].replace(",", "")) for row in rows]
    assert visits == [move.visits for move in searched.moves]
    assert [row[3] for row in rows] == [f"{move.value:.3f}" for move in searched.moves]
    assert lines[8].startswith("500 iterations in ") and lines[8].endswith(" iterations/s, ended by iterations")
    assert f"{searched.nodes:,} nodes in " in lines[9]


def test_rich_tables_say_the_same(searched):
    plain, rich = io.StringIO(), io.StringIO()
    show_stats(PlainScreen(plain), Names(searched.state), searched, top=3)
    show_stats(make_screen("always", rich), Names(searched.state), searched, top=3)
    assert ESCAPE.search(rich.getvalue())
    words = [word for word in ESCAPE.sub("", rich.getvalue()).split() if set(word) != {"─"}]
    assert words == plain.getvalue().split()


def test_rich_boards_colour_the_stones_of_our_games_only():
    game = parse_game("tictactoe")
    stream = io.StringIO()
    show_board(make_screen("always", stream), game, game.play_text("40"))
    assert "\x1b[1;31mX" in stream.getvalue() and "\x1b[1;33mO" in stream.getvalue()
    assert ESCAPE.sub("", stream.getvalue()) == "3(O). .\n2 . X .\n1 . . .\n  a b c\n"
    stream = io.StringIO()
    make_screen("always", stream).board(["X O [red]"], coloured=False)
    assert ESCAPE.sub("", stream.getvalue()) == "X O [red]\n"
    assert "\x1b[1;31m" not in stream.getvalue()


def test_long_lines_are_not_broken():
    stream = io.StringIO()
    screen = make_screen("always", stream)
    screen.text("x" * 200)
    screen.heading("y" * 200)
    assert ESCAPE.sub("", stream.getvalue()) == "x" * 200 + "\n" + "y" * 200 + "\n"


def test_the_move_to_play_is_the_first_row_with_what_is_proven():
    state = mcts_core.ConnectFour.from_moves("112233", base=1)  # a win in one, and losses
    engine = mcts_core.Searcher(seed=1)
    assert engine.search(state, iterations=500) == 3
    stats = dataclasses.replace(engine.stats(), moves=tuple(sorted(engine.stats().moves, key=lambda m: m.move)))
    stream = io.StringIO()
    show_stats(PlainScreen(stream), Names(state), stats, top=2)
    lines = stream.getvalue().splitlines()
    assert lines[0].split() == ["move", "visits", "wins", "value", "proven"]
    assert lines[1].split()[0] == "4" and lines[1].endswith("  win in 1")
    assert lines[2].split()[0] == "1"
    assert lines[3] == "... and 5 more moves"
    assert lines[4].endswith(", ended by solved: win in 1")
    assert expectation(stats) == "win in 1"


def test_what_is_not_proven_is_expected_by_value(searched):
    assert expectation(searched) == f"value {searched.moves[0].value:.3f}"


@pytest.mark.parametrize("proven, distance, words", [
    (None, None, ""), ("win", 3, "win within 3"), ("win", 1, "win in 1"), ("loss", 38, "loss within 38"),
    ("draw", 9, "draw in 9"), ("draw", None, "draw"), ("loss", 0, "loss in 0")])
def test_proofs_in_words(proven, distance, words):
    move = mcts_core.MoveStats(move=0, visits=1, wins=1.0, value=1.0, proven=proven, distance=distance)
    assert proof(move) == words
