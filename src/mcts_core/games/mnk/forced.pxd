"""Positions of m,n,k games that a glance at the shapes proves, and the only moves that hold."""

from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memset

from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof
from mcts_core.games.mnk.line_shapes cimport EACH, HAS_FOUR, draw_lines, fives_around
from mcts_core.games.mnk.lines cimport mnk_line_board, mnk_toggle
from mcts_core.games.mnk.rollout cimport MNK_MAX_SIDE, mnk_geometry
from mcts_core.games.mnk.rows cimport (MNK_EDGE, MNK_FIND_FOURS, any_of, bit, bits_of, first_of, has, mcts_ctz64,
                                       mcts_log2_32, mnk_find_shapes, mnk_row_board, mnk_shapes)


cdef inline int saving(const mnk_geometry *g, const mnk_row_board *b, const mnk_shapes *mine, const mnk_shapes *theirs,
                       int mover, uint32_t *cells) noexcept nogil:
    """The moves that may hold where nobody can win at once and the other player threatens to make two fours or an open
    one: fours of ``mover``'s own, and cells without which none of the threats is one. All others lose within 4 plies.
    Returns their number."""
    cdef mnk_line_board l
    cdef uint16_t fives[4 * MNK_MAX_SIDE]
    cdef uint32_t cures[MNK_MAX_SIDE]
    cdef uint32_t rest
    cdef int row, col, i, count, shift = mcts_log2_32(g.stride)
    draw_lines(b, &l)
    for row in range(g.rows):
        cells[row] = 0xFFFFFFFF
    for row in range(g.rows):
        rest = theirs.fours[row]
        while rest:
            col = mcts_ctz64(rest)
            rest &= rest - 1
            mnk_toggle(l.own[1 - mover], row, col)
            count = fives_around(g, &l, 1 - mover, row, col, HAS_FOUR * EACH, fives)
            mnk_toggle(l.own[1 - mover], row, col)
            memset(cures, 0, sizeof(cures))
            cures[row] = bit(col)
            # With three or more cells to win at, taking one of them leaves two.
            for i in range(count if count == 2 else 0):
                cures[fives[i] >> shift] |= bit(fives[i] & (g.stride - 1))
            for i in range(g.rows):
                cells[i] &= cures[i]
    for row in range(g.rows):
        cells[row] |= mine.four[row]
    return bits_of(cells, g.rows)


cdef inline bint glance(const mnk_geometry *g, const mnk_row_board *b, int mover, int left, mnk_shapes *mine,
                        mnk_shapes *theirs, mcts_proof *proof) noexcept nogil:
    """Finds fives and fours of both players; whether they prove the value of the position."""
    cdef int count
    cdef uint32_t saves[MNK_MAX_SIDE]
    mnk_find_shapes(b, mover, MNK_FIND_FOURS, mine)
    mnk_find_shapes(b, 1 - mover, MNK_FIND_FOURS, theirs)
    proof.value = -1
    proof.distance = 0
    proof.exact = 1
    proof.move = MCTS_NO_MOVE
    proof.spent = 0
    if any_of(mine.five, g.rows):
        proof.value = 2
        proof.distance = 1
        proof.move = first_of(mine.five, g.cols)
        return True
    count = bits_of(theirs.five, g.rows)
    if count > 1:
        proof.value = 0
        proof.distance = 2
        proof.move = first_of(theirs.five, g.cols)
        return True
    if count == 1:
        proof.move = first_of(theirs.five, g.cols)
        if has(mine.fours, g.cols, proof.move):
            proof.value = 2
            proof.distance = 3
            return True
        if left > 1:
            proof.move = MCTS_NO_MOVE
            return False
    elif any_of(mine.fours, g.rows):
        proof.value = 2
        proof.distance = 3
        proof.move = first_of(mine.fours, g.cols)
        return True
    elif any_of(theirs.fours, g.rows) and saving(g, b, mine, theirs, mover, saves) == 0:
        proof.value = 0
        proof.distance = 4
        proof.move = first_of(theirs.fours, g.cols)
        return True
    if left == 1 or not (mine.possible or theirs.possible):
        proof.value = 1
        proof.distance = left
        proof.move = first_of(b.empty + MNK_EDGE, g.cols)
        return True
    return False
