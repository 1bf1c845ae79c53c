from collections.abc import Callable, Sequence
from typing import Any

from mcts_core.engine.loop import SearchCore
from mcts_core.engine.settings import SearchSettings

def dump(
    core: SearchCore, encode: Callable[[Any], Any], consume: Callable[[Any, Any, Any, Any, Any], Any]
) -> Any: ...
def size_of(record: Any) -> int: ...
def restore(
    core: SearchCore,
    state: Any,
    names: Sequence[Any] | None,
    settings: SearchSettings,
    record: Any,
    fill: Callable[[list[memoryview]], object],
) -> None: ...
def check(core: SearchCore, whole: bool = False) -> dict[str, int] | None: ...
