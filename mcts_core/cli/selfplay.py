"""``mcts-core selfplay GAME``: the engine plays whole games against itself."""

from mcts_core import InvalidOption
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import best, expectation, make_screen, show_board, show_stats


def add_parser(commands):
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "selfplay", help="watch the engine play against itself",
        description="Plays whole games, showing before each move the board and the statistics of\nthe search.")
    options.add_game(parser)
    parser.add_argument("--games", type=int, default=1, metavar="N",
                        help="number of games (default 1); game i is played with --seed plus i, from 0")
    options.add_top(parser)
    options.add_search_options(parser)
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run)


def run(args):
    """Plays and prints; returns the exit code."""
    if args.games < 1:
        raise InvalidOption(f"--games must be 1 or more, got {args.games}")
    game = parse_game(args.game)
    if game.start.winner() is not None:
        raise InvalidOption(f"GAME {args.game!r}: the first position is a finished game")
    screen = None if args.json else make_screen(args.color)
    records = []
    for number in range(args.games):
        if screen:
            title = game.title if args.games == 1 else f"{game.title}: game {number + 1} of {args.games}"
            screen.heading(title)
            screen.text()
        engine = options.make_engine(args, seed=None if args.seed is None else args.seed + number)
        records.append(play_game(game, engine, options.budget(args), screen, args.top))
    totals = {
        "first_wins": sum(record["winner"] == 1 for record in records),
        "draws": sum(record["winner"] == 0 for record in records),
        "second_wins": sum(record["winner"] == -1 for record in records),
    }
    if args.json:
        from mcts_core.cli.document import print_json

        print_json({"game": args.game, "games": records, **totals})
    elif args.games > 1:
        screen.heading(
            f"{args.games} games: {game.side(1)} won {totals['first_wins']}, {game.side(-1)} won "
            f"{totals['second_wins']}, drawn {totals['draws']}")
    return 0


def play_game(game, engine, limits, screen, top):
    """Plays one game and returns its record; shows it on ``screen`` unless that is None."""
    state = game.start
    searches = []
    while state.winner() is None:
        if screen:
            screen.heading(f"move {len(searches) + 1}, {game.side(state.to_move)} to move")
            show_board(screen, game, state)
            screen.text()
        move = engine.search(state, **limits)
        stats = engine.stats()
        if screen:
            show_stats(screen, game, stats, top)
            screen.heading(f"{game.side(state.to_move)} plays {game.format_move(move)}, {expectation(stats)}")
            screen.text()
        searches.append({
            "to_move": state.to_move,
            "move": move,
            "move_text": game.format_move(move),
            "value": best(stats).value,
            "visits": best(stats).visits,
            "proven": stats.proven,
            "distance": stats.distance,
            "stop_reason": stats.stop_reason,
            "iterations": stats.iterations,
            "seconds": stats.seconds,
            "iterations_per_second": stats.iterations_per_second,
        })
        state = state.play(move)
    if screen:
        show_board(screen, game, state)
        screen.heading(f"{game.result(state)} after {len(searches)} moves")
        screen.text()
    return {"winner": state.winner(), "plies": len(searches), "position": str(state), "searches": searches}
