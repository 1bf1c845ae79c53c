"""``mcts-core gomocup``: the engine for managers of five in a row."""

from __future__ import annotations

import argparse
import sys

from mcts_core.cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.cli.options import Commands

DESCRIPTION = """\
An engine for five in a row that speaks the Gomocup (Piskvork) protocol on standard input and
output. --seconds and --iterations bound every move besides the limits that the manager sets.
--ponder is for managers that give each engine a core of its own."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "gomocup", help="play five in a row for a Gomocup (Piskvork) manager", description=DESCRIPTION,
        formatter_class=options.HelpFormatter)
    options.add_search_options(parser, protocol=True)
    parser.add_argument(
        "--ponder", action="store_true",
        help="search in the opponent's time, too, for as long as a turn may take (default: not)")
    options.add_log(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays until the manager ends it; returns the exit code."""
    from mcts_core.bots.gomocup import Gomocup, rehearse
    from mcts_core.bots.lines import serve, standard_lines

    with standard_lines(args.log) as lines:
        chosen = {"seconds": args.seconds, "iterations": args.iterations, "ponder": args.ponder}
        chosen |= options.searcher_options(args)
        engine = Gomocup(lines, margin=rehearse(**chosen), **chosen)
        serve(engine, lines)
    return 0


def pbrain() -> int:
    """The program ``pbrain-mcts_core``: managers know an engine by the first part of its name."""
    from mcts_core.cli.main import main

    return main(["gomocup", *sys.argv[1:]])
