"""``mcts-core bench``: rollouts and iterations per second of each game on this machine."""

from __future__ import annotations

from functools import partial
from time import perf_counter

from mcts_core import Searcher, rollouts
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import make_screen
from mcts_core.cli.thinking import delay, shows_progress
from mcts_core.progress import of_parts, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from mcts_core.cli.games import Game
    from mcts_core.cli.options import Commands
    from mcts_core.option_rows import Preset

PRESETS: dict[str, Preset | None] = {"uct": "uct", "default": None}
PARTS = (*PRESETS, "rollouts")
GAMES = ("connect4", "gomoku", "gomoku:20", "mnk:8,8,5", "tictactoe")


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "bench", help="measure rollouts and iterations per second",
        description="Measures every GAME from its first position: textbook UCT\n"
                    "(preset uct), the default search, whose iterations do more, and uniformly\n"
                    "random rollouts. For comparisons, run it on a quiet machine.")
    parser.add_argument("games", metavar="GAME", nargs="*", default=list(GAMES),
                        help=f"games to measure, as in the other commands (default: {' '.join(GAMES)})")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S",
                        help="time for each of the three measurements of a game (default 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of rollouts and searches (default 1)")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="threads of the searches (default 1); rollouts always have one")
    options.add_progress(parser)
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measures and prints; returns the exit code."""
    games = [parse_game(spec) for spec in args.games]
    screen = make_screen(args.color)
    begin = perf_counter()
    with watching(shows_progress(args), partial(of_parts, "measurement", delay(args))) as tell:
        def step(first: int, part: float, what: str) -> None:
            if tell is not None:
                tell((first + part, len(PARTS) * len(games), perf_counter() - begin, what))

        measured = [measure(game, args, partial(step, len(PARTS) * number)) for number, game in enumerate(games)]
        step(0, len(PARTS) * len(games), "")
    if args.json:
        from mcts_core.cli.document import print_json
        from mcts_core.cli.main import version_text

        print_json({"version": version_text(), "seconds": args.seconds, "games": measured})
        return 0
    headings = ["game", "rollouts/s", "uct iterations/s", "bytes/iteration", "default iterations/s", "moves/rollout"]
    screen.table(headings, [
        [row["game"], f"{row['rollouts_per_second']:,.0f}", f"{row['uct']['iterations_per_second']:,.0f}",
         f"{row['uct']['bytes_per_iteration']:.1f}", default_cell(row["default"]), f"{row['mean_length']:.2f}"]
        for row in measured])
    return 0


def default_cell(found: dict[str, Any]) -> str:
    """The rate of a default search; of one that ended with a proof, which may take few iterations, the time."""
    if found["stop_reason"] == "solved":
        return f"solved in {found['seconds']:.3f} s"
    return f"{found['iterations_per_second']:,.0f}"


def measure(game: Game, args: argparse.Namespace, step: Callable[[float, str], None]) -> dict[str, Any]:
    """The figures of one game. ``step`` is told on the way how many of its ``PARTS`` are done."""
    # The searches come first: they refuse a bad --seconds before a loop depends on it.
    searches = {name: searched(game, args, preset, partial(_later, step, part))
                for part, (name, preset) in enumerate(PRESETS.items())}
    count, done, lengths, seconds = 1, 0, 0.0, 0.0
    while seconds < args.seconds:
        step(len(PRESETS) + min(seconds / args.seconds, 1.0), f"{game.spec}, rollouts")
        result = rollouts(game.start, count, seed=args.seed + done)
        done += count
        lengths += result.mean_length * count
        seconds += result.seconds
        if result.seconds < args.seconds / 16:
            count *= 2
    return {
        "game": game.spec,
        "rollouts": done,
        "rollouts_per_second": done / seconds,
        "mean_length": lengths / done,
        **searches,
    }


def _later(step: Callable[[float, str], None], part: int, share: float, what: str) -> None:
    step(part + min(share, 1.0), what)


def searched(
    game: Game, args: argparse.Namespace, preset: Preset | None, step: Callable[[float, str], None]
) -> dict[str, Any]:
    """The figures of one search."""
    engine, what = Searcher(preset=preset, seed=args.seed, threads=args.threads), preset or "default"
    engine.search(game.start, seconds=args.seconds,
                  progress=lambda stats: step(stats.seconds / args.seconds, f"{game.spec}, {what} search"))
    stats = engine.stats()
    return {
        "iterations": stats.iterations,
        "seconds": stats.seconds,
        "iterations_per_second": stats.iterations_per_second,
        "bytes_per_iteration": stats.bytes / stats.iterations,
        "stop_reason": stats.stop_reason,
        "isa": stats.isa,
    }
