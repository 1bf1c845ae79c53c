"""The book of Connect Four: who wins each position of the standard board with so many stones."""

from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t


cdef extern from "kernels/connect_four/book.h" nogil:
    ctypedef struct c4_filter:
        const uint8_t *bits
        uint64_t seed
        uint32_t segments
        uint32_t segment_bits

    ctypedef struct c4_book:
        c4_filter wins
        c4_filter draws
        int32_t stones

    int c4_book_value(const c4_book *book, uint64_t key)


cdef class Book:
    cdef c4_book data
    cdef readonly bytes source  # the file, into which `data` points
    cdef readonly int positions
