from typing import Any

from mcts_core.game import NativeState

class PythonGame(NativeState):
    root: Any
    to_move: int
    root_moves: list[Any]

    def __init__(self, root: Any) -> None: ...
    def raise_error(self) -> None: ...
    def player(self, state: Any) -> int: ...
