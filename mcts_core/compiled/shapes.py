"""What can be read from an expression without running it: what is known at once, and what is a position."""

from __future__ import annotations

import ast
import collections
import copy
import dataclasses
import enum
import functools
import inspect
import types
from contextlib import suppress

from mcts_core.compiled.sources import NoSource, functions_of, parts_of, tree_of
from mcts_core.compiled.units import MISSING, global_value, plain_function, unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.compiled.units import Unit, Units

CALLS, DEPTH = "calls_", "depth_"
"""Parameters of a function that calls itself: where its calls are counted, and how deep this one is."""
COPIES = (copy.copy, copy.deepcopy)


class Shapes:
    """Of the expressions of one function."""

    if TYPE_CHECKING:  # what Rewriter defines
        as_sequence: Any
        constant: Any
        field: Any
        field_of: Any
        is_array: Any
        is_list: Any
        is_named_constant: Any
        is_sequence: Any
        is_text: Any
        joined: Any
        is_text_sum: Any
        unit_call: Any
        mangled: Any
        named: Any
        own_operator: Any
        count_of_set: Any
        dict_argument: Any
        is_dict: Any
        plain: Any
        refuse: Any
        source_of: Any
        static_text: Any
        test: Any
        viewed: Any
        visit: Any
        visit_Subscript: Any

    def __init__(self, units: Units, unit: Unit, tree: ast.FunctionDef) -> None:
        self.units, self.unit, self.cls = units, unit, units.cls
        self.positions: set[str] = {name for name, role in unit.roles if role == "position"}
        """Variables that are positions of the class."""
        self.locals = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
                       and isinstance(node.ctx, (ast.Store, ast.Del))}
        self.assigned_names = frozenset(self.locals)
        self.locals |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self.locals |= {CALLS, DEPTH}
        self.uses = collections.Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        self.imports: dict[str, Any] = {}
        self.definition_tree = tree
        self.functions: dict[str, tuple[ast.Name, list[str]]] = {}
        """The functions inside of this one that are hoisted, and the variables around them that they use."""
        self.inside_of: list[str] = []
        """Those of them that call themselves, and whose lines are rewritten at this moment."""
        self.recursive: set[str] = set()
        self.joined_texts: set[str] = set()
        """Variables that are joined characters."""
        self.class_name: str | None = None
        """The first parameter of a class method."""
        own = None if unit.owner is None else vars(unit.owner).get(unit.function.__name__)
        if isinstance(own, classmethod):
            self.class_name = unit.function.__code__.co_varnames[0]
        self.find_imports(tree)
        self.find_positions(tree)
        self.uses_numpy = any(field.dtype is not None for field in units.record.fields.values()) or any(
            getattr(value, "__name__", "") == "numpy" for value in unit.function.__globals__.values()
            if isinstance(value, types.ModuleType))
        """Whether numbers may be of a dtype of numpy."""

    def operand(self, node: ast.expr) -> Any:
        """An expression with which an operator computes."""
        value = self.plain(node)
        return self.exact(value) if self.uses_numpy else value

    def exact(self, value: ast.expr) -> ast.expr:
        if isinstance(value, (ast.Constant, ast.List, ast.Tuple)) or (
                isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant)):
            return value
        return ast.Call(ast.Name("mcts_exact", ast.Load()), [value], [])

    def find_imports(self, tree: ast.AST) -> None:
        """Runs the imports within the function: what they name is known from the beginning."""
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                scope: dict[str, Any] = {}
                try:
                    exec(compile(ast.Module([node], []), "import", "exec"), self.unit.function.__globals__, scope)
                except ImportError as error:
                    raise self.refuse(node, f"the import fails: {error}", "import it at the top of the file") from None
                self.imports.update(scope)

    def find_positions(self, tree: ast.AST) -> None:
        for _ in range(2):
            for node in ast.walk(tree):
                if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    if self.is_position(node.value):
                        self.positions.update(target.id for target in targets if isinstance(target, ast.Name))

    def static(self, node: ast.AST) -> Any:
        """What an expression means without a position: a class, a module, a constant, a function. Else MISSING."""
        if isinstance(node, ast.Name):
            if node.id in self.imports:
                return self.imports[node.id]
            if node.id == self.class_name or (node.id == "__class__" and node.id not in self.locals):
                return self.cls
            return MISSING if node.id in self.locals else global_value(self.unit.function, node.id)
        if isinstance(node, ast.Attribute):
            if node.attr == "__class__" and self.is_position(node.value):
                return self.cls
            base = self.static(node.value)
            if isinstance(base, (types.ModuleType, type)) or isinstance(base, enum.Enum):
                return getattr(base, node.attr, MISSING)
        if (isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
                and self.static(node.func) is type and self.is_position(node.args[0])):
            return self.cls
        return MISSING

    @functools.cached_property
    def part_names(self) -> dict[str, int]:
        """The parts of the named tuples and frozen dataclasses that the functions of the class know, by their places;
        -1: at different places."""
        found: dict[str, int] = {}
        kinds = {id(value): value for value in vars(self.cls).values()}
        for _, function in functions_of(self.cls):
            with suppress(NoSource):
                values = (global_value(function, node.id) for node in ast.walk(tree_of(function))
                          if isinstance(node, ast.Name))
                kinds.update((id(value), value) for value in values)
        for kind in kinds.values():
            for place, part in enumerate(parts_of(kind) or ()) if kind is not self.cls else ():
                found[part] = place if found.get(part, place) == place else -1
        return found

    def is_position(self, node: ast.AST) -> bool:
        """Whether an expression is a position of the class."""
        if isinstance(node, ast.Name):
            return node.id in self.positions
        if isinstance(node, ast.IfExp):
            return self.is_position(node.body) and self.is_position(node.orelse)
        if not isinstance(node, ast.Call):
            return False
        target = self.static(node.func)
        if target is self.cls:
            return True
        if target in COPIES or target is dataclasses.replace:
            return bool(node.args) and self.is_position(node.args[0])
        if self._is_new(node):
            return True
        after = self.super_of(node.func)
        if isinstance(node.func, ast.Attribute) and (after is not None or self.is_position(node.func.value)):
            member, owner = self.units.member(node.func.attr, after)
            if member is MISSING or (node.func.attr == "_replace" and hasattr(self.cls, "_fields")):
                return node.func.attr in ("_replace", "__copy__", "__deepcopy__", "__replace__")
            function = plain_function(member)
            return function is not None and self.units.returns_position(
                function, owner, self.roles_of(node, function, member))
        if inspect.isfunction(target):
            target = unwrapped(target)
            return self.units.returns_position(target, None, self.roles_of(node, target, None))
        return False

    def enum_function(self, node: ast.Attribute) -> Any:
        """The function of a method or a property of an enum, if ``node`` names one of the enums of the fields."""
        if self.is_position(node.value) or self.is_array(node.value) or self.is_list(node.value):
            return None
        asked = self.static(node.value)
        kinds = [type(asked)] if isinstance(asked, enum.Enum) else [
            kind for field in self.units.record.fields.values() for kind in field.kinds
            if isinstance(kind, type) and issubclass(kind, enum.Enum)]
        return next((plain_function(vars(kind)[node.attr]) for kind in kinds if node.attr in vars(kind)), None)

    def super_of(self, node: ast.AST) -> type | None:
        """The class behind which ``super().method`` looks for it. None: it is something else."""
        is_super = (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
                    and self.static(node.value.func) is super)
        return self.unit.owner if is_super else None

    def _is_new(self, node: ast.Call) -> bool:
        """Whether it is ``Class.__new__(Class)`` or ``object.__new__(Class)``."""
        return (isinstance(node.func, ast.Attribute) and node.func.attr == "__new__" and len(node.args) == 1
                and self.static(node.args[0]) is self.cls)

    def roles_of(self, call: ast.Call, function: Any, member: Any) -> frozenset[tuple[str, str]]:
        """The parameters of ``function`` that are positions, None, or perhaps None in this call; ``member`` as the
        class has it."""
        code = function.__code__
        names = list(code.co_varnames[:code.co_argcount])
        roles: dict[str, str] = {}
        if member is not None and not isinstance(member, (staticmethod, classmethod)):
            roles[names[0]] = "position"
            names = names[1:]
        elif isinstance(member, classmethod):
            names = names[1:]
        given = dict(zip(names, call.args, strict=False))
        given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
        for name, value in given.items():
            if self.is_position(value):
                roles[name] = "position"
            elif self.is_absent(value):
                roles[name] = "none"
            elif (source := self.source_of(value)) is not None:
                roles[name] = f"dict:{source.field}"
            elif self.may_be_none(value):
                roles[name] = "maybe"
        defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
        defaults.update(function.__kwdefaults__ or {})
        roles.update({name: "none" for name, value in defaults.items() if value is None and name not in given})
        return frozenset(roles.items())

    def is_absent(self, node: ast.AST) -> bool:
        """Whether an argument is None for sure."""
        return (isinstance(node, ast.Constant) and node.value is None) or (
            isinstance(node, ast.Name) and (node.id, "none") in self.unit.roles and node.id not in self.assigned_names)

    def may_be_none(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return (node.id, "maybe") in self.unit.roles
        if isinstance(node, ast.Attribute) and self.is_position(node.value):
            field = self.units.record.fields.get(node.attr)
            return field is not None and not field.shape and None in field.kinds
        return False

    def decided(self, test: ast.AST) -> bool | None:
        """The truth of a test that asks whether a parameter is None, where that is known."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.decided(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.Name) and (test.id, "none") in self.unit.roles:
            return False
        if (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name)
                and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
                and isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None):
            name, is_equal = test.left.id, isinstance(test.ops[0], (ast.Is, ast.Eq))
            if (name, "none") in self.unit.roles:
                return is_equal
            if name in self.optional and (name, "maybe") not in self.unit.roles:
                return not is_equal
        return None

    @functools.cached_property
    def optional(self) -> set[str]:
        """Parameters whose default is None."""
        return {name for name, value in self.defaults.items() if value is None}

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """The defaults of the parameters."""
        function = self.unit.function
        code = function.__code__
        names = code.co_varnames[:code.co_argcount]
        found = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
        return {**found, **(function.__kwdefaults__ or {})}
