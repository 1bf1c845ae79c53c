"""The book of Connect Four: who wins each position of the standard board with so many stones, and the scores of
earlier ones."""

from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t


cdef extern from "kernels/connect_four/book.h" nogil:
    const int C4_SCORE_BITS

    ctypedef struct c4_filter:
        const uint8_t *bits
        uint64_t seed
        uint32_t segments
        uint32_t segment_bits

    ctypedef struct c4_book:
        c4_filter wins
        c4_filter draws
        c4_filter score[6]
        int32_t stones
        int32_t score_stones

    int c4_book_value(const c4_book *book, uint64_t key)
    int c4_book_score(const c4_book *book, uint64_t key)


cdef class Book:
    cdef c4_book data
    cdef readonly bytes source  # the file, into which `data` points
    cdef readonly int positions
