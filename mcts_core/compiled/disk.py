"""Machine code on the disk, in a folder that only its owner can write: one file for each compiled class.

A file is pickled, so it is read only from a folder and a file that belong to this user and that nobody else may write.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "MCTS_CORE_CACHE"
"""The environment variable that names another folder."""


def folder() -> Path:
    """The folder of this user."""
    given = os.environ.get(FOLDER)
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "mcts_core" / "compiled"


def is_private(path: Path) -> bool:
    """Whether a file or folder is this user's, no link, and nobody else may write it."""
    if os.name != "posix":
        return True  # folders below the user's profile are private there
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return (found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            and not stat.S_ISLNK(found.st_mode))


def key_of(*parts: Any) -> str:
    """The name for what depends on ``parts``, on the versions of everything and on the processor."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba
    import numpy

    import mcts_core

    digest = hashlib.sha256()
    own = sorted(Path(__file__).parent.glob("*.py"))
    versions = (mcts_core.__version__, numba.__version__, llvmlite.__version__, numpy.__version__, sys.version,
                llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), os.environ.get("NUMBA_CPU_NAME"))
    for part in (*versions, *(path.read_bytes() for path in own), *parts):
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:40]


def read(key: str) -> Any:
    """What was written under a key; None if there is nothing, or it cannot be trusted or read."""
    path = folder() / f"{key}.pickle"
    if not (is_private(path.parent) and is_private(path)):
        return None
    try:
        return pickle.loads(path.read_bytes())
    except Exception:
        return None  # half a file of a full disk, or classes that have moved


def write(key: str, value: Any) -> None:
    """Writes a file atomically; does nothing where that is not possible."""
    home = folder()
    with suppress(Exception):
        data = pickle.dumps(value)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not is_private(home):
            return
        handle, temporary = tempfile.mkstemp(dir=home)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, home / f"{key}.pickle")
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
