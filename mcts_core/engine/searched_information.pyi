from typing import Self

from typing_extensions import disjoint_base

from mcts_core.engine.loop import SearchCore

@disjoint_base
class InformationCore(SearchCore):
    def __new__(cls, memory: int, threads: int = 1) -> Self: ...
