"""The knowledge of m,n,k games: children with priors, rollouts by policy. Hot: compiled once per instruction set.

Its parts are in other files: the row board and sets of cells (``rows.pxd``), shapes on lines (``line_shapes.pxd``),
immediate proofs (``forced.pxd``), candidate cells (``candidates.pxd``), symmetries (``symmetry.pxd``), the order of the
children (``child_list.pxd``, ``kernels/mnk/priors.h``) and the rollouts (``policy_rollout.pxd``).
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport (MCTS_DRAW, MCTS_LOSS, MCTS_ONGOING, MCTS_ROLLOUT_DECISIVE, MCTS_ROLLOUT_RANDOM,
                             MCTS_ROLLOUT_TACTICAL, MCTS_WIN, mcts_children, mcts_game, mcts_guide, mcts_rollout_report,
                             mcts_policy, mcts_rng)
from mcts_core.games.mnk.candidates cimport candidates
from mcts_core.games.mnk.child_list cimport (append_all, append_open, append_ranked, child_list, mnk_rank_grades,
                                             mnk_ranking)
from mcts_core.games.mnk.forced cimport glance, saving
from mcts_core.games.mnk.knowledge cimport mnk_guide_table
from mcts_core.games.mnk.line_shapes cimport draw_lines, mnk_fill_surroundings
from mcts_core.games.mnk.policy_rollout cimport DRAW, finish, play_random, policy_rollout
from mcts_core.games.mnk.rollout cimport MNK_HEADER, MNK_MAX_CELLS, MNK_MAX_SIDE, mnk_geometry, mnk_state, mnk_table
from mcts_core.games.mnk.rows cimport (MNK_EDGE, MNK_FIND_ALL, MNK_FIND_FOURS, any_of, bits_of, first_of, has,
                                       load_path, mcts_log2_32, mnk_find_shapes, mnk_row_board, mnk_shapes)
from mcts_core.games.mnk.symmetry cimport find_symmetries

cdef enum:
    ROOM = MNK_HEADER + MNK_MAX_CELLS

cdef mnk_ranking RANKING
mnk_rank_grades(&RANKING)
mnk_fill_surroundings()


# ---- rollouts --------------------------------------------------------------------------------------------------------

cdef mnk_table *HOT = <mnk_table *> hot_table("games.mnk.rollout")
cdef mnk_table *IN_BITS = <mnk_table *> hot_table("games.mnk.bit_rollout")


cdef union any_state:
    mnk_state state
    uint8_t bytes[ROOM]


cdef int32_t random_result(const mnk_geometry *g, const mnk_state *s, const uint32_t *path, uint32_t length,
                           mcts_rng *rng) noexcept nogil:
    """The result of a random rollout for the player to move at its start. The rollout does not report its moves."""
    cdef any_state room
    cdef mnk_state *copy = &room.state
    cdef mcts_game game
    cdef uint32_t i
    game.context = <void *> g
    (IN_BITS if g.in_bits else HOT).prepare(&game)  # it needs only the rollout
    memcpy(copy, s, MNK_HEADER + g.board_size)
    for i in range(length):
        copy.board[g.offset[path[i]]] = 1 + (copy.stones & 1)
        copy.stones += 1
    return game.rollout(game.context, copy, rng) & 3


cdef int32_t rollout_by_policy(void *context, const void *root, const uint32_t *path, uint32_t length,
                               const mcts_policy *policy, mcts_rollout_report *report, mcts_rng *rng) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef mnk_row_board b
    cdef mnk_shapes mine, theirs
    cdef policy_rollout u
    cdef int first = s.stones & 1, mover = first ^ (length & 1), winner
    cdef int left = g.cells - s.stones - <int> length
    cdef int32_t result
    cdef uint32_t i
    load_path(g, s, path, length, &b)
    glance(g, &b, mover, left, &mine, &theirs, &report.proof)
    # rollout.pyx plays with vectors and would have to sort its moves to report them; move by move costs little more.
    if policy.rollout == MCTS_ROLLOUT_RANDOM and report.played == NULL:
        result = random_result(g, s, path, length, rng)
        return result if mover == first else 2 - result
    u.g = g
    u.rng = rng
    u.played = report.played
    u.bits = 0
    u.first = first
    u.left = left
    u.listed = g.cells
    u.shift = mcts_log2_32(g.stride)
    memcpy(u.cells, g.offset, 2 * g.cells)
    draw_lines(&b, &u.lines)
    if u.played != NULL:
        memset(u.played, 0, g.cells)
        for i in range(length):
            u.played[path[i]] = 1 + (i & 1)
    if policy.rollout == MCTS_ROLLOUT_RANDOM:
        winner = play_random(&u, mover)
    else:
        winner = finish(&u, mover, policy.rollout, &mine, &theirs)
    return 1 if winner == DRAW else 2 if winner == first else 0


# ---- children --------------------------------------------------------------------------------------------------------

cdef int32_t children(void *context, const void *root, const uint32_t *path, uint32_t length,
                      const mcts_policy *policy, mcts_children *found) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *s = <const mnk_state *> root
    cdef mnk_row_board b
    cdef mnk_shapes mine, theirs
    cdef child_list l
    cdef uint32_t cells[MNK_MAX_SIDE]
    cdef int mover = (s.stones ^ length) & 1, left = g.cells - s.stones - <int> length, row, count
    if <uint32_t> left > found.capacity:
        return left
    load_path(g, s, path, length, &b)
    mnk_find_shapes(&b, mover, MNK_FIND_FOURS if policy.unranked else MNK_FIND_ALL, &mine)
    mnk_find_shapes(&b, 1 - mover, MNK_FIND_FOURS if policy.unranked else MNK_FIND_ALL, &theirs)
    l.g = g
    l.children = found
    l.count = 0
    l.unranked = policy.unranked
    l.ranking = &RANKING
    l.symmetries.count = 0
    if policy.symmetry:
        find_symmetries(g, &b, &l.symmetries)
    found.root_player = not length & 1
    found.complete = 1
    found.rest = 0
    if any_of(mine.five, g.rows):
        append_all(&l, mine.five, MCTS_WIN, 0, 1.0)
        return l.count
    if left == 1:
        append_all(&l, b.empty + MNK_EDGE, MCTS_DRAW, 0, 0.5)
        return l.count
    count = bits_of(theirs.five, g.rows)
    if count > 1:
        found.rest = 1 if left > count else 0
        append_all(&l, theirs.five, MCTS_LOSS, 1, 0.0)
    elif count == 1:
        found.rest = 1
        if has(mine.fours, g.cols, first_of(theirs.five, g.cols)):
            append_all(&l, theirs.five, MCTS_WIN, 2, 1.0)
        else:
            append_ranked(&l, &b, &mine, &theirs, theirs.five, MCTS_ONGOING, 0)
    elif any_of(mine.fours, g.rows):
        append_all(&l, mine.fours, MCTS_WIN, 2, 1.0)
    elif any_of(theirs.fours, g.rows):
        found.rest = 3
        count = saving(g, &b, &mine, &theirs, mover, cells)
        if count:
            append_open(&l, &b, &mine, &theirs, cells)
            found.rest = 3 if left > count else 0
        else:
            append_all(&l, theirs.fours, MCTS_LOSS, 3, 0.0)
    else:
        candidates(g, &b, left, policy.distance, cells)
        if mine.possible or theirs.possible:
            for row in range(g.rows):
                cells[row] |= mine.four[row] | theirs.four[row]
            count = bits_of(cells, g.rows)
            found.complete = count == left
            append_open(&l, &b, &mine, &theirs, cells)
        else:
            append_ranked(&l, &b, &mine, &theirs, b.empty + MNK_EDGE, MCTS_DRAW, left - 1)
    return l.count


# ---- the table -------------------------------------------------------------------------------------------------------

cdef void prepare(const mnk_geometry *g, mcts_guide *guide) noexcept nogil:
    memset(guide, 0, sizeof(mcts_guide))
    guide.rollouts = 1 << MCTS_ROLLOUT_RANDOM | 1 << MCTS_ROLLOUT_DECISIVE
    # An open four needs k + 1 cells in a line.
    if g.k > 3 and max(g.rows, g.cols) > g.k:
        guide.rollouts |= 1 << MCTS_ROLLOUT_TACTICAL
    guide.distance = MNK_MAX_SIDE
    guide.actions = g.cells
    guide.children = children
    guide.rollout = rollout_by_policy


cdef mnk_guide_table TABLE
TABLE.prepare = prepare
table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
