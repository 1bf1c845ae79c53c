"""The contract of a position: asks a position for all of its answers, and records which of them break the contract."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcts_core.arguments import shorten
from mcts_core.errors import OutOfTime
from mcts_core.game import CHANCE
from mcts_core.games.state_kinds import has_member, member
from mcts_core.games.user_states import (
    MOST_MOVES,
    MOST_PLAYERS,
    as_count,
    as_discount,
    as_outcomes,
    as_scores,
    as_sign,
    as_values,
    as_winner,
    drained,
    expect_returns,
    expect_rewards,
    mend_returns,
    mend_sign,
    told_excess,
    unequal,
    unequal_lists,
    unhashable,
    within,
    without_moves,
)
from mcts_core.move_names import Names, as_typed
from mcts_core.words import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

METHODS = ("to_move", "legal_moves", "play", "winner")
GENERAL_METHODS = ("players", "to_move", "legal_moves", "play", "returns")
"""Those of a general game, recognised by its ``players``."""
CLOSE = 1e-6
"""How far the sum of probabilities may be from 1."""
CHANGED = "changed the position it was played in"
REORDERED = "listed the moves of one position in two orders"
DRAINED = "legal_moves()drained"
"""The name in ``Contract.seen`` of an iterator that was used up."""
UNEQUAL = "movesunequal"
"""The same of moves that are not equal to themselves."""


def missing_members(position: Any) -> list[str]:
    """The required members that ``position`` lacks."""
    names = GENERAL_METHODS if has_member(position, "players") else METHODS
    return [name for name in names if not has_member(position, name)]


def equal(one: Any, two: Any) -> bool | Exception:
    """Whether two positions are equal, or the exception that their comparison raised."""
    try:
        return bool(one == two)
    except Exception as error:
        return error


class GameEnds(Exception):
    """The current random game cannot go on."""


@dataclass(slots=True)
class Seen:
    part: str
    text: str
    moves: tuple[Any, ...]
    count: int = 1


@dataclass(slots=True)
class View:
    """The answers of a position."""

    to_move: Any
    result: Any
    """None while the game goes on, then the winner, or in a general game the result of each player."""
    moves: list[Any] = field(default_factory=list)
    chances: list[float] | None = None
    """The probability of each move if chance is to move, otherwise None."""


class Worth:
    """What the moves of a game are worth for each player: rewards and the result, each with its discount."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._totals, self._weight = [0.0] * contract.players, 1.0

    def add(self, state: Any, view: View) -> None:
        """Adds the rewards of the move that led to this position."""
        contract = self._contract
        if not contract.scored:
            return
        self._totals = [total + self._weight * gain
                        for total, gain in zip(self._totals, contract.rewards_of(state), strict=True)]
        if view.chances is None:  # outcomes of chance belong to the move before them
            self._weight *= contract.discount or 1.0

    def at_end(self, result: Any) -> list[float]:
        """The sums of a game that ended with this result of each player."""
        return [total + self._weight * value for total, value in zip(self._totals, result, strict=True)]


