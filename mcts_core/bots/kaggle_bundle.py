"""The archive of a submission to Kaggle's connectx: the installed package and a ``main.py`` that plays."""

from __future__ import annotations

import gzip
import importlib.machinery
import io
import os
import pathlib
import sys
import sysconfig
import tarfile

import mcts_core
from mcts_core.arguments import shorten
from mcts_core.files import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAIN = '''\
"""An agent of connectx: mcts_core, for {python} on {platform}. Made by mcts-core kaggle-bundle."""

import time

STARTED = time.perf_counter()

import os
import sys

# Kaggle runs this text by exec(), without __file__. Its folder is last on sys.path, or missing there.
HERE = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))
FOLDERS = [HERE, "/kaggle_simulations/agent", os.getcwd()]
FOLDER = next((path for path in FOLDERS if os.path.isdir(os.path.join(path, "mcts_core"))), HERE)
sys.path.insert(0, FOLDER)
try:
    from mcts_core.bots.kaggle import Agent
except ImportError as error:
    python = "%s %d.%d" % (sys.implementation.name, *sys.version_info[:2])
    raise ImportError("this archive was made for {python} on {platform}, but %s on %s cannot load it: %s"
                      % (python, sys.platform, error)) from error
finally:
    sys.path.remove(FOLDER)

player = Agent(started=STARTED)


# The loader takes the last callable in this file as the agent; some of its versions need a function.
def agent(observation, configuration):
    return player(observation, configuration)
'''


def write_bundle(path: str | os.PathLike[str]) -> int:
    """Writes the archive (tar.gz) and returns its size in bytes.

    The archive holds ``main.py`` and the package with the native modules of the running interpreter. It plays without a
    network connection and without an installed mcts_core. It needs the same version of Python, the same kind of
    machine, and a C library that is at least as new. The same package gives the same archive, byte by byte. An existing
    file is replaced atomically. Raises InvalidOption if the file cannot be written.
    """
    try:
        target = pathlib.Path(path).resolve()  # what a link leads to is replaced, not the link
        if target.is_dir() or not os.path.basename(path):  # resolve drops a separator at the end
            raise IsADirectoryError("it is a folder")
        if target.exists() and not target.is_file():
            raise OSError("it is not a regular file")
        archive = _archive()
        replace_file(str(target), [archive])
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise mcts_core.InvalidOption(f"the archive cannot be written to {shorten(path)}: {reason}") from error
    return len(archive)


def main_file() -> str:
    """The text of ``main.py``."""
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    return MAIN.format(python=python, platform=sysconfig.get_platform())


def _archive() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        _add(archive, "main.py", main_file().encode())
        for name, content in _package():
            _add(archive, name, content)
    # Not a GzipFile: when Python deletes one, it drops an interrupt that arrives there.
    return gzip.compress(raw.getvalue(), compresslevel=3, mtime=0)


def _add(archive: Any, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mode = 0o644
    archive.addfile(member, io.BytesIO(content))


def _package() -> list[tuple[str, bytes]]:
    """Name and content of every file that the package needs to run, and its license."""
    root = pathlib.Path(mcts_core.__file__).parent
    found = [path for path in root.rglob("*") if path.suffix in (".py", ".book") or _is_native_module(path.name)]
    files = [(f"mcts_core/{path.relative_to(root).as_posix()}", path.read_bytes()) for path in sorted(found)]
    return files + _license()


def _is_native_module(name: str) -> bool:
    """Whether this interpreter can load it: native modules for other interpreters may be in the same folder."""
    _, dot, rest = name.partition(".")
    return dot + rest in importlib.machinery.EXTENSION_SUFFIXES


def _license() -> list[tuple[str, bytes]]:
    from importlib.metadata import PackageNotFoundError, files

    try:
        installed = files("mcts-core") or []
    except PackageNotFoundError:
        return []
    return [("mcts_core/LICENSE", path.read_binary()) for path in installed if path.name == "LICENSE"][:1]

