"""Rewrites functions inside of a function: each becomes one of its own, with the variables around it as parameters."""

from __future__ import annotations

import ast

from mcts_core.compiled.loops import Loops, assign, name
from mcts_core.compiled.shapes import CALLS, DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ADVICE = "make it a method or a function of the module"


def _bound(node: ast.AST) -> set[str]:
    """The variables that a part of a function assigns, its parameters among them."""
    stored = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return stored | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


class Nested(Loops):
    """Of one unit."""

    is_nested = False
    """Whether the lines of a function inside of this one are rewritten."""

    if TYPE_CHECKING:
        block: Any
        counts_rounds: bool
        default: Any

    def nested(self, node: ast.FunctionDef) -> None:
        """Hoists a function; a call of it passes what the variables around it hold at that moment."""
        parameters = node.args
        if (node.name in self.functions or node.name in self.locals or node.decorator_list or parameters.vararg
                or parameters.kwarg or parameters.kwonlyargs or self.unit.returns_position):
            raise self.refuse(node.body[0], f"{node.name} is a function inside of a function", ADVICE)
        for each in ast.walk(node):
            if isinstance(each, (ast.Yield, ast.YieldFrom)) or (isinstance(each, ast.FunctionDef) and each is not node):
                raise self.refuse(node.body[0], f"{node.name} is a generator or has functions of its own", ADVICE)
        names = [each.arg for each in (*parameters.posonlyargs, *parameters.args)]
        is_recursive = any(isinstance(each, ast.Name) and each.id == node.name for each in ast.walk(node))
        name_made = self.units.fresh(node.name)
        before = self._free_names(node) if is_recursive else []
        if is_recursive:
            self.functions[node.name] = (name(name_made), before)
            self.inside_of.append(node.name)
            self.recursive.add(node.name)
        counted, self.counts_rounds = self.counts_rounds, False
        self.is_nested = True
        body = self.block(node.body)
        self.is_nested = False
        if self.counts_rounds:
            body.insert(0, assign("rounds_", ast.Constant(0)))
        self.counts_rounds = counted
        loaded = {each.id for line in body for each in ast.walk(line) if isinstance(each, ast.Name)}
        own = _bound(node) | {each.id for line in body for each in ast.walk(line)
                              if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        free = sorted((loaded & self.locals) - own)
        if is_recursive:
            self.inside_of.pop()
            if not set(free) <= {*before, CALLS, DEPTH}:
                raise self.refuse(node.body[0], f"{node.name} is a function that calls itself", ADVICE)
            free = before
        for scope in ast.walk(self.definition_tree):  # where a call would pass another variable of that name
            hidden = set(free) & _bound(scope) if isinstance(scope, (
                ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.Lambda)) or (
                isinstance(scope, ast.FunctionDef) and scope not in (node, self.definition_tree)) else set()
            if hidden:
                raise self.refuse(node.body[0], f"{min(hidden)} of the function {node.name} is also the name of a "
                                                "variable elsewhere", f"name one of them otherwise, or {ADVICE}")
        made = self.hoisted(node.name, [*free, *names], body, node, name_made)
        definition = self.units.definitions[-1][1]
        if is_recursive:
            self.counted(definition)
        definition.args.defaults = []
        for value in parameters.defaults:
            if not isinstance(value, (ast.Constant, ast.UnaryOp)):
                raise self.refuse(value, "a default that is not a number", ADVICE)
            definition.args.defaults.append(self.plain(value))
        self.functions[node.name] = (made, free)

    def _free_names(self, node: ast.FunctionDef) -> list[str]:
        """The variables around a function that it uses, those of other functions that it calls among them."""
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for called in used & set(self.functions):
            used.update(self.functions[called][1])
        return sorted((used & self.locals) - _bound(node) - {CALLS, DEPTH})

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.nested(node)

    def nested_lambda(self, target: str, node: ast.Lambda) -> None:
        """``f = lambda x: ...`` as ``def f(x): return ...``."""
        made = ast.FunctionDef(target, node.args, [ast.Return(node.body)], [])
        self.locals.discard(target)
        self.nested(ast.fix_missing_locations(ast.copy_location(made, node)))

    def nested_call(self, node: ast.Call) -> ast.Call | None:
        """A call of a function inside of this one; None if it is something else."""
        if not isinstance(node.func, ast.Name) or node.func.id not in self.functions:
            return None
        made, free = self.functions[node.func.id]
        first = self.counters(node.func.id in self.inside_of) if node.func.id in self.recursive else []
        return ast.Call(name(made.id), [*first, *map(name, free), *(self.plain(each) for each in node.args)],
                        [ast.keyword(each.arg, self.plain(each.value)) for each in node.keywords])
