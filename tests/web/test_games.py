import pytest

import mcts_core as mc
from mcts_core.web.games import fields_of, make_game
from mcts_core.web.refusals import Refused


@pytest.mark.parametrize("state", [
    mc.ConnectFour(), mc.ConnectFour(9, 8, 5), mc.Gomoku(), mc.Gomoku(19, rule="exact"), mc.TicTacToe(),
    mc.MNK(8, 7, 5), mc.MNK(32, 32, 6, rule="exact"),
], ids=str)
def test_a_game_comes_back_from_its_fields(state):
    found = make_game(fields_of(state))
    assert found == state and type(found) is type(state)


def test_numbers_may_be_left_out():
    assert make_game({"name": "gomoku"}) == mc.Gomoku()


@pytest.mark.parametrize("fields, words", [
    (None, "game must be a JSON object"), ("connect4", "game must be a JSON object"), ({}, "name must be connect4"),
    ({"name": "chess"}, "name must be connect4"), ({"name": ["mnk"]}, "name must be connect4"),
    ({"name": "connect4", "size": 3}, "a field must be one of name, rows, cols, connect, got 'size'"),
    ({"name": "tictactoe", "__class__": 1}, "a field must be one of name, got '__class__'"),
])
def test_what_is_no_game_is_refused(fields, words):
    with pytest.raises(Refused, match=words) as error:
        make_game(fields)
    assert error.value.status == 400


@pytest.mark.parametrize("fields", [
    {"name": "connect4", "rows": "6"}, {"name": "connect4", "rows": 10**30}, {"name": "mnk", "m": 3.5},
    {"name": "gomoku", "rule": None}, {"name": "gomoku", "size": True}, {"name": "mnk", "m": 33, "n": 3, "k": 3},
])
def test_numbers_that_no_board_has_are_refused(fields):
    with pytest.raises(mc.InvalidState, match="must be"):
        make_game(fields)


@pytest.mark.parametrize("state", [object(), None, "connect4"])
def test_only_boards_are_games_of_the_page(state):
    with pytest.raises(mc.InvalidOption, match="the page plays Connect Four, gomoku, tic-tac-toe and m,n,k games"):
        fields_of(state)
