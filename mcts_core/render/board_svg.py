"""Boards as SVG: stones, the last move, coordinates; on request the result of a search, a line of moves and arrows.

A picture is self-contained: it has no references, no scripts and no ids, so one page can hold many pictures. Colours
are attributes; a style sheet changes them only if the reader prefers dark pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from mcts_core import InvalidOption, Stats
from mcts_core.arguments import as_int, shorten
from mcts_core.render.board import Board, Cell, side
from mcts_core.render.markup import check_theme, check_value, escape, number, percent, share_of, value_colour
from mcts_core.words import proof

MOST = 1000
"""The largest number of arrows, and of moves in a line."""

_EDGE = 10
_GUTTER = 22
_NARROWEST = 220
"""Smallest width of a picture with a caption."""
_SMALL = 11
"""Font size of the caption."""

_LIGHT = {
    "page": "#ffffff", "text": "#1f2328", "faint": "#59636e", "wood": "#e3c48d", "grid": "#6a5230", "ink": "#1f2328",
    "frame": "#2f4b7c", "hole": "#ffffff", "square": "#8b949e", "latest": "#dfe7f1", "halo": "#ffffff",
    "black": "#17191c", "black-edge": "#000000", "white": "#fbfaf6", "white-edge": "#55524c",
    "red": "#d0501a", "red-edge": "#7d2b06", "yellow": "#f4d53c", "yellow-edge": "#8d7400",
    "cross": "#b8400f", "nought": "#0b6a75", "dot": "#e5532d",
}
_DARK = _LIGHT | {
    "page": "#0d1117", "text": "#f0f6fc", "faint": "#9198a1", "wood": "#c59d60", "grid": "#43331a",
    "frame": "#3b5b94", "hole": "#0d1117", "square": "#6e7681", "latest": "#26303d", "halo": "#0d1117",
    "cross": "#ff9a5c", "nought": "#4fd1c5",
}
_STONES = {
    "points": (("black", "black-edge"), ("white", "white-edge")),
    "slots": (("red", "red-edge"), ("yellow", "yellow-edge")),
}
_NUMBERS = {"black": "#ffffff", "white": "#17191c", "red": "#ffffff", "yellow": "#17191c"}


def svg(
    state: Any,
    *,
    stats: Stats | None = None,
    line: Iterable[Any] = (),
    arrows: Iterable[tuple[Any, Any]] = (),
    base: int = 1,
    theme: str = "auto",
    width: int | None = None,
) -> str:
    """Returns the picture of a position of ConnectFour, MNK, Gomoku or TicTacToe as the text of an SVG file.

    stats: the statistics of a search of ``state``. A bubble marks each visited move. Its area shows the visits; its
        number and colour show the value in percent, or the proven result with the plies to the end of the game (W7 a
        win, L6 a loss, D8 a draw). A ring marks the move to play.
    line: moves from ``state`` on, such as ``stats.pv``, drawn as pale stones with numbers.
    arrows: pairs of a start and an end, each a legal move of ``state``, such as 112 or ``"h8"``, or (row, column) with
        row 0 at the top.
    base: the number of the first column of Connect Four: 1, as on all boards, or 0.
    theme: ``"light"``, ``"dark"``, or ``"auto"``, which follows the reader's settings and is light if they are not
        known.
    width: the width of the picture in pixels, 50 to 10,000; by default it fits the board.

    The text refers to nothing outside, and the same arguments give the same text. Raises InvalidState for other kinds
    of positions, and InvalidOption for other invalid arguments, for example if ``stats`` belong to another position.
    """
    board = Board(state, base)
    return _Picture(board, check_theme(theme)).draw(
        [] if stats is None else board.visited(stats), _line_of(board, state, line), _arrows_of(board, arrows), stats,
        None if width is None else as_int(width, "width", 50, 10_000),
    )


def _line_of(board: Board, state: Any, line: Any) -> list[tuple[Cell, int]]:
    """The cells of a line of moves, with the player of each stone."""
    found: list[tuple[Cell, int]] = []
    for move in _some(line, "line"):
        found.append((board.cell_of(move), board.to_move))
        state = state.play(move)
        board = Board(state)
    return found


def _arrows_of(board: Board, arrows: Any) -> list[tuple[Cell, Cell]]:
    found = []
    for pair in _some(arrows, "arrows"):
        try:
            begin, end = pair
        except (TypeError, ValueError):
            raise InvalidOption(f"an arrow must be a pair of a begin and an end, got {shorten(pair)}") from None
        cells = _end_of(board, begin), _end_of(board, end)
        if cells[0] == cells[1]:
            raise InvalidOption(f"an arrow must lead from one cell to another, got {shorten(pair)}")
        found.append(cells)
    return found


def _end_of(board: Board, end: Any) -> Cell:
    if not isinstance(end, (tuple, list)):
        return board.cell_of(end)
    if len(end) != 2:
        raise InvalidOption(f"an end of an arrow must be a move or (row, column), got {shorten(end)}")
    return as_int(end[0], "a row", 0, board.height - 1), as_int(end[1], "a column", 0, board.width - 1)


def _some(values: Any, name: str) -> list[Any]:
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        found = []
        for value in values:
            found.append(value)
            if len(found) > MOST:
                raise InvalidOption(f"{name} must have at most {MOST} entries")
    except TypeError:
        raise InvalidOption(f"{name} must be a sequence, got {shorten(values)}") from None
    return found


class _Picture:
    """One drawing of a board; lengths are in pixels at its natural size."""

    def __init__(self, board: Board, theme: str) -> None:
        self.board = board
        self.theme = theme
        self.colours = _DARK if theme == "dark" else _LIGHT
        self.used: set[tuple[str, str]] = set()
        longest = max(board.width, board.height)
        self.cell = {"squares": 56, "slots": 46, "points": 34}[board.form]
        if longest > 9:
            self.cell = min(self.cell, max(22, 500 // longest))
        self.left = _EDGE + (_GUTTER if board.rows else 0)
        self.inner = 8 if board.form == "slots" else 0  # from the edge of the frame to the cells
        self.body: list[str] = []

    # -- places -----------------------------------------------------------------------------------

    def x(self, column: float) -> float:
        return self.left + self.inner + (column + 0.5) * self.cell

    def y(self, row: float) -> float:
        return _EDGE + self.inner + (row + 0.5) * self.cell

    def across(self) -> float:
        """The width of the board with its frame."""
        return self.board.width * self.cell + 2 * self.inner

    def down(self) -> float:
        return self.board.height * self.cell + 2 * self.inner

    # -- elements ---------------------------------------------------------------------------------

    def paint(self, **colours: str) -> str:
        """The attributes ``fill`` and ``stroke``, whose colours may depend on the theme."""
        classes, painted = [], []
        for attribute, colour in colours.items():
            painted.append(f'{attribute}="{self.colours[colour]}"')
            if self.theme == "auto" and _LIGHT[colour] != _DARK[colour]:
                self.used.add((colour, attribute))
                classes.append(f"mcts-{attribute}-{colour}")
        return " ".join([f'class="{" ".join(classes)}"', *painted] if classes else painted)

    def add(self, element: str) -> None:
        self.body.append(element)

    def circle(self, row: float, column: float, radius: float, attributes: str = "", title: str = "") -> None:
        inside = f">{_title(title)}</circle>" if title else "/>"
        space = " " if attributes else ""
        self.add(f'<circle cx="{number(self.x(column))}" cy="{number(self.y(row))}" r="{number(radius)}"'
                 f"{space}{attributes}{inside}")

    def segment(self, x1: float, y1: float, x2: float, y2: float, attributes: str = "") -> None:
        space = " " if attributes else ""
        self.add(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"{space}{attributes}/>')

    def text(self, x: float, y: float, said: str, size: float, attributes: str) -> None:
        """Text centred on a point; a numeric baseline looks the same in every viewer."""
        self.add(f'<text x="{number(x)}" y="{number(y + 0.36 * size)}" font-size="{number(size)}" {attributes}>'
                 f"{escape(said)}</text>")

    # -- the whole --------------------------------------------------------------------------------

    def draw(
        self,
        bubbles: Sequence[tuple[Cell, Any]],
        line: Sequence[tuple[Cell, int]],
        arrows: Sequence[tuple[Cell, Cell]],
        stats: Any,
        width: int | None,
    ) -> str:
        getattr(self, f"ground_{self.board.form}")()
        self.coordinates()
        self.stones()
        self.winning_lines()
        self.bubbles(bubbles, stats)
        self.line(line)
        self.arrows(arrows)
        full = max(self.left + self.across() + _EDGE, _NARROWEST if bubbles else 0)
        bottom = _EDGE + self.down() + _GUTTER
        for words in self.caption(bubbles, full - self.left - _EDGE):
            self.text(self.left, bottom + 10, words, _SMALL, self.paint(fill="faint"))
            bottom += 1.4 * _SMALL
        return self.page(full, bottom + _EDGE, stats, width)

    def page(self, full: float, bottom: float, stats: Any, width: int | None) -> str:
        shown = full if width is None else float(width)
        title, description = self.words(stats)
        background = f'<rect width="{number(full)}" height="{number(bottom)}" rx="6" {self.paint(fill="page")}/>'
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(full)} {number(bottom)}" '
            f'width="{number(shown)}" height="{number(bottom * shown / full)}" role="img" '
            f'aria-label="{escape(title)}" font-family="system-ui, -apple-system, \'Segoe UI\', sans-serif">',
            _title(title), f"<desc>{escape(description)}</desc>",
        ]
        if self.used:
            rules = "".join(f".mcts-{attribute}-{colour}{{{attribute}:{_DARK[colour]}}}"
                            for colour, attribute in sorted(self.used))
            head.append(f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>")
        return "\n".join([*head, background, *self.body, "</svg>"]) + "\n"

    def words(self, stats: Any) -> tuple[str, str]:
        """The picture in words, for readers who cannot see it: a summary, and the stones."""
        board = self.board
        title = f"{board.title}; {board.status()}"
        if stats is not None:
            said = proof(stats) or f"value {check_value(stats.value):.3f}"
            title += f"; the search plays {board.name_of(stats.move)}, {said}"
        names: dict[int, list[str]] = {1: [], -1: []} if board.stones else {}
        for row, column in sorted(board.stones):
            names[board.stones[row, column]].append(self.place(row, column))
        stones = [f"{side(player)}: {', '.join(cells) or 'none'}" for player, cells in names.items()]
        if board.last is not None:
            stones.append(f"last move: {self.place(*board.last)}")
        return title, ". ".join(stones) if stones else "The board is empty"

    def place(self, row: int, column: int) -> str:
        board = self.board
        if board.rows:
            return board.columns[column] + board.rows[row]
        return f"column {board.columns[column]} row {board.height - row} from below"

    # -- the board --------------------------------------------------------------------------------

    def ground_slots(self) -> None:
        self.add(f'<rect x="{number(self.left)}" y="{_EDGE}" width="{number(self.across())}" '
                 f'height="{number(self.down())}" rx="8" {self.paint(fill="frame")}/>')
        self.add(f"<g {self.paint(fill='hole')}>")
        for row in range(self.board.height):
            for column in range(self.board.width):
                if (row, column) not in self.board.stones:
                    self.circle(row, column, 0.42 * self.cell)
        self.add("</g>")

    def ground_points(self) -> None:
        height, width = self.board.height, self.board.width
        self.add(f'<rect x="{number(self.left)}" y="{_EDGE}" width="{number(self.across())}" '
                 f'height="{number(self.down())}" rx="3" {self.paint(fill="wood")}/>')
        self.add(f'<g {self.paint(stroke="grid")} stroke-width="1">')
        for row in range(height):
            self.segment(self.x(0), self.y(row), self.x(width - 1), self.y(row))
        for column in range(width):
            self.segment(self.x(column), self.y(0), self.x(column), self.y(height - 1))
        self.add("</g>")
        if height == width and height >= 13 and height % 2:
            self.add(f"<g {self.paint(fill='grid')}>")
            for row in (3, height // 2, height - 4):
                for column in (3, height // 2, height - 4):
                    if (row == height // 2) == (column == height // 2):
                        self.circle(row, column, 2.5)
            self.add("</g>")

    def ground_squares(self) -> None:
        height, width = self.board.height, self.board.width
        if self.board.last is not None:
            row, column = self.board.last
            self.add(f'<rect x="{number(self.x(column - 0.5))}" y="{number(self.y(row - 0.5))}" '
                     f'width="{self.cell}" height="{self.cell}" {self.paint(fill="latest")}/>')
        self.add(f'<g {self.paint(stroke="square")} stroke-width="2" stroke-linecap="round">')
        for row in range(height + 1):
            self.segment(self.x(-0.5), self.y(row - 0.5), self.x(width - 0.5), self.y(row - 0.5))
        for column in range(width + 1):
            self.segment(self.x(column - 0.5), self.y(-0.5), self.x(column - 0.5), self.y(height - 0.5))
        self.add("</g>")

    def coordinates(self) -> None:
        board = self.board
        size = min(13.0, 0.5 * self.cell)
        self.add(f'<g text-anchor="middle" {self.paint(fill="text")}>')
        for column, name in enumerate(board.columns):
            self.text(self.x(column), _EDGE + self.down() + 0.5 * _GUTTER, name, size, "")
        for row, name in enumerate(board.rows):
            self.text(_EDGE + 0.5 * _GUTTER - 1, self.y(row), name, size, "")
        self.add("</g>")

    def stones(self) -> None:
        board = self.board
        for player in (1, -1):
            cells = sorted(cell for cell, owner in board.stones.items() if owner == player)
            if not cells:
                continue
            if board.form == "squares":
                self.marks(cells, player)
                continue
            fill, edge = _STONES[board.form][player < 0]
            self.add(f'<g {self.paint(fill=fill, stroke=edge)} stroke-width="1">')
            for row, column in cells:
                self.circle(row, column, 0.42 * self.cell if board.form == "slots" else 0.45 * self.cell)
            self.add("</g>")
            if board.form == "slots" and player > 0:  # a ring, so that the players differ by more than colour
                self.add(f'<g fill="none" {self.paint(stroke=edge)} stroke-width="2">')
                for row, column in cells:
                    self.circle(row, column, 0.27 * self.cell)
                self.add("</g>")
        if board.last is not None and board.form != "squares":
            size, colour = (0.12, "black") if board.form == "slots" else (0.17, "dot")
            self.circle(*board.last, size * self.cell, self.paint(fill=colour))

    def marks(self, cells: Sequence[Cell], player: int) -> None:
        self.add(f'<g fill="none" {self.paint(stroke="cross" if player > 0 else "nought")} '
                 f'stroke-width="{number(0.11 * self.cell)}" stroke-linecap="round">')
        reach = 0.26 * self.cell
        for row, column in cells:
            x, y = self.x(column), self.y(row)
            if player < 0:
                self.circle(row, column, 1.08 * reach)
            else:
                self.add(f'<path d="M{number(x - reach)} {number(y - reach)}L{number(x + reach)} {number(y + reach)}'
                         f'M{number(x + reach)} {number(y - reach)}L{number(x - reach)} {number(y + reach)}"/>')
        self.add("</g>")

    def winning_lines(self) -> None:
        for colour, wide in (("halo", 0.2), ("text", 0.1)):
            for begin, end in self.board.lines:
                self.segment(self.x(begin[1]), self.y(begin[0]), self.x(end[1]), self.y(end[0]),
                             f'{self.paint(stroke=colour)} stroke-width="{number(wide * self.cell)}" '
                             'stroke-linecap="round"')

    # -- what was asked for -----------------------------------------------------------------------

    def bubbles(self, bubbles: Sequence[tuple[Cell, Any]], stats: Any) -> None:
        most = max((entry.visits for _, entry in bubbles), default=0)
        largest = 0.42 * self.cell
        for (row, column), entry in reversed(bubbles):  # the most visited on top
            radius = largest * math.sqrt(entry.visits / most) if most else 0.0
            chosen = entry.move == stats.move
            radius = max(radius, 0.75 * largest if chosen else 1.5)
            said = proof(entry) or f"value {entry.value:.3f}"
            share = percent(share_of(entry.visits, stats))
            title = f"{self.board.name_of(entry.move)}: {entry.visits:,} visits ({share}), {said}"
            self.circle(row, column, radius, f'fill="{value_colour(entry.value)}" {self.paint(stroke="halo")} '
                        'stroke-width="1"', title + (", the move to play" if chosen else ""))
            if chosen:
                ring = "ink" if self.board.form == "points" else "text"
                self.circle(row, column, radius + 0.5, f'fill="none" {self.paint(stroke=ring)} stroke-width="3"')
            words = _in_bubble(entry)
            size = min(13.0, 1.7 * radius / max(2.0, 0.62 * len(words) + 0.4))
            if size >= 6.5:
                self.text(self.x(column), self.y(row), words, size,
                          'text-anchor="middle" fill="#ffffff" font-weight="600" pointer-events="none"')
            else:  # no room in the bubble: below it
                size = min(10.0, 0.34 * self.cell)
                ink = self.paint(fill="ink" if self.board.form == "points" else "text")
                self.text(self.x(column), self.y(row) + radius + 0.7 * size, words, size,
                          f'text-anchor="middle" {ink} font-weight="500" pointer-events="none"')

    def line(self, line: Sequence[tuple[Cell, int]]) -> None:
        for count, ((row, column), player) in enumerate(line, 1):
            size = min(13.0, 0.44 * self.cell)
            if self.board.form == "squares":
                name = "cross" if player > 0 else "nought"
                self.circle(row, column, 0.3 * self.cell, f'{self.paint(fill="page", stroke=name)} '
                            f'stroke-width="2" stroke-dasharray="4 3"')
                self.text(self.x(column), self.y(row), f"{count}", size,
                          f'text-anchor="middle" {self.paint(fill="text")} font-weight="600"')
                continue
            fill, edge = _STONES[self.board.form][player < 0]
            self.circle(row, column, (0.38 if self.board.form == "slots" else 0.41) * self.cell,
                        f'{self.paint(fill=fill, stroke=edge)} stroke-width="1.5" stroke-dasharray="4 2" '
                        'fill-opacity="0.8"')
            self.text(self.x(column), self.y(row), f"{count}", size,
                      f'text-anchor="middle" fill="{_NUMBERS[fill]}" font-weight="600"')

    def arrows(self, arrows: Sequence[tuple[Cell, Cell]]) -> None:
        for begin, end in arrows:
            x1, y1, x2, y2 = self.x(begin[1]), self.y(begin[0]), self.x(end[1]), self.y(end[0])
            length = math.hypot(x2 - x1, y2 - y1)
            ux, uy = (x2 - x1) / length, (y2 - y1) / length
            head, half = 0.42 * self.cell, 0.2 * self.cell
            neck_x, neck_y = x2 - head * ux, y2 - head * uy
            points = " ".join(f"{number(x)},{number(y)}" for x, y in (
                (x2, y2), (neck_x - half * uy, neck_y + half * ux), (neck_x + half * uy, neck_y - half * ux)))
            for colour, wide in (("halo", 0.2), ("text", 0.1)):
                self.add(f'<g {self.paint(fill=colour, stroke=colour)} stroke-linejoin="round">')
                self.segment(x1, y1, neck_x, neck_y,
                             f'stroke-width="{number(wide * self.cell)}" stroke-linecap="round"')
                self.add(f'<polygon points="{points}" stroke-width="{number((wide - 0.08) * self.cell)}"/>')
                self.add("</g>")

    def caption(self, bubbles: Sequence[tuple[Cell, Any]], room: float) -> list[str]:
        """The meaning of the bubbles, in lines of about ``room`` pixels at most."""
        if not bubbles:
            return []
        known = any(entry.proven is not None for _, entry in bubbles)
        parts = ["area: visits", "number: value in %", "ring: move to play"]
        if known:
            parts.insert(2, "W, L, D: win, loss, draw proven, and plies to the end")
        lines = [""]
        most = int(room / (0.55 * _SMALL))
        for part in parts:
            if lines[-1] and len(lines[-1]) + 3 + len(part) <= most:
                lines[-1] += " · " + part
            else:
                lines += wrap(part, max(most, 8))
        return lines[1:]


def _in_bubble(entry: Any) -> str:
    """The short text for a move: its value in percent, or its proof."""
    if entry.proven is None:
        return f"{100 * entry.value:.0f}"
    return str(entry.proven)[0].upper() + ("" if entry.distance is None else str(entry.distance))


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"
