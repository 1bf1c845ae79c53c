"""The network that comes with the package."""

from __future__ import annotations

import threading

from mcts_core.games.mnk.network import Network

_lock = threading.Lock()
_read: list[Network] = []


def shipped() -> Network:
    """Read when it is used first, which takes a tenth of a second. Raises InvalidFile where it is damaged."""
    from importlib.resources import files  # of the time that importing the package takes, this would be a third

    with _lock:
        if not _read:
            _read.append(Network(files("mcts_core.games.mnk").joinpath("gomoku.network").read_bytes()))
    return _read[0]
