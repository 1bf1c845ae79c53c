"""The cells of an m,n,k board that a search by distance looks at."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from mcts_core.games.mnk.rollout cimport MNK_MAX_SIDE, mnk_geometry
from mcts_core.games.mnk.rows cimport MNK_EDGE, bit, mnk_row_board


cdef inline void candidates(const mnk_geometry *g, const mnk_row_board *b, int left, uint32_t distance,
                            uint32_t *cells) noexcept nogil:
    """The empty cells at most ``distance`` from a stone; all if it is 0; those in the middle of an empty board."""
    cdef uint32_t stones[3 * MNK_MAX_SIDE]  # with rows of nobody's on either side
    cdef uint32_t *wide = stones + MNK_MAX_SIDE
    cdef uint32_t all
    cdef int row, i, reach, _
    if distance == 0 or distance >= MNK_MAX_SIDE:
        memcpy(cells, b.empty + MNK_EDGE, 4 * g.rows)
        return
    if left == g.cells:
        memset(cells, 0, 4 * g.rows)
        all = bit(g.cols // 2) | bit((g.cols - 1) // 2)
        cells[g.rows // 2] = all
        cells[(g.rows - 1) // 2] = all
        return
    reach = <int> distance
    # always all rows: compilers make vectors of such loops
    memset(stones, 0, sizeof(stones))
    for row in range(MNK_MAX_SIDE):
        wide[row] = b.own[0][MNK_EDGE + row] | b.own[1][MNK_EDGE + row]
        cells[row] = 0
    for _ in range(reach):
        for row in range(MNK_MAX_SIDE):
            wide[row] |= wide[row] << 1 | wide[row] >> 1
    for i in range(-reach, reach + 1):
        for row in range(MNK_MAX_SIDE):
            cells[row] |= wide[row + i]
    for row in range(MNK_MAX_SIDE):
        cells[row] &= b.empty[MNK_EDGE + row]
