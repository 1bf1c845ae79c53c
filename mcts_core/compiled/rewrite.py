"""Rewrites one function of the user for Numba: expressions. ``calls`` has calls, ``statements`` the statements.

Fields become those of a record, calls of own methods calls of units, constants numbers, and what Numba lacks a call of
``helpers``.
"""

from __future__ import annotations

import ast
import functools
import inspect
import types
from contextlib import suppress

import numpy as np

from mcts_core.compiled.calls import ADVICE, Calls, call, is_simple, segment_name
from mcts_core.compiled.codes import NONE, Uncodable
from mcts_core.compiled.loops import is_number, is_small_number
from mcts_core.compiled.mixed_ints import Kinds
from mcts_core.compiled.units import MISSING, Rows, Table, plain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NARROW: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "times", ast.FloorDiv: "floor", ast.Mod: "rest", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.RShift: "right"}
"""Operators on numbers of numpy of fewer bits, whose results are checked."""
CHECKED = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "times", ast.LShift: "shift_left", ast.Pow: "power"}


class Rewriter(Calls, ast.NodeTransformer):
    """Of one unit."""

    index_depth = 0
    """Inside of an index, where an overflow is an index out of range."""

    def visit(self, node: ast.AST) -> Any:
        new = super().visit(node)
        if isinstance(new, ast.AST) and new is not node and hasattr(node, "lineno"):
            for each in ast.walk(new):
                if isinstance(each, (ast.expr, ast.stmt)) and not hasattr(each, "lineno"):
                    ast.copy_location(each, node)
        return new

    def refuse(self, node: ast.AST, reason: str, instead: str = "") -> Exception:
        return self.units.refuse(self.unit, node, reason, instead)

    # ---- names and attributes ----------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Load) and (node.id not in self.locals or node.id in self.imports
                                               or node.id == self.class_name):
            value = self.static(node)
            if value is MISSING:
                raise self.refuse(node, f"{node.id} is not defined", "define it above the class")
            return self.constant(value, node)
        if isinstance(node.ctx, ast.Load) and node.id in self.dicts:
            return self.dict_variable(node)
        return node

    def constant(self, value: Any, node: ast.AST) -> Any:
        """The expression for a value that is known at once."""
        if isinstance(value, types.ModuleType) or type(value).__name__ == "CPUDispatcher" or (
                callable(value) and "numpy" in (str(getattr(value, "__module__", "")).partition(".")[0],
                                                type(value).__module__.partition(".")[0])) or (
                inspect.isbuiltin(value) and getattr(value.__self__, "__name__", "") == "math"):
            return self.named(value)
        if isinstance(value, type) and issubclass(value, (int, float, bool)) and value.__module__ == "builtins":
            return ast.Name(segment_name(value), ast.Load())
        if isinstance(value, type) and value.__module__ == "numpy":
            return self.named(value)
        if isinstance(value, type):
            raise self.refuse(node, f"the class {value.__name__} is not a number",
                              "keep numbers in fields, and the functions of other classes in functions of the module")
        if callable(value):
            raise self.refuse(node, f"{segment_name(value)} cannot be used here", "call it, or write a loop")
        return self.units.frozen(value, self.unit, node)

    def named(self, value: Any) -> ast.Name:
        """A name of the namespace for an object that Numba knows."""
        space = self.units.constants.namespace
        name = next((name for name, known in space.items() if known is value), f"N{len(space)}")
        space[name] = value
        return ast.Name(name, ast.Load())

    def mangled(self, name: str) -> str:
        if name.startswith("__") and not name.endswith("__") and self.unit.owner is not None:
            return f"_{self.unit.owner.__name__.lstrip('_')}{name}"
        return name

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        value = self.static(node)
        if value is not MISSING and not inspect.ismethod(value) and self.enum_function(node) is None:
            return self.constant(value, node)
        if self.is_position(node.value):
            return self.field(node)
        function = self.enum_function(node)
        if function is not None:
            asked = ast.copy_location(ast.Call(node, [node.value], []), node)
            return self.unit_call(asked, function, None, None, [])
        if self.part_names.get(node.attr, -1) >= 0 and not self.is_array(node.value):
            return ast.Subscript(self.plain(node.value), ast.Constant(self.part_names[node.attr]), ast.Load())
        if node.attr == "value" and not self.is_array(node.value):
            return self.visit(node.value)  # of a member of an enum, which is its value already
        return ast.Attribute(self.plain(node.value), node.attr, node.ctx)

    def field(self, node: ast.Attribute) -> Any:
        """A field, a property or a constant of a position."""
        name, record = self.mangled(node.attr), self.units.record
        if name in record.fields:
            if record.fields[name].container:
                return self.contents(node, record.fields[name])
            found = ast.Attribute(self.visit(node.value), name, ast.Load())
            if record.fields[name].dtype == bool:  # Numba has no arrays of bool in records
                return ast.Call(ast.Attribute(found, "view", ast.Load()), [self.named(np.bool_)], [])
            return found
        if name in record.constants:
            return self.constant(record.constants[name], node)
        member, owner = self.units.member(name)
        if member is MISSING:
            raise self.refuse(node, f"the first position has no field {name}", f"assign self.{name} in __init__")
        function = plain_function(member)
        if function is not None and not inspect.isfunction(member) and not isinstance(
                member, (staticmethod, classmethod)):
            roles = frozenset([(function.__code__.co_varnames[0], "position")])
            unit = self.units.unit(function, owner, roles, self.unit, node)
            return ast.Call(ast.Name(unit.name, ast.Load()), [self.visit(node.value)], [])
        return self.constant(member, node)

    def field_of(self, node: ast.AST) -> Any:
        """The Field that an expression such as ``self.board`` names, or None."""
        if isinstance(node, ast.Attribute) and self.is_position(node.value):
            return self.units.record.fields.get(self.mangled(node.attr))
        return None

    def is_array(self, node: ast.AST) -> bool:
        """Whether an expression begins with a field that is an array of numpy."""
        while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)) and self.field_of(node) is None:
            node = node.func if isinstance(node, ast.Call) else node.value
        field = self.field_of(node)
        return field is not None and field.dtype is not None

    def is_list(self, node: ast.AST) -> bool:
        """Whether an expression is a field, or a part of one, that is a sequence of Python."""
        depth = 0
        while isinstance(node, ast.Subscript):
            depth += not isinstance(node.slice, ast.Slice)
            node = node.value
        field = self.field_of(node)
        if field is not None and (field.container == "set" or (field.container == "dict" and not depth)):
            return False
        return field is not None and field.dtype is None and len(field.shape or ()) > depth

    def visit_Constant(self, node: ast.Constant) -> Any:
        if node.value is None or isinstance(node.value, (bool, int, float, str)):
            try:
                return ast.Constant(self.units.constants.number(node.value))
            except Uncodable as error:
                raise self.refuse(node, str(error)) from None
        raise self.refuse(node, f"{node.value!r} is not a number")

    def plain(self, node: ast.expr) -> ast.expr:
        """An expression whose value is a number or a sequence, not a table of its own kind."""
        found = self.visit(node)
        if isinstance(found, (Rows, Table)):
            raise self.refuse(node, "a table of unequal rows or a dict can only be indexed or looped over",
                              "write table[i], or make all rows equally long")
        assert isinstance(found, ast.expr)
        return found

    def static_text(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        value = self.static(node)
        if value is MISSING and isinstance(node, ast.Attribute) and self.is_position(node.value):
            name = self.mangled(node.attr)
            value = self.units.record.constants.get(name, MISSING)
            if value is MISSING and name not in self.units.record.fields:
                value = self.units.member(name)[0]
        return value if isinstance(value, str) else None

    def is_text(self, node: ast.AST) -> bool:
        """Whether an expression is a text, or a field or a part of one that has texts."""
        if self.static_text(node) is not None:
            return True
        while isinstance(node, ast.Subscript):
            node = node.value
        field = self.field_of(node)
        return self.static_text(node) is not None or (field is not None and str in field.kinds)

    @functools.cached_property
    def kinds(self) -> Kinds:
        return Kinds(self.definition_tree, self.field_of)

    # ---- operators ---------------------------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Mult):
            for values, count in ((node.left, node.right), (node.right, node.left)):
                if isinstance(values, (ast.List, ast.Tuple)) or self.static_text(values) is not None:
                    return call("repeat", self.as_sequence(values), self.plain(count))
        if self.is_text_sum(node):
            parts = [self.as_sequence(each) for each in (node.left, node.right)]
            if not self.is_sequence(node.left) and self.static_text(node.left) is None:
                parts[0] = ast.Tuple([parts[0]], ast.Load())  # a character
            return call("join", *parts)
        if isinstance(node.op, ast.Add) and (self.is_sequence(node.left) or self.is_sequence(node.right)):
            return call("join", self.as_sequence(node.left), self.as_sequence(node.right))
        if isinstance(node.op, ast.Mod) and self.static_text(node.left) is not None:
            raise self.refuse(node, "texts cannot be made in compiled rules", "make them in name() or __str__()")
        if self.uses_numpy and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            mixed = self.kinds.mixed(node.left, node.right)
            if mixed is not None:
                raise self.refuse(node, f"{mixed} is an int at one place, and a number of an array of small ints at "
                                  "another, which numpy lets wrap around", "write int(...) where it gets a number of "
                                  "the array")
        if self.uses_numpy and type(node.op) in NARROW:
            left, right = self.plain(node.left), self.plain(node.right)
            if not (is_number(left) and is_number(right)):
                has_number = is_small_number(left) or is_small_number(right)
                is_bare = self.index_depth or (has_number and not isinstance(node.op, ast.Mult))
                return call(f"{'bare' if is_bare else 'narrow'}_{NARROW[type(node.op)]}", left, right)
        left, right = self.operand(node.left), self.operand(node.right)
        helper = CHECKED.get(type(node.op))
        if helper is None or self.index_depth or (helper in ("add", "subtract") and (
                is_small_number(left) or is_small_number(right))) or (is_number(left) and is_number(right)):
            return ast.BinOp(left, node.op, right)
        return call(helper, left, right)

    def is_text_sum(self, node: ast.AST) -> bool:
        """Whether an expression is the sum of characters of a field, or of such and texts."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and any(
            self.is_text_sum(each) or (isinstance(each, ast.Subscript) and not isinstance(each.slice, ast.Slice)
                                       and self.is_text(each) and not self.is_list(each))
            for each in (node.left, node.right))

    def is_sequence(self, node: ast.AST) -> bool:
        """Whether ``+`` joins: a display, a slice, or a sum of such."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            if isinstance(node.op, ast.Mult) and self.static_text(node.left) is not None or self.is_text_sum(node):
                return True
            return self.is_sequence(node.left) or self.is_sequence(node.right)
        if isinstance(node, ast.Subscript):
            return (isinstance(node.slice, ast.Slice) and not self.is_array(node)) or self.is_list(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple"):
            return True
        if self.joined(node) is not None or (isinstance(node, ast.Name) and node.id in self.joined_texts):
            return True
        return isinstance(node, (ast.List, ast.Tuple, ast.ListComp)) or self.is_list(node)

    def as_sequence(self, node: ast.expr) -> ast.expr:
        text = self.static_text(node)
        return self.units.constants.characters(text) if text is not None else self.plain(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), self.test(node.operand))
        value = self.plain(node.operand)
        helper = {ast.USub: "negative", ast.Invert: "inverted"}.get(type(node.op))
        if helper is None or not self.uses_numpy or is_number(value):
            return ast.UnaryOp(node.op, value)
        return call(helper, value)

    def test(self, node: ast.expr) -> ast.expr:
        """An expression whose truth decides."""
        if isinstance(node, ast.BoolOp):
            return ast.copy_location(ast.BoolOp(node.op, [self.test(each) for each in node.values]), node)
        if isinstance(node, ast.NamedExpr) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return self.plain(node)
        field = self.field_of(node)
        if field is not None and field.container == "set":
            return ast.copy_location(ast.Compare(self.count_of_set(node), [ast.Gt()], [ast.Constant(0)]), node)
        value = self.plain(node)
        if field is not None and field.is_optional:
            return ast.copy_location(ast.UnaryOp(ast.Not(), call("absent", value)), node)
        asked = self.is_list(node) or (self.units.has_codes and isinstance(
            node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and not self.is_array(node))
        return ast.copy_location(call("truth", value), node) if asked else value

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        first = node.values[0]
        if isinstance(node.op, ast.Or) and isinstance(first, ast.Name) and first.id in self.optional and len(
                node.values) == 2 and (first.id, "maybe") not in self.unit.roles:  # board or [0] * 9
            return self.plain(node.values[1] if (first.id, "none") in self.unit.roles else first)
        return ast.BoolOp(node.op, [self.plain(each) for each in node.values])

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        known = self.decided(node.test)
        if known is not None:
            return self.plain(node.body if known else node.orelse)
        parts = [self.plain(node.body), self.plain(node.orelse)]
        if isinstance(parts[0], ast.List) != isinstance(parts[1], ast.List):  # range(9) if test else [cell]
            parts = [call("sequence", each) if ast.unparse(each).startswith("range(") else each for each in parts]
        for place, part in enumerate((node.body, node.orelse)):
            if self.is_empty(part):  # of the kind of the other one
                parts[place] = self.empty(part, None)
                if isinstance(parts[1 - place], ast.List):
                    parts[place] = ast.Subscript(parts[1 - place], ast.Slice(None, ast.Constant(0)), ast.Load())
        return ast.IfExp(self.test(node.test), *parts)

    def visit_Compare(self, node: ast.Compare) -> Any:
        parts, left = [], node.left
        for position, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if position and not is_simple(left) and len(node.ops) > 1 and not self._is_chain(node):
                raise self.refuse(node, "this chain of comparisons", "divide it by `and`")
            parts.append((left, op, right))
            left = right
        if self._is_chain(node):
            return ast.Compare(self.plain(node.left), node.ops, [self.plain(each) for each in node.comparators])
        tests: list[ast.expr] = [self.compared(*part) for part in parts]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)

    def _is_chain(self, node: ast.Compare) -> bool:
        """Whether all comparisons of a chain are those of numbers."""
        return len(node.ops) > 1 and all(
            isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)) for op in node.ops) and not any(
            self.is_sequence(each) for each in (node.left, *node.comparators))

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self.membership(left, right)
            return ast.UnaryOp(ast.Not(), found) if isinstance(op, ast.NotIn) else found
        is_equal = isinstance(op, (ast.Eq, ast.Is))
        if isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
            for one, other in ((left, right), (right, left)):
                if isinstance(other, ast.Constant) and other.value is None:
                    return self.is_none(one, is_equal)
            if self.is_position(left) and self.is_position(right):
                raise self.refuse(ast.Compare(left, [op], [right]), "positions cannot be compared in compiled rules",
                                  "compare their fields")
            for one, other in ((left, right), (right, left)):
                if isinstance(other, (ast.List, ast.Tuple)) and not other.elts:
                    length = ast.Call(ast.Name("len", ast.Load()), [self.viewed(one)], [])
                    return ast.Compare(length, [ast.Eq() if is_equal else ast.NotEq()], [ast.Constant(0)])
            if self.is_sequence(left) or self.is_sequence(right):
                same = call("equal", self.as_sequence(left), self.as_sequence(right))
                return same if is_equal else ast.UnaryOp(ast.Not(), same)
        if self.units.has_sets and isinstance(op, (ast.LtE, ast.GtE)) and not (
                isinstance(left, ast.Constant) or isinstance(right, ast.Constant)):
            small, large = (left, right) if isinstance(op, ast.LtE) else (right, left)
            return call("at_most", self.plain(small), self.plain(large))
        if isinstance(op, (ast.Is, ast.IsNot)):
            op = ast.Eq() if is_equal else ast.NotEq()
        return ast.Compare(self.plain(left), [op], [self.plain(right)])

    def is_none(self, node: ast.expr, wanted: bool) -> ast.expr:
        if isinstance(node, ast.Name) and node.id in self.optional:
            known = self.decided(ast.Compare(node, [ast.Is()], [ast.Constant(None)]))
            if known is not None:
                return ast.Constant(known is wanted)
        if self.units.has_optional:
            found = call("absent", self.plain(node))
            return found if wanted else ast.UnaryOp(ast.Not(), found)
        op: ast.cmpop = ast.Eq() if wanted else ast.NotEq()
        return ast.Compare(self.plain(node), [op], [ast.Constant(NONE)])

    def membership(self, left: ast.expr, right: ast.expr) -> ast.expr:
        field = self.container_of(right)
        if field is not None and field.container == "set":
            return call("set_has", self.whole(right), self.keys_of(field), self.plain(left))
        if self.is_position(right):
            return call("truth", self.own_operator(right, "__contains__", right, left))
        if isinstance(right, (ast.Tuple, ast.List, ast.Set)) and right.elts and not any(
                isinstance(each, (ast.Tuple, ast.List, ast.Starred)) for each in right.elts):
            value = self.plain(left)
            if self.is_sequence(left) and (is_simple(value) or self.is_text_sum(left)):
                each_equal: list[ast.expr] = [call("equal", value, self.as_sequence(each)) for each in right.elts]
                return ast.BoolOp(ast.Or(), [*each_equal, ast.Constant(False)])
            if is_simple(value):
                return ast.BoolOp(ast.Or(), [ast.Compare(value, [ast.Eq()], [self.plain(each)])
                                             for each in right.elts]) if len(right.elts) > 1 else ast.Compare(
                    value, [ast.Eq()], [self.plain(right.elts[0])])
        text, wanted = self.static_text(right), self.static_text(left)
        if text is not None and wanted is not None:
            return ast.Constant(wanted in text)
        if wanted == "" and self.is_text(right):
            raise self.refuse(ast.Compare(left, [ast.In()], [right]), "the empty text is in every text", "leave it out")
        if wanted is not None and len(wanted) > 1 and self.is_list(right):  # a part of a text
            return call("contains_run", self.plain(right), self.as_sequence(left))
        if text is not None:
            return call("contains", self.units.constants.characters(text), self.plain(left))
        is_known = self.static(right) is not MISSING or self.is_named_constant(right) or self.is_dict(right)
        found = self.visit(right) if is_known else None
        if isinstance(found, Table):
            return ast.Compare(call("find_key", ast.Name(found.keys, ast.Load()), self.plain(left)), [ast.GtE()],
                               [ast.Constant(0)])
        if isinstance(right, ast.Set):
            right = ast.copy_location(ast.List(right.elts, ast.Load()), right)
        return call("contains", self.plain(right), self.plain(left))

    def count_of_set(self, node: Any) -> ast.expr:
        """How many members a set in a field has."""
        return ast.Call(ast.Attribute(self.whole(node), "sum", ast.Load()), [], [])

    def is_named_constant(self, node: ast.AST) -> bool:
        return (isinstance(node, ast.Attribute) and self.is_position(node.value)
                and self.mangled(node.attr) not in self.units.record.fields
                and plain_function(self.units.member(self.mangled(node.attr))[0]) is None)

    # ---- indices -----------------------------------------------------------------------------------------------------

    def visit_Subscript(self, node: ast.Subscript, is_view: bool = False) -> Any:
        if self.is_position(node.value):
            return self.own_operator(node, "__getitem__", node.value, node.slice)
        text = self.static_text(node.value)
        value = self.units.constants.characters(text) if text is not None else self.visit(node.value)
        self.index_depth += 1
        index = self.plain(node.slice)
        self.index_depth -= 1
        if isinstance(value, Rows):
            if isinstance(node.slice, ast.Slice):
                raise self.refuse(node, "a slice of a table of unequal rows", "write a loop over range(...)")
            return call("row_of", ast.Name(value.data, ast.Load()), ast.Name(value.starts, ast.Load()), index)
        if isinstance(value, Table):
            return self.looked_up(value, index)
        found = ast.Subscript(value, index, node.ctx)
        copies = isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load) and not (
            is_view or self.is_array(node.value))
        return call("hold", found) if copies else found

    def own_operator(self, node: ast.AST, method: str, position: ast.expr, *arguments: ast.expr) -> Any:
        """A call of a method for which Python has an operator, as for ``self[row, col]``."""
        made = ast.Call(ast.Attribute(position, method, ast.Load()), list(arguments), [])
        for each in ast.walk(made):
            if not hasattr(each, "lineno"):
                ast.copy_location(each, node)
        return self.plain(made)

    def looked_up(self, table: Table, index: ast.expr) -> ast.expr:
        """The value of a dict for a key."""
        place = ast.Call(ast.Name("mcts_key", ast.Load()), [ast.Name(table.keys, ast.Load()), index], [])
        if isinstance(table.values, Rows):
            return call("row_of", ast.Name(table.values.data, ast.Load()), ast.Name(table.values.starts, ast.Load()),
                        place)
        return ast.Subscript(table.values, place, ast.Load())

    def visit_Slice(self, node: ast.Slice) -> Any:
        return ast.Slice(*(None if part is None else self.plain(part) for part in (node.lower, node.upper, node.step)))

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        return self._display(node)

    def visit_List(self, node: ast.List) -> Any:
        return self._display(node)

    def _display(self, node: Any) -> Any:
        if isinstance(node.ctx, ast.Store):
            return node
        if any(isinstance(each, ast.Starred) for each in node.elts):
            if len(node.elts) == 1:
                return call("sequence", self.plain(node.elts[0].value))
            parts: list[ast.expr] = [each.value if isinstance(each, ast.Starred) else ast.List([each], ast.Load())
                                     for each in node.elts]
            return functools.reduce(lambda one, other: call("join", one, other),
                                    [self.as_sequence(part) for part in parts])
        for each in node.elts:
            self.refuse_sets(each, None)
        if any(map(self.is_position, node.elts)):
            raise self.refuse(node, "positions cannot be kept in lists or tuples", "use one variable for each")
        return type(node)([self.plain(each) for each in node.elts], node.ctx)

    def visit_Set(self, node: ast.Set) -> Any:
        return ast.Call(ast.Name("set", ast.Load()), [ast.List([self.plain(each) for each in node.elts], ast.Load())],
                        [])

    def visit_Dict(self, node: ast.Dict) -> Any:
        with suppress(ValueError, AttributeError):
            return self.constant(ast.literal_eval(node), node)
        raise self.refuse(node, *ADVICE["dict"])

    visit_DictComp = visit_Dict  # type: ignore[assignment]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        raise self.refuse(node, *ADVICE["str"])

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        raise self.refuse(node, "a function without a name", "write a loop, or a method")

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        return ast.NamedExpr(node.target, self.plain(node.value))


__all__ = ["Rewriter"]
