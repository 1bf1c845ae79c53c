from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class TaskThreads:
    def __new__(cls, count: int) -> Self: ...
    def work(self, number: int) -> None: ...
