"""What ``check_game`` returns, and what it tells while it runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from mcts_core.arguments import shorten
from mcts_core.field_docs import documented
from mcts_core.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any


@documented
@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a game breaks the contract."""

    part: str
    """The method or function at fault, such as ``play()``."""
    text: str
    """What was expected and what was given."""
    moves: tuple[Hashable, ...]
    """The moves from the first position to the first one with the problem."""
    count: int
    """How often the problem was seen, 1 or more."""


@documented
@dataclass(frozen=True, slots=True)
class CheckReport:
    """The report of ``check_game``: ``ok``, ``problems``, ``hints``, and counts of the games that it played."""

    game: str
    """The name of the game or of the class of its positions."""
    problems: tuple[Problem, ...]
    """Each kind of problem once; first those that may cause others."""
    games: int
    """Games that were started."""
    positions: int
    """Positions in these games."""
    wins: int
    """Games that the player +1 won. ``wins``, ``draws`` and ``losses`` add up to the finished games. 0 for a general
    game."""
    draws: int
    """Games that were drawn; 0 for a general game."""
    losses: int
    """Games that the player -1 won; 0 for a general game."""
    values: tuple[float, ...] | None
    """For a general game, the mean result of each player, from 0 to 1, or with rewards or a discount the mean
    discounted sum of rewards; otherwise None."""
    mean_length: float
    """Mean number of moves of the finished games."""
    longest: int
    """The largest number of moves of a game."""
    most_moves: int
    """The largest number of legal moves in a position."""
    seconds: float
    """Wall-clock time of the call."""
    seed: int
    """The seed of the games, from 0 to 2**64 - 1: the same one plays the same games again."""
    hints: tuple[str, ...] = ()
    """Observations that may be mistakes or may be part of the game."""

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as a dict for JSON. Moves that JSON cannot represent become their ``str``."""
        document = {"ok": self.ok, **asdict(self)}
        document["problems"] = [
            {**problem, "moves": [move if isinstance(move, (int, str)) else str(move) for move in problem["moves"]]}
            for problem in document["problems"]
        ]
        return document

    def __str__(self) -> str:
        lines = [
            f"{self.game}: {counted(self.games, 'random game')}, {counted(self.positions, 'position')}, "
            f"{self.mean_length:.1f} moves on average, {self.longest:,} at most, up to "
            f"{counted(self.most_moves, 'legal move')}",
            f"won by the first player {self.wins:,}, drawn {self.draws:,}, won by the second {self.losses:,}"
            if self.values is None
            else f"mean results of the players {', '.join(f'{value:.3f}' for value in self.values)}",
        ]
        if self.ok:
            lines.append("no problem found")
        for number, problem in enumerate(self.problems, 1):
            where = f"after {shorten(list(problem.moves), 200)}" if problem.moves else "in the first position"
            times = f", seen {problem.count:,} times" if problem.count > 1 else ""
            lines.append(f"{number}. {problem.part}: {problem.text} ({where}{times})")
        lines += [f"hint: {hint}" for hint in self.hints]
        return "\n".join(lines)


@documented
@dataclass(frozen=True, slots=True)
class CheckProgress:
    """How far a call of ``check_game`` is."""

    games: int
    """Games that are over."""
    total: int
    """Games that were asked for; it ends before where more of them would show no more."""
    positions: int
    """Positions of these games."""
    problems: int
    """Kinds of problems found so far."""
    seconds: float
    """Seconds since the call began."""
