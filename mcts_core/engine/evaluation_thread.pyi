from typing import Self

from typing_extensions import disjoint_base

from mcts_core.engine.evaluators import Evaluator
from mcts_core.games.general_rules import Rules

@disjoint_base
class Call:
    def __new__(cls, evaluator: Evaluator, rows: int) -> Self: ...

@disjoint_base
class EvaluationThread:
    def __new__(cls, rules: Rules) -> Self: ...
    def serve(self) -> None: ...
    @property
    def asked(self) -> int: ...
