"""Games as tutorials write them, each in a style of its own, for the tests of ``mcts_core.compile``."""

import copy
import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

import numpy as np


class ConnectFour:
    """A list of lists, changed in place; ``divmod``, ``reversed``, ``any``, a chain of comparisons, None in a field."""

    ROWS, COLS = 6, 7

    def __init__(self):
        self.board = [[0] * self.COLS for _ in range(self.ROWS)]
        self.to_move = 1
        self.last = None

    def legal_moves(self):
        return [col for col in range(self.COLS) if self.board[0][col] == 0]

    def push(self, col):
        for row in reversed(range(self.ROWS)):
            if self.board[row][col] == 0:
                self.board[row][col] = self.to_move
                self.last = row * self.COLS + col
                break
        self.to_move = -self.to_move

    def play(self, col):
        new = copy.deepcopy(self)
        new.push(col)
        return new

    def winner(self):
        if self.last is None:
            return None
        row, col = divmod(self.last, self.COLS)
        player = self.board[row][col]
        for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
            length = 1
            for sign in (1, -1):
                y, x = row + sign * down, col + sign * right
                while 0 <= y < self.ROWS and 0 <= x < self.COLS and self.board[y][x] == player:
                    length += 1
                    y += sign * down
                    x += sign * right
            if length >= 4:
                return player
        return None if any(cell == 0 for cell in self.board[0]) else 0

    def __str__(self):
        return "\n".join("".join(".XO"[cell] for cell in row) for row in self.board)


class BitConnectFour:
    """Bitboards; ``play`` calls the constructor with the fields."""

    ORDER = (3, 2, 4, 1, 5, 0, 6)
    FULL = sum(0b111111 << 7 * column for column in range(7))

    def __init__(self, mine=0, stones=0, to_move=1, won=None):
        self.mine, self.stones, self.to_move, self.won = mine, stones, to_move, won

    def legal_moves(self):
        return [column for column in self.ORDER if not self.stones >> 7 * column + 5 & 1]

    def play(self, column):
        stones = self.stones | (self.stones + (1 << 7 * column)) & 0b111111 << 7 * column
        mine = self.mine | stones ^ self.stones
        won = None
        for step in (1, 7, 6, 8):
            pairs = mine & mine >> step
            if pairs & pairs >> 2 * step:
                won = self.to_move
        if won is None and stones == self.FULL:
            won = 0
        return BitConnectFour(stones ^ mine, stones, -self.to_move, won)

    def winner(self):
        return self.won


class NoughtsAndCrosses:
    """A list of texts, and a default that is None."""

    LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def __init__(self, board=None, player="X"):
        self.board = board or [" "] * 9
        self.player = player

    @property
    def to_move(self):
        return 1 if self.player == "X" else -1

    def legal_moves(self):
        moves = []
        for cell in range(9):
            if self.board[cell] == " ":
                moves.append(cell)
        return moves

    def play(self, cell):
        board = self.board[:]
        board[cell] = self.player
        return NoughtsAndCrosses(board, "O" if self.player == "X" else "X")

    def winner(self):
        for a, b, c in self.LINES:
            if self.board[a] == self.board[b] == self.board[c] and self.board[a] != " ":
                return 1 if self.board[a] == "X" else -1
        if " " not in self.board:
            return 0
        return None

    def __str__(self):
        return "".join(self.board)


class TextBoard(NamedTuple):
    """A named tuple with a text as its board, and ``_replace``."""

    cells: str = "........."
    to_move: int = 1

    def legal_moves(self):
        return [cell for cell, mark in enumerate(self.cells) if mark == "."]

    def play(self, cell):
        mark = "X" if self.to_move == 1 else "O"
        return self._replace(cells=self.cells[:cell] + mark + self.cells[cell + 1:], to_move=-self.to_move)

    def winner(self):
        for mark, player in (("X", 1), ("O", -1)):
            for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
                if all(self.cells[cell] == mark for cell in line):
                    return player
        return 0 if self.cells.count(".") == 0 else None

    def __str__(self):
        return self.cells


