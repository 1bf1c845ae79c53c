"""The functions that the search calls, over the rewritten methods: Numba compiles them here."""
# Numba's own types are not those of what its decorators accept, and it need not be installed.
# pyright: reportMissingImports=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import ast
import pickle
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, from_dtype, njit, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, TypingError
from numba.core.serialize import dumps
from numba.extending import intrinsic, overload

from mcts_core.compiled import arithmetic, helpers, members
from mcts_core.compiled.codes import NONE
from mcts_core.compiled.constants import Constants
from mcts_core.compiled.general import Outcomes, Returns
from mcts_core.compiled.legal_moves import LegalMoves
from mcts_core.compiled.moves import Moves
from mcts_core.compiled.narrow import CHECKED, OPTIONS
from mcts_core.compiled.random_games import Stepper
from mcts_core.compiled.record import Record
from mcts_core.compiled.refusals import in_words
from mcts_core.compiled.rewrite import Rewriter
from mcts_core.compiled.units import Unit, Units, plain_function
from mcts_core.game import CHANCE as mcts_chance

LEGAL_MOVES = types.int32(types.voidptr, types.voidptr, types.CPointer(types.uint32))
PLAY = types.int32(types.voidptr, types.voidptr, types.uint32)
TO_MOVE = types.int32(types.voidptr, types.voidptr)
RETURNS = types.int32(types.voidptr, types.voidptr, types.CPointer(types.float64))
CHANCE = types.int32(types.voidptr, types.voidptr, types.CPointer(types.uint32), types.CPointer(types.float64))
OBSERVE = types.int32(types.voidptr, types.voidptr, types.CPointer(types.float32))


