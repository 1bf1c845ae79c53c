"""What rules use and Numba lacks: functions that the rewritten methods call. Only a compilation imports this module.

All are defined for the kinds of their arguments, so one name serves numbers, tuples, lists and arrays.
"""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# Numba chooses among the branches of an overload by types, and reads parameters by name
# ruff: noqa: ARG001
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from mcts_core.compiled import narrow, texts
from mcts_core.compiled.codes import EMPTY, LARGEST, NONE
from mcts_core.compiled.narrow import narrow_add
from mcts_core.compiled.narrow import small as _wrapping

OPTIONS = {"boundscheck": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "nogil": True}
LONGEST_LOOP = 10_000_000
"""Rounds of loops in one call after which it is taken to be endless."""

CHECKED: dict[str, Any] = {"jit_options": {"boundscheck": True}, "strict": False}
"""Of an overload. strict would compare annotations, too, which the versions for Numba have not."""


def _stub(name: str) -> Any:
    """The Python name that rewritten code calls; only Numba gives it a meaning."""

    def stub(*_: Any) -> Any:
        raise NotImplementedError(name)

    stub.__name__ = stub.__qualname__ = name
    return stub


_STUBS = """whole flag fill sequence hold join repeat filled put contains_run count_of index_of contains equal any_of
all_of sum_of min_of max_of backwards add subtract times shift_left power truth product row_of find_key
bit_count bit_length as_int rounded within_int proper exact negative inverted absolute within""".split()
(whole, flag, fill, sequence, hold, join, repeat, filled, put, contains_run, count_of, index_of, contains, equal,
 any_of, all_of, sum_of, min_of, max_of, backwards, add, subtract, times, shift_left, power, truth, product, row_of,
 find_key, bit_count, bit_length, as_int, rounded, within_int, proper,
 exact, negative, inverted, absolute, within) = map(_stub, _STUBS)


def _is_sequence(kind: Any) -> bool:
    return isinstance(kind, (types.Array, types.List, types.BaseTuple, types.RangeType))


@overload(whole, **CHECKED)
def _whole(value: Any) -> Any:
    if isinstance(value, (types.Float, types.Complex)):
        raise TypingError("mcts: a float comes where an int was meant: write a // b in place of a / b, or int(x)")
    if isinstance(value, (types.NoneType, types.Omitted)):
        return lambda value: NONE
    if isinstance(value, types.Boolean):
        return lambda value: 1 if value else 0
    if isinstance(value, types.Integer):
        return lambda value: value
    raise TypingError(f"mcts: an int was meant, but this is {value}: keep sequences in fields that begin as sequences")


@overload(flag, **CHECKED)
def _flag(value: Any) -> Any:
    return lambda value: bool(value)


@overload(fill, **CHECKED)
def _fill(target: Any, value: Any) -> Any:
    # target[...] = value would compile Numba's strings for its message, which takes seconds
    if not _is_sequence(value):
        raise TypingError(f"mcts: a sequence was meant, but this is {value}: a field keeps its kind; write -1 for None")
    inner = value.dtype if isinstance(value, (types.Array, types.List, types.UniTuple)) else types.int64
    if isinstance(inner, types.Float) and isinstance(target.dtype, types.Integer):
        raise TypingError("mcts: floats come where ints were meant: write a // b in place of a / b, or int(x)")
    if target.ndim == 1:
        def copy_numbers(target: Any, value: Any) -> None:
            if len(value) != len(target):
                raise ValueError("a sequence of another length")
            for place in range(len(target)):
                target[place] = value[place]
        return copy_numbers

    def copy_rows(target: Any, value: Any) -> None:
        if len(value) != len(target):
            raise ValueError("a sequence of another length")
        for place in range(len(target)):
            fill(target[place], value[place])
    return copy_rows


@overload(hold, **CHECKED)
def _hold(value: Any) -> Any:
    if isinstance(value, types.Array):
        return lambda value: value.copy()
    return lambda value: value


@overload(sequence, **CHECKED)
def _sequence(value: Any) -> Any:
    if isinstance(value, (types.Array, types.List)):
        return lambda value: value.copy()
    if isinstance(value, types.Set):
        def from_set(value: Any) -> Any:
            return sorted([each for each in value])  # noqa: C416 - Numba has no list(set)
        return from_set
    if isinstance(value, types.BaseTuple):
        return lambda value: [each for each in value]  # noqa: C416 - Numba has no list(tuple)
    return lambda value: list(value)


