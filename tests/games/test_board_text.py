"""Texts of moves and diagrams."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_core.errors import IllegalMove, InvalidOption, InvalidState
from mcts_core.games.board_text import format_diagram, parse_diagram, parse_moves

pytestmark = pytest.mark.wasm

QUICK = settings(derandomize=True, deadline=None, max_examples=100, database=None)


class Index:
    def __index__(self):
        return 3


@pytest.mark.parametrize(
    "text, count, base, moves",
    [
        ("", 7, 0, []),
        ("  ", 7, 0, []),
        ("0123", 7, 0, [0, 1, 2, 3]),
        ("4455", 7, 1, [3, 3, 4, 4]),
        ("0 1,2;3\n4", 7, 0, [0, 1, 2, 3, 4]),
        ("9", 10, 0, [9]),
        ("09", 10, 0, [0, 9]),
        ("44 55", 7, 1, [3, 3, 4, 4]),
        ("44,55;4", 7, 1, [3, 3, 4, 4, 3]),
        ("4 01 2", 9, 1, [3, 0, 1]),
        ("10 11", 12, 0, [10, 11]),
        ("19", 9, 1, [0, 8]),
        ("10", 11, 0, [10]),
        ("10", 10, 1, [9]),
        ("112 97", 225, 0, [112, 97]),
        ("3", 225, 0, [3]),
        ([], 7, 0, []),
        ((0, 6), 7, 0, [0, 6]),
        ([1, 7], 7, 1, [0, 6]),
        (iter([5, 5]), 7, 0, [5, 5]),
        ([Index()], 7, 0, [3]),
        (range(3), 7, 0, [0, 1, 2]),
        ([0, "1"], 7, 0, [0, 1]),
        (["1", 2], 7, 1, [0, 1]),
    ],
)
def test_parse_moves(text, count, base, moves):
    assert parse_moves(text, count, base) == moves


@pytest.mark.parametrize("text, rows, cols, moves", [
    ("h8h9 i7", 15, 15, [112, 97, 128]), ("h8,h9", 15, 15, [112, 97]), ("112,97", 15, 15, [112, 97]),
    ("7 8", 15, 15, [7, 8]), ("7;8", 15, 15, [7, 8]), ("7,8,9", 15, 15, [7, 8, 9]), ("40 1", 3, 3, [4, 0, 1]),
    ("4,0", 3, 3, [4, 0]), ("13,2", 20, 10, [13, 2]), (["7", "8"], 15, 15, [7, 8]),
])
def test_cells_are_read_by_name_or_number(text, rows, cols, moves):
    assert parse_moves(text, rows * cols, 0, rows, cols) == moves


@pytest.mark.parametrize("text, base, words", [
    ("7,8", 0, "'7,8' in '7,8' has two readings: the cells with the numbers 7 and 8, which are h15 i15, or one cell by "
               "column and row as in the Gomocup protocol, which is h7; write the names of cells"),
    ("7,8", 1, "'7,8' in '7,8' has two readings: the cells with the numbers 7 and 8, which are g15 h15, or one cell by "
               "column and row as in the Gomocup protocol, which is h7; write the names of cells"),
    ("7,8,", 0, "'7,8,' in '7,8,' has two readings: the cells with the numbers 7 and 8, which are h15 i15, or one cell "
                "by column and row as in the Gomocup protocol, which is h7; write the names of cells"),
    ("h8 0 , 14;a1", 0, "'0,14' in 'h8 0 , 14;a1' has two readings: the cells with the numbers 0 and 14, which are a15 "
                        "o15, or one cell by column and row as in the Gomocup protocol, which is a1; write the names "
                        "of cells"),
])
def test_a_pair_of_numbers_that_may_be_one_cell_is_refused(text, base, words):
    with pytest.raises(IllegalMove) as caught:
        parse_moves(text, 225, base, 15, 15)
    assert str(caught.value) == words


def test_a_number_with_a_zero_before_it_may_be_two_moves():
    with pytest.raises(IllegalMove) as caught:
        parse_moves("01 2", 7)
    assert str(caught.value) == "'01' in '01 2' has two readings: the number 1, or the moves 0 1; write one of these"


@pytest.mark.parametrize(
    "moves, words",
    [
        ("01x", "move 3 of '01x' must be a number from 0 to 6, got 'x'"),
        ("0 -1", "move 2 of '0 -1' must be a number from 0 to 6, got '-1'"),
        ("0 7", "move 2 of '0 7' must be a number from 0 to 6, got '7'; base=1 counts from 1"),
        ("0 12345678901", "move 2 of '0 12345678901' must be a number from 0 to 6, got '12345678901'"),
        ("٣", "move 1 of '٣' must be a number from 0 to 6, got '٣'"),
        ("²", "move 1 of '²' must be a number from 0 to 6, got '²'"),
        ([0, "x"], "move 2 of [0, 'x'] must be a number from 0 to 6, got 'x'"),
        ([0, None], "move 2 of [0, None] must be an int from 0 to 6, got None"),
        ([True], "move 1 of [True] must be an int from 0 to 6, got True"),
        ([-1], "move 1 of [-1] must be an int from 0 to 6, got -1"),
        (b"01", "moves must be a text or a sequence of moves, got b'01'"),
        (bytearray(b"0"), "moves must be a text or a sequence of moves, got bytearray(b'0')"),
        (None, "moves must be a text or a sequence of moves, got None"),
        (7, "moves must be a text or a sequence of moves, got 7"),
    ],
)
def test_parse_moves_names_what_is_wrong(moves, words):
    with pytest.raises(IllegalMove) as caught:
        parse_moves(moves, 7)
    assert str(caught.value) == words


@pytest.mark.parametrize("base", [-1, 2, "1", None, True, 1.0])
def test_base_is_zero_or_one(base):
    with pytest.raises(InvalidOption, match="base must be an int from 0 to 1"):
        parse_moves("1", 7, base)


@QUICK
@given(st.integers(1, 400), st.integers(0, 1), st.data())
def test_moves_survive_being_written(count, base, data):
    moves = data.draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=20))
    shifted = [move + base for move in moves]
    for separator in (" ", ",", "; ", "\n"):
        assert parse_moves(separator.join(map(str, shifted)), count, base) == moves
    assert parse_moves(shifted, count, base) == moves
    if count - 1 + base <= 9:
        assert parse_moves("".join(map(str, shifted)), count, base) == moves


def test_diagrams():
    assert parse_diagram(" . x o \n X O . \n", 2, 3) == bytes([0, 1, 2, 1, 2, 0])
    assert parse_diagram(".xoXO.", 2, 3) == bytes([0, 1, 2, 1, 2, 0])
    assert format_diagram(bytes([0, 1, 2, 1, 2, 0]), 2, 3) == ". X O\nX O ."


@QUICK
@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_diagrams_survive_being_written(rows, cols, data):
    cells = data.draw(st.permutations([1, 2] * (rows * cols // 3) + [0] * (rows * cols - rows * cols // 3 * 2)))
    text = format_diagram(cells, rows, cols)
    assert parse_diagram(text, rows, cols) == bytes(cells)
    assert parse_diagram(text.lower().replace(" ", ""), rows, cols) == bytes(cells)
    assert parse_diagram(text.replace("\n", "\r\n"), rows, cols) == bytes(cells)


@pytest.mark.parametrize(
    "text, words",
    [
        (None, "a diagram must be a str, got None"),
        (b"......", "a diagram must be a str, got b'......'"),
        ("..?...", "cell 2 of the diagram must be one of '.', 'X', 'O', got '?' in '..?...'"),
        (".....", "a diagram of this board must have 2 rows of 3 cells (6 cells), got 5 cells in '.....'"),
        ("..\n..\n..", r"a diagram of this board must have 2 rows of 3 cells (6 cells), got 6 cells in '..\n..\n..'"),
        ("....\n..", r"a diagram of this board must have 2 rows of 3 cells (6 cells), got 6 cells in '....\n..'"),
        ("XX....", "a diagram must have as many X as O or one more, got 2 X and 0 O in 'XX....'"),
        ("O.....", "a diagram must have as many X as O or one more, got 0 X and 1 O in 'O.....'"),
    ],
)
def test_parse_diagram_names_what_is_wrong(text, words):
    with pytest.raises(InvalidState) as caught:
        parse_diagram(text, 2, 3)
    assert str(caught.value) == words


@QUICK
@given(st.one_of(st.text(max_size=20), st.none(), st.integers(), st.lists(st.text(max_size=3))))
def test_anything_is_parsed_or_refused(anything):
    try:
        assert set(parse_moves(anything, 7)) <= set(range(7))
    except IllegalMove:
        pass
    try:
        assert len(parse_diagram(anything, 2, 3)) == 6
    except InvalidState:
        pass
