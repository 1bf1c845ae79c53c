from collections.abc import Iterable
from typing import Self, SupportsIndex, final

from typing_extensions import disjoint_base

from mcts_core.games.board_position import BoardGeometry, BoardPosition

__all__ = ["MNK", "Gomoku", "TicTacToe", "count_games", "simple_rollouts"]

@final
class Geometry(BoardGeometry):
    def __new__(cls, cols: int, rows: int, k: int, exact: bool) -> Self: ...

@disjoint_base
class MNK(BoardPosition):
    """A position of an m,n,k game. It never changes: threads share it.

    ``MNK(m=3, n=3, k=3, rule="freestyle")`` is the empty board of ``m`` columns and ``n`` rows. The players place
    stones in turn. The first player with ``k`` or more stones in an unbroken row, column or diagonal wins (rule
    ``"exact"``: exactly ``k`` stones); a full board without such a line is a draw.

    m: the number of columns, 1 to 32.
    n: the number of rows, 1 to 32.
    k: the stones of a line that wins, from 3 to the longer side of the board.
    rule: ``"freestyle"`` or ``"exact"``.

    A move is the number ``row * m + column``, where row 0 is the top row. Two positions are equal if their rules and
    stones are equal, whatever moves led to them and whatever their class: ``MNK(3, 3, 3) == TicTacToe()``. Raises
    InvalidState for other rules and boards.
    """

    def __init__(
        self, m: SupportsIndex = 3, n: SupportsIndex = 3, k: SupportsIndex = 3, rule: str = "freestyle"
    ) -> None: ...
    @classmethod
    def from_moves(
        cls,
        moves: str | Iterable[str | SupportsIndex],
        *,
        m: SupportsIndex = 3,
        n: SupportsIndex = 3,
        k: SupportsIndex = 3,
        rule: str = "freestyle",
        base: SupportsIndex = 0,
    ) -> Self:
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"b2 a3"`` or a sequence of moves, each the name of a cell or its number.
        m, n, k, rule: the board and the rule, as for the constructor.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, InvalidState for impossible rules, and InvalidOption for
        another ``base``.
        """
    @classmethod
    def from_string(
        cls,
        text: str,
        *,
        m: SupportsIndex = 3,
        n: SupportsIndex = 3,
        k: SupportsIndex = 3,
        rule: str = "freestyle",
    ) -> Self:
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        m, n, k, rule: the board and the rule, as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, and for a position that cannot occur in a
        game: wrong numbers of stones, lines of both players, lines that no last move can have completed.
        """
    @property
    def m(self) -> int:
        """The number of columns."""
    @property
    def n(self) -> int:
        """The number of rows."""
    @property
    def k(self) -> int:
        """The number of stones in a line that wins."""
    @property
    def rule(self) -> str:
        """``"freestyle"``: ``k`` or more stones in a line win; ``"exact"``: exactly ``k``."""
    def legal_moves(self) -> list[int]:
        """Returns the empty cells in ascending order. The list is empty when the game is over."""
    def play(self, move: str | SupportsIndex) -> Self:
        """Returns the position after a stone in cell ``move``: a number such as 112, or a name such as ``"h8"``.

        Raises IllegalMove (no such cell, or it is occupied), or GameOver in a finished game.
        """

class Gomoku(MNK):
    """A position of gomoku: five in a row on a square board.

    It is an ``MNK`` with m = n = ``size`` and k = 5.

    ``Gomoku(size=15, rule="freestyle")`` is the empty board.

    size: the number of rows and of columns, 5 to 32.
    rule: ``"freestyle"``: five or more stones in a line win; ``"exact"``: exactly five.

    Raises InvalidState for other sizes and rules.
    """

    def __init__(self, size: SupportsIndex = 15, rule: str = "freestyle") -> None: ...
    @classmethod
    def from_moves(  # type: ignore[override]
        cls,
        moves: str | Iterable[str | SupportsIndex],
        *,
        size: SupportsIndex = 15,
        rule: str = "freestyle",
        base: SupportsIndex = 0,
    ) -> Self:
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"h8 g9"`` or a sequence such as ``[112, 96]``.
        size, rule: as for the constructor.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, InvalidState for an impossible size or rule, and InvalidOption
        for another ``base``.
        """
    @classmethod
    def from_string(  # type: ignore[override]
        cls, text: str, *, size: SupportsIndex = 15, rule: str = "freestyle"
    ) -> Self:
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.
        size, rule: as for the constructor.

        Raises InvalidState for a text that is not a diagram of this board, or a position that cannot occur in a game.
        """
    @property
    def size(self) -> int:
        """The number of rows and of columns, 5 to 32."""

class TicTacToe(MNK):
    """A position of tic-tac-toe: an ``MNK`` with m = n = k = 3.

    ``TicTacToe()`` is the empty board.
    """

    def __init__(self) -> None: ...
    @classmethod
    def from_moves(  # type: ignore[override]
        cls, moves: str | Iterable[str | SupportsIndex], *, base: SupportsIndex = 0
    ) -> Self:
        """Returns the position after some moves from the empty board.

        moves: a text such as ``"b2 a3"`` or a sequence such as ``[4, 0]``.
        base: the number of the first cell, 0 or 1.

        Raises IllegalMove, which names the illegal move, and InvalidOption for another ``base``.
        """
    @classmethod
    def from_string(  # type: ignore[override]
        cls, text: str
    ) -> Self:
        """Returns the position of a diagram such as ``str`` makes.

        text: the rows from the top. ``X`` is the first player, ``O`` the second, and ``.`` an empty cell.

        Raises InvalidState for a text that is not a diagram of this board, or a position that cannot occur in a game.
        """

def count_games(state: MNK) -> int: ...
def simple_rollouts(state: MNK, n: SupportsIndex, seed: SupportsIndex) -> tuple[int, int, int, int]: ...
