from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.game import NativeState

@disjoint_base
class PythonGame(NativeState):
    root: Any
    to_move: int
    root_moves: list[Any]

    def __new__(cls, root: Any) -> Self: ...
