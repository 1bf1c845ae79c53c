from collections.abc import Callable
from typing import Any

from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_general import GeneralCore

def search_together(
    next: Callable[[], tuple[Any, SearchRequest] | None],
    done: Callable[[Any, GeneralCore, Exception | None], object],
    cores: list[GeneralCore],
    threads: int,
) -> None: ...
