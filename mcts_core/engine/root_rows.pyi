from typing import Literal

from typing_extensions import disjoint_base

RESULTS: tuple[Literal["loss"], Literal["draw"], Literal["win"]]

@disjoint_base
class RootRows: ...
