"""``compile``: from an ordinary class of positions in Python to a game at native speed."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import time

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import GameError, InvalidOption
from mcts_core.game import NativeState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.games.native_games import NativeGame

SAMPLING_SECONDS = 0.3
SAMPLED_GAMES = 300
CHECK_SECONDS = 0.7

_games: dict[Any, NativeGame] = {}
"""The games that were compiled in this process, by class and first position: unpickled positions belong to them."""


def compile(game: Any, *, check: bool = True, cache: bool = True, seed: int = 0) -> NativeGame:
    """Compiles a class of positions in Python to native code, which is searched sixty to three hundred times as fast.

    The class is an ordinary one, with ``to_move``, ``legal_moves()``, ``winner()``, and ``push(move)``, which changes
    the position, or ``play(move)``, which returns a new one. A general game has ``players``, ``returns()`` and perhaps
    ``chance_outcomes()`` in place of ``winner()``. Numba compiles its methods (``pip install numba``). See
    ``docs/native_games.md`` for what can be compiled.

    game: a class whose call without arguments makes the first position, or the first position itself.
    check: whether random games are played on the class and on the compiled game (for 0.7 seconds), so that a
        difference is an error here.
    cache: whether the machine code is kept in a folder of your own on the disk and taken from there the next time.
    seed: of the random games, 0 to 2**64 - 1.

    Returns a NativeGame. ``state()`` is its first position, ``state(position)`` that of a position of the class, and
    ``to_python()`` of a position leads back. Moves are numbers: ints of the class stay as they are, tuples and texts
    are numbered in order (``moves`` of the class lists all of them, in your order; ``moves`` of the game shows
    them). ``name(move)``, ``str()`` and ``_repr_svg_`` of the class serve its positions.

    Raises GameError if a line cannot be compiled, with the line, the reason, and what to write instead, and where the
    compiled game differs from the class. Raises InvalidOption for wrong arguments and ImportError without Numba.

        >>> game = mc.compile(Nim)                             # doctest: +SKIP
        >>> mc.search(game.state(), seconds=1.0)               # doctest: +SKIP
    """
    first_seed = as_int(seed, "seed", 0, 2**64 - 1)
    for value, name in ((check, "check"), (cache, "cache")):
        if not isinstance(value, bool):
            raise InvalidOption(f"{name} must be True or False, got {shorten(value)}")
    cls = game if isinstance(game, type) else type(game)
    if cls.__module__ == "builtins" or not (hasattr(cls, "legal_moves") or hasattr(cls, "winner")
                                            or hasattr(cls, "returns")):
        raise InvalidOption(f"compile needs a class of positions, or a position, got {shorten(game)}")
    if issubclass(cls, NativeState):
        raise InvalidOption(f"{cls.__name__} is native already: search its positions as they are")
    _import_numba()
    return _Compilation(game, cls, first_seed, check, cache).run()


def compiled_again(game: Any) -> NativeGame:
    """The game of a class or a first position; unpickling calls this."""
    from mcts_core.games.native_games import NativeGame

    if isinstance(game, NativeGame):
        return game
    found = _games.get(_key_of(game))
    return compile(game, check=False) if found is None else found


def _key_of(game: Any) -> Any:
    import pickle

    return game if isinstance(game, type) else (type(game), pickle.dumps(game))


def _import_numba() -> None:
    try:
        import numba  # noqa: F401
    except ImportError as error:
        raise ImportError(f"mcts_core.compile needs Numba: pip install '.[numba]' in a clone, or pip install numba "
                          f"({error})", name="numba") from error


class _Compilation:
    """One call of ``compile``."""

    def __init__(self, game: Any, cls: type, seed: int, check: bool, cache: bool) -> None:
        from mcts_core.compiled.random_games import Stepper

        self.game, self.cls, self.seed, self.check, self.cache = game, cls, seed, check, cache
        self.stepper = Stepper(cls)
        self.first = self.stepper.first() if isinstance(game, type) else game
        self.stepper.settle(self.first)

    def run(self) -> NativeGame:
        from mcts_core.compiled.disk import key_of, read, write
        from mcts_core.compiled.drivers import Drivers
        from mcts_core.compiled.record import Record
        from mcts_core.compiled.trust import compare
        from mcts_core.compiled.twin import Twin
        from mcts_core.games.native_games import attach_class, native_game

        fields, moves, codes = self.look()
        record = Record(self.cls, fields, self.constants(fields), codes, self.refuse_field)
        shape = self.observed()
        drivers = Drivers(self.stepper, record, moves, shape)
        drivers.rewrite()
        key = key_of("code", *drivers.parts()) if self.cache else ""
        known = (read(key) if self.cache else None) or {"code": {}, "is_checked": False}
        is_new = not known["code"]
        functions = drivers.compile(known["code"])
        twin = Twin(self.stepper, record, moves, self.game)
        has_names = callable(getattr(self.cls, "name", None)) or not moves.identity
        general: dict[str, Any] = {}
        if self.stepper.general:
            general = {"players": self.stepper.players, "constant_sum": getattr(self.first, "constant_sum", False)}
        made = native_game(
            **functions, **general,
            shape=None if shape is None else ((1, 1, *shape)[-3], (1, 1, *shape)[-2], shape[-1]),
            state_size=record.dtype.itemsize, max_moves=moves.count,
            context=twin.note.data, name=f"{self.cls.__module__}:{self.cls.__qualname__}",
            text=twin.text if twin.has_text else None, move_name=twin.move_name if has_names else None)
        attach_class(made, twin, record.encode(self.first))
        if self.check and not known["is_checked"]:
            compare(made, self.stepper, self.first, self.seed + 1, CHECK_SECONDS)
            known["is_checked"] = is_new = True
        if self.cache and is_new and len(known["code"]) == len(functions):
            write(key, known)
        try:
            _games[_key_of(self.game)] = made
        except Exception:
            pass  # a first position that cannot be pickled
        return made

    def observed(self) -> tuple[int, ...] | None:
        """The shape of ``observation()`` of the class, one to three numbers, or None if it has none."""
        if not callable(getattr(self.cls, "observation", None)):
            return None
        import numpy as np

        shape = np.shape(self.stepper.ask(self.first, "observation"))
        if not 1 <= len(shape) <= 3 or 0 in shape:
            raise GameError(f"{self.stepper.name} cannot be compiled: observation() must return an array of one to "
                            f"three dimensions, (planes, rows, columns), got the shape {shape}")
        return tuple(shape)

    def look(self) -> Any:
        """The fields, the moves and the codes of texts: from random games in Python, or from the disk."""
        from mcts_core.compiled.disk import key_of, read, write
        from mcts_core.compiled.record import fields_of
        from mcts_core.compiled.sources import imported_files

        if not self.cache:
            return self.sampled()
        try:
            import pickle
            from pathlib import Path

            # not that of what a dataclass makes
            names = (self.stepper.files | imported_files(self.cls)) - {"<string>"}
            files = [Path(file).read_bytes() for file in sorted(names)]
            key = key_of("fields", self.cls.__module__, self.cls.__qualname__, pickle.dumps(fields_of(self.first)),
                         *files)
        except Exception:
            return self.sampled()  # a class without files, or fields that cannot be pickled
        found = read(key)
        if found is None:
            found = self.sampled()
            write(key, found)
        return found

    def sampled(self) -> Any:
        """The same, from random games."""
        from mcts_core.compiled.codes import Codes, Uncodable
        from mcts_core.compiled.moves import SLACK, Moves
        from mcts_core.compiled.record import Field, fields_of

        codes = Codes()
        moves = Moves(codes)
        fields: dict[str, Field] = {}
        as_text = self.indexed_fields()
        end = time.perf_counter() + SAMPLING_SECONDS
        try:
            for position, _ in random_games_of(self, end):
                for name, value in fields_of(position).items():
                    if name not in fields:
                        fields[name] = Field(name)
                        fields[name].depth = as_text.get(name, 0)
                    fields[name].observe(value)
                if self.stepper.result(position) is None:
                    for move in self.stepper.moves(position):
                        moves.observe(move)
            for field in fields.values():
                field.settle()
            self.stepper.mover(self.first)
            declared = getattr(self.cls, "moves", None)
            if not moves.seen:
                raise Uncodable("the game is over in its first position")
            is_list = isinstance(declared, (list, tuple, range))
            # an evaluator's policy has an entry for each move
            slack = 1 if callable(getattr(self.cls, "observation", None)) else SLACK
            moves.number_all(declared if is_list else None, slack)
        except Uncodable as error:
            raise GameError(f"{self.stepper.name} cannot be compiled: {error}") from None
        return fields, moves, codes

    def indexed_fields(self) -> dict[str, int]:
        """How often fields are indexed in a row somewhere: a text below that depth is a board of characters."""
        import ast

        from mcts_core.compiled.sources import NoSource, functions_of, tree_of

        found: dict[str, int] = {}
        for _, function in functions_of(self.cls):
            try:
                tree = tree_of(function)
            except NoSource:
                continue
            for node in ast.walk(tree):
                depth, inner = 0, node
                while isinstance(inner, ast.Subscript):
                    depth, inner = depth + 1, inner.value
                if isinstance(inner, ast.Attribute):
                    found[inner.attr] = max(depth, found.get(inner.attr, 0))
        return found

    def constants(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields that never change: no method assigns them, and they are the same in all positions."""
        from mcts_core.compiled.sources import changed_fields, fields_from_parameters

        changed = changed_fields(self.cls)
        given = set() if self.stepper.by_push else fields_from_parameters(self.cls)
        return {name: field.first for name, field in fields.items()
                if field.is_constant and name not in changed and (name not in given or field.refused() is not None)}

    def refuse_field(self, name: str, reason: str, instead: str) -> Exception:
        """The error for a field that does not fit into a record."""
        import ast
        import inspect

        from mcts_core.compiled.refusals import refusal
        from mcts_core.compiled.sources import NoSource, functions_of, tree_of

        for _, function in functions_of(self.cls):
            try:
                tree = tree_of(function)
            except NoSource:
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store):
                    return refusal(self.stepper.name, function.__code__.co_filename, node.lineno, f"self.{name}",
                                   f"the field is {reason}", instead)
        return refusal(self.stepper.name, inspect.getfile(self.cls), 0, f"self.{name}", f"the field is {reason}",
                       instead)


def random_games_of(compilation: _Compilation, end: float) -> Any:
    """The positions of the first random games."""
    from mcts_core.compiled.random_games import random_games

    return random_games(compilation.stepper, compilation.first, compilation.seed, end - time.perf_counter(),
                        SAMPLED_GAMES)
