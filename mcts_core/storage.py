"""Searchers as files and as pickles. Imported when one is saved or loaded.

A saved Searcher, all numbers little-endian:

    magic (8)  version (4)  bytes of the header (4)  bytes of the trees (8)  header  SHA-256  trees  SHA-256

The header is JSON; each checksum is that of everything before it. Checksums find accidents. Somebody who makes a file
can make its checksums as well, so everything is checked besides: no file runs code or reaches beyond its tree.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import struct
import sys

from mcts_core import __version__
from mcts_core.arguments import as_number, as_path, shorten
from mcts_core.engine import storage as tree_storage
from mcts_core.engine.settings import default_memory
from mcts_core.errors import InvalidFile, InvalidOption, InvalidState
from mcts_core.files import reading, replace_file, target_of
from mcts_core.games.mnk.network import Network
from mcts_core.games.registry import GAMES, entry_of
from mcts_core.option_rows import MOST_MB, NAMES
from mcts_core.options import FUNCTIONS
from mcts_core.tree.storage import entry, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    from mcts_core.engine.settings import SearchSettings
    from mcts_core.games.registry import Entry
    from mcts_core.searcher import Searcher

MAGIC = b"\x89MCTS\r\n\x1a"
"""As that of PNG: no text begins so, and what takes a file for text and changes it shows at once."""
VERSION = 1
_PREFIX = struct.Struct("<8sIIQ")
_DIGEST = hashlib.sha256().digest_size
_MOST_HEADER = 1 << 20
_MOST_SEARCHES = 1 << 62
_PIECE = 1 << 24
"""Bytes that are read or hashed at a time: Ctrl-C comes through in between."""
_GAMES = {game.kind.__name__: game for game in GAMES}
"""The games of a file, by the class of their positions."""


# ---- files -----------------------------------------------------------------------------------------------------------

def save(engine: Searcher, path: Any) -> None:
    """See ``Searcher.save``."""
    functions = _functions(engine)
    if functions:
        raise InvalidState(f"save() writes no functions, such as {', '.join(functions)}; pickle.dumps(engine) keeps "
                           f"those that can be pickled")
    name = target_of(as_path(path, "path"))

    def write(state: Any, game: Any, names: Any, record: Any, data: list[memoryview]) -> None:
        replace_file(name, _parts(_header(engine, state, game, record), data))

    tree_storage.dump(engine._core, _encode, write)


def load(cls: type[Searcher], path: Any, memory_mb: float | None) -> Searcher:
    """See ``Searcher.load``."""
    name = as_path(path, "path")
    if memory_mb is not None:
        as_number(memory_mb, "memory_mb", 1.0, MOST_MB)

    def build(file: BinaryIO) -> Searcher:
        return _build(lambda options: cls(**options), file, os.fstat(file.fileno()).st_size, memory_mb)

    try:
        return reading(name, build)
    except InvalidFile as error:
        raise InvalidFile(f"{shorten(name)} cannot be loaded: {error}") from None


def _functions(engine: Searcher) -> dict[str, Any]:
    """The options that are functions."""
    return {name: engine._options.conditional[name] for name in FUNCTIONS if name in engine._options.conditional}


# ---- pickles ---------------------------------------------------------------------------------------------------------

def reduce(engine: Searcher) -> tuple[Any, ...]:
    """What ``Searcher.__reduce__`` returns.

    The position of a Python-written game, its moves, and functions that were given as options are pickled as the
    objects that they are.
    """

    def encode(state: Any) -> Any:
        return _encode(state) if _entry_of(state) else None

    def collect(state: Any, game: Any, names: Any, record: Any, data: list[memoryview]) -> tuple[bytes, Any, Any]:
        blob = b"".join(_parts(_header(engine, state, game, record), data))
        return blob, None if game is not None else state, None if names is None else list(names)

    blob, state, names = tree_storage.dump(engine._core, encode, collect)
    functions = _functions(engine)
    arguments = _rebuild, (type(engine), blob, state, names, *([functions] if functions else ()))
    own = object.__getstate__(engine)
    attributes, slots = own if type(own) is tuple else (own, None)
    from mcts_core.searcher import Searcher

    others = {name: value for name, value in (slots or {}).items() if name not in Searcher.__slots__}
    if attributes or others:  # of a subclass
        return *arguments, (attributes, others)
    return arguments


def _rebuild(
    cls: type[Searcher], blob: bytes, state: Any, names: Any, functions: dict[str, Any] | None = None
) -> Searcher:
    """What a pickle calls."""
    from mcts_core.searcher import Searcher

    def make(options: dict[str, Any]) -> Searcher:
        engine = cls.__new__(cls)
        Searcher.__init__(engine, **{**options, **(functions or {})})
        return engine

    try:
        return _build(make, io.BytesIO(blob), len(blob), None, state, names)
    except InvalidFile as error:
        raise InvalidFile(f"the pickled Searcher cannot be restored: {error}") from None


# ---- the format ------------------------------------------------------------------------------------------------------

def _check_order() -> None:
    if sys.byteorder != "little":
        raise InvalidFile("Searchers can only be saved and loaded on little-endian machines")


def _parts(header: dict[str, Any], data: list[memoryview]) -> Iterator[Any]:
    """What is written, piece by piece."""
    _check_order()
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    size = sum(view.nbytes for view in data)
    begin = _PREFIX.pack(MAGIC, VERSION, len(text), size) + text
    digest = hashlib.sha256(begin)
    end = digest.digest()
    yield begin + end
    digest.update(end)
    for view in data:
        for at in range(0, view.nbytes, _PIECE):
            piece = view[at:at + _PIECE]
            digest.update(piece)
            yield piece
    yield digest.digest()


def _build(
    make: Callable[[dict[str, Any]], Searcher], file: BinaryIO, size: int, memory_mb: float | None = None,
    state: Any = None, names: Any = None,
) -> Searcher:
    """The Searcher of ``size`` bytes of ``file``; ``state`` and ``names`` come with a pickled Python-written game."""
    _check_order()
    header, digest, data = _read_header(file, size)
    options = _read_options(entry(header, "options", dict))
    try:
        engine = make(options)
    except (TypeError, ValueError) as error:
        raise InvalidFile(f"its options are not those of a Searcher: {error}") from None
    if memory_mb is not None:
        engine = make({**options, "memory_mb": memory_mb})
    record = header.get("search")
    if "searches" in header:
        engine._requests.searches = number(header, "searches", 0, _MOST_SEARCHES)
    elif record is not None:  # of an earlier version, which did not count its searches
        engine._requests.searches = 1
    if record is None:
        if data:
            raise InvalidFile("it has a tree but no search")
        _read_data(file, [], digest)
        return engine
    if tree_storage.size_of(record) != data:
        raise InvalidFile("its trees have other sizes than its header says")
    game = header.get("game")
    if game is not None:
        state = _decode(game)
    elif state is None:
        raise InvalidFile("it has a tree but no position")
    settings = _settings(engine, state, _read_options(entry(header, "resolved", dict)))
    engine._fit_core(settings)
    tree_storage.restore(engine._core, state, names, settings, record, lambda views: _read_data(file, views, digest))
    return engine


def _settings(engine: Searcher, state: Any, resolved: dict[str, Any]) -> SearchSettings:
    """Those of the saved search. The next one goes on with its tree when this version has the same for the game."""
    from mcts_core import defaults
    from mcts_core.searcher import Searcher

    if engine._options.is_two_player(state):
        resolved = {**defaults.UCT, **resolved}  # what an older version did not know it did not do
        if resolved["selection"] == "puct":
            resolved = {name: value for name, value in resolved.items() if name not in defaults.NOT_PUCT}
    try:
        if _resolved(engine, state) == resolved:
            settings = engine._options.settings(state)
            engine._requests.settings[engine._requests.kind_of(state)] = settings
            return settings
        own = {"preset": "uct", "memory_mb": _memory_mb(engine), "prune": engine._options.prune}
        settings = Searcher(**{**resolved, **_functions(engine), **own})._options.settings(state)
        settings.loaded = resolved
        return settings
    except (TypeError, InvalidOption) as error:
        raise InvalidFile(f"its options do not fit its game: {error}") from None


def _read_header(file: BinaryIO, size: int) -> tuple[dict[str, Any], Any, int]:
    """The header, the checksum so far, and the bytes of the trees."""
    prefix = _read(file, min(size, _PREFIX.size))
    if prefix[:len(MAGIC)] != MAGIC[:len(prefix)] or not prefix:
        raise InvalidFile("it is not a saved Searcher")
    if len(prefix) < _PREFIX.size:
        raise InvalidFile(f"it is truncated to {size} bytes")
    _, version, length, data = _PREFIX.unpack(prefix)
    if version != VERSION:
        raise InvalidFile(f"it has version {version} of the format, this version of mcts_core reads {VERSION}")
    expected = _PREFIX.size + length + _DIGEST + data + _DIGEST
    if length > _MOST_HEADER or size != expected:
        raise InvalidFile(f"it should have {expected} bytes, but it has {size}")
    text = _read(file, length)
    digest = hashlib.sha256(prefix + text)
    end = _read(file, _DIGEST)
    if end != digest.digest():
        raise InvalidFile("it is damaged: a checksum is wrong")
    digest.update(end)
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"its header cannot be read: {error}") from None
    if type(header) is not dict:
        raise InvalidFile("its header is not an object")
    return header, digest, data


def _read_data(file: BinaryIO, views: list[memoryview], digest: Any) -> None:
    """Fills ``views`` and compares the last checksum."""
    for view in views:
        at = 0
        while at < view.nbytes:
            piece = view[at:at + _PIECE]
            count = file.readinto(piece)  # type: ignore[attr-defined]
            if not count:
                raise InvalidFile("it ends too early")
            digest.update(piece[:count])
            at += count
    if _read(file, _DIGEST) != digest.digest():
        raise InvalidFile("it is damaged: a checksum is wrong")


def _read(file: BinaryIO, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = file.read(count - len(found))
        if not piece:
            raise InvalidFile("it ends too early")
        found += piece
    return found


# ---- what stands in the header ---------------------------------------------------------------------------------------

def _header(engine: Searcher, state: Any, game: Any, record: Any) -> dict[str, Any]:
    header: dict[str, Any] = {"package": __version__, "options": _write_options(_options(engine))}
    if engine._options.seed is not None:
        header["searches"] = engine._requests.searches
    if record is not None:
        settings = engine._core.settings
        resolved = (settings and settings.loaded) or _resolved(engine, state)
        header |= {"game": game, "resolved": _write_options(resolved), "search": record}
    return header


def _write_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options as JSON data: a network as its file in base64, so that the next version's own changes nothing."""
    network = options.get("network")
    return options if network is None else {**options, "network": base64.b64encode(network.source).decode()}