@dataclass(frozen=True)
class Nim:
    """A frozen dataclass with a tuple, moves as tuples, and ``dataclasses.replace``."""

    heaps: tuple = (3, 4, 5)
    to_move: int = 1

    def legal_moves(self):
        return [(heap, count) for heap, size in enumerate(self.heaps) for count in range(1, size + 1)]

    def play(self, move):
        heap, count = move
        heaps = tuple(size - count if place == heap else size for place, size in enumerate(self.heaps))
        return replace(self, heaps=heaps, to_move=-self.to_move)

    def winner(self):
        return -self.to_move if sum(self.heaps) == 0 else None

    def name(self, move):
        return f"{move[1]}from{move[0]}"


class Player(enum.Enum):
    BLACK = 1
    WHITE = -1


class Othello:
    """Enums, a generator, static and private methods, a move that passes, a table of the module."""

    __slots__ = ("_cells", "passes", "player")
    DIRECTIONS = tuple((y, x) for y, x in product((-1, 0, 1), (-1, 0, 1)) if (y, x) != (0, 0))
    PASS = 64

    def __init__(self):
        self._cells = [0] * 64
        self._cells[27] = self._cells[36] = -1
        self._cells[28] = self._cells[35] = 1
        self.player = Player.BLACK
        self.passes = 0

    @property
    def to_move(self):
        return self.player.value

    @staticmethod
    def _is_inside(y, x):
        return 0 <= y < 8 and 0 <= x < 8

    def _turned(self, move):
        own, turned = self.to_move, []
        if self._cells[move] != 0:
            return turned
        row, col = divmod(move, 8)
        for dy, dx in self.DIRECTIONS:
            line = []
            y, x = row + dy, col + dx
            while self._is_inside(y, x) and self._cells[8 * y + x] == -own:
                line.append(8 * y + x)
                y, x = y + dy, x + dx
            if self._is_inside(y, x) and self._cells[8 * y + x] == own:
                turned.extend(line)
        return turned

    def legal_moves(self):
        found = False
        for move in range(64):
            if self._turned(move):
                found = True
                yield move
        if not found:
            yield self.PASS

    def push(self, move):
        if move == self.PASS:
            self.passes += 1
        else:
            for cell in self._turned(move):
                self._cells[cell] = self.to_move
            self._cells[move] = self.to_move
            self.passes = 0
        self.player = Player.WHITE if self.player is Player.BLACK else Player.BLACK

    def winner(self):
        if self.passes < 2 and 0 in self._cells:
            return None
        lead = sum(self._cells)
        return (lead > 0) - (lead < 0)


class Board(ABC):
    """What games on a square board share."""

    size = 5

    def __init__(self):
        self.grid = np.zeros((self.size, self.size), dtype=np.int8)
        self.to_move = 1

    def copy(self):
        new = self.__class__.__new__(self.__class__)
        new.grid = self.grid.copy()
        new.to_move = self.to_move
        return new

    @abstractmethod
    def is_won(self):
        """Whether the player who moved last has won."""

    def winner(self):
        if self.is_won():
            return -self.to_move
        return 0 if np.all(self.grid != 0) else None


