"""The line-pattern network in plain Python integers, by what ``kernels/mnk/network.h`` says, and files of networks.

Boards are lists of rows of 0 (empty), 1 (a stone of who began) and 2 (of the other).
"""

import random
import struct
import zlib
from functools import cache
from itertools import chain
from math import isqrt
from operator import mul

HALVES, CHANNELS, HIDDEN, REACH = 364, 32, 32, 5
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
ONE = 2**31


# ---- files -----------------------------------------------------------------------------------------------------------

def packed(numbers, kind):
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def file_of(half, mix, bias, policy, value1, value1_bias, value2, value2_bias, generation=3, flags=0):
    """A network's file: lists of rows, or of numbers."""
    body = b"".join([
        b"MCTSLINE", struct.pack("<6I", 1, len(mix), CHANNELS, HIDDEN, generation, flags),
        *(packed(row, "h") for row in half), *(packed(row, "h") for row in mix), packed(bias, "i"), packed(policy, "h"),
        *(packed(row, "h") for row in value1), packed(value1_bias, "i"), packed(value2, "h"),
        packed([value2_bias], "i"),
    ])
    return body + struct.pack("<I", zlib.crc32(body))


def made_up(seed, inner=8, extreme=False, **others):
    """The file of a network of random weights; ``extreme``: many of them as large as they may be."""
    return file_of(**{**drawn(seed, inner, extreme), **others})


@cache
def drawn(seed, inner, extreme):
    """The parts of such a file, by their names."""
    draw = random.Random(seed)

    def numbers(count, usual, most):
        return [draw.choice([-most, most, 0]) if extreme and draw.random() < 0.6 else draw.randint(-usual, usual)
                for _ in range(count)]

    return {
        "half": [numbers(inner, 300, 8191) for _ in range(HALVES)],
        "mix": [numbers(CHANNELS, 150, 4096) for _ in range(inner)],
        "bias": numbers(CHANNELS, 20_000, min(2**28, 2**31 - 1 - 4095 * 4096 * inner)),
        "policy": numbers(CHANNELS, 900, 32767), "value1": [numbers(HIDDEN, 20, 4096) for _ in range(2 * CHANNELS)],
        "value1_bias": numbers(HIDDEN, 50_000, 2**28),
        "value2": [draw.randint(-6, 6) if extreme else draw.randint(-60, 60) for _ in range(HIDDEN)],
        "value2_bias": draw.randint(-50_000, 50_000),
    }


def level(value=0, inner=8, **others):
    """The file of a network that values every position alike, by ``value`` in 256ths of log2 for the player to move."""
    parts = {
        "half": [[0] * inner] * HALVES, "mix": [[0] * CHANNELS] * inner, "bias": [0] * CHANNELS,
        "policy": [0] * CHANNELS,
        "value1": [[0] * HIDDEN] * (2 * CHANNELS), "value1_bias": [0] * HIDDEN, "value2": [0] * HIDDEN,
        "value2_bias": value * 512,
    }
    return file_of(**{**parts, **others})


# ---- what it computes ------------------------------------------------------------------------------------------------

def clip(x, low, high):
    return low if x < low else high if x > high else x


def dot(first, second):
    assert len(first) == len(second)
    return sum(map(mul, first, second))


class NetworkOracle:
    """The network of a file."""

    def __init__(self, source):
        inner, at = struct.unpack_from("<I", source, 12)[0], 32

        def read(kind, *shape):
            nonlocal at
            if len(shape) == 2:
                return [read(kind, shape[1]) for _ in range(shape[0])]
            numbers = struct.unpack_from(f"<{shape[0]}{kind}", source, at)
            at += struct.calcsize(f"<{shape[0]}{kind}")
            return numbers

        self.half, mix, self.bias = read("h", HALVES, inner), read("h", inner, CHANNELS), read("i", CHANNELS)
        self.policy, value1 = read("h", CHANNELS), read("h", 2 * CHANNELS, HIDDEN)
        self.value1_bias, self.value2 = read("i", HIDDEN), read("h", HIDDEN)
        self.value2_bias, = read("i", 1)
        assert at == len(source) - 4
        self.mix, self.value1 = list(zip(*mix, strict=True)), list(zip(*value1, strict=True))  # a row for each output
        self.entry = cache(self.entry)
        self.channels = cache(self.channels)
        self.value_by_rows = cache(self.value_by_rows)

    def entry(self, first, second):
        """Of the table, for a pair of half-lines."""
        inner = [clip(a + b, 0, 4095) for a, b in zip(self.half[first], self.half[second], strict=True)]
        return [clip((dot(inner, row) + bias + 512) >> 10, -1023, 1023)
                for row, bias in zip(self.mix, self.bias, strict=True)]

    def channels(self, pairs):
        """Of a cell, by its four pairs of half-lines."""
        rows = [self.entry(*pair) for pair in pairs]
        return [clip(sum(column), 0, 128) for column in zip(*rows, strict=True)]

    def logit(self, board, player, cell):
        """Of a move's weight."""
        return dot(self.channels(pairs_of(board, player, cell)), self.policy) >> 9

    def value(self, board, player):
        """The logit of the value for ``player`` (0 began)."""
        return self.value_by_rows(tuple(map(tuple, board)), player)

    def value_by_rows(self, board, player):
        flat = list(chain.from_iterable(board))
        cells = [self.channels(pairs_of(board, player, cell, flat)) for cell in looked_at(board)] or [[0] * CHANNELS]
        columns = list(zip(*cells, strict=True))
        x = [sum(column) >> 3 for column in columns] + [2 * max(column) for column in columns]
        hidden = [clip((dot(x, row) + bias) >> 9, 0, 8191)
                  for row, bias in zip(self.value1, self.value1_bias, strict=True)]
        return clip((dot(hidden, self.value2) + self.value2_bias) >> 9, -4095, 4095)


