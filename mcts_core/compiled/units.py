"""The functions that are compiled: each method or function of the user once for each way in which it is called."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from contextlib import suppress
from typing import TypeAlias

from mcts_core.compiled.codes import Uncodable
from mcts_core.compiled.constants import Constants, Rows, Table
from mcts_core.compiled.refusals import refusal, segment
from mcts_core.compiled.sources import NoSource, functions_of, made_init, plain_function, tree_of, unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.compiled.record import Record
    from mcts_core.compiled.refusals import Refusal

Roles: TypeAlias = "frozenset[tuple[str, str]]"
"""Parameters of a call that are a position, None for sure (none), or perhaps None (maybe)."""
MISSING = object()


class Unit:
    """One function to compile: its ``name`` in the namespace, and whether it returns a position."""

    def __init__(self, name: str, function: Any, owner: type | None, roles: Roles) -> None:
        self.name, self.function, self.owner, self.roles = name, function, owner, roles
        self.returns_position = False
        self.makes_positions = False
        """Whether there are positions on the stack while it runs."""
        self.root: Any = None
        """Of a unit that calls itself, perhaps by way of others: the first unit of that circle, by its key."""


class Units:
    """The functions of a class, rewritten into ``namespace`` as they are met.

    ``definitions`` are their syntax trees, ``used`` the functions and constants on which the code depends.
    """

    def __init__(self, cls: type, record: Record, constants: Constants) -> None:
        self.cls, self.record, self.constants = cls, record, constants
        self.definitions: list[tuple[str, ast.FunctionDef]] = []
        """With their files."""
        self.files: set[str] = set()
        self.used: dict[str, Any] = {}
        """Functions by their qualified names."""
        self._units: dict[Any, Unit] = {}
        self._active: list[Any] = []
        self._hoisted = 0
        self.made: set[str] = set()
        """Functions of fields that are lists of varying length."""
        self._returning: dict[Any, bool] = {}
        self.set_names = {name for name, field in record.fields.items() if field.container == "set"}
        self.has_sets = bool(self.set_names)
        self.has_optional = any(field.is_optional for field in record.fields.values())
        """Whether a sequence may stand for None."""
        self.has_codes = self.has_optional or any(
            None in field.kinds or str in field.kinds for field in record.fields.values())
        """Whether numbers may stand for None or a text, so that their truth must be asked."""

    def refuse(self, unit: Unit | None, node: ast.AST | None, reason: str, instead: str = "") -> Refusal:
        """The error for an expression of a function."""
        function = unit.function if unit is not None else None
        code = getattr(function, "__code__", None)
        line = getattr(node, "lineno", 0) or (code.co_firstlineno if code is not None else 0)
        file = code.co_filename if code is not None else inspect.getfile(self.cls)
        is_line = node is None or isinstance(node, ast.Pass)  # an expression that no file has
        what = linecache.getline(file, line).strip() if is_line else segment(node or ast.Pass())
        return refusal(self.cls.__name__, file, line, what, reason, instead)

    def member(self, name: str, after: type | None = None) -> Any:
        """A member of the class as it stands in the ``__dict__``, and the class that defines it; ``after``: of the
        classes behind that one. (MISSING, None) if there is none."""
        order = self.cls.__mro__
        for base in order[order.index(after) + 1:] if after is not None else order:
            if name == "__init__":
                made = made_init(base) if name in vars(base) or hasattr(base, "_fields") else None
                if made is not None:
                    return made, base
            if name in vars(base) and base is not object:
                return vars(base)[name], base
        return MISSING, None

    def unit(self, function: Any, owner: type | None, roles: Roles, caller: Unit | None,
             node: ast.AST) -> Unit:
        """The unit of a function; ``roles`` are those of its parameters. Raises Refusal."""
        from mcts_core.compiled.rewrite import Rewriter

        key = (function, owner, roles)
        if key in self._units:
            unit = self._units[key]
            first = key if key in self._active else unit.root
            if first in self._active:  # a circle
                for each in self._active[self._active.index(first):]:
                    self._enter_circle(self._units[each], first)
                if unit.returns_position:
                    raise self.refuse(caller, node, f"{function.__name__} calls itself and returns a position",
                                      "write it as a loop")
            return unit
        tree = self.tree(function, caller, node)
        self.files.add(function.__code__.co_filename)
        self.used[f"{function.__module__}.{function.__qualname__}"] = function
        prefix = f"{owner.__name__}_" if owner is not None else ""
        unit = Unit(f"u{len(self._units)}_{prefix}{function.__name__}", function, owner, roles)
        unit.returns_position = self.returns_position(function, owner, roles)
        self._units[key] = unit
        self._active.append(key)
        definition = Rewriter(self, unit, tree).definition(tree)
        self._active.pop()
        self.definitions.append((function.__code__.co_filename, definition))
        return unit

    def trees(self) -> list[ast.FunctionDef]:
        """The functions of the class."""
        found = []
        for _, function in functions_of(self.cls):
            with suppress(NoSource):
                found.append(tree_of(function))
        return found

    def fresh(self, prefix: str) -> str:
        """The name of a new function of the namespace."""
        self._hoisted += 1
        return f"g{self._hoisted}_{prefix}"

    def _enter_circle(self, unit: Unit, first: Any) -> None:
        if unit.root not in self._active or self._active.index(unit.root) > self._active.index(first):
            unit.root = first

    def tree(self, function: Any, caller: Unit | None, node: ast.AST) -> ast.FunctionDef:
        """The source of a function, a tree of its own. Raises Refusal."""
        from copy import deepcopy

        try:
            return deepcopy(tree_of(function))
        except NoSource as error:
            raise self.refuse(caller, node, f"the source of {function.__name__} is not known ({error})",
                              "write the class into a file") from None

    def returns_position(self, function: Any, owner: type | None, roles: Roles) -> bool:
        """Whether a function of the user returns positions of the class."""
        from mcts_core.compiled.rewrite import Rewriter

        key = (function, owner, roles)
        if key not in self._returning:
            self._returning[key] = False  # where it calls itself
            try:
                tree = tree_of(function)
            except NoSource:
                return False
            looker = Rewriter(self, Unit("", function, owner, roles), tree)
            returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value is not None]
            self._returning[key] = function.__name__ != "__init__" and any(map(looker.is_position, returns))
        return self._returning[key]

    def frozen(self, value: Any, unit: Unit, node: ast.AST) -> Any:
        """An expression, a Rows or a Table for a constant. Raises Refusal."""
        try:
            return self.constants.freeze(value)
        except (Uncodable, TypeError) as error:
            raise self.refuse(unit, node, str(error), "use numbers, and tables of numbers") from None


def global_value(function: Any, name: str) -> Any:
    """What a name means in a function that does not assign it; MISSING if nothing."""
    code = function.__code__
    if function.__closure__ and name in code.co_freevars:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, MISSING)


__all__ = ["MISSING", "Constants", "Rows", "Table", "Unit", "Units", "global_value", "plain_function", "unwrapped"]
