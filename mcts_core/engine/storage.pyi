from collections.abc import Callable, Sequence
from typing import Any

from mcts_core.engine.searched_two_player import TwoPlayerCore
from mcts_core.engine.settings import TwoPlayerSettings

def dump(
    core: TwoPlayerCore, encode: Callable[[Any], Any], consume: Callable[[Any, Any, Any, Any, Any], Any]
) -> Any: ...
def size_of(record: Any) -> int: ...
def restore(
    core: TwoPlayerCore,
    state: Any,
    names: Sequence[Any] | None,
    settings: TwoPlayerSettings,
    record: Any,
    fill: Callable[[list[memoryview]], object],
) -> None: ...
def check(core: TwoPlayerCore, whole: bool = False) -> dict[str, int] | None: ...
