from collections.abc import Sequence
from typing import Any

def drawn(choices: Sequence[Any], weights: Sequence[float], number: int) -> Any: ...
