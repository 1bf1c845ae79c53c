"""Variables that hold a Python int at one place and a small int of an array at another.

numpy keeps the dtype of the array in what is computed from them, and lets it wrap around; compiled, the variable has 64
bits, so that its sums would differ without an error.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SMALL, OTHER = "small", "other"


class Kinds:
    """Of the variables of one function. ``field_of`` returns the Field of ``self.x``, or None."""

    def __init__(self, tree: ast.AST, field_of: Callable[[ast.AST], object]) -> None:
        self.field_of = field_of
        self.known: dict[str, set[str]] = {}
        self.arrays: dict[str, int] = {}
        """Variables that are arrays of small ints, with their dimensions."""
        nodes = list(ast.walk(tree))
        for _ in range(3):  # what is assigned may depend on lines below
            for node in nodes:
                self._look(node)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self._note(node.targets[0].id, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if SMALL in self.of(node.value):
                self.known.setdefault(node.target.id, set()).add(SMALL)
        elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name):
            depth = self.depth(node.iter)
            if depth is not None and depth > 1:
                self.arrays[node.target.id] = depth - 1
            else:
                self.known.setdefault(node.target.id, set()).add(SMALL if depth == 1 else OTHER)

    def _note(self, variable: str, value: ast.expr) -> None:
        depth = self.depth(value)
        if depth:
            self.arrays[variable] = depth
        else:
            self.known.setdefault(variable, set()).update(self.of(value))

    def depth(self, node: ast.AST) -> int | None:
        """The dimensions of an array of small ints, 0 for one of its numbers; None for anything else."""
        if isinstance(node, ast.Name):
            return self.arrays.get(node.id)
        if isinstance(node, ast.Subscript):
            depth = self.depth(node.value)
            if depth is None:
                return None
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return max(depth - sum(not isinstance(each, ast.Slice) for each in indices), 0)
        field = self.field_of(node)
        dtype = getattr(field, "dtype", None)
        if dtype is None or dtype.kind not in "iu" or dtype.itemsize == 8:
            return None
        return len(getattr(field, "shape", None) or ())

    def of(self, node: ast.AST) -> set[str]:
        """What a number can be: SMALL, OTHER or both."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id, {OTHER})
        if isinstance(node, ast.BinOp):
            left, right = self.of(node.left), self.of(node.right)
            return {SMALL} if {SMALL} in (left, right) else left | right
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("abs", "max", "min"):
            return set().union(*map(self.of, node.args)) if node.args else {OTHER}
        return {SMALL} if self.depth(node) == 0 else {OTHER}

    def mixed(self, left: ast.AST, right: ast.AST) -> str | None:
        """The variable for which a sum of these may differ from that of numpy."""
        kinds = [self.of(left), self.of(right)]
        if {SMALL} in kinds or not any(SMALL in each for each in kinds):
            return None
        return next((each.id for side in (left, right) for each in ast.walk(side)
                     if isinstance(each, ast.Name) and len(self.of(each)) == 2), None)
