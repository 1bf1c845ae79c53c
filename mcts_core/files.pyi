from collections.abc import Callable, Iterable
from typing import Any, TypeVar

_T = TypeVar("_T")

PATIENCE: float

def reading(name: str | bytes, function: Callable[[Any], _T]) -> _T: ...
def replace_file(name: str | bytes, parts: Iterable[Any]) -> None: ...
def target_of(name: str | bytes) -> str | bytes: ...
