from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.engine.turn import Claim, Halt, SearchTurn

@disjoint_base
class GeneralSettings:
    def __new__(
        cls,
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
    ) -> Self: ...
    @property
    def rollouts_per_leaf(self) -> int: ...

@disjoint_base
class GeneralCore(SearchTurn):
    def __new__(cls, memory: int, settings: GeneralSettings | None = None) -> Self: ...
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
        halt: Halt | None = None,
        claim: Claim | None = None,
    ) -> Any: ...
    def figures(self) -> dict[str, Any] | None: ...
    @property
    def held(self) -> int: ...
    def release(self) -> None: ...
