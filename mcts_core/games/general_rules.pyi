from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class Rules:
    players: int
    player: int
    general: bool
    root_moves: list[Any]
    root: Any
    shape: tuple[int, int, int] | None
    actions: int

@disjoint_base
class NativeRules(Rules):
    def __new__(cls, root: Any, observing: bool) -> Self: ...

@disjoint_base
class PythonRules(Rules):
    def __new__(cls, root: Any, observing: bool, aligned: bool) -> Self: ...
