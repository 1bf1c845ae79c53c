from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.engine.settings import SearchSettings
from mcts_core.engine.turn import Halt

NEVER: int
BELOW: int
ANY: int
MOST_ITERATIONS: int

def seed_of(seed: int, index: int) -> int: ...

@disjoint_base
class SearchRequest:
    state: Any
    settings: SearchSettings
    begin: float
    seconds: float
    iterations: int
    seed: int
    stop_early: bool
    reuse: int
    progress: Callable[[dict[str, Any]], object] | None
    every: float
    halt: Halt | None
    series: Requests | None
    def __new__(
        cls,
        state: Any,
        settings: SearchSettings,
        begin: float = 0.0,
        seconds: float = 0.0,
        iterations: int = 0,
        seed: int = 0,
        stop_early: bool = False,
        reuse: int = 0,
        progress: Callable[[dict[str, Any]], object] | None = None,
        every: float = 0.0,
        halt: Halt | None = None,
        series: Requests | None = None,
    ) -> Self: ...
    def replace(self, **changes: Any) -> SearchRequest: ...

@disjoint_base
class Requests:
    @property
    def settings(self) -> dict[object, SearchSettings]: ...
    @property
    def seed(self) -> int | None: ...
    searches: int
    served: type[SearchSettings]
    def __new__(
        cls,
        options: Any,
        *,
        served: type[SearchSettings],
        seed: int | None,
        stop_early: bool | None,
        early_in_time: bool,
        reuse: bool,
        by_halving: bool,
        evaluates: bool,
    ) -> Self: ...
    def kind_of(self, state: Any) -> object: ...
    def make(
        self,
        state: Any,
        begin: float,
        seconds: float | None,
        iterations: int | None,
        seed: int | None,
        searcher: Any = None,
    ) -> SearchRequest: ...
