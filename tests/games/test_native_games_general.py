"""Native games with players, chance and returns: searches and check_game take them."""

import pickle
from ctypes import CFUNCTYPE, POINTER, c_double, c_int32, c_int64, c_uint32, c_void_p, cast

import pytest

import mcts_core as mc

HOLD = 7


def numbers(state):
    """The two scores, the player, the points of the turn, and whether the die is thrown."""
    return cast(state, POINTER(c_int64))


@CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(c_uint32))
def legal_moves(context, state, moves):
    moves[0], moves[1] = 0, HOLD
    return 2 if numbers(state)[3] else 1


@CFUNCTYPE(c_int32, c_void_p, c_void_p, c_uint32)
def play(context, state, move):
    pig = numbers(state)
    pig[4] = move == 0
    if move in (1, HOLD):
        pig[pig[2]] += pig[3] if move == HOLD else 0
        pig[3] = 0
        if pig[pig[2]] >= 20:
            return 1
        pig[2] = 1 - pig[2]
    else:
        pig[3] += move
    return 0


@CFUNCTYPE(c_int32, c_void_p, c_void_p)
def to_move(context, state):
    return -1 if numbers(state)[4] else numbers(state)[2]


@CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(c_double))
def returns(context, state, values):
    for player in range(2):
        values[player] = numbers(state)[player] >= 20
    return 0


@CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(c_uint32), POINTER(c_double))
def chance(context, state, moves, probabilities):
    for pips in range(6):
        moves[pips], probabilities[pips] = pips + 1, 1 / 6
    return 6


FUNCTIONS = {"legal_moves": legal_moves, "play": play, "to_move": to_move, "returns": returns, "chance": chance}
PIG = mc.native_game(**FUNCTIONS, players=2, constant_sum=True, state_size=40, max_moves=8,
                     name=f"{__name__}:PIG")


def pig(*fields):
    return PIG.state((c_int64 * 5)(*fields))


def test_positions_have_the_members_of_a_general_game():
    state = pig(12, 15, 0, 8, 0)
    assert (state.players, state.constant_sum, state.to_move, state.returns()) == (2, True, 0, None)
    assert state.legal_moves() == [0, HOLD] and state.chance_outcomes() == [] and not hasattr(state, "winner")
    thrown = state.play(0)
    assert thrown.to_move == mc.CHANCE and thrown.legal_moves() == []
    assert thrown.chance_outcomes() == [(pips, 1 / 6) for pips in range(1, 7)]
    assert thrown.play(1).to_move == 1 and thrown.play(3).to_move == 0
    with pytest.raises(mc.IllegalMove, match="move 7 is not legal"):
        thrown.play(HOLD)
    over = state.play(HOLD)
    assert over.returns() == (1.0, 0.0) and over.legal_moves() == []


def test_a_search_holds_what_wins():
    state = pig(12, 15, 0, 8, 0)
    assert mc.search(state, iterations=200, seed=1) == HOLD
    assert mc.stats().values == (1.0, 0.0)


def test_check_game_finds_no_problem():
    assert mc.check_game(PIG, 20, seed=1).ok


def test_positions_are_pickled_by_their_moves():
    state = PIG.state().play(0).play(3)
    assert pickle.loads(pickle.dumps(state)) == state and state.to_move == 0


def test_chance_and_the_end_of_the_game_are_no_roots():
    state = pig(12, 15, 0, 8, 0)
    with pytest.raises(mc.InvalidState, match="chance is to move"):
        mc.search(state.play(0), iterations=1)
    with pytest.raises(mc.GameOver, match="the game is over"):
        mc.search(state.play(HOLD), iterations=1)


@pytest.mark.parametrize(("change", "text"), [
    ({"players": 33}, "players must be"),
    ({"players": 2, "to_move": None}, "got no to_move"),
    ({"players": 2, "returns": None}, "got no returns"),
    ({"players": 1, "constant_sum": True}, "constant_sum must be"),
    ({"players": None}, "are for general games: give players"),
    ({"players": 2, "rollout": legal_moves}, "rollout is for games of two players"),
])
def test_arguments_that_do_not_fit_are_refused(change, text):
    with pytest.raises(mc.InvalidOption, match=text):
        mc.native_game(**{**FUNCTIONS, "state_size": 40, "max_moves": 8, **change})


def test_a_player_out_of_range_is_an_error():
    alone = mc.native_game(**FUNCTIONS, players=1, state_size=40, max_moves=8)
    with pytest.raises(mc.GameError, match="returned 1 after play.*; it must return a player from 0 to 0"):
        alone.state((c_int64 * 5)(0, 0, 0, 5, 0)).play(HOLD)
