"""What people call the moves of a position, for all that is printed, drawn and typed.

The games say it themselves: a position with ``name(move)`` gives a move the text that people call it. The boards of
this package have that method; a user's game may. Without it a move is its ``str``.
"""

from __future__ import annotations

from mcts_core.errors import IllegalMove
from mcts_core.games.board_position import BoardPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

SHOWN = 12
"""Legal moves that an error lists."""


def _method(state: Any, name: str) -> Any:
    """The attribute ``name`` of a position, None where it has none or raises: many a class has another one of it."""
    try:
        return getattr(state, name, None)
    except Exception:
        return None


class Names:
    """The names of the moves of a position; of None, and of a game without names, the moves' own texts."""

    __slots__ = ("_name", "_state", "known")

    def __init__(self, state: Any) -> None:
        name = _method(state, "name")
        self.known = callable(name)
        """Whether the position has names."""
        self._name = name if self.known else None
        self._state = state

    def of(self, move: Any) -> str:
        """The name of a move; its ``str`` where the game knows no name of it."""
        return self._called(move) or str(move)

    def or_none(self, move: Any) -> str | None:
        """The name of a move, None where it has none: for data, in which the move itself stands beside it."""
        return self._called(move)

    def shown(self, move: Any) -> str:
        """The name of a move for a table: on one line, and never empty."""
        return " ".join(self.of(move).split()) or repr(move)

    def with_number(self, move: Any) -> str:
        """The name of a move, and its number where that is another text: h8 (number 112)."""
        return f"{self.shown(move)} (number {move})" if self.have_numbers([move]) else self.shown(move)

    def have_numbers(self, moves: Iterable[Any]) -> bool:
        """Whether a table needs the numbers beside the names: moves are ints, which programs play, and names differ."""
        some = list(moves)
        are_numbers = self.known and all(hasattr(move, "__index__") for move in some)
        return are_numbers and any(self.of(move) != str(move) for move in some)

    def line(self, moves: Iterable[Any]) -> list[str]:
        """The names of moves that follow each other."""
        names, found = self, []
        for move in moves:
            found.append(names.of(move))
            names = names.after(move)
        return found

    def after(self, move: Any) -> Names:
        """The names in the position after ``move``. On a board of this package they are the same everywhere."""
        if not self.known or isinstance(self._state, BoardPosition):
            return self
        try:
            return Names(self._state.play(move))
        except Exception:
            return Names(None)

    def _called(self, move: Any) -> str | None:
        if self._name is None:
            return None
        try:
            name = self._name(move)
        except Exception:  # a table is printed all the same, and many a class has another method of this name
            return None
        return name if isinstance(name, str) and name.strip() else None


def as_typed(name: str) -> str:
    """A name without its spaces, which people may leave out."""
    return "".join(name.split())


def _spaced(name: str) -> str:
    """A name with one space in place of several."""
    return " ".join(name.split())


def find_move(state: Any, text: str, outcomes: Sequence[Any] = ()) -> Any:
    """The move that people call ``text``: its name or its ``str``, with or without spaces. Raises IllegalMove, also for
    a text without spaces that fits the names of several moves.

    Of a board of this package it may be taken; of other games it is a legal one, or one of the ``outcomes`` of chance.
    """
    if isinstance(state, BoardPosition):
        return state.move(text)
    names = Names(state)
    legal = list(outcomes or state.legal_moves())
    for form in (_spaced, as_typed):
        wanted = form(text)
        for write in (names.of, str):
            found = [move for move in legal if form(write(move)) == wanted]
            readings = list(dict.fromkeys(map(write, found)))
            if len(readings) > 1:
                raise IllegalMove(f"{text!r} has {len(readings)} readings: {', '.join(map(repr, readings))}; write the "
                                  f"spaces of one of them")
            if found:
                return found[0]
    read = _method(state, "move")
    if names.known and callable(read):  # a method of this name alone may be anything, such as one that makes a move
        try:
            move = read(text)
        except Exception:
            move = None
        if move is not None and move in legal:
            return move
    shown = ", ".join(map(names.of, legal[:SHOWN])) + (", ..." if len(legal) > SHOWN else "")
    if outcomes:
        raise IllegalMove(f"{text!r} is not an outcome of chance, which moves here; outcomes: {shown}")
    raise IllegalMove(f"{text!r} is not a legal move; legal moves: {shown}")
