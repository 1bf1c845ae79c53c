"""src/mcts_core/games/board_position.pyx: what the positions of all boards share."""

import copy
import inspect
import pickle
import subprocess
import sys

import pytest

from mcts_core import (
    MNK,
    ConnectFour,
    GameOver,
    Gomoku,
    IllegalMove,
    InvalidCell,
    InvalidOption,
    InvalidState,
    TicTacToe,
)
from mcts_core.games.board_position import BoardPosition, restore

pytestmark = pytest.mark.wasm

EMPTY = [ConnectFour(), ConnectFour(5, 4, 3), MNK(5, 3, 3), MNK(4, 4, 4, "exact"), Gomoku(6), TicTacToe()]


def end_of(state):
    while state.winner() is None:
        state = state.play(state.legal_moves()[-1])
    return state


@pytest.mark.parametrize("empty", EMPTY, ids=repr)
def test_values(empty):
    rules = {name: getattr(empty, name) for name in empty._arguments}
    assert type(empty)(**rules) == empty
    played = empty.play(1).play(2).play(0)
    drawn = type(empty).from_string(str(played), **rules)
    assert drawn == type(empty).from_string(played.diagram(), **rules)
    assert type(empty).from_moves([played.name(move) for move in played.moves], base=int(not played.row_names),
                                  **rules) == played
    move = drawn.legal_moves()[0]
    later = drawn.play(move)
    for state in (empty, played, drawn, later, end_of(empty)):
        for twin in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state), eval(repr(state))):
            assert type(twin) is type(state) and twin == state and hash(twin) == hash(state)
        assert pickle.loads(pickle.dumps(state)).moves == state.moves
        assert (state.last_move is None) == (state.moves == ())
    assert played == drawn != later == played.play(move)
    assert (played.moves, drawn.moves, later.moves) == ((1, 2, 0), (), (move,))
    assert [state.to_move for state in (empty, played, later)] == [1, -1, 1]


def test_positions_of_other_boards_differ():
    assert len(set(EMPTY)) == len(EMPTY)
    assert all((one == other) == (one is other) for one in EMPTY for other in EMPTY)
    assert EMPTY[0] != str(EMPTY[0])


@pytest.mark.parametrize("empty", EMPTY, ids=repr)
def test_moves_that_are_none(empty):
    over = end_of(empty)
    with pytest.raises(GameOver, match=r"the game is over, (column|move) \w+ \(number 0\) cannot be played"):
        over.play(0)
    with pytest.raises(IllegalMove, match="must be an int from 0"):
        empty.play(-1)
    rules = {name: getattr(empty, name) for name in empty._arguments}
    with pytest.raises(IllegalMove, match="comes after the end of the game"):
        type(empty).from_moves([*over.moves, 0], **rules)


def test_positions_are_made_by_games():
    with pytest.raises(TypeError, match="make a position of a game"):
        BoardPosition()


@pytest.mark.parametrize("arguments", [
    (int, None, ()), (None, None, ()), (ConnectFour, 6, None, ()),
    (TicTacToe, 3, None, ()), (Gomoku, 4, "exact", None, ()), (MNK, 2, 2, 3, "exact", None, ()),
])
def test_forged_pickles(arguments):
    with pytest.raises(InvalidState):
        restore(*arguments)


def test_a_printed_board_marks_the_line_that_wins():
    assert str(TicTacToe.from_moves("a1 a2 b1 b2 c1")).splitlines() == ["3 . . .", "2 O O .", "1|X|X|X|", "  a b c"]
    slope = str(ConnectFour.from_moves("12233434414", base=1)).splitlines()
    assert slope[2:6] == [" . . .|X|. . .", " . .|X|X . . .", " O|X|X O . . .", "|X|O O O . . ."]


@pytest.mark.parametrize("empty", EMPTY, ids=repr)
def test_a_board_that_is_won_is_read_as_it_is_printed(empty):
    rules = {name: getattr(empty, name) for name in type(empty)._arguments}
    won = end_of(empty)
    printed = str(won)
    assert ("|" in printed) is (won.winner() != 0)
    assert type(empty).from_string(printed, **rules).diagram() == won.diagram()


# ---- cells and arrays ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("empty", EMPTY, ids=repr)
def test_a_cell_holds_the_stone_that_the_diagram_shows(empty):
    state = empty
    while state.winner() is None:
        state = state.play(state.legal_moves()[len(state.moves) % 3 % len(state.legal_moves())])
        stones = [[{".": 0, "X": 1, "O": -1}[cell] for cell in row.split()] for row in state.diagram().splitlines()]
        assert [[state[row, col] for col in range(state.cols)] for row in range(state.rows)] == stones
    assert len(state.moves) == sum(map(abs, sum(stones, [])))


