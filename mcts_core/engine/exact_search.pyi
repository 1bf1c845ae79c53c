from collections.abc import Sequence
from typing import Any

from typing_extensions import disjoint_base

def has_exact_search(state: Any) -> bool: ...
@disjoint_base
class ExactSearch:
    def __init__(self, root: Any, bytes: int, book: bool) -> None: ...
    @property
    def by_book(self) -> bool: ...
    def prove(
        self, path: Sequence[int], exact: bool, deadline: float | None
    ) -> tuple[int, int, bool, int | None] | None: ...
