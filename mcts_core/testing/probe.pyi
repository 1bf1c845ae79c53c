from collections.abc import Sequence
from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.checks.table_probe import TableProbe
from mcts_core.game import NativeState
from mcts_core.searcher import Searcher

def check_tree(engine: Searcher, whole: bool = False) -> dict[str, int] | None: ...

@disjoint_base
class Probe(TableProbe):
    @property
    def ordered(self) -> bool: ...
    def random(self) -> int: ...
    def below(self, n: int) -> int: ...
    def dirichlet(self, alpha: float, count: int) -> list[float]: ...
    @staticmethod
    def log(x: float) -> float: ...
    @staticmethod
    def exp(x: float) -> float: ...
    def prove(
        self, path: Sequence[int], budget: int, exact: bool = False, memory: int = ..., looks: int = 0,
        book: bool = False, wins_only: bool = False,
    ) -> tuple[tuple[int, int, bool, int | None] | None, int]: ...
    def forget(self) -> None: ...

@disjoint_base
class TableState(NativeState):
    keeper: Any
    def __new__(
        cls,
        state: bytes,
        *,
        functions: dict[str, int],
        max_moves: int,
        players: int = 0,
        actions: int = 0,
        shape: tuple[int, int, int] = (0, 0, 0),
        version: int = ...,
    ) -> Self: ...

@disjoint_base
class ValuedState(NativeState):
    def __new__(
        cls, inner: NativeState, functions: dict[str, int] | None = None, keeper: Any = None, like: Self | None = None
    ) -> Self: ...
    @property
    def inner(self) -> NativeState: ...
    @property
    def keeper(self) -> Any: ...
    @property
    def to_move(self) -> int: ...
    def legal_moves(self) -> list[int]: ...
    def winner(self) -> int | None: ...
    def play(self, move: int) -> ValuedState: ...
