from typing import Any
from weakref import ReferenceType

from typing_extensions import disjoint_base

from mcts_core.engine.loop import SearchCore

BOARDS: tuple[type, ...]

@disjoint_base
class StatsSnapshot:
    @property
    def core(self) -> ReferenceType[SearchCore]: ...
    @property
    def bytes(self) -> int: ...
    def figures(self) -> dict[str, Any]: ...
