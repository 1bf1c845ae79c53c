"""The book of Connect Four that comes with the package."""

from __future__ import annotations

import threading

from mcts_core.games.connect_four.book import Book
from mcts_core.games.connect_four.position import ConnectFour, use_book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_lock = threading.Lock()
_read: list[Book | None] = []


def shipped() -> Book | None:
    """The book, which is read at its first use in less than a millisecond. After that, searches of the standard board
    may ask it. None if the package was built without it. Raises InvalidFile if the file is damaged."""
    from importlib.resources import files  # at the top it would be a third of the time to import the package

    with _lock:
        if not _read:
            file = files("mcts_core.games.connect_four").joinpath("openings.book")
            book = Book(file.read_bytes()) if file.is_file() else None
            if book is not None:
                use_book(book)
            _read.append(book)
    return _read[0]


def ready_for(state: Any) -> bool:
    """Whether there is a book for the board of ``state``. If so, it has been read."""
    if not isinstance(state, ConnectFour) or (state.rows, state.cols, state.connect) != (6, 7, 4):
        return False
    return shipped() is not None
