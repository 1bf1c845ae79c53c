"""mcts_core/render/board.py: what pictures read from a position."""

import pytest

import mcts_core as mc
from mcts_core.render.board import Board, is_board


def test_forms_and_names():
    four = Board(mc.ConnectFour(rows=5, cols=4, connect=3))
    assert (four.form, four.height, four.width, four.columns, four.rows) == ("slots", 5, 4, tuple("1234"), ())
    assert Board(mc.ConnectFour(), base=0).columns == tuple("0123456")
    five = Board(mc.Gomoku(15))
    assert five.form == "points" and five.columns == tuple("abcdefghijklmno")
    assert five.rows == tuple(str(row) for row in range(15, 0, -1))
    assert Board(mc.TicTacToe()).form == Board(mc.MNK(5, 4, 4)).form == "squares"
    assert Board(mc.MNK(28, 3, 3)).columns[24:] == ("y", "z", "aa", "ab")


def test_titles_and_status():
    assert Board(mc.TicTacToe()).title == "tic-tac-toe, 3 in a row"
    assert Board(mc.Gomoku(15, rule="exact")).title == "gomoku, 15 x 15 board, exactly 5 in a row"
    assert Board(mc.MNK(8, 7, 5)).title == "8 x 7 board, 5 in a row"
    assert Board(mc.TicTacToe()).status() == "X to move"
    assert Board(mc.TicTacToe.from_moves("0")).status() == "O to move"
    assert Board(mc.TicTacToe.from_moves("03142")).status() == "X has won"
    assert Board(mc.TicTacToe.from_moves("306814")).status() == "O has won"
    assert Board(mc.TicTacToe.from_moves("048253176")).status() == "a draw"


def test_stones_and_the_last_move():
    board = Board(mc.ConnectFour.from_moves("3340"))
    assert board.stones == {(5, 3): 1, (4, 3): -1, (5, 4): 1, (5, 0): -1} and board.last == (5, 0)
    assert Board(mc.ConnectFour.from_moves("33")).last == (4, 3)
    board = Board(mc.Gomoku.from_moves([112, 97]))
    assert board.stones == {(7, 7): 1, (6, 7): -1} and board.last == (6, 7)
    diagram = Board(mc.TicTacToe.from_string("X . . / . O . / . . X".replace("/", "\n")))
    assert diagram.stones == {(0, 0): 1, (1, 1): -1, (2, 2): 1} and diagram.last is None
    assert Board(mc.TicTacToe()).last is None


def test_cells_and_names_of_moves():
    four = Board(mc.ConnectFour.from_moves("3340"))
    assert [four.cell_of(move) for move in range(7)] == [(4, 0), (5, 1), (5, 2), (3, 3), (4, 4), (5, 5), (5, 6)]
    assert [four.name_of(move) for move in (0, 6, 7, -1, "x")] == ["1", "7", "7", "-1", "x"]
    assert Board(mc.ConnectFour(), base=0).name_of(6) == "6"
    five = Board(mc.Gomoku.from_moves([112]))
    assert five.cell_of(0) == (0, 0) and five.cell_of(113) == (7, 8)
    assert [five.name_of(move) for move in (0, 14, 112, 210, 224, 225, -1)] == [
        "a15", "o15", "h8", "a1", "o1", "225", "-1"]
    assert five.cell_of("i8") == five.cell_of(113) and four.cell_of("1") == four.cell_of(0)
    for move in (112, 225, -1, 0.5, "h8", "z9", True, None):
        with pytest.raises(mc.InvalidOption, match="a move must be"):
            five.cell_of(move)
    with pytest.raises(mc.InvalidOption, match="must be legal"):
        Board(mc.ConnectFour.from_moves("333333")).cell_of(3)


@pytest.mark.parametrize("state, lines", [
    (mc.TicTacToe.from_moves("03142"), {((0, 0), (0, 2))}),
    (mc.TicTacToe.from_moves("01246"), set()),
    (mc.TicTacToe.from_moves("20416"), {((0, 2), (2, 0))}),
    (mc.ConnectFour.from_moves("0101010"), {((2, 0), (5, 0))}),
    (mc.ConnectFour.from_moves("633623421511251"), {((2, 1), (5, 4))}),
    (mc.ConnectFour.from_moves("0112223343543"), set()),
    (mc.Gomoku.from_moves([0, 20, 1, 21, 2, 22, 4, 23, 5, 40, 3]), {((0, 0), (0, 5))}),
])
def test_winning_lines(state, lines):
    assert set(Board(state).lines) == lines


def test_two_lines_win_at_once():
    state = mc.TicTacToe.from_string("X X X\nX O O\nX O O")
    assert set(Board(state).lines) == {((0, 0), (0, 2)), ((0, 0), (2, 0))}


def test_longer_lines_do_not_win_where_they_must_be_exact():
    cells = [0, 30, 1, 31, 2, 32, 4, 33, 5, 50]  # with d15, six in a row
    assert Board(mc.Gomoku.from_moves([*cells, 3], rule="exact")).lines == ()
    assert Board(mc.Gomoku.from_moves([*cells, 3], rule="freestyle")).lines == (((0, 0), (0, 5)),)


def test_visited_moves():
    state = mc.ConnectFour.from_moves("33")
    engine = mc.Searcher(preset="uct", seed=1)
    engine.search(state, iterations=500)
    found = Board(state).visited(engine.stats())
    assert [entry for _, entry in found] == list(engine.stats().moves)
    assert dict((entry.move, cell) for cell, entry in found) == {
        0: (5, 0), 1: (5, 1), 2: (5, 2), 3: (3, 3), 4: (5, 4), 5: (5, 5), 6: (5, 6)}
    with pytest.raises(mc.InvalidOption, match="must belong to the position, but their move 3 is not legal in it"):
        Board(mc.ConnectFour.from_moves("333333")).visited(engine.stats())
    with pytest.raises(mc.InvalidOption, match="stats must be a Stats, got 7"):
        Board(state).visited(7)


def test_other_positions_have_no_board():
    for other in (None, "X", 3, object()):
        assert not is_board(other)
        with pytest.raises(mc.InvalidState, match="only positions of ConnectFour and MNK"):
            Board(other)
    for base in (2, -1, "0", True):
        with pytest.raises(mc.InvalidOption, match="base must be an int from 0 to 1"):
            Board(mc.ConnectFour(), base)


def test_a_subclass_is_a_board():
    class Mine(mc.Gomoku):
        def __str__(self):
            return "mine"

    assert is_board(Mine(9)) and Board(Mine(9).play(40)).stones == {(4, 4): 1}
