"""The book of Connect Four that comes with the package."""

from __future__ import annotations

import threading

from mcts_core.games import data_files
from mcts_core.games.connect_four.book import Book
from mcts_core.games.connect_four.position import ConnectFour, use_book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_lock = threading.RLock()  # a signal handler may search, too, while the file is read
_read: list[Book] = []


def shipped() -> Book:
    """The book, which is read at its first use in less than a millisecond. After that, searches of the standard board
    may ask it. Raises InvalidFile if the file is damaged."""
    if not _read:
        with _lock:
            if not _read:
                book = data_files.load(__spec__, "openings.book", Book)
                use_book(book)
                _read.append(book)
    return _read[0]


def ready_for(state: Any) -> bool:
    """Whether ``state`` is of the game that the book is of, on a board of any size, because settings are those of a
    game; only searches of the standard board find anything there. If so, it has been read."""
    if not isinstance(state, ConnectFour):
        return False
    shipped()
    return True
