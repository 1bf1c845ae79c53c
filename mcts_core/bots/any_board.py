"""Connect Four on boards of any size and in any position, for those that ``mcts_core.ConnectFour`` does not support.

This is Python code, so a search runs only some thousands of iterations a second. It therefore searches only the most
promising columns and a limited number of moves ahead, and finds immediate wins and threats without a search.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WALL = 2
COLUMNS = 12
"""Columns that are searched, at most."""
HORIZON = 48
"""A game without a winner counts as a draw after this many moves, or three for each stone of a line if that is more."""
REACH = 16
"""Cells to each side that the rating of a move considers, at most."""


class AnyBoard:
    """A position on any board, and a state for ``mcts_core.search``. Search only the ``candidates``.

    rows, cols, connect: >= 1.
    cells: rows * cols values, row 0 on top: 0 is empty, +1 the player who began, -1 the other. A stone falls to the
        lowest empty cell of its column, even if other stones hang above it. A column with a stone on top is full.
    to_move: +1 or -1, whatever the numbers of stones are.
    """

    __slots__ = ("_board", "_left", "_next", "_placed", "_winner", "to_move")

    def __init__(self, rows: int, cols: int, connect: int, cells: Sequence[int], to_move: int) -> None:
        self._board = board = _Board(rows, cols, connect, cells)
        self._placed: dict[int, int] = {}
        self._next = {col: cell for col in range(cols) if (cell := board.lowest(col))}
        self._left = max(HORIZON, 3 * connect)
        self._winner: int | None = None if self._next else 0
        self.to_move = to_move

    def legal_moves(self) -> list[int]:
        """The columns that are searched and not full."""
        return [] if self._winner is not None else list(self._next)

    def winner(self) -> int | None:
        """None while the game goes on, then +1, -1, or 0 for a draw or for a game beyond the horizon of the search."""
        return self._winner

    def play(self, move: int) -> AnyBoard:
        """The position after a stone in the column ``move``."""
        board, player = self._board, self.to_move
        cell = self._next[move]
        new = object.__new__(AnyBoard)
        new._board = board
        new._placed = {**self._placed, cell: player}
        new._next = {**self._next}
        above = board.above(cell)
        if above:
            new._next[move] = above
        else:
            del new._next[move]
        new._left = self._left - 1
        new.to_move = -player
        if board.completes(cell, player, self._placed):
            new._winner = player
        else:
            new._winner = None if new._next and new._left else 0
        return new

    def candidates(self, deadline: float) -> tuple[list[int], AnyBoard]:
        """The columns to search, the best first, and the position restricted to them.

        There is only one column if it wins at once, or if the opponent would win there. Columns that are not rated
        before ``deadline``, a reading of ``time.perf_counter``, are left out; at least one is rated.
        """
        board, me = self._board, self.to_move
        forced = None
        rated = []
        middle = (board.cols - 1) / 2
        for col in sorted(self._next, key=lambda col: (abs(col - middle), col)):
            cell = self._next[col]
            if board.completes(cell, me, {}):
                return self._only([col])
            if forced is None and board.completes(cell, -me, {}):
                forced = col
            above = board.above(cell)
            gives = above and board.completes(above, -me, {cell: me})
            rated.append((not gives, board.promise(cell), col))
            if time.perf_counter() > deadline:
                break
        if forced is not None:
            return self._only([forced])
        rated.sort(key=lambda entry: entry[:2], reverse=True)  # stable: of equals, the middle one first
        return self._only([col for _, _, col in rated[:COLUMNS]])

    def _only(self, columns: list[int]) -> tuple[list[int], AnyBoard]:
        new = object.__new__(AnyBoard)
        new._board, new._placed, new._left = self._board, self._placed, self._left
        new._next = {col: self._next[col] for col in columns}
        new._winner, new.to_move = self._winner, self.to_move
        return columns, new


class _Board:
    """Size and stones of the position from which a search begins. Immutable.

    A frame of walls surrounds the numbered cells, so that no step leaves the board.
    """

    __slots__ = ("cells", "cols", "connect", "rows", "steps", "width")

    def __init__(self, rows: int, cols: int, connect: int, cells: Sequence[int]) -> None:
        self.rows, self.cols, self.connect = rows, cols, connect
        self.width = width = cols + 2
        self.steps = (width, 1, width + 1, width - 1)
        self.cells = [WALL] * width
        for row in range(rows):
            self.cells += [WALL, *cells[row * cols:(row + 1) * cols], WALL]
        self.cells += [WALL] * width

    def lowest(self, col: int) -> int:
        """The lowest empty cell of a column, or 0 if it is full."""
        if self.cells[self.width + col + 1]:
            return 0
        return self.above((self.rows + 1) * self.width + col + 1)

    def above(self, cell: int) -> int:
        """The next empty cell above ``cell``, or 0."""
        cells, width = self.cells, self.width
        while cell >= 2 * width:
            cell -= width
            if cells[cell] == 0:
                return cell
        return 0

    def completes(self, cell: int, player: int, placed: dict[int, int]) -> bool:
        """Whether a stone of ``player`` in an empty cell makes a line; ``placed``: stones played since the start."""
        cells, needed = self.cells, self.connect - 1
        if needed == 0:
            return True
        for step in self.steps:
            count = 0
            for direction in (step, -step):
                at = cell + direction
                while (placed[at] if at in placed else cells[at]) == player:
                    count += 1
                    if count == needed:
                        return True
                    at += direction
        return False

    def promise(self, cell: int) -> int:
        """How promising a cell is: higher for more stones of either player on the lines through it."""
        cells = self.cells
        reach = min(self.connect - 1, REACH)
        total = 0
        for player in (1, -1):
            for step in self.steps:
                room, stones = 1, 0
                for direction in (step, -step):
                    at = cell + direction
                    for _ in range(reach):
                        if cells[at] != player and cells[at] != 0:
                            break
                        room += 1
                        stones += cells[at] == player
                        at += direction
                if room > reach:
                    total += (stones + 1) ** 2
        return total
