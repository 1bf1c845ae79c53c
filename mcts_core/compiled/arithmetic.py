"""Arithmetic that reports an int that Python would let grow, and what is rounded otherwise: helpers of compiled rules.
"""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# Numba chooses among the branches of an overload by types, and reads parameters by name
# ruff: noqa: ARG001
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from mcts_core.compiled.codes import LARGEST
from mcts_core.compiled.narrow import CHECKED
from mcts_core.compiled.narrow import small as _wrapping


def stub(name: str) -> Any:
    """The Python name that rewritten code calls; only Numba gives it a meaning."""

    def called(*_: Any) -> Any:
        raise NotImplementedError(name)

    called.__name__ = called.__qualname__ = name
    return called


_STUBS = """add subtract times shift_left power bit_count bit_length as_int rounded within_int proper exact negative
inverted absolute within""".split()
(add, subtract, times, shift_left, power, bit_count, bit_length, as_int, rounded, within_int, proper, exact, negative,
 inverted, absolute, within) = map(stub, _STUBS)


def _small(one: Any, other: Any) -> bool:
    """Whether both are ints of at most 64 bits with a sign, whose result can leave them."""
    return all(isinstance(each, types.Boolean) or (isinstance(each, types.Integer) and each.signed)
               for each in (one, other))


@intrinsic
def _multiply(context: Any, one: Any, other: Any) -> Any:
    """The product and whether it does not fit."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        result = builder.smul_with_overflow(*arguments)
        parts = [builder.extract_value(result, 0), builder.extract_value(result, 1)]
        return context.make_tuple(builder, signature.return_type, parts)
    return types.Tuple([types.int64, types.boolean])(types.int64, types.int64), generate


@overload(add, **CHECKED)
def _add(one: Any, other: Any) -> Any:
    if not _small(one, other):
        return lambda one, other: one + other

    def plus(one: Any, other: Any) -> Any:
        result = one + other
        if result > LARGEST or result < -LARGEST:
            raise OverflowError("an int of more than 62 bits")
        return result
    return plus


@overload(subtract, **CHECKED)
def _subtract(one: Any, other: Any) -> Any:
    if not _small(one, other):
        return lambda one, other: one - other

    def minus(one: Any, other: Any) -> Any:
        result = one - other
        if result > LARGEST or result < -LARGEST:
            raise OverflowError("an int of more than 62 bits")
        return result
    return minus


@overload(times, **CHECKED)
def _times(one: Any, other: Any) -> Any:
    if not _small(one, other):
        return lambda one, other: one * other

    def multiplied(one: Any, other: Any) -> Any:
        result, is_large = _multiply(np.int64(one), np.int64(other))  # pyright: ignore[reportCallIssue]
        if is_large or result > LARGEST or result < -LARGEST:
            raise OverflowError("an int of more than 62 bits")
        return result
    return multiplied


@overload(shift_left, **CHECKED)
def _shift_left(one: Any, other: Any) -> Any:
    if not _small(one, other):
        return lambda one, other: one << other

    def shifted(one: Any, other: Any) -> Any:
        if other < 0:
            raise ValueError("negative shift count")
        value = np.int64(one)
        if other > 62:
            if value != 0:
                raise OverflowError("an int of more than 62 bits")
            return np.int64(0)
        result = value << other
        if result >> other != value or result > LARGEST or result < -LARGEST:
            raise OverflowError("an int of more than 62 bits")
        return result
    return shifted


@overload(power, **CHECKED)
def _power(one: Any, other: Any) -> Any:
    if not _small(one, other):
        return lambda one, other: proper(one ** other)

    def raised(one: Any, other: Any) -> Any:
        if other < 0:
            raise ValueError("a power with a negative exponent is no int")
        result = np.int64(1)
        for _ in range(min(other, 64) if one != 1 else 0):
            result = times(result, one)
        if other > 64 and (one > 1 or one < -1):
            raise OverflowError("an int of more than 62 bits")
        return result if other <= 64 or one >= 0 or other % 2 == 0 else -result
    return raised


@overload(exact, **CHECKED)
def _exact(value: Any) -> Any:
    """An operand. numpy keeps the dtype of an array in what is computed from its numbers; Numba does not."""
    kind = _wrapping(value)
    if kind is not None:
        wanted = "float" if issubclass(kind, np.floating) else "int"
        raise TypingError(f"mcts: use dtype={wanted} (numpy rounds results of smaller types, or lets them wrap "
                          f"around), or convert each number by {wanted}(x)")
    return lambda value: value


@overload(negative, **CHECKED)
def _negative(value: Any) -> Any:
    kind = _wrapping(value)
    if kind is None or isinstance(value, types.Array):
        return lambda value: -value
    return lambda value: kind(-value)


@overload(inverted, **CHECKED)
def _inverted(value: Any) -> Any:
    kind = _wrapping(value)
    if kind is None or isinstance(value, types.Array):
        return lambda value: ~value
    return lambda value: kind(~value)


@overload(absolute, **CHECKED)
def _absolute(value: Any) -> Any:
    kind = _wrapping(value)
    if isinstance(value, types.Array):
        return lambda value: np.abs(value)
    if kind is None:
        return lambda value: abs(value)
    return lambda value: kind(abs(value))


@overload(within, **CHECKED)
def _within(value: Any, low: Any, high: Any) -> Any:
    """A number that an array of numpy of fewer bits gets."""
    if not isinstance(value, types.Integer):
        return lambda value, low, high: value

    def checked(value: Any, low: Any, high: Any) -> Any:
        if value < low or value > high:
            raise OverflowError("a number that is too large for the dtype of the array")
        return value
    return checked


@overload(proper, **CHECKED)
def _proper(value: Any) -> Any:
    """A result of ``math`` or of a power, where Python raises an error in place of inf, nan and complex numbers."""
    if not isinstance(value, types.Float):
        return lambda value: value

    def checked(value: Any) -> Any:
        if not np.isfinite(value):
            raise OverflowError("math range error")
        return value
    return checked


@overload(within_int, **CHECKED)
def _within_int(value: Any) -> Any:
    """A number that becomes an int."""
    if not isinstance(value, types.Float):
        return lambda value: value

    def checked(value: Any) -> Any:
        if not abs(value) < LARGEST:
            raise OverflowError("an int of more than 62 bits")
        return value
    return checked


@overload(as_int, **CHECKED)
def _as_int(value: Any) -> Any:
    return lambda value: int(within_int(value))


@overload(float, **CHECKED)
def _float(value: Any) -> Any:
    if isinstance(value, types.Boolean):
        return lambda value: 1.0 if value else 0.0
    return None


@overload(rounded, **CHECKED)
def _rounded(value: Any) -> Any:
    if not isinstance(value, types.Float):
        return lambda value: int(value)
    # half to even, as in Python
    return lambda value: int(np.rint(within_int(value)))


@overload(bit_count, **CHECKED)
def _bit_count(value: Any) -> Any:
    def ones(value: Any) -> Any:
        left = np.uint64(abs(value))
        left = left - ((left >> np.uint64(1)) & np.uint64(0x5555555555555555))
        left = (left & np.uint64(0x3333333333333333)) + ((left >> np.uint64(2)) & np.uint64(0x3333333333333333))
        left = (left + (left >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return np.int64((left * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return ones


@overload(bit_length, **CHECKED)
def _bit_length(value: Any) -> Any:
    def length(value: Any) -> Any:
        left, bits = abs(value), 0
        while left > 0:
            left >>= 1
            bits += 1
        return bits
    return length


NAMES = {name: globals()[name] for name in _STUBS}
"""What rewritten code can call, each with the prefix ``mcts_``."""
