"""The network that comes with the package."""

from __future__ import annotations

from functools import lru_cache

from mcts_core.games.mnk.network import Network


@lru_cache(maxsize=1)
def shipped() -> Network:
    """Read when it is used first, which takes a tenth of a second. Raises InvalidFile where it is damaged."""
    from importlib.resources import files  # of the time that importing the package takes, this would be a third

    return Network(files("mcts_core.games.mnk").joinpath("gomoku.network").read_bytes())
