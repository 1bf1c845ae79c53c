"""``mcts-core ugi --game GAME``: the engine for programs that let engines of any game play."""

from __future__ import annotations

from mcts_core.cli import options
from mcts_core.cli.games import parse_game

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from mcts_core.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "ugi", help="play any game by the Universal Game Interface",
        description="An engine that speaks the Universal Game Interface on standard input and output.\n"
                    "--seconds and --iterations bound every move besides the limits of go.")
    parser.add_argument(
        "--game", required=True, metavar="GAME",
        help="connect4, gomoku, mnk:M,N,K, tictactoe or module:Class, see below")
    options.add_search_options(parser, protocol=True)
    options.add_log(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays until it is told to quit; returns the exit code."""
    from mcts_core.bots.lines import serve, standard_lines
    from mcts_core.bots.ugi import UGI, Notation

    with standard_lines(args.log) as lines:
        game = parse_game(args.game)
        engine = UGI(
            lines, Notation(game.start), seconds=args.seconds, iterations=args.iterations,
            **options.searcher_options(args))
        serve(engine, lines)
    return 0
