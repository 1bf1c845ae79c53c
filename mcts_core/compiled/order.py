"""Whether a loop over a set does the same in whatever order it meets the members."""

from __future__ import annotations

import ast


def is_free_of_order(loop: ast.For, tree: ast.AST) -> bool:
    """Whether a loop does the same in whatever order it meets its members: it only adds to sets, counts, returns one
    constant, and sets variables that nothing reads but the round that has set them."""
    body = [node for line in loop.body for node in ast.walk(line)]
    returned, counted = set(), set()
    for node in body:
        if isinstance(node, ast.Return):
            if not isinstance(node.value, ast.Constant):
                return False
            returned.add(node.value.value)
        elif isinstance(node, ast.AugAssign):
            if not (isinstance(node.op, (ast.Add, ast.Sub, ast.BitOr)) and isinstance(node.target, ast.Name)):
                return False
            counted.add(node.target.id)
        elif isinstance(node, ast.Expr):
            if not (isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
                    and node.value.func.attr in ("add", "discard", "update")):
                return False
        elif isinstance(node, ast.NamedExpr) or (isinstance(node, ast.stmt) and not isinstance(
                node, (ast.If, ast.For, ast.Pass, ast.Continue, ast.Assign))):
            return False
    read = {node.id for node in body if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {node.id for node in (*ast.walk(loop.target), *body) if isinstance(node, ast.Name)
           and isinstance(node.ctx, ast.Store)} - counted
    targets = [each for node in body if isinstance(node, ast.Assign) for each in node.targets]
    if any(isinstance(each, (ast.Attribute, ast.Subscript)) for target in targets for each in ast.walk(target)):
        return False
    return (len(returned) < 2 and not counted & read and not (returned and counted)
            and _sets_before_it_reads(loop.body, own, _names(loop.target)) and not own & _read_outside(loop, tree))


def _names(*nodes: ast.AST) -> set[str]:
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def _sets_before_it_reads(lines: list[ast.stmt], own: set[str], known: set[str]) -> bool:
    """Whether lines read those of the variables ``own`` only that they have set before, or that are ``known``."""
    known = set(known)
    for line in lines:
        inner = [*getattr(line, "body", []), *getattr(line, "orelse", [])]
        first = getattr(line, "test", None) or getattr(line, "iter", None) or getattr(line, "value", None)
        if first is not None and _names(first) & own - known - _bound_in(first):
            return False
        if isinstance(line, ast.Assign):
            known |= _names(*line.targets)
        target = _names(line.target) if isinstance(line, ast.For) else set()
        if inner and not (_sets_before_it_reads(getattr(line, "body", []), own, known | target)
                          and _sets_before_it_reads(getattr(line, "orelse", []), own, known)):
            return False
    return True


def _bound_in(node: ast.AST) -> set[str]:
    """The variables of comprehensions."""
    return {name for each in ast.walk(node) if isinstance(each, ast.comprehension) for name in _names(each.target)}


def _read_outside(loop: ast.For, tree: ast.AST) -> set[str]:
    """The variables that are read outside of a loop, and not in another one that sets them."""
    found: set[str] = set()
    todo: list[tuple[ast.AST, set[str]]] = [(tree, set())]
    while todo:
        node, known = todo.pop()
        if node is loop:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            found.add(node.id)
        if isinstance(node, ast.For):
            known = known | _names(node.target)
        elif isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
            known = known | _bound_in(node)
        todo.extend((each, known) for each in ast.iter_child_nodes(node))
    return found