class FourInLine(Board):
    """Inheritance, masks of numpy, tuples as moves, ``super()``."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def copy(self):
        new = super().copy()
        new.count = self.count
        return new

    def legal_moves(self):
        return [(int(row), int(col)) for row, col in np.argwhere(self.grid == 0)]

    def play(self, move):
        new = self.copy()
        new.grid[move] = self.to_move
        new.count += 1
        new.to_move = -new.to_move
        return new

    def is_won(self):
        mine = self.grid == -self.to_move
        if mine.sum() < 4:
            return False
        rows = mine[:, 0] & mine[:, 1] & mine[:, 2] & mine[:, 3] | mine[:, 1] & mine[:, 2] & mine[:, 3] & mine[:, 4]
        cols = mine[0] & mine[1] & mine[2] & mine[3] | mine[1] & mine[2] & mine[3] & mine[4]
        return bool(rows.any() or cols.any())


STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1))
NEIGHBOURS = [[cell + 5 * down + right for down, right in STEPS if 0 <= cell // 5 + down < 5 and
               0 <= cell % 5 + right < 5] for cell in range(25)]
"""Of the cells of a board of hexagons: rows of unequal length."""


def connects(cells, player):
    """Whether a player connects their two sides."""
    todo = [cell for cell in range(25) if cells[cell] == player and (cell < 5 if player == 1 else cell % 5 == 0)]
    seen = set(todo)
    while todo:
        cell = todo.pop()
        if (cell >= 20) if player == 1 else (cell % 5 == 4):
            return True
        for other in NEIGHBOURS[cell]:
            if cells[other] == player and other not in seen:
                seen.add(other)
                todo.append(other)
    return False


class Hex:
    """Functions of the module, a table of unequal rows, sets and a stack in a function."""

    def __init__(self, cells=(0,) * 25, to_move=1):
        self.cells = list(cells)
        self.to_move = to_move

    def legal_moves(self):
        return [cell for cell in range(25) if not self.cells[cell]]

    def play(self, move):
        cells = self.cells.copy()
        cells[move] = self.to_move
        return type(self)(cells, -self.to_move)

    def winner(self):
        return -self.to_move if connects(self.cells, -self.to_move) else None


class Breakthrough:
    """Moves that are pairs of cells, a list of tuples, ``min`` and ``max``, comprehensions with two loops."""

    def __init__(self):
        self.rows = [[-1] * 5, [0] * 5, [0] * 5, [0] * 5, [1] * 5]
        self.turn = 0

    @property
    def to_move(self):
        return 1 if self.turn % 2 == 0 else -1

    def legal_moves(self):
        moves, player = [], self.to_move
        for row in range(5):
            for col in range(5):
                if self.rows[row][col] != player:
                    continue
                to = row - player
                for side in range(max(col - 1, 0), min(col + 1, 4) + 1):
                    target = self.rows[to][side] if 0 <= to < 5 else player
                    if target == 0 or (target == -player and side != col):
                        moves.append(((row, col), (to, side)))
        return moves

    def push(self, move):
        (row, col), (to, side) = move
        self.rows[to][side] = self.rows[row][col]
        self.rows[row][col] = 0
        self.turn += 1

    def winner(self):
        pieces = [cell for row in self.rows for cell in row]
        if 1 in self.rows[0] or pieces.count(-1) == 0:
            return 1
        if -1 in self.rows[4] or pieces.count(1) == 0:
            return -1
        return None


@dataclass
class Duel:
    """Moves that are texts, floats, an attribute of the class, ``max`` with a key, ``next``."""

    life: list = field(default_factory=lambda: [3, 3])
    power: list = field(default_factory=lambda: [1.0, 1.0])
    to_move: int = 1
    turns: int = 0

    moves = ["strike", "rest", "guard"]
    LIMIT = 12

    def _me(self):
        return 0 if self.to_move == 1 else 1

    def legal_moves(self):
        return [move for move in self.moves if move != "rest" or self.power[self._me()] < 2.0]

    def push(self, move):
        me = self._me()
        if move == "strike":
            self.life[1 - me] -= 1 if self.power[me] < 1.5 else 2
            self.power[me] *= 0.75
        elif move == "rest":
            self.power[me] += 0.5
        else:
            self.life[me] = min(self.life[me] + 1, 4)
        self.turns += 1
        self.to_move *= -1

    def winner(self):
        dead = next((side for side in range(2) if self.life[side] <= 0), None)
        if dead is not None:
            return 1 if dead == 1 else -1
        if self.turns < self.LIMIT:
            return None
        best = max(range(2), key=lambda side: self.life[side])
        return 0 if self.life[0] == self.life[1] else (1, -1)[best]


GAMES = [ConnectFour, BitConnectFour, NoughtsAndCrosses, TextBoard, Nim, Othello, FourInLine, Hex, Breakthrough, Duel]


class Watched(NoughtsAndCrosses):
    """With observations for a network, as nested lists."""

    def play(self, cell):
        board = self.board[:]
        board[cell] = self.player
        return Watched(board, "O" if self.player == "X" else "X")

    def observation(self):
        other = "O" if self.player == "X" else "X"
        return [[[1.0 if self.board[3 * row + col] == mark else 0.0 for col in range(3)] for row in range(3)]
                for mark in (self.player, other)]


class Mark(enum.IntEnum):
    EMPTY, X, O = 0, 1, 2  # noqa: E741


class Checked:
    """A set of lines, a set of marks, a play that asks whether the move is legal, an empty list that is returned."""

    LINES = {(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)}

    def __init__(self):
        self.board = [Mark.EMPTY for _ in range(9)]
        self.current = Mark.X
        self.last_move = None

    @property
    def to_move(self):
        return 1 if self.current == Mark.X else -1

    def free(self):
        return [cell for cell, mark in enumerate(self.board) if mark is Mark.EMPTY]

    def legal_moves(self):
        if self.winner() is not None:
            return []
        return self.free()

    def play(self, move):
        if move not in self.legal_moves():
            raise ValueError(f"{move} is not legal")
        new = copy.deepcopy(self)
        new.board[move] = self.current
        new.current = Mark.O if self.current == Mark.X else Mark.X
        new.last_move = move
        return new

    def winner(self):
        for line in self.LINES:
            marks = {self.board[cell] for cell in line}
            if len(marks) == 1 and Mark.EMPTY not in marks:
                return 1 if marks.pop() == Mark.X else -1
        return None if self.free() else 0


class NoneBoard:
    """None and texts in a grid, a dict, lists of lists of tuples."""

    def __init__(self):
        self.grid = [[None] * 3 for _ in range(3)]
        self.turn = "X"

    @property
    def to_move(self):
        return {"X": 1, "O": -1}[self.turn]

    def legal_moves(self):
        return [(row, col) for row in range(3) for col in range(3) if self.grid[row][col] is None]

    def push(self, move):
        row, col = move
        self.grid[row][col] = self.turn
        self.turn = "O" if self.turn == "X" else "X"

    def winner(self):
        lines = [[(row, col) for col in range(3)] for row in range(3)]
        lines += [[(row, col) for row in range(3)] for col in range(3)]
        lines.append([(place, place) for place in range(3)])
        lines.append([(place, 2 - place) for place in range(3)])
        for line in lines:
            marks = [self.grid[row][col] for row, col in line]
            if marks[0] is not None and all(mark == marks[0] for mark in marks):
                return 1 if marks[0] == "X" else -1
        return 0 if all(cell is not None for row in self.grid for cell in row) else None


class Mancala:
    """Extra turns, lists that are copied and changed, a private method that makes the position."""

    PITS = 4

    def __init__(self, pits=None, stores=None, player=0):
        self.pits = [[3] * self.PITS for _ in range(2)] if pits is None else pits
        self.stores = [0, 0] if stores is None else stores
        self.player = player

    @property
    def to_move(self):
        return 1 - 2 * self.player

    def legal_moves(self):
        return [pit for pit, seeds in enumerate(self.pits[self.player]) if seeds > 0]

    def play(self, pit):
        pits, stores = [list(side) for side in self.pits], list(self.stores)
        side, place = self.player, pit
        seeds, pits[side][place] = pits[side][place], 0
        while seeds:
            place += 1
            if place == self.PITS:
                if side == self.player:
                    stores[side] += 1
                    seeds -= 1
                    if seeds == 0:
                        return self._finish(pits, stores, self.player)
                side, place = 1 - side, -1
                continue
            pits[side][place] += 1
            seeds -= 1
        return self._finish(pits, stores, 1 - self.player)

    def _finish(self, pits, stores, player):
        if sum(pits[0]) == 0 or sum(pits[1]) == 0:
            for side in range(2):
                stores[side] += sum(pits[side])
                pits[side] = [0] * self.PITS
        return Mancala(pits, stores, player)

    def winner(self):
        if any(self.pits[0]) or any(self.pits[1]):
            return None
        return (self.stores[0] > self.stores[1]) - (self.stores[0] < self.stores[1])


class Knights:
    """An array of bools, tuples in a list, a class method that makes a position, bits of an int."""

    JUMPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]

    def __init__(self):
        self.blocked = np.zeros((5, 5), dtype=bool)
        self.places = [(0, 0), (4, 4)]
        self.blocked[0, 0] = self.blocked[4, 4] = True
        self.to_move = 1
        self.visited = 1

    @classmethod
    def start(cls):
        return cls()

    def _jumps(self):
        row, col = self.places[0 if self.to_move == 1 else 1]
        return [(row + down, col + right) for down, right in self.JUMPS
                if 0 <= row + down < 5 and 0 <= col + right < 5 and not self.blocked[row + down, col + right]]

    def legal_moves(self):
        return self._jumps()

    def play(self, move):
        new = self.start()
        new.blocked[:] = self.blocked
        new.places = list(self.places)
        new.places[0 if self.to_move == 1 else 1] = move
        new.blocked[move] = True
        new.visited = self.visited | 1 << (5 * move[0] + move[1])
        new.to_move = -self.to_move
        return new

    def winner(self):
        if bin(self.visited).count("1") > 12:
            return 0
        return None if self._jumps() else -self.to_move


MORE = [Checked, NoneBoard, Mancala, Knights]
