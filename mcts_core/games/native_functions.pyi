from typing import Any

__all__ = ["address_of"]

def address_of(function: Any, name: str) -> int: ...
