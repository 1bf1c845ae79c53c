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
    @property
    def state_size(self) -> int: ...
    @property
    def max_moves(self) -> int: ...
    @property
    def players(self) -> int: ...
    @property
    def moves(self) -> tuple[Any, ...] | None: ...
    @property
    def max_plies(self) -> int: ...
    def __call__(self) -> _Position: ...
    def state(self, data: Any = None, *, to_move: int | None = None) -> _Position: ...
    def from_moves(
        self, moves: str | Iterable[str | SupportsIndex], *, base: SupportsIndex = 0
    ) -> _Position: ...
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
