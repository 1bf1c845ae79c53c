"""The line-pattern network: the model, its file format, and a slow integer version of what native code computes.

Every pattern has a row of C numbers: the sum of the embeddings of its two half-lines, cut off at zero, times a matrix.
A cell's features are the sum of the rows of its four patterns, cut to 0..1. A move's prior is a weighted sum of the
features of its cell; the value of a position comes from the sums and maxima of the features over all cells.

The model computes with the numbers that the file can hold: weights are rounded on the way forward, and gradients pass
the rounding as if it were not there. So nothing is lost by `export`.
"""

import math
import struct
import zlib

import numpy as np
import torch
from patterns import HALVES, REACH, half_lines, halves_of_patterns, patterns
from torch import nn
from torch.nn import functional

MAGIC = b"MCTSLINE"
HEADER = struct.Struct("<8s6I")
"""Magic, format, hidden numbers, channels, hidden numbers of the value, generation, flags."""
FORMAT = 1
HIDDEN, CHANNELS, VALUE_HIDDEN = 64, 32, 32
BIT = math.log(2)
"""The file uses powers of 2 for policy and value; the model uses natural logarithms."""
SCALES = {"half_line": 256, "mix": 512, "mix_bias": 2**17, "policy": 1024 / BIT,
          "value1": 512, "value1_bias": 2**17, "value2": 512 / BIT, "value2_bias": 2**17 / BIT}
LIMITS = {"half_line": 8191, "mix": 4096, "mix_bias": 2**24, "policy": 32767,
          "value1": 4096, "value1_bias": 2**24, "value2": 4096, "value2_bias": 2**24}
"""The largest absolute values in the file. The limits of the biases, 128, only keep sums within 32 bits."""

LEAK = 0.1
"""Share of a gradient that passes where a feature is clipped."""
NOWHERE = -1e4
"""The logit in place of a cell: in effect minus infinity, which itself would give nan in a cross-entropy."""


