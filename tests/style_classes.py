"""Games in further styles, as tutorials write them, for the tests of ``mcts_core.compile``."""

import copy
from collections import namedtuple
from dataclasses import dataclass

import numpy as np


class Board:
    """A board of 4x4 cells: lists of lists, ``push`` in place, moves as tuples."""

    N = 4

    def __init__(self):
        self.board = [[0] * self.N for _ in range(self.N)]
        self.to_move = 1

    def legal_moves(self):
        return [(row, col) for row in range(self.N) for col in range(self.N) if self.board[row][col] == 0]

    def push(self, move):
        row, col = move
        self.board[row][col] = self.to_move
        self.to_move = -self.to_move

    def winner(self):
        return None if self.legal_moves() else 0


# ---- which compile ---------------------------------------------------------------------------------------------------

class Recursion(Board):
    """A flood fill by a method that calls itself."""

    def _fill(self, row, col, player, seen):
        if not (0 <= row < self.N and 0 <= col < self.N) or seen[row][col] or self.board[row][col] != player:
            return False
        seen[row][col] = True
        if (row if player == 1 else col) == self.N - 1:
            return True
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if self._fill(row + down, col + right, player, seen):
                return True
        return False

    def winner(self):
        for player in (1, -1):
            seen = [[False] * self.N for _ in range(self.N)]
            for place in range(self.N):
                if self._fill(0 if player == 1 else place, place if player == 1 else 0, player, seen):
                    return player
        return None if self.legal_moves() else 0


class InnerRecursion(Board):
    """A function inside of a method that calls itself, and a set around it."""

    def connects(self, player):
        visited = set()

        def reaches(row, col):
            if (row, col) in visited or row < 0 or col < 0 or row >= self.N or col >= self.N:
                return False
            if self.board[row][col] != player:
                return False
            visited.add((row, col))
            if (row if player == 1 else col) == self.N - 1:
                return True
            return reaches(row + 1, col) or reaches(row - 1, col) or reaches(row, col + 1) or reaches(row, col - 1)

        return any(reaches(0, place) if player == 1 else reaches(place, 0) for place in range(self.N))

    def winner(self):
        for player in (1, -1):
            if self.connects(player):
                return player
        return None if self.legal_moves() else 0


class Groups(Board):
    """Groups and liberties as in Go: sets of cells, a set as an argument with the default None."""

    STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def near(self, row, col):
        return [(row + down, col + right) for down, right in self.STEPS
                if 0 <= row + down < self.N and 0 <= col + right < self.N]

    def group(self, row, col, seen=None):
        if seen is None:
            seen = set()
        seen.add((row, col))
        for y, x in self.near(row, col):
            if self.board[y][x] == self.board[row][col] and (y, x) not in seen:
                self.group(y, x, seen)
        return seen

    def liberties(self, group):
        free = set()
        for row, col in group:
            for down, right in self.STEPS:
                y, x = row + down, col + right
                if 0 <= y < self.N and 0 <= x < self.N and self.board[y][x] == 0:
                    free.add((y, x))
        return free

    def winner(self):
        for row in range(self.N):
            for col in range(self.N):
                if self.board[row][col] and not self.liberties(self.group(row, col)):
                    return -self.board[row][col]
        return None


class Chain(Board):
    """A chain reaction in ``push``, by a method that calls itself."""

    N = 3

    def __init__(self):
        super().__init__()
        self.owner = [[0] * self.N for _ in range(self.N)]
        self.turn = 0

    def legal_moves(self):
        return [(row, col) for row in range(3) for col in range(3) if self.owner[row][col] in (0, self.to_move)]

    def explode(self, row, col, depth=0):
        self.board[row][col] += 1
        self.owner[row][col] = self.to_move
        if self.board[row][col] >= (row > 0) + (row < 2) + (col > 0) + (col < 2) and depth < 20:
            self.board[row][col] = 0
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                if 0 <= row + down < 3 and 0 <= col + right < 3:
                    self.explode(row + down, col + right, depth + 1)

    def push(self, move):
        self.explode(*move)
        self.turn += 1
        self.to_move = -self.to_move

    def winner(self):
        if self.turn < 2:
            return None
        owners = [owner for row in self.owner for owner in row]
        if 1 not in owners:
            return -1
        return 1 if -1 not in owners else 0 if self.turn > 30 else None


