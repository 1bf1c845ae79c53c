"""Whether the blocks of a guided tree are sound. Proven values are what the tree says they are: to prove them again
would be the search itself."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.check_walk cimport *
from mcts_core.game cimport MCTS_ONGOING
from mcts_core.tree.guided_tree cimport (BLOCK_CLOSED, BLOCK_HAS_DRAW, BLOCK_INCOMPLETE, GUIDED_HEADER, SELECT_GRAVE,
                                         SELECT_RAVE, SELECT_TUNED, GuidedBlock, GuidedColumns, GuidedTree, amaf_units,
                                         block_units, guided_column_count, guided_columns, known)
from mcts_core.tree.tree cimport (DISTANCE_SHIFT, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_DISTANCE, MAX_SLOTS,
                                  WIDE_INDEX, result_of)


cdef extern from "kernels/selection/excluded.h" nogil:
    const float SEL_EXCLUDED


cdef extern from *:
    """
    #define CHECKED_LOOSE 0.01f           /* by how much sums of rounded floats may be off, of their number */
    #define CHECKED_MOST_AMAF 16777216.0f /* where adding 1 to a float changes nothing */
    """
    const float LOOSE "CHECKED_LOOSE"
    const float MOST_AMAF "CHECKED_MOST_AMAF"


cdef inline const char *check_amaf(const Walk *walk, float visits, float wins) noexcept nogil:
    if visits == 0 and wins == 0:
        return NULL
    if not (visits >= 1 and visits <= MOST_AMAF and wins >= -LOOSE * visits and wins <= (1 + LOOSE) * visits):
        return b"AMAF statistics are impossible"
    return NULL


cdef inline const char *check_amaf_record(Walk *walk, uint32_t index) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef uint32_t actions = guided.guide.actions, i, units = amaf_units(guided)
    cdef const float *values
    cdef const char *fault
    if not claim(walk, index, units):
        return b"two records overlap, or one ends outside of the tree"
    walk.found.units += units
    values = <const float *>arena_at(&walk.tree.arena, index)
    for i in range(actions):
        fault = check_amaf(walk, values[i], values[actions + i])
        if fault == NULL:
            fault = check_amaf(walk, values[2 * actions + i], values[3 * actions + i])
        if fault != NULL:
            return fault
    return NULL


cdef inline bint is_terminal(uint32_t link) noexcept nogil:
    return (link & LINK_KIND == LINK_TERMINAL and result_of(link) <= 2
            and link & ~LINK_KIND <= (<uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 3))


cdef inline const char *check_guided_child(Walk *walk, const GuidedColumns *columns, uint32_t slot, int32_t sign,
                                           uint32_t level, uint32_t most) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef uint32_t link = columns.links[slot], visits = columns.visits[slot], proof = 0
    cdef float prior = columns.priors[slot]
    cdef int32_t outcome = OUT_OF_RANGE
    cdef bint terminal = link & LINK_KIND == LINK_TERMINAL
    cdef const char *fault = check_counts(walk, visits, columns.wins[slot], most)
    if fault != NULL:
        return fault
    if terminal:
        proof = link
    elif link & LINK_KIND == LINK_BLOCK and fits(walk, link & WIDE_INDEX, 1):
        proof = known(guided, link)
    if prior == SEL_EXCLUDED:
        if not proof or not guided.options.solver:
            return b"a child is excluded that is not lost"
    elif not (prior >= 0 and prior <= guided.options.prior_weight):
        return b"a prior is impossible"
    if guided.options.selection == SELECT_TUNED:
        if columns.squares[slot] > 4 * <uint64_t>guided.options.wins_per_visit * visits:
            return b"a child has an impossible sum of squares"
    elif guided.options.selection >= SELECT_RAVE:
        if columns.actions[slot] >= guided.guide.actions:
            return b"a child has an action that there is not"
        if guided.options.selection == SELECT_RAVE:
            fault = check_amaf(walk, columns.amaf_visits[slot], columns.amaf_wins[slot])
            if fault != NULL:
                return fault
    if walk.rules.game != NULL:
        outcome = play(walk, level, columns.moves[slot])
    if terminal:
        if not is_terminal(link):
            return b"a terminal link has an impossible result"
        if outcome == MCTS_ONGOING and not guided.options.solver:
            return b"a terminal link stands where the game goes on"
        if outcome > MCTS_ONGOING and link & 3 != <uint32_t>half_points(sign, outcome):
            return b"a terminal link has the wrong result"
        return NULL
    if outcome > MCTS_ONGOING:
        return b"the game is over where no terminal link stands"
    if link and link & LINK_KIND != LINK_BLOCK:
        return b"a link is of no kind that there is"
    return NULL


cdef inline const char *check_guided_block(Walk *walk, uint32_t index, uint32_t level, uint32_t visits) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef GuidedBlock *block = <GuidedBlock *>arena_at(&walk.tree.arena, index)
    cdef GuidedColumns columns
    cdef uint32_t units, slot, legal = 0
    cdef const char *fault
    if not fits(walk, index, 1):
        return b"a link leads out of the tree"
    if block.count == 0 or block.count > MAX_SLOTS or block.capacity != (block.count + 7 & ~<uint32_t>7):
        return b"a block has an impossible number of slots"
    if block.sign != 1 and block.sign != -1:
        return b"a block has no player"
    if block.spare or block.unused:
        return b"a block has something where there should be nothing"
    if block.proof and (level == 0 or not guided.options.solver or not is_terminal(block.proof)):
        return b"a block has an impossible proof"
    if block.flags & ~(BLOCK_INCOMPLETE | BLOCK_CLOSED | BLOCK_HAS_DRAW):
        return b"a block has something where there should be nothing"
    units = block_units(guided, block.capacity)
    if not claim(walk, index, units):
        return b"two records overlap, or one ends outside of the tree"
    walk.found.units += units
    if walk.rules.alternate and block.sign != (-guided.tree.root_sign if level & 1 else guided.tree.root_sign):
        return b"a block has the wrong player"
    # not equal: the iteration that proves the root ends above the blocks on its path
    if block.visits > (visits if walk.rules.alone else walk.tree.most_visits):
        return b"a block has more visits than its node"
    if guided.options.selection == SELECT_GRAVE:
        if level == 0 and not block.amaf:
            return b"the root has no AMAF statistics"
        if block.amaf:
            fault = check_amaf_record(walk, block.amaf)
            if fault != NULL:
                return fault
    elif block.amaf:
        return b"a block has something where there should be nothing"
    if walk.rules.game != NULL and not mark_legal(walk, level, &legal):
        return b"a block stands where the game is over"
    if walk.rules.game == NULL:
        walk.mark += 1  # of a new list
    columns = guided_columns(guided, block)
    for slot in range(block.count):
        fault = check_move(walk, columns.moves[slot])
        if fault == NULL:
            fault = check_guided_child(walk, &columns, slot, block.sign, level, visits)
        if fault != NULL:
            return fault
        walk.found.nodes += columns.visits[slot] > 0
    for slot in range(block.count, block.capacity):
        if columns.visits[slot] or columns.wins[slot] or columns.priors[slot] != SEL_EXCLUDED:
            return b"a slot without a move is not empty"
        if guided.options.selection == SELECT_TUNED and columns.squares[slot]:
            return b"a slot without a move is not empty"
        if guided.options.selection == SELECT_RAVE and (columns.amaf_visits[slot] != 0 or columns.amaf_wins[slot] != 0):
            return b"a slot without a move is not empty"
        if walk.whole:
            columns.links[slot] = columns.moves[slot] = 0
            if guided.options.selection >= SELECT_RAVE:
                columns.actions[slot] = 0
    clear_rest(walk, <uint8_t *>block, GUIDED_HEADER + 4 * <uint64_t>block.capacity * guided_column_count(
        guided.options.selection), units)
    if block.best >= block.count:
        return b"the best child of a block is none"
    if block.best_link != columns.links[block.best]:
        return b"the best link of a block is not that of its best child"
    if block.count > walk.found.widest:
        walk.found.widest = block.count
    return NULL


cdef inline const char *check_guided_top(Walk *walk) noexcept nogil:
    """Block 0, which stands above the root."""
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef GuidedBlock *block = <GuidedBlock *>walk.tree.arena.base
    cdef GuidedColumns columns
    cdef uint32_t units = block_units(guided, 8)
    if not claim(walk, 0, units):
        return b"the tree has no beginning"
    walk.found.units += units
    if block.capacity != 8 or block.count != 1 or block.sign != 1 or block.best or block.amaf or block.flags:
        return b"the tree has no beginning"
    columns = guided_columns(guided, block)
    if columns.links[0] and columns.links[0] & LINK_KIND != LINK_BLOCK:
        return b"the root has an impossible link"
    if columns.visits[0] and not columns.links[0]:
        return b"the root has an impossible link"
    if block.best_link != columns.links[0]:
        return b"the best link of a block is not that of its best child"
    return check_counts(walk, columns.visits[0], columns.wins[0], walk.tree.most_visits)
