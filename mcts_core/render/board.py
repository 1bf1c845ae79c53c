"""The contents of a picture of a board, read from a position: stones, the last move, winning lines, move names."""

from __future__ import annotations

from mcts_core import IllegalMove, InvalidOption, InvalidState
from mcts_core.arguments import as_int, shorten
from mcts_core.games.board_text import cells_of_lines, winning_lines
from mcts_core.games.registry import GAMES, entry_of
from mcts_core.move_names import Names
from mcts_core.render.markup import check_stats, check_value

TYPE_CHECKING = False  # the command line imports this, and importing typing and dataclasses would take most of the time
if TYPE_CHECKING:
    from typing import Any

    from mcts_core import MoveStats, Stats

Cell = tuple[int, int]
"""Row, from 0 on top, and column."""


class Board:
    """The board of a position of this package. ``base`` is the number of the first column, if columns have numbers: 1,
    as on boards, or 0, as in ints.

    Raises InvalidState for other positions, and InvalidOption for a base other than 0 or 1.
    """

    __slots__ = ("_names", "_state", "columns", "form", "height", "last", "legal", "lines", "rows", "stones", "title",
                 "to_move", "width", "winner")

    form: str
    """``"slots"`` that stones fall into, ``"points"`` where lines cross, or ``"squares"`` with X and O."""
    title: str
    height: int
    width: int
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    """Names from the top; empty if rows have no names."""
    stones: dict[Cell, int]
    """1 for the player who began, -1 for the other."""
    last: Cell | None
    lines: tuple[tuple[Cell, Cell], ...]
    """The ends of each winning line."""
    legal: frozenset[int]
    to_move: int
    winner: int | None

    def __init__(self, state: Any, base: int = 1) -> None:
        self._names = names_of(state, base)
        self._state = state
        entry = entry_of(state)
        if entry is None:
            kinds = [entry.kind for entry in GAMES]
            names = " and ".join(kind.__name__ for kind in kinds if not any(base in kinds for base in kind.__mro__[1:]))
            raise InvalidState(f"only positions of {names} have a picture, got {shorten(state)}")
        self.form, self.title, line = entry.form(state), entry.caption(state), entry.line(state)
        self.columns, self.rows = state.column_names, state.row_names
        if self.form == "slots" and base == 0:
            self.columns = tuple(map(str, range(state.cols)))
        self.height, self.width = state.rows, state.cols
        self.stones = {
            (row, column): 1 if mark == "X" else -1
            for row, line in enumerate(state.diagram().splitlines())
            for column, mark in enumerate(line.split())
            if mark != "."
        }
        self.last = None
        if state.moves:
            move = state.moves[-1]
            on_top = self.form == "slots"
            self.last = min(cell for cell in self.stones if cell[1] == move) if on_top else divmod(move, self.width)
        self.winner, self.to_move = state.winner(), state.to_move
        self.lines = tuple(winning_lines(self.stones, self.winner, *line)) if self.winner and line else ()
        self.legal = frozenset(state.legal_moves())

    def cell_of(self, move: Any) -> Cell:
        """The cell of the stone that ``move``, an int or a name, places. Raises InvalidOption if the move is not
        legal."""
        if isinstance(move, str):
            try:
                move = self._state.move(move)
            except IllegalMove as error:
                raise InvalidOption(str(error)) from None
        number = as_int(move, "a move", 0, self.width * (1 if self.form == "slots" else self.height) - 1)
        if number not in self.legal:
            raise InvalidOption(f"a move must be legal in the position, got {shorten(move)}")
        if self.form == "slots":
            return self.height - 1 - sum(column == number for _, column in self.stones), number
        return divmod(number, self.width)

    def visited(self, stats: Stats) -> list[tuple[Cell, MoveStats]]:
        """The moves that a search of the position visited, and the move to play, with their cells.

        Raises InvalidOption if the statistics belong to another position.
        """
        check_stats(stats)
        for entry in stats.moves:
            if entry.move not in self.legal:
                raise InvalidOption(
                    f"stats must belong to the position, but their move {shorten(entry.move)} is not legal in it")
            check_value(entry.value)
        return [(self.cell_of(entry.move), entry) for entry in stats.moves
                if entry.visits > 0 or entry.move == stats.move]

    def winning(self) -> set[Cell]:
        """The cells of the lines that win."""
        return cells_of_lines(self.lines)

    def name_of(self, move: Any) -> str:
        """The name of ``move`` by the coordinates of the board; its text if it is not a move of this board."""
        return self._names.of(move)

    def status(self) -> str:
        """The player to move or the result of the game, in words."""
        if self.winner is None:
            return f"{side(self.to_move)} to move"
        return "a draw" if self.winner == 0 else f"{side(self.winner)} has won"


def side(player: int) -> str:
    """The letter of a player, as in diagrams."""
    return "X" if player > 0 else "O"


def names_of(state: Any, base: int = 1) -> Names:
    """The names of the moves of any position in a picture. If columns have numbers, they begin at ``base``. Raises
    InvalidOption for a base other than 0 or 1."""
    first = as_int(base, "base", 0, 1)
    entry = entry_of(state)
    return Names(None if first == 0 and entry is not None and entry.form(state) == "slots" else state)


def is_board(state: Any) -> bool:
    """Whether the position has a board."""
    return entry_of(state) is not None