def _read_options(options: dict[str, Any]) -> dict[str, Any]:
    if options.get("network") is None:
        return options
    try:
        source = base64.b64decode(entry(options, "network", str), validate=True)
    except ValueError as error:
        raise InvalidFile(f"its network is not in base64: {error}") from None
    return {**options, "network": Network(source)}


def _resolved(engine: Searcher, state: Any) -> dict[str, Any]:
    """The options of a search, less those that are functions."""
    return {name: value for name, value in engine.options(state).items() if name not in FUNCTIONS}


def _options(engine: Searcher) -> dict[str, Any]:
    """What makes a Searcher like this one, by the names of the constructor."""
    conditional = {name: value for name, value in engine._options.conditional.items() if name not in FUNCTIONS}
    options = {**engine._options.given, **conditional, "memory_mb": _memory_mb(engine)}
    for name in sorted(NAMES):
        if name not in options and hasattr(engine._options, name):
            options[name] = getattr(engine._options, name)
    return options


def _memory_mb(engine: Searcher) -> float | None:
    """None: the default, which is another one on another machine."""
    if engine._options.memory == default_memory():
        return None
    return min(engine._options.memory / 2**20, MOST_MB)


def _entry_of(state: Any) -> Entry | None:
    """The game of a position, whose class is that of the game itself."""
    found = entry_of(state)
    return found if found is not None and type(state) is found.kind else None


