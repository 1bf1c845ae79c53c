"""The window: the newest positions of self-play, from which training batches are drawn."""

import numpy as np
from network import Batch
from patterns import patterns


class Chunk:
    """Samples with the patterns of their cells. The cells of position n begin at ``offsets[n]``."""

    def __init__(self, samples):
        offsets, indices, weights, values = [0], [], [], []
        for boards, part_values, part_weights in samples.parts():
            starts, cells, part_indices = patterns(boards)
            board = np.repeat(np.arange(len(boards)), np.diff(starts))
            offsets.extend(offsets[-1] + starts[1:])
            indices.append(part_indices)
            weights.append(part_weights[board, cells])
            values.append(part_values)
        self.offsets = np.array(offsets, np.int64)
        self.indices = np.concatenate(indices)
        self.weights = np.concatenate(weights)
        self.values = np.concatenate(values)

    def __len__(self):
        return len(self.values)


class Window:
    """The newest positions, from which batches are drawn."""

    def __init__(self):
        self.chunks = []
        self.positions = 0

    def add(self, samples, limit):
        """Adds samples, and drops the oldest chunks while ``limit`` positions remain without them."""
        if len(samples):
            self.chunks.append(Chunk(samples))
        self.positions = sum(map(len, self.chunks))
        while self.chunks and self.positions - len(self.chunks[0]) >= limit:
            self.positions -= len(self.chunks.pop(0))

    def batches(self, count, size, rng):
        """``count`` batches of ``size`` random positions, as ``Sampled``."""
        first = np.cumsum([0, *map(len, self.chunks)])
        for _ in range(count):
            number = np.sort(rng.integers(self.positions, size=size))
            cuts = np.searchsorted(number, first)
            drawn = [(chunk, number[low:high] - base) for chunk, low, high, base
                     in zip(self.chunks, cuts[:-1], cuts[1:], first[:-1], strict=True) if low < high]
            yield Sampled(drawn)


class Sampled:
    """Positions of chunks as a ``batch`` for the network with their targets; positions with a policy come first.

    ``values``: the target values of all positions. ``policies``: the number of positions with a policy. ``weights``:
    the weights of the cells of these positions.
    """

    def __init__(self, drawn):
        parts = [take(chunk, rows) for chunk, rows in drawn]
        sizes, indices, weights, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        owner = np.repeat(np.arange(len(sizes)), sizes)
        total = np.bincount(owner, weights, len(sizes))
        order = np.argsort(total == 0, kind="stable")
        picked = ragged((np.cumsum(sizes) - sizes)[order], sizes[order])
        offsets = np.concatenate([[0], np.cumsum(sizes[order])])
        self.policies = int((total > 0).sum())
        self.values = values[order]
        cells = offsets[self.policies]
        self.weights = (weights / np.maximum(total, 1e-9)[owner])[picked[:cells]].astype(np.float32)
        self.batch = Batch(offsets, indices[picked])


def take(chunk, rows):
    """Sizes, indices, weights and values of the positions ``rows`` of a chunk."""
    begin, sizes = chunk.offsets[rows], chunk.offsets[rows + 1] - chunk.offsets[rows]
    cells = ragged(begin, sizes)
    return sizes, chunk.indices[cells], chunk.weights[cells], chunk.values[rows]


def ragged(begin, sizes):
    """``sizes[0]`` consecutive numbers from ``begin[0]``, then ``sizes[1]`` from ``begin[1]``, and so on."""
    return np.repeat(begin - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
