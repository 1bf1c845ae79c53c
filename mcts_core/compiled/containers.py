"""Rewrites what is done with fields that are dicts, sets, or lists of varying length."""

from __future__ import annotations

import ast
import collections
import functools
from contextlib import suppress
from typing import NamedTuple

from mcts_core.compiled.loops import helper, name
from mcts_core.compiled.nested import Nested
from mcts_core.compiled.record import LENGTH
from mcts_core.compiled.shapes import COPIES
from mcts_core.compiled.sources import NoSource, tree_of
from mcts_core.compiled.units import Table, plain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.compiled.record import Field


class Source(NamedTuple):
    """The dict of a field, or a copy of it: the name of the field, and an expression for the values."""

    field: str
    values: ast.expr


SET_CHANGES = ("add", "remove", "discard", "update", "clear", "pop", "difference_update", "intersection_update",
               "symmetric_difference_update")
KEPT = "a dict in a field keeps its keys"
KEPT_ADVICE = "write None or 0 for nothing, in place of leaving a key out"


def changes(tree: ast.AST, variable: str) -> bool:
    """Whether a function changes a set by this name."""
    return any((isinstance(node, ast.Attribute) and node.attr in SET_CHANGES and isinstance(node.value, ast.Name)
                and node.value.id == variable) or (isinstance(node, ast.AugAssign) and isinstance(
                    node.target, ast.Name) and node.target.id == variable) for node in ast.walk(tree))


