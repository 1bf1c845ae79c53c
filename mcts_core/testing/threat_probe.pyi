from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

from mcts_core import MNK

@disjoint_base
class ThreatProbe:
    def __new__(cls, state: MNK, memory: int = ...) -> Self: ...
    def prove(
        self, path: Sequence[int], budget: int, threes: bool = True, looks: int = 0, wins_only: bool = False
    ) -> tuple[tuple[int, int, bool, int | None] | None, int]: ...
