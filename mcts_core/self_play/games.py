"""Plays the games of ``selfplay`` and turns their positions into rows of arrays."""

from __future__ import annotations

import hashlib
from collections import deque

from mcts_core.arguments import shorten
from mcts_core.engine.loop import clock
from mcts_core.engine.request import seed_of
from mcts_core.engine.stats_snapshot import BOARDS
from mcts_core.engine.targets import Target
from mcts_core.engine.weighted_draw import drawn
from mcts_core.errors import GameError, GameOver, InvalidState
from mcts_core.game import NativeState, import_numpy
from mcts_core.games.state_kinds import has_member, is_general, refuse_hidden
from mcts_core.games.user_states import UserStates, as_count, endless, require_state
from mcts_core.searches import search_in_turn, search_side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from mcts_core.engine.loop import SearchCore
    from mcts_core.engine.searched_general import GeneralCore
    from mcts_core.searcher import Searcher

LONGEST_GAME = 20_000
"""Moves, including those of chance, after which a game counts as endless."""

DEALS = 100
"""Seeds that are tried for a start in which a player moves."""


class Table:
    """Reads the positions of one game: their rows of the arrays, and their results."""

    def __init__(self, start: Any) -> None:
        self._numpy = import_numpy()
        self.start = start
        self._native = isinstance(start, NativeState)
        self._board = type(start) in BOARDS  # there a move is its index
        self._general = is_general(start)
        if isinstance(start, type):
            require_state(start)  # which tells how to make a position of it
        refuse_hidden(start)
        for name in ("observation", "legal_moves", "play", "returns" if self._general else "winner"):
            if not callable(getattr(start, name, None)):
                raise InvalidState(f"selfplay needs states with a method {name}(), but {shorten(start)} has none")
        if not has_member(start, "to_move"):
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
            self._first = self.past_chance(start, seed, 0)[-1]
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

    def policy(self, state: Any, found: Target) -> Any:
        """The share of every legal move as a row of the policy, which sums to 1."""
        row = self._numpy.zeros(self.actions, self._numpy.float32)
        moves = found.moves
        found.write(row, moves if self._board else self._user.ask("indices", state, moves, self.actions))
        return row

    def blank(self) -> tuple[Any, ...]:
        """A dummy row: it gives the arrays of an empty shard their shapes and types."""
        nothing = self.on_scale([0.0] * (self.start.players if self._general else 2), 0)
        planes = self.observation(self._first)
        return planes, self._numpy.zeros(self.actions, self._numpy.float32), nothing, nothing, 0, 0, 0

    def player(self, state: Any) -> int:
        """The index of the player to move: 0 is +1, 1 is -1; -1 is chance."""
        player: int = self._user.ask("mover", state)
        return player

    def play(self, state: Any, move: Any) -> Any:
        """The position after ``move``."""
        return self._user.ask("child", state, move)

    def returns(self, state: Any) -> list[float] | None:
        """The result for each player, from 0 to 1; None while the game goes on."""
        values: list[float] | None = self._user.ask("values", state)
        return values

    def past_chance(self, state: Any, seed: int, step: int) -> list[Any]:
        """The positions from ``state``, which has the number ``step`` in its game, up to the first one in which a
        player is to move or the game is over."""
        states = [state]
        while self._general and self.returns(state) is None and self.player(state) < 0:
            if step > LONGEST_GAME:
                raise endless("game", state, LONGEST_GAME)
            outcomes, chances = zip(*self._user.ask("outcomes", state), strict=True)
            state = self.play(state, drawn(outcomes, chances, seed_of(seed, 2 * step + 1)))
            states.append(state)
            step += 1
        return states

    def rewards_on(self, states: list[Any]) -> list[float]:
        """What a move that leads through ``states`` gives every player; empty if the game is not scored."""
        if not self._user.scored:
            return []
        return [sum(gains) for gains in zip(*[self._user.ask("rewards", state) for state in states], strict=True)]

    def before(self, values: list[float], rewards: list[float]) -> list[float]:
        """The results before a move that gave ``rewards``, from the results after it."""
        return [reward + self._user.discount * value
                for reward, value in zip(rewards, values, strict=True)] if self._user.scored else values

    def on_scale(self, values: list[float], player: int) -> float | list[float]:
        """Converts values of all players to what evaluators return: the value of the player to move where it determines
        the others, otherwise a value for each player; from -1 to 1, except in scored games."""
        if self._user.scored:
            return values[0] if len(values) == 1 else values
        return 2 * values[player] - 1 if len(values) < 3 else [2 * value - 1 for value in values]