class Drivers:
    """What is compiled for one class."""

    def __init__(self, stepper: Stepper, record: Record, moves: Moves, observation: tuple[int, ...] | None) -> None:
        self.stepper, self.record, self.moves = stepper, record, moves
        self.observation = observation
        """The shape of ``observation()``, or None."""
        self.namespace: dict[str, Any] = {"np": np}
        self.namespace.update({f"mcts_{name}": value for name, value in (helpers.NAMES | members.NAMES).items()})
        self._define_helpers()
        self.units = Units(stepper.cls, record, Constants(self.namespace, record.codes))
        self.units.files.update(stepper.files)

    def _define_helpers(self) -> None:
        """Helpers that depend on the record and on the moves."""
        rows, keys, order = self.moves.rows, self.moves.keys, self.moves.order

        @njit(**OPTIONS)
        def key(keys: Any, wanted: Any) -> Any:
            place = helpers.find_key(keys, wanted)
            if place < 0:
                raise KeyError("no such key")
            return place

        @njit(**OPTIONS)
        def get(values: Any, place: Any, default: Any) -> Any:
            return values[place] if place >= 0 else default

        @njit(**OPTIONS)
        def outcome(won: Any, mover: Any) -> Any:
            if won == NONE:
                return 0
            if won == mover:
                return 1
            if won == 0:
                return 2
            if won == -mover:
                return 3
            raise ValueError("winner() must return None, +1, -1 or 0")

        @njit(**OPTIONS)
        def search(wanted: Any) -> Any:
            place = np.searchsorted(keys, wanted)
            if place >= len(keys) or keys[place] != wanted:
                raise ValueError("a move that random games did not have: list all moves in the class, as moves = [...]")
            return order[place]

        players, code = self.stepper.players, self.record.codes.of(mcts_chance)

        @njit(**OPTIONS)
        def player(found: Any) -> Any:
            if found == code:
                return -1
            if found < 0 or found >= players:
                raise ValueError("to_move must be a player, from 0, or mcts_core.CHANCE")
            return found

        values = _scratch(np.dtype([("values", np.float64, (players,))]))
        self.namespace.update({"mcts_scratch": _scratch(self.record.dtype),
                               "mcts_calls": _scratch(helpers.COUNTER), "mcts_values": values, "mcts_key": key,
                               "mcts_get": get, "mcts_outcome": outcome, "mcts_player": player,
                               "mcts_search": search, "mcts_rows": rows})
        self.namespace["mcts_number"] = self._number()
        self.namespace["mcts_move"] = self._move()

    def _number(self) -> Any:
        """The function from a move of the class to its number."""
        moves = self.moves
        parts: list[tuple[str, list[tuple[str, int]]]] = []
        _paths(moves.shape, "move", [], parts)
        lines = ["def number(move):"]
        total = []
        lengths: dict[str, int] = {}
        for _, checks in parts:
            lengths.update(checks)
        lines += [f" if len({path}) != {length}: raise ValueError('a move of another length')"
                  for path, length in lengths.items()]
        for index, (path, _) in enumerate(parts):
            low, high, stride = moves.lows[index], moves.highs[index], moves.strides[index]
            lines.append(f" p{index} = {path}")
            if not (moves.is_table and len(parts) == 1 and low == 0):
                lines.append(f" if p{index} < {low} or p{index} > {high}: raise ValueError('a move that random games "
                             f"did not have: list all moves in the class, as moves = [...]')")
            total.append(f"(p{index} - {low}) * {stride}" if low or stride != 1 else f"p{index}")
        value = " + ".join(total)
        lines.append(f" return mcts_search({value})" if moves.is_table else f" return {value}")
        scope: dict[str, Any] = self.namespace
        exec("\n".join(lines), scope)
        written = scope.pop("number")
        stub = arithmetic.stub("number")
        is_tuple = moves.shape != "*"

        @overload(stub, **CHECKED)
        def choose(move: Any) -> Any:
            if is_tuple and isinstance(move, types.Number):
                raise TypingError("mcts: legal_moves() gives a number here, and tuples in the random games")
            if isinstance(move, types.Float):
                raise TypingError("mcts: a move is a float: write a // b in place of a / b, or int(x)")
            return written

        return stub

    def _move(self) -> Any:
        """The function from the number of a move to the move of the class."""
        shape = self.moves.shape
        if self.moves.identity:
            text = "number"
        elif shape == "*":
            text = "mcts_rows[number, 0]"
        else:
            text = _built(shape, iter(range(10**6)))
        scope = self.namespace
        exec(f"def move(number):\n return {text}", scope)
        return njit(**OPTIONS)(scope.pop("move"))

    # ---- rewriting ---------------------------------------------------------------------------------------------------

    def _rewriter(self, function: Any, kind: type[Rewriter] = Rewriter) -> tuple[Any, ast.FunctionDef]:
        first = function.__code__.co_varnames[0]
        _, owner = self.units.member(function.__name__)
        unit = Unit(function.__name__, function, owner, frozenset([(first, "position")]))
        tree = self.units.tree(function, None, ast.Pass())
        return kind(self.units, unit, tree), tree

    def _asked(self, expression: str, function: Any) -> tuple[ast.expr, Any]:
        """An expression over ``self``, rewritten."""
        rewriter, _ = self._rewriter(function)
        rewriter.unit.roles = frozenset([("self", "position")])
        rewriter.positions, rewriter.locals = {"self"}, {"self", "move"}
        node = ast.parse(expression, mode="eval").body
        for each in ast.walk(node):
            if hasattr(each, "lineno"):
                each.lineno = function.__code__.co_firstlineno  # pyright: ignore[reportAttributeAccessIssue]
        return node, rewriter

    def rewrite(self) -> None:
        """Rewrites all methods that the search needs into the namespace. Raises Refusal."""
        cls = self.stepper.cls
        self._write("legal_moves", "mcts_legal", LegalMoves)
        way = "push" if self.stepper.by_push else "play"
        step = plain_function(self.units.member(way)[0])
        mover = self._plain("self.to_move", step)
        won = "" if self.stepper.general else self._plain("self.winner()", step)
        node, rewriter = self._asked(f"self.{way}(move)", step)
        lines = [f"def mcts_play(self, number):\n move = mcts_move(number)\n mover = {mover}"]
        if self.stepper.by_push:
            lines.append(f" {ast.unparse(rewriter.plain(node))}")
        else:
            if not rewriter.is_position(node):
                raise self.units.refuse(
                    rewriter.unit, ast.Pass(lineno=step.__code__.co_firstlineno),
                    "it cannot be seen that play(move) returns a new position",
                    f"end it by `return {cls.__name__}(...)`, or begin it by `new = copy.deepcopy(self)`, change "
                    f"new, and end it by `return new`; or write push(move), which changes the position itself")
            rewriter.next_memory = ast.Name("made", ast.Load())
            lines.append(f" made = mcts_scratch()\n mcts_copied(self, {ast.unparse(rewriter.plain(node))})")
        if self.stepper.general:
            lines[0] = lines[0].rpartition("\n")[0]
            lines.append(f" return mcts_returns(self, mcts_values().values)\n"
                         f"def mcts_mover(self):\n return mcts_player({mover})")
            self.text = "\n".join(lines)
            self._write("returns", "mcts_returns", Returns)
            if self.stepper.has_chance:
                self._write("chance_outcomes", "mcts_chance", Outcomes)
            return
        observed = self._observed(step)
        lines.append(f" outcome = mcts_outcome({won}, mover)")
        if observed:
            lines.append(f" if outcome == 0 and {mover} == mover: raise ValueError('turns do not alternate')")
        lines.append(f" return outcome\ndef mcts_mover(self):\n return {mover}\n{observed}")
        self.text = "\n".join(lines)

    def _write(self, method: str, made: str, kind: type[LegalMoves]) -> None:
        """Rewrites a method that writes what it returns into the memory of the search."""
        function = plain_function(self.units.member(method)[0])
        rewriter, tree = self._rewriter(function, kind)
        if isinstance(rewriter, Returns):
            rewriter.players = self.stepper.players
        if isinstance(rewriter, Outcomes):
            rewriter.has_numbers = self.moves.shape == "*"
        definition = rewriter.rewritten(tree, made)
        self.units.used[f"{function.__module__}.{function.__qualname__}"] = function
        self.units.definitions.append((function.__code__.co_filename, definition))

    def _observed(self, step: Any) -> str:
        """The function that writes ``observation()``, or nothing if the class has none."""
        if self.observation is None:
            return ""
        return f"def mcts_observe(self, planes):\n mcts_fill(planes, {self._plain('self.observation()', step)})\n"

    def _plain(self, expression: str, function: Any) -> str:
        node, rewriter = self._asked(expression, function)
        return ast.unparse(rewriter.plain(node))

    # ---- compiling ---------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[Any, ...]:
        """Everything on which the machine code depends."""
        constants = [(name, value.dtype.str, value.shape, value.tobytes())
                     for name, value in self.namespace.items() if isinstance(value, np.ndarray)]
        others = [name for name in self.namespace if name.startswith("N")]
        code = [(file, ast.unparse(definition)) for file, definition in self.units.definitions]
        moves = self.moves
        return (code, self.text, self.observation, self.stepper.general, self.stepper.players,
                constants, others, self.record.dtype, moves.shape, moves.lows,
                moves.highs, moves.strides, moves.keys.tobytes(), moves.order.tobytes())

    def compile(self, kept: dict[str, bytes]) -> dict[str, Any]:
        """The native functions by their names in ``native_game``. ``kept``: machine code from the disk, or an empty
        dict, which gets the new one. Raises Refusal."""
        space = self.namespace
        jit = njit(**OPTIONS)
        for file, definition in self.units.definitions:
            exec(compile(ast.fix_missing_locations(ast.Module([definition], [])), file, "exec"), space)
            space[definition.name] = jit(space[definition.name])
        exec(self.text, space)
        for name in ("mcts_play", "mcts_mover", *(["mcts_observe"] if self.observation is not None else [])):
            space[name] = jit(space[name])
        try:
            return self._native(kept)
        except (NumbaError, AttributeError, LookupError, NotImplementedError, TypeError,
                ValueError) as error:  # Numba has faults, too
            raise in_words(self.stepper.name, error, self.units.files) from None

    def _native(self, kept: dict[str, bytes]) -> dict[str, Any]:
        space, dtype, count, note = self.namespace, self.record.dtype, self.moves.count, self._note()
        legal, play_move, mover = space["mcts_legal"], space["mcts_play"], space["mcts_mover"]
        scratch, copied = space["mcts_scratch"], helpers.copied

        def legal_moves(context: Any, state: Any, moves: Any) -> Any:
            position = carray(state, 1, dtype)[0]
            try:
                return legal(position, carray(moves, count))
            except Exception:
                note(context, position, -1)
                return -1

        def play(context: Any, state: Any, move: Any) -> Any:
            position = carray(state, 1, dtype)[0]
            before = copied(scratch(), position)  # pyright: ignore[reportCallIssue]
            try:
                return play_move(position, np.int64(move))
            except Exception:
                note(context, before, move)
                return -1

        def to_move(context: Any, state: Any) -> Any:
            try:
                return mover(carray(state, 1, dtype)[0])
            except Exception:
                return wrong

        wrong = -2 if self.stepper.general else 0  # -1 is chance

        wanted: list[tuple[str, Any, Any]] = [("legal_moves", LEGAL_MOVES, legal_moves), ("play", PLAY, play)]
        if self.stepper.general:
            wanted += self._general_natives(note)
        if self.observation is None:
            wanted.append(("to_move", TO_MOVE, to_move))
        else:
            shape, written = self.observation, space["mcts_observe"]

            def observe(context: Any, state: Any, planes: Any) -> Any:
                try:
                    written(carray(state, 1, dtype)[0], carray(planes, shape))
                    return 0
                except Exception:
                    return -1

            wanted.append(("observe", OBSERVE, observe))
        return self._made(wanted, kept)

    def _note(self) -> Any:
        """The function that leaves the position in which another one stopped where ``Twin.explain`` looks for it."""
        dtype, copied = self.record.dtype, helpers.copied
        words = dtype.itemsize // 8

        @njit(**OPTIONS)
        def note(context: Any, position: Any, number: Any) -> None:
            copied(carray(context, 1, dtype)[0], position)  # pyright: ignore[reportCallIssue]
            carray(context, words + 1, np.int64)[words] = number

        return note

    def _general_natives(self, note: Any) -> list[tuple[str, Any, Any]]:
        """The functions that only general games have."""
        space, dtype, count, players = self.namespace, self.record.dtype, self.moves.count, self.stepper.players
        ended = space["mcts_returns"]

        def returns(context: Any, state: Any, values: Any) -> Any:
            position = carray(state, 1, dtype)[0]
            try:
                return ended(position, carray(values, players)) - 1
            except Exception:
                note(context, position, -1)
                return -1

        found: list[tuple[str, Any, Any]] = [("returns", RETURNS, returns)]
        if self.stepper.has_chance:
            drawn = space["mcts_chance"]

            def chance(context: Any, state: Any, moves: Any, chances: Any) -> Any:
                position = carray(state, 1, dtype)[0]
                try:
                    return drawn(position, carray(moves, count), carray(chances, count))
                except Exception:
                    note(context, position, -1)
                    return -1

            found.append(("chance", CHANCE, chance))
        return found

    def _made(self, wanted: list[tuple[str, Any, Any]], kept: dict[str, bytes]) -> dict[str, Any]:
        """The functions compiled, or taken from ``kept``."""
        made: dict[str, Any] = {}
        for name, signature, function in wanted:
            options = {"nopython": True, "boundscheck": True}
            made[name] = CFunc(function, (signature.args, signature.return_type), {}, options)
            made[name]._cache = _Kept(name, kept)
            made[name].compile()
        return made


