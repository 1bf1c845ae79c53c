"""The GAME argument of the command line, and how moves and boards are written there."""

from __future__ import annotations

import importlib
import os
import re
import sys
from abc import ABC, abstractmethod

from mcts_core import GameError, IllegalMove, InvalidOption
from mcts_core.games.registry import GAMES
from mcts_core.render.board import column_names
from mcts_core.render.terminal import board_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMS = f"{', '.join(entry.syntax for entry in GAMES)} or module:Class"
OWN_FORMS = " or ".join(", ".join(entry.syntax for entry in GAMES).rsplit(", ", 1))

OWN_GAME_HELP = "games:\n" + "\n".join(entry.help for entry in GAMES) + "\n"
"""Of the games of this package alone."""

GAME_HELP = OWN_GAME_HELP + """\
  module:Class          a game of your own: Class() is its first position, with to_move, legal_moves(),
                        play(move) and winner(), or a game of native_game; found from the current folder

moves:
  Connect Four          the number of a column, from 1 (--base 0: from 0)
  other boards          a letter for the column and a number for the row, as beside the board: h8
                        (a1 is at the bottom on the left), or the library's number of a cell,
                        row * columns + column from 0 at the top on the left
  module:Class          str() of a move, with or without its spaces; in MOVES, moves that hold spaces
                        and are not in parentheses are separated by semicolons
"""


class Game(ABC):
    """A game at the terminal: ``spec`` as given, ``title``, its first position ``start``, and its notation."""

    coloured = True
    first_number = 0

    def __init__(self, spec: str, title: str, start: Any) -> None:
        self.spec = spec
        self.title = title
        self.start = start

    def side(self, player: int) -> str:
        """What the player ``+1`` or ``-1`` is called."""
        return "X" if player > 0 else "O"

    @abstractmethod
    def prompt(self, state: Any) -> str:
        """What a person is asked to type."""

    def tokens(self, text: str) -> list[str]:
        """The moves of a text, one by one."""
        return text.replace(",", " ").replace(";", " ").split()

    @abstractmethod
    def parse_move(self, text: str, state: Any, base: int | None = None) -> Any:
        """The legal move of ``state`` that ``text`` says; ``base`` is the first number. Raises IllegalMove."""

    @abstractmethod
    def format_move(self, move: Any) -> str:
        """The text of a move, as a person would type it."""

    def play_text(self, text: str, base: int | None = None) -> Any:
        """The position after the moves of ``text``. Raises IllegalMove, GameOver."""
        state = self.start
        for number, token in enumerate(self.tokens(text), 1):
            if state.winner() is not None:
                raise IllegalMove(f"move {number} of {text!r}: the game ended before {token!r}")
            try:
                move = self.parse_move(token, state, base)
            except IllegalMove as error:
                raise IllegalMove(f"move {number} of {text!r}: {error}") from None
            state = state.play(move)
        return state

    @abstractmethod
    def board(self, state: Any) -> list[str]:
        """The lines of the board with its coordinates, the last move in brackets."""

    def result(self, state: Any) -> str:
        """How the finished game ``state`` ended, in words."""
        winner = state.winner()
        return "a draw" if winner == 0 else f"{self.side(winner)} wins"


class ColumnGame(Game):
    """A game whose stones fall; a move is written as the number of its column, from 1."""

    first_number = 1

    def __init__(self, spec: str, title: str, start: Any) -> None:
        super().__init__(spec, title, start)
        self.cols = start.cols

    def prompt(self, state: Any) -> str:
        return f"column 1-{self.cols}"

    def tokens(self, text: str) -> list[str]:
        tokens = super().tokens(text)
        return list(tokens[0]) if len(tokens) == 1 and self.cols < 10 else tokens

    def parse_move(self, text: str, state: Any, base: int | None = None) -> Any:
        base = self.first_number if base is None else base
        text = text.strip()
        if not re.fullmatch("[0-9]{1,9}", text) or not 0 <= int(text) - base < self.cols:
            raise IllegalMove(f"a column must be a number from {base} to {self.cols - 1 + base}, got {text!r}")
        move = int(text) - base
        legal = state.legal_moves()
        if move not in legal:
            free = " ".join(str(column + base) for column in legal)
            raise IllegalMove(f"column {text} is full; columns with room: {free}")
        return move

    def format_move(self, move: Any) -> str:
        return str(move + 1)

    def board(self, state: Any) -> list[str]:
        return board_lines(state, base=1)