def _encode(state: Any) -> dict[str, Any]:
    """A position as JSON data."""
    known = _entry_of(state)
    if known is None:
        raise InvalidState(
            f"save() writes positions of {', '.join(_GAMES)}, "
            f"got {type(state).__name__}; pickle.dumps(engine) keeps positions that can be pickled"
        )
    *_, diagram, moves = state.__reduce__()[1]
    return {
        "class": type(state).__name__, "rules": known.arguments_of(state), "diagram": diagram,
        "moves": list(moves),
    }


def _decode(game: Any) -> Any:
    """A position that goes on."""
    name = entry(game, "class", str)
    rules, moves = entry(game, "rules", dict), entry(game, "moves", list)
    known = _GAMES.get(name)
    if known is None:
        raise InvalidFile(f"it has a position of {shorten(name)}, which this version does not know")
    if sorted(rules) != sorted(known.arguments):
        raise InvalidFile(f"the rules of {name} are {', '.join(known.arguments)}, got {shorten(rules)}")
    cls: Any = known.kind
    try:
        if game.get("diagram") is None:
            state = cls.from_moves(moves, **rules)
        else:
            state = cls.from_string(game["diagram"], **rules)
            for move in moves:
                state = state.play(move)
    except ValueError as error:  # InvalidState, IllegalMove, GameOver
        raise InvalidFile(f"its position is impossible: {error}") from None
    if state.winner() is not None:
        raise InvalidFile("its position is the end of a game")
    return state
