# The rest are native functions, by cimport of tree/exchange.pxd.

from collections.abc import Callable

def renumbered(message: bytes, number: Callable[[int], int]) -> bytes: ...
