"""Tables as plain text that fit into the columns of a terminal, whatever characters its cells have."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST_NAME = 10
"""Columns that a table leaves to the names in its first column, before it leaves out others."""
LONGEST_NAME = 80
"""Columns of a name in a table of any width."""
BLOCKS = " ▏▎▍▌▋▊▉█"
HEIGHTS = "▁▂▃▄▅▆▇█"
_PLAIN = str.maketrans({**dict(zip(BLOCKS + HEIGHTS, "    #####_.-~=+*#", strict=True)), "–": "-", "…": "..."})
"""What stands for the characters of this package on a console that cannot show them."""


# ---- texts -----------------------------------------------------------------------------------------------------------


def columns(text: str) -> int:
    """The columns of a terminal that a printable text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(character) in ("Mn", "Me") else 1 + (east_asian_width(character) in "WF")
               for character in text)


def cut(text: str, room: int, mark: str = "…") -> str:
    """``text`` in at most ``room`` columns of a terminal; where it takes more, ``mark`` stands for its end."""
    if columns(text) <= room:
        return text
    left = room - len(mark)
    kept = []
    for character in text:
        left -= columns(character)
        if left < 0:
            break
        kept.append(character)
    return ("".join(kept).rstrip() + mark)[:max(0, room)]


def ellipsis(encoding: str) -> str:
    """The end of a text that is cut, in characters of ``encoding``."""
    try:
        "…".encode(encoding)
    except UnicodeEncodeError:
        return "..."
    return "…"


def printable(text: str) -> str:
    """``text`` on one line, without characters that would move the cursor of a terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or "\ud800" <= character <= "\udfff"  # an escape, where it is written
        else " " if character.isspace() else "?" for character in text)


def fitting(text: str, encoding: str) -> str:
    """``text`` on one line, in characters of ``encoding``."""
    text = printable(text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def course(values: Sequence[float]) -> str:
    """Values from 0 to 1, one after the other, as columns of eight heights."""
    return "".join(HEIGHTS[min(7, int(8 * value))] for value in values)


# ---- tables ----------------------------------------------------------------------------------------------------------


def plain_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], room: int | None = None, encoding: str = "utf-8",
    spare: Sequence[str] = (),
) -> Iterator[str]:
    """The lines of a table without rules, right-aligned; see ``fit_table``. Where it does not fit, the lines of
    ``one_below_the_other``."""
    found = fit_table(headings, rows, room, encoding, spare)
    if found is None:
        yield from one_below_the_other(headings, rows, encoding)
        return
    widths = [max(map(columns, column)) for column in zip(*found, strict=True)]
    for row in found:
        yield "  ".join(" " * (width - columns(cell)) + cell for cell, width in zip(row, widths, strict=True)).rstrip()


def fit_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], room: int | None, encoding: str,
    spare: Sequence[str] = (), gap: int = 2, edges: int = 0,
) -> list[list[str]] | None:
    """The rows of a table, headings first, that takes at most ``room`` columns of a terminal (None: any number).

    The texts of the first column are names, which are cut, but not below ``LEAST_NAME``; all others are numbers, which
    are shown whole. A table that is too wide also loses the columns ``spare``, by their headings, one after the other.
    ``gap``: columns between two cells; ``edges``: those beside the table. None if nothing fits.
    """
    whole = [[fitting(cell, encoding) for cell in row] for row in (headings, *rows)]
    for left_out in range(len(spare) + 1):
        kept = [number for number, heading in enumerate(headings) if heading not in spare[:left_out]]
        found = [[row[number] for number in kept] for row in whole]
        widths = [max(map(columns, column)) for column in zip(*found, strict=True)]
        left = widths[0] if room is None else room - edges - gap * (len(widths) - 1) - sum(widths[1:])
        if left >= min(widths[0], LEAST_NAME):
            return [[cut(row[0], left, ellipsis(encoding)), *row[1:]] for row in found]
    return None


def one_below_the_other(headings: Sequence[str], rows: Sequence[Sequence[str]], encoding: str) -> Iterator[str]:
    """The lines of a table that is too wide, a cell each."""
    for row in rows:
        for heading, cell in zip(headings, row, strict=True):
            if heading:
                yield f"{heading}: {fitting(cell, encoding)}"
        yield ""
