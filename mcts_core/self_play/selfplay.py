"""Games that the search plays against itself, as arrays for training: ``selfplay``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, overload

from mcts_core.arguments import as_int, as_number, shorten
from mcts_core.engine.request import MOST_ITERATIONS
from mcts_core.errors import InvalidOption
from mcts_core.field_docs import documented
from mcts_core.game import import_numpy
from mcts_core.many import MEMORY_MB, TOGETHER
from mcts_core.option_rows import MAX_SEED, NAMES, as_progress, refuse
from mcts_core.options import limit_memory, random_seed
from mcts_core.progress import of_games, watching
from mcts_core.searcher import Searcher
from mcts_core.self_play.files import Folder, read, write
from mcts_core.self_play.games import LONGEST_GAME, Games, Table
from mcts_core.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike
    from pathlib import Path
    from typing import Any, Unpack

    from mcts_core.option_rows import SelfPlayOptions

MOST_GAMES = 2**31 - 1
_OWN = ("games", "iterations", "folder", "seed", "temperature", "temperature_plies", "together", "shard_games",
        "threads", "label", "progress")
_ELSEWHERE = {"seconds": "search(); games that can be repeated need iterations"}


@documented
@dataclass(frozen=True, slots=True, eq=False)
class SelfPlayData:
    """N positions of finished games: game after game, each from its first position to its last one.

    Results and values are from -1 (lost) to 1 (won), for the player to move, with the shape ``[N]``. In games of three
    or more players their shape is ``[N, players]``, with a number for each player in their order.

    In games with rewards or a discount, results are the discounted sums of the rewards after each position, including
    ``returns()`` at the end, and values the means that the search found for these sums. Both are in the units of the
    rewards. With two or more players, their shape is ``[N, players]``.
    """

    observations: Any
    """float32 ``[N, C, H, W]``: what an evaluator sees."""
    policies: Any
    """float32 ``[N, A]``: the share of each action in the visits of the search, or in its improved policy with
    ``root_policy="gumbel"``. The sum of a row is 1."""
    results: Any
    """float32: the result of the game."""
    values: Any
    """float32: the mean result of the search."""
    actions: Any
    """int32 ``[N]``: the index in the policy of the move that was played."""
    games: Any
    """int32 ``[N]``: the number of the game."""
    plies: Any
    """int32 ``[N]``: 0 for the first position of a game; moves of chance are not counted."""

    def __len__(self) -> int:
        return len(self.games)

    def __repr__(self) -> str:
        games = len(set(self.games.tolist()))
        return (f"<SelfPlayData {counted(len(self), 'position')} of {counted(games, 'game')}  "
                f"observations {self.observations.shape[1:]}  {counted(self.policies.shape[1], 'action')}>")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SelfPlayData:
        """Reads the file ``path`` that ``selfplay`` or ``save`` wrote. Raises InvalidFile, OSError, and ImportError
        without numpy."""
        return cls(**read(path, [field.name for field in fields(cls)]))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file that ``load`` reads, completely or not at all. Raises InvalidOption if ``path`` is not a path,
        OSError."""
        write(path, {field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def join(cls, parts: Iterable[SelfPlayData]) -> SelfPlayData:
        """Joins all positions of ``parts`` in their order. Raises InvalidOption if there are no parts, or if they are
        not of the same game."""
        numpy = import_numpy()
        given = list(parts)
        if not given or not all(isinstance(part, SelfPlayData) for part in given):
            raise InvalidOption(f"parts must be one or more SelfPlayData, got {shorten(given)}")
        try:
            return cls(**{field.name: numpy.concatenate([getattr(part, field.name) for part in given])
                          for field in fields(cls)})
        except ValueError as error:
            raise InvalidOption(f"parts must be from one game: {error}") from None


@documented
@dataclass(frozen=True, slots=True)
class SelfPlayProgress:
    """The progress of a call of ``selfplay``."""

    games: int
    """Finished games, including those that were in the folder before."""
    total: int
    """All games of the call."""
    positions: int
    """Positions that this call has searched."""
    evaluations: int
    """Leaves that were evaluated, or rollouts that were played."""
    seconds: float
    """Seconds since the call started to play."""


@overload
def selfplay(
    start: Any, *, games: int, iterations: int, folder: None = None, seed: int | None = None, temperature: float = 1.0,
    temperature_plies: int = 30, together: int = 128, shard_games: int = 512, threads: int = 1, label: str = "",
    progress: bool | Callable[[SelfPlayProgress], object] | None = None, **options: Unpack[SelfPlayOptions],
) -> Iterator[SelfPlayData]: ...


@overload
def selfplay(
    start: Any, *, games: int, iterations: int, folder: str | PathLike[str], seed: int | None = None,
    temperature: float = 1.0, temperature_plies: int = 30, together: int = 128, shard_games: int = 512,
    threads: int = 1, label: str = "", progress: bool | Callable[[SelfPlayProgress], object] | None = None,
    **options: Unpack[SelfPlayOptions],
) -> list[Path]: ...


def selfplay(
    start: Any,
    *,
    games: int,
    iterations: int,
    folder: str | PathLike[str] | None = None,
    seed: int | None = None,
    temperature: float = 1.0,
    temperature_plies: int = 30,
    together: int = 128,
    shard_games: int = 512,
    threads: int = 1,
    label: str = "",
    progress: bool | Callable[[SelfPlayProgress], object] | None = None,
    **options: Unpack[SelfPlayOptions],
) -> Iterator[SelfPlayData] | list[Path]:
    """Lets the search play ``games`` games against itself from ``start`` and returns the positions as arrays.

    Without a ``folder``, it returns an iterator that yields a SelfPlayData for every ``shard_games`` games (a shard). A
    shard is played when the iterator is asked for it. With a ``folder``, it plays all games, writes each shard to a
    file of numpy (.npz) in the folder, and returns the paths. A file is written completely or not at all. If a call was
    interrupted, the same call continues after its last file, and the files are the same as without the interruption.
    A call with more ``games`` continues in the same way.

    start: a position with observations: of this package, or of a game written in Python, ordinary or general, with
        ``observation()``, an attribute ``actions`` and, if its moves are not ints below that, ``action(move)``.
    games: the number of games, 1 to 2**31 - 1.
    iterations: the iterations of the search for each move, 1 to 2**30 - 1.
    folder: the folder for the files; None: no files.
    seed: an int from 0 to 2**64 - 1; by default the seed of the folder, or a new one. The seeds of a game depend on
        it and on the number of the game.
    temperature, temperature_plies: the first ``temperature_plies`` (30) moves of a game are drawn with probabilities
        in proportion to visits ** (1 / temperature), with a temperature from 0 to 1e6. The search chooses the moves
        after them, and all moves if the temperature is 0 (Silver et al., Science 362, 2018, supplementary pseudocode).
        With ``root_policy="gumbel"``, the improved policy takes the place of the visits.
    together: the number of games, 1 to 256, whose leaves an ``evaluator`` gets in one call, in batches of up to
        ``together * batch``. When a game ends, the next game of its shard takes its place.
    shard_games: the games of a shard, >= 1. An interrupted call loses the shard that it had started.
    threads: 1 to 1024 searches at a time. With an ``evaluator`` and 2 or more threads, twice as many games run, and a
        second thread calls it with the leaves of one half of them, while the next leaves of the other half are
        gathered: by one thread, or by all others in games of this package and native ones. The results do not depend on
        ``threads`` (with an evaluator: if what it returns for a position does not depend on the other positions of the
        batch).
    label: a text that the folder keeps and compares, for what it cannot see itself, such as which network plays.
    progress: True draws a bar. A function gets a SelfPlayProgress after every ``together`` positions of a shard, and at
        its end. It is called in the thread that searched the last of them, one call at a time. If it raises an
        exception, the call ends and raises that exception.
    options: those of ``Searcher``, such as ``evaluator``, ``noise_alpha``, ``preset``. Two have other defaults:
        ``batch`` is 1, because a batch has leaves of many games, and ``memory_mb``, for each game, is 256.

    In ``policies``, a move that is proven lost, or proven worse than another one, gets no share, unless all moves are
    lost. If the value of the position is proven, the move that the search chooses has the whole share.

    Raises InvalidOption (also if the folder was made with other settings), InvalidState, GameOver, GameError,
    EvaluatorError, InvalidFile, OSError, and ImportError without numpy (extra [numpy]). Files that were written stay.
    """
    if not options.keys() <= NAMES:
        unknown = {name: value for name, value in options.items() if name not in NAMES}
        refuse("selfplay", unknown, (*_OWN, *NAMES), _ELSEWHERE)
    import_numpy()
    count = as_int(games, "games", 1, MOST_GAMES)
    as_int(iterations, "iterations", 1, MOST_ITERATIONS)
    chosen = None if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    rules: dict[str, Any] = {
        "iterations": iterations,
        "temperature": as_number(temperature, "temperature", 0.0, 1e6),
        "temperature_plies": as_int(temperature_plies, "temperature_plies", 0, LONGEST_GAME),
        "together": as_int(together, "together", 1, TOGETHER),
        "shard_games": as_int(shard_games, "shard_games", 1, MOST_GAMES),
    }
    at_a_time = as_int(threads, "threads", 1, 1024)
    if not isinstance(label, str):
        raise InvalidOption(f"label must be a str, got {shorten(label)}")
    watch = as_progress(progress, "a SelfPlayProgress")
    if options.get("evaluator") is not None and options.get("batch") is None:
        options["batch"] = 1
    limit_memory(options, MEMORY_MB)
    engines = [Searcher(**options) for _ in range(1 if options.get("evaluator") is not None else at_a_time)]
    table = Table(start)
    engines[0]._request(table.first(), None, iterations)  # raises if an option does not apply to this game
    if folder is None:
        drawn = random_seed() if chosen is None else chosen
        played = Games(table, engines, seed=drawn, games=count, threads=at_a_time, **rules)
        return (data for _, data in _play(played, range(played.shards), 0, watch))
    settings = {**rules, **table.settings(), **_settings(engines[0], table.first()), "label": label}
    kept = Folder(folder, settings, chosen, count)
    played = Games(table, engines, seed=kept.seed, games=count, threads=at_a_time, **rules)
    missing = kept.missing()
    done = count - sum(len(played.numbers(shard)) for shard in missing)
    for shard, data in _play(played, missing, done, watch):
        kept.add(shard, len(played.numbers(shard)), {field.name: getattr(data, field.name) for field in fields(data)})
    return kept.paths()


def _play(
    played: Games, shards: Iterable[int], done: int, progress: bool | Callable[[SelfPlayProgress], object]
) -> Iterator[tuple[int, SelfPlayData]]:
    """The numbers and positions of ``shards``, with what tells how far it is."""
    with watching(progress, of_games) as tell:
        for shard, arrays in played.play(shards, done, _reporter(played.games, tell)):
            yield shard, SelfPlayData(**arrays)


def _reporter(
    total: int, tell: Callable[[SelfPlayProgress], object] | None
) -> Callable[[int, int, int, float], object]:
    if tell is None:
        return lambda *figures: None
    return lambda games, positions, evaluations, seconds: tell(
        SelfPlayProgress(games, total, positions, evaluations, seconds)
    )


def _settings(engine: Searcher, state: Any) -> dict[str, Any]:
    """The options of a search of ``state``, including its defaults, as values for JSON."""
    found = engine.options(state)
    leaves = [name for name in ("evaluator", "policy_value") if found.pop(name, None) is not None]
    found.pop("temperature", None)
    if found.get("network") is not None:
        found["network"] = found["network"].version
    return {**found, "leaves": leaves[0] if leaves else "rollouts", "memory_mb": engine._options.memory / 2**20,
            "stop_early": engine._options.stop_early, "prune": engine._options.prune}
