"""mcts_core/games/length.py: what a position tells of the moves to come."""

import math
from random import Random
from types import SimpleNamespace

import pytest
from noughts import Noughts

import mcts_core as mc
from mcts_core.games import length
from mcts_core.games.length import GameLength, moves_left, moves_to_think, random_game


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


def test_random_games_of_noughts_count_the_moves_of_the_player_to_move():
    lengths = {random_game(Noughts(), Random(seed), math.inf) for seed in range(50)}
    assert lengths <= {3, 4, 5} and len(lengths) > 1
    assert random_game(Noughts.from_text("XO.......").play(4), Random(1), math.inf) in (1, 2, 3)


def test_games_with_chance_and_one_player_have_a_length():
    alone = SimpleNamespace(players=1, to_move=0, legal_moves=lambda: [0], returns=lambda: None)
    over = SimpleNamespace(players=1, to_move=0, legal_moves=lambda: [0], returns=lambda: [1.0])
    chance = SimpleNamespace(players=1, to_move=mc.CHANCE, chance_outcomes=lambda: [(0, 1.0)], returns=lambda: None)
    alone.play, chance.play = lambda move: chance, lambda move: over
    assert random_game(alone, Random(1), math.inf) == 1
    dealt = Noughts.from_text("XOXXOOOX.")
    hidden = SimpleNamespace(to_move=1, hidden_information=True, determinize=lambda player, rng: dealt)
    assert random_game(hidden, Random(1), math.inf) == 1


@pytest.mark.parametrize("state", [object(), 5, SimpleNamespace(to_move=1, winner=lambda: None, legal_moves=list)])
def test_a_game_that_breaks_its_contract_has_no_length(state):
    assert random_game(state, Random(1), math.inf) is None
    assert GameLength().estimate(state, 0, 1.0, 1.0) is None


def test_an_interrupt_leaves_a_random_game():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        random_game(SimpleNamespace(to_move=1, winner=interrupted), Random(1), math.inf)


def test_each_move_made_is_one_less_to_come():
    measure = GameLength()
    first = measure.estimate(Noughts(), 0, 1.0, 1.0)
    assert 3.5 < first < 5 and measure.known == first
    assert measure.estimate(Noughts(), 0, 1.0, 1.0) == first
    assert measure.estimate(Noughts(), 2, -1.0, 0.0) == first - 2
    assert measure.estimate(Noughts(), 9, -1.0, 0.0) == 1


def test_games_that_would_take_too_long_are_not_played(monkeypatch):
    """A random game of 40 ms is played when 40 ms were saved, and the first one may take more."""
    now, played = [0.0], []

    def play(state, chooser, deadline):
        played.append(deadline - now[0])
        now[0] += 0.04
        return 7 if played[-1] >= 0.04 else None

    monkeypatch.setattr(length, "perf_counter", lambda: now[0])
    monkeypatch.setattr(length, "random_game", play)
    measure = GameLength()
    assert measure.estimate(None, 0, 0.01, 0.1) == 7 and len(played) == 1
    counts = []
    for made in range(1, 15):
        measure.estimate(None, made, 0.01, 0.1)
        counts.append(len(played))
    assert counts[5] == 1 and 2 <= counts[-1] <= 4
    strict = GameLength()
    assert strict.estimate(None, 0, 0.01, 0.02) is None and strict.estimate(None, 0, 0.01, 0.02) is None
