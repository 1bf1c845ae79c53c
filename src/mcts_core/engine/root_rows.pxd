"""The one record of a root: what a search knows of each of its moves.

Each tree fills it (``read_rows``). The move to play, Stats and what self-play keeps come from it.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t


# What is proven, by half-points.
cdef tuple PROVEN

cdef enum:                       # half-points
    LOSS
    DRAW
    WIN

cdef enum Order:
    BY_VISITS                    # then by value, then by prior
    BY_VALUE                     # then by visits, then by prior; moves without a visit last
    SHORTEST                     # a known distance first, the shortest one; then by visits
    LONGEST                      # the same for the longest one

ctypedef struct ChildRow:
    uint32_t move                # its number in the tree; in completed rows its index in ``RootRows.moves``
    uint32_t link                # what the tree has behind it, 0: nothing
    uint32_t visits
    uint32_t distance            # plies to the end of the game, with this move, where that is proven; 0: not known
    double wins                  # sum of the results for the player to move
    double value                 # their mean
    double policy                # share of the improved policy, < 0: none
    double low, high             # bounds of the value, in a `bounded` search
    float prior                  # < 0: none
    int8_t proven                # half-points for that player, -1: not known
    uint8_t out                  # other moves are better


cdef class RootRows:
    cdef ChildRow *rows
    cdef uint32_t count
    cdef list moves              # by ``ChildRow.move``; before: of the rows, None where the numbers are the moves
    cdef bint listed             # the rows are all legal moves, in the order in which the search compares them
    cdef bint by_index           # a row's `move` is the index of the move among the legal ones
    cdef bint strict             # a row of a move that is not legal is an error
    cdef bint bounded
    cdef int32_t rest            # distance of the loss that all moves without a row are proven to be; -1: they are none
    cdef double unknown          # the value of a move without a visit
    cdef double share            # of their visits, what moves that are not closed have for their own sake

    cdef ChildRow *add(self, uint32_t move, uint32_t visits, double wins) noexcept
    # the rows of all legal moves, in their order; None where one is of no legal move, and that is an error
    cdef RootRows completed(self, list legal)
    cdef object name(self, uint32_t index)
    cdef int32_t find(self, object move) except -2
    # visits that selection gave a move for its own sake; ``share_out`` finds the share, by the visits of the root
    cdef int share_out(self, uint64_t visits) noexcept
    cdef double own_visits(self, const ChildRow *row) noexcept
    # leaves out all but the rows where `proven` is this, or with ``equal`` False those where it is; False, and without
    # effect, where no row would be left
    cdef bint narrow(self, int proven, bint equal) noexcept
    # of the best rows that are not left out, the one that ``lot`` chooses
    cdef uint32_t best(self, Order order, uint32_t lot) noexcept
    # orders the rows by visits, then by value; of equal ones ``first`` comes first
    cdef int rank(self, object first) except -1
    # tuples of the fields of MoveStats
    cdef list tuples(self)


# A record with room for so many rows.
cdef RootRows new_rows(uint32_t room)

# The half-points that bounds of a value prove, -1: none.
cdef int points_within(double low, double high) noexcept nogil
