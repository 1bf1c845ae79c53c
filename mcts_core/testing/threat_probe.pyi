from collections.abc import Sequence

from mcts_core import MNK

class ThreatProbe:
    def __new__(cls, state: MNK, memory: int = ...) -> "ThreatProbe": ...
    def prove(
        self, path: Sequence[int], budget: int, threes: bool = True, looks: int = 0
    ) -> tuple[tuple[int, int, bool, int | None] | None, int]: ...
