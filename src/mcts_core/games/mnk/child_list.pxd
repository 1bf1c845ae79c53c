"""The list of a position's children in an m,n,k game, in the order of their priors."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from mcts_core.game cimport MCTS_ONGOING, mcts_children
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, MNK_MAX_SIDE, mnk_geometry
from mcts_core.games.mnk.rows cimport MNK_EDGE, mcts_ctz64, mnk_row_board, mnk_shapes
from mcts_core.games.mnk.symmetry cimport is_first, mnk_symmetries


cdef extern from "kernels/mnk/priors.h" nogil:
    enum:
        MNK_GRADES

    ctypedef struct mnk_ranking:
        uint8_t rank[128]
        float prior[128]

    void mnk_grade(const mnk_shapes *t, uint32_t (*grade)[32]) noexcept
    void mnk_rank_grades(mnk_ranking *ranking) noexcept


ctypedef struct child_list:
    const mnk_geometry *g
    const mnk_ranking *ranking
    mcts_children *children
    int count
    bint unranked               # the caller has priors of his own
    mnk_symmetries symmetries   # of moves that these map to each other only the first is appended


cdef inline uint32_t stones_near(const mnk_row_board *b, int row) noexcept nogil:
    """The columns with a stone in a row or the rows next to it."""
    cdef uint32_t all = 0
    cdef int i
    for i in range(-1, 2):
        all |= b.own[0][MNK_EDGE + row + i] | b.own[1][MNK_EDGE + row + i]
    return all


cdef inline void append_all(child_list *l, const uint32_t *rows, int outcome, int distance, float prior) noexcept nogil:
    cdef mcts_children at = l.children[0]  # a copy: what is stored cannot change it
    cdef int row, col, cell, n = l.count
    cdef uint32_t rest
    for row in range(l.g.rows):
        rest = rows[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            if is_first(l.g, &l.symmetries, row, col):
                cell = row * l.g.cols + col
                at.moves[n] = cell
                at.actions[n] = cell
                at.outcomes[n] = outcome
                at.distances[n] = distance
                at.priors[n] = prior
                n += 1
    l.count = n


cdef inline void append_ranked(child_list *l, const mnk_row_board *b, const mnk_shapes *mine, const mnk_shapes *theirs,
                               const uint32_t *rows, int outcome, int distance) noexcept nogil:
    """Appends a set of cells, the most promising first; from the middle of the board if they promise the same."""
    cdef const mnk_geometry *g = l.g
    cdef uint32_t own[3][32]
    cdef uint32_t other[3][32]
    cdef uint32_t near[MNK_MAX_SIDE]
    cdef uint16_t cells[MNK_MAX_CELLS]
    cdef uint8_t ranks[MNK_MAX_CELLS]
    cdef uint16_t place[MNK_GRADES]
    cdef int i, row, col, rank, count = 0, total = 0, n, middle = g.rows // 2
    cdef uint32_t rest, up, grade
    mnk_grade(mine, own)
    mnk_grade(theirs, other)
    for row in range(g.rows):
        up = stones_near(b, row)
        near[row] = up | up << 1 | up >> 1
    memset(place, 0, sizeof(place))
    for i in range(g.rows):
        row = middle + ((i + 1) >> 1) if i & 1 else middle - (i >> 1)
        if g.rows & 1 == 0:
            row = middle - 1 - (i >> 1) if i & 1 else middle + (i >> 1)
        rest = rows[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            if not is_first(l.g, &l.symmetries, row, col):
                continue
            grade = ((own[2][row] >> col & 1) << 6 | (own[1][row] >> col & 1) << 5 | (own[0][row] >> col & 1) << 4 |
                     (other[2][row] >> col & 1) << 3 | (other[1][row] >> col & 1) << 2 |
                     (other[0][row] >> col & 1) << 1 | (near[row] >> col & 1))
            rank = l.ranking.rank[grade]
            cells[count] = row * g.cols + col
            ranks[count] = rank
            place[rank] += 1
            count += 1
    for rank in range(MNK_GRADES):
        n = place[rank]
        place[rank] = total
        total += n
    for i in range(count):
        n = l.count + place[ranks[i]]
        place[ranks[i]] += 1
        l.children.moves[n] = cells[i]
        l.children.actions[n] = cells[i]
        l.children.outcomes[n] = outcome
        l.children.distances[n] = distance
        l.children.priors[n] = l.ranking.prior[ranks[i]]
    l.count += count


cdef inline void append_open(child_list *l, const mnk_row_board *b, const mnk_shapes *mine, const mnk_shapes *theirs,
                             const uint32_t *rows) noexcept nogil:
    """Appends a set of cells after which the game goes on, ranked if that is wanted."""
    if l.unranked:
        append_all(l, rows, MCTS_ONGOING, 0, 0.5)
    else:
        append_ranked(l, b, mine, theirs, rows, MCTS_ONGOING, 0)
