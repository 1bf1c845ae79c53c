"""Helpers of compiled rules for rows and columns: ``zip(*board)`` and ``"".join(row)``."""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# Numba chooses among the branches of an overload by types
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload, register_jitable

from mcts_core.compiled.codes import CHARACTER, WORD
from mcts_core.compiled.narrow import CHECKED


def transposed(values: Any) -> Any:
    """The columns of a board."""
    raise NotImplementedError


def joined(values: Any) -> Any:
    """The characters of a row."""
    raise NotImplementedError


@overload(transposed, **CHECKED)
def _transposed(values: Any) -> Any:
    if isinstance(values, types.Array) and values.ndim == 2:
        return lambda values: np.transpose(values)
    if isinstance(values, types.UniTuple) and isinstance(values.dtype, types.Array) and values.count in (2, 3):
        if values.count == 2:  # np.where(board == 0)
            return lambda values: [(values[0][place], values[1][place]) for place in range(len(values[0]))]
        return lambda values: [(values[0][place], values[1][place], values[2][place])
                               for place in range(len(values[0]))]
    raise TypingError("mcts: zip(*x) of something else than a board of rows: write a loop over the columns")


@overload(joined, **CHECKED)
def _joined(values: Any) -> Any:
    def checked(values: Any) -> Any:
        for each in values:
            if each < CHARACTER or each >= WORD:
                raise ValueError("a cell of other than one character")
        return values
    return checked


def _character_method(name: str) -> Any:
    """A method of texts, of one ASCII character."""
    table = np.zeros(128, np.int64)
    for code in range(128):
        found = getattr(chr(code), name)()
        table[code] = found if isinstance(found, bool) else CHARACTER + ord(found)
    is_test = name.startswith("is")

    def stub(value: Any) -> Any:
        raise NotImplementedError(name)

    stub.__name__ = stub.__qualname__ = name

    @overload(stub, **CHECKED)
    def choose(value: Any) -> Any:
        if not isinstance(value, types.Integer):
            raise TypingError(f"mcts: {name}() of something else than a text of one character: compare it with ==")

        def of(value: Any) -> Any:
            if value < CHARACTER or value >= CHARACTER + 128:
                raise ValueError("not a text of one ASCII character")
            return table[value - CHARACTER]

        def test(value: Any) -> Any:
            return of(value) != 0

        of = register_jitable(of)
        return test if is_test else of

    return stub


NAMES = {name: _character_method(name) for name in (
    "lower", "upper", "swapcase", "islower", "isupper", "isalpha", "isdigit", "isspace")} | {
    "transposed": transposed, "joined": joined}
"""What rewritten code can call, each with the prefix ``mcts_``."""
