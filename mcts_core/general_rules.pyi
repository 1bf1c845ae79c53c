from typing import Any

class Rules:
    players: int
    player: int
    general: bool
    root_moves: list[Any]
    root: Any
    shape: tuple[int, int, int] | None
    actions: int

class NativeRules(Rules):
    def __init__(self, root: Any, observing: bool) -> None: ...

class PythonRules(Rules):
    def __init__(self, root: Any, observing: bool, aligned: bool) -> None: ...
