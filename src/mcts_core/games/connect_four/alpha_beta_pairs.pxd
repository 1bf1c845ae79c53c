"""A rule that decides positions of Connect Four without search, by pairs of cells: for ``alpha_beta.pyx`` alone."""

from libc.stdint cimport uint64_t

from mcts_core.games.connect_four.alpha_beta_board cimport (board_of, cells_of, claim_of, column_at, floor_of, has_line,
                                                            height_of, searcher)
from mcts_core.games.connect_four.knowledge cimport c4_popcount
from mcts_core.platform cimport mcts_ctz64


cdef inline bint holds(const searcher *f, uint64_t base, uint64_t group) noexcept nogil:
    """Whether the player to move gets no line from the stones and cells ``base`` and one cell of each pair: the group
    is 0, 2 or 4 playable cells, to be paired in the way that is best for the other player."""
    cdef uint64_t a, b, c, d
    cdef bint ac, ad, bc, bd
    if group == 0:
        return not has_line(f, base)
    a = group & (0 - group)
    group ^= a
    b = group & (0 - group)
    group ^= b
    if group == 0:
        return not (has_line(f, base | a) or has_line(f, base | b))
    c = group & (0 - group)
    d = group ^ c
    if d & (d - 1):
        return False
    ac = has_line(f, base | a | c)
    bd = has_line(f, base | b | d)
    ad = has_line(f, base | a | d)
    bc = has_line(f, base | b | c)
    if not (ac or bd or ad or bc):
        return True
    if (ac or bd) and (ad or bc):
        return False
    return not (has_line(f, base | a | b) or has_line(f, base | c | d))


cdef inline uint64_t column_with(const searcher *f, uint64_t cell) noexcept nogil:
    return column_at(f, mcts_ctz64(cell) // height_of(f))


cdef inline int bound_by_pairs(const searcher *f, uint64_t me, uint64_t stones, uint64_t theirs) noexcept nogil:
    """What the other player gets by answering every move on one cell of a pair by the other cell, against any play: 0,
    the player to move does not win; -1, he loses; the number of cells: nothing.

    The empty cells of a column are paired from its top, so the other player gets the upper ones (`claim`) and leaves
    the lower ones (`free`). In a column with an odd number of empty cells the lowest one stays single. All single cells
    are playable: they are paired with each other. Against these pairs the player to move

    - never gets above a cell that is claimed and wins for the other player: he must not play the cell below it;
    - in a column where a free cell wins for the other player can be held below that one, by pairing the empty cells
      below it but the last so that the other player gets the free ones: in the end only that last cell is left to play.
      This changes whether the column has a single cell, so it takes one such column if the number of all empty cells is
      odd, and two or none if it is even.

    If that number is odd and there is no such column, the other player can still keep the free cells of one column with
    an odd number of empty cells, answering there on top, and elsewhere anywhere: both numbers stay even.
    """
    cdef uint64_t board = board_of(f), empty = board ^ stones, next = (stones + floor_of(f)) & board
    cdef uint64_t claim = empty & claim_of(f), every_free = empty ^ claim, free_cells = every_free
    cdef uint64_t single = next & claim
    cdef uint64_t other = stones ^ me, above = theirs & claim & ~next, first, second, left, columns, base
    cdef int value = cells_of(f), _
    if above:
        above = above << 1 & board
        for _ in range(height_of(f) - 3):
            above |= above << 1 & board
        free_cells &= ~above
    left = theirs & free_cells & ~next
    if not c4_popcount(single) & 1:
        if not has_line(f, me | free_cells) and holds(f, me | free_cells, single):
            if has_line(f, other | (claim ^ single)):
                return -1
            value = 0
        while left:
            first = left & (0 - left)
            columns = column_with(f, first)
            left &= ~columns
            base = claim & columns & (first - 1)
            second = left
            while second:
                if holds(f, me | base | (free_cells & ~(columns | column_with(f, second)))
                         | (claim & column_with(f, second) & ((second & (0 - second)) - 1)),
                         single ^ (next & (columns | column_with(f, second)))):
                    return -1
                second &= second - 1
        return value
    while left:
        first = left & (0 - left)
        left ^= first
        columns = column_with(f, first)
        if holds(f, me | (free_cells & ~columns) | (claim & columns & (first - 1)), single ^ (next & columns)):
            return -1
    while single:
        first = single & (0 - single)
        single ^= first
        if not has_line(f, me | (empty & ~(every_free & ~(empty + first)))):  # without the run of cells from the first
            return 0
    return value
