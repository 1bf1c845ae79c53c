from collections.abc import Iterable

from mcts_core.games.mnk.network import Network

def network_outputs(
    network: Network, cells: bytes, rows: int, cols: int, player: int
) -> tuple[int, dict[int, tuple[int, tuple[int, int, int, int]]]]: ...
def powers(exponents: Iterable[int]) -> list[tuple[float, float]]: ...
