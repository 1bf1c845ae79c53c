"""One JSON document on standard output."""

import json
import sys

from mcts_core.words import as_data


def print_json(document: object) -> None:
    """Prints ``document``; ints of other kinds are ints, and other values that JSON does not know
    their texts."""
    json.dump(document, sys.stdout, indent=2, default=as_data, allow_nan=False)
    print()
