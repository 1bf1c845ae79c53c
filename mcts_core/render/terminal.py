"""Boards and tables as text: plain, and for the consoles of ``rich`` (extra [rich])."""

from __future__ import annotations

from math import ceil

from mcts_core.arguments import as_int
from mcts_core.games.board_text import draw_board
from mcts_core.render.board import Board, names_of
from mcts_core.render.markup import check_stats, label, label_line, percent, share_of
from mcts_core.text_tables import BLOCKS, fit_table, fitting, one_below_the_other
from mcts_core.words import counted, ending_of, expectation, proof, value_of

TYPE_CHECKING = False  # see board.py
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from rich.console import Console, ConsoleOptions, Group, RenderableType
    from rich.table import Table
    from rich.text import Text

    from mcts_core import Stats
    from mcts_core.move_names import Names

_BAR = 12
# small letters are stones beside other cells: not among the names of columns
_STYLES = ((r"X|(?<=[.XO])x+|x+(?=[.XO])", "bold red"), (r"O|(?<=[.XO])o+|o+(?=[.XO])", "bold yellow"), (r"[.]", "dim"),
           (r"(?<=[|])[XO](?=[|])", "reverse"))


def text(state: Any, *, stats: Stats | None = None, base: int = 1) -> str:
    """Returns the board of a position as plain text, with coordinates, the last move in brackets, and the stones of a
    winning line between bars.

    state: a position of Connect Four or an m,n,k game.
    stats: the statistics of a search of the position. A visited cell has a digit from 1 to 9 instead of its dot: its
        share of the visits in tenths, rounded up.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.

    Raises InvalidState for other kinds of positions, and InvalidOption if ``stats`` belong to another position.
    """
    return "\n".join(_lines(Board(state, base), stats))


def rich_board(state: Any, *, stats: Stats | None = None, base: int = 1) -> Text:
    """Returns the board in colour, for a console of ``rich``.

    ``state``, ``stats`` and ``base`` (0 or 1) are those of ``text``, and so are the errors that it raises. Raises
    ModuleNotFoundError without rich.
    """
    _need_rich()
    from rich.text import Text

    board = Board(state, base)
    lines = _lines(board, stats)
    found = Text(no_wrap=True)
    for number, line in enumerate(lines):
        coloured = colour_stones(line)
        if stats is not None and number < board.height:
            begin = 0 if not board.rows else max(map(len, board.rows))
            for place in range(begin, len(line)):
                if line[place].isdigit():
                    coloured.stylize("bold blue", place, place + 1)
        found.append_text(coloured).append("" if number + 1 == len(lines) else "\n")
    return found


def rich_stats(stats: Stats, *, top: int = 12, base: int = 1) -> Group:
    """Returns the statistics of a search for a console of ``rich``: figures, a table of moves with bars, and the
    principal variation. If the encoding of the console lacks the characters, they are in ASCII.

    stats: the statistics, such as ``Searcher.stats()`` returns.
    top: the most rows of the table, 1 to 1024.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.

    Raises InvalidOption, and ModuleNotFoundError without rich.
    """
    _need_rich()
    from rich.console import Group

    check_stats(stats)
    most = as_int(top, "top", 1, 1024)
    return Group(_Figures(stats, most, names_of(stats.state, base)))


