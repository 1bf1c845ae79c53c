from collections.abc import Callable
from typing import Any

def main_thread_ident() -> int | None: ...
def default_memory() -> int: ...
def tree_share(memory: int) -> int: ...
def clock() -> float: ...
def guide_of(state: Any) -> tuple[int, int, int, bool] | None: ...

class SearchSettings:
    def __init__(
        self,
        *,
        guided: bool,
        exploration: float,
        rollouts_per_leaf: int,
        by_value: bool,
        prunes: bool = True,
        interval: int = 4000,
        selection: int = 0,
        solver: bool = False,
        fpu: float | None = None,
        hand_schedule: bool = True,
        rave_k: float = 0,
        rave_bias: float = 0,
        grave_ref: int = 0,
        prior_weight: float = 0,
        expand_after: int = 1,
        rollout: int = 0,
        distance: int = 0,
        symmetry: bool = False,
        tree_bytes: int = 0,
        prover_bytes: int = 0,
        leaf_units: int = 0,
        node_units: int = 0,
        root_units: int = 0,
    ) -> None: ...
    @property
    def rollouts_per_leaf(self) -> int: ...

class SearchCore:
    def __init__(self, memory: int, threads: int = 1) -> None: ...
    def claim(self) -> int: ...
    def abandon(self) -> None: ...
    def cancel(self, number: int | None = None) -> None: ...
    def wait(self) -> bool: ...
    @staticmethod
    def check(state: Any) -> None: ...
    def search(
        self,
        state: Any,
        settings: SearchSettings,
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
    def tell(self, least: int = 1) -> bytes | None: ...
    def hear(self, told: bytes) -> None: ...
    @property
    def names(self) -> list[Any] | None: ...
    def figures(self) -> dict[str, Any] | None: ...
    @property
    def held(self) -> int: ...
    def release(self) -> None: ...