@overload(join, **CHECKED)
def _join(one: Any, other: Any) -> Any:
    if isinstance(one, types.List) and isinstance(other, types.List):
        return lambda one, other: one + other
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        return lambda one, other: one + other
    if isinstance(one, types.Array) and one.ndim > 1:
        def join_rows(one: Any, other: Any) -> Any:
            return [row for row in one] + [row for row in other]  # noqa: C416
        return join_rows
    if isinstance(other, types.Integer) and _is_sequence(one):  # a character
        return lambda one, other: join(one, (other,))
    if isinstance(one, types.Integer) and _is_sequence(other):
        return lambda one, other: join((one,), other)
    if not (_is_sequence(one) and _is_sequence(other)):
        return lambda one, other: one + other

    def join_numbers(one: Any, other: Any) -> Any:
        joined = np.empty(len(one) + len(other), np.int64)
        for place in range(len(one)):
            joined[place] = one[place]
        for place in range(len(other)):
            joined[len(one) + place] = other[place]
        return joined
    return join_numbers


@overload(repeat, **CHECKED)
def _repeat(values: Any, count: Any) -> Any:
    if not _is_sequence(values):
        return lambda values, count: times(values, count)

    def repeated(values: Any, count: Any) -> Any:
        if count > LONGEST_LOOP:
            raise ValueError("a sequence that is too long")
        return [each for _ in range(count) for each in values]
    return repeated


@overload(filled, **CHECKED)
def _filled(value: Any, count: Any) -> Any:
    kind = np.bool_ if isinstance(value, types.Boolean) else np.float64 if isinstance(value, types.Float) else np.int64

    def array(value: Any, count: Any) -> Any:
        if count > LONGEST_LOOP:
            raise ValueError("a sequence that is too long")
        made = np.empty(max(count, 0), kind)
        for place in range(count):
            made[place] = value
        return made
    return array


@overload(put, **CHECKED)
def _put(values: Any, place: Any, value: Any) -> Any:
    """``values[place] = value``, where rows may be arrays in one list and lists in another."""
    if isinstance(values, types.List) and isinstance(values.dtype, types.Array) and isinstance(value, types.List):
        def put_row(values: Any, place: Any, value: Any) -> None:
            values[place] = np.array(value)
        return put_row

    def put_value(values: Any, place: Any, value: Any) -> None:
        values[place] = value
    return put_value


@overload(contains_run, **CHECKED)
def _contains_run(values: Any, wanted: Any) -> Any:
    def find(values: Any, wanted: Any) -> Any:
        for start in range(len(values) - len(wanted) + 1):
            if equal(values[start:start + len(wanted)], wanted):
                return True
        return False
    return find


@overload(count_of, **CHECKED)
def _count_of(values: Any, wanted: Any) -> Any:
    def count(values: Any, wanted: Any) -> Any:
        found = 0
        for each in values:
            if each == wanted:
                found += 1
        return found
    return count


@overload(index_of, **CHECKED)
def _index_of(values: Any, wanted: Any) -> Any:
    def index(values: Any, wanted: Any) -> Any:
        for place, each in enumerate(values):
            if each == wanted:
                return place
        raise ValueError("it is not in the sequence")
    return index


@overload(contains, **CHECKED)
def _contains(values: Any, wanted: Any) -> Any:
    if isinstance(values, types.Set):
        return lambda values, wanted: wanted in values
    if isinstance(values, types.RangeType):
        return lambda values, wanted: wanted in values
    if isinstance(values, types.Array) and values.ndim > 1 and not isinstance(wanted, (types.Integer, types.Float)):
        def find_row(values: Any, wanted: Any) -> Any:
            for place in range(len(values)):
                if equal(values[place], wanted):
                    return True
            return False
        return find_row

    def find(values: Any, wanted: Any) -> Any:
        for each in values:
            if each == wanted:
                return True
        return False
    return find


@overload(equal, **CHECKED)
def _equal(one: Any, other: Any) -> Any:
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        return lambda one, other: one == other
    if not (_is_sequence(one) and _is_sequence(other)):
        if _is_sequence(one) or _is_sequence(other):
            return lambda one, other: False
        return lambda one, other: one == other

    def same(one: Any, other: Any) -> Any:
        if len(one) != len(other):
            return False
        for place in range(len(one)):
            if not equal(one[place], other[place]):
                return False
        return True
    return same


@overload(any_of, **CHECKED)
def _any_of(values: Any) -> Any:
    def any_true(values: Any) -> Any:
        for each in values:
            if truth(each):
                return True
        return False
    return any_true


