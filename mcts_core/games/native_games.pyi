from collections.abc import Callable, Iterable
from typing import Any, Generic, Self, SupportsIndex, final, overload

from typing_extensions import Buffer, TypeVar

from mcts_core.games.native_positions import (
    AnyPosition,
    NativeGeneralPosition,
    NativePosition,
    NativeRules,
)

__all__ = ["NativeGame", "NativeGeneralPosition", "NativePosition", "native_game"]

_Position = TypeVar("_Position", bound=AnyPosition, default=NativePosition)

@final
class NativeGame(NativeRules, Generic[_Position]):
    """The rules of a game in native functions. ``native_game`` makes it, and it never changes.

    ``state()`` returns the first position, ``state(data)`` any other position, and ``from_moves(moves)`` the position
    after these moves.
    """

    @property
    def state_size(self) -> int:
        """Bytes of a state."""
    @property
    def max_moves(self) -> int:
        """Moves are numbers from 0 to ``max_moves - 1``."""
    @property
    def players(self) -> int:
        """The number of players of a general game; 2 in other games."""
    @property
    def moves(self) -> tuple[Any, ...] | None:
        """In a game of ``mcts_core.compile``, the moves of the class by their numbers, as a tuple; else None."""
    @property
    def max_plies(self) -> int:
        """An upper limit of the length of a game, in moves; 0 if it is not known."""
    def __call__(self) -> _Position: ...
    def state(self, data: Any = None, *, to_move: int | None = None) -> _Position:
        """Returns the position with the bytes ``data``, or the first position. The game must not be over there.

        ``data`` is an object with a contiguous buffer of ``state_size`` bytes, such as bytes or an array; in a game of
        ``mcts_core.compile`` also a position of the class. ``to_move`` is the player to move, +1 (the default) or -1.
        If the game has a function ``to_move``, that function determines the player. Raises InvalidState for other data
        and for a position without a legal move.
        """
    def from_moves(
        self, moves: str | Iterable[str | SupportsIndex], *, base: SupportsIndex = 0
    ) -> _Position:
        """Returns the position after ``moves``, a text or a sequence of moves, from the first position.

        Each move is a number, counted from ``base`` (0 or 1), or a name if the game has ``move_name``. Raises
        IllegalMove, which names the illegal move.
        """
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@overload
def native_game(
    *,
    legal_moves: Any,
    play: Any,
    state_size: SupportsIndex,
    max_moves: SupportsIndex,
    start: Buffer | None = None,
    to_move: Any = None,
    rollout: Any = None,
    simulate: Any = None,
    expand: Any = None,
    observe: Any = None,
    shape: tuple[SupportsIndex, SupportsIndex, SupportsIndex] | None = None,
    max_plies: SupportsIndex = 0,
    context: Buffer | int | None = None,
    name: str | None = None,
    text: Callable[[Any], str] | None = None,
    move_name: Callable[[Any, int], str] | None = None,
    ordered: bool = False,
    players: None = None,
    returns: None = None,
    chance: None = None,
    constant_sum: bool = False,
) -> NativeGame: ...
@overload
def native_game(
    *,
    legal_moves: Any,
    play: Any,
    state_size: SupportsIndex,
    max_moves: SupportsIndex,
    start: Buffer | None = None,
    to_move: Any = None,
    rollout: Any = None,
    simulate: Any = None,
    expand: Any = None,
    observe: Any = None,
    shape: tuple[SupportsIndex, SupportsIndex, SupportsIndex] | None = None,
    max_plies: SupportsIndex = 0,
    context: Buffer | int | None = None,
    name: str | None = None,
    text: Callable[[Any], str] | None = None,
    move_name: Callable[[Any, int], str] | None = None,
    ordered: bool = False,
    players: SupportsIndex,
    returns: Any,
    chance: Any = None,
    constant_sum: bool = False,
) -> NativeGame[NativeGeneralPosition]: ...
def attach_class(game: NativeGame[Any], twin: Any, start: Buffer) -> None: ...
def find_game(name: str) -> Any: ...
