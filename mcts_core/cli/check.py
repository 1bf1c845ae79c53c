"""``mcts-core check GAME``: plays random games and tells where the game breaks its contract."""

from __future__ import annotations

import argparse
from functools import partial

from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.thinking import delay, shows_progress
from mcts_core.progress import of_checks, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.cli.options import Commands

BROKEN = 3
"""The exit code where a problem was found."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands,
        "check",
        help="play random games and report where a game breaks its contract",
        description="Plays random games of GAME, your own above all, and reports where it breaks the contract\n"
        "of a position: see mcts_core.check_game. The exit code is 3 if it does.",
    )
    options.add_game(parser)
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games to play (default 2000)")
    parser.add_argument(
        "--seconds", type=float, default=60.0, metavar="S", help="start no further game after S seconds (default 60)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the same seed plays the same games (default 0)"
    )
    parser.add_argument(
        "--max-plies",
        type=int,
        default=10_000,
        metavar="N",
        help="a game with more moves counts as endless (default 10000)",
    )
    options.add_progress(parser)
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Checks and prints; returns the exit code."""
    from mcts_core import check_game
    from mcts_core.cli.tables import make_screen

    screen = make_screen(args.color)
    with watching(shows_progress(args), partial(of_checks, delay(args))) as progress:
        report = check_game(
            parse_game(args.game, general=True).start, args.games, seconds=args.seconds, seed=args.seed,
            max_plies=args.max_plies, progress=progress)
    if args.json:
        from mcts_core.cli.document import print_json

        print_json(report.to_dict())
    else:
        for line in str(report).splitlines():
            screen.text(line)
    return 0 if report.ok else BROKEN
