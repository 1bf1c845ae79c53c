from collections.abc import Callable
from typing import Any, Self, TypeVar

from typing_extensions import disjoint_base

from mcts_core.engine.turn import Halt

_T = TypeVar("_T")

GRACE: float

def run_together(functions: list[Callable[[], _T]], halt: Halt) -> list[_T]: ...
def run_apart(function: Callable[[], _T]) -> _T: ...

@disjoint_base
class Worker:
    def __new__(
        cls,
        function: Callable[..., Any],
        arguments: tuple[Any, ...] = ...,
        halt: Halt | None = None,
        alone: bool = False,
    ) -> Self: ...
    def run(self) -> None: ...
    @property
    def value(self) -> Any: ...
