"""What exact search of Connect Four knows of one search, and what it asks of the board: for ``alpha_beta.pyx`` alone.

The board of 7 columns and 6 rows has constants in place of the fields.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.games.connect_four.alpha_beta_table cimport prover_memory
from mcts_core.games.connect_four.book cimport c4_book
from mcts_core.games.connect_four.knowledge cimport c4_wins_one, c4_wins_standard
from mcts_core.games.connect_four.rollout cimport c4_context
from mcts_core.game cimport mcts_interrupt


cdef extern from "kernels/connect_four/board.h" nogil:
    bint c4_line_standard(uint64_t x)
    bint c4_lines_one(uint64_t x, uint64_t o, const uint64_t (*shift)[4], int steps, int directions,
                      int *x_line, int *o_line)


ctypedef struct search_state:
    const c4_context *c
    prover_memory *memory
    uint64_t floor
    uint64_t board
    uint64_t claim       # every second cell of a column, from its top
    uint64_t nodes
    uint64_t limit
    uint64_t pause       # nodes at which the next look is due
    const mcts_interrupt *interrupt
    const c4_book *book
    int32_t book_plies   # stones of its positions, -1: there is none
    int32_t score_plies  # of those with a score
    int32_t cells        # of the board
    uint32_t move        # of the last search that reached its window

ctypedef struct standard_search:
    search_state s

ctypedef struct one_word_search:
    search_state s

ctypedef fused searcher:
    standard_search
    one_word_search


cdef inline uint64_t floor_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return <uint64_t> 0x40810204081
    else:
        return f.s.floor


cdef inline uint64_t board_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return <uint64_t> 0x40810204081 * 63
    else:
        return f.s.board


cdef inline uint64_t claim_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return <uint64_t> 0x40810204081 * 42
    else:
        return f.s.claim


cdef inline int cells_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 42
    else:
        return f.s.cells


cdef inline int cols_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 7
    else:
        return f.s.c.cols


cdef inline int height_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 7
    else:
        return f.s.c.height


cdef inline uint64_t column_at(const searcher *f, int column) noexcept nogil:
    return ((<uint64_t> 1 << (height_of(f) - 1)) - 1) << (height_of(f) * column)


cdef inline uint64_t wins(const searcher *f, uint64_t stones) noexcept nogil:
    """The cells, not all of them empty or on the board, that complete a line."""
    if searcher is standard_search:
        return c4_wins_standard(stones)
    else:
        return c4_wins_one(stones, f.s.c.shift[0], f.s.c.directions, f.s.c.connect)


cdef inline bint has_line(const searcher *f, uint64_t stones) noexcept nogil:
    cdef int line, nobody
    if searcher is standard_search:
        return c4_line_standard(stones)
    else:
        c4_lines_one(stones, 0, f.s.c.shift, f.s.c.steps, f.s.c.directions, &line, &nobody)
        return line


cdef inline uint64_t mirrored(const searcher *f, uint64_t key) noexcept nogil:
    cdef uint64_t result = 0, column = (<uint64_t> 2 << (height_of(f) - 1)) - 1
    cdef int i, cols = cols_of(f), height = height_of(f)
    for i in range(cols):
        result = result << height | (key >> (height * i) & column)
    return result


cdef inline uint64_t key_of(const searcher *f, uint64_t me, uint64_t stones, int plies) noexcept nogil:
    """The same for both of two mirror images, while that happens."""
    cdef uint64_t key = me + stones + floor_of(f), image
    if 2 * plies < cells_of(f):
        image = mirrored(f, key)
        if image < key:
            return image
    return key
