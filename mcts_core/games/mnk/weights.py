"""The network that comes with the package."""

from __future__ import annotations

import threading

from mcts_core.games import data_files
from mcts_core.games.mnk.network import Network

_lock = threading.RLock()  # a signal handler may search, too, while the file is read
_read: list[Network] = []


def shipped() -> Network:
    """Read and prepared when it is used first, which takes 30 ms. Raises InvalidFile where it is damaged."""
    with _lock:
        if not _read:
            network = data_files.load(__spec__, "gomoku.network", Network)
            network.prepare()
            _read.append(network)
    return _read[0]
