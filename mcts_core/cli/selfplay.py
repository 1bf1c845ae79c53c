"""``mcts-core selfplay GAME``: the engine plays whole games against itself."""

from __future__ import annotations

from functools import partial
from random import Random
from time import perf_counter

from mcts_core import InvalidOption, WorkersLost
from mcts_core.cli import options
from mcts_core.cli.games import GeneralGame, draw, parse_game
from mcts_core.cli.tables import diagram, make_screen, show_board, show_stats
from mcts_core.cli.thinking import NO_BAR, delay, search_bar, shows_progress
from mcts_core.move_names import Names
from mcts_core.progress import Bar, of_parts, watching
from mcts_core.words import best, counted, expectation

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from mcts_core import Searcher, Stats
    from mcts_core.cli.games import Game
    from mcts_core.cli.options import Commands
    from mcts_core.cli.tables import Screen


NOISE = 1.0
"""``noise_alpha`` in several games of a search that draws nothing at random: without it all games would be the same."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "selfplay", help="watch the engine play against itself",
        description="Plays whole games, showing before each move the board and the statistics of\nthe search.")
    options.add_game(parser, compiles=True)
    parser.add_argument("--games", type=int, default=1, metavar="N",
                        help="number of games (default 1); game i is played with --seed plus i, from 0, and where "
                             "there are several, gomoku's default search has noise at the root, so that they differ")
    parser.add_argument("--workers", type=int, metavar="N",
                        help="games at a time (default 1; with --executor as many as it has workers); with more than "
                             "one, each game is reported in one line")
    parser.add_argument("--executor", metavar="WHERE",
                        help="where games run: processes (default), threads or dask:ADDRESS")
    options.add_top(parser)
    options.add_progress(parser)
    options.add_search_options(parser)
    options.add_output_options(parser, json=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays and prints; returns the exit code."""
    if args.games < 1:
        raise InvalidOption(f"--games must be 1 or more, got {args.games}")
    game = parse_game(args.game, general=True, compiles=args.compile)
    if game.is_over(game.start):
        raise InvalidOption(f"GAME {args.game!r}: the first position is a finished game")
    screen = None if args.json else make_screen(args.color)
    options.make_engine(args)  # what is wrong with the options
    if args.executor is not None or args.workers not in (None, 1):
        records = play_elsewhere(args, game, screen)
    else:
        records = play_here(args, game, screen)
    totals, told = summary(game, records)
    if args.json:
        from mcts_core.cli.document import print_json

        print_json({"game": args.game, "games": records, **totals})
    elif screen and args.games > 1:
        screen.heading(f"{counted(args.games, 'game')}: {told}")
    return 0


