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
    ) -> ConnectFour: ...
    @classmethod
    def from_string(
        cls, text: str, *, rows: SupportsIndex = 6, cols: SupportsIndex = 7, connect: SupportsIndex = 4
    ) -> ConnectFour: ...
    @property
    def connect(self) -> int: ...
    def legal_moves(self) -> list[int]: ...
    def play(self, column: str | SupportsIndex) -> ConnectFour: ...

def simple_twin(state: ConnectFour) -> ConnectFour: ...
def perft(state: ConnectFour, depth: SupportsIndex) -> int: ...
def simple_rollouts(state: ConnectFour, n: SupportsIndex, seed: SupportsIndex) -> tuple[int, int, int, int]: ...
