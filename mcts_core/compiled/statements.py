"""Rewrites one function of the user for Numba: statements."""

from __future__ import annotations

import ast
import inspect

import numpy as np

from mcts_core.compiled.containers import Containers
from mcts_core.compiled.loops import assign, helper, is_small_number, name
from mcts_core.compiled.order import is_free_of_order
from mcts_core.compiled.sources import root_attributes
from mcts_core.compiled.units import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHECKED = (ast.Add, ast.Sub, ast.Mult, ast.LShift, ast.Pow)
"""Operators whose result may be an int of more than 62 bits."""


def _is_repeatable(node: ast.expr) -> bool:
    """Whether an index may be evaluated twice."""
    return not any(isinstance(each, (ast.Call, ast.NamedExpr, ast.Slice)) for each in ast.walk(node))


def _is_made_list(value: ast.expr) -> bool:
    """Whether a value is a list that the line itself makes."""
    return isinstance(value, ast.List) or (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
                                           and value.func.id in ("mcts_repeat", "mcts_sequence", "mcts_join"))


def fixed_lists(tree: ast.AST) -> set[str]:
    """The variables of a function that are ``[x] * n`` and only indexed, looped over, and asked for their length."""
    made: dict[str, int] = {}
    used: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            used[node.id] = used.get(node.id, 0) + 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            is_fixed = (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
                        and isinstance(value.left, ast.List) and len(value.left.elts) == 1
                        and isinstance(value.left.elts[0], ast.Constant))
            if is_fixed:
                made[node.targets[0].id] = made.get(node.targets[0].id, 0) + 1
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and not isinstance(
                node.slice, ast.Slice):
            made[node.value.id] = made.get(node.value.id, 0) + 1
    assigned = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {each for each, count in made.items() if count == used[each] and assigned.count(each) == 1}