class Game:
    """A game in progress."""

    def __init__(self, table: Table, number: int, seed: int) -> None:
        self.number = number
        self._table = table
        self._seed = seed_of(seed, number)
        self._rows: list[tuple[Any, Any, int, list[float], int, list[float]]] = []
        passed = table.past_chance(table.start, self._seed, 0)
        self.state, self._step = passed[-1], len(passed) - 1
        self.results: list[float] | None = table.returns(self.state)

    @property
    def seed(self) -> int:
        """The seed of the next search."""
        return seed_of(self._seed, 2 * self._step)

    def take(self, found: Target, temperature: float, temperature_plies: int) -> None:
        """Records what the search of the position found, and plays a move."""
        table, state = self._table, self.state
        move = found.move
        if temperature > 0 and len(self._rows) < temperature_plies and not found.settled:
            move = found.drawn(1 / temperature, seed_of(self._seed, 2 * self._step + 1))
        means = list(found.values) if found.values is not None else [found.value, 1 - found.value]
        if found.values is None and table.player(state):
            means.reverse()
        row = (table.observation(state), table.policy(state, found), table.player(state), means,
               table.action(state, move))
        if self._step >= LONGEST_GAME:
            raise endless("game", state, LONGEST_GAME)
        passed = table.past_chance(table.play(state, move), self._seed, self._step + 1)
        self._rows.append((*row, table.rewards_on(passed)))
        self.state, self._step = passed[-1], self._step + len(passed)
        self.results = table.returns(self.state)

    def columns(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the finished game, in the order of the arrays."""
        assert self.results is not None
        table = self._table
        results = [self.results]  # after the last move, before it, and so on to the first one
        for *_, rewards in reversed(self._rows):
            results.append(table.before(results[-1], rewards))
        for ply, (planes, policy, player, means, action, _) in enumerate(self._rows):
            yield (planes, policy, table.on_scale(results[len(self._rows) - ply], player),
                   table.on_scale(means, player), action, self.number, ply)


class Shard:
    """The games of one shard, as a feed of their positions (``searches.Feed``)."""

    def __init__(
        self, table: Table, seed: int, numbers: range, temperature: float, temperature_plies: int,
        moved: Callable[[Shard], object],
    ) -> None:
        self._table = table
        self._seed = seed
        self._ahead = iter(numbers)
        self._temperature = temperature
        self._temperature_plies = temperature_plies
        self._moved = moved
        self._ready: deque[Game] = deque()
        self.over: list[Game] = []
        self.positions = self.evaluations = 0

    def next(self) -> tuple[Game, Any, int] | None:
        while not self._ready:
            number = next(self._ahead, None)
            if number is None:
                return None
            game = _at(number, Game, self._table, number, self._seed)
            (self._ready if game.results is None else self.over).append(game)  # chance alone may have ended it
        game = self._ready.popleft()
        return game, game.state, game.seed

    def read(self, core: SearchCore) -> Target:
        return Target(core)

    def done(self, game: Game, found: Target | None, error: Exception | None) -> None:
        if found is None:
            raise _named(error or GameError("the search found nothing"), game.number)
        _at(game.number, game.take, found, self._temperature, self._temperature_plies)
        self.positions += 1
        self.evaluations += found.rollouts
        (self._ready if game.results is None else self.over).append(game)
        self._moved(self)


class Games:
    """Games of one table in shards. Each shard starts anew, so its contents do not depend on earlier shards."""

    def __init__(
        self, table: Table, engines: list[Searcher], *, seed: int, games: int, iterations: int, temperature: float,
        temperature_plies: int, together: int, shard_games: int, threads: int,
    ) -> None:
        self._table = table
        self._engines = engines
        self._cores: list[GeneralCore] = []
        self._seed = seed
        self._iterations = iterations
        self._temperature = temperature
        self._temperature_plies = temperature_plies
        self._together = together
        self._threads = threads
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

        def tell(shard: Shard) -> None:
            report(done + len(shard.over), positions + shard.positions, evaluations + shard.evaluations,
                   clock() - begin)

        def moved(shard: Shard) -> None:
            if shard.positions % self._together == 0:
                tell(shard)

        for number in shards:
            numbers = self.numbers(number)
            shard = Shard(self._table, self._seed, numbers, self._temperature, self._temperature_plies, moved)
            self._search(shard, len(numbers))
            if shard.positions % self._together or shard.positions == 0:
                tell(shard)
            done += len(shard.over)
            positions += shard.positions
            evaluations += shard.evaluations
            yield number, self._arrays(shard.over)

    def _search(self, shard: Shard, games: int) -> None:
        if "evaluator" in self._engines[0]._options.conditional:
            search_side_by_side(shard, self._engines[0], self._iterations, self._together, games, self._threads,
                                self._cores)
        else:
            search_in_turn(shard, self._engines[:games], None, self._iterations)

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


def _at(number: int, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except GameError as error:
        raise _named(error, number) from None


def _named(error: Exception, number: int) -> Exception:
    """The same error with the number of the game in its message."""
    named = type(error)(f"game {number}: {error}")
    named.__cause__ = error
    return named
