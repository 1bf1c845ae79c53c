"""``mcts-core bench``: rollouts and iterations per second of each game on this machine."""

from mcts_core import rollouts
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.tables import make_screen

GAMES = ("connect4", "gomoku", "gomoku:20", "mnk:8,8,5", "tictactoe")


def add_parser(commands):
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "bench", help="measure rollouts and iterations per second",
        description="Measures every GAME from its first position, on one thread: a search and\n"
                    "uniformly random rollouts. For comparisons, run it on a quiet machine.")
    parser.add_argument("games", metavar="GAME", nargs="*", default=list(GAMES),
                        help=f"games to measure, as in the other commands (default: {' '.join(GAMES)})")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S",
                        help="time for each of the two measurements of a game (default 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of rollouts and search (default 1)")
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run, iterations=None, exploration=None, final_move=None, memory_mb=None)


def run(args):
    """Measures and prints; returns the exit code."""
    games = [parse_game(spec) for spec in args.games]
    screen = make_screen(args.color)
    measured = [measure(game, args) for game in games]
    if args.json:
        from mcts_core.cli.document import print_json
        from mcts_core.cli.main import version_text

        print_json({"version": version_text(), "seconds": args.seconds, "games": measured})
        return 0
    headings = ["game", "rollouts/s", "iterations/s", "moves/rollout", "bytes/iteration"]
    screen.table(headings, [
        [row["game"], f"{row['rollouts_per_second']:,.0f}", f"{row['iterations_per_second']:,.0f}",
         f"{row['mean_length']:.2f}", f"{row['bytes_per_iteration']:.1f}"]
        for row in measured])
    return 0


def measure(game, args):
    """The figures of one game."""
    # The search comes first: it is the one to refuse a bad --seconds, before a loop depends on it.
    engine = options.make_engine(args)
    engine.search(game.start, **options.budget(args))
    stats = engine.stats()
    count, done, lengths, seconds = 1, 0, 0.0, 0.0
    while seconds < args.seconds:
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
        "iterations": stats.iterations,
        "iterations_per_second": stats.iterations_per_second,
        "bytes_per_iteration": stats.bytes / stats.iterations,
        "stop_reason": stats.stop_reason,
        "isa": stats.isa,
    }