@pytest.mark.parametrize("cell, words", [
    ((6, 0), "row must be an int from 0 to 5, got 6"),
    ((0, 7), "col must be an int from 0 to 6, got 7"),
    ((-1, 0), "row must be an int from 0 to 5, got -1"),
    ((0, 2**80), "col must be an int from 0 to 6, got 1208925"),
    ((1.0, 0), "row must be an int from 0 to 5, got 1.0"),
    ((True, 0), "row must be an int from 0 to 5, got True"),
    ((slice(None), 0), "row must be an int from 0 to 5, got slice"),
    (3, r"a cell must be a row and a column, as in state\[0, 2\], got state\[3\]"),
    ((0, 0, 0), r"a cell must be a row and a column, .* got state\[\(0, 0, 0\)\]"),
    ("d1", r"a cell must be a row and a column, .* got state\['d1'\]"),
], ids=repr)
def test_a_cell_outside_of_the_board_is_refused(cell, words):
    with pytest.raises(InvalidCell, match=words) as found:
        ConnectFour()[cell]
    assert isinstance(found.value, IndexError)


def test_a_position_is_no_sequence():
    with pytest.raises(TypeError, match=r"a Gomoku has no elements .* numpy.asarray\(state\)"):
        list(Gomoku())
    with pytest.raises(TypeError):
        assert 0 in ConnectFour()


@pytest.mark.needs("numpy")
@pytest.mark.parametrize("empty", EMPTY, ids=repr)
def test_numpy_takes_a_position_for_a_board(empty):
    import numpy

    state = empty.play(1).play(2).play(0)
    board = numpy.asarray(state)
    assert (board.dtype, board.shape) == (numpy.int8, (state.rows, state.cols))
    assert board.tolist() == [[state[row, col] for col in range(state.cols)] for row in range(state.rows)]
    assert numpy.asarray(end_of(empty)).any() and not numpy.asarray(empty).any()
    board[:] = 9  # a copy of its own
    assert (numpy.asarray(state) != 9).all()


@pytest.mark.needs("numpy")
def test_numpy_chooses_type_and_copy():
    import numpy

    state = ConnectFour().play(3)
    assert numpy.array(state, dtype=numpy.float32).dtype == numpy.float32
    assert numpy.array(state, dtype="int64", copy=True)[5, 3] == 1
    assert state.__array__().dtype == numpy.int8
    with pytest.raises(InvalidOption, match="copy must be True or None, got False"):
        state.__array__(copy=False)


@pytest.mark.parametrize("empty, signature", [
    (ConnectFour, "(rows=6, cols=7, connect=4)"), (MNK, "(m=3, n=3, k=3, rule='freestyle')"),
    (Gomoku, "(size=15, rule='freestyle')"), (TicTacToe, "()"),
], ids=lambda value: getattr(value, "__name__", ""))
def test_python_knows_the_arguments_of_the_constructor(empty, signature):
    found = inspect.signature(empty)
    assert str(found) == signature
    assert tuple(found.parameters) == empty._arguments
    assert all(getattr(empty(), name) == parameter.default for name, parameter in found.parameters.items())
    assert empty.__doc__.startswith("A position of ")


COLLECTED = """
import faulthandler, gc, mcts_core as mc
faulthandler.dump_traceback_later(30, exit=True)
made = []

def collect(phase, info):  # as a finalizer might
    if len(made) < 200:
        made.append(None)
        made[-1] = mc.ConnectFour(5 + len(made) % 3, 6, 4), mc.MNK(5 + len(made) % 9, 7, 5)

gc.callbacks.append(collect)
gc.set_threshold(1)
for rows in range(2, 9):
    for cols in range(4, 13):
        state = mc.ConnectFour(rows, cols, 4)
        assert state == mc.ConnectFour(rows, cols, 4)
        mc.MNK(rows + 3, cols, 4)
assert len(made) == 200 and {first == mc.ConnectFour(first.rows, 6, 4) for first, _ in made} == {True}
"""


@pytest.mark.needs("processes")
def test_boards_that_the_garbage_collector_makes_while_one_is_made():
    subprocess.run([sys.executable, "-P", "-c", COLLECTED], check=True)
