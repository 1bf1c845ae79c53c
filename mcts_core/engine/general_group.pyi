from typing import Any

from mcts_core.engine.general_searcher import GeneralCore, GeneralSettings

def search_together(
    cores: list[GeneralCore], states: list[Any], settings: GeneralSettings, iterations: int, seeds: list[int]
) -> list[Exception | None]: ...