class Items(Board):
    """``self[row, col]`` and ``len(self)``."""

    def __getitem__(self, place):
        row, col = place
        return self.board[row][col]

    def __setitem__(self, place, value):
        row, col = place
        self.board[row][col] = value

    def __contains__(self, value):
        return any(value in row for row in self.board)

    def __len__(self):
        return self.N * self.N - sum(row.count(0) for row in self.board)

    def push(self, move):
        self[move] += self.to_move
        self.to_move *= -1

    def winner(self):
        lines = [[self[row, col] for col in range(self.N)] for row in range(self.N)]
        lines.append([self[place, place] for place in range(self.N)])
        for line in lines:
            if abs(sum(line)) == self.N:
                return line[0]
        return None if 0 in self and len(self) < 14 else 0


Move = namedtuple("Move", "row col")


class NamedMoves(Board):
    """Moves that are named tuples, and the last of them or None in a field."""

    def __init__(self):
        super().__init__()
        self.last = None

    def legal_moves(self):
        return [Move(row, col=col) for row in range(self.N) for col in range(self.N) if self.board[row][col] == 0]

    def push(self, move):
        self.board[move.row][move.col] = self.to_move
        self.last = move
        self.to_move *= -1

    def winner(self):
        if self.last is None:
            return None
        player = self.board[self.last[0]][self.last[1]]
        if all(cell == player for cell in self.board[self.last[0]]):
            return player
        return None if self.legal_moves() else 0


@dataclass(frozen=True)
class Step:
    start: int
    end: int


class Pieces:
    """Pieces as upper and lower case letters, moves as frozen dataclasses."""

    def __init__(self):
        self.cells = ["P", "P", "", "", "p", "p"]
        self.turn = 0

    @property
    def to_move(self):
        return 1 if self.turn % 2 == 0 else -1

    def is_mine(self, piece):
        return piece.isupper() if self.to_move == 1 else piece.islower()

    def legal_moves(self):
        found = []
        for start, piece in enumerate(self.cells):
            if piece != "" and self.is_mine(piece):
                for end in (start - 1, start + 1, start + 2):
                    if 0 <= end < 6 and not (self.cells[end] != "" and self.is_mine(self.cells[end])):
                        found.append(Step(start=start, end=end))
        return found

    def push(self, move):
        self.cells[move.end] = self.cells[move.start]
        self.cells[move.start] = ""
        self.turn += 1

    def winner(self):
        if "p" not in self.cells:
            return 1
        if "P" not in self.cells:
            return -1
        return 0 if self.turn > 30 or not self.legal_moves() else None


class Turning(Board):
    """A list that only grows by ``+=``, and a loop over a range or a list."""

    def near(self, row, col):
        found = []
        for down, right in ((0, 1), (1, 0)):
            line = []
            y, x = row + down, col + right
            while y < self.N and x < self.N and self.board[y][x] == -self.to_move:
                line.append((y, x))
                y, x = y + down, x + right
            if line and y < self.N and x < self.N:
                found += line
        return found

    def push(self, move):
        for row, col in self.near(*move):
            self.board[row][col] = self.to_move
        super().push(move)

    def winner(self):
        for row in [0] if self.board[0][0] == 1 else range(self.N):
            if abs(sum(self.board[row])) == self.N:
                return self.board[row][0]
        return None if self.legal_moves() else 0


