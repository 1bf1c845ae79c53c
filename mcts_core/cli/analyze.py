"""``mcts-core analyze GAME MOVES``: the statistics of one search and its principal variation."""

from __future__ import annotations

import sys

from mcts_core import InvalidOption
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import diagram, make_screen, show_board, show_stats
from mcts_core.cli.thinking import search_bar, think
from mcts_core.move_names import Names
from mcts_core.solver import completed
from mcts_core.words import expectation

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from mcts_core.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "analyze", help="search one position and show the statistics",
        description="Searches the position after MOVES; shows the statistics of every move and\n"
                    "the principal variation. If the position is solved before the time ends, the rest of the\n"
                    "time goes into the exact value of every move.")
    options.add_game(parser, compiles=True)
    parser.add_argument(
        "moves", metavar="MOVES", nargs="*", default=[],
        help="the moves that lead to the position, such as 4455 or h8 h9 (default: none)")
    parser.add_argument(
        "--base", type=int, choices=(0, 1),
        help="the number of the first column or cell in MOVES (default: 1 in Connect Four, 0 in m,n,k games)")
    options.add_top(parser)
    options.add_progress(parser)
    options.add_search_options(parser)
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Searches and prints; returns the exit code. After Ctrl-C that is what was found so far."""
    game = parse_game(args.game, general=True, compiles=args.compile)
    line = " ".join(args.moves)
    state = game.play_text(line, args.base)
    if game.chances(state):
        raise InvalidOption(f"MOVES {line!r}: chance moves next; add its outcome, one of {game.moves(state)}")
    screen = make_screen(args.color)
    engine = options.make_engine(args)
    limits = options.budget(args)
    interrupted = think(engine, state, limits, search_bar(args, state, limits))
    stats = engine.stats()
    move = stats.move
    if stats.stop_reason == "solved" and not interrupted and limits["seconds"] is not None:
        stats = completed(stats, state, limits["seconds"] - stats.seconds, book=args.book is not False)
    if interrupted:
        print("\ninterrupted: this is what was found so far", file=sys.stderr)
    code = 130 if interrupted else 0
    names = Names(state)
    if args.json:
        from mcts_core.cli.document import print_json

        moves = getattr(state, "moves", None)
        print_json({
            "game": args.game,
            "moves": line if moves is None else list(moves),
            "position": diagram(state),
            "to_move": state.to_move,
            "move": move,
            "move_text": names.of(move),
            "pv_text": names.line(stats.pv),
            "stats": stats.to_dict(),
        })
        return code
    screen.heading(f"{game.title}; {game.side(state.to_move)} to move")
    show_board(screen, game, state)
    screen.text()
    show_stats(screen, names, stats, args.top)
    screen.text()
    screen.heading(f"best move: {names.of(move)}, {expectation(stats)}")
    screen.text(f"principal variation: {' '.join(names.line(stats.pv))}")
    if stats.hint is not None:
        screen.text(f"hint: {stats.hint}")
    return code
