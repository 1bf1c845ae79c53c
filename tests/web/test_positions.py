import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.web.games import Games
from mcts_core.web.positions import MOST_MOVES, SVG_LENGTH, Lines, describe
from mcts_core.web.refusals import Refused

FOUR = {"name": "connect4"}


@pytest.fixture
def lines():
    return Lines(Games(SmallNim(), "nim:Nim"))


def test_what_is_told_of_a_board(lines):
    seen = describe(lines.find({"game": FOUR, "moves": ["4", "4", "1"]}))
    assert seen["game"] == {"name": "connect4", "rows": 6, "cols": 7, "connect": 4} and seen["form"] == "slots"
    assert (seen["ply"], seen["to_move"], seen["winner"], seen["last"]) == (3, -1, None, (5, 0))
    assert seen["moves"] == ["4", "4", "1"] and seen["movers"] == [1, -1, 1] and seen["legal"] == list("1234567")
    assert seen["stones"] == [[4, 3, -1], [5, 0, 1], [5, 3, 1]]


def test_what_is_told_of_a_game_that_is_over(lines):
    seen = describe(lines.find({"game": FOUR, "moves": list("1212121")}))
    assert seen["winner"] == 1 and seen["legal"] == [] and seen["lines"] == (((2, 0), (5, 0)),)


def test_a_game_without_a_board(lines):
    seen = describe(lines.find({"game": {"name": "nim:Nim"}, "moves": ["2"]}))
    assert (seen["form"], seen["diagram"], seen["legal"], seen["to_move"]) == ("text", "", ["1", "2"], -1)

    class Shown(SmallNim):
        def __str__(self):
            return "|" * self.stones + "\n" + "-" * 500

    seen = describe(Lines(Games(Shown(), "n:N")).find({"game": {"name": "n:N"}}))
    assert seen["diagram"].splitlines()[0] == "|||||" and seen["rows"] == 2
    assert len(seen["diagram"].splitlines()[1]) == 200


def test_the_picture_of_a_game_without_a_board():
    class Drawn(SmallNim):
        picture = "<svg/>"

        def _repr_svg_(self):
            return type(self).picture

    found = Lines(Games(Drawn(), "n:N")).find({"game": {"name": "n:N"}})
    assert describe(found)["svg"] == "<svg/>"
    for picture in (None, 3, "x" * (SVG_LENGTH + 1)):
        Drawn.picture = picture
        assert describe(found)["svg"] is None
    Drawn._repr_svg_ = property(lambda state: 1 / 0)
    assert describe(found)["svg"] is None


def test_a_board_at_the_beginning(lines):
    line = lines.find({"game": {"name": "tictactoe"}, "diagram": "XO.......", "moves": ["b2"]})
    assert line.state.diagram() == "X O .\n. X .\n. . ." and line.names == ["b2"]
    line = lines.find({"game": {"name": "tictactoe"}, "moves": ["b2"]})
    assert line.state == mc.TicTacToe.from_moves("4")


def test_positions_that_were_asked_for_stay_the_same_objects(lines):
    first = lines.find({"game": {"name": "nim:Nim"}, "moves": ["1", "1"]})
    longer = lines.find({"game": {"name": "nim:Nim"}, "moves": ["1", "1", "2"]})
    shorter = lines.find({"game": {"name": "nim:Nim"}, "moves": ["1"]})
    again = lines.find({"game": {"name": "nim:Nim"}, "moves": ["1", "1", "2"]})
    assert longer.states[:3] == first.states and shorter.states == first.states[:2] and again.states == longer.states
    other = lines.find({"game": {"name": "nim:Nim"}, "moves": ["1", "2"]})
    assert other.states[:2] == shorter.states and other.state is not first.state


@pytest.mark.parametrize("fields, words", [
    ({"moves": ["8"]}, "move 1: the name of a column must be"), ({"moves": ["4", ""]}, "move 2: the name of a column"),
    ({"moves": [*"1212121", "3"]}, "move 8: the game ended before 3"), ({"moves": "44"}, "moves must be a list"),
    ({"moves": [4]}, "moves must be a list"), ({"moves": ["4"] * (MOST_MOVES + 1)}, "moves must be a list"),
    ({"diagram": 3}, "diagram must be a text"), ({"diagram": "." * 1025}, "at most 1024 cells"),
    ({"diagram": "X"}, "a diagram of this board must have 6 rows of 7 cells"),
])
def test_what_is_no_position_is_refused(lines, fields, words):
    with pytest.raises(Refused, match=words) as error:
        lines.find({"game": FOUR, **fields})
    assert error.value.status == 400 and error.value.field in ("text", "moves", "diagram")
    assert lines.find({"game": FOUR, "moves": ["4"]}).names == ["4"]


def test_reading_what_was_pasted(lines):
    assert lines.read({"game": FOUR, "text": "445"}) == {"diagram": None, "moves": ["4", "4", "5"]}
    assert lines.read({"game": {"name": "gomoku"}, "text": "1. H8 i9"}) == {"diagram": None, "moves": ["h8", "i9"]}
    board = "...\n.X.\n..o"
    assert lines.read({"game": {"name": "tictactoe"}, "text": board}) == {
        "diagram": ". . .\n. X .\n. . O", "moves": []}
    for text, words in (("448", "move 3: the name of a column"), ("X O", "a diagram of this board"),
                        ("4 " * 1025, "at most 1024")):
        with pytest.raises(Refused, match=words) as error:
            lines.read({"game": FOUR, "text": text})
        assert error.value.field == "text"
    with pytest.raises(Refused, match="'1,2' in '1,2' has two readings") as error:
        lines.read({"game": {"name": "gomoku"}, "text": "1,2"})
    assert error.value.field == "text"
