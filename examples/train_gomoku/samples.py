"""Positions of self-play with their training targets, in memory and as files."""

import json
import os
from dataclasses import asdict, dataclass

import numpy as np

FIELDS = "rows", "cols", "boards", "values", "moves", "cells", "weights"


@dataclass
class Counts:
    """Figures about games for the log."""

    games: int = 0
    positions: int = 0
    drawn_positions: int = 0
    stones: int = 0
    black_points: float = 0.0

    def add(self, other):
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)

    @property
    def drawn_share(self):
        """The share of the positions that come from drawn games."""
        return self.drawn_positions / max(self.positions, 1)

    @property
    def mean_length(self):
        """Stones on the board at the end of a game."""
        return self.stones / max(self.games, 1)

    @property
    def black_share(self):
        return self.black_points / max(self.games, 1)

    def __str__(self):
        return (f"{self.games:,} games, {self.positions:,} positions, {100 * self.drawn_share:.1f} % of them in draws; "
                f"mean length {self.mean_length:.1f}, black {100 * self.black_share:.1f} %")


class Samples:
    """Positions, one after another in flat arrays.

    ``rows``, ``cols``: the sizes of the boards. ``boards``: their cells (0 empty, 1 side to move, 2 other side).
    ``values``: the target values, 0 to 1 for the side to move. ``moves``: the number of moves in the target policy, 0
    for a position without one. ``cells``, ``weights``: these moves and their shares.
    """

    def __init__(self, **arrays):
        for name in FIELDS:
            setattr(self, name, arrays[name])

    def __len__(self):
        return len(self.values)

    @classmethod
    def of(cls, turns):
        """From tuples ``(board int8[R, C], value, policy)``; a policy is None or two lists, of cells and of weights."""
        turns = list(turns)
        policies = [policy or ([], []) for _, _, policy in turns]
        return cls(
            rows=np.array([board.shape[0] for board, _, _ in turns], np.uint8),
            cols=np.array([board.shape[1] for board, _, _ in turns], np.uint8),
            boards=joined([board.ravel() for board, _, _ in turns], np.int8),
            values=np.array([value for _, value, _ in turns], np.float32),
            moves=np.array([len(cells) for cells, _ in policies], np.uint16),
            cells=joined([cells for cells, _ in policies], np.uint16),
            weights=joined([weights for _, weights in policies], np.float32))

    def save(self, path, counts):
        """Writes the file ``path`` with the Counts of the games, atomically."""
        part = f"{path}.part"
        with open(part, "wb") as file:
            arrays = {name: getattr(self, name) for name in FIELDS}
            np.savez_compressed(file, counts=json.dumps(asdict(counts)), **arrays)
        os.replace(part, path)

    @classmethod
    def load(cls, path):
        """The positions of a file and their Counts."""
        with np.load(path) as file:
            return cls(**{name: file[name] for name in FIELDS}), Counts(**json.loads(str(file["counts"])))

    @classmethod
    def join(cls, parts):
        parts = list(parts)
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS})

    def parts(self):
        """The positions grouped by board size: ``(boards [N, R, C], values, weights [N, R * C])``."""
        sizes = self.rows.astype(np.int64) * self.cols
        begin = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(len(self)), self.moves)
        for rows, cols in sorted(set(zip(self.rows.tolist(), self.cols.tolist(), strict=True))):
            which = np.flatnonzero((self.rows == rows) & (self.cols == cols))
            boards = self.boards[begin[which][:, None] + np.arange(rows * cols)]
            weights = np.zeros((len(which), rows * cols), np.float32)
            number = np.full(len(self), -1)
            number[which] = np.arange(len(which))
            mine = number[owner] >= 0
            weights[number[owner[mine]], self.cells[mine]] = self.weights[mine]
            yield boards.reshape(-1, rows, cols), self.values[which], weights


def joined(parts, kind):
    return np.concatenate([np.asarray(part, kind) for part in parts]) if parts else np.zeros(0, kind)