def fills(tree: ast.FunctionDef, variable: str) -> bool:
    """Whether a function, not one inside of it, puts something into a list or set itself, or makes no more of it."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            continue
        if (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == variable
                and node.attr in ("add", "append", "extend", "insert", "update", "appendleft")):
            return True
        todo.extend(ast.iter_child_nodes(node))
    return not any(isinstance(node, ast.Name) and node.id == variable and isinstance(node.ctx, ast.Load)
                   for node in ast.walk(tree))


def appended(tree: ast.AST) -> int:
    """The length of the tuples of numbers that a function puts into lists, or 0 where it does not, or differs."""
    values = [node.elt for node in ast.walk(tree) if isinstance(node, ast.ListComp)]
    values += [node.args[0] for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1
               and isinstance(node.func, ast.Attribute) and node.func.attr == "append"]
    lengths = {len(value.elts) if isinstance(value, ast.Tuple) and not any(
        isinstance(each, (ast.Tuple, ast.List, ast.Starred)) for each in value.elts) else 0 for value in values}
    return lengths.pop() if len(lengths) == 1 else 0


CHANGED_CONSTANT = ("a constant of the module or of the class is changed",
                    "keep what changes in a field of the position: self.x")
LONGEST_LOOP = 1_000_000
OUT = "mcts_out"
"""The parameter behind which a function that returns a position puts it."""


class Statements(Containers):
    """Of one unit."""

    next_memory: ast.expr | None = None
    """Where the next new position is made, if it is not memory of its own."""
    fixed_lists: frozenset[str] | set[str] = frozenset()
    """Variables whose only value is ``[x] * n``, and that only get items: arrays serve them faster."""
    appended = 0
    """The length of the tuples in the lists that the function makes, or 0."""
    asked_names: frozenset[str] = frozenset()
    """Variables in the tests of the while loops around."""
    counts_rounds = False
    """Whether the function has while loops, whose rounds are counted."""

    def definition(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """The function, rewritten."""
        function, unit = self.unit.function, self.unit
        if tree.args.vararg or tree.args.kwarg:
            raise self.refuse(tree.args.vararg or tree.args.kwarg or tree, "* or ** in the parameters",
                              "write the parameters one by one")
        if isinstance(tree, ast.AsyncFunctionDef) or inspect.iscoroutinefunction(function):
            raise self.refuse(tree, "an async function", "write an ordinary one")
        names = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)]
        self.fixed_lists = fixed_lists(tree)
        self.appended = appended(tree)
        body = self.block(tree.body)
        if function.__name__ in ("__init__", "replaced"):
            body.append(ast.Return(name(names[0])))
        if self.counts_rounds:
            body.insert(0, assign("rounds_", ast.Constant(0)))
        arguments = ast.arguments([], [ast.arg(each) for each in names], None,
                                  [ast.arg(each.arg) for each in tree.args.kwonlyargs],
                                  [], None, [])
        arguments.defaults = [self.default(value, tree) for value in function.__defaults__ or ()]
        given = function.__kwdefaults__ or {}
        arguments.kw_defaults = [self.default(given[each.arg], tree) if each.arg in given else None
                                 for each in tree.args.kwonlyargs]
        if unit.returns_position:
            arguments.args.insert(0, ast.arg(OUT))
        if self._ends_by_none(tree) and body:
            body.append(ast.Return(ast.Constant(self.units.constants.number(None))))
        made = ast.FunctionDef(name=unit.name, args=arguments, body=body or [ast.Pass()], decorator_list=[])
        ast.copy_location(made, tree)
        if unit.root is not None:
            self.counted(made)
        for each in ast.walk(made):
            if isinstance(each, (ast.expr, ast.stmt, ast.arg)) and not hasattr(each, "lineno"):
                ast.copy_location(each, tree)
        return ast.fix_missing_locations(made)

    def _ends_by_none(self, tree: ast.FunctionDef) -> bool:
        """Whether a function returns numbers at some places and nothing at its end."""
        found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value is not None]
        is_open = not isinstance(tree.body[-1], (ast.Return, ast.Raise)) and not self.unit.returns_position
        return (is_open and bool(found)
                and all(isinstance(each, (ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)) for each in found))

    def default(self, value: Any, tree: ast.AST) -> ast.expr:
        if value is None:
            return ast.Constant(None)
        if isinstance(value, dict):
            return ast.Constant(0)  # none that a function can work with
        found = self.units.frozen(value, self.unit, tree)
        if not isinstance(found, ast.expr):
            raise self.refuse(tree, f"the default {value!r} of a parameter", "use a number, or None")
        return found

    def block(self, lines: list[ast.stmt]) -> list[ast.stmt]:
        """The rewritten lines of a block, at least one."""
        found: list[ast.stmt] = []
        for line in lines:
            new = self.visit(line)
            if new is None:
                continue
            for each in new if isinstance(new, list) else [new]:
                for part in ast.walk(each):
                    if isinstance(part, (ast.expr, ast.stmt)) and not hasattr(part, "lineno"):
                        ast.copy_location(part, line)
                found.append(each)
        return found or [ast.copy_location(ast.Pass(), lines[0] if lines else ast.Pass(lineno=1, col_offset=0))]

    # ---- assignments -------------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> Any:
        before = self.assigned_within(node)
        if before:
            return [*before, *self.block([node])]
        if len(node.targets) > 1:
            made = self.temporary()
            lines: list[ast.stmt] = [assign(made, self.plain(node.value))]
            for target in node.targets:
                lines.extend(self.assigned(target, name(made)))
            return lines
        target = node.targets[0]
        if isinstance(target, ast.Name) and (self.joined(node.value) is not None or self.is_text_sum(node.value)):
            self.joined_texts.add(target.id)
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda) and not any(
                isinstance(each, ast.Name) and each.id == target.id and each is not target and isinstance(
                    each.ctx, ast.Store) for each in ast.walk(self.definition_tree)):
            return self.nested_lambda(target.id, node.value)
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.taken_apart(target, node.value)
        if isinstance(target, ast.Name) and self.is_empty(node.value) and not fills(self.definition_tree, target.id):
            return assign(target.id, self.empty(node.value, target.id))
        if isinstance(target, ast.Name) and target.id in self.fixed_lists:
            value = node.value
            assert isinstance(value, ast.BinOp) and isinstance(value.left, ast.List)
            return assign(target.id, helper("filled", self.plain(value.left.elts[0]), self.plain(value.right)))
        if isinstance(target, ast.Attribute) and self.is_position(target.value):
            field = self.units.record.fields.get(self.mangled(target.attr))
            if field is None:
                return self.constant_assigned(target, node.value)
            if field.container:
                return self.container_assigned(target, node.value, field)
        if isinstance(target, ast.Name) and target.id in self.dicts:
            values = self.dict_argument(node.value)
            if values is None:
                raise self.refuse(node.value, f"{target.id} is the dict of a field at one place, and something else "
                                  "here", "use two variables")
            return assign(target.id, values)
        if isinstance(target, ast.Name):
            self.refuse_sets(node.value, target.id)
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            return self.assigned(target, ast.Constant(self.units.constants.number(None)))
        text = self.static_text(node.value) if isinstance(node.value, ast.Constant) else None
        if text is not None and self.is_list(target):
            return self.assigned(target, self.as_sequence(node.value))
        return self.assigned(target, self.plain(node.value))

    def constant_assigned(self, target: ast.Attribute, value: ast.expr) -> list[ast.stmt]:
        """An assignment to a field that never changes: that of ``__init__`` is left out."""
        attribute = self.mangled(target.attr)
        if attribute in self.units.record.constants and self.unit.function.__name__ in ("__init__", "__post_init__"):
            return []
        if attribute in self.units.record.constants:
            raise self.refuse(target, f"{attribute} is a constant of this game", "assign it in __init__ only")
        raise self.refuse(target, f"the first position has no field {attribute}", f"assign self.{attribute} in "
                          "__init__, so that every position has it")

    def taken_apart(self, target: Any, value: ast.expr) -> list[ast.stmt]:
        """``a, b = ...``."""
        self._check_target(target)
        lines: list[ast.stmt] = []
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            if all(isinstance(each, ast.Name) for each in target.elts) and not any(map(self.is_position, value.elts)):
                return [ast.Assign([target], self.plain(value))]
            made = [self.temporary() for _ in value.elts]
            lines.extend(assign(each, helper("hold", self.plain(part)) if self.is_list(part) or self.is_array(part)
                                else self.plain(part)) for each, part in zip(made, value.elts, strict=True))
            for each, part in zip(target.elts, made, strict=True):
                lines.extend(self.assigned(each, name(part)))
            return lines
        made = [each.id if isinstance(each, ast.Name) else self.temporary() for each in target.elts]
        names = ast.Tuple([ast.Name(each, ast.Store()) for each in made], ast.Store())
        self.take_apart(names, self.plain(value), lines)
        for each, part in zip(target.elts, made, strict=True):
            if not isinstance(each, ast.Name):
                lines.extend(self.assigned(each, name(part)))
        return lines

    def assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """``target = value``, where the value is rewritten already."""
        if isinstance(target, ast.Name):
            return [assign(target.id, value)]
        if isinstance(target, (ast.Tuple, ast.List)):
            made = self.temporary()
            lines: list[ast.stmt] = [assign(made, value)]
            names = [self.temporary() for _ in target.elts]
            self.take_apart(ast.Tuple([ast.Name(each, ast.Store()) for each in names], ast.Store()), name(made), lines)
            for each, part in zip(target.elts, names, strict=True):
                lines.extend(self.assigned(each, name(part)))
            return lines
        if isinstance(target, ast.Attribute):
            if not self.is_position(target.value):
                self.refuse_constant(target)
                raise self.refuse(target, "this is no field of a position", "assign fields of the position only")
            return self.stored(target, value)
        assert isinstance(target, ast.Subscript)
        if self.is_position(target.value):
            held = self.temporary()
            read = ast.copy_location(name(held), target)
            return [assign(held, value), ast.Expr(self.own_operator(
                target, "__setitem__", target.value, target.slice, read))]
        self.refuse_constant(target)
        field = self.root_field(target)
        whole = field is not None and field.scalar.kind == "i"
        if isinstance(target.slice, ast.Slice) and whole:
            return [ast.Expr(helper("fill", self.viewed_target(target), value))]
        if self.is_list(target):
            return [ast.Expr(helper("fill", self.viewed_target(target), value))]
        place = self.visit_Subscript(target)
        if field is None and not isinstance(place.slice, (ast.Slice, ast.Tuple)) and _is_made_list(value):
            return [ast.Expr(helper("put", place.value, place.slice, value))]
        place.ctx = ast.Store()
        if field is not None and field.dtype is not None and field.dtype.kind in "iu" and field.dtype.itemsize < 8:
            limits = np.iinfo(field.dtype)
            value = helper("within", value, ast.Constant(int(limits.min)), ast.Constant(int(limits.max)))
        return [ast.Assign([place], helper("whole", value) if whole and not self.is_array(target) and not isinstance(
            value, ast.Constant) else value)]

    def viewed_target(self, target: ast.Subscript) -> ast.expr:
        """The part of a sequence that a slice or a row names, to write into."""
        seen = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
        found = self.visit_Subscript(seen, is_view=True)
        assert isinstance(found, ast.expr)
        return found

    def root_field(self, target: ast.expr) -> Any:
        while isinstance(target, ast.Subscript):
            target = target.value
        return self.field_of(target)

    def refuse_constant(self, target: ast.expr) -> None:
        """Raises Refusal if a target belongs to a module or a class, or is a constant of the game."""
        root: ast.expr = target
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            if self.static(root) is not MISSING or (root is not target and self.is_named_constant(root)):
                raise self.refuse(target, *CHANGED_CONSTANT)
            root = root.value
        if isinstance(root, ast.Name) and self.static(root) is not MISSING:
            raise self.refuse(target, *CHANGED_CONSTANT)

    def stored(self, target: ast.Attribute, value: ast.expr) -> list[ast.stmt]:
        """``position.field = value``."""
        attribute = self.mangled(target.attr)
        field = self.units.record.fields.get(attribute)
        if field is None:
            return self.constant_assigned(target, value)
        if field.container:
            return self.container_stored(target, value, field)
        place = ast.Attribute(self.visit(target.value) if isinstance(target.value, ast.Call) else target.value,
                              attribute, ast.Store())
        if field.is_optional and isinstance(value, ast.Constant):
            return [ast.Expr(helper("fill_all", ast.Attribute(place.value, attribute, ast.Load()), value))]
        if field.shape:
            return [ast.Expr(helper("fill", ast.Attribute(place.value, attribute, ast.Load()), value))]
        if isinstance(value, ast.Constant) and isinstance(value.value, int):
            return [ast.Assign([place], value)]
        kind = field.scalar.kind
        if kind in "bi":
            return [ast.Assign([place], helper("flag" if kind == "b" else "whole", value))]
        return [ast.Assign([place], value)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Attribute):
            read = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), node)
            value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            return self.visit_Assign(ast.copy_location(ast.Assign([target], value), node))
        if isinstance(target, ast.Subscript):
            if self.is_position(target.value) and _is_repeatable(target.slice):
                old = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), node)
                changed = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
                return self.visit_Assign(ast.copy_location(ast.Assign([target], changed), node))
            self.refuse_constant(target)
            field = self.root_field(target)
            if isinstance(node.op, ast.Div) and field is not None and field.scalar.kind in "bi":
                raise self.refuse(node, "a float comes where an int was meant", "write //= in place of /=")
            if isinstance(node.op, CHECKED) and field is not None and _is_repeatable(target.slice):
                old = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), node)
                made = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
                return self.visit_Assign(ast.copy_location(ast.Assign([target], made), node))
            spot = self.visit_Subscript(target)
            spot.ctx = ast.Store()
            return ast.AugAssign(spot, node.op, self.operand(node.value))
        if isinstance(node.op, CHECKED) and not self.is_sequence(node.value) and not is_small_number(node.value):
            read_name = ast.copy_location(name(target.id), node)
            value = ast.copy_location(ast.BinOp(read_name, node.op, node.value), node)
            return assign(target.id, self.plain(value))
        value = self.operand(node.value)
        if isinstance(node.op, ast.Add) and self.is_sequence(node.value) and not isinstance(node.value, (
                ast.List, ast.ListComp)):
            return assign(target.id, helper("join", name(target.id), value))
        return ast.AugAssign(target, node.op, value)

    # ---- control -----------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> Any:
        known = self.decided(node.test)
        if known is not None:
            chosen = node.body if known else node.orelse
            return self.block(chosen) if chosen else None
        before, asked = self.assigned_first(node.test)
        test = self.test(asked)
        return [*before, ast.If(test, self.block(node.body), self.block(node.orelse) if node.orelse else [])]

    def visit_For(self, node: ast.For) -> Any:
        body = self.block(node.body)
        before, self.in_order = self.in_order, not is_free_of_order(node, self.definition_tree)
        made = self.loop(node.target, node.iter, body)
        self.in_order = before
        made.orelse = self.block(node.orelse) if node.orelse else []
        return made

    def visit_While(self, node: ast.While) -> Any:
        self.counts_rounds = True
        count = ast.AugAssign(ast.Name("rounds_", ast.Store()), ast.Add(), ast.Constant(1))
        stop = ast.If(ast.Compare(name("rounds_"), [ast.Gt()], [ast.Constant(LONGEST_LOOP)]), [self.failure()], [])
        before, asked = self.assigned_first(node.test)
        test = self.test(asked)
        outer = self.asked_names
        self.asked_names = outer | {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
        body = [count, stop, *self.block(node.body)]
        self.asked_names = outer
        if before:  # asked at the beginning of each round
            if node.orelse:
                raise self.refuse(asked, "while ... else with :=", "assign on a line of its own")
            body[:0] = [*before, ast.If(test, [ast.Pass()], [ast.Break()])]
            test = ast.Constant(True)
        return ast.While(test, body, self.block(node.orelse) if node.orelse else [])

    def visit_Return(self, node: ast.Return) -> Any:
        if self.unit.function.__name__ == "__init__":
            return ast.Return(name(self.unit.function.__code__.co_varnames[0]))
        before = self.assigned_within(node)
        if before:
            return [*before, *self.block([node])]
        if node.value is None:
            is_bare = not any(isinstance(each, ast.Return) and each.value is not None
                              for each in ast.walk(self.definition_tree))
            return ast.Return(None if is_bare else ast.Constant(self.units.constants.number(None)))
        if self.unit.returns_position:
            if not self.is_position(node.value):
                raise self.refuse(node, f"{self.unit.function.__name__} returns a position at one place and something "
                                  "else here", "return a position everywhere, or raise an error")
            if isinstance(node.value, ast.Call):
                self.next_memory = name(OUT)
                found = self.plain(node.value)
                if self.next_memory is None:
                    return ast.Return(found)
                self.next_memory = None
                return ast.Return(helper("copied", name(OUT), found))
            return ast.Return(helper("copied", name(OUT), self.plain(node.value)))
        if isinstance(node.value, ast.List) and not node.value.elts:
            return ast.Return(self.nothing())
        return ast.Return(self.plain(node.value))

    def nothing(self) -> ast.expr:
        """An empty list, whose kind Numba must know: of moves where the function is named after them, of tuples where
        it appends such, else of ints."""
        named = any(word in self.unit.function.__name__ for word in ("move", "legal", "action"))
        one: ast.expr = ast.Constant(0)
        if self.appended:
            one = ast.Tuple([ast.Constant(0)] * self.appended, ast.Load())
        elif named:
            one = helper("move", ast.Constant(0))
        return ast.Subscript(ast.List([one], ast.Load()), ast.Slice(None, ast.Constant(0)), ast.Load())

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Constant):
            return None  # a docstring
        if isinstance(node.value, ast.Call) and self._sets_attribute(node.value):
            _, attribute, value = node.value.args
            target = ast.copy_location(ast.Attribute(node.value.args[0], attribute.value, ast.Store()), node)  # type: ignore[attr-defined]
            return self.visit_Assign(ast.copy_location(ast.Assign([target], value), node))
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            asked, receiver = node.value, node.value.func.value
            if isinstance(receiver, ast.IfExp):  # (a if test else b).add(x)
                branches: list[list[ast.stmt]] = [[ast.copy_location(ast.Expr(ast.Call(ast.Attribute(
                    each, node.value.func.attr, ast.Load()), asked.args, asked.keywords)), node)]
                    for each in (receiver.body, receiver.orelse)]
                made = ast.copy_location(ast.If(receiver.test, *branches), node)
                return self.visit(ast.fix_missing_locations(made))
            field = self.container_of(receiver)
            if field is not None and field.container == "list" and node.value.func.attr == "extend":
                member = ast.Name(self.temporary(), ast.Store())
                added = ast.Call(ast.Attribute(receiver, "append", ast.Load()), [name(member.id)], [])
                made_loop = ast.copy_location(ast.For(member, asked.args[0], [ast.Expr(added)], []), node)
                for part in ast.walk(made_loop):
                    if not hasattr(part, "lineno"):
                        ast.copy_location(part, node)
                return self.visit(made_loop)
            if node.value.func.attr == "sort" and asked.keywords and not self.is_position(receiver):
                made_list = ast.Call(ast.Name("sorted", ast.Load()), [receiver], asked.keywords)
                for each in ast.walk(made_list):
                    ast.copy_location(each, node)
                return ast.Expr(helper("fill", self.viewed(receiver), self.reduced(made_list, "sorted")))
        return ast.Expr(self.plain(node.value))

    def _sets_attribute(self, node: ast.Call) -> bool:
        """Whether it is ``object.__setattr__(self, "x", value)``, as frozen dataclasses need it."""
        return (ast.unparse(node.func) in ("object.__setattr__", "super().__setattr__", "setattr")
                and len(node.args) == 3 and isinstance(node.args[1], ast.Constant)
                and isinstance(node.args[1].value, str) and self.is_position(node.args[0]))

    def visit_Raise(self, node: ast.Raise) -> Any:
        return self.failure()

    def visit_Assert(self, node: ast.Assert) -> Any:
        return ast.If(ast.UnaryOp(ast.Not(), self.test(node.test)), [self.failure()], [])

    def visit_Import(self, node: Any) -> Any:
        return None  # find_imports has run it

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: Any) -> Any:
        raise self.refuse(node, *CHANGED_CONSTANT)

    visit_Nonlocal = visit_Global

    def visit_Delete(self, node: ast.Delete) -> Any:
        first = node.targets[0]
        if isinstance(first, ast.Subscript) and len(node.targets) == 1:
            field = self.container_of(first.value)
            if field is not None:
                return self.deleted(first, field)
        if any(list(root_attributes(target)) or isinstance(target, ast.Attribute) for target in node.targets):
            raise self.refuse(node, "a field keeps its length", "write 0 for nothing")
        targets = [self.visit_Subscript(target) for target in node.targets if isinstance(target, ast.Subscript)]
        return ast.Delete(targets) if targets else None  # a variable is forgotten at the end anyway

    def visit_Try(self, node: ast.Try) -> Any:
        raise self.refuse(node.body[0], "try ... except", "ask by `if` before")

    def visit_With(self, node: ast.With) -> Any:
        raise self.refuse(node.items[0].context_expr, "a `with` block", "leave it out")

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        raise self.refuse(node.body[0], "a class inside of a function", "define it at the top of the module")

    def visit_Match(self, node: ast.Match) -> Any:
        subject = self.temporary()
        lines: list[ast.stmt] = []
        for case in reversed(node.cases):
            test = self.matches(name(subject), case.pattern)
            if case.guard is not None:
                test = case.guard if test is None else ast.BoolOp(ast.And(), [test, case.guard])
            lines = case.body if test is None else [ast.copy_location(ast.If(test, case.body, lines), case.pattern)]
        made = ast.copy_location(assign(subject, node.subject), node)
        return self.block([ast.fix_missing_locations(made), *map(ast.fix_missing_locations, lines)])

    def matches(self, subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
        """The test of a case; None where it always holds."""
        if isinstance(pattern, (ast.MatchValue, ast.MatchSingleton)):
            value = pattern.value if isinstance(pattern, ast.MatchValue) else ast.Constant(pattern.value)
            return ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), pattern)
        if isinstance(pattern, ast.MatchOr):
            tests = [self.matches(subject, each) for each in pattern.patterns]
            if None not in tests:
                return ast.copy_location(ast.BoolOp(ast.Or(), tests), pattern)  # type: ignore[arg-type]
        if isinstance(pattern, ast.MatchAs) and pattern.name is None:
            return None
        raise self.refuse(pattern, "a pattern that takes a value apart", "write if and elif")
