from typing import Any

from mcts_core.engine.searched_two_player import TwoPlayerCore

def top(
    core: TwoPlayerCore, number: int, max_depth: int, min_share: float, most: int
) -> tuple[Any, int, int, float, str | None, int | None, list[Any]] | None: ...
