from typing import Any, Self, SupportsIndex

from typing_extensions import disjoint_base

from mcts_core.game import NativeState

@disjoint_base
class BoardGeometry:
    def __new__(cls) -> Self: ...

@disjoint_base
class BoardPosition(NativeState):
    """A position that never changes, so threads may share it. Positions with the same rules and stones are equal.

    A move is an int. It also has a name, as written beside the board: ``h8``, or in Connect Four the number of the
    column from 1. ``play``, ``name`` and ``move`` take both forms: a text is a name, an int is a number.

    ``state[row, col]`` is the stone in a cell, and ``numpy.asarray(state)`` the whole board.
    """

    _arguments: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The number of rows."""
    @property
    def cols(self) -> int:
        """The number of columns."""
    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, from left to right."""
    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows, from the top. Empty if a move is a column."""
    @property
    def to_move(self) -> int:
        """The player to move: +1 is the first player, -1 the second. At the end, the player who would be next."""
    @property
    def moves(self) -> tuple[int, ...]:
        """The moves played from the empty board, or from the diagram that the position was built from."""
    @property
    def last_move(self) -> int | None:
        """The last move, or None if ``moves`` is empty."""
    def winner(self) -> int | None:
        """Returns None while the game goes on, then +1, -1, or 0 for a draw."""
    def name(self, move: str | SupportsIndex) -> str:
        """Returns the name of ``move``: ``name(112)`` is ``"h8"`` on a board of 15 x 15, and ``name(3)`` is ``"4"`` in
        Connect Four. The cell need not be empty. Raises IllegalMove if there is no such move on the board.
        """
    def move(self, text: str | SupportsIndex) -> int:
        """Returns the number of the move with the name ``text``: ``move("h8")`` is 112 on a board of 15 x 15.

        An int is returned unchanged. Raises IllegalMove if there is no such move on the board. Only ``play`` checks
        that the move is legal.
        """
    def diagram(self) -> str:
        """Returns the cells without coordinates, one line per row from the top: ``X`` is the first player, ``O`` the
        second, and ``.`` an empty cell.
        """
    def __getitem__(self, cell: tuple[SupportsIndex, SupportsIndex]) -> int: ...
    __iter__: None  # positions are no iterables
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def __reduce__(self) -> tuple[object, ...]: ...

def restore(cls: type[BoardPosition], *arguments: Any) -> BoardPosition: ...
