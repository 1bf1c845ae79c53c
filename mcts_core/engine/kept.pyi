from typing import Any
from weakref import ReferenceType

from typing_extensions import disjoint_base

from mcts_core.engine.loop import SearchCore

@disjoint_base
class KeptFigures:
    @property
    def core(self) -> ReferenceType[SearchCore]: ...
    def figures(self) -> dict[str, Any]: ...
