"""mcts_core/games/length.py: what a position tells of the moves to come."""

import math

import mcts_core as mc
from mcts_core.games.length import moves_left, moves_to_think


def test_a_board_bounds_the_moves_that_are_left():
    assert moves_left(mc.Gomoku()) == 113 and moves_left(mc.Gomoku().play(112)) == 112
    assert moves_left(mc.ConnectFour()) == 21
    assert moves_left(mc.TicTacToe()) == 5
    assert moves_left(mc.MNK.from_string("XOX\nXOO\nOXX", m=3, n=3, k=3)) == 1  # full: a game that is over
    assert moves_left(object()) == math.inf


def test_connect_four_is_proven_before_its_board_is_full():
    assert moves_to_think(mc.ConnectFour()) == 7
    assert moves_to_think(mc.ConnectFour(9, 8)) > 20
    assert moves_to_think(mc.ConnectFour(4, 5)) == 0
    assert moves_to_think(mc.Gomoku()) is None and moves_to_think(object()) is None