class Sorted(Board):
    """``sorted`` and ``sort`` with a key and in reverse, ``:=`` within a line and behind ``and``."""

    def legal_moves(self):
        moves = super().legal_moves()
        return sorted(moves, key=lambda move: (abs(move[0] - 1) + abs(move[1] - 2), move[0]), reverse=True)

    def winner(self):
        sums = [sum(row) for row in self.board]
        sums.sort(key=lambda total: -total)
        pair = [best := sums[0], best + sums[1]]
        count = len(self.legal_moves())
        if count < 9 and (lead := pair[1] - 1) > 1 and lead < 9:
            return 1
        return None if count else -1


class Arrays:
    """Boards of numpy: ``zip(*np.where())``, axes, diagonals."""

    def __init__(self):
        self.board = np.zeros((3, 3), dtype=int)
        self.to_move = 1

    def legal_moves(self):
        return list(zip(*np.where(self.board == 0)))  # noqa: B905 - as beginners write it

    def play(self, move):
        new = Arrays()
        new.board = self.board.copy()
        new.board[move] = self.to_move
        new.to_move = -self.to_move
        return new

    def winner(self):
        for player in (1, -1):
            mine = self.board == player
            if mine.all(axis=0).any() or np.any(np.all(mine, axis=1)):
                return player
            if mine.diagonal().all() or np.fliplr(mine).diagonal().all():
                return player
        return None if (self.board == 0).any() else 0


class DictBoard:
    """A dict from cells to texts, copied and given to the constructor, and a list of the moves so far."""

    def __init__(self, board=None, player="X", history=None):
        self.board = board if board is not None else {(row, col): None for row in range(3) for col in range(3)}
        self.player = player
        self.history = history or []

    @property
    def to_move(self):
        return 1 if self.player == "X" else -1

    def legal_moves(self):
        return [cell for cell, mark in self.board.items() if mark is None]

    def play(self, move):
        board = self.board.copy()
        board[move] = self.player
        return DictBoard(board, "O" if self.player == "X" else "X", [*self.history, move])

    def winner(self):
        for col in range(3):
            marks = {self.board[row, col] for row in range(3)}
            if len(marks) == 1 and None not in marks:
                return 1 if marks.pop() == "X" else -1
        return None if None in self.board.values() else 0

    def __str__(self):
        return f"{list(self.board.values())} {self.history}"


class Undoing:
    """A list of moves that grows and shrinks, and a dict of counts."""

    def __init__(self):
        self.cells = [0] * 6
        self.to_move = 1
        self.log = []
        self.taken = {1: 0, -1: 0}

    def legal_moves(self):
        free = [(one, other) for one in range(6) for other in range(one) if not self.cells[one] + self.cells[other]]
        return free + ([(-1, -1)] if self.log else [])

    def push(self, move):
        if move == (-1, -1):
            one, other = self.log.pop()
            self.cells[one] = 0
            self.taken[self.to_move] += 1
        else:
            self.cells[move[0]] = 7
            self.log.append(move)
        self.to_move = -self.to_move

    def winner(self):
        if max(self.taken.values()) < 3 and len(self.log) < 5:
            return self.to_move if len(self.log) > 2 and self.log[-1] == (5, 0) else None
        return (self.taken[1] > self.taken[-1]) - (self.taken[-1] > self.taken[1])


class SetsOfCells:
    """Sets of cells in fields, changed in place by a choice between them."""

    LINES = [{(0, 0), (0, 1), (0, 2)}, {(0, 0), (1, 1), (2, 2)}, {(0, 2), (1, 1), (2, 0)}]

    def __init__(self):
        self.free = {(row, col) for row in range(3) for col in range(3)}
        self.mine, self.theirs = set(), set()
        self.to_move = 1

    def legal_moves(self):
        return sorted(self.free)

    def push(self, move):
        self.free.remove(move)
        (self.mine if self.to_move == 1 else self.theirs).add(move)
        self.to_move *= -1

    def winner(self):
        for line in self.LINES:
            if line <= self.mine:
                return 1
            if self.theirs.issuperset(line):
                return -1
        return None if self.free else 0


