"""The messages that searches in different processes exchange: those of ``SearchCore.tell``, ready to send.

Each search numbers the moves of a user's game in the order in which it meets them, so a message contains the moves
themselves.
"""

from __future__ import annotations

import pickle

from mcts_core.game import imported
from mcts_core.tree.exchange import renumbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcts_core.engine.loop import SearchCore

UNKNOWN_MOVE = 0xFFFFFFFE


def tell(core: SearchCore, least: int) -> bytes | None:
    """The news of the tree of ``core``; ``least`` and None mean the same as in ``SearchCore.tell``."""
    told = core.tell(least)
    names = core.names
    if told is None or names is None:
        return told
    numbers: dict[int, int] = {}  # from numbers of the search to numbers in this message
    message = renumbered(told, lambda move: numbers.setdefault(move, len(numbers)))
    return dumps((message, [names[move] for move in numbers]))


def hear(core: SearchCore, message: bytes) -> None:
    """Adds the message of another search. Raises ValueError if it is not a message."""
    known = core.names
    if known is not None:
        message, names = pickle.loads(message)
        numbers = {name: number for number, name in enumerate(known)}
        try:
            message = renumbered(message, lambda move: numbers.get(names[move], UNKNOWN_MOVE))
        except IndexError:
            raise ValueError("not a message of a search: a move is missing from its list of moves") from None
    core.hear(message)


def dumps(value: Any) -> bytes:
    """A pickle, made by cloudpickle if an executor has imported it: that also pickles classes of the main program."""
    return (imported("cloudpickle", "dumps") or pickle.dumps)(value)
