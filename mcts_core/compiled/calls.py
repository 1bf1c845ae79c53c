"""Rewrites calls: of own methods, of functions of modules, of builtins, and what makes positions."""

from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import inspect
import math

import numpy as np

from mcts_core.compiled.codes import NONE
from mcts_core.compiled.containers import SET_CHANGES, changes
from mcts_core.compiled.loops import is_number
from mcts_core.compiled.shapes import COPIES
from mcts_core.compiled.sources import CHANGING, parts_of, tree_of
from mcts_core.compiled.statements import CHANGED_CONSTANT, Statements
from mcts_core.compiled.units import MISSING, Rows, Table, plain_function, unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PLAIN = {"range", "len", "abs", "enumerate", "zip", "int", "bool", "float", "round", "sorted", "set", "divmod", "min",
         "max", "ord", "slice", "isinstance"}
"""Builtins that are called as they are."""
ADVICE = {
    "print": ("print() has no place in rules that run compiled", "leave it out"),
    "input": ("input() has no place in rules", "leave it out"),
    "open": ("files cannot be read while the search runs", "read them into a constant of the module"),
    "str": ("texts cannot be made in compiled rules", "compare numbers, write moves as tuples, such as (row, col), and "
            "make texts in name() or __str__()"),
    "dict": ("dicts cannot be made in compiled rules", "use a list that is indexed by the number of the key"),
    "frozenset": ("frozensets cannot be made in compiled rules", "use set(...) or a list"),
    "iter": ("iterators cannot be kept", "write a for loop"),
    "getattr": ("the name of a field must be known", "write self.name"),
    "setattr": ("the name of a field must be known", "write self.name = ..."),
    "map": ("map() of this function", "write a comprehension"),
    "filter": ("filter() of this function", "write a comprehension"),
    "super": ("super() without a method", "write super().method(...)"),
}
CHARACTER_METHODS = ("lower", "upper", "swapcase", "islower", "isupper", "isalpha", "isdigit", "isspace")
CONVERSIONS = ("int", "float", "round")
ROUND_ADVICE = "write round(x) of one number; for digits, keep whole numbers, such as cents in place of euros"
CHANCE_MODULES = {"random", "time", "datetime", "os", "sys", "secrets", "threading", "logging", "uuid"}


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a helper."""
    return ast.Call(ast.Name(f"mcts_{name}", ast.Load()), list(arguments), [])


def is_simple(node: ast.AST) -> bool:
    """Whether an expression may be evaluated twice."""
    return all(isinstance(each, (ast.Name, ast.Constant, ast.Attribute, ast.Load, ast.UnaryOp, ast.USub))
               for each in ast.walk(node))


class Calls(Statements):
    """Of one unit."""

    def visit_Call(self, node: ast.Call) -> Any:
        if any(isinstance(each, ast.Starred) for each in node.args) or any(not each.arg for each in node.keywords):
            return self.starred(node)
        if self._is_new(node):
            return call("blank", self.memory())
        nested = self.nested_call(node)
        if nested is not None:
            return nested
        target = self.static(node.func)
        if target is not MISSING:
            return self.static_call(node, target)
        if isinstance(node.func, ast.Attribute):
            return self.method_call(node, node.func)
        raise self.refuse(node, f"{ast.unparse(node.func)} is not a function that is known here",
                          "call a method or a function of the module")

    def starred(self, node: ast.Call) -> Any:
        """``f(*move)``, where the number of values is that of the parameters."""
        target = self.static(node.func)
        if target is zip and len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
            return call("transposed", self.plain(node.args[0].value))
        function = target if inspect.isfunction(target) else None
        if isinstance(node.func, ast.Attribute) and self.is_position(node.func.value):
            function = plain_function(self.units.member(node.func.attr)[0])
        wanted = -1
        if function is not None:  # defaults are not given by a *
            wanted = function.__code__.co_argcount - len(function.__defaults__ or ()) - len(node.args) + 1 - (
                function is not target)
        last = node.args[-1] if node.args else None
        if not (isinstance(last, ast.Starred) and is_simple(last.value) and 1 <= wanted <= 8) or node.keywords:
            raise self.refuse(node, "* and ** in a call", "write the arguments one by one")
        arguments = [ast.Subscript(last.value, ast.Constant(place), ast.Load()) for place in range(wanted)]
        return self.visit(ast.copy_location(ast.Call(node.func, [*node.args[:-1], *arguments], []), node))

    def memory(self) -> ast.expr:
        """Memory for a new position."""
        place, self.next_memory = self.next_memory, None
        if place is None:
            self.unit.makes_positions = True
        return call("scratch") if place is None else place

    def arguments(self, node: ast.Call) -> tuple[list[ast.expr], list[ast.keyword]]:
        return ([self.argument(each) for each in node.args],
                [ast.keyword(each.arg, self.argument(each.value)) for each in node.keywords])

    def argument(self, node: ast.expr) -> Any:
        values = self.dict_argument(node)
        if values is not None:
            return values
        if isinstance(node, ast.Constant) and node.value is None:
            return ast.Constant(None)
        return self.empty(node, None) if self.is_empty(node) else self.plain(node)

    def static_call(self, node: ast.Call, target: Any) -> Any:
        name = getattr(target, "__name__", "")
        if target is self.cls:
            return self.constructed(node)
        if target is collections.deque and len(node.args) < 2 and not node.keywords:
            return self.plain(node.args[0]) if node.args and isinstance(node.args[0], ast.List) else self.builtin(
                node, "list")
        if target in COPIES:
            if self.is_position(node.args[0]):
                return call("copied", self.memory(), self.plain(node.args[0]))
            return call("sequence", self.plain(node.args[0]))
        if name == "replace" and node.args and self.is_position(node.args[0]):
            return self.replaced(node.args[0], node.keywords)
        if getattr(builtins, name, None) is target:
            return self.builtin(node, name)
        module = getattr(target, "__module__", None) or type(getattr(target, "__self__", None)).__name__
        if str(module).partition(".")[0] in CHANCE_MODULES or type(getattr(target, "__self__", None)).__name__ in (
                "Random", "SystemRandom"):
            raise self.refuse(node, f"{name}(): rules may not depend on chance or on the time",
                              "leave it out: the same position must always have the same moves and the same winner")
        if target in (collections.Counter, collections.defaultdict, collections.OrderedDict):
            raise self.refuse(node, f"a {name} cannot be made in compiled rules", "count with x.count(value), or in a "
                              "list that is indexed by the number of the key")
        if parts_of(target) is not None:
            return self.made_tuple(node, target)
        if isinstance(target, type) and hasattr(target, "__members__"):
            return self.plain(node.args[0])  # a member of an enum is its number
        if name == "product" and module == "itertools" and len(node.args) == 2 and not node.keywords:
            return call("product", *(self.plain(each) for each in node.args))
        if inspect.isfunction(unwrapped(target)) and type(target).__name__ != "CPUDispatcher" and str(
                module).partition(".")[0] != "numpy":
            return self.function_call(node, unwrapped(target), target)
        if isinstance(node.func, ast.Attribute) and isinstance(self.static(node.func.value), type):
            raise self.refuse(node, f"{ast.unparse(node.func)} is not a function of the class")
        if target in (np.fliplr, np.flipud, np.diagonal) and len(node.args) == 1:
            board = self.plain(node.args[0])
            if target is np.diagonal:
                return ast.Call(self.named(np.diag), [board], [])
            every, turned = ast.Slice(), ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
            index = ast.Tuple([every, turned], ast.Load()) if target is np.fliplr else turned
            return ast.Subscript(board, index, ast.Load())
        if target in (np.all, np.any) and len(node.args) + len(node.keywords) == 2:
            axis = node.args[1] if len(node.args) > 1 else node.keywords[0].value
            return call(f"along_{name}", self.plain(node.args[0]), self.plain(axis))
        if target is np.trace and len(node.args) == 1 and not node.keywords:
            diagonal = ast.Call(self.named(np.diag), [self.plain(node.args[0])], [])
            return ast.Call(ast.Attribute(diagonal, "sum", ast.Load()), [], [])
        arguments, keywords = self.arguments(node)
        made = ast.Call(self.constant(target, node.func), arguments, [self.typed(each) for each in keywords])
        if target in (math.floor, math.ceil, math.trunc):
            made.args = [call("within_int", each) for each in arguments]
        elif module == "math":
            return call("proper", made)
        elif target in (np.round, np.around):
            raise self.refuse(node, f"{ast.unparse(node.func)}() rounds differently when it is compiled", ROUND_ADVICE)
        return made

    def made_tuple(self, node: ast.Call, cls: type) -> Any:
        """A named tuple, or a frozen dataclass of values, as a tuple."""
        names, given = parts_of(cls) or (), [*node.args]
        later = {each.arg: each.value for each in node.keywords}
        defaults = dict(getattr(cls, "_field_defaults", ()) or {
            field.name: field.default for field in getattr(cls, "__dataclass_fields__", {}).values()
            if field.default is not dataclasses.MISSING})
        parts = [self.plain(each) for each in given]
        for name in names[len(given):]:
            if name not in later and name not in defaults:
                raise self.refuse(node, f"{name} is not given", f"write {cls.__name__}({', '.join(names)})")
            parts.append(self.plain(later[name]) if name in later else self.constant(defaults[name], node))
        return ast.Tuple(parts, ast.Load())

    def typed(self, keyword: ast.keyword) -> ast.keyword:
        if keyword.arg == "dtype" and isinstance(keyword.value, ast.Name) and keyword.value.id in (
                "int", "float", "bool"):
            kind = {"int": np.int64, "float": np.float64, "bool": np.bool_}[keyword.value.id]
            return ast.keyword("dtype", self.named(kind))
        return keyword

    def function_call(self, node: ast.Call, function: Any, target: Any) -> Any:
        """A function of a module, or of the class by its name: ``Game.helper(...)``."""
        if isinstance(node.func, ast.Attribute) and isinstance(self.static(node.func.value), type):
            base = self.static(node.func.value)
            if issubclass(self.cls, base):
                member, owner = self.units.member(node.func.attr)
                if base is not self.cls and node.func.attr in vars(base):
                    member, owner = vars(base)[node.func.attr], base
                bound = None if inspect.isfunction(member) else member
                return self.unit_call(node, function, owner, bound, [])
        return self.unit_call(node, function, None, None, [])

    def unit_call(self, node: ast.Call, function: Any, owner: type | None, member: Any,
                  first: list[ast.expr]) -> Any:
        """A call of a unit; ``first``: the position on which a method is called."""
        roles = self.roles_of(node, function, member)
        self.refuse_set_arguments(node, function, member)
        unit = self.units.unit(function, owner, roles, self.unit, node)
        is_final = self.next_memory is not None
        place = self.memory() if unit.returns_position else ast.Constant(0)
        arguments, keywords = self.arguments(node)
        arguments = [*first, *arguments]
        if isinstance(member, classmethod):
            arguments = [ast.Constant(0), *arguments]
        if unit.root is not None:
            arguments = [*self.counters(self.unit.root is not None), *arguments]
        if not unit.returns_position:
            return ast.Call(ast.Name(unit.name, ast.Load()), arguments, keywords)
        made = ast.Call(ast.Name(unit.name, ast.Load()), [place, *arguments], keywords)
        return made if is_final else call("copied", self.memory(), made)

    def refuse_set_arguments(self, node: ast.Call, function: Any, member: Any) -> None:
        """Raises Refusal where a function changes a set in a field that it is given."""
        if not self.units.has_sets:
            return
        names = function.__code__.co_varnames[member is not None and not isinstance(member, staticmethod):]
        given = [*zip(names, node.args, strict=False), *((each.arg, each.value) for each in node.keywords)]
        for name, value in given:
            if self._is_set(value) and changes(tree_of(function), name):
                self.refuse_sets(value, None)

    def method_call(self, node: ast.Call, func: ast.Attribute) -> Any:
        if isinstance(func.value, ast.Call) and self.static(func.value.func) is super:
            return self.super_call(node, func)
        if self.is_position(func.value):
            name = self.mangled(func.attr)
            member, owner = self.units.member(name)
            if name == "_replace" and hasattr(self.cls, "_fields"):
                return self.replaced(func.value, node.keywords)
            if member is MISSING:
                if name in ("__copy__", "__deepcopy__"):
                    return call("copied", self.memory(), self.plain(func.value))
                if name in ("_replace", "__replace__"):
                    return self.replaced(func.value, node.keywords)
                raise self.refuse(node, f"the class has no method {name}")
            function = plain_function(member)
            if function is None:
                raise self.refuse(node, f"{name} is not a method of the class")
            if isinstance(member, (staticmethod, classmethod)):
                return self.unit_call(node, function, owner, member, [])
            return self.unit_call(node, function, owner, member, [self.visit(func.value)])
        return self.value_method(node, func)

    def super_call(self, node: ast.Call, func: ast.Attribute) -> Any:
        member, owner = self.units.member(self.mangled(func.attr), after=self.unit.owner)
        function = plain_function(member)
        if function is None:
            return ast.Constant(NONE)  # object.__init__
        me = self.unit.function.__code__.co_varnames[0]
        return self.unit_call(node, function, owner, member, [ast.Name(me, ast.Load())])

    def value_method(self, node: ast.Call, func: ast.Attribute) -> Any:
        """A method of a number, a sequence, or a member of an enum."""
        if func.attr in SET_CHANGES and isinstance(func.value, ast.Call):
            self.refuse_sets(func.value, None)
        field = self.container_of(func.value)
        if field is not None:
            found = self.container_method(node, func, field)
            if found is not None:
                return found
        function = self.enum_function(func)
        if function is not None:
            asked = ast.copy_location(ast.Call(func, [func.value, *node.args], node.keywords), node)
            return self.unit_call(asked, function, None, None, [])
        row = self.joined(node)
        if row is not None:
            return call("joined", self.viewed(row))
        if (func.attr == "count" and isinstance(func.value, ast.Call) and self.static(func.value.func) is bin
                and len(func.value.args) == 1 and [self.static_text(each) for each in node.args] == ["1"]):
            return call("bit_count", self.plain(func.value.args[0]))
        helper = {"count": "count_of", "index": "index_of", "bit_count": "bit_count", "bit_length": "bit_length",
                  "tolist": "sequence"}.get(func.attr)
        if func.attr == "copy" and not self.is_array(func.value):
            return call("sequence", self.plain(func.value))
        if func.attr in ("get", "items", "keys", "values"):
            table = self.visit(func.value)
            if isinstance(table, Table) and func.attr == "get":
                default = node.args[1] if len(node.args) > 1 else ast.Constant(None)
                if isinstance(table.values, Rows):
                    raise self.refuse(node, "get() of a dict of sequences", "ask `key in table` first")
                place = call("find_key", ast.Name(table.keys, ast.Load()), self.plain(node.args[0]))
                return ast.Call(ast.Name("mcts_get", ast.Load()), [table.values, place, self.plain(default)], [])
            if isinstance(table, Table) and func.attr == "keys":
                return ast.Name(table.keys, ast.Load())
            if isinstance(table, Table) and func.attr == "values" and isinstance(table.values, ast.expr):
                return table.values
        if helper is not None and len(node.args) == (func.attr in ("count", "index")):
            return call(helper, self.viewed(func.value), *(self.plain(each) for each in node.args))
        if func.attr in CHANGING and (self.is_list(func.value) or self.static(func.value) is not MISSING
                                      or self.is_named_constant(func.value)):
            if self.is_list(func.value):
                raise self.refuse(node, "a sequence in a field keeps its length", "use a list of fixed length, with 0 "
                                  "where there is nothing, and an int that counts what is in it")
            raise self.refuse(node, *CHANGED_CONSTANT)
        if func.attr in CHANGING and isinstance(func.value, ast.Name) and isinstance(
                self.defaults.get(func.value.id), (list, set, dict)):
            raise self.refuse(node, f"the default of {func.value.id} is changed, which every later call sees",
                              f"write {func.value.id}=None, and a variable of its own in the function")
        if func.attr in ("join", "format", "split", "strip", "replace", "startswith", "endswith", "title", "zfill",
                         "partition", "encode"):
            raise self.refuse(node, "texts can only be compared in compiled rules",
                              "compare numbers, and make texts in name() or __str__()")
        if func.attr in ("issuperset", "issubset", "isdisjoint") and len(node.args) == 1:
            return call(func.attr, self.plain(func.value), self.viewed(node.args[0]))
        if func.attr == "append" and isinstance(node.args[0], (ast.List, ast.ListComp)) and isinstance(
                func.value, ast.Name) and not self.begins_empty(func.value.id):
            return call("append_row", self.plain(func.value), self.plain(node.args[0]))
        if func.attr == "pop" and not node.args and isinstance(func.value, ast.Name):
            return call("popped_any" if func.value.id in self.asked_names else "popped", self.plain(func.value))
        if func.attr == "diagonal" and not node.args and not node.keywords:
            return ast.Call(self.named(np.diag), [self.plain(func.value)], [])
        if func.attr in ("all", "any") and len(node.args) + len(node.keywords) == 1:
            axis = node.args[0] if node.args else node.keywords[0].value
            return call(f"along_{func.attr}", self.plain(func.value), self.plain(axis))
        if func.attr in CHARACTER_METHODS and not node.args:
            return self.character_method(node, func)
        arguments, keywords = self.arguments(node)
        if func.attr in ("popleft", "appendleft"):  # of a deque, which is a list here
            arguments = [ast.Constant(0), *arguments]
            func = ast.Attribute(func.value, "pop" if func.attr == "popleft" else "insert", ast.Load())
        return ast.Call(ast.Attribute(self.plain(func.value), func.attr, ast.Load()), arguments, keywords)

    def character_method(self, node: ast.Call, func: ast.Attribute) -> Any:
        """``piece.isupper()`` and its like of one character."""
        text = self.static_text(func.value)
        if text is not None:
            return self.constant(getattr(text, func.attr)(), node)
        return call(func.attr, self.plain(func.value))

    def begins_empty(self, variable: str) -> bool:
        """Whether a variable is an empty list somewhere, whose kind Numba sees by what is appended."""
        return any(isinstance(node, ast.Assign) and self.is_empty(node.value) and any(
            isinstance(each, ast.Name) and each.id == variable for each in node.targets)
            for node in ast.walk(self.definition_tree))

    def joined(self, node: ast.AST) -> ast.expr | None:
        """``x`` of ``"".join(x)``, where it is a board of characters or a part of one."""
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"
                and len(node.args) == 1 and self.static_text(node.func.value) == ""):
            return node.args[0]
        return None

    def viewed(self, node: ast.expr) -> Any:
        """A sequence that is only read: a slice needs no copy."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            found = self.visit_Subscript(node, is_view=True)
            return ast.copy_location(found, node)
        return self.as_sequence(node)

    def constructed(self, node: ast.Call) -> Any:
        member, owner = self.units.member("__init__")
        function = plain_function(member)
        if function is None:
            return call("blank", self.memory())
        return self.unit_call(node, function, owner, member, [call("blank", self.memory())])

    def replaced(self, position: ast.expr, keywords: list[ast.keyword]) -> Any:
        """``dataclasses.replace(position, ...)`` and ``_replace``: a function that copies and fills."""
        lines: list[ast.stmt] = []
        names = [keyword.arg for keyword in keywords if keyword.arg]
        for name in names:
            value = ast.Name(f"v_{name}", ast.Load())
            target = ast.Attribute(ast.Name("made", ast.Load()), name, ast.Store())
            if name not in self.units.record.fields:
                raise self.refuse(position, f"there is no field {name} that changes")
            lines.extend(self.stored(target, value))
        body = [*lines, ast.Return(ast.Name("made", ast.Load()))]
        hoisted = self.hoisted("replaced", ["made", *(f"v_{name}" for name in names)], body, position)
        made = call("copied", self.memory(), self.plain(position))
        return ast.Call(hoisted, [made, *(call("hold", self.plain(each.value)) for each in keywords)], [])

    def builtin(self, node: ast.Call, name: str) -> Any:
        if name in ("any", "all", "sum", "min", "max", "next", "sorted", "list", "tuple", "set", "len", "map",
                    "filter", "reversed", "frozenset"):
            return self.reduced(node, name)
        if name == "pow" and len(node.args) == 2:
            return call("power", *(self.plain(each) for each in node.args))
        if name not in PLAIN:
            reason, instead = ADVICE.get(name, (f"{name}() has no place in compiled rules", ""))
            raise self.refuse(node, reason, instead)
        if name in CONVERSIONS and (node.keywords or len(node.args) != 1):
            raise self.refuse(node, f"{name}() of other than one number", ROUND_ADVICE if name == "round" else
                              "write it with one number")
        text = self.static_text(node.args[0]) if node.args else None
        if text is not None and name in (*CONVERSIONS, "bool", "ord"):
            try:
                return ast.Constant(getattr(builtins, name)(text))
            except (TypeError, ValueError) as error:
                raise self.refuse(node, f"{name}() of this text: {error}", "write the number") from None
        if name in CONVERSIONS and name != "round" and self.is_text(node.args[0]):
            raise self.refuse(node, f"{name}() of a text that changes", "keep numbers in place of texts")
        arguments, keywords = self.arguments(node)
        if name in ("enumerate", "zip"):
            arguments = [self.viewed(node.args[0]), *arguments[1:]] if name == "enumerate" else [
                self.viewed(each) for each in node.args]
        if name in ("int", "round"):
            return call("as_int" if name == "int" else "rounded", *arguments)
        if name == "abs" and self.uses_numpy:
            return call("absolute", *arguments)
        if name == "divmod" and self.uses_numpy:
            arguments = [self.exact(each) for each in arguments]
        if name == "bool" and arguments:
            return ast.Call(ast.Name("bool", ast.Load()), [self.test(node.args[0])], [])
        if name == "range":
            arguments = self.bounded(arguments)
        return ast.Call(ast.Name(name, ast.Load()), arguments, keywords)

    def bounded(self, arguments: list[ast.expr]) -> list[ast.expr]:
        """The arguments of a range, whose end is checked unless it is a small constant or a length."""
        place = 0 if len(arguments) == 1 else 1
        stop = arguments[place]
        is_small = (is_number(stop) and abs(number_of(stop)) < 1_000_000) or (
            isinstance(stop, ast.Call) and isinstance(stop.func, ast.Name) and stop.func.id == "len")
        if not is_small:
            arguments = [*arguments]
            start = arguments[0] if place and is_simple(arguments[0]) else ast.Constant(0)
            arguments[place] = call("limited", start, stop)
        return arguments


def number_of(node: Any) -> Any:
    return ast.literal_eval(node)


def segment_name(value: Any) -> str:
    return getattr(value, "__qualname__", type(value).__name__)
