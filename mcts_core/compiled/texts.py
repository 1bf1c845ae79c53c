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
from numba.extending import overload

from mcts_core.compiled.codes import CHARACTER, WORD


def transposed(values: Any) -> Any:
    """The columns of a board."""
    raise NotImplementedError


def joined(values: Any) -> Any:
    """The characters of a row."""
    raise NotImplementedError


@overload(transposed, strict=False)
def _transposed(values: Any) -> Any:
    if isinstance(values, types.Array) and values.ndim == 2:
        return lambda values: np.transpose(values)
    raise TypingError("mcts: zip(*x) of something else than a board of rows: write a loop over the columns")


@overload(joined, jit_options={"boundscheck": True}, strict=False)
def _joined(values: Any) -> Any:
    def checked(values: Any) -> Any:
        for each in values:
            if each < CHARACTER or each >= WORD:
                raise ValueError("a cell of other than one character")
        return values
    return checked


NAMES = {"transposed": transposed, "joined": joined}
"""What rewritten code can call, each with the prefix ``mcts_``."""
