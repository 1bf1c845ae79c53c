"""The folder of ``selfplay``: shards as numpy files, and a manifest that records how they were made."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from mcts_core.arguments import as_path, shorten
from mcts_core.engine.workers import run_apart
from mcts_core.errors import InvalidFile, InvalidOption
from mcts_core.files import reading, replace_file
from mcts_core.game import import_numpy
from mcts_core.options import random_seed

if TYPE_CHECKING:
    from typing import Any

MANIFEST = "selfplay.json"
FORMAT = "mcts_core selfplay"
VERSION = 1
_MOST_DEFLATED = 1032
"""The most bytes that deflate makes of one."""


class Folder:
    """The shards that are already written, by number.

    The manifest is rewritten after each shard. A shard that is not in it, or whose file is missing, is played again.
    """

    def __init__(self, path: Any, settings: dict[str, Any], seed: int | None, games: int) -> None:
        """Raises InvalidOption (other settings, fewer games), InvalidFile (not a valid manifest), OSError."""
        given = os.fsdecode(as_path(path, "folder"))
        if not given:  # for Path, it is the current folder
            raise InvalidOption("folder must be the path of a folder, got ''; the current folder is '.'")
        self._path = Path(given)
        self._settings = json.loads(json.dumps(settings))
        self._games = games
        self._shards: dict[int, dict[str, Any]] = {}
        self._path.mkdir(parents=True, exist_ok=True)
        self._manifest = self._path / MANIFEST
        try:
            text = self._manifest.read_text(encoding="utf-8")
        except FileNotFoundError:
            if any(self._path.glob("shard-*.npz")):
                raise InvalidOption(f"folder {shorten(str(self._path))} has shards but no {MANIFEST}; choose another "
                                    f"folder") from None
            self.seed = random_seed() if seed is None else seed
            self._write()
        except UnicodeDecodeError:
            raise self._damaged("it is not a text file") from None
        else:
            self._read(text, seed)

    def missing(self) -> list[int]:
        """The numbers of the shards that are still to be played."""
        return [number for number in range(-(-self._games // self._size)) if not self._is_whole(number)]

    def add(self, number: int, games: int, arrays: dict[str, Any]) -> None:
        """Writes a shard, then the manifest."""
        path = self._file(number)
        size = write(path, arrays)
        self._shards[number] = {"file": path.name, "games": games, "positions": len(arrays["games"]), "bytes": size}
        self._write()

    def paths(self) -> list[Path]:
        """The files, in order."""
        return [self._file(number) for number in sorted(self._shards)]

    @property
    def _size(self) -> int:
        return int(self._settings["shard_games"])

    def _file(self, number: int) -> Path:
        return self._path / f"shard-{number:05}.npz"

    def _is_whole(self, number: int) -> bool:
        entry = self._shards.get(number)
        if entry is None or entry["games"] != min(self._size, self._games - number * self._size):
            return False
        try:
            return self._file(number).stat().st_size == int(entry["bytes"])
        except FileNotFoundError:
            return False

    def _read(self, text: str, seed: int | None) -> None:
        try:
            document = json.loads(text)
            if document["format"] != FORMAT:
                raise ValueError("it has another format")
            if document["version"] != VERSION:
                version = shorten(document["version"])
                raise ValueError(f"its version is {version}, but this package reads version {VERSION}")
            settings, self.seed = dict(document["settings"]), int(document["seed"])
            self._shards = {int(number): {"file": str(entry["file"]), "games": int(entry["games"]),
                                          "positions": int(entry["positions"]), "bytes": int(entry["bytes"])}
                            for number, entry in document["shards"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise self._damaged(error) from None
        there = {**settings, "seed": self.seed}
        here = {**self._settings, "seed": self.seed if seed is None else seed}
        if there != here:
            names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
            differences = "; ".join(f"{name} was {shorten(there.get(name))} and is {shorten(here.get(name))}"
                                    for name in names)
            raise InvalidOption(f"folder {shorten(str(self._path))} was made with other settings: {differences}. "
                                f"Choose another folder, or remove this one to start anew")
        held = max((number * self._size + entry["games"] for number, entry in self._shards.items()), default=0)
        if held > self._games:
            raise InvalidOption(f"games must be at least {held}, the number of games in folder "
                                f"{shorten(str(self._path))}, got {self._games}")

    def _write(self) -> None:
        document = {
            "format": FORMAT, "version": VERSION, "seed": self.seed, "settings": self._settings,
            "shards": {str(number): self._shards[number] for number in sorted(self._shards)},
        }
        replace_file(str(self._manifest), [json.dumps(document, indent=1).encode()])

    def _damaged(self, what: object) -> InvalidFile:
        return InvalidFile(f"{shorten(str(self._manifest))} is not a manifest of selfplay: {what}. The file was not "
                           f"changed; choose another folder")


def write(path: Any, arrays: dict[str, Any]) -> int:
    """Writes the file of a shard; its size in bytes. Raises InvalidOption, OSError."""
    numpy = import_numpy()
    name = os.fsdecode(as_path(path, "path"))
    buffer = io.BytesIO()
    run_apart(lambda: numpy.savez_compressed(buffer, **arrays))  # zipfile does not bear interrupts
    replace_file(name, [buffer.getbuffer()])
    return buffer.tell()


def read(path: Any, names: list[str]) -> dict[str, Any]:
    """The arrays of a shard. Raises InvalidFile, InvalidOption, OSError."""
    import_numpy()
    name = as_path(path, "path")
    data = reading(name, lambda file: file.read())
    try:
        return run_apart(lambda: _arrays(data, names))
    except MemoryError:
        raise
    except Exception as error:  # damaged files raise nearly anything in zipfile and numpy
        raise InvalidFile(f"{shorten(name)} is not a file of selfplay: {error}") from None


def _arrays(data: bytes, names: list[str]) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        arrays = {each: _array(archive, f"{each}.npy") for each in names}
    if len({len(array) for array in arrays.values()}) != 1:
        raise ValueError("its arrays have different lengths")
    return arrays


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    """An array of the archive. Nothing is reserved for numbers that cannot be there, whatever the headers say."""
    numpy = import_numpy()
    entry = archive.getinfo(name)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is not compressed as numpy does it")
    if entry.file_size > _MOST_DEFLATED * len(archive.fp.getbuffer()):  # type: ignore[union-attr]
        raise ValueError(f"{name} cannot have {entry.file_size} bytes")
    with archive.open(entry) as member:
        content = io.BytesIO(member.read(entry.file_size))  # zipfile compares the checksum when all is read
    version = numpy.lib.format.read_magic(content)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{name} has the version {version} of numpy's format")
    header = numpy.lib.format.read_array_header_1_0 if version == (1, 0) else numpy.lib.format.read_array_header_2_0
    shape, by_columns, kind = header(content)
    if kind.hasobject:
        raise ValueError(f"{name} has Python objects")
    begin, size = content.tell(), math.prod(shape) * kind.itemsize
    if entry.file_size != begin + size:
        raise ValueError(f"{name} has {entry.file_size - begin} bytes, but the shape {shape} of {kind} needs {size}")
    return numpy.ndarray(shape, kind, bytearray(content.getbuffer()[begin:]), order="F" if by_columns else "C")
