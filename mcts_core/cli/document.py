"""One JSON document on standard output."""

import json
import math
import sys
from typing import Any

from mcts_core.words import as_data


def print_json(document: object) -> None:
    """Prints ``document``; ints of other kinds are ints, and other values that JSON does not know, such as an infinite
    move, their texts."""
    try:
        text = json.dumps(document, indent=2, default=as_data, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(document), indent=2, default=as_data, allow_nan=False)
    sys.stdout.write(f"{text}\n")


def _finite(value: Any) -> Any:
    """``value`` with texts in place of the numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
