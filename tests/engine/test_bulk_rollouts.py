"""src/mcts_core/engine/bulk_rollouts.pyx: many rollouts from one position."""

import _thread
import threading
import time

import pytest

import mcts_core as mc
from mcts_core.engine import bulk_rollouts
from mcts_core.games.connect_four.position import simple_twin


@pytest.mark.parametrize("state", [mc.ConnectFour(), mc.ConnectFour.from_moves("33"), mc.TicTacToe(), mc.Gomoku(15)])
def test_counts_add_up(state):
    losses, draws, wins, plies, seconds = bulk_rollouts.run(state, 1001, 3)
    assert losses + draws + wins == 1001 and seconds > 0
    assert 1001 <= plies <= 1001 * 225


def test_results_are_for_the_player_to_move():
    # the player to move fills the last cell, which wins; and one that can only draw
    win = mc.TicTacToe.from_moves("0 1 2 4 3 5 7 6")
    assert win.legal_moves() == [8]
    expected = {1: 2, 0: 1, -1: 0}[win.play(8).winner() * win.to_move]
    assert bulk_rollouts.run(win, 50, 1)[:3] == tuple(50 if index == expected else 0 for index in range(3))


def test_python_games():
    class Coin:
        to_move = -1

        def __init__(self, side=None):
            self.side = side

        def legal_moves(self):
            return [1, -1]

        def play(self, move):
            return Coin(move)

        def winner(self):
            return self.side

    losses, draws, wins, plies, _ = bulk_rollouts.run(Coin(), 10_000, 1)
    assert draws == 0 and plies == 10_000 and abs(wins - 5000) < 300 and losses + wins == 10_000
    assert bulk_rollouts.run(Coin(), 100, 1)[:4] == bulk_rollouts.run(Coin(), 100, 1)[:4]


def test_a_raising_game():
    class Raising:
        to_move = 1

        def winner(self):
            return None

        def legal_moves(self):
            return [1]

        def play(self, move):
            raise ValueError("broken")

    with pytest.raises(mc.GameError, match="broken"):
        mc.rollouts(Raising(), 5)


@pytest.mark.parametrize("state", [mc.Gomoku(20), simple_twin(mc.ConnectFour())])
def test_ctrl_c(state):
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        mc.rollouts(state, 10**9)
    assert time.perf_counter() - begin < 5
    timer.join()
