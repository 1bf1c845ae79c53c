"""The GAME argument of the command line, and how lists of moves and boards are written there."""

from __future__ import annotations

import importlib
import os
import re
import sys
from abc import ABC, abstractmethod

import mcts_core
from mcts_core import CHANCE, GameError, IllegalMove, InvalidOption
from mcts_core.games.registry import GAMES
from mcts_core.games.user_states import UserStates, mend_members
from mcts_core.move_names import Names, find_move
from mcts_core.option_rows import find_nearest
from mcts_core.render.terminal import board_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random
    from typing import Any, TypeAlias

    from mcts_core.games.registry import Entry

    Chances: TypeAlias = Sequence[tuple[Any, float]]

FORMS = f"{', '.join(entry.syntax for entry in GAMES)} or module:Class"

GAME_HELP = "games:\n" + "\n".join(entry.help for entry in GAMES) + """
  module:Class          a game of your own: Class() is its first position, with to_move, legal_moves(),
                        play(move) and winner(), or a game of native_game; found from the current folder.
                        play, selfplay, analyze and check also take games with players and returns()

moves:
  Connect Four          the number of a column, from 1
  other boards          a letter for the column and a number for the row, as beside the board: h8
                        (a1 is at the bottom on the left), or the library's number of a cell,
                        row * columns + column from 0 at the top on the left
  module:Class          the name(move) that the game gives a move, or str() of it, with or without its spaces;
                        in MOVES, moves that hold spaces and are not in parentheses are separated by semicolons
"""


class Game(ABC):
    """A game at the terminal: ``spec`` as given, ``title``, its first position ``start``, and its ``players`` in the
    order in which they are called first, second and so on."""

    coloured = True
    players: Sequence[int] = (1, -1)

    def __init__(self, spec: str, title: str, start: Any) -> None:
        self.spec = spec
        self.title = title
        self.start = start

    def side(self, player: int) -> str:
        """What a player is called."""
        return "X" if player > 0 else "O"

    def is_over(self, state: Any) -> bool:
        """Whether the game has ended."""
        return state.winner() is not None

    def chances(self, state: Any) -> Chances:
        """The outcomes of chance, where that moves next, with their probabilities; else none."""
        return ()

    @abstractmethod
    def prompt(self, state: Any) -> str:
        """What a person is asked to type."""

    @abstractmethod
    def expected(self, state: Any) -> str:
        """The same in a sentence: "a column from 1 to 7"."""

    def listed(self, state: Any) -> bool:
        """Whether the moves have to be listed, since nobody can know their names."""
        return False

    def moves(self, state: Any) -> str:
        """The names of the legal moves, or of the outcomes of chance."""
        legal = [outcome for outcome, _ in self.chances(state)] or state.legal_moves()
        return ", ".join(map(Names(state).of, legal))

    def find(self, state: Any, text: str) -> Any:
        """The move that a person calls ``text``, legal or not. Raises IllegalMove for what is no move at all."""
        return find_move(state, text)

    @abstractmethod
    def play_text(self, text: str, base: int | None = None) -> Any:
        """The position after the moves of ``text``; ``base`` is the first number. Raises IllegalMove, InvalidOption."""

    @abstractmethod
    def board(self, state: Any, width: int | None = None) -> list[str]:
        """The lines of the board with its coordinates, the last move in brackets, a line that wins between bars; small
        enough for ``width`` columns."""

    def result(self, line: Sequence[Any], person: int | None = None) -> str:
        """How the game with the positions ``line`` ended, in words, which may be told to one of the players."""
        winner = line[-1].winner()
        if winner == 0:
            return "a draw"
        if person is not None:
            return "you win" if winner == person else "the engine wins"
        return f"{self.side(winner)} wins"


class BoardGame(Game):
    """A game of this package, ``entry`` of the registry."""

    def __init__(self, spec: str, entry: Entry, start: Any) -> None:
        super().__init__(spec, entry.title(start), start)
        self._entry = entry
        self._slots = entry.form(start) == "slots"

    def prompt(self, state: Any) -> str:
        if self._slots:
            return f"column {state.name(0)}-{state.name(state.cols - 1)}"
        return f"cell {state.name((state.rows - 1) * state.cols)}-{state.name(state.cols - 1)}"

    def expected(self, state: Any) -> str:
        return f"a {self.prompt(state).replace(' ', ' from ').replace('-', ' to ')}"

    def play_text(self, text: str, base: int | None = None) -> Any:
        kind: Any = self._entry.kind
        first = int(self._slots) if base is None else base
        return kind.from_moves(text, base=first, **self._entry.arguments_of(self.start))

    def board(self, state: Any, width: int | None = None) -> list[str]:
        return board_lines(state, width)


class PythonGame(Game):
    """A user's game."""

    coloured = False

    def side(self, player: int) -> str:
        return "the first player" if player > 0 else "the second player"

    def prompt(self, state: Any) -> str:
        return "your move"

    def expected(self, state: Any) -> str:
        return "one of the moves, which \"moves\" lists"

    def listed(self, state: Any) -> bool:
        return True

    def play_text(self, text: str, base: int | None = None) -> Any:
        if base is not None:
            raise InvalidOption(f"--base is for Connect Four and m,n,k games, not for {self.spec}")
        parts = text.split(";") if ";" in text else re.findall(r"\([^()]*\)|\S+", text)
        state = self.start
        for number, word in enumerate([part.strip() for part in parts if part.strip()], 1):
            if self.is_over(state):
                raise IllegalMove(f"move {number} of {text!r} comes after the end of the game")
            try:
                state = state.play(self.find(state, word))
            except IllegalMove as error:
                raise IllegalMove(f"move {number} of {text!r}: {error}") from None
        return state

    def board(self, state: Any, width: int | None = None) -> list[str]:
        return str(state).splitlines()


