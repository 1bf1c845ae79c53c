"""``check_game``: plays random games and reports every rule of the contract of a position that the game breaks."""

from __future__ import annotations

import math
import random
import time
from dataclasses import asdict, dataclass, field

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.game import CHANCE, NativeState, is_hidden, refuse_hidden
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
    expect_returns,
    expect_rewards,
    mend_returns,
    unhashable,
)
from mcts_core.move_names import Names, as_typed
from mcts_core.options import as_flag, as_interval, as_progress
from mcts_core.progress import of_checks, watching
from mcts_core.searcher import Searcher
from mcts_core.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any

METHODS = ("to_move", "legal_moves", "play", "winner")
GENERAL_METHODS = ("players", "to_move", "legal_moves", "play", "returns")
"""Those of a general game, recognised by its ``players``."""
CAUSES = (
    "players", "discount", "to_move", "winner()", "returns()", "rewards()", "legal_moves()", "moves",
    "chance_outcomes()", "play()", "position", "observation_key()", "determinize()", "legal_moves", "play",
)
"""Parts whose problems make others fail too: they are reported first."""
CLOSE = 1e-6
"""How far the sum of probabilities may be from 1."""
MOST_CHILDREN = 40
"""Moves, at most, that are tried in a position that is examined closely."""
CLOSELY = 2.0
"""Positions of a game, on average, that are examined closely."""
ENOUGH = 20
"""After so many different problems no more games are played."""
DRAWS = 2
"""Positions of ``determinize`` for each position that is examined closely, beside the first two."""
REPEATED = "determinize(player, rng) must draw all that is hidden with rng, so that a seed repeats a search"
DRAWN = 20
"""Positions of ``determinize``, at least, before it is suspicious that all were the position itself."""
DECIDED = 20
"""Won games, at least, before it is suspicious that the player who moved last won none of them."""
CHANGED = "changed the position it was played in"
ITERATIONS = 200
"""Iterations of each search at the end."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a game breaks the contract.

    ``part`` is the method or function at fault. ``text`` states what was expected and what was given. ``moves`` lead to
    the first position with the problem, and ``count`` is the number of times that it was seen.
    """

    part: str
    text: str
    moves: tuple[Hashable, ...]
    count: int


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
    losses: int
    values: tuple[float, ...] | None
    """For a general game, the mean result of each player, from 0 to 1, or with rewards or a discount the mean
    discounted sum of rewards; otherwise None."""
    mean_length: float
    """Mean number of moves of the finished games."""
    longest: int
    most_moves: int
    """The largest number of legal moves in a position."""
    seconds: float
    seed: int
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
    """Since the call began."""


def check_game(
    game: Any,
    games: int = 2000,
    *,
    seed: int = 0,
    max_plies: int = 10_000,
    raise_on_error: bool = False,
    progress: bool | Callable[[CheckProgress], object] | None = None,
    every: float = 0.1,
) -> CheckReport:
    """Plays ``games`` random games and reports every rule of the contract that the game breaks.

    ``game`` is a position to start from, a class of positions, or a game of ``native_game``. General games work too.

    In every position, it checks that ``to_move``, ``winner()`` and ``legal_moves()`` (in a general game ``returns()``
    and ``chance_outcomes()``) are valid, that no move is listed twice, that ``play`` does not change the old position,
    and that the game ends within ``max_plies`` moves. It checks ``rewards()`` and ``discount`` where a general game has
    them. In some positions, it checks that repeated calls give the same results, and that ``name``, if the game has it,
    gives each move a different name.

    With hidden information, it also checks in some positions that ``observation_key`` is hashable, and that the
    positions of ``determinize`` fit what the player to move knows and are drawn with the generator that it was given.

    For a native game, it also checks that functions write only into the state and the list of moves (by guard bytes
    around them), that their results are in range and agree with each other, that native rollouts have the results of
    random games, and that the values and weights of a valuation are in range and always the same for a position. At the
    end it runs short searches.

    ``hints`` of the report lists observations that may be mistakes or may be part of the game, such as a game in which
    the player who moves last never wins.

    ``progress``: True draws a bar. A function gets a CheckProgress when a game is over and ``every`` seconds (0.001 to
    1e9) have passed since its last call, and after the last game. If it raises an exception, the call raises it.

    A game without problems may still have wrong rules. The same ``seed`` plays the same games. Raises InvalidState if
    ``game`` is not a position, GameOver for a finished one, and InvalidOption. Raises GameError if the first position
    cannot be made, and with ``raise_on_error`` if there is a problem; the message is then the text of the report.
    """
    count = as_int(games, "games", 1, 10**9)
    first = as_int(seed, "seed", 0, 2**64 - 1)
    limit = as_int(max_plies, "max_plies", 1, 10**9)
    raises = as_flag(raise_on_error, "raise_on_error")
    watch, interval = as_progress(progress, "a CheckProgress"), as_interval(every)
    begin = time.perf_counter()
    start = _first_position(game)
    run = _Run(start, random.Random(first), limit)
    with watching(watch, of_checks) as tell:
        report_at = begin + interval if tell is not None else math.inf
        for number in range(count):
            if run.is_enough():
                break
            run.play_game(number)
            now = time.perf_counter()
            if tell is not None and (now >= report_at or number + 1 == count):
                tell(CheckProgress(run.games, count, run.positions, len(run.seen), now - begin))
                report_at = time.perf_counter() + interval
        if not run.is_enough():
            run.finish(first)
    report = run.report(_name_of(start), first, time.perf_counter() - begin)
    if raises and not report.ok:
        raise GameError(str(report))
    return report


