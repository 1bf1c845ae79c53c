"""``mcts-core serve``: a page in the browser where a person plays against the engine."""

from __future__ import annotations

import argparse
import os
import sys
import threading

from mcts_core import InvalidOption
from mcts_core.cli import options
from mcts_core.cli.games import parse_game

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.cli.options import Commands

DEFAULT_PORT = 8765
LIMITS = {"sessions": "max_games", "searches": "max_searches", "seconds": "max_seconds", "threads": "max_threads",
          "memory_mb": "memory_mb", "idle_minutes": "idle_minutes"}
"""The limits of the server and the options that set them."""
PATIENCE = 2.0
"""Seconds after Ctrl-C for searches and requests to end."""
DESCRIPTION = """\
A page in the browser where you play against the engine and see how it thinks. It is served on
127.0.0.1, to this machine only, until Ctrl-C."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(commands, "serve", help="play in the browser", description=DESCRIPTION)
    parser.add_argument(
        "game", metavar="GAME", nargs="?", default="connect4",
        help="the first game of the page (default connect4): connect4, gomoku, mnk:M,N,K, tictactoe or "
             "module:Class, see below")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N",
        help=f"the port (default {DEFAULT_PORT}; 0: any that is free)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument(
        "--seconds", type=float, default=1.0, metavar="S",
        help="time for one move (1); the visitor can change it on the page")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of a search (1); the visitor can change them")
    group = parser.add_argument_group("limits")
    group.add_argument("--max-seconds", type=float, default=60.0, metavar="S", help="longest time for one move (60)")
    group.add_argument(
        "--max-threads", type=int, default=os.cpu_count() or 1, metavar="N",
        help="most threads of one search (default: the processors)")
    group.add_argument("--max-games", type=int, default=16, metavar="N", help="games at a time (16)")
    group.add_argument(
        "--max-searches", type=int, default=2, metavar="N", help="searches at a time (2); further ones wait")
    group.add_argument(
        "--memory-mb", type=float, default=256.0, metavar="MB", help="most memory for the tree of one game (256)")
    group.add_argument(
        "--idle-minutes", type=float, default=120.0, metavar="M",
        help="minutes after which a game without a visitor ends (120)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves until Ctrl-C."""
    from mcts_core.web.games import is_offered
    from mcts_core.web.limits import Limits
    from mcts_core.web.refusals import Refused
    from mcts_core.web.server import Server

    if not 0 <= args.port <= 65535:
        raise InvalidOption(f"--port must be from 0 to 65535, got {args.port}")
    try:
        granted = Limits(**{name: getattr(args, option) for name, option in LIMITS.items()})
    except InvalidOption as error:
        name = str(error).removeprefix("the limit of ").split()[0]
        option = f"--{LIMITS[name].replace('_', '-')}"
        raise InvalidOption(str(error).replace(f"the limit of {name}", option)) from None
    game = parse_game(args.game)
    try:
        name = "" if is_offered(game.start) else game.spec
        server = Server(args.port, game.start, granted, name=name, seconds=args.seconds, threads=args.threads)
    except OSError as error:
        raise InvalidOption(f"port {args.port} cannot be used: {error.strerror}") from None
    except Refused as error:
        raise InvalidOption(f"--{error}") from None
    try:
        print(f"the page is at {server.url} (Ctrl-C ends it)", flush=True)
        if args.open:
            import webbrowser

            webbrowser.open(server.url)
        server.serve_forever()
    except KeyboardInterrupt:
        closing = threading.Thread(target=server.close, daemon=True)
        closing.start()
        closing.join(PATIENCE)
        if closing.is_alive():  # the user's game does not return, and the interpreter would wait for its threads
            print("\ninterrupted", file=sys.stderr, flush=True)
            os._exit(130)
        raise
    finally:
        server.close()
    return 0