class _Figures:
    """The contents of ``rich_stats``, built on printing, when the console's encoding is known."""

    def __init__(self, stats: Stats, most: int, names: Names) -> None:
        self._stats = stats
        self._most = most
        self._names = names

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        stats, most, names, encoding = self._stats, self._most, self._names, options.encoding
        shown = sorted(stats.moves, key=lambda entry: entry.move != stats.move)[:most]
        greatest = max((entry.visits for entry in shown), default=0)
        known = any(entry.proven is not None for entry in shown)
        numbers = names.have_numbers(entry.move for entry in shown)
        rows = [
            [label(entry.move, names), *([str(entry.move)] if numbers else []),
             f"{entry.visits:,}", percent(share_of(entry.visits, stats)),
             bar(entry.visits / greatest if greatest else 0.0), value_of(entry, "–"),
             *([proof(entry)] if known else [])]
            for entry in shown
        ]
        yield Text(fitting(
            f"move {label(stats.move, names)}{f' (number {stats.move})' if numbers else ''}, {expectation(stats)}: "
            f"{counted(stats.iterations, 'iteration')} in {stats.seconds:.3f} s, "
            f"{counted(stats.nodes, 'node')}, {ending_of(stats)}", encoding), style="bold")
        for part in rich_table(["move", *(["number"] if numbers else []), "visits", "share", "", "value",
                                *(["proven"] if known else [])], rows, options.max_width, encoding,
                               ("", "share", "number")):
            yield Text(part) if isinstance(part, str) else part
        if len(stats.moves) > most:
            yield Text(f"... and {counted(len(stats.moves) - most, 'more move')}")
        yield Text(fitting("principal variation: " + " ".join(label_line(stats.pv, names)), encoding))
        if stats.hint is not None:
            yield Text(fitting(f"hint: {stats.hint}", encoding))


def board_lines(state: Any, width: int | None = None) -> list[str]:
    """The lines of ``text``; where they are longer than ``width``, those of a board without space between the cells, on
    which the last stone and those of a winning line are small letters."""
    board = Board(state)
    lines = _lines(board, None)
    if width is None or max(map(len, lines)) <= width:
        return lines
    small = board.winning() | ({board.last} if board.last is not None else set())
    margin = max(map(len, board.rows), default=0)
    lines = []
    for row in range(board.height):
        cells = [{1: "X", -1: "O"}.get(board.stones.get((row, column), 0), ".") for column in range(board.width)]
        cells = [cell.lower() if (row, column) in small else cell for column, cell in enumerate(cells)]
        lines.append(f"{board.rows[row] if board.rows else '':>{margin}} {''.join(cells)}")
    tall = max(map(len, board.columns))
    return lines + [" " * (margin + 1) + "".join(characters).rstrip()
                    for characters in zip(*(name.rjust(tall) for name in board.columns), strict=True)]


def colour_stones(line: str) -> Text:
    """A line of a board with X, O and dots in colours, for rich."""
    from rich.text import Text

    found = Text(line, no_wrap=True)
    for pattern, style in _STYLES:
        found.highlight_regex(pattern, style)
    return found


def rich_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], room: int, encoding: str, spare: Sequence[str] = ()
) -> Iterator[Table | str]:
    """A ruled table of text, right-aligned, its first row bold, for rich; see ``fit_table``. Where it does not fit, the
    lines of ``one_below_the_other``."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    found = fit_table(headings, rows, room, encoding, spare, gap=3, edges=2)
    if found is None:
        yield from one_below_the_other(headings, rows, encoding)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in found[0]:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for number, row in enumerate(found[1:]):
        table.add_row(*map(Text, row), style="bold" if number == 0 else None)
    yield table


def bar(share: float) -> str:
    """A bar of blocks; a share of 1 fills ``_BAR`` characters."""
    eighths = round(8 * _BAR * share)
    return (BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(_BAR)


def _lines(board: Board, stats: Stats | None) -> list[str]:
    digits = _digits(board, stats)
    marks = [
        digits.get((row, column)) or {1: "X", -1: "O"}.get(board.stones.get((row, column), 0), ".")
        for row in range(board.height) for column in range(board.width)
    ]
    last = -1 if board.last is None else board.last[0] * board.width + board.last[1]
    return draw_board(marks, board.columns, board.rows, last, board.winning())


def _digits(board: Board, stats: Stats | None) -> dict[tuple[int, int], str]:
    if stats is None:
        return {}
    return {cell: str(min(9, ceil(10 * share_of(entry.visits, stats))))
            for cell, entry in board.visited(stats) if entry.visits > 0}


def _need_rich() -> None:
    try:
        import rich  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("colours on a terminal need rich: install mcts-core with the extra [rich]") from error