def _missing(position: Any) -> list[str]:
    """The required members that ``position`` lacks."""
    names = GENERAL_METHODS if hasattr(position, "players") else METHODS
    return [name for name in names if not hasattr(position, name)]


def _first_position(game: Any) -> Any:
    missing = _missing(game)
    if isinstance(game, type) or (missing and callable(game)):
        try:
            game = game()
        except GameError:  # from a game of native_game, whose message says what is wrong
            raise
        except Exception as error:
            text = f"{shorten(game)}() must return the first position, but raised {type(error).__name__}: {error}"
            raise InvalidState(text) from error
        missing = _missing(game)
    if missing:
        raise InvalidState(
            f"a position must have to_move, legal_moves(), play(move) and winner(), or in a general game players, "
            f"to_move, legal_moves(), play(move) and returns(); {shorten(game)} has no {' and no '.join(missing)}"
        )
    if not is_hidden(game):
        refuse_hidden(game)
    return game


def _name_of(start: Any) -> str:
    rules = getattr(start, "rules", None)
    name = getattr(rules, "name", None) if isinstance(start, NativeState) else None
    return name if isinstance(name, str) else type(start).__name__


class _GameEnds(Exception):
    """The current random game cannot go on."""


@dataclass(slots=True)
class _Seen:
    part: str
    text: str
    moves: tuple[Any, ...]
    count: int = 1


@dataclass(slots=True)
class _View:
    """The answers of a position."""

    to_move: Any
    result: Any
    """None while the game goes on, then the winner, or in a general game the result of each player."""
    moves: list[Any] = field(default_factory=list)
    chances: list[float] | None = None
    """The probability of each move if chance is to move, otherwise None."""


