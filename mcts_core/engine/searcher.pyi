from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

from mcts_core.engine.searched_tree import SearchedTree
from mcts_core.engine.settings import SearchSettings
from mcts_core.engine.turn import Claim, Halt

def main_thread_ident() -> int | None: ...
def default_memory() -> int: ...
def tree_share(memory: int) -> int: ...
def clock() -> float: ...

@disjoint_base
class SearchCore(SearchedTree):
    def __new__(cls, memory: int, threads: int = 1) -> Self: ...
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
        halt: Halt | None = None,
        claim: Claim | None = None,
    ) -> Any: ...
    def tell(self, least: int = 1) -> bytes | None: ...
    def hear(self, told: bytes) -> None: ...
    @property
    def held(self) -> int: ...
    def release(self) -> None: ...
