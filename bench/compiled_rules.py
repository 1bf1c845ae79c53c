"""The games of ``compile.py``, written as people write them, with ``push`` in place."""


class ConnectFourGame:
    """Connect Four on a list of lists; only lines through the last stone are counted."""

    ROWS, COLS = 6, 7

    def __init__(self):
        self.board = [[0] * self.COLS for _ in range(self.ROWS)]
        self.to_move = 1
        self.last_row = self.last_col = -1
        self.stones = 0

    def legal_moves(self):
        return [col for col in (3, 2, 4, 1, 5, 0, 6) if self.board[0][col] == 0]

    def push(self, col):
        row = self.ROWS - 1
        while self.board[row][col] != 0:
            row -= 1
        self.board[row][col] = self.to_move
        self.last_row, self.last_col = row, col
        self.stones += 1
        self.to_move = -self.to_move

    def count(self, down, right):
        row, col = self.last_row + down, self.last_col + right
        player, length = -self.to_move, 0
        while 0 <= row < self.ROWS and 0 <= col < self.COLS and self.board[row][col] == player:
            length += 1
            row += down
            col += right
        return length

    def winner(self):
        if self.last_row < 0:
            return None
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if self.count(down, right) + self.count(-down, -right) >= 3:
                return -self.to_move
        return 0 if self.stones == self.ROWS * self.COLS else None


class OthelloGame:
    """Othello with passes (move 64), on a list of 64 numbers."""

    DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]

    def __init__(self):
        self.board = [0] * 64
        self.board[27] = self.board[36] = -1
        self.board[28] = self.board[35] = 1
        self.to_move = 1
        self.passes = 0

    def turned(self, row, col, down, right):
        """How many stones a move turns in one direction."""
        count = 0
        row, col = row + down, col + right
        while 0 <= row < 8 and 0 <= col < 8 and self.board[8 * row + col] == -self.to_move:
            count += 1
            row += down
            col += right
        return count if 0 <= row < 8 and 0 <= col < 8 and self.board[8 * row + col] == self.to_move else 0

    def can_play(self, cell):
        row, col = divmod(cell, 8)
        return self.board[cell] == 0 and any(
            self.turned(row, col, down, right) > 0 for down, right in self.DIRECTIONS)

    def legal_moves(self):
        moves = [cell for cell in range(64) if self.can_play(cell)]
        return moves or [64]

    def push(self, cell):
        if cell == 64:
            self.passes += 1
        else:
            row, col = divmod(cell, 8)
            for down, right in self.DIRECTIONS:
                for step in range(self.turned(row, col, down, right) + 1):
                    self.board[8 * (row + step * down) + col + step * right] = self.to_move
            self.passes = 0
        self.to_move = -self.to_move

    def winner(self):
        if self.passes < 2:
            return None
        lead = sum(self.board)
        return 1 if lead > 0 else -1 if lead < 0 else 0


