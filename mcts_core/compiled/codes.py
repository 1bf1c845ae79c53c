"""Values of fields and moves as numbers: None and texts have codes that no number of a game has."""

from __future__ import annotations

import enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NONE = -(1 << 62)
CHARACTER = 1 << 62
"""Plus the number of a character: a text of one character."""
WORD = (1 << 62) + (1 << 32)
"""Plus a number: longer texts, in the order in which they are met. The empty text is the first."""
EMPTY = WORD
LARGEST = (1 << 62) - 1
"""No int of a game may be larger, nor smaller than its negative."""


class Uncodable(ValueError):
    """A value that is not a number, text, None or member of an enum."""


class Codes:
    """The texts and enum members of a game, by their codes."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {"": EMPTY}
        self.members: dict[int, Any] = {}

    def of(self, value: Any) -> int | float:
        """The code of ``value``. Raises Uncodable."""
        if value is None:
            return NONE
        if isinstance(value, enum.Enum):
            return self._member(value)
        if isinstance(value, str):
            if len(value) == 1:
                return CHARACTER + ord(value)
            return self.words.setdefault(value, WORD + len(self.words))
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, (int, float)):
            return self._number(value)
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return self._number(value.item())
        raise Uncodable(f"{type(value).__name__}")

    def _member(self, value: Any) -> int:
        inner: Any = value.value
        if isinstance(inner, int) and not isinstance(inner, bool):
            return int(self._number(inner))
        if isinstance(inner, str):
            return int(self.of(inner))
        members: list[Any] = list(value.__class__.__members__.values())
        return members.index(value)

    def _number(self, value: Any) -> int | float:
        if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
            raise Uncodable("an int of more than 62 bits: divide it into two fields, or use a list of numbers")
        return value  # type: ignore[no-any-return]

    def back(self, code: int) -> Any:
        """The int, text or None with this code."""
        if code == NONE:
            return None
        if code >= WORD:
            return list(self.words)[code - WORD]
        return chr(code - CHARACTER) if code >= CHARACTER else code
