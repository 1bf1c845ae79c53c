from typing_extensions import disjoint_base

from mcts_core.engine.loop import SearchCore

@disjoint_base
class GeneralCore(SearchCore): ...
