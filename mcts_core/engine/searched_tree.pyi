from typing import Any

from typing_extensions import disjoint_base

from mcts_core.engine.turn import SearchTurn

def by_visits_key(child: tuple[Any, ...]) -> tuple[int, float]: ...
def by_value_key(child: tuple[Any, ...]) -> tuple[bool, float, int]: ...

@disjoint_base
class SearchedTree(SearchTurn):
    @property
    def names(self) -> list[Any] | None: ...
    def figures(self) -> dict[str, Any] | None: ...
