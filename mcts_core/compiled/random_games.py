"""Random games of a class in Python: what its fields and moves can be, and what the compiled game must agree with."""

from __future__ import annotations

import copy
import inspect
import random
import time

from mcts_core.compiled.record import fields_of, same
from mcts_core.compiled.refusals import line_of
from mcts_core.compiled.sources import plain_function
from mcts_core.errors import GameError
from mcts_core.game import CHANCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

OUTCOMES = "must return None while the game goes on, then +1, -1, or 0 for a draw"
LONGEST_GAME = 2000
"""Moves after which a random game is left."""


class Stepper:
    """Plays moves in Python: by ``push`` on a copy, or by ``play``."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.name = cls.__name__
        self.general = hasattr(cls, "returns") and (hasattr(cls, "players") or not hasattr(cls, "winner"))
        """Whether it is a general game, with ``players`` and ``returns()``."""
        self.players = 2
        self.has_chance = False
        end = "returns" if self.general else "winner"
        missing = [name for name in ("legal_moves", end) if not callable(getattr(cls, name, None))]
        if not any(callable(getattr(cls, name, None)) for name in ("push", "play")):
            missing.append("push(move) and no play(move)")
        for name in missing:
            if isinstance(getattr(cls, name, None), property):
                raise GameError(f"{self.name} cannot be compiled: {name} is a property; make it a method: leave out "
                                f"@property, and write {name}() where it is asked")
        if missing:
            end = "players and returns()" if self.general else "winner()"
            raise GameError(f"{self.name} cannot be compiled: it has no {' and no '.join(missing)}; a game needs "
                            f"to_move, legal_moves(), push(move) or play(move), and {end}")
        if self.general:
            self._make_general()
        self.by_push = callable(getattr(cls, "push", None))
        self.is_frozen = issubclass(cls, tuple)
        self.files = {function.__code__.co_filename for base in cls.__mro__ for value in vars(base).values()
                      if (function := plain_function(value)) is not None}

    def _make_general(self) -> None:
        """Raises GameError for what native general games cannot have."""
        self.general = True
        self.has_chance = callable(getattr(self.cls, "chance_outcomes", None))
        for name, instead in (("rewards", "add them up in a field, and put their sums, scaled to 0 to 1, into "
                                          "returns()"),
                              ("discount", "leave it out, or search positions of the class itself"),
                              ("determinize", "search positions of the class itself"),
                              ("observation", "search positions of the class itself with an evaluator")):
            if hasattr(self.cls, name):
                raise GameError(f"{self.name} cannot be compiled: a compiled game with players has no {name}: "
                                f"{instead}")

    def settle(self, first: Any) -> None:
        """Takes the number of players from the first position, where it may be a field. Raises GameError."""
        if not self.general and hasattr(first, "players") and callable(getattr(self.cls, "returns", None)):
            self._make_general()
        if not self.general:
            return
        found = getattr(first, "players", None)
        if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= 32:
            raise GameError(f"{self.name} cannot be compiled: players must be an int from 1 to 32, got {found!r}")
        self.players = found

    def ask(self, position: Any, what: str, *arguments: Any) -> Any:
        """``position.what(*arguments)``. Raises GameError with the user's line."""
        try:
            found = getattr(position, what)
            return found(*arguments) if what != "to_move" else found
        except Exception as error:
            raise self.failed(f"{what}({', '.join(map(repr, arguments))})".replace("to_move()", "to_move"),
                              error) from error

    def failed(self, what: str, error: Exception) -> GameError:
        place = line_of(error, self.files)
        return GameError(f"{self.name} cannot be compiled: {what} raised {type(error).__name__}: {error}"
                         f"{f' ({place})' if place else ''}")

    def step(self, position: Any, move: Any) -> Any:
        """The position after a move, a new object."""
        if not self.by_push:
            before = None if self.is_frozen else copy.deepcopy(fields_of(position))
            made = self.ask(position, "play", move)
            if made is position or not isinstance(made, self.cls):
                raise GameError(
                    f"{self.name} cannot be compiled: play({move!r}) returned "
                    f"{'the position itself' if made is position else repr(made)[:80]}; play(move) must return the new "
                    f"position and leave the old one as it was. A method that changes its own position is called push")
            if before is not None:
                self._look_for_changes(position, before, move)
            return made
        made = copy.deepcopy(position)
        self.ask(made, "push", move)
        return made

    def _look_for_changes(self, position: Any, before: dict[str, Any], move: Any) -> None:
        """Raises GameError where ``play`` has changed the position on which it was called."""
        for name, value in fields_of(position).items():
            if name in before and not same(before[name], value):
                raise GameError(
                    f"{self.name} cannot be compiled: play({move!r}) changes the position itself: self.{name} was "
                    f"{before.get(name)!r} before and is {value!r} after it; copy.copy shares lists and arrays with "
                    f"the old position: begin with new = copy.deepcopy(self), or write new.{name} = "
                    f"copy.deepcopy(self.{name})"[:600])

    def mover(self, position: Any) -> int:
        found = self.ask(position, "to_move")
        if callable(found):
            raise GameError(f"{self.name} cannot be compiled: to_move is a method; make it a field or a @property")
        if self.general:
            if self.has_chance and isinstance(found, str) and found == CHANCE:
                return -1
            if not isinstance(found, int) or not 0 <= found < self.players:
                raise GameError(f"{self.name} cannot be compiled: to_move must be a player from 0 to "
                                f"{self.players - 1}, or mcts_core.CHANCE where chance_outcomes() says what may come, "
                                f"got {found!r}")
            return int(found)
        if found not in (1, -1):
            raise GameError(f"{self.name} cannot be compiled: to_move must be +1 for the first player or -1 for the "
                            f"second, got {found!r}: add a property to_move that translates it")
        return int(found)

    def result(self, position: Any) -> int | tuple[float, ...] | None:
        """``winner()``, or ``returns()`` of a general game; None while the game goes on."""
        if not self.general:
            return self.winner(position)
        found = self.ask(position, "returns")
        if found is None:
            return None
        try:
            values = tuple(float(value) for value in found)
        except (TypeError, ValueError):
            values = ()
        if len(values) != self.players or not all(0 <= value <= 1 for value in values):
            raise GameError(f"{self.name} cannot be compiled: returns() must return None while the game goes on, then "
                            f"a number from 0 to 1 for each of the {self.players} players, got {found!r}"[:300])
        return values

    def outcomes(self, position: Any) -> list[tuple[Any, float]]:
        """The outcomes of chance, which is to move."""
        found = self.ask(position, "chance_outcomes")
        try:
            pairs = [(move, float(chance)) for move, chance in found]
        except (TypeError, ValueError):
            pairs = []
        if not pairs or abs(sum(chance for _, chance in pairs) - 1) > 1e-6 or min(pair[1] for pair in pairs) < 0:
            raise GameError(f"{self.name} cannot be compiled: chance_outcomes() must return pairs of a move and its "
                            f"probability, which sum to 1, got {found!r}"[:300])
        return pairs

    def winner(self, position: Any) -> int | None:
        found = self.ask(position, "winner")
        if found is not None and found not in (1, 0, -1):
            raise GameError(f"{self.name} cannot be compiled: winner() {OUTCOMES}, got {found!r}"[:300])
        return None if found is None else int(found)

    def moves(self, position: Any) -> list[Any]:
        if self.has_chance and self.mover(position) < 0:
            return [move for move, _ in self.outcomes(position)]
        found = self.ask(position, "legal_moves")
        try:
            moves = sorted(found) if isinstance(found, (set, frozenset)) else list(found)
        except TypeError:
            raise GameError(f"{self.name} cannot be compiled: legal_moves() must return a list of moves, got "
                            f"{found!r}"[:300]) from None
        if len(moves) > len(set(map(repr, moves))):
            twice = next(move for place, move in enumerate(moves) if move in moves[:place])
            raise GameError(f"{self.name} cannot be compiled: legal_moves() lists the move {twice!r} twice, in "
                            f"{moves!r}; list each move once, such as by sorted(set(moves))"[:600])
        return moves

    def first(self) -> Any:
        """The first position."""
        wanted = [each for each in inspect.signature(self.cls).parameters.values()
                  if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        if wanted:
            raise GameError(f"{self.name} cannot be compiled: {self.name}() must make the first position, and it needs "
                            f"{', '.join(each.name for each in wanted)}: give defaults, or compile a position: "
                            f"compile({self.name}(...))")
        try:
            return self.cls()
        except Exception as error:
            raise self.failed(f"{self.name}()", error) from error


def random_games(stepper: Stepper, first: Any, seed: int, seconds: float, games: int) -> Iterator[Any]:
    """Yields (position, moves played) of random games until the time is over, finished positions too, at least one
    game. The caller may not change the positions."""
    choice = random.Random(seed)
    end = time.perf_counter() + seconds
    for number in range(games):
        position: Any = first
        played: list[Any] = []
        for _ in range(LONGEST_GAME):
            yield position, played
            if stepper.result(position) is not None:
                break
            if stepper.has_chance and stepper.mover(position) < 0:
                moves = [move for move, chance in stepper.outcomes(position) if chance > 0]
            else:
                moves = stepper.moves(position)
            if not moves:
                raise GameError(f"{stepper.name} cannot be compiled: legal_moves() has no move and "
                                f"{'returns' if stepper.general else 'winner'}() is None "
                                f"after {played!r}; a player who cannot move needs a move that passes")
            move = choice.choice(moves)
            position = stepper.step(position, move)
            played = [*played, move]
            if time.perf_counter() > end and number:
                return
        if time.perf_counter() > end:
            return
