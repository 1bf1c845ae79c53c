"""What a picture of a board shows, read from a position: stones, the last move, winning lines, names of moves."""

from __future__ import annotations

from mcts_core import InvalidOption, InvalidState
from mcts_core.arguments import as_int, shorten
from mcts_core.games.registry import GAMES, entry_of
from mcts_core.render.markup import check_stats, check_value

TYPE_CHECKING = False  # the command line reads boards: typing and dataclasses would be most of the time that this takes
if TYPE_CHECKING:
    from typing import Any

    from mcts_core import MoveStats, Stats

Cell = tuple[int, int]
"""Row, from 0 on top, and column."""

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Board:
    """The board of a position of this package; ``base`` is the number of the first column where columns have numbers.

    Raises InvalidState for other positions, InvalidOption for a base that is not 0 or 1.
    """

    __slots__ = ("columns", "form", "height", "last", "legal", "lines", "rows", "stones", "title", "to_move", "width",
                 "winner")

    form: str
    """``"slots"`` that stones fall into, ``"points"`` where lines cross, or ``"squares"`` with X and O."""
    title: str
    height: int
    width: int
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    """Names from the top; none where rows have no names."""
    stones: dict[Cell, int]
    """1 for the player who began, -1."""
    last: Cell | None
    lines: tuple[tuple[Cell, Cell], ...]
    """The ends of each line that wins."""
    legal: frozenset[int]
    to_move: int
    winner: int | None

    def __init__(self, state: Any, base: int = 0) -> None:
        first = as_int(base, "base", 0, 1)
        entry = entry_of(state)
        if entry is None:
            kinds = [entry.kind for entry in GAMES]
            names = " and ".join(kind.__name__ for kind in kinds if not any(base in kinds for base in kind.__mro__[1:]))
            raise InvalidState(f"only positions of {names} have a picture, got {shorten(state)}")
        diagram = entry.kind.__str__(state)  # a subclass may write another
        self.form, self.title, line = entry.form(state), entry.caption(state), entry.line(state)
        if self.form == "slots":
            self.columns, self.rows = tuple(str(column + first) for column in range(state.cols)), ()
        else:
            self.columns = tuple(column_names(state.cols))
            self.rows = tuple(str(state.rows - row) for row in range(state.rows))
        self.height, self.width = state.rows, state.cols
        self.stones = {
            (row, column): 1 if mark == "X" else -1
            for row, line in enumerate(diagram.splitlines())
            for column, mark in enumerate(line.split())
            if mark != "."
        }
        self.last = None
        if state.moves:
            move = state.moves[-1]
            on_top = self.form == "slots"
            self.last = min(cell for cell in self.stones if cell[1] == move) if on_top else divmod(move, self.width)
        self.winner, self.to_move = state.winner(), state.to_move
        self.lines = tuple(_lines_of(self.stones, self.winner, *line)) if self.winner and line else ()
        self.legal = frozenset(state.legal_moves())

    def cell_of(self, move: Any) -> Cell:
        """Where a stone of ``move`` comes to lie. Raises InvalidOption for a move that is not legal."""
        number = as_int(move, "a move", 0, self.width * (1 if self.form == "slots" else self.height) - 1)
        if number not in self.legal:
            raise InvalidOption(f"a move must be legal in the position, got {shorten(move)}")
        if self.form == "slots":
            return self.height - 1 - sum(column == number for _, column in self.stones), number
        return divmod(number, self.width)

    def visited(self, stats: Stats) -> list[tuple[Cell, MoveStats]]:
        """The moves that a search of the position visited, and the one to play, with their cells.

        Raises InvalidOption for statistics of another position.
        """
        check_stats(stats)
        for entry in stats.moves:
            if entry.move not in self.legal:
                raise InvalidOption(
                    f"stats must be those of the position, but in it {shorten(entry.move)} is no legal move")
            check_value(entry.value)
        return [(self.cell_of(entry.move), entry) for entry in stats.moves
                if entry.visits > 0 or entry.move == stats.move]

    def name_of(self, move: Any) -> str:
        """``move`` as the coordinates beside the board say it; as its text where it is none of this board."""
        if not isinstance(move, int):
            return str(move)
        if self.form == "slots":
            return self.columns[move] if 0 <= move < self.width else str(move)
        row, column = divmod(move, self.width)
        return self.columns[column] + self.rows[row] if 0 <= row < self.height else str(move)

    def status(self) -> str:
        """Who is to move or how the game ended, in words."""
        if self.winner is None:
            return f"{side(self.to_move)} to move"
        return "a draw" if self.winner == 0 else f"{side(self.winner)} has won"


def side(player: int) -> str:
    """The letter of a player, as in diagrams."""
    return "X" if player > 0 else "O"


def column_names(count: int) -> list[str]:
    """The letters of columns: a to z, then aa, ab, ..."""
    return [_LETTERS[i] if i < 26 else _LETTERS[i // 26 - 1] + _LETTERS[i % 26] for i in range(count)]


def is_board(state: Any) -> bool:
    """Whether there is a board of the position."""
    return entry_of(state) is not None


def _lines_of(stones: dict[Cell, int], winner: int, need: int, exact: bool) -> list[tuple[Cell, Cell]]:
    """The ends of the winner's unbroken lines that are long enough."""
    found = []
    for row, column in sorted(stones):
        for down, right in _DIRECTIONS:
            if stones[row, column] != winner or stones.get((row - down, column - right)) == winner:
                continue
            length = 1
            while stones.get((row + length * down, column + length * right)) == winner:
                length += 1
            if length == need if exact else length >= need:
                found.append(((row, column), (row + (length - 1) * down, column + (length - 1) * right)))
    return found
