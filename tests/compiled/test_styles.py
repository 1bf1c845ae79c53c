"""The styles in which rules are written: each compiles, or is refused with the sentence that mends it."""

import enum

import numpy as np
import pytest

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


@pytest.mark.long
@pytest.mark.parametrize("cls", [Bytes, Colors, Columns])
def test_a_style_compiles_and_agrees(cls):
    game = mc.compile(cls, cache=False)
    assert mc.check_game(game, 20).ok
    assert game.state().play(4).to_python().to_move == -1
