"""The book of Connect Four, read from its file and checked.

The file: eight bytes of magic; four numbers of 32 bits, the form, the stones of its positions, how many there are, and
the stones of the positions with a score, 0 if there are none; its filters, for wins, for draws and for the six bits of
the scores. Each filter is the seed in 64 bits, the number of segments and the logarithm of their length, 32 bits each,
and the bits. A checksum ends the file. All numbers are little-endian. ``tools/connect_four_book.py`` writes it.
"""

from libc.stdint cimport uint8_t, uint64_t

import zlib

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidFile

from mcts_core.games.connect_four.book cimport *


cdef enum:
    FORMAT = 1
    HEADER = 24
    FILTER = 16       # bytes before its bits
    MOST_STONES = 20
    LEAST_BITS = 3    # of a segment: a byte
    MOST_BITS = 21    # as many as the hashes have for each place
    MOST_SEGMENTS = 1 << 16

cdef bytes MAGIC = b"MCTSC4BK"


cdef object read_filter(bytes source, object at, c4_filter *filter):
    """Sets up the filter that begins at byte ``at``; where the next one begins."""
    head = source[at:at + FILTER]
    segments, bits = int.from_bytes(head[8:12], "little"), int.from_bytes(head[12:], "little")
    if not (3 <= segments <= MOST_SEGMENTS and LEAST_BITS <= bits <= MOST_BITS):
        raise InvalidFile(f"a filter of the book must have 3 to {MOST_SEGMENTS} segments of 2^{LEAST_BITS} to "
                          f"2^{MOST_BITS} bits, got {segments} of 2^{bits}")
    end = at + FILTER + (segments << bits) // 8
    if end + 4 > len(source):
        raise InvalidFile(f"a filter of the book ends at byte {end}, the file has {len(source)}")
    filter.seed = int.from_bytes(head[:8], "little")
    filter.segments = segments
    filter.segment_bits = bits
    filter.bits = <const uint8_t *><const char *>source + <Py_ssize_t>(at + FILTER)
    return end


cdef class Book:
    """``data``: the bytes of the file. Raises InvalidFile where they are not those of a book."""

    def __cinit__(self, data):
        self.source = bytes(data)
        size = len(self.source)
        if size < HEADER + 2 * FILTER + 4 or self.source[:8] != MAGIC:
            raise InvalidFile(f"not a book of Connect Four: it must begin with {MAGIC!r}, got "
                              f"{shorten(self.source[:8])}")
        if zlib.crc32(self.source[:size - 4]) != int.from_bytes(self.source[size - 4:], "little"):
            raise InvalidFile("the checksum of the book of Connect Four is wrong: its file is damaged")
        form, stones, positions, score_stones = (
            int.from_bytes(self.source[8 + 4 * i:12 + 4 * i], "little") for i in range(4))
        if form != FORMAT or not 1 <= stones <= MOST_STONES:
            raise InvalidFile(f"a book of another form: this package knows form {FORMAT} with 1 to {MOST_STONES} "
                              f"stones, got form {form} with {stones}")
        if score_stones >= stones:
            raise InvalidFile(f"the scores of the book must be of positions with fewer than its {stones} stones, got "
                              f"{score_stones}")
        self.data.stones = stones
        self.data.score_stones = score_stones or -1
        self.positions = positions
        end = read_filter(self.source, HEADER, &self.data.wins)
        end = read_filter(self.source, end, &self.data.draws)
        for i in range(C4_SCORE_BITS if score_stones else 0):
            end = read_filter(self.source, end, &self.data.score[i])
        if end + 4 != size:
            raise InvalidFile(f"a book of this form has {end + 4} bytes, got {size}")

    @property
    def stones(self):
        """Of the positions that it has."""
        return self.data.stones

    @property
    def score_stones(self):
        """Of the positions that it has the scores of; -1: none."""
        return self.data.score_stones

    def value(self, key):
        """Half-points of the player to move, for the key of a position that is in the book; else any number."""
        return c4_book_value(&self.data, <uint64_t>key)

    def score(self, key):
        """The score of the player to move, for the key of a position that the book has a score of; else any number."""
        return c4_book_score(&self.data, <uint64_t>key)
