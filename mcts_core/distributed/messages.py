"""The messages that searches in different processes exchange: those of ``SearchCore.tell``, ready to send.

Each search numbers the moves of a user's game in the order in which it meets them, so a message contains the moves
themselves.
"""

from __future__ import annotations

import pickle
import sys
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mcts_core.engine.loop import SearchCore

# of src/tree/exchange.pyx
HEADER = 6
ENTRY = 4
GENERAL_FORMAT, MOST_PLAYERS = 0x4D475000, 32
PROOF, PROOF_MOVE = 3, 5
HAS_BLOCK = 1
NO_MOVE = 0xFFFFFFFF
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
            raise ValueError(
                "not a message of a search: it ends too early, or a move is missing from its list of moves"
            ) from None
    core.hear(message)


def renumbered(message: bytes, number: Callable[[int], int]) -> bytes:
    """The same message with ``number(move)`` in place of each move."""
    words = array("I", message)
    if words[PROOF] and words[PROOF_MOVE] != NO_MOVE:
        words[PROOF_MOVE] = number(words[PROOF_MOVE])
    for at in entries(words):
        words[at] = number(words[at])
    return words.tobytes()


def entries(words: array[int]) -> Iterator[int]:
    """The positions at which the entries of a message begin; an entry begins with its move."""
    players = words[0] - GENERAL_FORMAT
    general = 0 < players <= MOST_PLAYERS
    node = 2 + 2 * players if general else 0  # words at the begin of a block about its own node
    size, at, block_begins = ENTRY + general, HEADER + node, True
    while at + block_begins * (1 + node) < len(words):
        at += block_begins * (1 + node)
        yield at
        block_begins = words[at + size - 1] == HAS_BLOCK
        at += size


def dumps(value: Any) -> bytes:
    """A pickle, made by cloudpickle if an executor has imported it: that also pickles classes of the main program."""
    cloudpickle = sys.modules.get("cloudpickle")
    return (pickle if cloudpickle is None else cloudpickle).dumps(value)  # type: ignore[no-any-return]
