"""mcts_core/render/terminal.py: boards and tables as text."""

import dataclasses
import io
import re
import sys

import pytest
from rich.console import Console

import mcts_core as mc
from mcts_core.render import rich_board, rich_stats, text
from mcts_core.render.terminal import bar, board_lines
from mcts_core.text_tables import columns


def searched(state, iterations=400, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


def printed(*things, color=None, width=120):
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=color is not None, color_system=color).print(*things)
    return stream.getvalue()


def test_boards_with_coordinates():
    assert text(mc.TicTacToe.from_moves("40")) == "3(O). .\n2 . X .\n1 . . .\n  a b c"
    assert text(mc.ConnectFour(2, 4, 3).play(1).play(1)).splitlines() == [" .(O). .", " . X . .", " 1 2 3 4"]
    assert text(mc.ConnectFour(2, 4, 3), base=0).splitlines()[-1] == " 0 1 2 3"
    assert board_lines(mc.ConnectFour(1, 12, 3))[-2:] == ["                   1 1 1", " 1 2 3 4 5 6 7 8 9 0 1 2"]
    assert text(mc.Gomoku(9).play(80)).splitlines()[8] == "1 . . . . . . . .(X)"


def test_visits_are_tenths():
    state = mc.TicTacToe.from_moves("40")
    stats = searched(state, preset="uct")
    moves = [dataclasses.replace(entry, visits=visits) for entry, visits in zip(
        sorted(stats.moves, key=lambda entry: entry.move), (400, 41, 40, 0, 1, 200, 39), strict=True)]
    shown = text(state, stats=dataclasses.replace(stats, moves=tuple(moves)))
    assert shown == "3(O)9 2\n2 1 X .\n1 1 5 1\n  a b c"


def test_stats_of_another_position():
    with pytest.raises(mc.InvalidOption, match="stats must belong to the position"):
        text(mc.TicTacToe.from_moves("40"), stats=searched(mc.TicTacToe()))
    with pytest.raises(mc.InvalidState, match="only positions"):
        text(3)


def test_rich_boards_say_the_same_in_colours():
    for state in (mc.TicTacToe.from_moves("40"), mc.ConnectFour.from_moves("334"), mc.Gomoku.from_moves([112, 97])):
        stats = searched(state)
        assert rich_board(state).plain == text(state)
        assert rich_board(state, stats=stats).plain == text(state, stats=stats)
        assert printed(state) == text(state) + "\n"
    coloured = printed(mc.TicTacToe.from_moves("40"), color="standard")
    assert "\x1b[1;31mX" in coloured and "\x1b[1;33mO" in coloured and "\x1b[2m." in coloured


def test_rich_marks_visits_but_not_coordinates():
    state = mc.Gomoku(9)
    found = rich_board(state, stats=searched(state, preset="uct"))
    marked = [(span.start, span.end) for span in found.spans if span.style == "bold blue"]
    shown = text(state, stats=searched(state, preset="uct"))
    places = [place for place, char in enumerate(shown) if char.isdigit() and place and shown[place - 1] == " "]
    assert marked == [(place, place + 1) for place in places] and len(marked) > 40


def test_tables_of_rich():
    stats = searched(mc.ConnectFour.from_moves("33"), preset="uct")
    lines = printed(stats).splitlines()
    value = next(entry.value for entry in stats.moves if entry.move == stats.move)
    assert lines[0].startswith(
        f"move {stats.move + 1} (number {stats.move}), value {value:.3f}: 400 iterations in ")
    assert lines[0].endswith("stopped by iterations")
    rows = [line.split() for line in lines if "█" in line or "▏" in line]
    assert [row[:3] for row in rows] == [
        [str(entry.move + 1), str(entry.move), f"{entry.visits:,}"] for entry in stats.moves]
    assert [row[-1] for row in rows] == [f"{entry.value:.3f}" for entry in stats.moves]
    assert [len(row[5]) for row in rows] == [len(bar(entry.visits / stats.moves[0].visits).strip())
                                             for entry in stats.moves]
    assert lines[-1] == "principal variation: " + " ".join(str(move + 1) for move in stats.pv)
    assert printed(rich_stats(stats, base=0)).splitlines()[0].startswith(f"move {stats.move}, ")