def _scratch(dtype: Any) -> Any:
    """A function that returns a record on the stack."""
    kind = from_dtype(dtype)

    @intrinsic
    def scratch(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            words = ir.ArrayType(ir.IntType(64), (kind.size + 7) // 8)
            return builder.bitcast(cgutils.alloca_once(builder, words), context.get_value_type(kind))
        return kind(), generate

    return scratch


class _Kept:
    """The cache of one function, as Numba's own ones are asked: in a dict that goes to the disk as a whole."""

    def __init__(self, name: str, kept: dict[str, bytes]) -> None:
        self.name, self.kept = name, kept

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        if self.name not in self.kept:
            return None
        target_context.refresh()
        return CompileResult._rebuild(target_context, *pickle.loads(self.kept[self.name]))

    def save_overload(self, signature: Any, result: Any) -> None:
        if not result.library.has_dynamic_globals:
            self.kept[self.name] = dumps(result._reduce())


def _paths(shape: Any, path: str, checks: list[tuple[str, int]], found: list[Any]) -> None:
    """Where the numbers of a move are: expressions, with the lengths to check on the way."""
    if shape == "*":
        found.append((path, checks))
        return
    for place, part in enumerate(shape):
        _paths(part, f"{path}[{place}]", [*checks, (path, len(shape))], found)


def _built(shape: Any, columns: Any) -> str:
    if shape == "*":
        return f"mcts_rows[number, {next(columns)}]"
    return f"({', '.join(_built(part, columns) for part in shape)},)"
