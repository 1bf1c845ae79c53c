"""The class in Python behind a compiled game: the way between both kinds of positions, texts, and errors."""

from __future__ import annotations

import sys

import numpy as np

from mcts_core.compiled.codes import Uncodable
from mcts_core.compiled.random_games import OUTCOMES
from mcts_core.compiled.refusals import line_of
from mcts_core.errors import InvalidState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.compiled.moves import Moves
    from mcts_core.compiled.random_games import Stepper
    from mcts_core.compiled.record import Record

LONGEST_REPETITION = 1_000_000
"""Lines of Python in which an error is looked for: an endless loop ends there."""
NOTHING = -2
"""In the note of an error: none was met. -1: in legal_moves, else the number of the move that was played."""


class Twin:
    """Of one compiled game. ``note`` is where compiled functions leave the position in which they stopped."""

    def __init__(self, stepper: Stepper, record: Record, moves: Moves, given: Any) -> None:
        self.stepper, self.record, self.numbering, self.given = stepper, record, moves, given
        self.note = np.zeros(record.dtype.itemsize // 8 + 1, np.int64)
        self.note[-1] = NOTHING
        self._values: tuple[Any, ...] | None = None

    def has(self, position: Any) -> bool:
        return isinstance(position, self.stepper.cls)

    def encoded(self, position: Any) -> bytes:
        """The bytes of a position of the class. Raises InvalidState."""
        try:
            data = self.record.encode(position)
        except (Uncodable, AttributeError) as error:
            raise InvalidState(f"this {self.stepper.name} is not a position of the compiled game: {error}") from None
        if self.stepper.result(position) is not None:
            raise InvalidState("the game is over in this position; only play() makes finished positions")
        return data

    def decoded(self, data: bytes) -> Any:
        """The position of the class with these bytes."""
        return self.record.decode(data)

    def text(self, position: Any) -> str:
        return str(position.to_python())

    def move_name(self, position: Any, number: int) -> Any:
        """The name of a move: that of the class's ``name(move)``, or else the move itself."""
        move = self.numbering.value(number)
        if callable(getattr(self.stepper.cls, "name", None)):
            return position.to_python().name(move)
        return move if isinstance(move, str) and move.strip() else "".join(repr(move).split())

    def svg(self, data: bytes) -> Any:
        show = getattr(self.stepper.cls, "_repr_svg_", None)
        return None if show is None else show(self.decoded(data))

    def number(self, move: Any) -> int | None:
        return self.numbering.number(move)

    def moves(self) -> tuple[Any, ...]:
        if self._values is None:
            self._values = tuple(self.numbering.value(number) for number in range(self.numbering.count))
        return self._values

    def recipe(self) -> Any:
        """How the game is unpickled: its class is compiled there, or taken from the disk."""
        from mcts_core.compiled.compile import compiled_again

        return compiled_again, (self.given,)

    def explain(self) -> str | None:
        """What a compiled function met last, in the words of the class; None if nothing."""
        number = int(self.note[-1])
        if number == NOTHING:
            return None
        position = self.decoded(self.note[:-1].tobytes())
        self.note[-1] = NOTHING
        before = sys.gettrace()
        sys.settrace(_Lines().count)
        try:
            return self._repeated(position, number)
        finally:
            sys.settrace(before)

    def _repeated(self, position: Any, number: int) -> str:
        """What the class does in Python where the compiled function stopped."""
        what = "legal_moves()"
        try:
            if number >= 0:
                move = self.numbering.value(number)
                what = f"play({move!r})"
                after = self.stepper.step(position, move)
                end = "returns" if self.stepper.general else "winner"
                what = f"{end}() after play({move!r})"
                found = getattr(after, end)()
                if end == "winner" and found not in (None, 1, 0, -1):
                    return f"{what} {OUTCOMES}, got {found!r}{self._place(position)}"
            else:
                if self.stepper.general:
                    what = "to_move, chance_outcomes() or returns()"
                    self.stepper.result(position)
                moves = self.stepper.moves(position)
                unknown = next((move for move in moves if self.numbering.number(move) is None), None)
                if unknown is not None:
                    return (f"legal_moves() lists {unknown!r}, which no random game had: list all moves in the class, "
                            f"as moves = [...]{self._place(position)}")
        except Exception as error:
            cause = error.__cause__ or error
            line = line_of(cause, self.stepper.files)
            return (f"{what} raised {type(cause).__name__}: {cause}{f' ({line})' if line else ''}"
                    f"{self._place(position)}")
        return (f"{what} stopped where the class in Python does not: an int of more than 62 bits or too "
                f"large for the dtype of its array, a loop of more than "
                f"1,000,000 rounds, a sequence of another length, a list of more than twice the length or a "
                f"member of a set that the first random games had, or pop() of a set of several{self._place(position)}")

    def _place(self, position: Any) -> str:
        """The position in which it was, if the class has a text for it."""
        return f", in the position\n{str(position)[:600]}" if self.has_text else ""

    @property
    def has_text(self) -> bool:
        cls: Any = self.stepper.cls
        return bool(cls.__str__ is not object.__str__ or cls.__repr__ is not object.__repr__)


class _Lines:
    """Counts the lines that run, and ends a loop that does not end."""

    def __init__(self) -> None:
        self.left = LONGEST_REPETITION

    def count(self, frame: Any, event: str, argument: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError(f"it does not end within {LONGEST_REPETITION:,} lines")
        return self.count
