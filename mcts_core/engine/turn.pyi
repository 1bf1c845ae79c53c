from typing import Self

from typing_extensions import disjoint_base

OTHER_KIND: str

@disjoint_base
class Halt:
    def tell(self) -> None: ...
    @property
    def told(self) -> bool: ...

@disjoint_base
class SearchTurn:
    def cancel(self) -> int: ...
    def wait(self, number: int) -> bool: ...
    def check_free(self) -> None: ...

@disjoint_base
class Claim:
    def __new__(cls, core: SearchTurn) -> Self: ...