def summary(game: Game, records: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    """The results of all games, as data and in words."""
    if isinstance(game, GeneralGame):
        means = [sum(scores) / len(records) for scores in zip(*(record["scores"] for record in records), strict=True)]
        return {"mean_scores": means}, f"on average {game.told(means)}"
    first, draws, second = (sum(record["winner"] == winner for record in records) for winner in (1, 0, -1))
    return ({"first_wins": first, "draws": draws, "second_wins": second},
            f"{game.side(1)} won {first}, {game.side(-1)} won {second}, drawn {draws}")


def play_here(args: argparse.Namespace, game: Game, screen: Screen | None) -> list[dict[str, Any]]:
    """The records of the games, one after the other."""
    records: list[dict[str, Any]] = []
    if screen is not None:
        for number in range(args.games):
            screen.heading(heading(args, game, number))
            screen.text()
            records.append(play_number(args, game, number, screen))
        return records
    begin = perf_counter()
    with games_bar(args) as tell:
        for number in range(args.games):
            record = play_number(args, game, number, None, partial(told, tell, args, number, begin))
            records.append(record)
            told(tell, args, number + 1, begin)
    return records


def games_bar(args: argparse.Namespace) -> watching:
    """The bar of all games, for where the games themselves are not shown."""
    return watching(shows_progress(args), partial(of_parts, "game", delay(args)))


def told(
    tell: Callable[[Any], object] | None, args: argparse.Namespace, games: int, begin: float, what: str = ""
) -> None:
    """Tells the bar of how many games are over."""
    if tell is not None:
        tell((games, args.games, perf_counter() - begin, what))


def play_elsewhere(args: argparse.Namespace, game: Game, screen: Screen | None) -> list[dict[str, Any]]:
    """The records of the games, which an executor plays."""
    from concurrent.futures import BrokenExecutor

    from mcts_core.distributed.executors import Opened

    records: list[dict[str, Any]] = []
    begin = perf_counter()
    with Opened(args.executor, args.workers) as opened, games_bar(args) as tell:
        try:
            for record in opened.executor.map(partial(play_alone, args), range(args.games)):
                records.append(record)
                told(tell, args, len(records), begin)
                if screen:
                    if isinstance(tell, Bar):
                        tell.clear()
                    screen.heading(f"{heading(args, game, len(records) - 1)}: {ending(record)}")
        except BrokenExecutor as error:
            raise WorkersLost(f"a worker ended before its game did: {error}") from error
    return records


def play_alone(args: argparse.Namespace, number: int) -> dict[str, Any]:
    """What an executor is given: a game from its name."""
    return play_number(args, parse_game(args.game, general=True, compiles=args.compile), number, None)


def play_number(
    args: argparse.Namespace, game: Game, number: int, screen: Screen | None,
    step: Callable[[str], object] = lambda what: None,
) -> dict[str, Any]:
    """The record of one of the games. ``step`` is told of each move."""
    seed = None if args.seed is None else args.seed + number
    engine = options.make_engine(args, seed=seed)
    if args.games > 1 and engine.options(game.start).get("selection") == "puct":
        engine = options.make_engine(args, seed=seed, noise_alpha=NOISE)
    return play_game(game, engine, Random(seed), args, screen, step)


def heading(args: argparse.Namespace, game: Game, number: int) -> str:
    """Which game it is."""
    return game.title if args.games == 1 else f"{game.title}: game {number + 1} of {args.games}"


def ending(record: dict[str, Any]) -> str:
    """How a game ended, in words."""
    return f"{record['result']} after {counted(record['plies'], 'move')}"


def play_game(
    game: Game, engine: Searcher, random: Random, args: argparse.Namespace, screen: Screen | None,
    step: Callable[[str], object] = lambda what: None,
    bar: Callable[[Any], AbstractContextManager[Callable[[Stats], object] | None]] | None = None,
) -> dict[str, Any]:
    """Plays one game and returns its record; shows it on ``screen`` unless that is None. ``random`` draws what chance
    plays. ``bar`` makes the context of each search, which is given the Stats so far."""
    line, limits = [game.start], options.budget(args)
    names_played: list[str] = []
    searches: list[dict[str, Any]] = []
    while not game.is_over(line[-1]):
        state = line[-1]
        chances = game.chances(state)
        if chances:
            outcome = draw(chances, random)
            names_played.append(Names(state).of(outcome))
            if screen:
                screen.text(f"chance: {names_played[-1]}")
            line.append(state.play(outcome))
            continue
        if screen:
            screen.heading(f"move {len(searches) + 1}, {game.side(state.to_move)} to move")
            show_board(screen, game, state)
            screen.text()
        step(f"move {len(searches) + 1}")
        with bar(state) if bar else search_bar(args, state, limits) if screen else NO_BAR as tell:
            move = engine.search(state, **limits, progress=tell or False)
        stats, names = engine.stats(), Names(state)
        if screen:
            show_stats(screen, names, stats, args.top)
            screen.heading(f"{game.side(state.to_move)} plays {names.of(move)}, {expectation(stats)}")
            screen.text()
        searches.append({
            "to_move": state.to_move,
            "move": move,
            "move_text": names.of(move),
            "value": best(stats).value,
            "visits": best(stats).visits,
            "proven": stats.proven,
            "distance": stats.distance,
            "stop_reason": stats.stop_reason,
            "iterations": stats.iterations,
            "seconds": stats.seconds,
            "iterations_per_second": stats.iterations_per_second,
        })
        names_played.append(names.of(move))
        line.append(state.play(move))
    if screen:
        show_board(screen, game, line[-1])
    end = {"scores": game.scores(line)} if isinstance(game, GeneralGame) else {"winner": line[-1].winner()}
    record = {**end, "result": game.result(line), "plies": len(searches), "line": names_played,
              "position": diagram(line[-1]), "searches": searches}
    if screen:
        screen.heading(ending(record))
        screen.text()
    return record
