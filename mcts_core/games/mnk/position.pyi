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
    ) -> Self: ...
    @classmethod
    def from_string(
        cls,
        text: str,
        *,
        m: SupportsIndex = 3,
        n: SupportsIndex = 3,
        k: SupportsIndex = 3,
        rule: str = "freestyle",
    ) -> Self: ...
    @property
    def m(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def rule(self) -> str: ...
    def legal_moves(self) -> list[int]: ...
    def play(self, move: str | SupportsIndex) -> Self: ...

class Gomoku(MNK):
    def __init__(self, size: SupportsIndex = 15, rule: str = "freestyle") -> None: ...
    @classmethod
    def from_moves(  # type: ignore[override]
        cls,
        moves: str | Iterable[str | SupportsIndex],
        *,
        size: SupportsIndex = 15,
        rule: str = "freestyle",
        base: SupportsIndex = 0,
    ) -> Self: ...
    @classmethod
    def from_string(  # type: ignore[override]
        cls, text: str, *, size: SupportsIndex = 15, rule: str = "freestyle"
    ) -> Self: ...
    @property
    def size(self) -> int: ...

class TicTacToe(MNK):
    def __init__(self) -> None: ...
    @classmethod
    def from_moves(  # type: ignore[override]
        cls, moves: str | Iterable[str | SupportsIndex], *, base: SupportsIndex = 0
    ) -> Self: ...
    @classmethod
    def from_string(cls, text: str) -> Self: ...  # type: ignore[override]

def count_games(state: MNK) -> int: ...
def simple_rollouts(state: MNK, n: SupportsIndex, seed: SupportsIndex) -> tuple[int, int, int, int]: ...
