"""The network that comes with the package."""

from __future__ import annotations

import os
import threading

from mcts_core.games.mnk.network import Network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_lock = threading.Lock()
_read: list[Network] = []


def shipped() -> Network:
    """Read when it is used first, which takes a tenth of a second. Raises InvalidFile where it is damaged."""
    with _lock:
        if not _read:
            # As pkgutil.get_data does it, also from an archive. importlib.resources imports zipfile, tempfile and more:
            # a fifth of the time until the Gomocup engine answers.
            assert __spec__ is not None and __spec__.origin is not None
            loader: Any = __spec__.loader
            folder = os.path.dirname(__spec__.origin)
            _read.append(Network(loader.get_data(os.path.join(folder, "gomoku.network"))))
    return _read[0]
