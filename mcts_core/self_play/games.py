"""Plays the games of ``selfplay`` and turns their positions into rows of arrays."""

from __future__ import annotations

import hashlib

from mcts_core.arguments import shorten
from mcts_core.engine.loop import clock
from mcts_core.engine.request import seed_of
from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.game import CHANCE, NativeState, import_numpy
from mcts_core.games.state_kinds import is_general, refuse_hidden
from mcts_core.games.user_states import UserStates, as_count
from mcts_core.many import _Batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from mcts_core.engine.searched_general import GeneralCore
    from mcts_core.many import Result
    from mcts_core.results import Stats
    from mcts_core.searcher import Searcher

LONGEST_GAME = 20_000
"""Moves, including those of chance, after which a game counts as endless."""

ROUNDING = 1e-9
"""Tolerance for comparing proven bounds."""

DEALS = 100
"""Seeds that are tried for a start in which a player moves."""


class Table:
    """Reads the positions of one game: their rows of the arrays, and their results."""

    def __init__(self, start: Any) -> None:
        self._numpy = import_numpy()
        self.start = start
        self._native = isinstance(start, NativeState)
        self._general = is_general(start)
        refuse_hidden(start)
        for name in ("observation", "legal_moves", "play", "returns" if self._general else "winner"):
            if not callable(getattr(start, name, None)):
                raise InvalidState(f"selfplay needs states with a method {name}(), but {shorten(start)} has none")
        if not hasattr(start, "to_move"):
            raise InvalidState(f"selfplay needs states with to_move, but {shorten(start)} has none")
        given = getattr(start, "actions", None)
        actions = as_count(given, 1, (1 << 30) - 1)
        if actions is None:
            raise InvalidState(f"selfplay needs states with an attribute actions, the number of entries of a policy "
                               f"(an int from 1), got {shorten(given)} in {shorten(start)}")
        self.actions = actions
        self._user = UserStates(start, self._general)
        if self.returns(start) is not None:
            raise GameOver(f"the game is over: selfplay cannot start from {shorten(start)}")
        for seed in range(DEALS):
            self._first = self.past_chance(start, seed, 0)[0]
            if self.returns(self._first) is None:
                break
        else:
            raise InvalidState(f"selfplay needs a start from which a player moves, but chance alone ended {DEALS} "
                               f"games, the last one in {shorten(self._first)}")

    def first(self) -> Any:
        """A first position in which a player is to move."""
        return self._first

    def settings(self) -> dict[str, Any]:
        """Settings that distinguish this start from others, in values for JSON."""
        planes = self.observation(self._first)
        digest = hashlib.sha256(planes.astype("<f4").tobytes()).hexdigest()[:16]
        kind = type(self.start)
        return {"game": f"{kind.__module__}.{kind.__qualname__}", "actions": self.actions,
                "observation": list(planes.shape), "start": digest}

    def observation(self, state: Any) -> Any:
        """The planes of ``state``, in an array that later positions do not overwrite."""
        planes = self._user.ask("planes", state)
        return planes if self._native else planes.copy()

    def action(self, state: Any, move: Any) -> int:
        """The index of a legal move in the policy."""
        index: int = self._user.ask("index", state, move, self.actions)
        return index

    def policy(self, state: Any, weights: list[tuple[Any, float]]) -> Any:
        """The weights of all legal moves as a row of the policy, which sums to 1."""
        row = self._numpy.zeros(self.actions, self._numpy.float32)
        total = sum(weight for _, weight in weights)
        indices = self._user.ask("indices", state, [move for move, _ in weights], self.actions)
        for index, (_, weight) in zip(indices, weights, strict=True):
            row[index] = weight / total
        return row

    def blank(self) -> tuple[Any, ...]:
        """A dummy row: it gives the arrays of an empty shard their shapes and types."""
        nothing = on_scale([0.0] * (self.start.players if self._general else 2), 0)
        planes = self.observation(self._first)
        return planes, self._numpy.zeros(self.actions, self._numpy.float32), nothing, nothing, 0, 0, 0

    def player(self, state: Any) -> int:
        """The index of the player to move: 0 is +1, 1 is -1."""
        return state.to_move if self._general else 0 if state.to_move == 1 else 1

    def play(self, state: Any, move: Any) -> Any:
        """The position after ``move``."""
        return self._user.ask("child", state, move)

    def returns(self, state: Any) -> list[float] | None:
        """The result for each player, from 0 to 1; None while the game goes on."""
        values: list[float] | None = self._user.ask("values", state)
        return values

    def past_chance(self, state: Any, seed: int, step: int) -> tuple[Any, int]:
        """The next position in which a player is to move or the game is over, and the number of its step."""
        while self._general and state.to_move == CHANCE and self.returns(state) is None:
            if step > LONGEST_GAME:
                raise GameError(f"a game of {type(state).__name__} did not end within {LONGEST_GAME} moves")
            outcomes = self._user.ask("outcomes", state)
            state = self.play(state, drawn(outcomes, seed_of(seed, 2 * step + 1)))
            step += 1
        return state, step


