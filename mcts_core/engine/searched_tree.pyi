from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.engine.settings import SearchSettings
from mcts_core.engine.turn import SearchTurn

@disjoint_base
class SearchedTree(SearchTurn):
    def __new__(cls, memory: int, threads: int = 1) -> Self: ...
    def check(self, state: Any, settings: SearchSettings | None = None) -> None: ...
    @property
    def names(self) -> list[Any] | None: ...
    @property
    def held(self) -> int: ...
