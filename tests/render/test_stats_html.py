"""mcts_core/render/stats_html.py: Stats as HTML, which is also well-formed XML."""

import dataclasses
import xml.etree.ElementTree as ET

import pytest

import mcts_core as mc
from mcts_core.render import html


class Words:
    """A game whose moves are texts: one move, then it is over."""

    to_move = 1

    def __init__(self, moves, over=False):
        self.moves_left, self.over = moves, over

    def legal_moves(self):
        return list(self.moves_left)

    def play(self, move):
        return type(self)(self.moves_left, True)

    def winner(self):
        return 1 if self.over else None


class Drawn(Words):
    """The same with a picture of its own."""

    def _repr_svg_(self):
        return '<svg xmlns="http://www.w3.org/2000/svg"><desc>my own</desc></svg>'


def searched(state, iterations=400, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


def rows_of(text):
    table = ET.fromstring(text).find(".//table")
    return [[" ".join("".join(cell.itertext()).split()) for cell in row] for row in table.iter("tr")]


def test_the_table_is_that_of_the_moves():
    stats = searched(mc.ConnectFour.from_moves("33"), preset="uct")
    head, *rows = rows_of(html(stats))
    assert head == ["move", "number", "", "visits", "share", "", "value"]
    assert rows == [[str(entry.move + 1), str(entry.move), "", f"{entry.visits:,}",
                     f"{entry.visits / stats.visits:.0%}".replace("%", " %"), "", f"{entry.value:.3f}"]
                    for entry in stats.moves]


def test_bars_are_as_long_as_the_visits():
    stats = searched(mc.ConnectFour(), preset="uct")
    table = ET.fromstring(html(stats)).find(".//table")
    bars = [[float(bar.get("style").split("width:")[1].removesuffix("px"))
             for bar in row.findall("./td/span[@aria-hidden]/span")]
            for row in table.findall("./tbody/tr")]
    most = stats.moves[0].visits
    for (visits, value), entry in zip(bars, stats.moves, strict=True):
        assert visits == pytest.approx(90 * entry.visits / most, abs=0.01)
        assert value == pytest.approx(90 * entry.value, abs=0.01)
    assert all(span.get("aria-hidden") == "true" or span.text.isdigit()
               for span in table.findall("./tbody/tr/td/span"))


def test_the_move_to_play_is_first_and_what_is_proven_is_told():
    stats = searched(mc.ConnectFour.from_moves("112233", base=1))
    assert (stats.move, stats.proven) == (3, "win")
    moves = tuple(sorted(stats.moves, key=lambda entry: entry.move))
    text = html(dataclasses.replace(stats, moves=moves), state=stats.state)
    head, first, *_ = rows_of(text)
    assert head[-1] == "proven" and first[:2] == ["4", "3"] and first[-1] == "win in 1"
    root = ET.fromstring(text)
    assert root.find(".//strong").text == "move 4" and "win in 1" in "".join(root.find(".//p").itertext())
    assert "font-weight:bold" in root.find(".//tbody/tr").get("style")


def test_cells_have_their_names_and_numbers():
    stats = searched(mc.Gomoku.from_moves([112]), preset="uct")
    _, first, *_ = rows_of(html(stats))
    row, column = divmod(stats.move, 15)
    assert first[:2] == [f"{'abcdefghijklmno'[column]}{15 - row}", str(stats.move)]
    paragraphs = ["".join(part.itertext()) for part in ET.fromstring(html(stats)).iter("p")]
    assert paragraphs[0].startswith(f"move {first[0].split()[0]}, value ")
    assert paragraphs[-1].startswith(f"principal variation: {first[0].split()[0]}")


def test_long_tables_are_cut():
    stats = searched(mc.Gomoku(), iterations=300, preset="uct")
    assert len(rows_of(html(stats))) == 11 and len(rows_of(html(stats, top=3))) == 4
    assert "and 215 more moves" in html(stats) and "and 222 more moves" in html(stats, top=3)
    assert len(rows_of(html(stats, top=300))) == 226 and "more moves" not in html(stats, top=300)


def test_the_board_is_there_where_the_position_is_known():
    state = mc.Gomoku.from_moves([112, 97])
    stats = searched(state)
    assert mc.render.svg(state, stats=stats) in html(stats)
    assert mc.render.svg(state, stats=stats, theme="dark", width=300) in html(stats, theme="dark", width=300)
    copy = dataclasses.replace(stats)
    assert "<svg" not in html(copy) and f">{stats.move}<" in html(copy)
    assert html(copy, state=state) == html(stats)
    four = searched(mc.ConnectFour(), iterations=50)
    assert f"move {four.move + 1}<" in html(four) and html(four, base=0).count(f"move {four.move}<") == 1


def test_statistics_of_another_position():
    stats = searched(mc.ConnectFour(), iterations=50)
    with pytest.raises(mc.InvalidOption, match="stats must belong to the position"):
        html(stats, state=mc.ConnectFour.from_moves("333333"))


def test_texts_of_users_are_escaped():
    moves = ["<img src=x onerror=alert(1)>", "\"'&amp;", "\x00\x1b\ud800", "y" * 500, ("a", 1)]
    text = html(searched(Words(moves), iterations=50))
    root = ET.fromstring(text)
    assert "<img" not in text and "<svg" not in text
    assert {element.tag for element in root.iter()} <= {
        "div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
    shown = {row[0] for row in rows_of(text)[1:]}
    assert shown == {moves[0], moves[1], "\ufffd\ufffd\ufffd", "y" * 79 + "…", "('a', 1)"}


def test_pictures_of_users_are_shown():
    text = html(searched(Drawn(["a", "b"]), iterations=50))
    assert "<desc>my own</desc>" in text

    class Silent(Words):
        def _repr_svg_(self):
            return None

    assert "<svg" not in html(searched(Silent(["a", "b"]), iterations=50))


def test_notebooks_show_it():
    stats = searched(mc.TicTacToe())
    assert stats._repr_html_() == html(stats)


@pytest.mark.alone
def test_statistics_on_the_way():
    seen = []
    engine = mc.Searcher(seed=1, preset="uct")
    engine.search(mc.ConnectFour(), 0.05, progress=seen.append, every=0.01)
    assert "still running" in html(seen[0]) and "<svg" in html(seen[0])
    assert "stopped by time" in html(engine.stats())


def test_nothing_from_outside():
    text = html(searched(mc.ConnectFour()))
    assert text.count("http") == 1 and "<script" not in text and "url(" not in text and " id=" not in text


@pytest.mark.parametrize("arguments, options, message", [
    ((3,), {}, "stats must be a Stats, got 3"),
    ((), {"top": 0}, "top must be an int from 1 to 1024, got 0"),
    ((), {"theme": 1}, "theme must be"),
    ((), {"base": 5}, "base must be an int from 0 to 1, got 5"),
    ((), {"width": 1}, "width must be an int from 50 to 10000, got 1"),
])
def test_wrong_arguments(arguments, options, message):
    with pytest.raises(mc.InvalidOption) as caught:
        html(*arguments or (searched(mc.ConnectFour(), iterations=20),), **options)
    assert message in str(caught.value)
