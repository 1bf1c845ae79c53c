"""Moves of a class as numbers: ints as they are, tuples and texts numbered in order."""

from __future__ import annotations

import enum
import math

import numpy as np

from mcts_core.compiled.codes import NONE, Codes, Uncodable
from mcts_core.compiled.sources import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_MOVES = 16384
SLACK = 2
"""Ints beyond eight moves may be larger than those of the random games by this factor."""


class Moves:
    """Collects the moves of random games, then numbers them."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self.seen: dict[tuple[int, ...], Any] = {}
        """The moves by their numbers, all parts of a tuple one after the other."""
        self.shape: Any = None
        """``"*"`` for a number, or a tuple of such for a tuple."""
        self.kind: Any = None
        self.declared = False
        self.identity = False
        self.lows: tuple[int, ...] = ()
        self.strides: tuple[int, ...] = ()
        self.highs: tuple[int, ...] = ()
        self.rows = np.zeros((0, 1), np.int64)
        self.keys = np.zeros(0, np.int64)
        self.order = np.zeros(0, np.int64)

    def observe(self, move: Any) -> None:
        """Raises Uncodable with the reason."""
        flat = tuple(self._flat(move))
        if flat in self.seen:
            return
        shape = _shape_of(move)
        if self.shape is None:
            self.shape = shape
        elif shape != self.shape:
            first = next(iter(self.seen.values()))
            raise Uncodable(f"legal_moves() lists moves of different shapes, {first!r} and {move!r}: write all as "
                            "ints, or all as tuples of one length, such as (-1, -1) to pass")
        self.seen[flat] = move

    def _flat(self, move: Any) -> list[int]:
        move = values_of(move)
        if isinstance(move, (tuple, list)) and not isinstance(move, enum.Enum):
            return [number for part in move for number in self._flat(part)]
        try:
            code = self.codes.of(move)
        except Uncodable:
            code = 0.5
        if not isinstance(code, int):
            raise Uncodable(f"a move must be an int, a text, or a tuple of them, got {move!r}: number the moves, or "
                            "write them as tuples of ints")
        return [code]

    def number_all(self, declared: Any, slack: int = SLACK) -> None:
        """Gives every move its number; ``declared``: all moves in their order, or None; ``slack``: as SLACK. Raises
        Uncodable."""
        if declared is not None:
            before = dict(self.seen)
            self.seen, self.declared = {}, True
            for move in declared:
                self.observe(move)
            missing = next((move for flat, move in before.items() if flat not in self.seen), None)
            if missing is not None:
                raise Uncodable(f"moves must list every move, and {missing!r} is missing")
        columns = list(zip(*self.seen, strict=True))
        lows, highs = [min(column) for column in columns], [max(column) for column in columns]
        if len(columns) == 1 and not self.declared and lows[0] >= 0 and highs[0] < MOST_MOVES:
            self.identity = True
            most = highs[0] + 1
            lows[0], highs[0] = 0, (most if most <= 8 else min(MOST_MOVES, slack * most)) - 1
        spans = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
        total = math.prod(spans)
        if total >= 1 << 62:
            self._number_words()
            return
        strides = [math.prod(spans[place + 1:]) for place in range(len(spans))]
        self.lows, self.highs, self.strides = tuple(lows), tuple(highs), tuple(strides)
        if self.identity:
            self.rows = np.arange(total, dtype=np.int64).reshape(-1, 1)
        elif not self.declared and total <= MOST_MOVES:
            grid = np.indices(spans).reshape(len(spans), -1).T + np.array(lows)
            self.rows = np.ascontiguousarray(grid, np.int64)
        else:
            self._list_rows(list(self.seen) if self.declared else sorted(self.seen))

    def _number_words(self) -> None:
        """One number for each move, with texts or None in it."""
        columns = len(next(iter(self.seen)))
        if columns > 1:
            raise Uncodable("moves are tuples with texts or None in them: use tuples of ints")
        rows = list(self.seen) if self.declared else sorted(self.seen)
        self.lows, self.highs, self.strides = (NONE,), ((1 << 63) - 1,), (1,)
        self._list_rows(rows, shift=False)

    def _list_rows(self, rows: list[tuple[int, ...]], shift: bool = True) -> None:
        if len(rows) > MOST_MOVES:
            raise Uncodable(f"there are more than {MOST_MOVES} different moves: divide a move into two")
        self.rows = np.array(rows, np.int64)
        keys = (self.rows - np.array(self.lows)) @ np.array(self.strides) if shift else self.rows[:, 0]
        self.order = np.argsort(keys, kind="stable").astype(np.int64)
        self.keys = keys[self.order]
        if not shift:
            self.lows = (0,)

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def is_table(self) -> bool:
        return len(self.keys) > 0

    def value(self, number: int) -> Any:
        """The move with this number, as the class has it."""
        flat = tuple(int(each) for each in self.rows[number])
        return self.seen[flat] if flat in self.seen else self._build(list(flat), self.shape)

    def _build(self, flat: list[int], shape: Any) -> Any:
        if shape == "*":
            return self.codes.back(flat.pop(0))
        kind = shape.kind if isinstance(shape, Parts) else tuple
        parts = [self._build(flat, part) for part in shape]
        return tuple(parts) if kind is tuple else kind(*parts)

    def number(self, move: Any) -> int | None:
        """The number of a move of the class, or None."""
        try:
            flat = tuple(self._flat(move))
        except Uncodable:
            return None
        if self._index is None:
            self._index = {tuple(map(int, row)): number for number, row in enumerate(self.rows)}
        return self._index.get(flat)

    _index: dict[tuple[int, ...], int] | None = None


class Parts(tuple):  # type: ignore[type-arg]
    """The shape of a named tuple or of a frozen dataclass."""

    kind: Any = tuple


def values_of(move: Any) -> Any:
    """The parts of a frozen dataclass as a tuple; anything else as it is."""
    names = parts_of(type(move))
    return move if names is None or isinstance(move, tuple) else tuple(getattr(move, name) for name in names)


def _shape_of(move: Any) -> Any:
    parts = values_of(move)
    if not isinstance(parts, (tuple, list)) or isinstance(parts, enum.Enum):
        return "*"
    shape = Parts(_shape_of(part) for part in parts)
    if parts_of(type(move)) is not None:
        shape.kind = type(move)
    return shape
