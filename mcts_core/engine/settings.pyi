from typing import Any, Self

from typing_extensions import disjoint_base

def guide_of(state: Any) -> tuple[int, int, int, bool] | None: ...

@disjoint_base
class SearchSettings:
    def __new__(
        cls,
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
    ) -> Self: ...
    @property
    def rollouts_per_leaf(self) -> int: ...
