from collections.abc import Iterable
from typing import Any, Final, Self, SupportsIndex, final

from typing_extensions import disjoint_base

from mcts_core.game import NativeState
from mcts_core.games.native_games import NativeGame

__all__ = ["AnyPosition", "NativeGeneralPosition", "NativePosition", "NativeRules"]

@disjoint_base
class NativeRules:
    """The functions of a game; NativeGame makes positions of them."""

    name: Final[str]
    twin: Final[Any]

@disjoint_base
class AnyPosition(NativeState):
    """What positions of both kinds of games share."""

    @property
    def rules(self) -> NativeGame[Any]:
        """The NativeGame."""
    @property
    def data(self) -> bytes:
        """The bytes of the state."""
    @property
    def moves(self) -> tuple[int, ...]:
        """The moves played from the first position, or from the position that was built from data."""
    @property
    def last_move(self) -> int | None:
        """The last move, or None if ``moves`` is empty."""
    def legal_moves(self) -> list[int]:
        """Returns the legal moves in the order of the game. The list is empty when the game is over. Raises GameError.
        """
    def name(self, move: str | SupportsIndex) -> str:
        """Returns the name of the legal move ``move``: the text from the game's ``move_name``, or else its number.

        Raises IllegalMove, also for a move that is not legal if the game has ``move_name``, and GameError.
        """
    def move(self, text: str | SupportsIndex) -> int:
        """Returns the number of the move with the name ``text``. A number is returned unchanged. Raises IllegalMove,
        GameError.
        """
    def play(self, move: Any) -> Self:
        """Returns the position after ``move``, a number or a name. Raises IllegalMove, GameOver in a finished game,
        and GameError.
        """
    def to_python(self) -> Any:
        """Returns the position of the class in Python, a new object, in a game of ``mcts_core.compile``. Raises
        InvalidState in other games.
        """
    def _repr_svg_(self) -> str | None: ...
    def explain_error(self) -> str:
        """The last error of the functions of the game, in words."""
    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class NativePosition(AnyPosition):
    """A position of a ``NativeGame``. It never changes, so threads may share it.

    Two positions are equal if game, bytes, player to move and result are equal, whatever moves led to them.
    """

    @property
    def to_move(self) -> int:
        """The player to move: +1 or -1. At the end of the game, the player who did not make the last move."""
    def winner(self) -> int | None:
        """Returns None while the game goes on, then +1, -1, or 0 for a draw."""

@final
class NativeGeneralPosition(AnyPosition):
    @property
    def to_move(self) -> int | str: ...
    @property
    def players(self) -> int: ...
    @property
    def constant_sum(self) -> bool: ...
    def chance_outcomes(self) -> list[tuple[int, float]]: ...
    def returns(self) -> tuple[float, ...] | None: ...

def restore(
    game: NativeGame[Any], data: bytes | None, to_move: int | None, moves: Iterable[SupportsIndex]
) -> Any: ...
