"""Whether the blocks and leaves of a plain tree are sound."""

from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.check_walk cimport *
from mcts_core.game cimport MCTS_ONGOING
from mcts_core.tree.plain_tree cimport (EXACT_CAPACITY, LEAF_ALL_TRIED, LEAF_CURSOR_SHIFT, MINI_ALL_TRIED,
                                        NARROW_COLUMN, SLOT_SHIFT, WIDE_HEADER, Columns, Mini, WideBlock, best_word,
                                        columns_of, info_word, leaf_result, mini_result, mini_units, parent_word,
                                        wide_units)
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, LINK_MINI, LINK_TERMINAL, MAX_SLOTS, NO_VISITS, Tree
from mcts_core.tree.view cimport best_of, index_mask


cdef extern from "kernels/selection/ucb1.h" nogil:
    const int32_t UCB_NO_WINS
    const float UCB_NO_MEAN


# ---- leaves ----------------------------------------------------------------------------------------------------------

cdef inline const char *check_tried(const Walk *walk, uint32_t link, const Mini *mini, uint32_t count, uint32_t level,
                                    uint32_t cursor, uint32_t all_tried, uint32_t *tried) noexcept nogil:
    """Whether a leaf tried moves that there are, in a game with an order of its moves the first ones, and the cursor is
    at the next."""
    cdef uint32_t slot, value, number = 0, n = count, i
    cdef int32_t found
    for slot in range(count):
        value = leaf_result(link, slot) if mini == NULL else mini_result(walk.tree, mini, slot)
        if value > 1 + 2 * walk.tree.wins_per_visit:
            return b"a leaf has an impossible result"
        number += value > 0
    tried[0] = number
    if number == 0:
        return b"a leaf keeps results but has none"
    if walk.rules.game != NULL:
        found = walk.rules.game.legal_moves(walk.rules.game.context, state_at(walk, level), walk.below)
        n = <uint32_t>found if found > 0 else 0
        if number > n:
            return b"a leaf tried more moves than there are"
        for i in range(number if walk.rules.cursors != NULL else 0):
            slot = walk.below[i]
            value = leaf_result(link, slot) if mini == NULL else mini_result(walk.tree, mini, slot)
            if value == 0:
                return b"a leaf did not try its moves in order"
        if walk.rules.cursors != NULL:
            if cursor != (walk.rules.cursors[walk.below[number]] if number < n else all_tried):
                return b"the cursor of a leaf is not at its next move"
    if walk.rules.counted and cursor != (number if number < n else all_tried):
        return b"the cursor of a leaf is not at its next move"
    return NULL


cdef inline const char *check_leaf(Walk *walk, uint32_t link, uint32_t level, uint32_t visits,
                                   bint root) noexcept nogil:
    """A link of the plain tree that is neither to a block nor terminal; the position at ``level`` goes on."""
    cdef uint32_t tried = 0, cursor
    cdef const char *fault
    cdef Tree *tree = walk.tree
    cdef uint32_t index
    cdef Mini *mini
    if link == 0:
        return NULL
    if link & LINK_KIND == LINK_MINI:
        if tree.narrow:
            return b"a link leads to a mini in a tree that has none"
        index = link & index_mask(tree)
        walk.found.fault = index
        if not fits(walk, index, 1):
            return b"a link leads out of the tree"
        mini = <Mini *>arena_at(&tree.arena, index)
        if mini.count == 0 or mini.count > MAX_SLOTS or (tree.fixed_moves and mini.count != tree.game.max_moves):
            return b"a mini has an impossible number of slots"
        if not claim(walk, index, mini_units(tree, mini.count)):
            return b"two records overlap, or one ends outside of the tree"
        walk.found.units += mini_units(tree, mini.count)
        if mini.count > walk.found.widest:
            walk.found.widest = mini.count
        fault = check_tried(walk, 0, mini, mini.count, level, mini.cursor, MINI_ALL_TRIED, &tried)
    else:
        if not tree.narrow or link >> (LEAF_CURSOR_SHIFT + 4):
            return b"a link is of no kind that there is"
        cursor = link >> LEAF_CURSOR_SHIFT
        if tree.narrow == 7 and leaf_result(link, 7):
            return b"a leaf has a result where there is no slot"
        fault = check_tried(walk, link, NULL, tree.narrow, level, cursor, LEAF_ALL_TRIED, &tried)
    if fault != NULL:
        return fault
    if tried + (0 if root else 1) > visits:
        return b"a leaf tried more moves than it has visits"
    walk.found.nodes += tried
    return NULL