def test_tables_tell_what_is_proven_and_are_cut():
    stats = searched(mc.ConnectFour.from_moves("112233", base=1))
    lines = printed(rich_stats(stats, top=2)).splitlines()
    assert lines[0].startswith("move 4 (number 3), win in 1: ")
    assert any("proven" in line for line in lines) and any(line.strip().endswith("win in 1") for line in lines[1:])
    assert "... and 5 more moves" in lines
    for top in (0, "x"):
        with pytest.raises(mc.InvalidOption, match="top must be an int from 1 to 1024"):
            rich_stats(stats, top=top)
    with pytest.raises(mc.InvalidOption, match="stats must be a Stats"):
        rich_stats(3)


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 80, 120, 200])
def test_a_narrow_console_shows_every_number(width):
    stats = searched(Long(), 2000, solver=False)
    shown = printed(stats, width=width)
    for entry in stats.moves:
        assert f"{entry.visits:,}" in shown and f"{entry.value:.3f}" in shown
    if width >= 40:
        rows = [line for line in shown.splitlines() if re.search(r"[01][.]\d{3} *$", line) and "iterations" not in line]
        assert len(rows) == 3 and all(columns(row) <= width for row in rows)


def test_the_table_that_is_printed_is_aligned_whatever_the_names():
    stats = searched(Long(), 2000, solver=False)
    _, heading, *rows, _, _ = str(stats).splitlines()
    assert heading.split() == ["move", "number", "visits", "wins", "value"] and len(rows) == 3
    assert {columns(row) for row in (heading, *rows)} == {columns(heading)} and columns(heading) < 200


class Long:
    """A game with long names, wide characters and a line break."""

    def __init__(self, plies=0, to_move=1, sum=0):
        self.plies, self.to_move, self.sum = plies, to_move, sum

    def legal_moves(self):
        return [0, 1, 2]

    def play(self, move):
        return Long(self.plies + 1, -self.to_move, self.sum + move)

    def winner(self):
        return None if self.plies < 6 else 1 if self.sum % 2 else -1

    def name(self, move):
        return ["give " * 50, "羊を売る" * 30, "one\nline"][move]


def test_markup_of_users_is_text():
    class Odd:
        to_move = 1

        def __init__(self, over=False):
            self.over = over

        def legal_moves(self):
            return ["[red]a[/red]", "[/]"]

        def play(self, move):
            return Odd(True)

        def winner(self):
            return 1 if self.over else None

    shown = printed(searched(Odd(), 20))
    assert "[red]a[/red]" in shown and "[/]" in shown


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "utf-8"])
def test_consoles_without_the_characters_get_others(encoding):
    """What is printed to a pipe on Windows, where the encoding is that of the system."""
    stats = searched(mc.Gomoku(15), 300, preset="uct")
    long = dataclasses.replace(stats.moves[0], move="\u2603" + "x" * 1000)
    stats = dataclasses.replace(stats, moves=(*stats.moves, long), move=long.move)
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    for thing in (stats, rich_stats(stats, top=300), mc.Gomoku(15).play(7)):
        Console(file=stream, width=2000).print(thing)
    stream.flush()
    shown = raw.getvalue().decode(encoding)
    blocks = {"cp1252": "#", "ascii": "#"}.get(encoding, "\u2588")
    assert max(map(len, re.findall(f"{blocks}+", shown))) == 12
    assert ("\u2603" in shown) == (encoding == "utf-8") and ("\\u2603" in shown) == (encoding != "utf-8")


def test_bars():
    assert [bar(share) for share in (0, 1 / 96, 0.5, 1)] == [" " * 12, "▏".ljust(12), "█" * 6 + " " * 6, "█" * 12]
    assert len({len(bar(share / 100)) for share in range(101)}) == 1


def test_without_rich(monkeypatch):
    stats = searched(mc.TicTacToe())
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    for call in (lambda: rich_board(mc.TicTacToe()), lambda: rich_stats(stats)):
        with pytest.raises(ModuleNotFoundError, match=r"need rich: .* \[rich\]"):
            call()
    assert text(mc.TicTacToe()).endswith("a b c")


@pytest.mark.parametrize("state", [
    mc.ConnectFour.from_moves("4142434", base=1), mc.ConnectFour.from_moves("1122334", base=1),
    mc.TicTacToe.from_moves("a1 a2 b2 a3 c3"), mc.MNK.from_moves("a1 a2 b1 b2 c1 c2 d1", m=12, n=12, k=4)])
def test_a_line_that_wins_stands_between_bars_and_can_be_read(state):
    drawn = text(state)
    rules = {"m": 12, "n": 12, "k": 4} if isinstance(state, mc.MNK) and state.m == 12 else {}
    assert drawn.count("|") in (5, 6, 8) and drawn.count("(") == 0
    assert type(state).from_string(drawn, **rules) == state
