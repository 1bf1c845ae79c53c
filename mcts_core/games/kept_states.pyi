from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class KeptStates:
    def __new__(cls, user: Any, root: Any) -> Self: ...
