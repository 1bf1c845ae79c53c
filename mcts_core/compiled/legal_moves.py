"""``legal_moves`` of the user, rewritten so that it writes the numbers of the moves where the search wants them."""

from __future__ import annotations

import ast

from mcts_core.compiled.loops import assign, helper, name
from mcts_core.compiled.rewrite import Rewriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COUNT, BUFFER = "count_", "moves_"


class LegalMoves(Rewriter):
    """Of one class. A list that is only appended to and returned is never made."""

    builder: str | None = None
    """The list that becomes the buffer."""

    def rewritten(self, tree: ast.FunctionDef, made: str) -> ast.FunctionDef:
        """The function ``made(self, moves_)``, which returns the number of moves."""
        self.builder = self._find_builder(tree)
        definition = self.definition(tree)
        definition.name = made
        definition.args.args.append(ast.arg(BUFFER))
        definition.args.defaults = []
        definition.body.insert(0, assign(COUNT, ast.Constant(0)))
        definition.body.append(ast.Return(name(COUNT)))
        for each in ast.walk(definition):
            if isinstance(each, (ast.expr, ast.stmt, ast.arg)) and not hasattr(each, "lineno"):
                ast.copy_location(each, tree)
        return ast.fix_missing_locations(definition)

    def _find_builder(self, tree: ast.FunctionDef) -> str | None:
        returned = {node.value.id for node in ast.walk(tree) if isinstance(node, ast.Return)
                    and isinstance(node.value, ast.Name)}
        returned |= {node.value.values[0].id for node in ast.walk(tree) if isinstance(node, ast.Return)
                     and isinstance(node.value, ast.BoolOp) and isinstance(node.value.values[0], ast.Name)}
        found = [each for each in returned if self._is_builder(tree, each)]
        return found[0] if len(found) == 1 else None

    def _is_builder(self, tree: ast.FunctionDef, list_name: str) -> bool:
        """Whether a variable is begun as [], appended to, asked for its length and truth, and returned only."""
        known = 0
        if any(_is(each, list_name) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))
               and node is not tree for each in ast.walk(node)):
            return False
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                is_own = [isinstance(each, ast.Name) and each.id == list_name for each in targets]
                if any(is_own):
                    if len(targets) > 1 or not _is_empty(node.value):
                        return False
                    known += 1
            elif isinstance(node, ast.Expr) and _is_method_of(node.value, list_name, ("append", "extend")):
                known += 1
            elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and _is(node.target, list_name):
                known += 1
            elif isinstance(node, ast.Return) and _is(node.value, list_name):
                known += 1
            elif (isinstance(node, ast.Return) and isinstance(node.value, ast.BoolOp)
                    and isinstance(node.value.op, ast.Or) and _is(node.value.values[0], list_name)):
                known += 1
            elif isinstance(node, ast.Call) and _is(node.func, "len") and len(node.args) == 1:
                known += _is(node.args[0], list_name)
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                known += _is(node.operand, list_name)
            elif isinstance(node, (ast.If, ast.While)):
                known += _is(node.test, list_name)
        return known == sum(_is(node, list_name) for node in ast.walk(tree))

    def emit(self, value: ast.expr) -> list[ast.stmt]:
        """Writes one move, whose expression is rewritten already."""
        place = ast.Subscript(name(BUFFER), name(COUNT), ast.Store())
        return [ast.Assign([place], helper("number", value)),
                ast.AugAssign(ast.Name(COUNT, ast.Store()), ast.Add(), ast.Constant(1))]

    def emit_all(self, source: ast.expr, in_order: bool = True) -> list[ast.stmt]:
        """Writes all moves of an iterable; ``in_order``: it is no set that is returned as it is."""
        given = source
        if (isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in ("list", "tuple")
                and len(source.args) == 1 and not source.keywords and source.func.id not in self.locals):
            source = source.args[0]
        in_order = in_order or source is not given
        if isinstance(source, (ast.ListComp, ast.GeneratorExp)):
            return self.loops(source.generators, self.emit(self.plain(source.elt)))
        if isinstance(source, (ast.List, ast.Tuple)) and not any(isinstance(each, ast.Starred) for each in source.elts):
            return [line for each in source.elts for line in self.emit(self.plain(each))]
        if self.is_builder(source):
            return []
        made = self.temporary()
        before, self.in_order = self.in_order, in_order
        found: list[ast.stmt] = [self.loop(ast.Name(made, ast.Store()), source, self.emit(name(made)))]
        self.in_order = before
        return found

    def is_builder(self, node: ast.AST | None) -> bool:
        return self.builder is not None and _is(node, self.builder)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if self.is_builder(node.targets[0]):
            return assign(COUNT, ast.Constant(0))
        return super().visit_Assign(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        return self.emit_all(node.value) if self.is_builder(node.target) else super().visit_AugAssign(node)

    def visit_Name(self, node: ast.Name) -> Any:
        return name(COUNT) if self.is_builder(node) else super().visit_Name(node)

    def visit_Call(self, node: ast.Call) -> Any:
        if _is(node.func, "len") and len(node.args) == 1 and self.is_builder(node.args[0]):
            return name(COUNT)
        return super().visit_Call(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        value = node.value
        if isinstance(value, ast.Yield):
            return self.emit(self.plain(value.value or ast.Constant(None)))
        if isinstance(value, ast.YieldFrom):
            return self.emit_all(value.value)
        if isinstance(value, ast.Call) and self.builder is not None and _is_method_of(
                value, self.builder, ("append", "extend")):
            if value.func.attr == "append":  # type: ignore[attr-defined]
                return self.emit(self.plain(value.args[0]))
            return self.emit_all(value.args[0])
        return super().visit_Expr(node)

    def visit_Return(self, node: ast.Return) -> Any:
        return super().visit_Return(node) if self.is_nested else self.returned(node.value)

    def returned(self, value: ast.expr | None) -> list[ast.stmt]:
        if value is None or self.is_builder(value):
            return [ast.Return(name(COUNT))]
        if isinstance(value, ast.IfExp):
            return [ast.If(self.test(value.test), self.returned(value.body), self.returned(value.orelse))]
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            lines: list[ast.stmt] = [] if self.is_builder(value.values[0]) else [assign(COUNT, ast.Constant(0))]
            for each in value.values:
                lines.extend(self.emit_all(each))
                lines.append(ast.If(ast.Compare(name(COUNT), [ast.Gt()], [ast.Constant(0)]),
                                    [ast.Return(name(COUNT))], []))
            return [*lines, ast.Return(name(COUNT))]
        return [assign(COUNT, ast.Constant(0)), *self.emit_all(value, in_order=False), ast.Return(name(COUNT))]


def _is(node: ast.AST | None, text: str) -> bool:
    return isinstance(node, ast.Name) and node.id == text


def _is_empty(node: ast.AST | None) -> bool:
    return (isinstance(node, ast.List) and not node.elts) or (
        isinstance(node, ast.Call) and _is(node.func, "list") and not node.args)


def _is_method_of(node: ast.AST, list_name: str, methods: tuple[str, ...]) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
            and _is(node.func.value, list_name) and len(node.args) == 1 and not any(
                _is(each, list_name) for each in ast.walk(node.args[0])))
