from collections.abc import Callable
from typing import Any, NamedTuple, Self

from typing_extensions import disjoint_base

from mcts_core.games.mnk.network import Network

MOST_THREADS: int
SELECTIONS: tuple[str, ...]
ROLLOUTS: tuple[str, ...]
GUIDED_FIELDS: frozenset[str]

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
        fpu: float | None = None,
        share: float = 0,
        network: Network | None = None,
        **given: Any,
    ) -> Self: ...

@disjoint_base
class GeneralSettings(SearchSettings):
    def __new__(
        cls,
        *,
        evaluator: Callable[[Any], Any] | None = None,
        policy_value: Callable[[Any], Any] | None = None,
        fpu: float | None = None,
        overlaps: bool = False,
        **given: Any,
    ) -> Self: ...
    @property
    def by_halving(self) -> bool: ...

class InformationSettings(GeneralSettings): ...
