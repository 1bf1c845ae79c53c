"""Boards and tables on the terminal: by ``rich`` where it is installed and wanted, as plain text otherwise."""

from __future__ import annotations

import os
import re
import sys

from mcts_core import InvalidOption
from mcts_core.games.board_position import BoardPosition
from mcts_core.render.terminal import colour_stones, rich_table
from mcts_core.text_tables import columns, cut, plain_table, printable
from mcts_core.words import counted, proof, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO, TypeAlias

    from mcts_core import Stats
    from mcts_core.cli.games import Game
    from mcts_core.move_names import Names

    Screen: TypeAlias = "PlainScreen | RichScreen"


GAP = 4
"""Columns between a board and what stands beside it."""


def make_screen(color: str, stream: TextIO | None = None) -> Screen:
    """The screen for ``color``: "auto", "always" or "never". Raises InvalidOption: "always" without rich."""
    out = sys.stdout if stream is None else stream
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    wanted = color == "always" or (color == "auto" and out.isatty() and not plain)
    if wanted:
        try:
            return RichScreen(out, force=color == "always")
        except ModuleNotFoundError:
            if color == "always":
                raise InvalidOption("--color always needs rich: install mcts-core with the extra [rich]") from None
    return PlainScreen(out)


def width_of(stream: TextIO) -> int | None:
    """The columns of a terminal; None for files and pipes, whose lines may be of any length."""
    if not stream.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def fold(line: str, width: int | None) -> str:
    """``line``, broken between words where it is longer than ``width``. What follows is indented as it is, or, where
    two spaces come after its first words, as what comes after them."""
    if width is None or columns(line) <= width:
        return line
    width = max(width, 10)
    first = re.match(r" *(\S.*? {2,})?", line)
    indent = columns(first[0]) if first else 0
    if indent > width // 2:
        indent = min(len(line) - len(line.lstrip()), width // 2)
    found, begun = [], ""
    for word in re.findall(r" *[^ ]+", line):
        if columns(begun + word) > width and begun.strip():
            found.append(begun)
            begun, word = " " * indent, word.lstrip()
        while columns(begun + word) > width:
            part = cut(word, width - columns(begun), "") or word[0]
            found.append(begun + part)
            begun, word = " " * indent, word[len(part):]
        begun += word
    return "\n".join([*found, begun])


class PlainScreen:
    """Text without colour."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.width = width_of(stream)
        self.encoding = stream.encoding or "utf-8"

    def text(self, line: str = "") -> None:
        """Prints a line."""
        print(fold(printable(line), self.width), file=self.stream, flush=True)

    def heading(self, line: str) -> None:
        """Prints a line that begins something."""
        self.text(line)

    def board(self, lines: Sequence[str], coloured: bool, beside: Sequence[str] = ()) -> None:
        """Prints the lines of a board with those ``beside`` it; ``coloured`` says that X and O are stones."""
        for line, gap, more in side_by_side(lines, beside):
            print(line + gap + more, file=self.stream, flush=True)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], spare: Sequence[str] = ()) -> None:
        """Prints rows of text under their headings, right-aligned; the first row is the best move. Where the screen is
        too narrow, names in the first column are cut, and the columns ``spare`` are left out."""
        for line in plain_table(headings, rows, self.width, self.encoding, spare):
            self.text(line)


class RichScreen:
    """Text with colour and ruled tables."""

    def __init__(self, stream: TextIO, force: bool) -> None:
        from rich.console import Console

        self.console = Console(file=stream, force_terminal=True if force else None, highlight=False, emoji=False)
        self.width = width_of(stream)
        self.encoding = self.console.encoding

    def text(self, line: str = "") -> None:
        self.console.print(fold(printable(line), self.width), markup=False, soft_wrap=True)

    def heading(self, line: str) -> None:
        self.console.print(fold(printable(line), self.width), markup=False, soft_wrap=True, style="bold")

    def board(self, lines: Sequence[str], coloured: bool, beside: Sequence[str] = ()) -> None:
        for line, gap, more in side_by_side(lines, beside):
            shown = colour_stones(line).append(gap + more) if coloured else line + gap + more
            self.console.print(shown, markup=False, soft_wrap=True)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], spare: Sequence[str] = ()) -> None:
        for part in rich_table(headings, rows, self.console.width, self.encoding, spare):
            if isinstance(part, str):
                self.text(part)
            else:
                self.console.print(part)


def side_by_side(lines: Sequence[str], beside: Sequence[str]) -> list[tuple[str, str, str]]:
    """Each line of a board, the gap after it, and the line beside it."""
    height = max(len(lines), len(beside))
    left = [*lines, *[""] * (height - len(lines))]
    right = [*beside, *[""] * (height - len(beside))]
    width = max(map(columns, lines), default=0) + GAP
    return [(line, " " * (width - columns(line)) if more else "", more) for line, more in zip(left, right, strict=True)]


def show_board(screen: Screen, game: Game, state: Any, beside: Sequence[str] = ()) -> bool:
    """Prints the board of ``state``, with the lines ``beside`` it on a terminal that has room for them; returns whether
    it did."""
    lines = game.board(state, screen.width)
    needed = max(map(columns, lines), default=0) + GAP + max(map(columns, beside), default=0)
    fits = bool(beside) and screen.width is not None and needed <= screen.width
    screen.board(lines, game.coloured, beside if fits else ())
    return fits


def diagram(state: Any) -> str:
    """The position for JSON: of a board its cells alone."""
    return state.diagram() if isinstance(state, BoardPosition) else str(state)


def show_stats(screen: Screen, names: Names, stats: Stats, top: int = 0) -> None:
    """Prints the statistics of a search: the move to play and the most visited ones, ``top`` rows (0: all), and the
    figures of the search."""
    ordered = sorted(stats.moves, key=lambda entry: entry.move != stats.move)
    shown = ordered[:top] if top > 0 else ordered
    proven = any(move.proven is not None for move in shown)
    headings = ["move", "visits", "wins", "value"] + ["proven"] * proven
    rows = []
    for move in shown:
        row = [names.shown(move.move), f"{move.visits:,}", f"{move.wins:,.1f}", value_of(move)]
        if proven:
            row.append(proof(move))
        rows.append(row)
    screen.table(headings, rows, spare=["wins"])  # the value says the same
    if len(shown) < len(stats.moves):
        screen.text(f"... and {counted(len(stats.moves) - len(shown), 'more move')}")
    screen.text(
        f"{counted(stats.iterations, 'iteration')} in {stats.seconds:.3f} s, "
        f"{stats.iterations_per_second:,.0f} iterations/s, "
        f"ended by {stats.stop_reason}{': ' * (stats.proven is not None)}{proof(stats)}")
    screen.text(
        f"{counted(stats.nodes, 'node')} in {stats.bytes / 1024:,.0f} KiB, depth {stats.depth_mean:.1f} on average, "
        f"{stats.depth_max} at most")