class Contract:
    """Asks the positions of one game for everything that they promise, and records what breaks the contract."""

    def __init__(self, start: Any) -> None:
        self.start = start
        self.general = has_member(start, "players")
        self.players: int = (as_count(member(start, "players"), 1, MOST_PLAYERS) or 0) if self.general else 2
        """Of the first position; 0 in a general game where they are no valid number."""
        self.rewarded = self.general and callable(member(start, "rewards"))
        self.scored = self.rewarded or (self.general and has_member(start, "discount"))
        self.discount: float | None = None
        """The discount of the first position."""
        self.path: list[Any] = []
        """The moves that lead to the position that is asked."""
        self.seen: dict[str, Seen] = {}
        self.most_moves = 0
        self.unordered = False
        """Whether ``legal_moves()`` returned a set."""

    def tell(self, part: str, key: str, text: str) -> None:
        """Records a problem; problems with the same ``part`` and ``key`` are counted as one."""
        found = self.seen.get(part + key)
        if found is None:
            self.seen[part + key] = Seen(part, text, tuple(self.path))
        else:
            found.count += 1

    def call(self, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a method of the game; an exception but OutOfTime is recorded as a problem and ends the game."""
        try:
            return function(*arguments)
        except OutOfTime:
            raise
        except Exception as error:
            self.tell(part, type(error).__name__, f"raised {told(error)}")
            raise GameEnds from None

    def checked(self, part: str, convert: Callable[[Any], Any], given: Any, expected: str, hint: str = "") -> Any:
        """The returned value as a search would convert it; a failed conversion is a problem and ends the game."""
        try:
            return convert(given)
        except (TypeError, ValueError, OverflowError):
            self.tell(part, "value", f"{expected}, got {shorten(given)}{hint}")
            raise GameEnds from None

    def look(self, state: Any) -> View:
        """The answers of the position, checked."""
        if self.general:
            return self.look_general(state)
        to_move = self.call("to_move", lambda: state.to_move)
        to_move = self.checked("to_move", as_sign, to_move, "must be +1 or -1", mend_sign(to_move))
        winner = self.call("winner()", state.winner)
        winner = self.checked("winner()", as_winner, winner, "must be None, +1, -1 or 0")
        return View(to_move, winner, self.moves_of(state) if winner is None else [])

    def look_general(self, state: Any) -> View:
        """The same for a position of a general game."""
        given = self.call("players", lambda: state.players)
        players = as_count(given, 1, MOST_PLAYERS)
        if players is None or players != self.players:
            text = f"must be an int from 1 to {MOST_PLAYERS}, the same in every position, got {shorten(given)}"
            self.tell("players", "value", text)
            raise GameEnds
        if self.scored:
            given = self.call("discount", lambda: getattr(state, "discount", 1.0))
            discount = self.checked("discount", as_discount, given, "must be a number above 0 and at most 1")
            if self.discount is None:
                self.discount = discount
            elif discount != self.discount:
                self.tell("discount", "changed",
                          f"must be the same in every position, was {self.discount:g} and is {discount:g}")
                raise GameEnds
        values = self.call("returns()", state.returns)
        if values is not None:
            return View(None, self.numbers("returns()", values, expect_returns(players, self.scored)))
        to_move = self.call("to_move", lambda: state.to_move)
        if isinstance(to_move, str) and to_move == CHANCE:
            moves, chances = self.outcomes_of(state)
            return View(to_move, None, moves, chances)
        player = as_count(to_move, 0, players - 1)
        if player is None:
            expected = f"an int from 0 to {players - 1}" if players > 1 else "0"
            self.tell("to_move", "value", f"must be {expected} or CHANCE, got {shorten(to_move)}")
            raise GameEnds
        return View(player, None, self.moves_of(state))

    def rewards_of(self, state: Any) -> tuple[float, ...]:
        """The rewards of the move that led to this position, checked."""
        if not self.rewarded:
            none: tuple[float, ...] = (0.0,) * self.players
            return none
        return self.numbers("rewards()", self.call("rewards()", state.rewards), expect_rewards(self.players))

    def numbers(self, part: str, given: Any, expected: str) -> tuple[float, ...]:
        """A number for each player, checked."""
        players = self.players
        convert = as_scores if self.scored else as_values
        found: tuple[float, ...] = tuple(self.checked(part, convert, given, expected, mend_returns(given, players)))
        if len(found) != players:
            self.tell(part, "value", f"{expected}, got {shorten(given)}")
            raise GameEnds
        return found

    def moves_of(self, state: Any) -> list[Any]:
        """The legal moves of the player to move, checked."""
        given = self.call("legal_moves()", state.legal_moves)
        self.unordered = self.unordered or isinstance(given, (set, frozenset))
        moves = self.listed("legal_moves()", given)
        if not moves and hasattr(given, "__next__"):
            self.tell("legal_moves()", DRAINED.removeprefix("legal_moves()"), drained(given))
            raise GameEnds
        if not moves:
            self.tell("legal_moves()", "none", without_moves(self.general))
            raise GameEnds
        self.different("legal_moves()", moves)
        self.most_moves = max(self.most_moves, len(moves))
        return moves

    def outcomes_of(self, state: Any) -> tuple[list[Any], list[float]]:
        """The moves of chance and their probabilities, checked."""
        part = "chance_outcomes()"
        given = self.listed(part, self.call(part, lambda: state.chance_outcomes()))
        outcomes = self.checked(part, as_outcomes, given, "must return pairs of a move and its probability")
        moves = [move for move, _ in outcomes]
        chances = [chance for _, chance in outcomes]
        if not all(0.0 <= chance <= 1.0 for chance in chances) or abs(sum(chances) - 1.0) > CLOSE:
            text = f"probabilities must be numbers from 0 to 1 that sum to 1, got {shorten(given)}"
            self.tell(part, "sum", text)
            raise GameEnds
        self.different(part, moves)
        return moves, chances

    def listed(self, part: str, moves: Any) -> list[Any]:
        """The returned moves as a list."""
        if isinstance(moves, (str, bytes)) or not hasattr(moves, "__iter__"):
            self.tell(part, "kind", f"must return a list of moves, got {shorten(moves)}")
            raise GameEnds
        found: list[Any] = self.call(part, lambda: list(within(moves, MOST_MOVES)))
        if len(found) > MOST_MOVES:
            self.tell(part, "many", f"must return at most {MOST_MOVES} moves, got {told_excess(moves)}")
            raise GameEnds
        return found

    def different(self, part: str, moves: list[Any]) -> None:
        """Records moves that are listed twice; moves that cannot be hashed and compared end the game."""
        known: set[Any] = set()
        try:
            if text := unequal(moves):
                self.tell("moves", UNEQUAL.removeprefix("moves"), text)
                raise GameEnds
            for move in moves:
                if move in known:
                    break
                known.add(move)
            else:
                return
        except GameEnds:
            raise
        except Exception as error:
            self.tell("moves", "hash", unhashable(moves, error))
            raise GameEnds from None
        text = f"must not repeat a move, but lists {shorten(move)} {moves.count(move)} times: {shorten(moves)}"
        self.tell(part, "twice", text)

    def named_apart(self, state: Any, moves: list[Any]) -> None:
        """Records a name that two moves have: a person who types it could mean both."""
        names = Names(state)
        found: dict[str, Any] = {}
        for move in moves if names.known else ():
            name = names.of(move)
            other = found.setdefault(as_typed(name), move)
            if other is not move:
                text = f"must give each move another name, but {shorten(other)} and {shorten(move)} are both {name!r}"
                self.tell("name()", "same", text)
                return

    def child(self, state: Any, move: Any, view: View) -> Any:
        """The position after ``move``; ``view`` holds the answers of ``state`` before."""
        child = self.call("play()", state.play, move)
        if child is None or child is state:
            self.compare(view, self.look(state), f"play({shorten(move)}) {CHANGED} and must return a new one")
            got = "None" if child is None else "the same object"
            self.tell("play()", "returned", f"must return a new position, got {got} for the move {shorten(move)}")
            raise GameEnds
        if type(child) is not type(state) and missing_members(child):
            text = f"must return a new position, got {shorten(child)} for the move {shorten(move)}"
            self.tell("play()", "kind", text)
            raise GameEnds
        return child

    def compare(self, before: View, after: View, what: str, part: str = "play()") -> None:
        """Records the problem ``what`` if a position gives other answers than before."""
        for name, old, new in (
            ("to_move", before.to_move, after.to_move),
            ("returns()" if self.general else "winner()", before.result, after.result),
            ("chance_outcomes()" if before.chances else "legal_moves()", before.moves, after.moves),
            ("chance_outcomes()", before.chances, after.chances),
        ):
            try:
                differ = old != new
            except Exception as error:
                self.tell("moves", "hash", unhashable(after.moves, error))
                raise GameEnds from None
            if differ and name == "legal_moves()" and set(before.moves) == set(after.moves):
                text = f"{REORDERED}: {shorten(old)}, then {shorten(new)}; list them in the same order each time"
                self.tell("legal_moves()", "order", text)
                raise GameEnds
            if differ and name == "legal_moves()" and (text := unequal_lists(before.moves, after.moves)):
                self.tell("moves", UNEQUAL.removeprefix("moves"), text)
                raise GameEnds
            if differ:
                self.tell(part, "changed " + name, f"{what}: {name} was {shorten(old)} and is {shorten(new)}")
                raise GameEnds
