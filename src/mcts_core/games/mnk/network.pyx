"""Networks for five in a row: reads their files, checks them, and prepares them for the search."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import sys
import zlib

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidFile, InvalidOption

from mcts_core.games.mnk.network cimport *


cdef extern from "kernels/mnk/network.h" nogil:
    enum:
        NET_MOST_INNER
        NET_MOST_WIDTH


cdef enum:
    FORMAT = 1
    HEADER = 32
    LEAST_INNER = 8
    MOST_ENTRY = 8191      # in the vector of a half-line: the sum of two fits into 16 bits
    MOST_WEIGHT = 4096     # with these limits only the sums of the table can overflow, which check_sums checks
    MOST_BIAS = 1 << 28

cdef bytes MAGIC = b"MCTSLINE"


cdef class Network:
    """A line-pattern network for five in a row on boards with sides of 5 to 22.

    ``data``: the bytes of a file that the training program wrote; ``source`` returns them. ``generation`` is the number
    from the training, and ``version`` identifies the network by generation and checksum. Raises InvalidFile.

    The table of the patterns takes 4 MiB of addresses, 8 MiB with the one for exactly five. A search computes each row
    at its first use.
    """

    def __cinit__(self, data):
        cdef const unsigned char[::1] view
        cdef int64_t inner
        cdef int i, j, pair
        cdef const int16_t *half
        cdef const int16_t *mix
        cdef const int16_t *value1
        cdef const int32_t *bias
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidOption(f"a network must be the bytes of its file, got {shorten(data)}")
        if sys.byteorder != "little":
            raise InvalidFile("networks can be read on little-endian machines only")
        source = bytes(data)
        if len(source) < HEADER + 4 or source[:8] != MAGIC:
            raise InvalidFile(f"not a network: it must begin with {MAGIC!r}, got {shorten(source[:8])}")
        form, inner, channels, hidden, generation, _ = (
            int.from_bytes(source[8 + 4 * i:12 + 4 * i], "little") for i in range(6))
        if form != FORMAT or channels != NET_CHANNELS or hidden != NET_HIDDEN:
            raise InvalidFile(f"a network must have format {FORMAT}, {NET_CHANNELS} channels and {NET_HIDDEN} hidden "
                              f"numbers, got format {form} with {channels} and {hidden}")
        if not LEAST_INNER <= inner <= NET_MOST_WIDTH or inner % LEAST_INNER:
            raise InvalidFile(f"the inner numbers of a network must be a multiple of {LEAST_INNER} up to "
                              f"{NET_MOST_WIDTH}, got {inner}")
        size = (HEADER + 2 * LINE_HALVES * inner + 2 * inner * NET_CHANNELS + 4 * NET_CHANNELS + 2 * NET_CHANNELS
                + 4 * NET_CHANNELS * NET_HIDDEN + 4 * NET_HIDDEN + 2 * NET_HIDDEN + 4 + 4)
        if len(source) != size:
            raise InvalidFile(f"a network of this format has {size} bytes, got {len(source)}")
        checksum = zlib.crc32(source[:size - 4])
        if checksum != int.from_bytes(source[size - 4:], "little"):
            raise InvalidFile("the checksum of the network is wrong: the file is damaged")
        self.source = source
        self.generation = generation
        self.version = f"{generation}-{checksum:08x}"
        view = source
        half = <const int16_t *>&view[HEADER]
        mix = half + LINE_HALVES * inner
        bias = <const int32_t *>(mix + inner * NET_CHANNELS)
        check(half, LINE_HALVES * inner, MOST_ENTRY)
        check(mix, inner * NET_CHANNELS, MOST_WEIGHT)
        memcpy(self.data.policy, bias + NET_CHANNELS, 2 * NET_CHANNELS)
        value1 = <const int16_t *>(bias + NET_CHANNELS) + NET_CHANNELS
        check(value1, 2 * NET_CHANNELS * NET_HIDDEN, MOST_WEIGHT)
        for i in range(2 * NET_CHANNELS):
            pair = i & 1
            for j in range(NET_HIDDEN):
                self.data.value1[i >> 1][j][pair] = value1[i * NET_HIDDEN + j]
        value1 += 2 * NET_CHANNELS * NET_HIDDEN
        memcpy(self.data.value1_bias, value1, 4 * NET_HIDDEN)
        value1 += 2 * NET_HIDDEN
        check(value1, NET_HIDDEN, MOST_WEIGHT)
        memcpy(self.data.value2, value1, 2 * NET_HIDDEN)
        memcpy(&self.data.value2_bias, value1 + NET_HIDDEN, 4)
        check_biases(bias, NET_CHANNELS)
        check_biases(self.data.value1_bias, NET_HIDDEN)
        check_biases(&self.data.value2_bias, 1)
        check_sums(mix, bias, inner)
        # The system gives memory for rows as they are written; 64 bytes more: each row in one cache line
        self.memory = calloc(4 * LINE_PATTERNS * NET_CHANNELS + 64, 1)
        if self.memory == NULL:
            raise MemoryError("no memory for the table of a network")
        self.data.table = <int16_t *>((<size_t>self.memory + 63) & ~<size_t>63)
        self.data.exact_table = self.data.table + LINE_PATTERNS * NET_CHANNELS
        self.data.half = half
        self.data.mix = mix
        self.data.bias = bias
        self.data.inner = <int>inner

    def __dealloc__(self):
        free(self.memory)

    def __reduce__(self):
        return Network, (self.source,)

    def __repr__(self):
        return f"<Network {self.version}>"

    def __eq__(self, other):
        return isinstance(other, Network) and self.source == (<Network>other).source

    def __hash__(self):
        return hash(self.source)


cdef int check(const int16_t *numbers, int count, int most) except -1:
    cdef int i
    for i in range(count):
        if not -most <= numbers[i] <= most:
            raise InvalidFile(f"a number of the network must be from {-most} to {most}, got {numbers[i]}")
    return 0


cdef int check_biases(const int32_t *numbers, int count) except -1:
    cdef int i
    for i in range(count):
        if not -MOST_BIAS <= numbers[i] <= MOST_BIAS:
            raise InvalidFile(f"a bias of the network must be from {-MOST_BIAS} to {MOST_BIAS}, got {numbers[i]}")
    return 0


cdef int check_sums(const int16_t *mix, const int32_t *bias, int inner) except -1:
    """Raises InvalidFile if a sum in the table can reach 2**31, for whatever half-lines."""
    cdef int channel, j
    cdef int64_t most
    for channel in range(NET_CHANNELS):
        most = abs(<int64_t>bias[channel])
        for j in range(inner):
            most += NET_MOST_INNER * abs(<int64_t>mix[j * NET_CHANNELS + channel])
        if most >= <int64_t>1 << 31:
            raise InvalidFile(f"the weights of channel {channel} of the network are too large: its sums may reach "
                              f"{most}, but must be at most {(1 << 31) - 1}")
    return 0
