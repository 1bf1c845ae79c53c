"""Sets in compiled rules: those in fields have a flag for each of their keys, which are numbers or rows of numbers."""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# Numba chooses among the branches of an overload by types, and reads parameters by name
# ruff: noqa: ARG001
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

from mcts_core.compiled.arithmetic import stub
from mcts_core.compiled.helpers import contains, fill_all, find_key
from mcts_core.compiled.narrow import CHECKED

_STUBS = "set_add set_remove set_discard set_has mark_all issuperset issubset isdisjoint at_most".split()
(set_add, set_remove, set_discard, set_has, mark_all, issuperset, issubset, isdisjoint, at_most) = map(stub, _STUBS)


def _reader(width: int) -> Any:
    """A function that makes a set of the members of a field; ``width``: of the rows of its keys, 0 for numbers."""
    made = stub(f"as_set_{width}")
    member = f"({''.join(f'keys[place, {column}], ' for column in range(width))})" if width else "keys[place]"
    scope: dict[str, Any] = {}
    exec(f"def read(flags, keys):\n found = set([{member} for place in range(0)])\n for place in range(len(keys)):\n"
         f"  if flags[place]: found.add({member})\n return found", scope)

    @overload(made, **CHECKED)
    def _read(flags: Any, keys: Any) -> Any:
        return scope["read"]
    return made


@overload(set_has, **CHECKED)
def _set_has(flags: Any, keys: Any, wanted: Any) -> Any:
    def has(flags: Any, keys: Any, wanted: Any) -> Any:
        place = find_key(keys, wanted)
        return place >= 0 and flags[place] != 0
    return has


@overload(set_add, **CHECKED)
def _set_add(flags: Any, keys: Any, wanted: Any) -> Any:
    def add_one(flags: Any, keys: Any, wanted: Any) -> None:
        place = find_key(keys, wanted)
        if place < 0:
            raise ValueError("a member that no random game had")
        flags[place] = 1
    return add_one


@overload(set_remove, **CHECKED)
def _set_remove(flags: Any, keys: Any, wanted: Any) -> Any:
    def remove_one(flags: Any, keys: Any, wanted: Any) -> None:
        place = find_key(keys, wanted)
        if place < 0 or not flags[place]:
            raise KeyError("no such member")
        flags[place] = 0
    return remove_one


@overload(set_discard, **CHECKED)
def _set_discard(flags: Any, keys: Any, wanted: Any) -> Any:
    def discard_one(flags: Any, keys: Any, wanted: Any) -> None:
        place = find_key(keys, wanted)
        if place >= 0:
            flags[place] = 0
    return discard_one


@overload(mark_all, **CHECKED)
def _mark_all(flags: Any, keys: Any, values: Any) -> Any:
    def mark(flags: Any, keys: Any, values: Any) -> None:
        fill_all(flags, 0)
        for each in values:
            set_add(flags, keys, each)
    return mark


@overload(issuperset, **CHECKED)
def _issuperset(values: Any, others: Any) -> Any:
    def has_all(values: Any, others: Any) -> Any:
        for each in others:
            if not contains(values, each):
                return False
        return True
    return has_all


@overload(issubset, **CHECKED)
def _issubset(values: Any, others: Any) -> Any:
    return lambda values, others: issuperset(others, values)


@overload(isdisjoint, **CHECKED)
def _isdisjoint(values: Any, others: Any) -> Any:
    def has_none(values: Any, others: Any) -> Any:
        for each in others:
            if contains(values, each):
                return False
        return True
    return has_none


@overload(at_most, **CHECKED)
def _at_most(one: Any, other: Any) -> Any:
    """``one <= other`` of numbers or sets."""
    if isinstance(one, types.Set) or isinstance(other, types.Set):
        return lambda one, other: issuperset(other, one)
    return lambda one, other: one <= other


NAMES = {name: globals()[name] for name in _STUBS} | {f"as_set_{width}": _reader(width) for width in range(9)}
"""What rewritten code can call, each with the prefix ``mcts_``."""
