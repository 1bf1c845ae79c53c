from mcts_core.engine.request import SearchRequest
from mcts_core.engine.searched_general import GeneralCore

def search_together(
    cores: list[GeneralCore], requests: list[SearchRequest], overlap: bool
) -> list[Exception | None]: ...