@dataclass(frozen=True)
class FrozenSets:
    """The first game of docs/own_game.md."""

    stones: frozenset = frozenset()
    to_move: int = 1

    def legal_moves(self):
        return [cell for cell in range(9) if cell not in self.stones]

    def play(self, cell):
        return type(self)(self.stones | {cell}, -self.to_move)

    def winner(self):
        return self.to_move if any(self.stones.issuperset(line) for line in ((0, 1, 2), (3, 4, 5), (0, 4, 8))) else None


class TextSums:
    """A text as the board, whose characters are added up, and minimax over positions within the rules."""

    def __init__(self):
        self.cells = "." * 6
        self.to_move = 1

    def legal_moves(self):
        return [cell for cell, mark in enumerate(self.cells) if mark == "."]

    def push(self, cell):
        mark = "X" if self.to_move == 1 else "O"
        self.cells = self.cells[:cell] + mark + self.cells[cell + 1:]
        self.to_move = -self.to_move

    def value(self, depth):
        if depth == 0 or not self.legal_moves():
            return 1 if self.cells[0] + self.cells[5] in ("XX", "OO") else 0
        best = -2
        for move in self.legal_moves():
            new = copy.deepcopy(self)
            new.push(move)
            best = max(best, -new.value(depth - 1))
        return best

    def winner(self):
        trio = self.cells[0] + self.cells[2] + self.cells[4]
        if trio == "XXX":
            return 1
        return None if self.legal_moves() else self.value(0) if "." not in self.cells and self.value(2) < 2 else -1


STYLES = [Recursion, InnerRecursion, Groups, Chain, Items, NamedMoves, Pieces, Turning, Sorted, Arrays, DictBoard,
          Undoing, SetsOfCells, FrozenSets, TextSums]


# ---- which are refused, each with the class that the message leads to ------------------------------------------------

class PopFromSet(Board):
    def winner(self):
        todo, seen = {(0, col) for col in range(4) if self.board[0][col] == 1}, set()
        while todo:
            row, col = todo.pop()
            seen.add((row, col))
            if row == 3:
                return 1
            for cell in ((row + 1, col), (row, col + 1), (row, col - 1)):
                if 0 <= cell[1] < 4 and self.board[cell[0]][cell[1]] == 1 and cell not in seen:
                    todo.add(cell)
        return None if self.legal_moves() else -1


class PopFromList(PopFromSet):
    def winner(self):
        todo, seen = [(0, col) for col in range(4) if self.board[0][col] == 1], set()
        while todo:
            row, col = todo.pop()
            seen.add((row, col))
            if row == 3:
                return 1
            for cell in ((row + 1, col), (row, col + 1), (row, col - 1)):
                if 0 <= cell[1] < 4 and self.board[cell[0]][cell[1]] == 1 and cell not in seen:
                    todo.append(cell)
        return None if self.legal_moves() else -1


class ListOfSet(Board):
    def legal_moves(self):
        moves = set()
        for row in range(self.N):
            for col in range(self.N):
                if self.board[row][col] == 0:
                    moves.add((row, col))
        return list(moves)


class SortedSet(ListOfSet):
    def legal_moves(self):
        moves = set()
        for row in range(self.N):
            for col in range(self.N):
                if self.board[row][col] == 0:
                    moves.add((row, col))
        return sorted(moves)


class LoopOverSet(Board):
    def winner(self):
        last = 0
        for cell in {7 * row + 31 * col for row, col in self.legal_moves()}:
            last = cell
        return None if last else 0


class LoopOverSorted(Board):
    def winner(self):
        last = 0
        for cell in sorted({7 * row + 31 * col for row, col in self.legal_moves()}):
            last = cell
        return None if last else 0


class WinnerAsProperty(Board):
    @property
    def winner(self):
        return None if self.legal_moves() else 0


