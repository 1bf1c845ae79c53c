"""The options that the commands share, and the Searcher that they ask for."""

from __future__ import annotations

import argparse
import re

from mcts_core import Searcher
from mcts_core.cli.games import GAME_HELP
from mcts_core.cli.tables import fold
from mcts_core.games.mnk.network import Network
from mcts_core.option_rows import PRESETS, ROLLOUTS, ROWS, SELECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_SECONDS = 1.0
def _valuation(text: str) -> str | float:
    """A share is a number, everything else a name."""
    try:
        return float(text)
    except ValueError:
        return text


SEARCHER_OPTIONS: dict[str, dict[str, Any]] = {
    "seed": {"type": int, "metavar": "N"},
    "threads": {"type": int, "metavar": "N"},
    "preset": {"choices": PRESETS},
    "selection": {"choices": SELECTIONS, "metavar": "NAME"},
    "rollout": {"choices": ROLLOUTS},
    "solver": {"action": argparse.BooleanOptionalAction},
    "book": {"action": argparse.BooleanOptionalAction},
    "exploration": {"type": float, "metavar": "C"},
    "c_puct": {"type": float, "metavar": "C"},
    "valuation": {"type": _valuation, "metavar": "V"},
    "network": {"metavar": "FILE"},
    "least_prior": {"type": float, "metavar": "SHARE"},
    "final_move": {"choices": ("robust", "max")},
    "memory_mb": {"type": float, "metavar": "MB"},
}
"""Options of the command line that are those of Searcher, under the same names; their help is that of the options."""


NARROW = 60
"""Columns of a terminal below which a usage is folded like other text."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Leaves the lines of descriptions as they are where the terminal is wide enough for them, else folds them."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        # lines that follow each other without an indentation are one paragraph
        joined = text if max(map(len, text.splitlines())) <= width else re.sub(r"(?<=\S)\n(?=\S)", " ", text)
        return "\n".join(fold(line, width) for line in super()._fill_text(joined, width, indent).splitlines())

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        text = super()._format_usage(usage, actions, groups, prefix)
        if self._width >= NARROW:
            return text
        return fold(f"  {' '.join(text.split())}", self._width)[2:] + "\n\n"


def new_parser(commands: Commands, name: str, *, help: str, description: str) -> argparse.ArgumentParser:
    """The parser of the command ``name``, with the list of games below its help."""
    return commands.add_parser(
        name, help=help, description=description, epilog=GAME_HELP,
        formatter_class=HelpFormatter)


def commands_of(parser: argparse.ArgumentParser) -> list[tuple[str, str, argparse.ArgumentParser]]:
    """Name, help and parser of each command of ``parser``."""
    return [
        (name, next(each.help or "" for each in action._choices_actions if each.dest == name), command)
        for action in parser._actions if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    ]


def add_game(parser: argparse.ArgumentParser, compiles: bool = False) -> None:
    """Adds the argument GAME; ``compiles``: and the option that compiles a class."""
    parser.add_argument(
        "game", metavar="GAME", help="connect4, gomoku, mnk:M,N,K, tictactoe or module:Class, see below")
    if compiles:
        parser.add_argument(
            "--compile", action="store_true",
            help="compile module:Class to native code first, by mcts_core.compile (needs Numba)")


def _top(text: str) -> int:
    """A number of rows."""
    if not re.fullmatch("[0-9]{1,9}", text.strip()):
        raise argparse.ArgumentTypeError(f"must be a number of rows, 0 for all, got {text!r}")
    return int(text)


def add_search_options(parser: argparse.ArgumentParser, *, protocol: bool = False) -> None:
    """Adds the options of a search: budgets, seed and settings of the Searcher. With a ``protocol``, the other program
    limits the time of a move."""
    group = parser.add_argument_group("search")
    group.add_argument(
        "--seconds", type=float, metavar="S",
        help="longest time for one move (default: the limits of the protocol)" if protocol else
             f"time for one move (default {DEFAULT_SECONDS:g} unless --iterations is given)")
    group.add_argument(
        "--iterations", type=int, metavar="N",
        help="iterations for one move; with --seconds, the limit reached first ends the search")
    for name, written in SEARCHER_OPTIONS.items():
        group.add_argument(f"--{name.replace('_', '-')}", default=None, help=ROWS[name].help, **written)


def add_output_options(parser: argparse.ArgumentParser, *, json: bool) -> None:
    """Adds ``--color`` and, where the output is data, ``--json``."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto",
        help="colours and tables by rich (extra [rich]); auto (default): if it is installed and stdout is a terminal")
    if json:
        group.add_argument("--json", action="store_true", help="print one JSON document instead of tables")


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Adds ``--progress``."""
    parser.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=None,
        help="draw a progress bar on standard error, or not (default: on a terminal, when the work takes long)")


def add_log(parser: argparse.ArgumentParser) -> None:
    """Adds ``--log``."""
    parser.add_argument(
        "--log", metavar="FILE", help="append all lines from and to the other program to FILE (default: no log)")


def add_top(parser: argparse.ArgumentParser) -> None:
    """Adds ``--top``, the length of a table of moves."""
    parser.add_argument(
        "--top", type=_top, default=10, metavar="N", help="rows of a table of moves (default 10; 0: all)")


def searcher_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of Searcher that were named; reads the file of ``--network``. Raises OSError, InvalidFile."""
    options = {name: getattr(args, name) for name in SEARCHER_OPTIONS}
    if options["network"] is not None:
        with open(options["network"], "rb") as file:
            options["network"] = Network(file.read())
    return {name: value for name, value in options.items() if value is not None}


def make_engine(args: argparse.Namespace, **more: Any) -> Searcher:
    """The Searcher that the options ask for; ``more`` options take the place of those, unless they are None."""
    given = {name: value for name, value in more.items() if value is not None}
    return Searcher(**{**searcher_options(args), **given})


def budget(args: argparse.Namespace) -> dict[str, Any]:
    """The budgets of one search, as the keywords of ``Searcher.search``."""
    if args.seconds is None and args.iterations is None:
        return {"seconds": DEFAULT_SECONDS}
    return {"seconds": args.seconds, "iterations": args.iterations}
