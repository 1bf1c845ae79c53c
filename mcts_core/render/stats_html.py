"""The result of a search as HTML: the board with bubbles if the position is known, and a table of the moves with bars.

Styles are attributes of the elements, and text has the page's own colours, so it suits light and dark notebooks.
"""

from __future__ import annotations

from typing import Any

from mcts_core import MoveStats, Stats
from mcts_core.arguments import as_int
from mcts_core.move_names import Names
from mcts_core.render.board import is_board, names_of
from mcts_core.render.board_svg import svg
from mcts_core.render.markup import (
    check_stats,
    check_theme,
    check_value,
    escape,
    label,
    label_line,
    number,
    percent,
    share_of,
)
from mcts_core.words import counted, ending_of, expectation, proof, value_of

_BAR = "display:inline-block;vertical-align:middle;height:0.7em;border-radius:2px;background:"
_VISITS, _VALUE = "#0072b2", "#8a9099"
_BAR_WIDTH = 90
_CELL = "padding:2px 8px;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"


def html(
    stats: Stats, *, state: Any = None, top: int = 10, base: int = 1, theme: str = "auto", width: int | None = None
) -> str:
    """Returns the statistics of a search as a piece of HTML that refers to nothing outside.

    state: the position that was searched; by default the position of ``stats``. Positions of this package have a
        board. Other positions have the picture of their own method ``_repr_svg_``, if there is one.
    top: the number of moves in the table, 1 to 1,024; the move to play comes first.
    base, theme, width: for the board, as in ``svg``. The table has the colours of the page.

    Raises InvalidOption, also if ``stats`` belong to another position than the board.
    """
    check_stats(stats)
    most = as_int(top, "top", 1, 1024)
    check_theme(theme)
    position = stats.state if state is None else state
    names = names_of(position, base)
    if is_board(position):
        picture = svg(position, stats=stats, base=base, theme=theme, width=width)
    else:
        own = getattr(position, "_repr_svg_", None)
        picture = str((own() if callable(own) else None) or "")
    side = f'<div style="flex:0 1 auto;max-width:100%;overflow-x:auto">{picture}</div>' if picture else ""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start">'
        f"{side}<div>{_head(stats, names)}{_table(stats, names, most)}{_foot(stats, names, most)}</div></div>"
    )


def _head(stats: Stats, names: Names) -> str:
    figures = (
        f"{counted(stats.iterations, 'iteration')} in {stats.seconds:.3f} s ({stats.iterations_per_second:,.0f}/s), "
        f"{counted(stats.nodes, 'node')}, depth {stats.depth_mean:.1f} on average, {stats.depth_max} at most; "
        f"{ending_of(stats)}"
    )
    return (
        f'<p style="margin:0 0 4px"><strong>move {escape(label(stats.move, names))}</strong>, '
        f"{escape(expectation(stats))}</p>"
        f'<p style="margin:0 0 8px;max-width:34em;opacity:0.75;font-size:smaller">{escape(figures)}</p>'
    )


def _table(stats: Stats, names: Names, most: int) -> str:
    shown = sorted(stats.moves, key=lambda entry: entry.move != stats.move)[:most]
    known = any(entry.proven is not None for entry in shown)
    numbers = names.have_numbers(entry.move for entry in shown)
    headings = ["move", *(["number"] if numbers else []), "", "visits", "share", "", "value",
                *(["proven"] if known else [])]
    head = "".join(
        f'<th scope="col" style="{_CELL}">{heading}</th>' if heading else f'<td style="{_CELL}"></td>'
        for heading in headings
    )
    greatest = max((entry.visits for entry in shown), default=0)
    rows = "".join(_row(entry, stats, names, greatest, known, numbers) for entry in shown)
    return (f'<table style="border-collapse:collapse"><caption style="position:absolute;clip-path:inset(50%);width:1px;'
            f'height:1px;overflow:hidden">the moves of the search</caption><thead><tr>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table>")


def _row(entry: MoveStats, stats: Stats, names: Names, greatest: int, known: bool, numbers: bool) -> str:
    weight = "bold" if entry.move == stats.move else "normal"
    name = escape(label(entry.move, names))
    value = check_value(stats.share(entry.value))
    cells = [
        *([f'<span style="opacity:0.6;font-weight:normal">{entry.move}</span>'] if numbers else []),
        _bar(entry.visits / greatest if greatest else 0.0, _VISITS),
        f"{entry.visits:,}",
        escape(percent(share_of(entry.visits, stats))),
        _bar(value if entry.visits else 0.0, _VALUE),
        value_of(entry, "–"),
        *([escape(proof(entry))] if known else []),
    ]
    return (f'<tr style="font-weight:{weight}"><th scope="row" style="{_CELL};font-weight:{weight}">{name}</th>'
            + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>")


def _bar(share: float, colour: str) -> str:
    """A bar of fixed maximum width. Screen readers skip it, because the number is beside it."""
    return (f'<span aria-hidden="true" style="display:inline-block;width:{_BAR_WIDTH}px;text-align:left">'
            f'<span style="{_BAR}{colour};width:{number(_BAR_WIDTH * share)}px"></span></span>')


def _foot(stats: Stats, names: Names, most: int) -> str:
    rest = len(stats.moves) - most
    more = ""
    if rest > 0:
        more = f'<p style="margin:4px 0 0;opacity:0.75;font-size:smaller">and {counted(rest, "more move")}</p>'
    line = " ".join(label_line(stats.pv, names))
    line = line if len(line) <= 400 else line[:399] + "…"
    hint = "" if stats.hint is None else f'<p style="margin:8px 0 0;max-width:34em">hint: {escape(stats.hint)}</p>'
    return f'{more}{hint}<p style="margin:8px 0 0;max-width:34em">principal variation: {escape(line)}</p>'