class PentagoGame:
    """Pentago: a stone, then a quarter of the board turns. Moves are 8 * cell + 2 * quarter + direction."""

    STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))

    def __init__(self):
        self.board = [[0] * 6 for _ in range(6)]
        self.to_move = 1
        self.stones = 0

    def legal_moves(self):
        return [8 * (6 * row + col) + turn for row in range(6) for col in range(6) if self.board[row][col] == 0
                for turn in range(8)]

    def push(self, move):
        cell, turn = divmod(move, 8)
        self.board[cell // 6][cell % 6] = self.to_move
        top, left = 3 * (turn // 4), 3 * (turn // 2 % 2)
        old = [self.board[top + row][left + col] for row in range(3) for col in range(3)]
        for row in range(3):
            for col in range(3):
                source = 3 * (2 - col) + row if turn % 2 else 3 * col + 2 - row
                self.board[top + row][left + col] = old[source]
        self.stones += 1
        self.to_move = -self.to_move

    def has_five(self, player):
        for row in range(6):
            for col in range(6):
                for down, right in self.STEPS:
                    if 0 <= row + 4 * down < 6 and 0 <= col + 4 * right < 6 and all(
                            self.board[row + step * down][col + step * right] == player for step in range(5)):
                        return True
        return False

    def winner(self):
        first, second = self.has_five(1), self.has_five(-1)
        if first or second:
            return 0 if first and second else 1 if first else -1
        return 0 if self.stones == 36 else None


class HexGame:
    """Hex on 11 x 11 cells; the groups through the last stone are searched with a stack."""

    SIZE = 11
    STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))

    def __init__(self):
        self.board = [0] * 121
        self.to_move = 1
        self.last = -1

    def legal_moves(self):
        return [cell for cell in range(121) if self.board[cell] == 0]

    def push(self, cell):
        self.board[cell] = self.to_move
        self.last = cell
        self.to_move = -self.to_move

    def winner(self):
        if self.last < 0:
            return None
        player = self.board[self.last]
        seen = [False] * 121
        seen[self.last] = True
        todo = [self.last]
        low = high = False
        while todo:
            row, col = divmod(todo.pop(), self.SIZE)
            along = row if player == 1 else col
            low, high = low or along == 0, high or along == self.SIZE - 1
            for down, right in self.STEPS:
                y, x = row + down, col + right
                if 0 <= y < self.SIZE and 0 <= x < self.SIZE:
                    cell = self.SIZE * y + x
                    if self.board[cell] == player and not seen[cell]:
                        seen[cell] = True
                        todo.append(cell)
        return player if low and high else None


class BreakthroughGame:
    """Breakthrough on 8 x 8 cells. Moves are tuples: the cell and the direction, -1, 0 or 1."""

    def __init__(self):
        self.board = [[-1] * 8, [-1] * 8] + [[0] * 8 for _ in range(4)] + [[1] * 8, [1] * 8]
        self.to_move = 1
        self.reached = False

    def legal_moves(self):
        moves = []
        for row in range(8):
            for col in range(8):
                to = row - self.to_move
                if self.board[row][col] == self.to_move and 0 <= to < 8:
                    for side in (-1, 0, 1):
                        if 0 <= col + side < 8:
                            target = self.board[to][col + side]
                            if target == 0 or (side != 0 and target == -self.to_move):
                                moves.append((row, col, side))
        return moves

    def push(self, move):
        row, col, side = move
        to = row - self.to_move
        self.board[row][col] = 0
        self.board[to][col + side] = self.to_move
        self.reached = to in (0, 7)
        self.to_move = -self.to_move

    def winner(self):
        if self.reached or not any(cell == self.to_move for row in self.board for cell in row):
            return -self.to_move
        return None


class NimGame:
    """Nim with five heaps. Moves are tuples: the heap and what is taken."""

    def __init__(self):
        self.heaps = [3, 4, 5, 6, 7]
        self.to_move = 1

    def legal_moves(self):
        return [(heap, taken) for heap in range(5) for taken in range(1, self.heaps[heap] + 1)]

    def push(self, move):
        heap, taken = move
        self.heaps[heap] -= taken
        self.to_move = -self.to_move

    def winner(self):
        return -self.to_move if sum(self.heaps) == 0 else None


class BitsGame:
    """Connect Four in two ints, by the rules of ``examples/connect_four_numba.py``."""

    ORDER = (3, 2, 4, 1, 5, 0, 6)
    FULL = sum(0b111111 << 7 * column for column in range(7))

    def __init__(self):
        self.mine = self.stones = 0
        self.to_move = 1
        self.won = False

    def legal_moves(self):
        return [column for column in self.ORDER if not self.stones >> 7 * column + 5 & 1]

    def push(self, column):
        stone = self.stones + (1 << 7 * column) & 0b111111 << 7 * column
        mine = self.mine | stone
        self.stones |= stone
        self.won = False
        for step in (1, 7, 6, 8):
            pairs = mine & mine >> step
            if pairs & pairs >> 2 * step:
                self.won = True
        self.mine = self.stones ^ mine
        self.to_move = -self.to_move

    def winner(self):
        if self.won:
            return -self.to_move
        return 0 if self.stones == self.FULL else None
