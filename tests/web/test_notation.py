import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.web.notation import find_diagram, move_of, name_of, split_moves


class Long(SmallNim):
    def name(self, move):
        return f"take {'very ' * 50}\n{move}"


FOUR, FIVE = mc.ConnectFour(), mc.Gomoku()


class Named(SmallNim):
    def name(self, move):
        return f"take {move}"


@pytest.mark.parametrize("state", [FOUR, FIVE, mc.MNK(32, 30, 5), mc.TicTacToe(), mc.ConnectFour(4, 20, 4), SmallNim(),
                                   Named(), Long()], ids=lambda state: type(state).__name__)
def test_every_move_comes_back_from_its_name(state):
    names = [name_of(state, move) for move in state.legal_moves()]
    assert len(set(names)) == len(names)
    assert [move_of(state, name) for name in names] == list(state.legal_moves())


def test_names():
    assert (name_of(FOUR, 3), name_of(FIVE, 112), name_of(mc.MNK(32, 30, 5), 31)) == ("4", "h8", "af30")
    assert (name_of(SmallNim(), 2), name_of(Named(), 2)) == ("2", "take 2")
    assert move_of(FIVE, " H8 ") == 112


@pytest.mark.parametrize("state, name, words", [
    (FOUR, "8", "the name of a column must be a number from 1 to 7, got '8'"), (FOUR, "0", "1 to 7"),
    (FOUR, "", "from 1 to 7"), (FOUR, "h8", "from 1 to 7"), (mc.ConnectFour.from_moves("333333"), "4", "is full"),
    (FIVE, "p1", "from a1 to o15, or a number from 0 to 224, got 'p1'"), (FIVE, "a0", "from a1"),
    (FIVE, "a16", "from a1"), (FIVE, "225", "from 0 to 224"),
    (mc.Gomoku.from_moves([112]), "h8", "is occupied"), (SmallNim(), "3", "'3' is not a legal move; legal moves: 1, 2"),
])
def test_wrong_names(state, name, words):
    with pytest.raises(mc.IllegalMove, match=words):
        move_of(state, name)


@pytest.mark.parametrize("start, text, moves", [
    (FOUR, "4455", ["4", "4", "5", "5"]), (FOUR, " 4, 4;5\n5", ["4", "4", "5", "5"]),
    (mc.ConnectFour(4, 20, 4), "12 3", ["12", "3"]), (mc.ConnectFour(4, 20, 4), "12", ["12"]),
    (FOUR, "44 55", ["4", "4", "5", "5"]), (FIVE, "h8i9 g7", ["h8", "i9", "g7"]), (FIVE, "112,97", ["112", "97"]),
    (FIVE, "h8i9 ", ["h8", "i9"]), (FIVE, "1. H8 i9 2. g7", ["h8", "i9", "g7"]), (FIVE, "", []),
    (SmallNim(), "1 2 (0, 1)", ["1", "2", "(0, 1)"]), (SmallNim(), "take 1; take 2;", ["take 1", "take 2"]),
])
def test_moves_of_a_text(start, text, moves):
    assert split_moves(start, text) == moves


def test_moves_with_two_readings_are_refused():
    with pytest.raises(mc.IllegalMove, match=r"'7,8' in .* h15 i15, or one cell .* h7;"):
        split_moves(FIVE, "7,8 h9")


def test_diagrams_of_a_text():
    three = mc.TicTacToe()
    printed = "  a b c\n3 . . .\n2 . [X] .\n1 O . .\n"
    assert find_diagram(three, str(mc.TicTacToe.from_moves("40"))) == "O . .\n. X .\n. . ."
    assert mc.TicTacToe.from_string(find_diagram(three, printed)) == mc.TicTacToe.from_string("....X.O..")
    assert find_diagram(FOUR, "1 2 3 4 5 6 7\n" + str(FOUR)) == FOUR.diagram()
    assert find_diagram(FOUR, "0 1 2 3 4 5 6\n" + str(FOUR)) == FOUR.diagram()
    won = mc.ConnectFour.from_moves("1212121", base=1)
    assert "|X|" in str(won) and find_diagram(FOUR, str(won)) == won.diagram()
    for start, text in ((FOUR, "4455"), (FIVE, "h8 i9"), (FIVE, ""), (SmallNim(), "..."), (FIVE, "x.y")):
        assert find_diagram(start, text) is None
