"""Line patterns of gomoku boards: the cells that the network considers, and the four patterns of each of them.

A half-line is the view from a cell in one of eight directions: up to five cells, nearest first, ending at the edge of
the board. Its index reads the cells as digits in base 3: 1 (empty), 2 (own stone) and 3 (stone of the other side), with
the nearest cell as the lowest digit. A shorter half-line has fewer digits, so each of the 364 half-lines has a
different number. A pattern is the unordered pair of the two half-lines of a line through a cell.
"""

import numpy as np

REACH = 5
"""Cells of a half-line."""
HALVES = 364
PATTERNS = HALVES * (HALVES + 1) // 2
DIRECTIONS = (0, 1), (1, 0), (1, 1), (-1, 1)
"""Steps by rows and columns: horizontal, vertical, falling, rising."""
EMPTY, OWN, OTHER = 0, 1, 2


def looked_at(boards):
    """The cells that the network considers, bool[N, R, C]: empty cells near a stone.

    Near means a distance of at most 2 (the larger of the distances in rows and columns), or of 3 in one of the 8
    directions.
    """
    rows, cols = boards.shape[1:]
    stones = np.zeros((len(boards), rows + 6, cols + 6), bool)
    stones[:, 3:-3, 3:-3] = boards != EMPTY
    near = np.zeros(boards.shape, bool)
    for dy in range(-3, 4):
        for dx in range(-3, 4):
            if max(abs(dy), abs(dx)) <= 2 or (abs(dy) in (0, 3) and abs(dx) in (0, 3)):
                near |= stones[:, 3 + dy:3 + dy + rows, 3 + dx:3 + dx + cols]
    return near & (boards == EMPTY)


def patterns(boards):
    """The cells that the network considers on boards int8[N, R, C], and their patterns: ``(offsets, cells, indices)``.

    ``boards`` has 0 for an empty cell, 1 for a stone of the side to move, 2 for one of the other side. The cells of
    board n are the rows ``offsets[n]`` to ``offsets[n + 1]`` of ``cells``, int32 (row * C + column), and of
    ``indices``, int32[cells, 4], the patterns of each cell in the order of DIRECTIONS.
    """
    count, rows, cols = boards.shape
    digits = np.zeros((count, rows + 2 * REACH, cols + 2 * REACH), np.int16)
    digits[:, REACH:-REACH, REACH:-REACH] = boards + 1  # outside: no digit
    board, row, col = np.nonzero(looked_at(boards))
    width, height = digits.shape[2], digits.shape[1]
    at = (board * height + row + REACH) * width + col + REACH
    flat = digits.ravel()
    indices = np.empty((len(at), 4), np.int32)
    for number, (dy, dx) in enumerate(DIRECTIONS):
        step = dy * width + dx
        one, other = half(flat, at, step), half(flat, at, -step)
        indices[:, number] = pair(one, other)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(board, minlength=count), out=offsets[1:])
    return offsets, (row * cols + col).astype(np.int32), indices


def half(digits, at, step):
    """The half-lines of the cells ``at`` of a flat board with a frame, in the direction of ``step``."""
    index = digits[at + REACH * step].astype(np.int32)
    for distance in range(REACH - 1, 0, -1):
        index *= 3
        index += digits[at + distance * step]
    return index


def pair(one, other):
    """The pattern of two half-lines, in either order."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    return high * (high + 1) // 2 + low


def half_lines():
    """All half-lines as int8[364, 5]: 0 empty, 1 own, 2 other, -1 outside of the board."""
    index = np.arange(HALVES)
    cells = np.empty((HALVES, REACH), np.int8)
    for distance in range(REACH):
        digit = np.where(index > 0, (index - 1) % 3 + 1, 0)
        cells[:, distance] = digit - 1
        index = (index - digit) // 3
    return cells


def halves_of_patterns():
    """The two half-lines of each pattern, int64[66430, 2], the smaller one first."""
    high = np.repeat(np.arange(HALVES), np.arange(1, HALVES + 1))
    low = np.arange(PATTERNS) - high * (high + 1) // 2
    return np.stack([low, high], 1)
