"""One JSON document on standard output."""

import json
import sys


def print_json(document: object) -> None:
    """Prints ``document``; a value that JSON does not know is printed as its ``str``."""
    json.dump(document, sys.stdout, indent=2, default=str, allow_nan=False)
    print()