class Containers(Nested):
    """Of one unit."""

    def container_of(self, node: ast.AST) -> Field | None:
        """The field that an expression such as ``self.history`` names, if it is one of these."""
        field: Field | None = self.field_of(node)
        return field if field is not None and field.container else None

    def whole(self, node: Any) -> ast.Attribute:
        """The array in the record behind a field."""
        position = self.visit(node.value) if isinstance(node.value, ast.Call) else node.value
        return ast.Attribute(position, self.mangled(node.attr), ast.Load())

    def keys_of(self, field: Field) -> ast.Name:
        found = self.units.constants.freeze(field.keys)
        assert isinstance(found, ast.Name)
        return found

    def contents(self, node: ast.Attribute, field: Field) -> Any:
        """The expression that reads such a field: a Table, a part of an array, or a set."""
        array = self.whole(node)
        if field.container == "list":
            length = ast.Attribute(array.value, array.attr + LENGTH, ast.Load())
            return ast.Subscript(array, ast.Slice(None, length), ast.Load())
        keys = self.keys_of(field)
        if field.container == "dict":
            return Table(keys.id, array, len(field.keys))
        width = len(field.keys[0]) if isinstance(field.keys[0], tuple) else 0
        return helper(f"as_set_{width}", array, keys)

    # ---- dicts -------------------------------------------------------------------------------------------------------

    def source_of(self, node: ast.AST) -> Source | None:
        """The dict of a field behind an expression: the field itself, a variable, or a copy of either."""
        field = self.container_of(node)
        if field is not None:
            return Source(field.name, self.whole(node)) if field.container == "dict" else None
        if isinstance(node, ast.Name):
            known = self.dicts.get(node.id)
            return None if known is None else Source(known, name(node.id))
        if isinstance(node, ast.Call):
            inner: ast.AST | None = None
            if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
                inner = node.func.value
            elif len(node.args) == 1 and not node.keywords and self.static(node.func) in (dict, *COPIES):
                inner = node.args[0]
            found = None if inner is None or self.is_position(inner) else self.source_of(inner)
            return None if found is None else Source(found.field, helper("hold", found.values))
        if isinstance(node, ast.Dict) and node.keys and node.keys[0] is None:  # {**board, key: value}
            found = self.source_of(node.values[0])
            return None if found is None or None in node.keys[1:] else self._extended(node, found)
        return None

    def _extended(self, node: ast.Dict, source: Source) -> Source:
        keys = self.keys_of(self.units.record.fields[source.field])
        lines: list[ast.stmt] = []
        arguments: list[ast.expr] = [helper("hold", source.values)]
        parameters = ["made"]
        for place, (key, value) in enumerate(zip(node.keys[1:], node.values[1:], strict=True)):
            spot = helper("key", name(keys.id), name(f"k{place}"))
            lines.append(ast.Assign([ast.Subscript(name("made"), spot, ast.Store())], name(f"v{place}")))
            arguments += [self.plain(key), self.plain(value)]
            parameters += [f"k{place}", f"v{place}"]
        made = self.hoisted("extended", parameters, [*lines, ast.Return(name("made"))], node)
        return Source(source.field, ast.Call(made, arguments, []))

    @functools.cached_property
    def dicts(self) -> dict[str, str]:
        """The variables that are the dict of a field, by its name."""
        found = {each: role.partition(":")[2] for each, role in self.unit.roles if role.startswith("dict:")}
        self.__dict__["dicts"] = found  # what follows asks for it
        for _ in range(2):
            for node in ast.walk(self.definition_tree):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not isinstance(
                        node.value, ast.Dict):
                    source = self.source_of(node.value)
                    if source is not None:
                        found[node.targets[0].id] = source.field
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(
                        node.value, ast.Dict) and node.value.keys and node.value.keys[0] is None:
                    source = self.source_of(node.value.values[0])
                    if source is not None:
                        found[node.targets[0].id] = source.field
        return found

    def is_dict(self, node: ast.AST) -> bool:
        """Whether an expression is the dict of a field."""
        field = self.container_of(node)
        if field is not None:
            return field.container == "dict"
        return isinstance(node, ast.Name) and node.id in self.dicts

    def dict_variable(self, node: ast.Name) -> Table:
        field = self.units.record.fields[self.dicts[node.id]]
        return Table(self.keys_of(field).id, name(node.id), len(field.keys))

    def dict_argument(self, node: ast.expr) -> ast.expr | None:
        """The values of a dict that is given to a function; None: it is something else."""
        source = self.source_of(node)
        return None if source is None else source.values

    def _dict_assigned(self, target: ast.Attribute, value: ast.expr, field: Field) -> list[ast.stmt]:
        array = self.whole(target)
        source = self.source_of(value)
        if source is not None:
            if self.units.record.fields[source.field].keys != field.keys:
                raise self.refuse(value, f"{source.field} has other keys than {field.name}", KEPT_ADVICE)
            return [ast.Expr(helper("fill", array, source.values))]
        if isinstance(value, ast.DictComp):
            return self.loops(value.generators, self._put(target, value.key, value.value))
        if isinstance(value, ast.Dict) and value.keys and None not in value.keys:
            return [line for key, each in zip(value.keys, value.values, strict=True)
                    for line in self._put(target, key, each)]
        raise self.refuse(value, KEPT, "assign a copy of it, such as dict(self.x), or a comprehension over all keys")

    def _put(self, target: ast.Attribute, key: Any, value: ast.expr) -> list[ast.stmt]:
        read = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
        spot = ast.copy_location(ast.Subscript(read, key, ast.Store()), target)
        made: list[ast.stmt] = self.block([ast.copy_location(ast.Assign([spot], value), target)])
        return made

    # ---- sets --------------------------------------------------------------------------------------------------------

    def refuse_sets(self, value: ast.AST, variable: str | None) -> None:
        """Raises Refusal where a set in a field would be changed by another name: what reads one has a copy of it.
        ``variable``: the name that it gets; None: it is put into a sequence."""
        if not self.units.has_sets or not self._is_set(value) or (
                variable is not None and not changes(self.definition_tree, variable)):
            return
        raise self.refuse(value, "a set in a field is changed by another name",
                          "change it by its own name, such as self.x.add(...), in an `if` for each of them")

    def _is_set(self, node: ast.AST) -> bool:
        if isinstance(node, ast.IfExp):
            return self._is_set(node.body) or self._is_set(node.orelse)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self.is_position(node.func.value):
            function = plain_function(self.units.member(node.func.attr)[0])
            if function is None:
                return False
            with suppress(NoSource):
                return any(isinstance(each, ast.Return) and each.value is not None and any(
                    isinstance(part, ast.Attribute) and part.attr in self.units.set_names
                    for part in (each.value, *ast.iter_child_nodes(each.value)))
                    for each in ast.walk(tree_of(function)))
        field = self.container_of(node)
        return field is not None and field.container == "set"

    # ---- assignments -------------------------------------------------------------------------------------------------

    def container_assigned(self, target: ast.Attribute, value: ast.expr, field: Field) -> list[ast.stmt]:
        """``self.history = value``, where the value is not rewritten yet."""
        if isinstance(value, ast.IfExp) and self.decided(value.test) is not None:
            return self.container_assigned(target, value.body if self.decided(value.test) else value.orelse, field)
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and len(value.values) == 2 and isinstance(
                value.values[0], ast.Name) and value.values[0].id in self.optional:  # history or []
            chosen = value.values[self.is_absent(value.values[0])]
            return self.container_assigned(target, chosen, field)
        if field.container == "dict":
            return self._dict_assigned(target, value, field)
        if self.is_nothing(value):
            array = self.whole(target)
            lines: list[ast.stmt] = [ast.Expr(helper("fill_all", array, ast.Constant(0)))]
            return lines if field.container == "set" else [*lines, self._set_length(array, ast.Constant(0))]
        return self.container_stored(target, self.plain(value), field)

    def container_stored(self, target: ast.Attribute, value: ast.expr, field: Field) -> list[ast.stmt]:
        """The same with a rewritten value."""
        array = self.whole(target)
        if field.container == "set":
            return [ast.Expr(helper("mark_all", array, self.keys_of(field), value))]
        if field.container == "dict":
            raise self.refuse(target, KEPT, "assign it on a line of its own")
        return [self._set_length(array, helper("fill_list", array, value))]

    def is_nothing(self, node: ast.expr) -> bool:
        return (isinstance(node, (ast.List, ast.Tuple)) and not node.elts) or (
            isinstance(node, ast.Call) and not node.args and not node.keywords
            and self.static(node.func) in (list, tuple, set, frozenset, collections.deque))

    def _set_length(self, array: ast.Attribute, length: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Attribute(array.value, array.attr + LENGTH, ast.Store())], length)

    # ---- methods -----------------------------------------------------------------------------------------------------

    def container_method(self, node: ast.Call, func: Any, field: Field) -> ast.expr | None:
        """A method that changes such a field; None: one that only reads it."""
        array, method, arguments = self.whole(func.value), func.attr, node.args
        if field.container == "set" and method in ("add", "remove", "discard") and len(arguments) == 1:
            return helper(f"set_{method}", array, self.keys_of(field), self.plain(arguments[0]))
        if field.container == "list" and method == "append" and len(arguments) == 1:
            return ast.Call(self._list_function(field, "append"), [array.value, self.plain(arguments[0])], [])
        if field.container == "list" and method == "pop" and len(arguments) < 2:
            place = self.plain(arguments[0]) if arguments else ast.Constant(-1)
            return ast.Call(self._list_function(field, "pop"), [array.value, place], [])
        if field.container == "list" and method == "remove" and len(arguments) == 1:
            place = helper("index_of", self.contents(func.value, field), self.plain(arguments[0]))
            return ast.Call(self._list_function(field, "pop"), [array.value, place], [])
        if field.container == "list" and method == "clear":
            return ast.Call(self._list_function(field, "clear"), [array.value], [])
        if field.container == "set" and method == "clear":
            return helper("fill_all", array, ast.Constant(0))
        if method in ("pop", "popitem", "setdefault", "update", "clear", "insert", "extend", "difference_update",
                      "intersection_update", "symmetric_difference_update", "reverse", "sort", "popleft", "appendleft"):
            what, instead = {
                "dict": (KEPT, KEPT_ADVICE),
                "set": (f"{method}() of a set in a field", "use add, discard, |= and -="),
                "list": (f"{method}() of a list of varying length in a field",
                         "use append and pop, or assign a new list")}[field.container]
            raise self.refuse(node, what, instead)
        return None

    def deleted(self, target: ast.Subscript, field: Field) -> ast.stmt:
        """``del self.history[place]``."""
        if field.container != "list" or isinstance(target.slice, ast.Slice):
            raise self.refuse(target, KEPT if field.container == "dict" else "del of several", KEPT_ADVICE)
        array = self.whole(target.value)
        return ast.Expr(ast.Call(self._list_function(field, "pop"), [array.value, self.plain(target.slice)], []))

    def _list_function(self, field: Field, what: str) -> ast.Name:
        """A function of the namespace that changes a list of varying length."""
        made = f"{what}_{field.name}"
        if made in self.units.made:
            return name(made)
        self.units.made.add(made)
        array, length = f"self.{field.name}", f"self.{field.name}{LENGTH}"
        shape = field.shape or (0,)
        room = shape[0]
        set_value, clear = f"{array}[{{}}] = {{}}", f"{array}[{{}}] = 0"
        value = f"{array}[place]"
        if len(shape) > 1:
            set_value, clear = f"mcts_fill({array}[{{}}], {{}})", f"mcts_fill_all({array}[{{}}], 0)"
            value = f"mcts_unpack_{shape[1]}({value})" if len(shape) == 2 and shape[1] <= 8 else f"mcts_hold({value})"
        text = {
            "append": f"def {made}(self, value):\n count = {length}\n"
                      f" if count >= {room}: raise ValueError('raised')\n"
                      f" {set_value.format('count', 'value')}\n {length} = count + 1",
            "pop": f"def {made}(self, place):\n count = {length}\n if place < 0: place += count\n"
                   f" if place < 0 or place >= count: raise IndexError('raised')\n value = {value}\n"
                   f" for later in range(place + 1, count):\n"
                   f"  {set_value.format('later - 1', f'{array}[later]')}\n"
                   f" {clear.format('count - 1')}\n {length} = count - 1\n return value",
            "clear": f"def {made}(self):\n mcts_fill_all({array}, 0)\n {length} = 0",
        }[what]
        definition = ast.parse(text).body[0]
        assert isinstance(definition, ast.FunctionDef)
        self.units.definitions.append((self.unit.function.__code__.co_filename, definition))
        return name(made)