class CellGame(Game):
    """A game whose stones lie where they are put; a move is a column letter and a row number, a1 at the bottom left."""

    def __init__(self, spec: str, title: str, start: Any) -> None:
        super().__init__(spec, title, start)
        self.cols = start.cols
        self.rows = start.rows
        self.columns = column_names(self.cols)

    def prompt(self, state: Any) -> str:
        return f"cell a1-{self.format_move(self.cols - 1)}"

    def tokens(self, text: str) -> list[str]:
        tokens = super().tokens(text)
        if len(tokens) == 1:
            if tokens[0].isdigit() and self.cols * self.rows < 10:
                return list(tokens[0])
            if re.fullmatch("([a-zA-Z]+[0-9]+)+", tokens[0]):
                return re.findall("[a-zA-Z]+[0-9]+", tokens[0])
        return tokens

    def parse_move(self, text: str, state: Any, base: int | None = None) -> Any:
        base = self.first_number if base is None else base
        text = text.strip().lower()
        last = self.cols * self.rows - 1
        move = -1
        cell = re.fullmatch("([a-z]{1,2})([0-9]{1,4})", text)
        if cell and cell[1] in self.columns and 1 <= int(cell[2]) <= self.rows:
            move = (self.rows - int(cell[2])) * self.cols + self.columns.index(cell[1])
        elif re.fullmatch("[0-9]{1,9}", text):
            move = int(text) - base
        if not 0 <= move <= last:
            raise IllegalMove(
                f"a cell must be a letter and a number from a1 to {self.format_move(self.cols - 1)}, "
                f"or a number from {base} to {last + base}, got {text!r}")
        if move not in state.legal_moves():
            raise IllegalMove(f"cell {self.format_move(move)} is taken")
        return move

    def format_move(self, move: Any) -> str:
        row, col = divmod(move, self.cols)
        return f"{self.columns[col]}{self.rows - row}"

    def board(self, state: Any) -> list[str]:
        return board_lines(state)


class PythonGame(Game):
    """A user's game; a move is written as its ``str``."""

    coloured = False

    def side(self, player: int) -> str:
        return "the first player" if player > 0 else "the second player"

    def prompt(self, state: Any) -> str:
        moves = [self.format_move(move) for move in state.legal_moves()[:4]]
        more = ", ..." if len(state.legal_moves()) > 4 else ""
        return f"a move: {', '.join(moves)}{more}"

    def tokens(self, text: str) -> list[str]:
        parts = text.split(";") if ";" in text else re.findall(r"\([^()]*\)|\S+", text)
        return [part.strip() for part in parts if part.strip()]

    def parse_move(self, text: str, state: Any, base: int | None = None) -> Any:
        if base is not None:
            raise InvalidOption(f"--base is for Connect Four and m,n,k games, not for {self.spec}")
        legal = state.legal_moves()
        wanted = "".join(text.split())
        for move in legal:
            if "".join(str(move).split()) == wanted:
                return move
        shown = ", ".join(str(move) for move in legal[:12]) + (", ..." if len(legal) > 12 else "")
        raise IllegalMove(f"{text!r} is not a legal move; legal moves: {shown}")

    def format_move(self, move: Any) -> str:
        return str(move)

    def board(self, state: Any) -> list[str]:
        return str(state).splitlines()


def parse_game(spec: str, *, of_users: bool = True) -> Game:
    """The Game that GAME names, ``of_users``: also module:Class. Raises InvalidOption, InvalidState, GameError."""
    forms = FORMS if of_users else OWN_FORMS
    name, colon, rest = spec.partition(":")
    name = name.strip().lower()
    if colon and not rest:
        raise InvalidOption(f"GAME must be {forms}, got {spec!r}")
    entry = next((entry for entry in GAMES if entry.name == name), None)
    if of_users and entry is None and name and rest:
        return PythonGame(spec, spec, _load(spec))
    start = None if entry is None else entry.parse(rest)
    if entry is None or start is None:
        raise InvalidOption(f"GAME must be {forms}, got {spec!r}")
    return (ColumnGame if entry.form(start) == "slots" else CellGame)(spec, entry.title(start), start)


def _load(spec: str) -> Any:
    """A user's first position. Raises InvalidOption where it is not found, GameError where it does not work."""
    module_name, _, class_name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise InvalidOption(
            f"GAME {spec!r}: there is no module {error.name!r} here; GAME must be {FORMS}") from None
    except Exception as error:
        raise GameError(f"GAME {spec!r}: importing {module_name!r} failed") from error
    found = getattr(module, class_name, None)
    if not callable(found):
        raise InvalidOption(f"GAME {spec!r}: module {module_name!r} has no class {class_name!r}")
    try:
        start = found()
    except Exception as error:
        raise GameError(f"GAME {spec!r}: {class_name}() failed") from error
    missing = [name for name in ("to_move", "legal_moves", "play", "winner") if not hasattr(start, name)]
    if missing:
        raise GameError(f"GAME {spec!r}: a position must have to_move, legal_moves(), play(move) and winner(); "
                        f"{class_name}() has no {', '.join(missing)}")
    return start
