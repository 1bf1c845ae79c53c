"""Squares, against rules that are obviously right."""

import random

import pytest

import mcts_core as mc
from mcts_core.cli.games import parse_game


def owns_a_square(cells):
    return any({at, at + 1, at + 4, at + 5} <= cells for at in range(11) if at % 4 < 3)


@pytest.mark.parametrize("seed", range(20))
def test_random_games(seed):
    choice, state = random.Random(seed), mc.Squares()
    while True:
        first, second = set(state.moves[::2]), set(state.moves[1::2])
        over = owns_a_square(first) or owns_a_square(second)
        assert state.winner() == (1 if owns_a_square(first) else -1 if over else 0 if len(state.moves) == 16 else None)
        assert state.legal_moves() == ([] if over else sorted(set(range(16)) - first - second))
        assert state == mc.Squares.from_moves(state.moves) == mc.Squares.from_string(str(state))
        if state.winner() is not None:
            break
        state = state.play(choice.choice(state.legal_moves()))


def test_it_is_a_game_of_the_package():
    assert mc.check_game(mc.Squares, 100, raise_on_error=True).ok
    assert mc.search(mc.Squares.from_moves([0, 15, 1, 14, 4, 13]), iterations=2000) == 5
    assert parse_game("squares").play_text("a4 d1").moves == (0, 15)
