from collections.abc import Callable
from typing import Any

from mcts_core.search_turn import SearchTurn

class GeneralSettings:
    def __init__(
        self,
        *,
        evaluator: Callable[[Any], Any] | None = None,
        policy_value: Callable[[Any], Any] | None = None,
        exploration: float = ...,
        c_puct: float = 0.625,
        fpu: float | None = None,
        rollouts_per_leaf: int = 1,
        batch: int = 8,
        noise_alpha: float = 0,
        noise_weight: float = 0.25,
        temperature: float = 0,
        by_value: bool = False,
    ) -> None: ...
    @property
    def rollouts_per_leaf(self) -> int: ...

class GeneralCore(SearchTurn):
    def __init__(self, memory: int, settings: GeneralSettings | None = None) -> None: ...
    def check(self, state: Any) -> None: ...
    def search(
        self,
        state: Any,
        settings: GeneralSettings,
        begin: float,
        seconds: float,
        iterations: int,
        seed: int,
        stop_early: bool = False,
        reuse: int = 0,
        progress: Callable[[dict[str, Any]], object] | None = None,
        every: float = 0.0,
        claimed: bool = False,
    ) -> Any: ...
    def figures(self) -> dict[str, Any] | None: ...
    @property
    def held(self) -> int: ...
    def release(self) -> None: ...