class Trying(Board):
    def at(self, row, col):
        try:
            return self.board[row][col]
        except IndexError:
            return 9

    def winner(self):
        return None if self.at(3, 4) == 9 and self.legal_moves() else 0


class Asking(Trying):
    def at(self, row, col):
        if not (row < 4 and col < 4):
            return 9
        return self.board[row][col]


class TextMoves(Board):
    def legal_moves(self):
        return [f"{'abcd'[col]}{row + 1}" for row, col in super().legal_moves()]

    def push(self, move):
        super().push((int(move[1]) - 1, ord(move[0]) - ord("a")))


class NamedCells(Board):
    def name(self, move):
        return f"{'abcd'[move[1]]}{move[0] + 1}"


class Remembering(Board):
    """Positions by their text in a dict, to see repetitions."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    def push(self, move):
        super().push(move)
        key = "".join(str(cell) for row in self.board for cell in row)
        self.seen[key] = self.seen.get(key, 0) + 1


class SparseDict(Board):
    """Only the cells with stones are in the dict."""

    def __init__(self):
        super().__init__()
        self.stones = {}

    def push(self, move):
        self.stones[move] = self.to_move
        super().push(move)


class FullDict(Board):
    def __init__(self):
        super().__init__()
        self.stones = {(row, col): None for row in range(self.N) for col in range(self.N)}

    def push(self, move):
        self.stones[move] = self.to_move
        super().push(move)


class AliasOfSet(SetsOfCells):
    def push(self, move):
        own = self.mine if self.to_move == 1 else self.theirs
        own.add(move)
        self.free.remove(move)
        self.to_move *= -1


class SetOfMany(Board):
    def __init__(self):
        super().__init__()
        self.taken = {1: set(), -1: set()}

    def push(self, move):
        self.taken[self.to_move].add(move)
        super().push(move)


class MixedInts(Board):
    """A variable that is an int at first, and then a number of an array of int8."""

    def __init__(self):
        self.board = np.zeros((4, 4), dtype=np.int8)
        self.to_move = 1

    def push(self, move):
        self.board[move] = 40 * self.to_move
        self.to_move = -self.to_move

    def winner(self):
        most = 0
        for row in range(4):
            if self.board[row, 0] > most:
                most = self.board[row, 0]
        return 1 if most * 3 == 120 and self.board[3, 3] != 0 else None if (self.board == 0).any() else 0


class ConvertedInts(MixedInts):
    def winner(self):
        most = 0
        for row in range(4):
            if self.board[row, 0] > most:
                most = int(self.board[row, 0])
        return 1 if most * 3 == 120 and self.board[3, 3] != 0 else None if (self.board == 0).any() else 0


REFUSED_STYLES = [
    (MixedInts, "most is an int at one place, and a number of an array of small ints at another, which numpy lets wrap "
     "around; write int(...)", ConvertedInts),
    (PopFromSet, "row, col = todo.pop()\n  pop() takes any member of a set: keep what is still to do in a list",
     PopFromList),
    (ListOfSet, "return list(moves)\n  a set has no order: write sorted(x) in place of list(x)", SortedSet),
    (LoopOverSet, "a set has no order: write sorted(x) in place of list(x), and loop over sorted(x)", LoopOverSorted),
    (WinnerAsProperty, "winner is a property; make it a method: leave out @property", Board),
    (Trying, "try ... except; ask by `if` before", Asking),
    (TextMoves, "write moves as tuples, such as (row, col), and make texts in name()", NamedCells),
    (Remembering, "self.seen\n  the field is a dict that does not keep its keys", Board),
    (SparseDict, "give it all of its keys at the beginning, with None or 0 for nothing", FullDict),
    (AliasOfSet, "a set in a field is changed by another name; change it by its own name", SetsOfCells),
    (SetOfMany, "the field is a set within another container; give each a field of its own", SetsOfCells),
]
