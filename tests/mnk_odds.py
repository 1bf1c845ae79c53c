"""Exact probabilities of random m,n,k games, by a slow oracle, and positions in which they can be computed."""

import random
from collections import Counter
from functools import cache

import pytest

from mcts_core.games.mnk.position import MNK


def winner_of(cells, last, m, n, k, rule):
    """Whether the stone in ``last`` is part of a line that wins; ``cells`` maps cells to players."""
    row, col = divmod(last, m)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, col + sign * right
            while 0 <= r < n and 0 <= c < m and cells.get(r * m + c) == cells[last]:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length == k or (length > k and rule == "freestyle"):
            return True
    return False


def stones_of(state):
    marks = state.diagram().split()
    return {cell: {"X": 1, "O": -1}[mark] for cell, mark in enumerate(marks) if mark != "."}


@cache
def exact_lengths(state):
    """The probability of each value (result for the player to move + 4 * moves) of a uniformly random game."""
    shape = state.m, state.n, state.k, state.rule
    size = state.m * state.n

    @cache
    def values(stones, player):
        cells = dict(stones)
        empty = [cell for cell in range(size) if cell not in cells]
        total = Counter()
        for cell in empty:
            cells[cell] = player
            if winner_of(cells, cell, *shape):
                total[2 + 4] += 1 / len(empty)
            elif len(empty) == 1:
                total[1 + 4] += 1
            else:
                for value, chance in values(frozenset(cells.items()), -player).items():
                    total[2 - (value & 3) + 4 * ((value >> 2) + 1)] += chance / len(empty)
            del cells[cell]
        return total

    return values(frozenset(stones_of(state).items()), state.to_move)


def late_positions(board, rule):
    """Positions with a few empty cells and no line."""
    rng = random.Random(f"{board}{rule}")
    m, n, k = board
    for empty in (1, 2, 3, 5, 7):
        cells = list(range(m * n))
        for _ in range(200):
            rng.shuffle(cells)
            filled = cells[empty:]
            # two-coloured diagonals in blocks of two: hardly a line; then random swaps
            marks = ["."] * (m * n)
            order = sorted(filled, key=lambda cell: ((cell % m + 2 * (cell // m)) % 4 // 2, rng.random()))
            for index, cell in enumerate(order):
                marks[cell] = "X" if index < (len(order) + 1) // 2 else "O"
            try:
                state = MNK.from_string("".join(marks), m=m, n=n, k=k, rule=rule)
            except ValueError:
                continue
            if state.winner() is None:
                break
        else:
            pytest.fail("no position without a line found")
        yield state
