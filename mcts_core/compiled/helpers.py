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
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload

from mcts_core.compiled import arithmetic, narrow, texts
from mcts_core.compiled.arithmetic import stub, times
from mcts_core.compiled.codes import EMPTY, NONE
from mcts_core.compiled.narrow import CHECKED, OPTIONS, narrow_add

LONGEST_LOOP = 1_000_000
"""Rounds of loops in one call, and calls of a function by itself, after which it is taken to be endless."""
NO_ORDER = "mcts: a set has no order: write sorted(x) in place of list(x), and loop over sorted(x)"

_STUBS = """whole flag fill sequence hold join repeat filled put contains_run count_of index_of contains equal any_of
all_of sum_of min_of max_of backwards truth product row_of find_key arranged absent
fill_all fill_list popped popped_any along_all along_any append_row""".split()
(whole, flag, fill, sequence, hold, join, repeat, filled, put, contains_run, count_of, index_of, contains, equal,
 any_of, all_of, sum_of, min_of, max_of, backwards, truth, product, row_of, find_key, arranged, absent,
 fill_all, fill_list, popped, popped_any, along_all, along_any, append_row) = map(stub, _STUBS)


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
    if isinstance(target, types.List):
        def copy_values(target: Any, value: Any) -> None:
            for place in range(len(target)):
                target[place] = value[place]
        return copy_values
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


@overload(fill_all, **CHECKED)
def _fill_all(target: Any, value: Any) -> Any:
    def copy_value(target: Any, value: Any) -> None:
        for place in np.ndindex(target.shape):
            target[place] = value
    return copy_value


@overload(fill_list, **CHECKED)
def _fill_list(target: Any, value: Any) -> Any:
    """Fills a list of varying length, and returns its length."""
    if target.ndim > 1 and isinstance(value, types.Array) and value.ndim == 1:
        def empty(target: Any, value: Any) -> Any:
            if len(value):
                raise ValueError("numbers in place of sequences")
            fill_all(target, 0)
            return 0
        return empty
    is_flat = target.ndim == 1

    def copy_values(target: Any, value: Any) -> Any:
        count = len(value)
        if count > len(target):
            raise ValueError("a list that is too long")
        made = hold(value)  # it may be a part of the target
        fill_all(target, 0)
        for place in range(count):
            if is_flat:
                target[place] = made[place]
            else:
                fill(target[place], made[place])
        return count
    return copy_values


@overload(absent, **CHECKED)
def _absent(value: Any) -> Any:
    """Whether a value is None, or a field that is a sequence or None."""
    if isinstance(value, types.Array) and isinstance(value.dtype, types.Integer):
        def first(value: Any) -> Any:
            for each in value.flat:
                return each == NONE
            return False
        return first
    if isinstance(value, types.Number):
        return lambda value: value == NONE
    if isinstance(value, types.NoneType):
        return lambda value: True
    return lambda value: False


@intrinsic
def members(context: Any, values: Any) -> Any:
    """What a loop goes over, where the order matters."""
    if isinstance(values, types.Set):
        raise TypingError(NO_ORDER)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])
    return values(values), generate


@overload(popped, **CHECKED)
def _popped(values: Any) -> Any:
    if not isinstance(values, types.Set):
        return lambda values: values.pop()

    def only_one(values: Any) -> Any:
        if len(values) != 1:
            raise ValueError("pop() of a set of several")
        return values.pop()
    return only_one


@overload(popped_any, **CHECKED)
def _popped_any(values: Any) -> Any:
    if isinstance(values, types.Set):
        raise TypingError("mcts: pop() takes any member of a set: keep what is still to do in a list, and what was met "
                          "in a set")
    return lambda values: values.pop()


@overload(along_all, **CHECKED)
def _along_all(values: Any, axis: Any) -> Any:
    def whole(values: Any, axis: Any) -> Any:
        found = np.ones(values.shape[1 - axis], np.bool_)
        for row in range(values.shape[0]):
            for col in range(values.shape[1]):
                if not values[row, col]:
                    found[col if axis == 0 else row] = False
        return found
    return whole


