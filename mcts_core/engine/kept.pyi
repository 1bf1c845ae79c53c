from typing import Any, Literal
from weakref import ReferenceType

from typing_extensions import disjoint_base

from mcts_core.engine.loop import SearchCore

BOARDS: tuple[type, ...]
RESULTS: tuple[Literal["loss"], Literal["draw"], Literal["win"]]

@disjoint_base
class KeptFigures:
    @property
    def core(self) -> ReferenceType[SearchCore]: ...
    def figures(self) -> dict[str, Any]: ...
