"""The folder of ``selfplay``: shards as numpy files, and a manifest that records how they were made."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from mcts_core.arguments import as_path, shorten
from mcts_core.errors import InvalidFile, InvalidOption
from mcts_core.game import import_numpy
from mcts_core.options import random_seed
from mcts_core.storage import _replace

if TYPE_CHECKING:
    from typing import Any

MANIFEST = "selfplay.json"
FORMAT = "mcts_core selfplay"
VERSION = 1


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
        except (ValueError, KeyError, TypeError, AttributeError) as error:
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
        _replace(str(self._manifest), iter([json.dumps(document, indent=1).encode()]))

    def _damaged(self, what: object) -> InvalidFile:
        return InvalidFile(f"{shorten(str(self._manifest))} is not a manifest of selfplay: {what}. The file was not "
                           f"changed; choose another folder")


def write(path: Any, arrays: dict[str, Any]) -> int:
    """Writes the file of a shard; its size in bytes. Raises InvalidOption, OSError."""
    buffer = io.BytesIO()
    import_numpy().savez_compressed(buffer, **arrays)
    _replace(os.fsdecode(as_path(path, "path")), iter([buffer.getbuffer()]))
    return buffer.tell()


def read(path: Any, names: list[str]) -> dict[str, Any]:
    """The arrays of a shard. Raises InvalidFile, InvalidOption, OSError."""
    numpy = import_numpy()
    name = as_path(path, "path")
    try:
        with open(name, "rb") as file, numpy.load(file, allow_pickle=False) as archive:
            arrays = {each: archive[each] for each in names}
            rows = {len(array) for array in arrays.values()}
    except (ValueError, TypeError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise InvalidFile(f"{shorten(name)} is not a file of selfplay: {error}") from None
    if len(rows) != 1:
        raise InvalidFile(f"{shorten(name)} is not a file of selfplay: its arrays have different lengths")
    return arrays