def number_of(cells):
    """Of a half-line: 0 empty, 1 own, 2 of the other, the nearest first."""
    return (3 ** len(cells) - 1) // 2 + sum(cell * 3**j for j, cell in enumerate(cells))


@cache
def halves_of(rows, cols, cell):
    """The cells of the two half-lines of a cell in each direction, the nearest first, by their numbers on the board,
    and how many each of the eight has."""
    row, col = cell
    halves = [[(row + way * step * down) * cols + col + way * step * right for step in range(1, REACH + 1)
               if 0 <= row + way * step * down < rows and 0 <= col + way * step * right < cols]
              for down, right in LINES for way in (1, -1)]
    return [number for half in halves for number in half], tuple(map(len, halves))


SEEN_BY = ((0, 1, 2), (0, 2, 1))
"""By a player (0 began): what a cell of a board is."""


@cache
def number_by(cells, player):
    """Of a half-line with these cells of a board, seen by the player."""
    return number_of([SEEN_BY[player][cell] for cell in cells])


@cache
def pairs_by(cells, lengths, player):
    """What ``pairs_of`` says of these cells in a row."""
    halves, begin = [], 0
    for length in lengths:
        halves.append(number_by(cells[begin:begin + length], player))
        begin += length
    return tuple(tuple(sorted(halves[i:i + 2])) for i in range(0, len(halves), 2))


def pairs_of(board, player, cell, flat=None):
    """The numbers of the half-lines of a cell, of each direction the lower one first. ``flat``: its rows in one."""
    numbers, lengths = halves_of(len(board), len(board[0]), cell)
    flat = list(chain.from_iterable(board)) if flat is None else flat
    return pairs_by(tuple(map(flat.__getitem__, numbers)), lengths, player)


NEAR = [(down, right) for down in range(-3, 4) for right in range(-3, 4)
        if max(abs(down), abs(right)) < 3 or {abs(down), abs(right)} <= {0, 3}]


@cache
def near(row, col):
    return {(row + down, col + right) for down, right in NEAR}


def looked_at(board):
    """The empty cells at most 2 from a stone, and those 3 from one in a line."""
    cells = set().union(*(near(row, col) for row, line in enumerate(board) for col, stone in enumerate(line) if stone))
    return [(row, col) for row, line in enumerate(board) for col, stone in enumerate(line)
            if stone == 0 and (row, col) in cells]


# ---- powers of two ---------------------------------------------------------------------------------------------------

def root_of_two(times):
    """2**31 / 2**(1 / 2**times), rounded down."""
    power = 2 ** (31 * 2**times - 1)
    for _ in range(times):
        power = isqrt(power)
    return power


ROOTS = [root_of_two(times) for times in range(1, 9)]


@cache
def exp2_minus(x):
    """2**31 * 2**(-x / 256) in integers."""
    power = ONE
    for bit, root in enumerate(ROOTS):
        if x % 256 >> (7 - bit) & 1:
            power = power * root >> 31
    return power >> x // 256 if x < 31 * 256 else 0


def sigmoid(x):
    """65536 / (1 + 2**(-x / 256))"""
    power = exp2_minus(abs(x))
    return ((power if x < 0 else ONE) << 16) // (ONE + power)


# ---- positions -------------------------------------------------------------------------------------------------------

def board_of(state):
    """The board of a position."""
    rows = [line.split() for line in state.diagram().splitlines()]
    return [[".XO".index(mark) for mark in row] for row in rows]


class Valuer:
    """What a search asks of the network, from a root."""

    def __init__(self, network, root):
        self.oracle, self.root = NetworkOracle(network.source), root

    def at(self, path):
        state = self.root
        for move in path:
            state = state.play(move)
        return board_of(state), 0 if state.to_move > 0 else 1

    def value(self, path):
        """0 .. 65536 for the player to move."""
        return sigmoid(self.oracle.value(*self.at(path)))

    def weights(self, path, moves):
        board, player = self.at(path)
        logits = [self.oracle.logit(board, player, divmod(move, len(board[0]))) for move in moves]
        return [exp2_minus((max(logits) - logit) * 3 // 4) >> 7 for logit in logits]
