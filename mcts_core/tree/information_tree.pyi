from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class InformationTree:
    root: Any
    player: int
    root_moves: list[Any]
    full: bool

    def __new__(
        cls,
        state: Any,
        *,
        exploration: float,
        fpu: float | None = None,
        limit: int = ...,
        means: bool = False,
        rollout_moves: int = 0,
    ) -> Self: ...
