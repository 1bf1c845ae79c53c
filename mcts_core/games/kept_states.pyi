from typing import Any, Self, final

@final
class KeptStates:
    def __new__(cls, user: Any, root: Any) -> Self: ...
