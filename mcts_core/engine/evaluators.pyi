from typing_extensions import disjoint_base

@disjoint_base
class Evaluator: ...

@disjoint_base
class BatchEvaluator(Evaluator): ...

@disjoint_base
class StateEvaluator(Evaluator): ...