class _Run:
    """The games of one call and the problems found in them."""

    def __init__(self, start: Any, choice: random.Random, limit: int) -> None:
        self.start, self.choice, self.limit = start, choice, limit
        self.native = isinstance(start, NativeState)
        self.general = hasattr(start, "players")
        self.hidden = is_hidden(start)
        self.rewarded = self.general and callable(getattr(start, "rewards", None))
        self.scored = self.rewarded or (self.general and hasattr(start, "discount"))
        self.discount: float | None = None
        """The discount of the first position."""
        self.sums: list[float] = []
        self.seen: dict[str, _Seen] = {}
        self.path: list[Any] = []
        self.games = self.finished = self.positions = self.endless = self.plies = self.longest = self.most_moves = 0
        self.results = {1: 0, 0: 0, -1: 0}
        self.samples: list[tuple[Any, list[Any]]] = []
        self.first: _View | None = None
        """The answers of the first position before any game."""
        self.is_damaged = False
        """The first position has changed since, so no further game can start there."""
        self.decided = self.last_won = 0
        self.drawn = self.redrawn = 0
        """Positions of ``determinize``, and those of them that differ from the position itself."""
        self.movers: set[Any] = set()

    def report(self, name: str, seed: int, seconds: float) -> CheckReport:
        ranked = sorted(self.seen.values(), key=lambda each: (
            CHANGED not in each.text, [*CAUSES, each.part].index(each.part)))
        return CheckReport(
            game=name,
            problems=tuple(Problem(each.part, each.text, each.moves, each.count) for each in ranked),
            games=self.games,
            positions=self.positions,
            wins=self.results[1],
            draws=self.results[0],
            losses=self.results[-1],
            values=tuple(each / self.finished for each in self.sums) if self.general else None,
            mean_length=self.plies / self.finished if self.finished else 0.0,
            longest=self.longest,
            most_moves=self.most_moves,
            seconds=seconds,
            seed=seed,
            hints=tuple(self.hints()),
        )

    def hints(self) -> Iterator[str]:
        if not self.general and len(self.movers) == 1 and self.plies >= DECIDED and not self.seen:
            yield (f"the same player is to move in all {self.positions:,} positions. If the players take turns, play() "
                   f"must return a position whose to_move is -to_move")
        elif self.decided >= DECIDED and not self.last_won and not self.seen:
            yield (f"the player who moves last never wins: {self.decided:,} games, all won by the other player. If the "
                   f"last move is meant to win, winner() has the wrong sign: after that move to_move is the opponent, "
                   f"so the winner is -to_move")
        if self.drawn >= DRAWN and not self.redrawn and not self.seen:
            yield (f"determinize() returned the position itself {self.drawn:,} times: if something is hidden in it, "
                   f"draw that part anew with rng, or the search sees it")

    def is_enough(self) -> bool:
        """Whether more games would show nothing new, or take too long."""
        return len(self.seen) >= ENOUGH or self.endless >= 3 or self.is_damaged

    def tell(self, part: str, key: str, text: str) -> None:
        """Records a problem; problems with the same ``part`` and ``key`` are counted as one."""
        found = self.seen.get(part + key)
        if found is None:
            self.seen[part + key] = _Seen(part, text, tuple(self.path))
        else:
            found.count += 1

    def call(self, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a method of the game; an exception is recorded as a problem and ends the game."""
        try:
            return function(*arguments)
        except Exception as error:
            self.tell(part, type(error).__name__, f"raised {type(error).__name__}: {error}")
            raise _GameEnds from None

    def checked(self, part: str, convert: Callable[[Any], Any], given: Any, expected: str, hint: str = "") -> Any:
        """The returned value as a search would convert it; a failed conversion is a problem and ends the game."""
        try:
            return convert(given)
        except (TypeError, ValueError, OverflowError):
            self.tell(part, "value", f"{expected}, got {shorten(given)}{hint}")
            raise _GameEnds from None

    # ---- one game ----------------------------------------------------------------------------------------------------

    def play_game(self, number: int) -> None:
        """Plays one random game. All positions of the first game are examined closely, and some of the others."""
        self.path = []
        self.games += 1
        state = self.start
        mover = None
        totals, weight = [0.0] * self.start.players if self.general else [], 1.0
        closely = 1.0 if number == 0 else CLOSELY * self.games / (1 + self.positions)
        try:
            while True:
                view = self.look(state)
                self.positions += 1
                self.movers.add(view.to_move)
                if not self.path:
                    self.compare_first(view)
                elif self.scored:
                    totals = [total + weight * gain
                              for total, gain in zip(totals, self.rewards_of(state), strict=True)]
                    if view.chances is None:  # outcomes of chance belong to the move before them
                        weight *= self.discount or 1.0
                if view.result is not None:
                    if not self.path:
                        told = f"{'returns' if self.general else 'winner'} {view.result}"
                        hint = "" if self.general or view.result else " (while it goes on, winner() must be None)"
                        raise GameOver(f"the game is over ({told}): there is nothing to check in {shorten(state)}; "
                                       f"give a position in which it goes on{hint}")
                    break
                if len(self.path) >= self.limit:
                    self.endless += 1
                    self.tell("play", "endless", f"a random game did not end within {self.limit:,} moves (max_plies)")
                    raise _GameEnds
                if self.choice.random() < closely:
                    self.look_closely(state, view)
                    if not self.samples or (len(self.samples) < 64 and self.choice.random() < 0.2):
                        self.samples.append((state, list(self.path)))
                move = self.choice.choices(view.moves, view.chances)[0]
                child = self.child(state, move, view)
                self.compare(view, self.look(state), f"play({shorten(move)}) {CHANGED}")
                self.path.append(move)
                state, mover = child, view.to_move
        except _GameEnds:
            self.look_back()
            return
        self.finished += 1
        if not self.general and view.result:
            self.decided += 1
            self.last_won += view.result == mover
        if self.general:
            before = self.sums or [0.0] * len(view.result)
            self.sums = [total + gained + weight * value
                         for total, gained, value in zip(before, totals, view.result, strict=True)]
        else:
            self.results[view.result] += 1
        self.plies += len(self.path)
        self.longest = max(self.longest, len(self.path))

    def compare_first(self, view: _View) -> None:
        """Records a problem if the first position has changed, and ends the games."""
        if self.first is None:
            self.first = view
            return
        try:
            self.compare(self.first, view, f"earlier games {CHANGED.replace('it was', 'they were')}")
        except _GameEnds:
            self.is_damaged = True
            raise

    def look_back(self) -> None:
        """After an aborted game, checks whether another one can start."""
        if self.first is None or self.native:
            return
        path, self.path = self.path, []
        known = dict(self.seen)
        try:
            self.compare(self.first, self.look(self.start), "")
        except _GameEnds:
            self.is_damaged = True
        self.seen, self.path = known, path
        if self.is_damaged and not any(CHANGED in each.text for each in self.seen.values()):
            self.path = []
            self.tell("play()", "damage", f"{CHANGED}: the first position, or one that shares data with it")

    def look(self, state: Any) -> _View:
        """The answers of the position, checked."""
        if self.general:
            return self.look_general(state)
        to_move = self.call("to_move", lambda: state.to_move)
        hint = "; make it an attribute or a property, not a method" if callable(to_move) else ""
        to_move = self.checked("to_move", as_sign, to_move, "must be +1 or -1", hint)
        winner = self.call("winner()", state.winner)
        winner = self.checked("winner()", as_winner, winner, "must be None, +1, -1 or 0")
        return _View(to_move, winner, self.moves_of(state) if winner is None else [])

    def look_general(self, state: Any) -> _View:
        """The same for a position of a general game."""
        given = self.call("players", lambda: state.players)
        players = as_count(given, 1, MOST_PLAYERS)
        if players is None or players != self.start.players:
            text = f"must be an int from 1 to {MOST_PLAYERS}, the same in every position, got {shorten(given)}"
            self.tell("players", "value", text)
            raise _GameEnds
        if self.scored:
            given = self.call("discount", lambda: getattr(state, "discount", 1.0))
            discount = self.checked("discount", as_discount, given, "must be a number above 0 and at most 1")
            if self.discount is None:
                self.discount = discount
            elif discount != self.discount:
                self.tell("discount", "changed",
                          f"must be the same in every position, was {self.discount:g} and is {discount:g}")
                raise _GameEnds
        values = self.call("returns()", state.returns)
        if values is not None:
            return _View(None, self.numbers("returns()", values, expect_returns(players, self.scored)))
        to_move = self.call("to_move", lambda: state.to_move)
        if isinstance(to_move, str) and to_move == CHANCE:
            moves, chances = self.outcomes_of(state)
            return _View(to_move, None, moves, chances)
        player = as_count(to_move, 0, players - 1)
        if player is None:
            expected = f"an int from 0 to {players - 1}" if players > 1 else "0"
            self.tell("to_move", "value", f"must be {expected} or CHANCE, got {shorten(to_move)}")
            raise _GameEnds
        return _View(player, None, self.moves_of(state))

    def rewards_of(self, state: Any) -> tuple[float, ...]:
        """The rewards of the move that led to this position, checked."""
        if not self.rewarded:
            none: tuple[float, ...] = (0.0,) * self.start.players
            return none
        return self.numbers("rewards()", self.call("rewards()", state.rewards), expect_rewards(self.start.players))

    def numbers(self, part: str, given: Any, expected: str) -> tuple[float, ...]:
        """A number for each player, checked."""
        players = self.start.players
        convert = as_scores if self.scored else as_values
        found: tuple[float, ...] = tuple(self.checked(part, convert, given, expected, mend_returns(given, players)))
        if len(found) != players:
            self.tell(part, "value", f"{expected}, got {shorten(given)}")
            raise _GameEnds
        return found

    def moves_of(self, state: Any) -> list[Any]:
        """The legal moves of the player to move, checked."""
        moves = self.listed("legal_moves()", self.call("legal_moves()", state.legal_moves))
        if not moves:
            text = (
                f"returned no move although {'returns()' if self.general else 'winner()'} is None: for a player who "
                f"cannot move, return a move that passes"
            )
            self.tell("legal_moves()", "none", text)
            raise _GameEnds
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
            raise _GameEnds
        self.different(part, moves)
        return moves, chances

    def listed(self, part: str, moves: Any) -> list[Any]:
        """The returned moves as a list."""
        if isinstance(moves, (str, bytes)) or not hasattr(moves, "__iter__"):
            self.tell(part, "kind", f"must return a list of moves, got {shorten(moves)}")
            raise _GameEnds
        found: list[Any] = self.call(part, list, moves)
        if len(found) > MOST_MOVES:
            self.tell(part, "many", f"must return at most {MOST_MOVES} moves, got {len(found)}")
            raise _GameEnds
        return found

    def different(self, part: str, moves: list[Any]) -> None:
        """Records moves that are listed twice; unhashable moves end the game."""
        try:
            count = len(set(moves))
        except TypeError:
            self.tell("moves", "hash", unhashable(moves))
            raise _GameEnds from None
        if count != len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            text = f"must not repeat a move, but lists {shorten(twice)} {moves.count(twice)} times: {shorten(moves)}"
            self.tell(part, "twice", text)

    def named_apart(self, state: Any, moves: list[Any]) -> None:
        """Records a name that two moves have: a person who types it could mean both."""
        names = Names(state)
        found: dict[str, Any] = {}
        for move in moves if names.known else ():
            name = names.of(move)
            other = found.setdefault(as_typed(name), move)
            if other != move:
                text = f"must give each move another name, but {shorten(other)} and {shorten(move)} are both {name!r}"
                self.tell("name()", "same", text)
                return

    def child(self, state: Any, move: Any, view: _View) -> Any:
        """The position after ``move``; ``view`` holds the answers of ``state`` before."""
        child = self.call("play()", state.play, move)
        if child is None or child is state:
            self.compare(view, self.look(state), f"play({shorten(move)}) {CHANGED} and must return a new one")
            got = "None" if child is None else "the same object"
            self.tell("play()", "returned", f"must return a new position, got {got} for the move {shorten(move)}")
            raise _GameEnds
        if type(child) is not type(state) and _missing(child):
            text = f"must return a new position, got {shorten(child)} for the move {shorten(move)}"
            self.tell("play()", "kind", text)
            raise _GameEnds
        return child

    def compare(self, before: _View, after: _View, what: str, part: str = "play()") -> None:
        """Records the problem ``what`` if a position gives other answers than before."""
        for name, old, new in (
            ("to_move", before.to_move, after.to_move),
            ("returns()" if self.general else "winner()", before.result, after.result),
            ("chance_outcomes()" if before.chances else "legal_moves()", before.moves, after.moves),
            ("chance_outcomes()", before.chances, after.chances),
        ):
            if old != new:
                self.tell(part, "changed " + name, f"{what}: {name} was {shorten(old)} and is {shorten(new)}")
                raise _GameEnds

    # ---- one position, closely ---------------------------------------------------------------------------------------

    def look_closely(self, state: Any, view: _View) -> None:
        """Does everything twice: asks the position, and plays each move."""
        again = "the same position gave different answers when it was asked twice"
        self.compare(view, self.look(state), again, "position")
        moves = view.moves
        if len(moves) > MOST_CHILDREN:
            moves = self.choice.sample(moves, MOST_CHILDREN)
        self.named_apart(state, moves)
        comparable = getattr(type(state), "__eq__", None) is not object.__eq__
        for move in moves:
            one = self.child(state, move, view)
            self.compare(view, self.look(state), f"play({shorten(move)}) {CHANGED}")
            two = self.child(state, move, view)
            self.path.append(move)
            try:
                after = self.look(one)
                self.compare(after, self.look(two), f"playing {shorten(move)} twice led to different positions")
                if self.rewarded and self.rewards_of(one) != self.rewards_of(two):
                    self.tell("rewards()", "changed", f"playing {shorten(move)} twice gave different rewards")
                if comparable and self.call("__eq__()", lambda one=one, two=two: not one == two):
                    self.tell("__eq__()", "equal", "positions after the same moves must be equal")
                elif comparable and type(state).__hash__ is not None:
                    if self.call("__hash__()", hash, one) != self.call("__hash__()", hash, two):
                        self.tell("__hash__()", "equal", "equal positions must have equal hashes")
                if comparable and after != view and self.call("__eq__()", lambda one=one: bool(one == state)):
                    self.tell("__eq__()", "different", "the positions before and after a move must not be equal")
            finally:
                self.path.pop()
        self.compare(view, self.look(state), f"play() {CHANGED}")
        if self.hidden and view.chances is None:
            self.look_at_draws(state, view)
        if self.native and not self.general:
            from mcts_core.checks.check_table import table_problems

            for found in self.call("position", list, table_problems(self.start, state, list(self.path), view.moves)):
                self.tell(*found)

    # ---- hidden information ------------------------------------------------------------------------------------------

    def look_at_draws(self, state: Any, view: _View) -> None:
        """Checks what the player to move knows, and the positions that fit it."""
        player = view.to_move
        key = self.key_of(state, player)
        if self.key_of(state, player) != key:
            text = f"observation_key({player}) of one position returned two different keys, one of them {shorten(key)}"
            self.tell("observation_key()", "changed", text)
            raise _GameEnds
        seed = self.choice.getrandbits(64)
        one, two = self.draw(state, view, key, seed), self.draw(state, view, key, seed)
        draws = [one, *(self.draw(state, view, key, self.choice.getrandbits(64)) for _ in range(DRAWS))]
        comparable = getattr(type(state), "__eq__", None) is not object.__eq__
        if comparable and not one == two:
            self.tell("determinize()", "random", REPEATED)
        self.drawn += len(draws)
        self.redrawn += sum(each is not state and not (comparable and each == state) for each in draws)
        self.compare(view, self.look(state), "determinize() changed the position", "determinize()")

    def draw(self, state: Any, view: _View, key: Any, seed: int) -> Any:
        """A position of ``determinize``, checked; ``key``: what the player to move knows."""
        part, player = "determinize()", view.to_move
        call = f"determinize({player}, rng)"
        before = random.getstate()
        drawn = self.call(part, state.determinize, player, random.Random(seed))
        if random.getstate() != before:
            random.setstate(before)
            self.tell(part, "random", REPEATED)
        if drawn is None:
            self.tell(part, "returned", f"{call} must return a position, got None")
            raise _GameEnds
        other = self.look(drawn)
        if other.result is not None or other.to_move != player:
            got = "one in which the game is over" if other.result is not None else f"one with to_move {other.to_move}"
            self.tell(part, "mover", f"{call} must return a position in which {player} is to move, got {got}")
            raise _GameEnds
        known = self.key_of(drawn, player)
        if known != key:
            self.tell(part, "key", f"{call} must return a position that fits what the player knows: observation_key("
                                   f"{player}) is {shorten(key)}, and of the position returned {shorten(known)}")
            raise _GameEnds
        return drawn

    def key_of(self, state: Any, player: Any) -> Any:
        """What names the knowledge of a player, checked; None without ``observation_key``."""
        part = "observation_key()"
        if not callable(getattr(state, "observation_key", None)):
            return None
        key = self.call(part, state.observation_key, player)
        try:
            hash(key)
        except TypeError:
            self.tell(part, "hash", f"observation_key({player}) must return a hashable value, got {shorten(key)}")
            raise _GameEnds from None
        return key

    # ---- after the games ---------------------------------------------------------------------------------------------

    def finish(self, seed: int) -> None:
        """Compares the rollouts of a native game with its random games, then runs short searches."""
        parts = {each.part for each in self.seen.values()}
        if self.native and not self.general and not parts & {*CAUSES, "rollout", "simulate"}:
            from mcts_core.checks.check_table import rollout_problems

            try:
                for found, path in rollout_problems(self.start, self.samples, self.choice):
                    self.path = path
                    self.tell(*found)
            except (GameError, ValueError) as error:  # such as an IllegalMove that no game ran into
                self.tell("rollout", "failed", f"failed: {error}")
        self.path = []
        if self.general and self.start.to_move == CHANCE:
            return  # there is nothing to choose
        for preset in (None,) if self.general else ("uct", None):
            try:
                Searcher(preset=preset, seed=seed).search(self.start, iterations=ITERATIONS)
            except Exception as error:
                text = f"a search (preset={preset!r}) raised {type(error).__name__}: {error}"
                self.tell("search", type(error).__name__, text)
