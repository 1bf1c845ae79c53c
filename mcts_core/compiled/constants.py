"""Constants of modules and classes, frozen into compiled code: numbers, tables, tables of unequal rows, dicts."""

from __future__ import annotations

import ast
import enum
import types

import numpy as np

from mcts_core.compiled.codes import Codes, Uncodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST_DISPLAY = 64
"""A sequence with more numbers than this is too long for an array that is written where it is used."""


class Rows:
    """A table whose rows have different lengths: all rows one after the other, and where each begins."""

    def __init__(self, data: str, starts: str, count: int) -> None:
        self.data, self.starts, self.count = data, starts, count


class Table:
    """A dict: its keys, and its values in the same order."""

    def __init__(self, keys: str, values: Any, count: int) -> None:
        self.keys, self.values, self.count = keys, values, count


class Constants:
    """The constants that compiled code uses, by the names that they have there."""

    def __init__(self, namespace: dict[str, Any], codes: Codes) -> None:
        self.namespace, self.codes = namespace, codes
        self._known: dict[int, tuple[Any, Any]] = {}

    def number(self, value: Any) -> Any:
        """The int, float or bool that stands for ``value``. Raises Uncodable."""
        return value if isinstance(value, bool) else self.codes.of(value)

    def freeze(self, value: Any) -> Any:
        """An expression for a number or a regular table, or a Rows or a Table. Raises Uncodable."""
        if isinstance(value, (bool, int, float, str, enum.Enum)) or value is None or np.isscalar(value):
            return ast.Constant(self.number(value))
        if id(value) in self._known and self._known[id(value)][0] is value:
            return self._known[id(value)][1]
        frozen = self._container(value)
        self._known[id(value)] = (value, frozen)
        return frozen

    def characters(self, text: str) -> ast.expr:
        """The characters of a text as a table."""
        return self._named(np.array([self.codes.of(each) for each in text], np.int64))

    def _named(self, value: Any, prefix: str = "K") -> ast.Name:
        name = f"{prefix}{len(self.namespace)}"
        self.namespace[name] = value
        return ast.Name(name, ast.Load())

    def _container(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biuf":
                raise Uncodable(f"an array of {value.dtype} is not a table of numbers")
            return self._named(np.ascontiguousarray(value).copy())
        if isinstance(value, (dict, types.MappingProxyType)):
            keys = self.freeze(list(value))
            values = self.freeze(list(value.values()))
            if not isinstance(keys, ast.Name):
                raise Uncodable("the keys of a dict must be numbers, texts, or tuples of one length")
            return Table(keys.id, values, len(value))
        if isinstance(value, (set, frozenset)):
            value = sorted(value)
        if isinstance(value, (list, tuple, range, bytes)) or type(value).__name__ == "deque":
            return self._sequence(list(value))
        raise Uncodable(f"a {type(value).__name__} cannot be a constant of compiled rules")

    def _sequence(self, value: list[Any]) -> Any:
        numbers = [self._numbers(each) for each in value]
        try:
            table = np.array(numbers)
        except ValueError:
            return self._rows(numbers)
        if not numbers:
            table = np.zeros(0, np.int64)
        if table.dtype.kind not in "biuf":
            return self._rows(numbers)
        return self._named(table if table.dtype.kind in "bf" else table.astype(np.int64))

    def _numbers(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (list, tuple, range, set, frozenset)) and not isinstance(value, enum.Enum):
            return [self._numbers(each) for each in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
        return self.number(value)

    def _rows(self, numbers: list[Any]) -> Rows:
        if not all(isinstance(row, list) for row in numbers):
            raise Uncodable("a table must have numbers only, or rows only")
        flat = [each for row in numbers for each in row]
        try:
            data = np.array(flat)
        except ValueError:
            data = np.array(None)
        if data.dtype.kind not in "biuf":
            raise Uncodable("the rows of a table must have numbers, or sequences of one length: fill the shorter ones "
                            "up, with -1 for nothing")
        starts = np.cumsum([0] + [len(row) for row in numbers])
        data = data if data.dtype.kind in "bf" else data.astype(np.int64)
        return Rows(self._named(data).id, self._named(starts.astype(np.int64)).id, len(numbers))
