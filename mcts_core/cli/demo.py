"""``mcts-core demo``: a game of Connect Four by tree search alone, shown as it is searched."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from random import Random

from mcts_core import Searcher
from mcts_core.bots.budgets import check
from mcts_core.cli import options
from mcts_core.cli.games import parse_game
from mcts_core.cli.selfplay import play_game
from mcts_core.cli.tables import RichScreen, make_screen, show_board
from mcts_core.words import best, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import Any

    from rich.console import RenderableType
    from rich.live import Live

    from mcts_core import Stats
    from mcts_core.cli.options import Commands
    from mcts_core.cli.tables import Screen

SECONDS = 0.4
"""Time for one move: the longest game, 42 moves, stays below 17 s."""
SIDE_BY_SIDE = 78
"""Columns of a terminal from which the board and the table of moves stand side by side, so that all fits 24 lines."""
MARGIN = 6
"""Columns of the chart in front of its values."""
HEIGHT = 7
"""Lines of the chart, an odd number, so that 0.5 has one of its own."""
REACHES = (0.1, 0.25, 0.5)
"""How far from 0.5 the chart may reach: the first that has room for all values."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = options.new_parser(
        commands, "demo", help="watch a search at work, in at most twenty seconds",
        description="Plays a game of Connect Four against itself by tree search alone, without the book and\n"
                    "exact search, which would prove most positions at once. Shows the visits and values of\n"
                    "the moves, on a terminal while the search runs.")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S",
                        help=f"time for one move (default {SECONDS:g})")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of the searches (default: a new one)")
    options.add_output_options(parser, json=False)
    parser.set_defaults(run=run, iterations=None, progress=False, top=0)


def run(args: argparse.Namespace) -> int:
    """Plays, shows and prints; returns the exit code."""
    game, screen = parse_game("connect4"), make_screen(args.color)
    engine = Searcher(book=False, leaf_proofs=0, node_proofs=0, root_proofs=0, seed=args.seed)
    check(Searcher(), game.start, args.seconds, None)
    screen.heading(f"{game.title}: tree search on both sides, without book and exact search")
    screen.text("visits: how often the search tried a move; value: the result that it expects for the player to move, "
                "from 0 for a loss to 1 for a win")
    screen.text()
    if isinstance(screen, RichScreen) and screen.width is not None:  # a terminal
        with View(screen) as view:
            record = play_game(game, engine, Random(args.seed), args, None, bar=view.of)
        show_board(screen, game, game.play_text(" ".join(record["line"])))
        screen.heading(f"{record['result']} after {counted(record['plies'], 'move')}")
        screen.text()
    else:
        record = play_game(game, engine, Random(args.seed), args, screen)
    close(screen, record)
    return 0


def close(screen: Screen, record: dict[str, Any]) -> None:
    """Prints the chart of the game, and the three last lines."""
    from mcts_core.dispatch import isa

    for line in chart([value_of_first(search) for search in record["searches"]], screen.width):
        screen.text(line)
    screen.text()
    iterations = sum(search["iterations"] for search in record["searches"])
    seconds = sum(search["seconds"] for search in record["searches"])
    screen.text(f"measured:  {iterations:,} iterations in {seconds:.1f} s, {iterations / max(seconds, 1e-9):,.0f} per "
                f"second on one core ({isa})")
    screen.text("tests:     make test, in a clone of the repository")
    screen.text(f"the page:  {program()} serve, to play in the browser and watch the engine think")


def program() -> str:
    """How this command is called."""
    from os.path import relpath
    from shutil import which

    found = which("mcts-core")
    called = sys.argv[0]
    if found is not None or not called.endswith("mcts-core"):
        return "mcts-core"
    return relpath(called)


def value_of_first(search: dict[str, Any]) -> float:
    """The value of a position for the player who began, proven or not, from a record of ``play_game``."""
    proven = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    value: float = proven[search["proven"]] if search["proven"] else search["value"]
    return value if search["to_move"] == 1 else 1.0 - value


def chart(values: list[float], width: int | None = None) -> list[str]:
    """The value for X before each move, the highest at the top, as lines of text: the last moves that fit ``width``."""
    if width is not None:
        values = values[-max(1, width - MARGIN):]
    furthest = max((abs(value - 0.5) for value in values), default=0.0)
    reach = next(reach for reach in REACHES if furthest <= reach)
    middle = HEIGHT // 2
    rows = [middle - round((value - 0.5) / reach * middle) for value in values]
    names = {0: 0.5 + reach, middle: 0.5, HEIGHT - 1: 0.5 - reach}
    lines = ["value for X before each move"]
    for row in range(HEIGHT):
        name = f"{names[row]:.2f}" if row in names else ""
        lines.append(f"{name:>4} |" + "".join("*" if row == at else " " for at in rows).rstrip())
    return [*lines, f"     +{'-' * len(values)}"]


class View:
    """The board, the moves and the chart on a terminal, drawn again while the search runs."""

    def __init__(self, screen: RichScreen) -> None:
        self._console = screen.console
        self._values: list[float] = []
        self._live: Live

    def __enter__(self) -> View:
        from rich.live import Live

        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._live.__exit__(*error)

    @contextmanager
    def of(self, state: Any) -> Iterator[Callable[[Stats], object]]:
        """Shows the search of ``state`` by the function that it yields, which takes the Stats so far."""
        last: list[Stats] = []

        def show(stats: Stats) -> None:
            last[:] = [stats]
            self._live.update(self._drawn(state, stats), refresh=True)

        yield show
        if last:
            entry = {"to_move": state.to_move, "proven": last[0].proven, "value": best(last[0]).value}
            self._values.append(value_of_first(entry))

    def _drawn(self, state: Any, stats: Stats) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        from mcts_core.render import rich_board, rich_stats

        board = rich_board(state, stats=stats)
        figures = rich_stats(stats, top=7 if self._console.height > 25 else 4)
        player = "X" if state.to_move > 0 else "O"
        parts: list[RenderableType] = [Text(f"move {len(state.moves) + 1}, {player} to move", style="bold")]
        if self._console.width >= SIDE_BY_SIDE:
            grid = Table.grid(padding=(0, 3))
            grid.add_row(board, figures)
            parts.append(grid)
        else:
            parts += [board, figures]
        parts.append(Text(f"{stats.iterations_per_second:,.0f} iterations per second, "
                          f"{counted(stats.reused_visits, 'visit')} reused from the search before"))
        return Group(*parts, *map(Text, chart(self._values, self._console.width)))