# ---- blocks ----------------------------------------------------------------------------------------------------------

cdef inline const char *check_plain_child(Walk *walk, const Columns *columns, uint32_t slot, int32_t sign,
                                          uint32_t level, uint32_t most) noexcept nogil:
    cdef uint32_t link = columns.links[slot], move = slot if walk.tree.fixed_moves else columns.moves[slot]
    cdef uint32_t visits = columns.visits[slot]
    cdef int32_t outcome = OUT_OF_RANGE
    cdef float n = <float>visits
    cdef const char *fault = check_counts(walk, visits, columns.wins[slot], most)
    if fault != NULL:
        return fault
    if visits == 0:
        return b"a move of a block was never tried"
    if columns.capacity > EXACT_CAPACITY:
        if columns.means[slot] != walk.tree.half * <float>columns.wins[slot] / n:
            return b"a kept mean is not that of its wins and visits"
        if columns.inverses[slot] != <float>1.0 / sqrtf(n):
            return b"a kept root is not that of its visits"
    if walk.rules.game != NULL:
        outcome = play(walk, level, move)
    if link & LINK_KIND == LINK_TERMINAL:
        if link & ~LINK_KIND > 2:
            return b"a terminal link has an impossible result"
        if outcome == MCTS_ONGOING:
            return b"a terminal link stands where the game goes on"
        if outcome > MCTS_ONGOING and link & 3 != <uint32_t>half_points(sign, outcome):
            return b"a terminal link has the wrong result"
        return NULL
    if outcome > MCTS_ONGOING:
        return b"the game is over where no terminal link stands"
    if link & LINK_KIND == LINK_BLOCK:
        return check_index(walk.tree, link)
    return check_leaf(walk, link, level + 1, visits, False)


cdef inline bint is_empty(const Columns *columns, uint32_t slot) noexcept nogil:
    """Whether a slot of the plain tree is one without a move."""
    if columns.visits[slot] != NO_VISITS or columns.wins[slot] != UCB_NO_WINS or columns.links[slot]:
        return False
    return columns.capacity <= EXACT_CAPACITY or (columns.means[slot] == UCB_NO_MEAN and columns.inverses[slot] == 0)


