import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.web.games import Games, is_offered
from mcts_core.web.refusals import Refused

GAMES = Games()


@pytest.mark.parametrize("state", [
    mc.ConnectFour(), mc.ConnectFour(9, 8, 5), mc.Gomoku(), mc.Gomoku(19, rule="exact"), mc.TicTacToe(),
    mc.MNK(8, 7, 5), mc.MNK(32, 32, 6, rule="exact"),
], ids=str)
def test_a_game_comes_back_from_its_fields(state):
    found = GAMES.make(GAMES.fields_of(state))
    assert found == state and type(found) is type(state)


def test_numbers_may_be_left_out():
    assert GAMES.make({"name": "gomoku"}) == mc.Gomoku()


def test_a_board_to_begin_from():
    found = GAMES.make({"name": "connect4", "rows": 2, "cols": 2, "connect": 2}, "..\nX.")
    assert found.diagram() == ". .\nX ." and found.to_move == -1


@pytest.mark.parametrize("fields, words, field", [
    (None, "game must be a JSON object", "game"), ("connect4", "game must be a JSON object", "game"),
    ({}, "name must be connect4", "name"), ({"name": "chess"}, "name must be connect4", "name"),
    ({"name": ["mnk"]}, "name must be connect4", "name"),
    ({"name": "connect4", "size": 3}, "a field must be one of name, rows, cols, connect, got 'size'", None),
    ({"name": "tictactoe", "__class__": 1}, "a field must be one of name, got '__class__'", None),
    ({"name": "connect4", "rows": "6"}, "rows must be", "rows"),
    ({"name": "connect4", "cols": 10**30}, "cols must be", "cols"),
    ({"name": "mnk", "m": 3.5}, "must be", None), ({"name": "gomoku", "rule": None}, "rule must be", "rule"),
    ({"name": "gomoku", "size": True}, "size must be", "size"),
])
def test_what_is_no_game_is_refused_with_the_field_at_fault(fields, words, field):
    with pytest.raises(Refused, match=words) as error:
        GAMES.make(fields)
    assert error.value.status == 400
    assert field is None or error.value.field == field


def test_a_wrong_board_is_refused():
    with pytest.raises(Refused, match="a diagram of this board must have") as error:
        GAMES.make({"name": "tictactoe"}, "X..")
    assert error.value.field == "text"


def test_a_game_of_the_server_is_offered_by_its_name_only():
    start = SmallNim()
    games = Games(start, "nim:Nim")
    assert games.offered()[0] == {"name": "nim:Nim", "label": "nim:Nim"}
    assert [each["name"] for each in games.offered()[1:]] == ["connect4", "gomoku", "tictactoe", "mnk"]
    assert games.make({"name": "nim:Nim"}) is start and games.fields_of(start.play(1)) == {"name": "nim:Nim"}
    for name in ("nim:Other", "os:system", ""):
        with pytest.raises(Refused, match="name must be"):
            games.make({"name": name})
    with pytest.raises(Refused, match="begins from its first position"):
        games.make({"name": "nim:Nim"}, "X")
    with pytest.raises(Refused, match="a field must be one of name, got 'left'"):
        games.make({"name": "nim:Nim", "left": 3})


def test_a_subclass_is_a_game_of_its_own():
    class Mine(mc.TicTacToe):
        pass

    assert is_offered(mc.TicTacToe()) and not is_offered(Mine()) and not is_offered(SmallNim())
    assert Games(Mine(), "m:Mine").fields_of(Mine()) == {"name": "m:Mine"}
