from typing import Any

from typing_extensions import disjoint_base

from mcts_core.engine.settings import SearchSettings
from mcts_core.engine.turn import SearchTurn

@disjoint_base
class SearchedTree(SearchTurn):
    def check(self, state: Any, settings: SearchSettings | None = None) -> None: ...
    @property
    def services(self) -> frozenset[str]: ...
    @property
    def names(self) -> list[Any] | None: ...
    @property
    def held(self) -> int: ...
