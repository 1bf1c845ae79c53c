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
def lines_through(m, n, k, rule):
    """For each cell the lines of k cells through it, as sets of bits, each with the cells that must not continue it."""
    lines = [[] for _ in range(m * n)]
    for first in range(m * n):
        row, col = divmod(first, m)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(row + i * down) * m + col + i * right if 0 <= row + i * down < n and 0 <= col + i * right < m
                     else None for i in range(-1, k + 1)]
            before, *inner, after = cells
            if None not in inner:
                line = sum(1 << cell for cell in inner)
                beyond = sum(1 << cell for cell in (before, after) if cell is not None and rule == "exact")
                for cell in inner:
                    lines[cell].append((line, beyond))
    return lines


@cache
def exact_lengths(state):
    """The probability of each value (result for the player to move + 4 * moves) of a uniformly random game."""
    lines, size = lines_through(state.m, state.n, state.k, state.rule), state.m * state.n

    @cache
    def values(own, other):
        """``own``: the stones of the player to move, as bits."""
        empty = [cell for cell in range(size) if not (own | other) >> cell & 1]
        total = Counter()
        for cell in empty:
            stones = own | 1 << cell
            if any(stones & line == line and not stones & beyond for line, beyond in lines[cell]):
                total[2 + 4] += 1 / len(empty)
            elif len(empty) == 1:
                total[1 + 4] += 1
            else:
                for value, chance in values(other, stones).items():
                    total[2 - (value & 3) + 4 * ((value >> 2) + 1)] += chance / len(empty)
        return total

    stones = {1: 0, -1: 0}
    for cell, player in stones_of(state).items():
        stones[player] |= 1 << cell
    return values(stones[state.to_move], stones[-state.to_move])


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