@overload(all_of, **CHECKED)
def _all_of(values: Any) -> Any:
    def all_true(values: Any) -> Any:
        for each in values:
            if not truth(each):
                return False
        return True
    return all_true


@overload(sum_of, **CHECKED)
def _sum_of(values: Any) -> Any:
    def total(values: Any) -> Any:
        found = 0
        for each in values:
            found = narrow_add(found, each)
        return found
    return total


@overload(min_of, **CHECKED)
def _min_of(values: Any) -> Any:
    def least(values: Any) -> Any:
        if len(values) == 0:
            raise ValueError("min() of nothing")
        found = values[0]
        for each in values:
            found = min(found, each)
        return found
    return least


@overload(max_of, **CHECKED)
def _max_of(values: Any) -> Any:
    def most(values: Any) -> Any:
        if len(values) == 0:
            raise ValueError("max() of nothing")
        found = values[0]
        for each in values:
            found = max(found, each)
        return found
    return most


@overload(backwards, **CHECKED)
def _backwards(values: Any) -> Any:
    if isinstance(values, types.RangeType):
        def reversed_range(values: Any) -> Any:
            last = values.start + (len(values) - 1) * values.step
            return range(last, values.start - values.step, -values.step)
        return reversed_range
    return lambda values: values[::-1]


@overload(truth, **CHECKED)
def _truth(value: Any) -> Any:
    if isinstance(value, types.Integer) and value.bitwidth == 64:
        return lambda value: value != 0 and value != NONE and value != EMPTY
    if isinstance(value, types.Array):
        return lambda value: len(value) != 0
    if isinstance(value, types.NoneType):
        return lambda value: False
    if isinstance(value, types.BaseTuple):
        filled = len(value) > 0
        return lambda value: filled
    return lambda value: bool(value)


# ---- arithmetic that reports an int that Python would let grow -------------------------------------------------------

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


# ---- tables ----------------------------------------------------------------------------------------------------------

@overload(product, **CHECKED)
def _product(one: Any, other: Any) -> Any:
    return lambda one, other: [(a, b) for a in one for b in other]


@overload(row_of, **CHECKED)
def _row_of(data: Any, starts: Any, place: Any) -> Any:
    def row(data: Any, starts: Any, place: Any) -> Any:
        rows = len(starts) - 1
        if place < 0:
            place += rows
        if place < 0 or place >= rows:
            raise IndexError("index out of range")
        return data[starts[place]:starts[place + 1]]
    return row


@overload(find_key, **CHECKED)
def _find_key(keys: Any, wanted: Any) -> Any:
    """The place of a key, or -1."""
    def find(keys: Any, wanted: Any) -> Any:
        for place in range(len(keys)):
            if equal(keys[place], wanted):
                return place
        return -1
    return find


def unpacker(count: int) -> Any:
    """A function that makes a tuple of a sequence of ``count`` numbers."""
    name = f"unpack_{count}"
    stub = _stub(name)
    items = ", ".join(f"values[{place}]" for place in range(count)) + ("," if count == 1 else "")
    scope: dict[str, Any] = {}
    exec(f"def take(values):\n if len(values) != {count}: raise ValueError('wrong number of values')\n"
         f" return ({items})", scope)

    @overload(stub, **CHECKED)
    def _unpack(values: Any) -> Any:
        if isinstance(values, types.BaseTuple):
            return lambda values: values
        return scope["take"]
    return stub


UNPACK = {count: unpacker(count) for count in range(1, 9)}


# ---- positions made in compiled code ---------------------------------------------------------------------------------

@intrinsic
def blank(context: Any, record: Any) -> Any:
    """The record, all bytes 0."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cgutils.memset(builder, arguments[0], ir.Constant(ir.IntType(64), record.size), 0)
        return arguments[0]
    return record(record), generate


@intrinsic
def copied(context: Any, target: Any, source: Any) -> Any:
    """``target``, after the bytes of ``source`` are in it."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], ir.Constant(ir.IntType(64), target.size), 1)
        return arguments[0]
    return target(target, source), generate


@njit(**OPTIONS)
def limited(start: Any, stop: Any) -> Any:
    """The end of a range, unless it is so far from the start that nobody would wait for it."""
    if abs(stop - start) > LONGEST_LOOP:
        raise ValueError("an endless loop")
    return stop


NAMES = narrow.NAMES | texts.NAMES | {name: globals()[name] for name in (*_STUBS, "blank", "copied", "limited")} | {
    f"unpack_{count}": function for count, function in UNPACK.items()}
"""What rewritten code can call, each with the prefix ``mcts_``."""