class GeneralGame(PythonGame):
    """A user's game with any number of players, chance, and any results."""

    def __init__(self, spec: str, title: str, start: Any) -> None:
        super().__init__(spec, title, start)
        self._user = UserStates(start, True)
        self.players = range(self._user.players)

    def side(self, player: int) -> str:
        return f"player {player}"

    def is_over(self, state: Any) -> bool:
        return self._user.values(state) is not None

    def chances(self, state: Any) -> Chances:
        return self._user.outcomes(state) if state.to_move == CHANCE else ()

    def find(self, state: Any, text: str) -> Any:
        return find_move(state, text, [outcome for outcome, _ in self.chances(state)])

    def scores(self, line: Sequence[Any]) -> list[float]:
        """What each player got in all, in the order of their numbers: the rewards on the way and the end's returns."""
        rewards = [self._user.rewards(state) for state in line[1:]] if hasattr(self.start, "rewards") else []
        return [sum(of_one) for of_one in zip(*rewards, self._user.values(line[-1]) or (), strict=True)]

    def result(self, line: Sequence[Any], person: int | None = None) -> str:
        return self.told(self.scores(line), person)

    def told(self, scores: Sequence[float], person: int | None = None) -> str:
        """Scores of all players in words."""
        if len(scores) == 1:
            return f"score {scores[0]:g}"
        names = ["you" if player == person else self.side(player) for player in self.players]
        return ", ".join(f"{name}: {score:g}" for name, score in zip(names, scores, strict=True))


def draw(chances: Chances, random: Random) -> Any:
    """One of the outcomes, by their probabilities."""
    outcomes, weights = zip(*chances, strict=True)
    return random.choices(outcomes, weights)[0]


def parse_game(spec: str, general: bool = False, compiles: bool = False) -> Game:
    """The Game that GAME names; ``general``: it may be a general game; ``compiles``: a class is compiled.
    Raises InvalidOption, InvalidState, GameError."""
    name, colon, rest = spec.partition(":")
    name = name.strip().lower()
    entry = next((entry for entry in GAMES if entry.name == name), None)
    if entry is None and name and rest:
        start = _load(spec, general, compiles)
        return (GeneralGame if hasattr(start, "players") else PythonGame)(spec, spec, start)
    if compiles:
        raise InvalidOption(f"--compile is for a class of your own, module:Class, got {spec!r}")
    start = None if entry is None or (colon and not rest) else entry.parse(rest)
    if entry is None or start is None:
        meant = find_nearest(name, [each.name for each in GAMES]) if entry is None else None
        hint = "" if meant is None else f"; did you mean {meant}?"
        raise InvalidOption(f"GAME must be {FORMS if entry is None else entry.syntax}, got {spec!r}{hint}")
    return BoardGame(spec, entry, start)


def _load(spec: str, general: bool, compiles: bool) -> Any:
    """A user's first position. Raises InvalidOption where it is not found, GameError where it does not work."""
    module_name, _, class_name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        # another name is that of a module that the user's own one imports
        if isinstance(error, ModuleNotFoundError) and error.name in (module_name, module_name.partition(".")[0]):
            meant = f"{module_name.removesuffix('.py')}:{class_name}"
            hint = f"did you mean {meant}?" if module_name.endswith(".py") else f"GAME must be {FORMS}"
            raise InvalidOption(f"GAME {spec!r}: there is no module {error.name!r} here; {hint}") from None
        raise GameError(f"GAME {spec!r}: importing {module_name!r} failed") from error
    found = getattr(module, class_name, None)
    if not callable(found) and hasattr(found, "legal_moves"):
        raise InvalidOption(f"GAME {spec!r}: {class_name!r} is a position; give its class, or a function that returns "
                            f"the first position")
    if not callable(found):
        raise InvalidOption(f"GAME {spec!r}: module {module_name!r} has no class {class_name!r}")
    if compiles and isinstance(found, type):
        try:
            found = mcts_core.compile(found)
        except ImportError as error:
            raise InvalidOption(f"--compile: {error}") from None
    try:
        start = found()
    except Exception as error:
        raise GameError(f"GAME {spec!r}: {class_name}() failed") from error
    is_general = hasattr(start, "players")
    if is_general and not general:
        raise GameError(f"GAME {spec!r}: this command plays games of two players with winner(). A general game, with "
                        f"players and returns(), can be played by mcts-core play, selfplay, analyze and check")
    end = "returns" if is_general else "winner"
    missing = [name for name in ("to_move", "legal_moves", "play", end) if not hasattr(start, name)]
    if missing:
        raise GameError(f"GAME {spec!r}: a position must have to_move, legal_moves(), play(move) and {end}(); "
                        f"{class_name}() has no {', '.join(missing)}{mend_members(start, missing[-1])}")
    return start
