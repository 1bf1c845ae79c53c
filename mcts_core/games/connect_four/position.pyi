from collections.abc import Iterable
from typing import SupportsIndex, final

from mcts_core.games.board_position import BoardGeometry, BoardPosition
from mcts_core.games.connect_four.book import Book

__all__ = ["ConnectFour", "perft", "simple_rollouts", "simple_twin"]

@final
class Geometry(BoardGeometry): ...

def use_book(book: Book | None) -> Book | None: ...

@final
class ConnectFour(BoardPosition):
    """A position of Connect Four. It never changes: threads share it.

    ``ConnectFour(rows=6, cols=7, connect=4)`` is the empty board. Stones fall down the columns. The first player with
    ``connect`` stones in a row, a column or a diagonal wins; a full board without such a line is a draw.

    rows: the number of rows, at least 1.
    cols: the number of columns, at least 1; ``(rows + 1) * cols`` is at most 128.
    connect: the stones of a line that wins, from 2 to the longer side of the board.

    A move is the number of a column, 0 to cols - 1 from left to right. The names of the columns, as printed on the
    board, are 1 to cols: ``play(0)`` and ``play("1")`` are the same move. Two positions are equal if their rules and
    stones are equal, whatever moves led to them. Raises InvalidState for other boards.
    """

    def __init__(
        self, rows: SupportsIndex = 6, cols: SupportsIndex = 7, connect: SupportsIndex = 4
    ) -> None: ...
    @classmethod
    def from_moves(
        cls,
        moves: str | Iterable[str | SupportsIndex],
        *,
        rows: SupportsIndex = 6,
        cols: SupportsIndex = 7,
        connect: SupportsIndex = 4,
        base: SupportsIndex = 0,
    ) -> ConnectFour:
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"4455"`` or a sequence of columns, each a number or a name.
        rows, cols, connect: the board, as for the constructor.
        base: the number of the first column, 0 or 1. With 1, texts and ints count columns as on the board.

        Raises IllegalMove, which names the illegal move, InvalidState for an impossible board, and InvalidOption for
        another ``base``.
        """
    @classmethod
    def from_string(
        cls, text: str, *, rows: SupportsIndex = 6, cols: SupportsIndex = 7, connect: SupportsIndex = 4
    ) -> ConnectFour:
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        rows, cols, connect: the board, as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, and for a position that cannot occur in a
        game: stones in the air, wrong numbers of stones, lines of both players, lines that no last move can have
        completed.
        """
    @property
    def connect(self) -> int:
        """The number of stones in a line that wins."""
    def legal_moves(self) -> list[int]:
        """Returns the columns that are not full, in ascending order. The list is empty when the game is over."""
    def play(self, column: str | SupportsIndex) -> ConnectFour:
        """Returns the position after a stone in ``column``: an int from 0 to ``cols - 1``, or a text as on the board,
        from ``"1"``.

        Raises IllegalMove (no such column, or it is full), or GameOver in a finished game.
        """

def simple_twin(state: ConnectFour) -> ConnectFour: ...
def perft(state: ConnectFour, depth: SupportsIndex) -> int: ...
def simple_rollouts(state: ConnectFour, n: SupportsIndex, seed: SupportsIndex) -> tuple[int, int, int, int]: ...
