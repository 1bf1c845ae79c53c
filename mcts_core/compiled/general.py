"""``returns`` and ``chance_outcomes`` of a general game, rewritten so that they write into the memory of the search."""

from __future__ import annotations

import ast

from mcts_core.compiled.legal_moves import BUFFER, COUNT, LegalMoves
from mcts_core.compiled.loops import assign, helper, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANCES = "chances_"


class Outcomes(LegalMoves):
    """``chance_outcomes`` as ``made(self, moves_, chances_)``, which returns the number of outcomes."""

    has_numbers = True
    """Whether moves are numbers, not tuples."""

    def rewritten(self, tree: ast.FunctionDef, made: str) -> ast.FunctionDef:
        definition = super().rewritten(tree, made)
        definition.args.args.append(ast.copy_location(ast.arg(CHANCES), tree))
        return definition

    def emit(self, value: ast.expr) -> list[ast.stmt]:
        """Writes one pair of a move and its probability."""
        before: list[ast.stmt] = []
        move: ast.expr
        chance: ast.expr
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == 2:
            move, chance = value.elts
        else:
            pair = self.temporary()
            before.append(assign(pair, value))
            move, chance = (ast.Subscript(name(pair), ast.Constant(place), ast.Load()) for place in (0, 1))
            if self.has_numbers:  # a constant list of pairs is an array of floats
                move = helper("as_int", move)
        return [*before, ast.Assign([ast.Subscript(name(CHANCES), name(COUNT), ast.Store())], chance),
                *super().emit(move)]


class Returns(LegalMoves):
    """``returns`` as ``made(self, moves_)``: 0 while the game goes on, else 1, and the values are written."""

    players = 0

    def _find_builder(self, tree: ast.FunctionDef) -> str | None:
        return None

    def emit(self, value: ast.expr) -> list[ast.stmt]:
        """Writes the value for one player."""
        full = ast.If(ast.Compare(name(COUNT), [ast.GtE()], [ast.Constant(self.players)]), [self.failure()], [])
        place = ast.Subscript(name(BUFFER), name(COUNT), ast.Store())
        return [full, ast.Assign([place], value), ast.AugAssign(ast.Name(COUNT, ast.Store()), ast.Add(),
                                                                ast.Constant(1))]

    def returned(self, value: ast.expr | None) -> list[ast.stmt]:
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return [ast.Return(ast.Constant(0))]
        if isinstance(value, ast.IfExp):
            return [ast.If(self.test(value.test), self.returned(value.body), self.returned(value.orelse))]
        short = ast.If(ast.Compare(name(COUNT), [ast.NotEq()], [ast.Constant(self.players)]), [self.failure()], [])
        lines: list[Any] = [assign(COUNT, ast.Constant(0)), *self.emit_all(value), short]
        return [*lines, ast.Return(ast.Constant(1))]
