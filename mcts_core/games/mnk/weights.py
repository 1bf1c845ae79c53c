"""The network that comes with the package."""

from __future__ import annotations

import threading

from mcts_core.games import data_files
from mcts_core.games.mnk.network import Network

_lock = threading.RLock()  # a signal handler may search, too, while the file is read
_read: list[Network] = []


def shipped() -> Network:
    """Reads it when it is used first, which takes 0.3 ms. Raises InvalidFile where it is damaged."""
    with _lock:
        if not _read:
            _read.append(data_files.load(__spec__, "gomoku.network", Network))
    return _read[0]
