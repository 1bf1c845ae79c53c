"""Arithmetic with numbers of numpy of fewer than 64 bits: numpy keeps their dtype in the result, Numba does not.

Each operator has a helper that computes in 64 bits and reports a result that numpy would let wrap around.
"""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

OPTIONS = {"boundscheck": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "nogil": True}
CHECKED: dict[str, Any] = {"jit_options": {key: OPTIONS[key] for key in OPTIONS if key != "nogil"}, "strict": False}
"""Of an overload. strict would compare annotations, too, which the versions for Numba have not."""
OPERATORS = {"add": operator.add, "subtract": operator.sub, "times": operator.mul, "floor": operator.floordiv,
             "rest": operator.mod, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
             "right": operator.rshift}
GROWING = ("add", "subtract", "times")
"""Those that helpers check for ints of more than 62 bits."""


def small(value: Any) -> Any:
    """The dtype of a number or an array whose arithmetic numpy does in less than 64 bits; None for others. uint16 are
    bools of Python."""
    kind = value.dtype if isinstance(value, types.Array) else value
    is_small = isinstance(kind, types.Integer) and (kind.bitwidth < 64 or not kind.signed) and kind != types.uint16
    if isinstance(kind, types.Float) and kind.bitwidth < 64 or is_small:
        return getattr(np, kind.name)
    return None


def _result(one: Any, other: Any) -> Any:
    """The dtype of fewer than 64 bits that numpy gives the result of an operator, or None if it has 64 bits. A number
    of 64 bits is taken for an int of Python, which keeps the dtype of the other operand."""
    kinds = [kind for kind in (small(one), small(other)) if kind is not None]
    if not kinds:
        return None
    if any(issubclass(kind, np.floating) for kind in kinds):
        raise TypingError("mcts: use dtype=float (numpy rounds results of smaller types), or convert each number by "
                          "float(x)")
    for each in (one, other):
        kind = each.dtype if isinstance(each, types.Array) else each
        if isinstance(kind, types.Float) or (isinstance(each, types.Array) and small(each) is None
                                             and not isinstance(kind, types.Boolean)):
            return None
    return np.result_type(*kinds).type


def _helper(name: str, is_checked: bool) -> Any:
    """The name that rewritten code calls; ``is_checked``: ints of 64 bits are checked, too."""
    compute = OPERATORS[name]

    def stub(one: Any, other: Any) -> Any:
        raise NotImplementedError(name)

    stub.__name__ = stub.__qualname__ = {"floor": "//", "rest": "%"}.get(name, name)

    @overload(stub, **CHECKED)
    def choose(one: Any, other: Any) -> Any:
        kind = _result(one, other)
        if kind is None:
            from mcts_core.compiled import arithmetic

            checked = getattr(arithmetic, name) if is_checked and name in GROWING else compute
            return lambda one, other: checked(one, other)
        low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        if low == 0 and np.iinfo(kind).bits == 64:
            raise TypingError("mcts: use dtype=int in place of an unsigned type of 64 bits")

        def number(one: Any, other: Any) -> Any:
            found = compute(np.int64(one), np.int64(other))
            if found < low or found > high:
                raise OverflowError("a number that is too large for its dtype")
            return kind(found)

        def array(one: Any, other: Any) -> Any:
            found = compute(one, other)
            for each in found.flat:
                if each < low or each > high:
                    raise OverflowError("a number that is too large for its dtype")
            return found.astype(kind)

        return array if isinstance(one, types.Array) or isinstance(other, types.Array) else number

    return stub


NAMES = {f"narrow_{name}": _helper(name, True) for name in OPERATORS} | {
    f"bare_{name}": _helper(name, False) for name in OPERATORS}
"""What rewritten code can call, each with the prefix ``mcts_``. The bare ones serve indices and constants."""
narrow_add = NAMES["narrow_add"]