cdef inline const char *check_plain_block(Walk *walk, uint32_t index, uint32_t parent, uint32_t parent_slot,
                                          uint32_t level, uint32_t visits) noexcept nogil:
    cdef Tree *tree = walk.tree
    cdef uint8_t *record = arena_at(&tree.arena, index)
    cdef uint32_t *words = <uint32_t *>record
    cdef WideBlock *wide = <WideBlock *>record
    cdef uint32_t units = 1, count = tree.narrow, slot, legal = 0, used = 0, best
    cdef uint64_t sum = 0
    cdef int32_t sign
    cdef bint there
    cdef Columns columns
    cdef const char *fault
    if not fits(walk, index, 1):
        return b"a link leads out of the tree"
    if tree.narrow:
        sign = <int32_t>(words[info_word(tree.narrow)] & 2) - 1
        if (words[parent_word(tree.narrow)] != parent
                or words[info_word(tree.narrow)] & ~<uint32_t>2 != parent_slot << 2):
            return b"a block does not know its parent"
        if words[best_word(tree.narrow)] & LINK_KIND == LINK_MINI:
            return b"a link leads to a mini in a tree that has none"
    else:
        count = wide.count
        sign = wide.sign
        if count == 0 or count > MAX_SLOTS or wide.capacity != (count + 7 & ~<uint32_t>7):
            return b"a block has an impossible number of slots"
        units = wide_units(wide.capacity, tree.fixed_moves)
        if wide.parent != parent or wide.parent_slot != parent_slot:
            return b"a block does not know its parent"
        if sign != 1 and sign != -1:
            return b"a block has no player"
        for slot in range(<uint32_t>sizeof(wide.spare)):
            if wide.spare[slot]:
                return b"a block has something where there should be nothing"
    if tree.fixed_moves and count != (tree.narrow if tree.narrow else tree.game.max_moves):
        return b"a block has an impossible number of slots"
    if not claim(walk, index, units):
        return b"two records overlap, or one ends outside of the tree"
    walk.found.units += units
    if walk.rules.alternate and sign != (-tree.root_sign if level & 1 else tree.root_sign):
        return b"a block has the wrong player"
    if walk.rules.game != NULL and not mark_legal(walk, level, &legal):
        return b"a block stands where the game is over"
    columns = columns_of(tree, record)
    if not tree.fixed_moves and walk.rules.game == NULL:
        walk.mark += 1  # of a new list
    for slot in range(count):
        there = columns.visits[slot] != NO_VISITS
        if tree.fixed_moves:
            if walk.rules.game != NULL and there != (slot < tree.game.max_moves and is_legal(walk, slot)):
                return b"a block has visits for a move that is not legal, or none for one that is"
        else:
            fault = check_move(walk, columns.moves[slot])
            if fault != NULL:
                return fault
            if not there:
                return b"a move of a block was never tried"
        if not there:
            if not is_empty(&columns, slot):
                return b"a slot without a move is not empty"
            continue
        used += 1
        sum += columns.visits[slot]
        fault = check_plain_child(walk, &columns, slot, sign, level, visits)
        if fault != NULL:
            return fault
        walk.found.nodes += 1
    for slot in range(count, columns.capacity if tree.narrow == 0 else count):
        if not is_empty(&columns, slot):
            return b"a slot without a move is not empty"
        if not tree.fixed_moves and walk.whole:
            columns.moves[slot] = 0
    if not tree.narrow:
        clear_rest(walk, record, WIDE_HEADER + 4 * <uint64_t>columns.capacity * (
            (5 if columns.capacity > EXACT_CAPACITY else 3) + (0 if tree.fixed_moves else 1)), units)
    if used == 0 or (not tree.fixed_moves and walk.rules.game != NULL and used != legal):
        return b"a block has not all of its moves"
    if sum > visits and walk.rules.alone:
        return b"the children of a node have more visits than the node"
    best = best_of(tree, record)
    if best >= count or columns.visits[best] == NO_VISITS:
        return b"the best child of a block is none"
    if (words[best_word(tree.narrow)] & ~(<uint32_t>7 << SLOT_SHIFT) if tree.narrow else wide.best_link) != (
            columns.links[best]):
        return b"the best link of a block is not that of its best child"
    if count > walk.found.widest:
        walk.found.widest = count
    return NULL


cdef inline const char *check_plain_top(Walk *walk) noexcept nogil:
    """Block 0, which stands above the root."""
    cdef Tree *tree = walk.tree
    cdef uint32_t *words = <uint32_t *>tree.arena.base
    cdef WideBlock *wide = <WideBlock *>tree.arena.base
    cdef Columns columns
    cdef uint32_t units = 1 if tree.narrow else wide_units(8, tree.fixed_moves), slot
    if not claim(walk, 0, units):
        return b"the tree has no beginning"
    walk.found.units += units
    if tree.narrow:
        if words[info_word(tree.narrow)] != 2 or words[parent_word(tree.narrow)] or best_of(tree, <uint8_t *>words):
            return b"the tree has no beginning"
    elif wide.capacity != 8 or wide.count != 1 or wide.sign != 1 or wide.best or wide.parent or wide.parent_slot:
        return b"the tree has no beginning"
    columns = columns_of(tree, tree.arena.base)
    for slot in range(1, tree.narrow if tree.narrow else NARROW_COLUMN):
        if columns.visits[slot] or columns.wins[slot] or columns.links[slot]:
            return b"the tree has no beginning"
    if columns.links[0] & LINK_KIND == LINK_TERMINAL:
        return b"the root has an impossible link"
    if (words[best_word(tree.narrow)] if tree.narrow else wide.best_link) != columns.links[0]:
        return b"the best link of a block is not that of its best child"
    return check_counts(walk, columns.visits[0], columns.wins[0], tree.most_visits)
