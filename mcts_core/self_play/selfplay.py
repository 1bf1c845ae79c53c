"""Games that the search plays against itself, as arrays for training: ``selfplay``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, overload

from mcts_core.arguments import as_int, shorten
from mcts_core.errors import InvalidOption
from mcts_core.game import import_numpy
from mcts_core.keywords import refuse
from mcts_core.many import MEMORY_MB, TOGETHER
from mcts_core.options import MAX_ITERATIONS, MAX_SEED, NAMES, as_number, random_seed
from mcts_core.searcher import Searcher
from mcts_core.self_play.files import Folder, read
from mcts_core.self_play.games import LONGEST_GAME, Games, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike
    from pathlib import Path
    from typing import Any, Unpack

    from mcts_core.keywords import SelfPlayOptions

MOST_GAMES = 2**31 - 1
_OWN = ("games", "iterations", "folder", "seed", "temperature", "temperature_plies", "together", "shard_games",
        "threads", "label", "progress")
_ELSEWHERE = {"seconds": "search(); games that can be repeated need iterations"}


@dataclass(frozen=True, slots=True, eq=False)
class SelfPlayData:
    """N positions of finished games: game after game, each from its first position to its last one.

    Results and values are on the scale of evaluators, from -1 (lost) to 1 (won). With up to two players they have the
    shape ``[N]`` and are for the player to move; with more players they have the shape ``[N, players]``.
    """

    observations: Any
    """float32 ``[N, C, H, W]``: what an evaluator sees."""
    policies: Any
    """float32 ``[N, A]``: the share of each action in the visits of the search. A row sums to 1."""
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

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SelfPlayData:
        """Reads a file that ``selfplay`` wrote. Raises InvalidFile, OSError, and ImportError without numpy."""
        return cls(**read(path, [field.name for field in fields(cls)]))

    @classmethod
    def join(cls, parts: Iterable[SelfPlayData]) -> SelfPlayData:
        """All positions of ``parts`` in order. Raises InvalidOption if ``parts`` is empty or from different games."""
        numpy = import_numpy()
        given = list(parts)
        if not given or not all(isinstance(part, SelfPlayData) for part in given):
            raise InvalidOption(f"parts must be one or more SelfPlayData, got {shorten(given)}")
        try:
            return cls(**{field.name: numpy.concatenate([getattr(part, field.name) for part in given])
                          for field in fields(cls)})
        except ValueError as error:
            raise InvalidOption(f"parts must be from one game: {error}") from None


@dataclass(frozen=True, slots=True)
class SelfPlayProgress:
    """The progress of a call of ``selfplay``."""

    games: int
    """Finished games, including those that were in the folder before."""
    total: int
    """Games requested."""
    positions: int
    """Positions that this call has searched."""
    evaluations: int
    """Evaluated leaves, or rollouts, of these searches."""
    seconds: float
    """Seconds since the call started to play."""


@overload
def selfplay(
    start: Any, *, games: int, iterations: int, folder: None = None, seed: int | None = None, temperature: float = 1.0,
    temperature_plies: int = 30, together: int = 128, shard_games: int = 512, threads: int = 1, label: str = "",
    progress: bool | Callable[[SelfPlayProgress], object] = False, **options: Unpack[SelfPlayOptions],
) -> Iterator[SelfPlayData]: ...


@overload
def selfplay(
    start: Any, *, games: int, iterations: int, folder: str | PathLike[str], seed: int | None = None,
    temperature: float = 1.0, temperature_plies: int = 30, together: int = 128, shard_games: int = 512,
    threads: int = 1, label: str = "", progress: bool | Callable[[SelfPlayProgress], object] = False,
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
    progress: bool | Callable[[SelfPlayProgress], object] = False,
    **options: Unpack[SelfPlayOptions],
) -> Iterator[SelfPlayData] | list[Path]:
    """Plays ``games`` games of the search against itself from ``start`` and returns their positions as arrays.

    The games are grouped in shards of ``shard_games`` games. Without a ``folder``, the function returns an iterator
    that plays the next shard on request and yields it as SelfPlayData. With a ``folder``, it plays all games, writes
    each shard as a numpy file (.npz), and returns the paths. Files are written atomically. To continue an interrupted
    call, or to add ``games``, repeat it with the same folder: the files will be the same as without the interruption.

    start: a position with observations. A game written in Python, ordinary or general, needs ``observation()``, an
        attribute ``actions`` and, if its moves are not ints below that, ``action(move)``.
    games: 1 to 2**31 - 1.
    iterations: iterations of the search of each move, 1 to 2**30 - 1.
    seed: an int in [0, 2**64), by default the folder's seed or a new one. It determines, with the number of the game,
        all seeds of that game.
    temperature, temperature_plies: the first ``temperature_plies`` moves of a game are drawn with probabilities in
        proportion to visits ** (1 / temperature), with ``temperature`` from 0 to 1e6. The search chooses the other
        moves, and with temperature 0 all moves (Silver et al., Science 362, 2018, supplementary pseudocode).
    together: the number of games played side by side, 1 to 256. With an ``evaluator``, their leaves are evaluated in
        common batches of up to ``together * batch``. A finished game makes room for the next one of its shard.
    shard_games: >= 1. If the call is interrupted, the unfinished shard is lost.
    threads: 1 to 1024 searches at a time, if there is no ``evaluator``. Results do not depend on it.
    label: a text that the folder stores and compares. Use it for what the folder cannot see, such as the name of the
        network.
    progress: True draws a bar on the terminal (extra [rich]). A function is called with a SelfPlayProgress after each
        round of moves in the games side by side. An exception that it raises ends the call and is raised from it.
    options: those of ``Searcher``, such as ``evaluator``, ``noise_alpha``, ``preset``. Two have other defaults:
        ``batch`` is 1, since a batch has leaves of many games, and ``memory_mb`` is 256 for each game.

    In ``policies``, a move that is a proven loss gets no share while other moves remain. If the value of the position
    is proven, the chosen move gets the whole share.

    Raises InvalidOption (also if the folder was made with other settings), InvalidState, GameOver, GameError,
    EvaluatorError, InvalidFile, OSError, and ImportError without numpy (extra [numpy]). Finished shards stay in the
    folder.
    """
    if not options.keys() <= NAMES:
        unknown = {name: value for name, value in options.items() if name not in NAMES}
        refuse("selfplay", unknown, (*_OWN, *NAMES), _ELSEWHERE)
    import_numpy()
    count = as_int(games, "games", 1, MOST_GAMES)
    as_int(iterations, "iterations", 1, MAX_ITERATIONS)
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
    if not callable(progress) and not isinstance(progress, bool):
        raise InvalidOption(f"progress must be True, False or a function of one argument, got {shorten(progress)}")
    if options.get("evaluator") is not None and options.get("batch") is None:
        options["batch"] = 1
    if options.get("memory_mb") is None:
        options["memory_mb"] = MEMORY_MB
    engines = [Searcher(**options) for _ in range(min(at_a_time, together))]
    table = Table(start)
    engines[0]._request(table.first(), None, iterations)  # raises if an option does not apply to this game
    if folder is None:
        drawn = random_seed() if chosen is None else chosen
        played = Games(table, engines, seed=drawn, games=count, **rules)
        return (data for _, data in _play(played, range(played.shards), 0, progress))
    settings = {**rules, **table.settings(), **_settings(engines[0], table.first()), "label": label}
    kept = Folder(folder, settings, chosen, count)
    played = Games(table, engines, seed=kept.seed, games=count, **rules)
    missing = kept.missing()
    done = count - sum(len(played.numbers(shard)) for shard in missing)
    for shard, data in _play(played, missing, done, progress):
        kept.add(shard, len(played.numbers(shard)), {field.name: getattr(data, field.name) for field in fields(data)})
    return kept.paths()


def _play(
    played: Games, shards: Iterable[int], done: int, progress: bool | Callable[[SelfPlayProgress], object]
) -> Iterator[tuple[int, SelfPlayData]]:
    """The numbers and positions of ``shards``; reports progress on the way."""
    bar = None
    if progress is True:
        from mcts_core.render.progress import Bar

        progress = bar = Bar(played.games)
    try:
        for shard, arrays in played.play(shards, done, _reporter(played.games, progress)):
            yield shard, SelfPlayData(**arrays)
    finally:
        if bar is not None:
            bar.close()


def _reporter(total: int, progress: Any) -> Callable[[int, int, int, float], object]:
    if progress is False:
        return lambda *figures: None
    return lambda games, positions, evaluations, seconds: progress(
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
