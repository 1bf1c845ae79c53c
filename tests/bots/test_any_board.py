import math
import random
import time

import pytest

import mcts_core as mc
from mcts_core.bots.any_board import COLUMNS, HORIZON, AnyBoard

SIZES = [(6, 7, 4), (3, 3, 3), (4, 5, 3), (7, 6, 5), (1, 9, 3), (9, 1, 4), (5, 8, 2), (2, 12, 12), (6, 8, 7)]


def empty(rows, cols, connect, to_move=1):
    return AnyBoard(rows, cols, connect, [0] * (rows * cols), to_move)


def drawn(text, connect, to_move=1):
    """The position of a diagram, one word a row."""
    lines = text.split()
    cells = [{".": 0, "X": 1, "O": -1}[cell] for line in lines for cell in line]
    return AnyBoard(len(lines), len(lines[0]), connect, cells, to_move)


def columns(position):
    return position.candidates(math.inf)[0]


@pytest.mark.parametrize("rows, cols, connect", SIZES)
def test_random_games_go_as_those_of_the_native_game(rows, cols, connect):
    dice = random.Random(rows * 100 + cols)
    assert rows * cols <= HORIZON
    for _ in range(20):
        mine, native = empty(rows, cols, connect), mc.ConnectFour(rows, cols, connect)
        while native.winner() is None:
            assert (mine.winner(), mine.to_move) == (None, native.to_move)
            assert sorted(mine.legal_moves()) == native.legal_moves()
            move = dice.choice(native.legal_moves())
            mine, native = mine.play(move), native.play(move)
            if dice.random() < 0.2:  # from a board with stones
                cells = [{".": 0, "X": 1, "O": -1}[cell] for cell in native.diagram().split()]
                if native.winner() is None:
                    mine = AnyBoard(rows, cols, connect, cells, native.to_move)
        assert mine.winner() == native.winner() and mine.legal_moves() == []


def test_a_stone_falls_past_others_that_hang():
    assert drawn("X. .. .O", 9).legal_moves() == [1]  # full by the stone on top
    position = drawn("... X.. ... O..", 9)
    assert position.legal_moves() == [0, 1, 2]
    position = position.play(0)  # under the one that hangs
    assert position.legal_moves() == [0, 1, 2]
    position = position.play(0)  # above it
    assert position.legal_moves() == [1, 2]


def test_a_hanging_stone_counts_in_lines():
    assert drawn("... ... .X. ...", 2).play(0).winner() == 1
    assert drawn("... ... .O. ...", 2).play(0).winner() is None
    assert drawn("... .X. ... ...", 2).play(0).winner() is None


def test_a_full_board_is_a_draw():
    assert drawn("XO XO", 3).winner() == 0
    assert drawn(".O XO", 3).play(0).winner() == 0
    assert drawn(".O XO", 2).play(0).winner() == 1


def test_what_decides_at_once_is_all_there_is_to_think_about():
    assert columns(drawn("....... ....... ....... ....... ....... XXX.OOO", 4)) == [3]
    assert columns(drawn("............. ............. XOOO.......X.", 4)) == [4]
    assert columns(drawn("............. ............. XOOO..XXX..O.", 4)) == [5]  # its own win goes before
    assert columns(drawn("............. ............. ..OOO......X.", 4)) in ([1], [5])


def test_a_column_that_lets_the_opponent_win_comes_last():
    position = drawn("....... ....... ....... OOO.... XXO.X.. XXO.X..", 4)
    assert columns(position)[-1] != 3
    position = drawn("....... ....... ....... ....... OOO.... XXO.X..", 4)
    assert columns(position)[-1] == 3 and len(columns(position)) == 7


def test_nearer_to_the_middle_is_better_where_nothing_else_counts():
    assert columns(empty(20, 9, 4))[0] == 4
    assert columns(empty(3, 4, 9)) == [1, 2, 0, 3]  # nobody can win


def test_a_wide_board_is_searched_where_the_stones_are():
    cells = [0] * (20 * 100)
    for col in (70, 72):
        cells[19 * 100 + col] = -1
    found, position = AnyBoard(20, 100, 4, cells, 1).candidates(math.inf)
    assert len(found) == COLUMNS and found[0] in (69, 71, 73)
    assert set(range(69, 74)) <= set(found)
    assert sorted(position.legal_moves()) == sorted(found)


def test_after_the_deadline_one_column_is_enough():
    assert columns(empty(30, 30, 4)) != [14]
    found, position = empty(30, 30, 4).candidates(time.perf_counter() - 1)
    assert found == [14] == position.legal_moves()


def test_a_search_sees_as_far_as_the_horizon():
    position = empty(100, 3, 60)
    plies = 0
    while position.winner() is None:
        position = position.play(plies % 3)
        plies += 1
    assert (plies, position.winner()) == (3 * 60, 0)
    assert empty(3, 3, 1).play(1).winner() == 1


def test_the_search_finds_a_win_in_three_moves():
    """An open two in the lowest row: its ends cannot both be saved."""
    found, position = drawn("............. ............. .....XX...O.O", 4).candidates(math.inf)
    move = mc.search(position, iterations=3_000, seed=1)
    assert move in found and move in (4, 7)
    assert (mc.stats().proven, mc.stats().distance) == ("win", 3)


def test_playing_leaves_a_position_as_it_was():
    position = empty(12, 12, 4)
    before = position.legal_moves()
    position.play(3).play(3)
    assert position.legal_moves() == before and position.to_move == 1 and position.winner() is None
