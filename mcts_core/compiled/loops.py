"""Rewrites loops, comprehensions and the builtins over them: each generator becomes a function with loops."""

from __future__ import annotations

import ast
import collections
import copy

from mcts_core.compiled.shapes import CALLS, DEPTH, Shapes
from mcts_core.compiled.units import MISSING, Rows, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 900
"""Calls of a function within itself; Python has 1000 in all."""
LARGEST_STACK = 200_000
"""Bytes of the positions in all of them."""
EMPTY_RESULTS = {"any": False, "all": True, "sum": 0, "len": 0}
COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp)


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def is_number(node: ast.AST) -> bool:
    """Whether an expression is a number, perhaps with a sign."""
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant))


def is_small_number(node: ast.AST) -> bool:
    """Whether it is one that no sum of a few can leave 64 bits with."""
    value = getattr(node.operand if isinstance(node, ast.UnaryOp) else node, "value", None)
    return is_number(node) and (not isinstance(value, int) or abs(value) < 1 << 31)


def assign(target: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(target, ast.Store())], value)


def helper(text: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(name(f"mcts_{text}"), list(arguments), [])


def _pair(one: ast.expr, other: ast.expr) -> ast.Tuple:
    return ast.Tuple([one, other], ast.Load())


def _named_parts(line: ast.stmt) -> list[tuple[Any, str, int | None, Any]]:
    """The ``:=`` of the value of a line that are always evaluated, from the left, with where each of them stands."""
    found: list[tuple[Any, str, int | None, Any]] = []
    todo: list[ast.AST] = [line]
    while todo:
        node = todo.pop()
        for field, value in ast.iter_fields(node):
            for index, each in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(each, ast.NamedExpr):
                    found.append((node, field, index, each))
                elif isinstance(each, ast.AST) and not isinstance(each, (*COMPREHENSIONS, ast.Lambda, ast.IfExp)) and (
                        not isinstance(node, ast.BoolOp) or index == 0):
                    todo.append(each)
    return sorted(found, key=lambda part: (part[3].lineno, part[3].col_offset))


class Loops(Shapes):
    """Of one unit. The class that has this one as a base visits expressions."""

    if TYPE_CHECKING:  # what Statements defines
        block: Any

    temporaries = 0
    in_order = True
    """Whether the order matters in which a loop meets the members of what it goes over."""

    def temporary(self) -> str:
        self.temporaries += 1
        made = f"t{self.temporaries}_"
        self.locals.add(made)
        return made

    def counters(self, is_inside: bool) -> list[ast.expr]:
        """The arguments of a function that calls itself; ``is_inside``: for a call from within."""
        if is_inside:
            return [name(CALLS), ast.BinOp(name(DEPTH), ast.Add(), ast.Constant(1))]
        return [helper("blank", helper("calls")), ast.Constant(0)]

    def counted(self, definition: ast.FunctionDef) -> None:
        """Makes a function end with an error if it calls itself without end."""
        definition.args.args[:0] = [ast.arg(CALLS), ast.arg(DEPTH)]
        deepest = DEEPEST
        if self.unit.makes_positions:
            deepest = max(min(deepest, LARGEST_STACK // self.units.record.dtype.itemsize), 5)
        definition.body.insert(0, ast.Expr(helper("called", name(CALLS), name(DEPTH), ast.Constant(deepest))))
        for each in (*definition.args.args[:2], *ast.walk(definition.body[0])):
            if isinstance(each, (ast.expr, ast.stmt, ast.arg)):
                ast.copy_location(each, definition)

    # ---- loops -------------------------------------------------------------------------------------------------------

    def loop(self, target: ast.expr, source: ast.expr, body: list[ast.stmt]) -> ast.For:
        """``for target in source: body``; the body is rewritten already, the rest is not."""
        self._check_target(target)
        known = self._table_of(source)
        if known is not None:
            return self._table_loop(target, known, source, body)
        if isinstance(source, ast.GeneratorExp):
            source = ast.copy_location(ast.ListComp(source.elt, source.generators), source)
        columns = self._columns_of(target, source)
        if columns is not None:
            return self._column_loop(target, columns, body)
        if self._gives_tuples(source) and isinstance(target, ast.Tuple):
            before: list[ast.stmt] = []
            parts = [self._part(each, before) for each in target.elts]
            return ast.For(ast.Tuple(parts, ast.Store()), self.source(source), [*before, *body], [])
        before = []
        return ast.For(self._part(target, before), self.source(source), [*before, *body], [])

    def _columns_of(self, target: ast.expr, source: ast.expr) -> ast.Name | None:
        """The table of constants whose rows a loop takes apart into variables, or None."""
        if not (isinstance(target, ast.Tuple) and all(isinstance(each, ast.Name) for each in target.elts)):
            return None
        is_display = isinstance(source, (ast.List, ast.Tuple)) and source.elts
        if not (is_display or self.static(source) is not MISSING or self.is_named_constant(source)
                or self._is_constant_field(source)):
            return None
        found = self.source(source)
        table = self.units.constants.namespace.get(found.id) if isinstance(found, ast.Name) else None
        return found if getattr(table, "shape", ())[1:] == (len(target.elts),) else None

    def _column_loop(self, target: Any, table: ast.Name, body: list[ast.stmt]) -> ast.For:
        """A loop over the numbers of a table, which makes no object for a row."""
        place = self.temporary()
        lines: list[ast.stmt] = [
            assign(each.id, ast.Subscript(table, _pair(name(place), ast.Constant(column)), ast.Load()))
            for column, each in enumerate(target.elts)]
        count = ast.Call(name("range"), [ast.Constant(len(self.units.constants.namespace[table.id]))], [])
        return ast.For(ast.Name(place, ast.Store()), count, [*lines, *body], [])

    def _check_target(self, target: ast.expr) -> None:
        for each in ast.walk(target):
            if isinstance(each, ast.Starred):
                raise self.refuse(target, "* on the left", "write the parts one by one")

    def _part(self, target: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """A name for ``target``; ``before`` gets what takes a tuple apart."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            return target
        made = self.temporary()
        self.take_apart(target, name(made), before)
        return ast.Name(made, ast.Store())

    def take_apart(self, target: Any, value: ast.expr, lines: list[ast.stmt]) -> None:
        """``a, (b, c) = value`` as lines of which each takes one sequence apart."""
        if len(target.elts) > 8:
            raise self.refuse(target, "more than eight values are taken apart", "index them")
        later: list[ast.stmt] = []
        parts = [self._part(each, later) for each in target.elts]
        lines.append(ast.Assign([ast.Tuple(parts, ast.Store())], helper(f"unpack_{len(parts)}", value)))
        lines.extend(later)

    def _gives_tuples(self, source: ast.expr) -> bool:
        """Whether each step of an iterable is a tuple of its own making."""
        return isinstance(source, ast.Call) and (
            (isinstance(source.func, ast.Name) and source.func.id in ("enumerate", "zip", "product"))
            or (isinstance(source.func, ast.Attribute) and source.func.attr in ("product", "ndenumerate")))

    def _table_of(self, source: ast.expr) -> Any:
        """A pair of Rows or Table and how it is looped over: "", "enumerate" or "items". None for anything else."""
        way = ""
        inner = source
        if isinstance(source, ast.Call) and not source.keywords:
            if isinstance(source.func, ast.Name) and source.func.id == "enumerate" and len(source.args) == 1:
                way, inner = "enumerate", source.args[0]
            elif isinstance(source.func, ast.Attribute) and source.func.attr == "items" and not source.args:
                way, inner = "items", source.func.value
        if not (self.static(inner) is not MISSING or self.is_named_constant(inner) or self._is_constant_field(inner)
                or self.is_dict(inner)):
            return None
        if self.static_text(inner) is not None or callable(self.static(inner)):
            return None
        found = self.visit(inner)
        return (found, way) if isinstance(found, (Rows, Table)) else None

    def _is_constant_field(self, node: ast.AST) -> bool:
        return (isinstance(node, ast.Attribute) and self.is_position(node.value)
                and self.mangled(node.attr) in self.units.record.constants)

    def _table_loop(self, target: ast.expr, known: Any, source: ast.expr, body: list[ast.stmt]) -> ast.For:
        table, way = known
        place = self.temporary()
        if isinstance(table, Rows):
            value: ast.expr = helper("row_of", name(table.data), name(table.starts), name(place))
            first: ast.expr = name(place)
        else:
            first = ast.Subscript(name(table.keys), name(place), ast.Load())
            if way == "items" and isinstance(table.values, Rows):
                value = helper("row_of", name(table.values.data), name(table.values.starts), name(place))
            else:
                value = ast.Subscript(table.values, name(place), ast.Load()) if way == "items" else first
        lines: list[ast.stmt] = []
        if way:
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
                raise self.refuse(source, f"{way} gives two values", f"write: for one, other in {ast.unparse(source)}")
            for part, part_value in zip(target.elts, (first, value), strict=True):
                later: list[ast.stmt] = []
                lines.append(ast.Assign([self._part(part, later)], part_value))
                lines.extend(later)
        else:
            later = []
            lines.append(ast.Assign([self._part(target, later)], value))
            lines.extend(later)
        count = ast.Call(name("range"), [ast.Constant(table.count)], [])
        return ast.For(ast.Name(place, ast.Store()), count, [*lines, *body], [])

    def source(self, node: ast.expr) -> Any:
        """An iterable of a loop."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and node.elts:
            try:
                return self.constant(list(ast.literal_eval(node)), node)
            except ValueError:
                if isinstance(node, ast.Set):
                    node = ast.copy_location(ast.List(node.elts, ast.Load()), node)
        found = self.viewed(node)
        return helper("members", found) if self.in_order and isinstance(node, (
            ast.Name, ast.Call, ast.BinOp, ast.IfExp, ast.SetComp)) else found

    def assigned_first(self, test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """The assignments of ``:=`` in a test, as lines before it, and the test without them."""
        if isinstance(test, ast.BoolOp) and any(
                isinstance(each, ast.NamedExpr) for part in test.values[1:] for each in ast.walk(part)):
            return self._assigned_between(test)
        field: tuple[Any, Any] | None = None
        inner: Any = test
        while not isinstance(inner, ast.NamedExpr):
            if isinstance(inner, ast.BoolOp):
                field, inner = (inner.values, 0), inner.values[0]
            elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.args:
                field, inner = (inner.args, 0), inner.args[0]
            else:
                part = {ast.UnaryOp: "operand", ast.Compare: "left", ast.BinOp: "left",
                        ast.Subscript: "value"}.get(type(inner))
                if part is None:
                    return [], test
                field, inner = (inner, part), getattr(inner, part)
        line = assign(inner.target.id, inner.value)
        read = name(inner.target.id)
        for made in (line, read):
            ast.fix_missing_locations(ast.copy_location(made, inner))
        if field is None:
            test = read
        elif isinstance(field[0], list):
            field[0][0] = read
        else:
            setattr(*field, read)
        found = self.visit(line)
        return found if isinstance(found, list) else [found], test

    def _assigned_between(self, test: ast.BoolOp) -> tuple[list[ast.stmt], ast.expr]:
        """``a and (b := f()) and ...``, as lines that go on where the parts before are true."""
        flag = self.temporary()
        lines: list[ast.stmt] = []
        for part in test.values:
            before, asked = self.assigned_first(part)
            made: list[ast.stmt] = [*before, assign(flag, ast.Call(name("bool"), [self.test(asked)], []))]
            goes_on: ast.expr = name(flag)
            if isinstance(test.op, ast.Or):
                goes_on = ast.UnaryOp(ast.Not(), goes_on)
            lines = [*lines, ast.If(goes_on, made, [])] if lines else made
        return lines, ast.copy_location(name(flag), test)

    def assigned_within(self, line: Any) -> list[ast.stmt]:
        """The assignments of all ``:=`` in a line, as lines of their own before it; the line has variables in their
        place. Raises Refusal where they cannot go first."""
        lines: list[ast.stmt] = []
        for parent, field, index, part in _named_parts(line):
            has_calls = any(isinstance(each, ast.Call) for each in ast.walk(part.value))
            each: Any
            for each in ast.walk(line.value):
                is_ahead = hasattr(each, "end_lineno") and (each.end_lineno, each.end_col_offset) <= (
                    part.lineno, part.col_offset)
                if is_ahead and (has_calls and isinstance(each, ast.Call) or (
                        isinstance(each, ast.Name) and each.id == part.target.id)):
                    raise self.refuse(part, ":= behind other parts of the line", "assign on a line of its own")
            read = ast.copy_location(name(part.target.id), part)
            if index is None:
                setattr(parent, field, read)
            else:
                getattr(parent, field)[index] = read
            made = ast.copy_location(assign(part.target.id, part.value), part)
            lines.extend(self.block([ast.fix_missing_locations(made)]))
        return lines

    # ---- comprehensions ----------------------------------------------------------------------------------------------

    def loops(self, generators: list[ast.comprehension], body: list[ast.stmt]) -> list[ast.stmt]:
        """The loops of a comprehension around a body that is rewritten already."""
        for generator in reversed(generators):
            for test in reversed(generator.ifs):
                before, asked = self.assigned_first(test)
                body = [*before, ast.If(self.test(asked), body, [])]
            body = [self.loop(generator.target, generator.iter, body)]
        return body

    def hoisted(self, prefix: str, parameters: list[str], body: list[ast.stmt], node: ast.AST,
                made: str = "") -> ast.Name:
        """A new function of the namespace; returns its name. ``made``: a name that ``fresh`` has given."""
        units = self.units
        made = made or units.fresh(prefix)
        arguments = ast.arguments([], [ast.arg(each) for each in parameters], None, [], [], None, [])
        definition = ast.FunctionDef(name=made, args=arguments, body=body, decorator_list=[])
        for each in ast.walk(definition):
            if isinstance(each, (ast.expr, ast.stmt, ast.arg)) and not hasattr(each, "lineno"):
                ast.copy_location(each, node)
                if not hasattr(each, "lineno"):
                    each.lineno, each.col_offset = 1, 0
        units.definitions.append((self.unit.function.__code__.co_filename, definition))
        return name(made)

    def hoisted_loops(self, prefix: str, before: list[ast.stmt], generators: list[ast.comprehension],
                      body: list[ast.stmt], after: list[ast.stmt], node: ast.AST) -> ast.Call:
        """A call of a new function with the loops; its parameters are the variables that they use."""
        inside = collections.Counter(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        for each in ast.walk(node):
            if isinstance(each, ast.NamedExpr) and self.uses[each.target.id] > inside[each.target.id]:
                raise self.refuse(each, f"{each.target.id} is used outside of the comprehension, too",
                                  "write the comprehension as a for loop")
        lines = [*before, *self.loops(generators, body), *after]
        stored = {each.id for line in lines for each in ast.walk(line)
                  if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        loaded = {each.id for line in lines for each in ast.walk(line)
                  if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
        free = sorted((loaded & self.locals) - stored)
        return ast.Call(self.hoisted(prefix, free, lines, node), [name(each) for each in free], [])

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        self._refuse_positions(node)
        value = self.plain(node.elt)
        add = ast.Expr(ast.Call(ast.Attribute(name("found_"), "append", ast.Load()), [value], []))
        return self.hoisted_loops("list", [assign("found_", ast.List([], ast.Load()))], node.generators, [add],
                                  [ast.Return(name("found_"))], node)

    def _refuse_positions(self, node: Any) -> None:
        if self.is_position(node.elt):
            raise self.refuse(node, "positions cannot be kept in lists", "write a loop with one variable")

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return self.visit_ListComp(node)  # type: ignore[arg-type]

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        before, self.in_order = self.in_order, False
        found = self.visit_ListComp(node)  # type: ignore[arg-type]
        self.in_order = before
        return ast.Call(name("set"), [found], [])

    # ---- builtins over iterables -------------------------------------------------------------------------------------

    def reduced(self, node: ast.Call, kind: str) -> Any:
        """A call of any, all, sum, min, max, next, sorted, list, tuple, set, len, map, filter or reversed."""
        free = kind in ("any", "all", "sum", "set", "frozenset", "len") or (
            kind in ("sorted", "min", "max") and not any(each.arg == "key" for each in node.keywords))
        before, self.in_order = self.in_order, not free
        try:
            return self._reduced(node, kind)
        finally:
            self.in_order = before

    def _reduced(self, node: ast.Call, kind: str) -> Any:
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        arguments = list(node.args)
        if kind in ("map", "filter"):
            return self.visit_GeneratorExp(self._mapped(node, kind))
        if not arguments:
            if kind in ("list", "tuple"):
                return ast.List([], ast.Load())
            if kind == "set":
                return ast.Call(name("set"), [], [])
            raise self.refuse(node, f"{kind}() of nothing", "give it a sequence")
        first = arguments[0]
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id in ("map", "filter") and (
                first.func.id not in self.locals):
            first = self._mapped(first, first.func.id)
        if kind in EMPTY_RESULTS and isinstance(first, (ast.List, ast.Tuple)) and not first.elts and (
                len(arguments) == 1 and not options):
            return ast.Constant(EMPTY_RESULTS[kind])
        if kind == "len":
            return self._length(first)
        if kind == "reversed":
            return helper("backwards", self.viewed(first))
        if kind in ("min", "max"):
            return self._extreme(node, kind, first, options)
        if kind == "sorted" and options:
            return self._sorted(node, first, options)
        if options:
            raise self.refuse(node, f"{kind}() with {next(iter(options))}=", "write a loop")
        if isinstance(first, COMPREHENSIONS) and not (isinstance(first, ast.SetComp) and kind == "sum"):
            found = self._over_comprehension(node, kind, first)
            if found is not None:
                return found
        if kind in ("any", "all", "sum"):
            total = helper(f"{kind}_of", self.viewed(first))
            return helper("add", self.plain(arguments[1]), total) if len(arguments) > 1 else total
        if kind in ("list", "tuple"):
            return helper("sequence", self.viewed(first))
        if kind == "sorted":
            return ast.Call(name("sorted"), [self.viewed(first)], [])
        if kind in ("set", "frozenset"):
            return ast.Call(name("set"), [self.viewed(first)], [])
        raise self.refuse(node, f"{kind}() of this", "give it a generator: next(x for x in ...)")

    def is_empty(self, node: ast.AST) -> bool:
        """Whether an expression is ``[]``, ``list()`` or ``set()``."""
        return (isinstance(node, ast.List) and not node.elts) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("list", "set")
            and not node.args and not node.keywords and node.func.id not in self.locals)

    def empty(self, node: ast.expr, variable: str | None) -> ast.expr:
        """An empty list or set whose members have the kind of those that functions of the class put into such."""
        one: ast.expr = ast.Constant(0)
        length = self._member_length(variable)
        if length:
            one = ast.Tuple([ast.Constant(0)] * length, ast.Load())
        none = ast.Subscript(ast.List([one], ast.Load()), ast.Slice(None, ast.Constant(0)), ast.Load())
        is_set = isinstance(node, ast.Call) and ast.unparse(node.func) == "set"
        return ast.Call(name("set"), [none], []) if is_set else none

    def _member_length(self, variable: str | None) -> int:
        """The length of the tuples in a list or set: as this function fills it, or else as all of the class do; 0:
        numbers."""
        for trees, wanted in (([self.definition_tree], variable), (self.units.trees(), None)):
            lengths = set()
            for node in (node for tree in trees for node in ast.walk(tree)):
                member: ast.AST | None = None
                asked: ast.AST | None = None
                if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
                        and node.func.attr in ("add", "append", "discard", "remove")):
                    member, asked = node.args[0], node.func.value
                elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                    member, asked = node.left, node.comparators[0]
                elif isinstance(node, ast.AugAssign) and isinstance(node.value, (ast.List, ast.ListComp)):
                    first = [node.value.elt] if isinstance(node.value, ast.ListComp) else node.value.elts
                    member, asked = first[0] if first else None, node.target
                if isinstance(member, ast.Tuple) and isinstance(asked, ast.Name) and wanted in (None, asked.id):
                    lengths.add(len(member.elts))
            if lengths:
                return lengths.pop() if len(lengths) == 1 else 0
        return 0

    def _length(self, first: ast.expr) -> ast.expr:
        field = self.field_of(first)
        if field is not None and field.container == "set":
            return self.count_of_set(first)  # type: ignore[no-any-return]
        if self.is_position(first):
            return self.own_operator(first, "__len__", first)  # type: ignore[no-any-return]
        if isinstance(first, (ast.GeneratorExp, ast.ListComp)):
            body: list[ast.stmt] = [ast.AugAssign(ast.Name("count_", ast.Store()), ast.Add(), ast.Constant(1))]
            return self.hoisted_loops("len", [assign("count_", ast.Constant(0))], first.generators, body,
                                      [ast.Return(name("count_"))], first)
        text = self.static_text(first)
        found = self.visit(first) if text is None else None
        if isinstance(found, (Rows, Table)):
            return ast.Constant(found.count)
        return ast.Constant(len(text)) if text is not None else ast.Call(name("len"), [self.viewed(first)], [])

    def _mapped(self, node: ast.Call, kind: str) -> ast.GeneratorExp:
        """``map(function, values)`` as a generator."""
        if len(node.args) != 2 or node.keywords:
            raise self.refuse(node, f"{kind}() of several sequences", "write a comprehension")
        function, values = node.args
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
            variable, value = function.args.args[0].arg, function.body
        else:
            variable = self.temporary()
            value = ast.Call(function, [name(variable)], [])
            if isinstance(function, ast.Constant):  # filter(None, values)
                value = name(variable)
        self.locals.add(variable)
        tests = [value] if kind == "filter" else []
        made = ast.GeneratorExp(name(variable) if kind == "filter" else value,
                                [ast.comprehension(ast.Name(variable, ast.Store()), values, tests, 0)])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _over_comprehension(self, node: ast.Call, kind: str, first: Any) -> Any:
        """any, all, sum and next over a comprehension, without a list. None: the list is made."""
        if kind in ("any", "all"):
            value = self.test(first.elt)
            test = value if kind == "any" else ast.UnaryOp(ast.Not(), value)
            is_found = ast.Constant(kind == "any")
            body: list[ast.stmt] = [ast.If(test, [ast.Return(is_found)], [])]
            return self.hoisted_loops(kind, [], first.generators, body, [ast.Return(ast.Constant(kind != "any"))], node)
        if kind == "sum":
            start = self.plain(node.args[1]) if len(node.args) > 1 else ast.Constant(0)
            body = [ast.AugAssign(ast.Name("sum_", ast.Store()), ast.Add(), self.plain(first.elt))]
            return self.hoisted_loops("sum", [assign("sum_", start)], first.generators, body,
                                      [ast.Return(name("sum_"))], node)
        if kind == "next":
            self._refuse_positions(first)
            last: ast.stmt = self.failure()
            if len(node.args) > 1:
                last = ast.Return(self.plain(node.args[1]))
            return self.hoisted_loops("next", [], first.generators, [ast.Return(self.plain(first.elt))], [last], node)
        return None if kind != "list" else self.visit_ListComp(first)

    def failure(self) -> ast.stmt:
        """The line that ends a compiled function with an error."""
        return ast.Raise(ast.Call(name("ValueError"), [ast.Constant("raised")], []))

    def _keyed(self, node: ast.Call, first: ast.expr, key: ast.expr | None) -> tuple[list[ast.comprehension],
                                                                                   list[ast.stmt]]:
        """The generators over ``first``, and lines that set ``value_`` and ``key_``."""
        if isinstance(first, COMPREHENSIONS):
            generators, value = list(first.generators), first.elt
        else:
            variable = self.temporary()
            generators = [ast.comprehension(ast.Name(variable, ast.Store()), first, [], 0)]
            value = ast.copy_location(name(variable), node)
        self._refuse_positions(ast.copy_location(ast.GeneratorExp(value, []), node))
        lines: list[ast.stmt] = [assign("value_", self.plain(value))]
        if key is None:
            lines.append(assign("key_", name("value_")))
        elif isinstance(key, ast.Lambda) and len(key.args.args) == 1:
            self.locals.add(key.args.args[0].arg)
            lines.append(assign(key.args.args[0].arg, name("value_")))
            lines.append(assign("key_", self.plain(key.body)))
        else:
            self.locals.add("value_")
            asked = ast.copy_location(ast.Call(key, [ast.copy_location(name("value_"), node)], []), node)
            lines.append(assign("key_", self.plain(asked)))
        return generators, lines

    def _sorted(self, node: ast.Call, first: ast.expr, options: dict[Any, ast.expr]) -> ast.expr:
        """sorted with a key or in reverse."""
        generators, lines = self._keyed(node, first, options.get("key"))
        for variable in ("value_", "key_"):
            lines.append(ast.Expr(ast.Call(ast.Attribute(name(f"{variable}s"), "append", ast.Load()), [name(variable)],
                                           [])))
        backwards = self.test(options["reverse"]) if "reverse" in options else ast.Constant(False)
        before: list[ast.stmt] = [assign(each, ast.List([], ast.Load())) for each in ("value_s", "key_s")]
        last = ast.Return(helper("arranged", name("value_s"), name("key_s"), backwards))
        return self.hoisted_loops("sorted", before, generators, lines, [last], node)

    def _extreme(self, node: ast.Call, kind: str, first: ast.expr, options: dict[Any, ast.expr]) -> ast.expr:
        """min or max."""
        has_tuples = any(isinstance(each, ast.Tuple) for each in node.args)  # Numba has none of tuples
        if len(node.args) > 1:
            if not options and not has_tuples:
                return ast.Call(name(kind), [self.plain(each) for each in node.args], [])
            first = ast.copy_location(ast.List(node.args, ast.Load()), node)
        if not isinstance(first, COMPREHENSIONS) and not options and not has_tuples:
            return helper(f"{kind}_of", self.viewed(first))
        generators, lines = self._keyed(node, first, options.get("key"))
        op: ast.cmpop = ast.Lt() if kind == "min" else ast.Gt()
        better = ast.Compare(name("key_"), [op], [name("most_")])
        taken: list[ast.stmt] = [assign("most_", name("key_")), assign("best_", name("value_"))]
        # the first branch is the first in the bytecode, too: Numba must meet an assignment before a use
        lines.append(ast.If(ast.UnaryOp(ast.Not(), name("has_")), [assign("has_", ast.Constant(True)), *taken],
                            [ast.If(better, copy.deepcopy(taken), [])]))
        default = options.get("default")
        last: ast.stmt = self.failure() if default is None else ast.Return(self.plain(default))
        return self.hoisted_loops(kind, [assign("has_", ast.Constant(False))], generators, lines,
                                  [ast.If(ast.UnaryOp(ast.Not(), name("has_")), [last], []),
                                   ast.Return(name("best_"))], node)
