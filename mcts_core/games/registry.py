"""The games of this package: their names, how they are written, and what their pictures show.

A new game is one more entry of ``GAMES``: the command line, the page, saved files, pictures and protocols know it then.
"""

from __future__ import annotations

from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.games.mnk.position import MNK, Gomoku, TicTacToe

TYPE_CHECKING = False  # the command line reads this: typing and dataclasses would be most of the time that this takes
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcts_core.games.board_position import BoardPosition


class Entry:
    """A game of this package.

    name: on the command line and the page.
    kind: the class of its positions.
    label: what people call it.
    help: its lines in the help of the command line.
    title: of a board, in words.
    numbers: how the arguments of its boards that are numbers are written behind ``name:``; none: there are none.
    needed: they cannot be left out.
    form: of its pictures: ``"slots"`` that stones fall into, where a move is a column; ``"points"`` where lines cross,
        or ``"squares"``, where a move is a cell, row * columns + column.
    caption: of a picture, in words; the title unless given.
    line: (how many stones in a line win, whether exactly so many); None: it is not lines that win.
    """

    def __init__(
        self, name: str, kind: type[BoardPosition], label: str, help: str, title: Callable[[Any], str], *,
        numbers: str = "", needed: bool = False, form: Callable[[Any], str] = lambda state: "squares",
        caption: Callable[[Any], str] | None = None,
        line: Callable[[Any], tuple[int, bool] | None] = lambda state: None,
    ) -> None:
        self.name, self.kind, self.label, self.help, self.title = name, kind, label, help, title
        self.arguments = kind._arguments
        self.form, self.caption, self.line = form, caption or title, line
        self._separator = "x" if "x" in numbers else ","
        self._numbers = [argument for argument in self.arguments if argument != "rule"]
        self._needed = needed
        tail = f":{numbers}{'[:exact]' if 'rule' in self.arguments else ''}" if numbers else ""
        self.syntax = name + (f"[{tail}]" if tail and not needed else tail)
        """How it is written on the command line."""

    def parse(self, text: str) -> Any:
        """The empty board that ``text``, what is written behind the name, says; None where it says none."""
        options: dict[str, Any] = {}
        if "rule" in self.arguments and text.endswith("exact"):
            text, options["rule"] = text.removesuffix("exact").removesuffix(":"), "exact"
        if text:
            parts = [part.strip() for part in text.lower().split(self._separator)]
            if len(parts) != len(self._numbers) or not all(_is_number(part) for part in parts):
                return None
            options.update(zip(self._numbers, map(int, parts), strict=True))
        elif self._needed:
            return None
        return self.kind(**options)

    def arguments_of(self, state: Any) -> dict[str, Any]:
        """The arguments that make the empty board of ``state``."""
        return {argument: getattr(state, argument) for argument in self.arguments}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _stones(state: Any) -> str:
    return f"{'exactly' if state.rule == 'exact' else 'at least'} {state.k} in a row"


def _caption(state: Any) -> str:
    name = "tic-tac-toe" if (state.m, state.n, state.k) == (3, 3, 3) else f"{state.m} x {state.n} board"
    name = f"gomoku, {name}" if state.k == 5 and state.m == state.n else name
    return f"{name}, {'exactly ' if state.rule == 'exact' else ''}{state.k} in a row"


_LINES: Any = {
    "form": lambda state: "points" if state.k >= 5 else "squares",
    "caption": _caption,
    "line": lambda state: (state.k, state.rule == "exact"),
}

GAMES = (
    Entry(
        "connect4", ConnectFour, "Connect Four", """\
  connect4              Connect Four, 6 rows x 7 columns, 4 in a row
  connect4:9x8x5        the same with ROWS x COLUMNS x CONNECT""",
        lambda state: f"Connect Four, {state.rows} rows x {state.cols} columns, {state.connect} in a row",
        numbers="ROWSxCOLSxCONNECT", form=lambda state: "slots", line=lambda state: (state.connect, False),
    ),
    Entry(
        "gomoku", Gomoku, "gomoku", """\
  gomoku, gomoku:20     gomoku on 15 x 15 or SIZE x SIZE, five or more in a row
  gomoku:15:exact       the same, exactly five in a row""",
        lambda state: f"gomoku, {state.size} x {state.size}, {_stones(state)}", numbers="SIZE", **_LINES,
    ),
    Entry(
        "tictactoe", TicTacToe, "tic-tac-toe", """\
  tictactoe             tic-tac-toe""",
        lambda state: "tic-tac-toe", **_LINES,
    ),
    Entry(
        "mnk", MNK, "m,n,k games", """\
  mnk:8,7,5             M columns, N rows, K in a row (mnk:8,7,5:exact: exactly K)""",
        lambda state: f"m,n,k game, {state.m} columns x {state.n} rows, {_stones(state)}",
        numbers="M,N,K", needed=True, **_LINES,
    ),
)
"""Those of a class before those of its base class."""


def entry_of(state: Any) -> Entry | None:
    """The game of a position, which may be of a subclass; None: it is none of these."""
    return next((entry for entry in GAMES if isinstance(state, entry.kind)), None)
