from collections.abc import Callable
from typing import Any, NamedTuple, Self

from typing_extensions import disjoint_base

from mcts_core.games.mnk.network import Network

MOST_THREADS: int
SELECTIONS: tuple[str, ...]
ROLLOUTS: tuple[str, ...]

class Guide(NamedTuple):
    rollouts: int
    distance: int
    actions: int
    has_exact_search: bool

def guide_of(state: Any) -> Guide | None: ...
def kind_of(state: Any) -> int | None: ...
def has_valuation(state: Any) -> bool: ...
def default_memory() -> int: ...
def tree_share(memory: int) -> int: ...

@disjoint_base
class SearchSettings:
    loaded: dict[str, Any] | None
    @property
    def most_iterations(self) -> int: ...
    def vary(self) -> None: ...

@disjoint_base
class TwoPlayerSettings(SearchSettings):
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
        leaf_proofs: int = 0,
        node_proofs: int = 0,
        root_proofs: int = 0,
        book: bool = False,
        share: float = 0,
        network: Network | None = None,
        noise_alpha: float = 0,
        noise_weight: float = 0,
        least_prior: float = 0,
    ) -> Self: ...

@disjoint_base
class GeneralSettings(SearchSettings):
    def __new__(
        cls,
        *,
        evaluator: Callable[[Any], Any] | None = None,
        policy_value: Callable[[Any], Any] | None = None,
        exploration: float = 0,
        c_puct: float = 0,
        fpu: float | None = None,
        rollouts_per_leaf: int = 1,
        batch: int = 1,
        noise_alpha: float = 0,
        noise_weight: float = 0,
        temperature: float = 0,
        by_value: bool = False,
        prunes: bool = True,
        interval: int = 4000,
        by_line: bool = False,
        rollout_moves: int = 0,
        nested_rollouts: int = 0,
        nested_bytes: int = 0,
        solver: bool = False,
        prover_bytes: int = 0,
        leaf_proofs: int = 0,
        root_proofs: int = 0,
        gumbel: bool = False,
        gumbel_moves: int = 0,
        gumbel_scale: float = 0,
        bounds: bool = False,
        overlaps: bool = False,
    ) -> Self: ...
    @property
    def by_halving(self) -> bool: ...

class InformationSettings(GeneralSettings): ...
