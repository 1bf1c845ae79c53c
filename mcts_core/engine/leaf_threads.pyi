from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class LeafThreads:
    def __new__(cls) -> Self: ...
    def work(self, number: int) -> None: ...
