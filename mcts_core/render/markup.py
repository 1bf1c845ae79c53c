"""Common parts of pictures and tables: text that is safe in XML and HTML, colours, figures as text."""

from __future__ import annotations

from mcts_core import InvalidOption
from mcts_core.arguments import shorten

TYPE_CHECKING = False  # see board.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mcts_core import Node, Stats
    from mcts_core.move_names import Names

THEMES = ("auto", "light", "dark")
LONGEST = 80
"""Characters that are shown of a user's text, such as the name of a move."""

_ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))
_LOW, _HIGH = (102, 112, 122), (14, 118, 62)
"""Colours of the values 0 and 1: grey and green, on which white text has a contrast of 5 and more."""


def clean(text: str) -> str:
    """``text`` with U+FFFD for characters that XML does not allow: control characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(
        char if char in "\t\n\r" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char >= "\U00010000"
        else "\ufffd" for char in text
    )


def escape(text: str) -> str:
    """``text`` for XML and HTML, in an element or in a quoted attribute."""
    text = clean(text)
    for char, entity in _ENTITIES:
        text = text.replace(char, entity)
    return text


def label(move: Any, names: Names) -> str:
    """The name of any move on one line, cut to ``LONGEST`` characters."""
    try:
        text = names.shown(move)
    except Exception:  # of its own __str__
        text = shorten(move)
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def label_line(moves: Iterable[Any], names: Names) -> list[str]:
    """The labels of a line of moves."""
    found = []
    for move in moves:
        found.append(label(move, names))
        names = names.after(move)
    return found


def check_theme(theme: Any) -> str:
    """``theme``, or InvalidOption."""
    if theme not in THEMES:
        raise InvalidOption(f"theme must be {', '.join(map(repr, THEMES))}, got {shorten(theme)}")
    return str(theme)


def check_stats(stats: Any) -> None:
    """Raises InvalidOption if ``stats`` is not a Stats."""
    from mcts_core import Stats  # late, because importing it takes a while

    if not isinstance(stats, Stats):
        raise InvalidOption(f"stats must be a Stats, got {shorten(stats)}")


def check_value(value: Any) -> float:
    """A value from 0 to 1, or InvalidOption."""
    if not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise InvalidOption(f"a value must be a number from 0 to 1, got {shorten(value)}")
    return float(value)


def value_colour(value: float) -> str:
    """The colour of a value: grey for 0, green for 1."""
    mixed = (round(low + value * (high - low)) for low, high in zip(_LOW, _HIGH, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def number(value: float) -> str:
    """A coordinate or length with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def share_of(visits: int, whole: Stats | Node) -> float:
    """Visits as a share of the visits of a search or a tree."""
    return visits / whole.visits if whole.visits else 0.0


def percent(share: float) -> str:
    """A share in whole percent; ``<1 %`` and ``>99 %`` in place of a rounded 0 and 100."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{share:.0%}".replace("%", " %")
