"""mcts_core/render/board_svg.py: boards as SVG, read back."""

import dataclasses
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_reader import SPACE, Drawing, attributes_of

import mcts_core as mc
from mcts_core.render import svg
from mcts_core.render.markup import percent

pytestmark = pytest.mark.wasm

X_STONES = {"slots": "#d0501a", "points": "#17191c"}
O_STONES = {"slots": "#f4d53c", "points": "#fbfaf6"}


def searched(state, iterations=400, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine.stats()


@st.composite
def positions(draw):
    """A position of any of the games, some moves from the beginning."""
    state = draw(st.sampled_from([
        mc.ConnectFour(), mc.ConnectFour(4, 5, 3), mc.ConnectFour(2, 12, 4), mc.Gomoku(15), mc.Gomoku(19, rule="exact"),
        mc.MNK(8, 7, 5), mc.MNK(1, 6, 5), mc.TicTacToe(), mc.MNK(5, 4, 4), mc.MNK(30, 2, 6)]))
    for _ in range(draw(st.integers(0, 25))):
        if state.winner() is not None:
            break
        state = state.play(draw(st.sampled_from(state.legal_moves())))
    return state


def name_of(state, row, column):
    if isinstance(state, mc.ConnectFour):
        return f"{column + 1}{state.rows - row}"
    letters = [*"abcdefghijklmnopqrstuvwxyz", "aa", "ab", "ac", "ad"]
    return f"{letters[column]}{state.rows - row}"


def place_of(state, move):
    """Where a stone comes to lie."""
    if isinstance(state, mc.ConnectFour):
        return f"{move + 1}{1 + sum(line.split()[move] != '.' for line in state.diagram().splitlines())}"
    return name_of(state, *divmod(move, state.cols))


def names(state, mark):
    return sorted(name_of(state, row, column) for row, line in enumerate(state.diagram().splitlines())
                  for column, cell in enumerate(line.split()) if cell == mark)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(positions(), st.sampled_from(["auto", "light", "dark"]))
def test_the_stones_are_where_they_are(state, theme):
    text = svg(state, theme=theme)
    drawing = Drawing(text)
    if isinstance(state, mc.MNK) and state.k < 5:
        noughts = "#4fd1c5" if theme == "dark" else "#0b6a75"
        assert drawing.places(stroke=noughts) == names(state, "O")
        crosses = [shape for shape in drawing.elements if shape["tag"] == "path"]
        assert len(crosses) == state.diagram().count("X")
    else:
        form = "slots" if isinstance(state, mc.ConnectFour) else "points"
        assert drawing.places(fill=X_STONES[form]) == names(state, "X")
        assert drawing.places(fill=O_STONES[form]) == names(state, "O")
        if form == "slots":
            assert len(drawing.circles(fill="#0d1117" if theme == "dark" else "#ffffff")) == state.diagram().count(".")
    assert "nan" not in attributes_of(text)[0].lower() and "inf" not in attributes_of(text)[0].lower()


@pytest.mark.parametrize("state, place", [
    (mc.ConnectFour.from_moves("3340"), "11"), (mc.ConnectFour.from_moves("333"), "43"),
    (mc.Gomoku.from_moves([112, 97]), "h9"), (mc.MNK(9, 5, 5).play(44), "i1"),
])
def test_the_last_move_is_marked(state, place):
    colour = "#17191c" if isinstance(state, mc.ConnectFour) else "#e5532d"
    assert Drawing(svg(state)).places(fill=colour) == [place]
    rules = {"m": 9, "n": 5, "k": 5} if type(state) is mc.MNK else {}
    assert Drawing(svg(type(state).from_string(str(state), **rules))).places(fill=colour) == []  # it is not known


def test_the_last_square_is_marked():
    marked = [shape for shape in Drawing(svg(mc.TicTacToe.from_moves("40"))).elements
              if shape["tag"] == "rect" and shape.get("fill") == "#dfe7f1"]
    assert len(marked) == 1
    x, y = float(marked[0]["x"]), float(marked[0]["y"])
    drawing = Drawing(svg(mc.TicTacToe.from_moves("40")))
    assert drawing.columns[x + 28] == "a" and drawing.rows[y + 28] == "3"


def test_winning_lines_are_drawn():
    drawing = Drawing(svg(mc.ConnectFour.from_moves("0101010"), theme="light"))
    lines = [shape for shape in drawing.elements if shape["tag"] == "line" and shape.get("stroke") == "#1f2328"]
    assert len(lines) == 1
    ends = [(drawing.columns[float(lines[0][f"x{end}"])], drawing.rows[float(lines[0][f"y{end}"])]) for end in "12"]
    assert ends == [("1", "4"), ("1", "1")]


def test_coordinates_are_complete_and_in_order():
    drawing = Drawing(svg(mc.Gomoku(15)))
    assert [name for _, name in sorted(drawing.columns.items())] == list("abcdefghijklmno")
    assert [name for _, name in sorted(drawing.rows.items())] == [str(row) for row in range(15, 0, -1)]
    assert [name for _, name in sorted(Drawing(svg(mc.ConnectFour())).columns.items())] == list("1234567")
    assert [name for _, name in sorted(Drawing(svg(mc.ConnectFour(), base=0)).columns.items())] == list("0123456")


@pytest.mark.parametrize("state", [
    mc.ConnectFour.from_moves("33"), mc.Gomoku.from_moves([112, 97, 113]), mc.TicTacToe.from_moves("40")])
def test_bubbles_show_what_the_search_found(state):
    stats = searched(state, preset="uct", iterations=3000)
    drawing = Drawing(svg(state, stats=stats))
    most = stats.moves[0]
    assert most.move == stats.move
    expected = {}
    for entry in stats.moves:
        said = f": {entry.visits:,} visits ({percent(entry.visits / stats.visits)}), value {entry.value:.3f}"
        if entry.visits:
            place = place_of(state, entry.move)
            name = place[0] if isinstance(state, mc.ConnectFour) else place
            expected[place] = name + said + (", the move to play" if entry is most else "")
    assert {place: tooltip for place, (_, tooltip) in drawing.bubbles().items()} == expected
    assert len(drawing.words()) + len(drawing.captions()) == len(expected)
    words = drawing.words()
    assert drawing.captions() == [f"{100 * entry.value:.0f}" for entry in reversed(stats.moves)
                                  if entry.visits and place_of(state, entry.move) not in words]
    largest = 0.42 * {"ConnectFour": 46, "Gomoku": 33, "TicTacToe": 56}[type(state).__name__]
    bubbles = drawing.bubbles()
    for entry in stats.moves:
        if entry.visits:
            radius = bubbles[place_of(state, entry.move)][0]
            assert radius == pytest.approx(max(1.5, largest * (entry.visits / most.visits) ** 0.5), abs=0.01)
    assert [drawing.place(ring) for ring in drawing.circles(**{"stroke-width": "3"})] == [place_of(state, most.move)]
    assert words[place_of(state, most.move)] == f"{100 * most.value:.0f}"


def test_bubbles_tell_what_is_proven():
    state = mc.ConnectFour.from_moves("112233", base=1)
    stats = searched(state)
    drawing = Drawing(svg(state, stats=stats))
    assert drawing.words()["41"] == "W1"
    assert drawing.bubbles()["41"][1].endswith("win in 1, the move to play")
    said = " ".join(shape["text"] for shape in drawing.elements if shape["tag"] == "text")
    assert "W, L, D" in said and "area: visits" in said
    assert "W, L, D" not in svg(mc.Gomoku(9), stats=searched(mc.Gomoku(9), preset="uct"))


def test_the_move_to_play_is_seen_without_visits():
    state = mc.ConnectFour()
    stats = searched(state, preset="uct")
    moves = tuple(dataclasses.replace(entry, visits=0, wins=0.0, value=0.5) for entry in stats.moves)
    drawing = Drawing(svg(state, stats=dataclasses.replace(stats, moves=moves, visits=0)))
    (place, (radius, tooltip)), = drawing.bubbles().items()
    assert place == f"{stats.move + 1}1" and radius > 10 and "0 visits (0 %)" in tooltip


def test_a_line_is_numbered_stones():
    state = mc.ConnectFour.from_moves("3")
    drawing = Drawing(svg(state, line=[3, 3, 2], theme="light"))
    assert drawing.words() == {"42": "1", "43": "2", "31": "3"}
    dashed = [shape for shape in drawing.circles() if "stroke-dasharray" in shape]
    assert [(drawing.place(shape), shape["fill"]) for shape in dashed] == [
        ("42", O_STONES["slots"]), ("43", X_STONES["slots"]), ("31", O_STONES["slots"])]
    assert Drawing(svg(mc.TicTacToe(), line=[4, 0])).words() == {"b2": "1", "a3": "2"}
    assert svg(mc.TicTacToe(), line=["b2", "a3"]) == svg(mc.TicTacToe(), line=[4, 0])
    assert Drawing(svg(mc.Gomoku(), line=(move for move in [112, 0]))).words() == {"h8": "1", "a15": "2"}


def test_arrows_lead_from_cell_to_cell():
    state = mc.Gomoku.from_moves([112])
    drawing = Drawing(svg(state, arrows=[((7, 7), 115), (0, (3, 3))], theme="light"))
    heads = [shape["points"].split()[0].split(",") for shape in drawing.elements if shape["tag"] == "polygon"]
    ends = [drawing.columns[float(x)] + {round(place, 2): name for place, name in drawing.rows.items()}[float(y)]
            for x, y in heads]
    assert ends == ["k8", "k8", "d12", "d12"]
    assert svg(state, arrows=[((7, 7), "k8"), ("a15", (3, 3))]) == svg(state, arrows=[((7, 7), 115), (0, (3, 3))])
    four = Drawing(svg(mc.ConnectFour.from_moves("33"), arrows=[(3, 0)]))
    head, _ = (shape["points"].split()[0] for shape in four.elements if shape["tag"] == "polygon")
    assert four.columns[float(head.split(",")[0])] == "1"


def test_readers_are_told_what_is_seen():
    state = mc.Gomoku.from_moves([112, 97, 113])
    root = ET.fromstring(svg(state, stats=searched(state, preset="uct")))
    assert root.get("role") == "img"
    title = root.find(SPACE + "title").text
    assert root.get("aria-label") == title
    assert title.startswith("gomoku, 15 x 15 board, 5 in a row; O to move; the search plays ")
    assert root.find(SPACE + "desc").text == "X: h8, i8. O: h9. last move: i8"
    assert ET.fromstring(svg(mc.TicTacToe())).find(SPACE + "desc").text == "The board is empty"
    four = ET.fromstring(svg(mc.ConnectFour.from_moves("3")))
    place = "column 4 row 1 from below"
    assert four.find(SPACE + "desc").text == f"X: {place}. O: none. last move: {place}"


@pytest.mark.parametrize("state", [mc.ConnectFour.from_moves("33"), mc.Gomoku.from_moves([112]), mc.TicTacToe()])
def test_themes(state):
    stats = searched(state, iterations=50)
    auto, light, dark = (svg(state, stats=stats, theme=theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme:dark" in auto and "class=" in auto
    for text in (light, dark):
        assert "<style" not in text and "class=" not in text
    strip = ET.fromstring(auto)
    for element in strip.iter():
        element.attrib.pop("class", None)
    strip.remove(strip.find(SPACE + "style"))
    plain = [sorted(element.attrib.items()) for element in strip.iter()]
    assert plain == [sorted(element.attrib.items()) for element in ET.fromstring(light).iter()]
    assert plain != [sorted(element.attrib.items()) for element in ET.fromstring(dark).iter()]
    rules = ET.fromstring(auto).find(SPACE + "style").text
    for element in ET.fromstring(auto).iter():
        for name in element.get("class", "").split():
            attribute, colour = name.removeprefix("mcts-").split("-", 1)
            assert f".{name}{{{attribute}:#" in rules and element.get(attribute).startswith("#")


def test_nothing_from_outside_and_no_ids():
    state = mc.ConnectFour.from_moves("33")
    text = svg(state, stats=searched(state), line=[3], arrows=[(0, 1)])
    values, tags = attributes_of(text)
    assert tags <= {"svg", "title", "desc", "style", "rect", "g", "circle", "text", "line", "polygon"}
    assert text.count("http") == 1 and "url(" not in text and 'id="' not in text and "@import" not in text
    assert "javascript" not in values


def test_the_width_scales_the_picture():
    natural, wide = ET.fromstring(svg(mc.ConnectFour())), ET.fromstring(svg(mc.ConnectFour(), width=1000))
    assert wide.get("width") == "1000" and wide.get("viewBox") == natural.get("viewBox")
    scale = 1000 / float(natural.get("width"))
    assert float(wide.get("height")) == pytest.approx(scale * float(natural.get("height")), abs=0.01)


@pytest.mark.needs("processes")
def test_the_same_picture_in_every_process(tmp_path):
    code = ("import mcts_core as mc, hashlib\n"
            "state = mc.Gomoku.from_moves([112, 97, 113])\n"
            "mc.search(state, iterations=300, seed=1)\n"
            "text = mc.render.svg(state, stats=mc.stats(), line=[0, 5], arrows=[(1, 2)])\n"
            "text += mc.stats().to_dot() + mc.render.text(state, stats=mc.stats())\n"
            "print(hashlib.sha256(text.encode()).hexdigest())")
    found = {subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
                            timeout=60, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
             for seed in ("1", "2")}
    assert len(found) == 1


@pytest.mark.parametrize("options, message", [
    ({"stats": 3}, "stats must be a Stats, got 3"),
    ({"line": [7]}, "a move must be an int from 0 to 6, got 7"),
    ({"line": [3] * 7}, "a move must be legal in the position, got 3"),
    ({"line": "33"}, "line must be a sequence, got '33'"),
    ({"line": 5}, "line must be a sequence, got 5"),
    ({"arrows": 5}, "arrows must be a sequence, got 5"),
    ({"arrows": [3]}, "an arrow must be a pair"),
    ({"arrows": [(1, 2, 3)]}, "an arrow must be a pair"),
    ({"arrows": [(1, 1)]}, "an arrow must lead from one cell to another"),
    ({"arrows": [(1, (5, 1))]}, "an arrow must lead from one cell to another"),
    ({"arrows": [((0, 0), (6, 0))]}, "a row must be an int from 0 to 5, got 6"),
    ({"arrows": [((0, 0), (0, 7))]}, "a column must be an int from 0 to 6, got 7"),
    ({"arrows": [((0, 0, 0), (0, 1))]}, "an end of an arrow must be a move or"),
    ({"arrows": [(0, "<b>")]}, "the name of a column must be a number from 1 to 7, got '<b>'"),
    ({"arrows": ((0, 1) for _ in iter(int, 1))}, "arrows must have at most 1000 entries"),
    ({"base": 2}, "base must be an int from 0 to 1, got 2"),
    ({"theme": "blue"}, "theme must be 'auto', 'light', 'dark', got 'blue'"),
    ({"width": 49}, "width must be an int from 50 to 10000, got 49"),
    ({"width": float("nan")}, "width must be an int from 50 to 10000, got nan"),
])
def test_wrong_arguments(options, message):
    with pytest.raises(mc.InvalidOption) as caught:
        svg(mc.ConnectFour(), **options)
    assert message in str(caught.value)


def test_figures_that_are_none():
    stats = searched(mc.ConnectFour(), iterations=50)
    for value in (float("nan"), 1.5, "1"):
        broken = dataclasses.replace(stats, moves=(dataclasses.replace(stats.moves[0], value=value),))
        with pytest.raises(mc.InvalidOption, match="a value must be a number from 0 to 1"):
            svg(mc.ConnectFour(), stats=broken)


def test_other_positions():
    with pytest.raises(mc.InvalidState, match="only positions of ConnectFour and MNK"):
        svg("<script>")
