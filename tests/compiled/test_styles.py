"""The styles in which rules are written: each compiles, or is refused with the sentence that mends it."""

import enum
from collections import deque

import numpy as np
import pytest
from style_classes import REFUSED_STYLES, STYLES

import mcts_core as mc


class Color(enum.Enum):
    WHITE = 1
    BLACK = -1

    @property
    def sign(self):
        return self.value

    def other(self):
        return Color.BLACK if self is Color.WHITE else Color.WHITE


class Bytes:
    """A board of int8, moves as tuples, rows by numpy."""

    def __init__(self):
        self.board = np.zeros((3, 3), dtype=np.int8)
        self.to_move = 1

    def legal_moves(self):
        return [(row, col) for row in range(3) for col in range(3) if self.board[row, col] == 0]

    def push(self, move):
        self.board[move] = self.to_move
        self.to_move = -self.to_move

    def winner(self):
        for player in (1, -1):
            for i in range(3):
                if self.board[i].sum() == 3 * player or sum(self.board[:, i]) == 3 * player:
                    return player
            if self.board[0, 2] + self.board[1, 1] + self.board[2, 0] == 3 * player:
                return player
            if np.trace(self.board) == 3 * player:
                return player
        return None if (self.board == 0).any() else 0


class Colors:
    """An enum with a method, characters, columns by zip, and match."""

    def __init__(self):
        self.board = [" "] * 9
        self.turn = Color.WHITE

    @property
    def to_move(self):
        return self.turn.sign

    def legal_moves(self):
        return [cell for cell in range(9) if self.board[cell] == " "]

    def push(self, cell):
        match self.turn:
            case Color.WHITE:
                self.board[cell] = "X"
            case _:
                self.board[cell] = "O"
        self.turn = self.turn.other()

    def winner(self):
        for first in (0, 3, 6):
            row = "".join(self.board[first:first + 3])
            if row == "XXX":
                return 1
            if row == "OOO":
                return -1
        return None if " " in self.board else 0


class Columns:
    """Lists of lists whose columns are those of zip."""

    def __init__(self):
        self.board = [[0] * 3 for _ in range(3)]
        self.to_move = 1

    def legal_moves(self):
        return [(row, col) for row, line in enumerate(self.board) for col, cell in enumerate(line) if not cell]

    def push(self, move):
        import math

        row, col = move
        self.board[row][col] = int(math.copysign(1, self.to_move))
        self.to_move *= -1

    def winner(self):
        if any([]):
            return 0
        for column in zip(*self.board):  # noqa: B905 - as beginners write it
            if column[0] and all(cell == column[0] for cell in column):
                return column[0]
        best = max((self.board[0][0], 1), (self.board[2][2], 2))
        return 0 if best[1] and all(all(row) for row in self.board) else None


class Inner:
    """Functions inside of a function, a walrus, a set and a deque in variables, and empty lists of cells."""

    def __init__(self):
        self.board = [[0] * 3 for _ in range(3)]
        self.to_move = 1

    def legal_moves(self):
        def free(row, col):
            return 0 <= row < 3 and self.board[row][col] == 0

        return [(row, col) for row in range(4) for col in range(3) if free(row, col)]

    def push(self, move):
        row, col = move
        self.board[row][col] = self.to_move
        self.to_move *= -1

    def near(self, row, col):
        if row == 2:
            return []
        found = []
        for side in (-1, 0, 1):
            if 0 <= col + side < 3:
                found.append((row + 1, col + side))
        return found

    def crosses(self, player):
        seen = set()
        queue = deque([(0, col) for col in range(3) if self.board[0][col] == player])
        while queue:
            cell = queue.popleft()
            if cell in seen:
                continue
            seen.add(cell)
            if cell[0] == 2:
                return True
            for row, col in self.near(*cell):
                if self.board[row][col] == player:
                    queue.append((row, col))
        return False

    def winner(self):
        sign = lambda player: player if self.crosses(player) else 0  # noqa: E731 - as beginners write it
        if found := sign(1) + sign(-1):
            return found
        return None if self.legal_moves() else 0


class Hidden(Inner):
    """A function inside whose variable has the name of that of a comprehension."""

    def winner(self):
        size = 3

        def full():
            return size

        return None if self.legal_moves() else sum(full() for size in range(2)) * 0


class Lost(Inner):
    """A variable that a comprehension assigns for the lines behind it."""

    def winner(self):
        if any((found := sum(row)) == 3 for row in self.board):
            return found // 3
        return None if self.legal_moves() else 0


class Default(Inner):
    """A default that remembers."""

    def legal_moves(self, seen=[]):  # noqa: B006 - as beginners write it
        seen.append(1)
        return super().legal_moves()


class Over(Inner):
    """Over before it begins."""

    def winner(self):
        return 0


@pytest.mark.parametrize(("cls", "wanted"), [
    (Hidden, "size of the function full is also the name of a variable elsewhere; name one of them otherwise"),
    (Lost, "found is used outside of the comprehension, too; write the comprehension as a for loop"),
    (Default, "the default of seen is changed, which every later call sees; write seen=None"),
    (Over, "the game is over in its first position"),
])
def test_a_style_is_refused_with_what_to_write(cls, wanted):
    with pytest.raises(mc.GameError) as caught:
        mc.compile(cls, cache=False)
    assert wanted in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize("cls", [Bytes, Colors, Columns, Inner, *STYLES])
def test_a_style_compiles_and_agrees(cls):
    game = mc.compile(cls, cache=False)  # compares random games of both
    assert mc.check_game(game, 20).ok
    state = game.state()
    assert [game.moves[move] for move in state.legal_moves()] == list(cls().legal_moves())
    assert state.play(state.legal_moves()[-1]).to_python().to_move == -1


@pytest.mark.long
@pytest.mark.parametrize(("cls", "wanted", "mended"), REFUSED_STYLES)
def test_what_the_message_says_compiles(cls, wanted, mended):
    with pytest.raises(mc.GameError) as caught:
        mc.compile(cls, cache=False)
    assert wanted in str(caught.value)
    assert mc.check_game(mc.compile(mended, cache=False), 20).ok
