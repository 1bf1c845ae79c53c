from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.api import Searcher
from mcts_core.engine.turn import SearchTurn
from mcts_core.results import Stats

@disjoint_base
class BackgroundSearch:
    def __new__(
        cls,
        core: SearchTurn,
        arguments: tuple[Any, ...],
        ended: Callable[[], object] | None = None,
        progress: Callable[[dict[str, Any]], object] | None = None,
        every: float = 0.0,
    ) -> Self: ...
    def cancel(self) -> None: ...
    def join(self, timeout: float = 1e9) -> None: ...
    def result(self) -> Any: ...
    @property
    def running(self) -> bool: ...

@disjoint_base
class Pondering:
    def __new__(cls, engine: Searcher, state: Any) -> Self: ...
    def __enter__(self) -> Searcher: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

@disjoint_base
class Watch:
    def __new__(
        cls, core: SearchTurn, budget: tuple[Any, ...], every: float, convert: Callable[[Any, dict[str, Any]], Stats]
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Stats: ...
    def close(self) -> None: ...

def end_all() -> None: ...