@overload(along_any, **CHECKED)
def _along_any(values: Any, axis: Any) -> Any:
    def part(values: Any, axis: Any) -> Any:
        found = np.zeros(values.shape[1 - axis], np.bool_)
        for row in range(values.shape[0]):
            for col in range(values.shape[1]):
                if values[row, col]:
                    found[col if axis == 0 else row] = True
        return found
    return part


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
        raise TypingError(NO_ORDER)
    if isinstance(value, types.BaseTuple):
        return lambda value: [each for each in value]  # noqa: C416 - Numba has no list(tuple)
    return lambda value: list(value)


@overload(join, **CHECKED)
def _join(one: Any, other: Any) -> Any:
    if isinstance(one, types.List) and isinstance(other, types.List):
        return lambda one, other: one + other
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        return lambda one, other: one + other
    if isinstance(one, types.Array) and one.ndim == 2 and isinstance(other, types.List) and isinstance(
            other.dtype, types.UniTuple):
        def join_cells(one: Any, other: Any) -> Any:
            made = np.empty((len(one) + len(other), one.shape[1]), np.int64)
            made[:len(one)] = one
            for place in range(len(other)):
                fill(made[len(one) + place], other[place])
            return made
        return join_cells
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


@overload(append_row, **CHECKED)
def _append_row(values: Any, value: Any) -> Any:
    """``values.append(value)``, where rows may be arrays in one list and lists in another."""
    if isinstance(values, types.List) and isinstance(values.dtype, types.Array) and isinstance(value, types.List):
        return lambda values, value: values.append(np.array(value))
    return lambda values, value: values.append(value)


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
            if equal(each, wanted):
                found += 1
        return found
    return count


@overload(index_of, **CHECKED)
def _index_of(values: Any, wanted: Any) -> Any:
    def index(values: Any, wanted: Any) -> Any:
        for place, each in enumerate(values):
            if equal(each, wanted):
                return place
        raise ValueError("it is not in the sequence")
    return index


@overload(contains, **CHECKED)
def _contains(values: Any, wanted: Any) -> Any:
    if isinstance(values, types.Set) and isinstance(wanted, types.Array):
        def find_tuple(values: Any, wanted: Any) -> Any:
            for each in values:
                if equal(each, wanted):
                    return True
            return False
        return find_tuple
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
            raise TypingError("mcts: a sequence or a joined text is compared with a number or with a text that is "
                              "kept: compare it with a text that is written out, or part by part")
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


@overload(arranged, **CHECKED)
def _arranged(values: Any, keys: Any, is_reversed: Any) -> Any:
    """The list of values in the order of their keys; equal ones keep their order."""
    def insert(values: Any, keys: Any, is_reversed: Any) -> Any:
        for place in range(1, len(values)):
            value, key, spot = values[place], keys[place], place
            while spot > 0 and (keys[spot - 1] < key if is_reversed else key < keys[spot - 1]):
                values[spot], keys[spot] = values[spot - 1], keys[spot - 1]
                spot -= 1
            values[spot], keys[spot] = value, key
        return values
    return insert


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
    made = stub(name)
    items = ", ".join(f"values[{place}]" for place in range(count)) + ("," if count == 1 else "")
    scope: dict[str, Any] = {}
    exec(f"def take(values):\n if len(values) != {count}: raise ValueError('wrong number of values')\n"
         f" return ({items})", scope)

    @overload(made, **CHECKED)
    def _unpack(values: Any) -> Any:
        if isinstance(values, types.BaseTuple):
            return lambda values: values
        return scope["take"]
    return made


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


COUNTER = np.dtype([("count", np.int64)])


@njit(**OPTIONS)
def called(calls: Any, depth: Any, deepest: Any) -> None:
    """Counts the calls of a function that calls itself."""
    calls.count += 1
    if depth > deepest or calls.count > LONGEST_LOOP:
        raise ValueError("a function that calls itself without end")


@njit(**OPTIONS)
def limited(start: Any, stop: Any) -> Any:
    """The end of a range, unless it is so far from the start that nobody would wait for it."""
    if abs(stop - start) > LONGEST_LOOP:
        raise ValueError("an endless loop")
    return stop


NAMES = arithmetic.NAMES | narrow.NAMES | texts.NAMES | {
    name: globals()[name] for name in (*_STUBS, "blank", "called", "copied", "limited", "members")} | {
    f"unpack_{count}": function for count, function in UNPACK.items()}
"""What rewritten code can call, each with the prefix ``mcts_``."""
