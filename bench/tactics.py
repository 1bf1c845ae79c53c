"""A few positions of Connect Four in which every search must find the move: does a program play rightly at all?"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """Moves from the first position, and the moves that are right there; any other loses, or misses a win."""

    kind: str
    moves: tuple
    right: frozenset


POSITIONS = (
    Position("win in one", (3, 0, 3, 0, 3, 6), frozenset({3})),
    Position("win in one", (6, 0, 6, 1, 5, 2, 5), frozenset({3})),
    Position("forced block", (0, 3, 0, 3, 6, 3), frozenset({3})),
    Position("forced block", (0, 0, 1, 1, 2), frozenset({3})),
    Position("double threat", (2, 2, 3, 3), frozenset({1, 4})),
    Position("double threat", (2, 6, 3), frozenset({1, 4})),
)
"""The player who began and the other one by turns; of the double threats the one is to be made, the other to be met."""

KINDS = tuple(dict.fromkeys(position.kind for position in POSITIONS))


def count(move_of, seeds):
    """``move_of(moves, seed)`` in every position with the seeds 1, 2, ...: kind -> [right, all]."""
    found = {kind: [0, 0] for kind in KINDS}
    for position in POSITIONS:
        for seed in range(1, seeds + 1):
            found[position.kind][0] += move_of(position.moves, seed) in position.right
            found[position.kind][1] += 1
    return found
