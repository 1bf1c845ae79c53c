from typing import Any

from mcts_core.engine.loop import SearchCore

def top(
    core: SearchCore, number: int, max_depth: int, min_share: float, most: int
) -> tuple[Any, int, int, float, str | None, int | None, list[Any]] | None: ...
