"""What a search found, as plain numbers: for statistics that are read later, or never."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.engine.searched_tree cimport Counts, SearchedTree
from mcts_core.games.board_position cimport BoardPosition


# What is proven, by half-points.
cdef tuple PROVEN

ctypedef struct ChildRow:        # a move of the root that has statistics
    uint32_t move
    uint32_t visits
    double wins                  # half-points for the player to move
    double policy                # its share of the improved policy
    float prior
    int32_t proven               # half-points for that player, -1: unknown
    uint32_t distance            # plies to the end after the move, where it is proven

cdef enum RowKind:
    ROWS_LISTED                  # the rows are all legal moves, in their order
    ROWS_TRIED                   # the other legal moves have no visit; every row has one
    ROWS_GUIDED                  # the same, and a row may have a proof and a prior
    ROWS_EVALUATED               # all legal moves, in any order; a row may have a proof, a prior, a policy

ctypedef struct RootRows:
    RowKind kind
    bint by_index                # a row's `move` is the index of the move among the legal ones
    bint has_priors, has_policy
    int32_t rest                 # distance of the loss that all moves without a row are proven to be; -1: they are none
    uint32_t wins_per_visit
    uint32_t count
    ChildRow *rows

# Memory for so many rows.
cdef int rows_make(RootRows *rows, uint32_t count) except -1
cdef void rows_free(RootRows *rows) noexcept

# ``root_children`` by the rows; None where a row is of none of the legal moves. ``names``: the names of the rows'
# moves, None where the moves are numbers.
cdef list children_of(const RootRows *rows, list legal, list names)

# The entries of the figures that the counts make.
cdef dict figures_by_counts(const Counts *counts)


# Whether a position is of this package, and of no subclass: that may refer to more than its board.
cdef bint is_plain_board(object state)


cdef class KeptFigures:
    cdef RootRows rows
    cdef Counts counts
    cdef uint32_t *line
    cdef uint32_t line_length
    cdef BoardPosition state
    cdef readonly object core        # a weak reference
    cdef object move
    cdef str stop_reason, isa
    cdef double value, seconds, overshoot
    cdef int proof
    cdef uint32_t distance
    cdef uint64_t seed, bytes
    cdef uint32_t threads, number, to_try
    cdef bint book

    # everything but the rows; ``line``: the principal variation
    cdef int keep(self, SearchedTree tree, list line) except -1
    cdef int keep_line(self, list line) except -1