class Game:
    """A game in progress."""

    def __init__(self, table: Table, number: int, seed: int) -> None:
        self.number = number
        self._table = table
        self._seed = seed_of(seed, number)
        self._rows: list[tuple[Any, Any, int, list[float], int]] = []
        self.state, self._step = table.past_chance(table.start, self._seed, 0)
        self.results: list[float] | None = table.returns(self.state)

    @property
    def seed(self) -> int:
        """The seed of the next search."""
        return seed_of(self._seed, 2 * self._step)

    def take(self, result: Result, temperature: float, temperature_plies: int) -> None:
        """Records the result of the search of the position, and plays a move."""
        stats = result.stats
        assert stats is not None
        table, state = self._table, self.state
        move = result.move
        weights = shares(stats)
        if temperature > 0 and len(self._rows) < temperature_plies and not is_settled(stats):
            most = max(weight for _, weight in weights)
            move = drawn([(move, (weight / most) ** (1 / temperature)) for move, weight in weights],
                         seed_of(self._seed, 2 * self._step + 1))
        means = list(stats.values) if stats.values is not None else [stats.value, 1 - stats.value]
        if stats.values is None and table.player(state):
            means.reverse()
        self._rows.append((table.observation(state), table.policy(state, weights), table.player(state), means,
                           table.action(state, move)))
        if self._step >= LONGEST_GAME:
            raise GameError(f"a game of {type(state).__name__} did not end within {LONGEST_GAME} moves")
        self.state, self._step = table.past_chance(table.play(state, move), self._seed, self._step + 1)
        self.results = table.returns(self.state)

    def columns(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the finished game, in the order of the arrays."""
        assert self.results is not None
        for ply, (planes, policy, player, means, action) in enumerate(self._rows):
            yield (planes, policy, on_scale(self.results, player), on_scale(means, player), action, self.number, ply)


class Games:
    """Games of one table in shards. Each shard starts anew, so its contents do not depend on earlier shards."""

    def __init__(
        self, table: Table, engines: list[Searcher], *, seed: int, games: int, iterations: int, temperature: float,
        temperature_plies: int, together: int, shard_games: int,
    ) -> None:
        self._table = table
        self._engines = engines
        self._cores: list[GeneralCore] = []
        self._seed = seed
        self._iterations = iterations
        self._temperature = temperature
        self._temperature_plies = temperature_plies
        self._together = together
        self._shard_games = shard_games
        self.games = games
        self.shards = -(-games // shard_games)

    def numbers(self, shard: int) -> range:
        """The games of a shard."""
        return range(shard * self._shard_games, min((shard + 1) * self._shard_games, self.games))

    def play(
        self, shards: Iterable[int], done: int, report: Callable[[int, int, int, float], object]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Plays ``shards`` and yields each with its arrays. ``report`` receives the number of finished games (including
        ``done`` games of earlier calls), positions, evaluations and seconds."""
        begin, positions, evaluations = clock(), 0, 0
        for shard in shards:
            ahead = iter(self.numbers(shard))
            running: list[Game] = []
            over: list[Game] = []
            told = 0
            while True:
                while len(running) < self._together and (number := next(ahead, None)) is not None:
                    game = self._at(number, Game, self._table, number, self._seed)
                    (running if game.results is None else over).append(game)  # chance alone may have ended it
                if not running:
                    if len(over) > told:
                        report(done + len(over), positions, evaluations, clock() - begin)
                    break
                for game, result in zip(running, self._search(running), strict=True):
                    self._at(game.number, game.take, result, self._temperature, self._temperature_plies)
                    positions += 1
                    evaluations += 0 if result.stats is None else result.stats.rollouts
                over += [game for game in running if game.results is not None]
                running = [game for game in running if game.results is None]
                told = len(over)
                report(done + told, positions, evaluations, clock() - begin)
            done += len(over)
            yield shard, self._arrays(over)

    def _search(self, running: list[Game]) -> list[Result]:
        """Searches the current positions of all games."""
        batch = _Batch([game.state for game in running], None, self._iterations, [game.seed for game in running])
        if "evaluator" in self._engines[0]._options.conditional:
            batch.work_together(self._engines[0], self._cores, len(self._engines) > 1)
        elif len(self._engines) == 1:
            batch.work(self._engines[0])
        else:
            batch.run(self._engines)
        for game, result in zip(running, batch.results, strict=True):
            if result.error is not None:
                raise _named(result.error, game.number)
        return batch.results

    def _at(self, number: int, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except GameError as error:
            raise _named(error, number) from None

    def _arrays(self, over: list[Game]) -> dict[str, Any]:
        numpy = import_numpy()
        rows = [row for game in sorted(over, key=lambda game: game.number) for row in game.columns()]
        planes, policies, results, values, actions, games, plies = zip(*(rows or [self._table.blank()]), strict=True)
        arrays = {
            "observations": numpy.stack(planes), "policies": numpy.stack(policies),
            "results": numpy.array(results, numpy.float32), "values": numpy.array(values, numpy.float32),
            "actions": numpy.array(actions, numpy.int32), "games": numpy.array(games, numpy.int32),
            "plies": numpy.array(plies, numpy.int32),
        }
        return arrays if rows else {name: array[:0] for name, array in arrays.items()}


def is_settled(stats: Stats) -> bool:
    """Whether the search has proven what the position is worth, so that no other move can be better."""
    return stats.proven is not None or stats.stop_reason == "solved"


def shares(stats: Stats) -> list[tuple[Any, float]]:
    """Returns the weight of each legal move: its share of the improved policy if the search has one, else its visits.
    """
    if is_settled(stats):
        return [(entry.move, float(entry.move == stats.move)) for entry in stats.moves]
    least = max((entry.bounds[0] for entry in stats.moves if entry.bounds is not None), default=0.0) - ROUNDING
    found = [(entry.move, 0.0 if entry.proven == "loss" or (entry.bounds is not None and entry.bounds[1] < least) else
              entry.policy if entry.policy is not None else float(entry.visits)) for entry in stats.moves]
    if any(weight for _, weight in found):
        return found
    return [(move, float(move == stats.move)) for move, _ in found]


def drawn(weights: list[tuple[Any, float]], number: int) -> Any:
    """The choice that a random number below 2**64 selects among weights >= 0."""
    at = (number >> 11) * 2.0**-53 * sum(weight for _, weight in weights)
    chosen = None
    for choice, weight in weights:
        if weight > 0:
            chosen = choice
            at -= weight
            if at < 0:
                break
    return chosen


def on_scale(values: list[float], player: int) -> float | list[float]:
    """Converts values from 0 to 1, one for each player, to the scale of evaluators, -1 to 1. With up to two players the
    result is the value of the player to move alone."""
    return 2 * values[player] - 1 if len(values) < 3 else [2 * value - 1 for value in values]


def _named(error: Exception, number: int) -> Exception:
    """The same error with the number of the game in its message."""
    named = type(error)(f"game {number}: {error}")
    named.__cause__ = error
    return named