class Batch:
    """Positions as the model reads them: all cells in sequence, those of position n from ``offsets[n]`` on.

    ``indices`` are the patterns of the cells, int[cells, 4]. The pattern net runs on those that occur only: of 512
    positions some 6,000 of 66,430, which takes a tenth of the time.
    """

    def __init__(self, offsets, indices):
        flat = indices.ravel()
        seen = np.zeros(HALVES * (HALVES + 1) // 2, bool)
        seen[flat] = True
        used = np.flatnonzero(seen)
        number = np.empty(len(seen), np.int32)
        number[used] = np.arange(len(used))
        rows = number[flat]
        # 16 bits if they suffice: numpy sorts them by radix, seven times as fast as 32 bits
        order = np.argsort(rows.astype(np.uint16) if len(used) < 2**16 else rows, kind="stable")
        starts = np.zeros(len(used), np.int64)
        np.cumsum(np.bincount(rows, minlength=len(used))[:-1], out=starts[1:])
        self.patterns = torch.from_numpy(used)
        self.rows = torch.from_numpy(rows.astype(np.int64).reshape(-1, 4))
        self.cells_by_pattern = torch.from_numpy(order // 4)
        self.pattern_starts = torch.from_numpy(starts)
        self.offsets = torch.from_numpy(np.asarray(offsets, np.int64))
        self.sizes = self.offsets[1:] - self.offsets[:-1]


class _SumOfFour(torch.autograd.Function):
    """The sums of the four rows of each cell. The gradient is a second sum; torch's own takes 20 times as long."""

    @staticmethod
    def forward(ctx, table, batch):
        ctx.batch = batch
        return torch.embedding_bag(table, batch.rows.reshape(-1), torch.arange(0, batch.rows.numel(), 4))[0]

    @staticmethod
    def backward(ctx, grad):
        batch = ctx.batch
        return torch.embedding_bag(grad.contiguous(), batch.cells_by_pattern, batch.pattern_starts)[0], None


class _Clip(torch.autograd.Function):
    """Clips to 0..1. Where it clips, a share LEAK of a gradient that points back into the range passes.

    With the true gradient, which is zero there, most channels were soon 0 or 1 in all cells, and stayed so.
    """

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(0, 1)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        inside = torch.ops.aten.hardtanh_backward(grad, x, 0, 1)
        back = torch.where(x < 0.5, grad.clamp(max=0), grad.clamp(min=0))
        return inside.add_(back - torch.ops.aten.hardtanh_backward(back, x, 0, 1), alpha=LEAK)


class _SumAndMaximum(torch.autograd.Function):
    """Sum and maximum of the features over the cells of each position; 0 without cells."""

    @staticmethod
    def forward(ctx, features, batch):
        cells, starts = torch.arange(len(features)), batch.offsets[:-1]
        total = torch.embedding_bag(features, cells, starts)[0]
        highest, _, _, where = torch.embedding_bag(features, cells, starts, mode=2)
        ctx.batch, ctx.shape = batch, features.shape
        ctx.where = where.clamp(min=0)  # of a position without cells, whose gradient is dropped below
        return total, highest

    @staticmethod
    def backward(ctx, grad_total, grad_highest):
        grad = grad_total.repeat_interleave(ctx.batch.sizes, 0)
        if len(grad):
            channels = ctx.shape[1]
            grad_highest = grad_highest * (ctx.batch.sizes > 0)[:, None]
            places = ctx.where * channels + torch.arange(channels)
            grad.view(-1).scatter_add_(0, places.reshape(-1), grad_highest.reshape(-1))
        return grad, None


def rounded(x, scale):
    """Rounds x to the nearest multiple of 1 / scale; the gradient is that of x."""
    return x + (torch.floor(x.detach() * scale + 0.5) / scale - x.detach())


def cut_off(x, scale):
    """Rounds x down to a multiple of 1 / scale; the gradient is that of x."""
    return x + (torch.floor(x.detach() * scale) / scale - x.detach())


def padded(logits, sizes):
    """Logits of the cells of all positions as a table [positions, largest number of cells], padded with NOWHERE."""
    begin = sizes.cumsum(0) - sizes
    row = torch.arange(len(sizes)).repeat_interleave(sizes)
    place = torch.arange(len(logits)) - begin.repeat_interleave(sizes)
    table = logits.new_full((len(sizes), int(sizes.max())), NOWHERE)
    return table.index_put((row, place), logits)


class LineNetwork(nn.Module):
    def __init__(self, hidden=HIDDEN, channels=CHANNELS, value_hidden=VALUE_HIDDEN):
        super().__init__()
        if hidden % 8:
            raise ValueError(f"hidden must be a multiple of 8, got {hidden}")
        # Similar half-lines start with similar vectors: sums of a random vector for each content of each cell.
        contents = functional.one_hot(torch.from_numpy(half_lines()).long() + 1, 4).float().reshape(HALVES, 4 * REACH)
        alike = contents @ torch.randn(4 * REACH, hidden) * 0.25
        self.half_line = nn.Parameter(alike + torch.randn(HALVES, hidden) * 0.05)
        self.mix = nn.Parameter(torch.randn(hidden, channels) * 0.08)
        self.mix_bias = nn.Parameter(torch.full((channels,), 0.05))
        signs = torch.tensor([1.0, -1.0]).repeat(channels)[:channels]
        self.policy = nn.Parameter(torch.logspace(-0.3, 0.9, channels) * signs)
        self.value1 = nn.Parameter(torch.randn(2 * channels, value_hidden) * (2 / (2 * channels)) ** 0.5)
        self.value1_bias = nn.Parameter(torch.zeros(value_hidden))
        self.value2 = nn.Parameter(torch.zeros(value_hidden))  # every value starts at 0.5
        self.value2_bias = nn.Parameter(torch.zeros(1))
        self.register_buffer("halves", torch.from_numpy(halves_of_patterns()), persistent=False)
        self.clamp()

    def clamp(self):
        """Keeps the weights within the limits of the file; call it after every training step."""
        with torch.no_grad():
            for name, weights in self.named_parameters():
                weights.clamp_(-LIMITS[name] / SCALES[name], LIMITS[name] / SCALES[name])

    def exact(self, name):
        """The weights ``name``, rounded as in the file."""
        return rounded(getattr(self, name), SCALES[name])

    def table(self, numbers):
        """The rows of the patterns ``numbers``."""
        low, high = self.halves[numbers].unbind(1)
        half = self.exact("half_line")
        hidden = functional.hardtanh(half.index_select(0, low) + half.index_select(0, high), 0, 4095 / 256)
        rows = torch.addmm(self.exact("mix_bias"), hidden, self.exact("mix"))
        return functional.hardtanh(rounded(rows, 128), -1023 / 128, 1023 / 128)

    def features(self, batch):
        """The features of all cells, [cells, channels] from 0 to 1."""
        return _Clip.apply(_SumOfFour.apply(self.table(batch.patterns), batch))

    def logits(self, features):
        """The logit of the prior of each cell."""
        return features @ self.exact("policy")

    def seen(self, features, batch):
        """The input of the value for each position: sums and maxima of the features over its cells."""
        total, highest = _SumAndMaximum.apply(features, batch)
        return torch.cat([cut_off(total / 16, 256).clamp(max=32767 / 256), highest], 1)

    def value(self, features, batch):
        """The logit of the expected result for the side to move in each position."""
        hidden = torch.addmm(self.exact("value1_bias"), self.seen(features, batch), self.exact("value1"))
        hidden = cut_off(hidden, 256).clamp(0, 8191 / 256)
        logit = cut_off((hidden @ self.exact("value2") + self.exact("value2_bias")) / BIT, 256)
        return logit.clamp(-4095 / 256, 4095 / 256) * BIT

    def forward(self, batch):
        features = self.features(batch)
        return self.logits(features), self.value(features, batch)


def export(model, path, generation):
    """Writes the file ``path``, which `mcts_core.Searcher(network=...)` reads."""
    with torch.no_grad():
        arrays = {}
        for name, weights in model.named_parameters():
            whole = torch.floor(weights.double() * SCALES[name] + 0.5).clamp(-LIMITS[name], LIMITS[name])
            arrays[name] = whole.numpy().astype("<i4" if name.endswith("bias") else "<i2")
    hidden, channels = arrays["mix"].shape
    text = HEADER.pack(MAGIC, FORMAT, hidden, channels, len(arrays["value2"]), generation, 0)
    text += b"".join(arrays[name].tobytes() for name in SCALES)
    with open(path, "wb") as file:
        file.write(text + struct.pack("<I", zlib.crc32(text)))


def read(path):
    """The arrays of a network file by name, and its generation. Raises ValueError if the file is invalid."""
    with open(path, "rb") as file:
        text = file.read()
    if len(text) < HEADER.size + 4 or text[:8] != MAGIC:
        raise ValueError(f"{path} is not a network file: it must begin with {MAGIC}, got {text[:8]}")
    _, form, hidden, channels, value_hidden, generation, _ = HEADER.unpack_from(text)
    if form != FORMAT:
        raise ValueError(f"{path} must have format {FORMAT}, got {form}")
    if zlib.crc32(text[:-4]) != struct.unpack("<I", text[-4:])[0]:
        raise ValueError(f"{path} is damaged: its checksum is wrong")
    shapes = {"half_line": (HALVES, hidden), "mix": (hidden, channels), "mix_bias": (channels,), "policy": (channels,),
              "value1": (2 * channels, value_hidden), "value1_bias": (value_hidden,), "value2": (value_hidden,),
              "value2_bias": (1,)}
    arrays, at = {}, HEADER.size
    for name, shape in shapes.items():
        kind = np.dtype("<i4" if name.endswith("bias") else "<i2")
        end = at + kind.itemsize * math.prod(shape)
        if end > len(text) - 4:
            break
        arrays[name] = np.frombuffer(text[at:end], kind).reshape(shape)
        at = end
    if at != len(text) - 4 or len(arrays) < len(shapes):
        raise ValueError(f"{path} has {len(text)} bytes, which do not fit the sizes in its header")
    return arrays, generation


def load(path):
    """The model of a network file."""
    arrays, _ = read(path)
    model = LineNetwork(*arrays["mix"].shape, len(arrays["value2"]))
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.copy_(torch.from_numpy(arrays[name] / SCALES[name]))
    return model


class IntegerNetwork:
    """Computes in numpy what native code computes from a network file: slow, and exact to the last bit."""

    def __init__(self, path):
        arrays, self.generation = read(path)
        self.weights = {name: array.astype(np.int64) for name, array in arrays.items()}
        halves = halves_of_patterns()
        self.table = np.concatenate([self.rows(part) for part in np.array_split(halves, 8)])

    def rows(self, halves):
        w = self.weights
        hidden = np.clip(w["half_line"][halves[:, 0]] + w["half_line"][halves[:, 1]], 0, 4095)
        return np.clip((hidden @ w["mix"] + w["mix_bias"] + 512) >> 10, -1023, 1023)

    def __call__(self, boards):
        """``(offsets, cells, logits, values)`` of boards int8[N, R, C].

        ``logits[i]`` is the logit of ``cells[i]``, in units of 1/256: the weight of a move is 2 ** (logit / 256).
        ``values`` are also such logits, of the expected result: 1 / (1 + 2 ** (-value / 256)).
        """
        w = self.weights
        offsets, cells, indices = patterns(boards)
        features = np.clip(self.table[indices].sum(1), 0, 128)
        logits = (features @ w["policy"]) >> 9
        seen = np.zeros((len(boards), 2 * len(w["policy"])), np.int64)
        for number, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
            if begin < end:
                part = features[begin:end]
                seen[number] = np.concatenate([np.minimum(part.sum(0) >> 3, 32767), 2 * part.max(0)])
        hidden = np.clip((seen @ w["value1"] + w["value1_bias"]) >> 9, 0, 8191)
        values = np.clip((hidden @ w["value2"] + w["value2_bias"]) >> 9, -4095, 4095)
        return offsets, cells, logits, values
