"""Whether a search tree is sound. It reads trees that may be damaged, or made to do damage: nothing is taken on trust.

The moves are played from the root with the game's own rules, so that no later search hands a kernel a move that is not
there. Proven values are what the tree says they are: to prove them again would be the search itself.
"""

from libc.math cimport sqrtf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from mcts_core.arena cimport FREE_LISTS, arena_at
from mcts_core.tree.exchange cimport DEEPEST, Known
from mcts_core.game cimport MCTS_DRAW, MCTS_ONGOING, MCTS_WIN
from mcts_core.tree.guided_tree cimport (BLOCK_CLOSED, BLOCK_HAS_DRAW, BLOCK_INCOMPLETE, DISTANCE_SHIFT, GUIDED_HEADER,
                                         MAX_DISTANCE, SELECT_GRAVE, SELECT_RAVE, SELECT_TUNED, SELECT_UCB1,
                                         GuidedBlock, GuidedColumns, GuidedTree, amaf_units, block_units,
                                         guided_column_count, guided_columns)
from mcts_core.tree.plain_tree cimport (EXACT_CAPACITY, LEAF_ALL_TRIED, LEAF_CURSOR_SHIFT, LINK_BLOCK, LINK_KIND,
                                        LINK_MINI, LINK_TERMINAL, MAX_ITERATIONS, MAX_SLOTS, MINI_ALL_TRIED,
                                        NARROW_COLUMN, NO_VISITS, SLOT_SHIFT, WIDE_HEADER, Columns, Mini, Tree,
                                        WideBlock, best_word, columns_of, info_word, leaf_result, mini_result,
                                        mini_units, parent_word, wide_units)
from mcts_core.tree.view cimport BlockView, best_of, index_mask, is_block, view_block, view_move


cdef extern from *:
    """
    #define PROVEN 0xFFFFFFFFu
    """
    const uint32_t PROVEN        # in the place of a record: the value of the child was told

cdef extern from "kernels/selection/ucb.h" nogil:
    const int32_t UCB_NO_WINS
    const float UCB_NO_MEAN

cdef enum:
    FIRST_ROOM = 64              # levels
    OUT_OF_RANGE = -1            # of a game's outcome: the move was not played
    ENTRY = 4                    # words of a slot in a record of what is known

cdef float SEL_EXCLUDED = -1e30    # of kernels/selection/selection.h, whose functions are not for this module
cdef float LOOSE = 0.01          # by how much sums of rounded floats may be off, of their number
cdef float MOST_AMAF = 16777216.0  # where adding 1 to a float changes nothing

NO_MEMORY = b"there is no memory for the check"

ctypedef struct Frame:
    uint32_t index               # of a block
    uint32_t slot                # whose children are next

ctypedef struct Walk:
    Tree *tree
    const Rules *rules
    Findings *found
    bint whole
    uint64_t *seen               # a bit for each unit of a record
    Frame *frames
    uint32_t room
    uint8_t *states              # the positions on the way down, one more than frames
    uint64_t stride
    uint32_t levels
    uint32_t *legal              # moves of the block at hand
    uint32_t *below              # of a child
    uint32_t *marks              # by move: the last list in which it was; NULL where moves can be any
    uint32_t mark


# ---- records ---------------------------------------------------------------------------------------------------------

cdef inline bint fits(const Walk *walk, uint32_t index, uint64_t units) noexcept nogil:
    return <uint64_t>index + units <= walk.tree.arena.top


cdef bint claim(Walk *walk, uint32_t index, uint32_t units) noexcept nogil:
    """Takes the units of a record; False when they are not there or another record has one of them."""
    cdef uint32_t unit
    if not fits(walk, index, units):
        return False
    for unit in range(index, index + units):
        if walk.seen[unit >> 6] >> (unit & 63) & 1:
            return False
        walk.seen[unit >> 6] |= <uint64_t>1 << (unit & 63)
    return True


cdef inline void clear_rest(Walk *walk, uint8_t *record, uint64_t used, uint32_t units) noexcept nogil:
    """Sets what a record has beyond its last column to 0, where that is wanted."""
    if walk.whole:
        memset(record + used, 0, <uint64_t>units * walk.tree.arena.unit - used)


cdef inline uint8_t *state_at(const Walk *walk, uint32_t level) noexcept nogil:
    return walk.states + level * walk.stride


cdef inline int32_t play(const Walk *walk, uint32_t level, uint32_t move) noexcept nogil:
    """Plays a legal move of the position at a level into the one below; its outcome."""
    memcpy(state_at(walk, level + 1), state_at(walk, level), walk.rules.game.state_size)
    return walk.rules.game.play(walk.rules.game.context, state_at(walk, level + 1), move)


cdef inline int32_t half_points(int32_t sign, int32_t outcome) noexcept nogil:
    """Of player +1, by the outcome of a move of the player ``sign``."""
    return 1 if outcome == MCTS_DRAW else 1 + sign if outcome == MCTS_WIN else 1 - sign


cdef inline uint32_t most_visits(const Tree *tree) noexcept nogil:
    cdef uint32_t most = <uint32_t>MAX_ITERATIONS // tree.rollouts_per_leaf
    return most // 2 if tree.guided and (<GuidedTree *>tree).options.selection == SELECT_TUNED else most


cdef inline const char *check_index(const Tree *tree, uint32_t link) noexcept nogil:
    if link & ~(LINK_KIND | index_mask(tree)):
        return b"a link leads out of the tree"
    return NULL


cdef inline const char *check_counts(const Walk *walk, uint32_t visits, int32_t wins, uint32_t most) noexcept nogil:
    if visits > (most if walk.rules.alone else most_visits(walk.tree)):
        return b"a child has more visits than its node"
    if wins < 0 or <uint64_t>wins > 2 * <uint64_t>walk.tree.rollouts_per_leaf * visits:
        return b"a child has impossible wins"
    return NULL


# ---- leaves of the plain tree ----------------------------------------------------------------------------------------

cdef const char *check_tried(const Walk *walk, uint32_t link, const Mini *mini, uint32_t count, uint32_t level,
                             uint32_t cursor, uint32_t all_tried, uint32_t *tried) noexcept nogil:
    """Whether the tried moves of a leaf are the first ones, and the cursor is at the next."""
    cdef uint32_t slot, value, number = 0, n = count, i
    cdef int32_t found
    for slot in range(count):
        value = leaf_result(link, slot) if mini == NULL else mini_result(walk.tree, mini, slot)
        if value > 1 + 2 * walk.tree.rollouts_per_leaf:
            return b"a leaf has an impossible result"
        number += value > 0
    tried[0] = number
    if number == 0:
        return b"a leaf keeps results but has none"
    if walk.rules.game == NULL:
        for slot in range(number if walk.rules.counted else 0):
            if mini_result(walk.tree, mini, slot) == 0:
                return b"a leaf did not try its moves in order"
    else:
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


cdef const char *check_leaf(Walk *walk, uint32_t link, uint32_t level, uint32_t visits, bint root) noexcept nogil:
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

cdef bint mark_legal(Walk *walk, uint32_t level, uint32_t *count) noexcept nogil:
    """Finds and marks the legal moves of the position at a level; False: it has none."""
    cdef int32_t found = walk.rules.game.legal_moves(walk.rules.game.context, state_at(walk, level), walk.legal)
    cdef int32_t i
    walk.mark += 1
    for i in range(found):
        walk.marks[walk.legal[i]] = walk.mark
    count[0] = <uint32_t>found
    return found > 0


cdef inline bint is_legal(const Walk *walk, uint32_t move) noexcept nogil:
    return walk.marks[move] == walk.mark


cdef inline const char *check_move(Walk *walk, uint32_t move) noexcept nogil:
    """A move of a block: a legal one and, whether or not that is known, one that did not come before."""
    if walk.rules.moves == ANY_MOVE:
        return NULL
    if move >= walk.rules.moves:
        return b"a block has a move that there is not"
    if is_legal(walk, move) != (walk.rules.game != NULL):
        return b"a block has a move that is not legal, or one twice"
    walk.marks[move] = walk.mark - 1 if walk.rules.game != NULL else walk.mark
    return NULL


cdef const char *check_plain_child(Walk *walk, const Columns *columns, uint32_t slot, int32_t sign, uint32_t level,
                                   uint32_t most) noexcept nogil:
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


cdef const char *check_plain_block(Walk *walk, uint32_t index, uint32_t parent, uint32_t parent_slot, uint32_t level,
                                   uint32_t visits) noexcept nogil:
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
        if wide.flags or wide.spare0 or wide.spare[0] or wide.spare[1] or wide.spare[2]:
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


cdef const char *check_amaf(const Walk *walk, float visits, float wins) noexcept nogil:
    if visits == 0 and wins == 0:
        return NULL
    if not (visits >= 1 and visits <= MOST_AMAF and wins >= -LOOSE * visits and wins <= (1 + LOOSE) * visits):
        return b"AMAF statistics are impossible"
    return NULL


cdef const char *check_amaf_record(Walk *walk, uint32_t index) noexcept nogil:
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


cdef const char *check_guided_child(Walk *walk, const GuidedColumns *columns, uint32_t slot, int32_t sign,
                                    uint32_t level, uint32_t most) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef uint32_t link = columns.links[slot], visits = columns.visits[slot]
    cdef float prior = columns.priors[slot]
    cdef int32_t outcome = OUT_OF_RANGE
    cdef bint terminal = link & LINK_KIND == LINK_TERMINAL
    cdef const char *fault = check_counts(walk, visits, columns.wins[slot], most)
    if fault != NULL:
        return fault
    if prior == SEL_EXCLUDED:
        if not terminal or not guided.options.solver:
            return b"a child is excluded that is not lost"
    elif not (prior >= 0 and prior <= guided.options.prior_weight):
        return b"a prior is impossible"
    if guided.options.selection == SELECT_TUNED:
        if columns.squares[slot] > 4 * <uint64_t>guided.options.rollouts_per_leaf * visits:
            return b"a child has an impossible sum of squares"
    elif guided.options.selection != SELECT_UCB1:
        if columns.actions[slot] >= guided.guide.actions:
            return b"a child has an action that there is not"
        if guided.options.selection == SELECT_RAVE:
            fault = check_amaf(walk, columns.amaf_visits[slot], columns.amaf_wins[slot])
            if fault != NULL:
                return fault
    if walk.rules.game != NULL:
        outcome = play(walk, level, columns.moves[slot])
    if terminal:
        if link & ~LINK_KIND > (<uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 3) or link & 3 == 3:
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


cdef const char *check_guided_block(Walk *walk, uint32_t index, uint32_t level, uint32_t visits) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>walk.tree
    cdef GuidedBlock *block = <GuidedBlock *>arena_at(&walk.tree.arena, index)
    cdef GuidedColumns columns
    cdef uint32_t units, slot, legal = 0, i
    cdef const char *fault
    if not fits(walk, index, 1):
        return b"a link leads out of the tree"
    if block.count == 0 or block.count > MAX_SLOTS or block.capacity != (block.count + 7 & ~<uint32_t>7):
        return b"a block has an impossible number of slots"
    if block.sign != 1 and block.sign != -1:
        return b"a block has no player"
    for i in range(5):
        if block.spare[i]:
            return b"a block has something where there should be nothing"
    if block.flags & ~(BLOCK_INCOMPLETE | BLOCK_CLOSED | BLOCK_HAS_DRAW):
        return b"a block has something where there should be nothing"
    units = block_units(guided, block.capacity)
    if not claim(walk, index, units):
        return b"two records overlap, or one ends outside of the tree"
    walk.found.units += units
    if walk.rules.alternate and block.sign != (-guided.tree.root_sign if level & 1 else guided.tree.root_sign):
        return b"a block has the wrong player"
    # not equal: the iteration that proves the root ends above the blocks on its path
    if block.visits > (visits if walk.rules.alone else most_visits(walk.tree)):
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


cdef const char *check_block(Walk *walk, uint32_t index, uint32_t parent, uint32_t slot, uint32_t level,
                             uint32_t visits) noexcept nogil:
    walk.found.fault = index
    walk.found.blocks += 1
    if level + 1 > walk.found.depth:
        walk.found.depth = level + 1
    if walk.tree.guided:
        return check_guided_block(walk, index, level, visits)
    return check_plain_block(walk, index, parent, slot, level, visits)


cdef const char *check_top(Walk *walk, uint32_t *link, uint32_t *visits) noexcept nogil:
    """Block 0, which stands above the root; the link and the visits of the root."""
    cdef Tree *tree = walk.tree
    cdef uint32_t *words = <uint32_t *>tree.arena.base
    cdef GuidedBlock *block = <GuidedBlock *>tree.arena.base
    cdef WideBlock *wide = <WideBlock *>tree.arena.base
    cdef GuidedColumns guided
    cdef Columns columns
    cdef uint32_t units = 1, slot, best_link
    cdef const char *fault
    walk.found.fault = 0
    if tree.guided:
        units = block_units(<GuidedTree *>tree, 8)
    elif not tree.narrow:
        units = wide_units(8, tree.fixed_moves)
    if not claim(walk, 0, units):
        return b"the tree has no beginning"
    walk.found.units += units
    if tree.guided:
        if block.capacity != 8 or block.count != 1 or block.sign != 1 or block.best or block.amaf or block.flags:
            return b"the tree has no beginning"
        guided = guided_columns(<GuidedTree *>tree, block)
        link[0] = guided.links[0]
        visits[0] = guided.visits[0]
        best_link = block.best_link
        fault = check_counts(walk, visits[0], guided.wins[0], most_visits(tree))
        if link[0] and link[0] & LINK_KIND != LINK_BLOCK:
            return b"the root has an impossible link"
        if visits[0] and not link[0]:
            return b"the root has an impossible link"
    else:
        if tree.narrow:
            if words[info_word(tree.narrow)] != 2 or words[parent_word(tree.narrow)] or best_of(tree, <uint8_t *>words):
                return b"the tree has no beginning"
        elif wide.capacity != 8 or wide.count != 1 or wide.sign != 1 or wide.best or wide.parent or wide.parent_slot:
            return b"the tree has no beginning"
        columns = columns_of(tree, tree.arena.base)
        link[0] = columns.links[0]
        visits[0] = columns.visits[0]
        best_link = words[best_word(tree.narrow)] if tree.narrow else wide.best_link
        fault = check_counts(walk, visits[0], columns.wins[0], most_visits(tree))
        for slot in range(1, tree.narrow if tree.narrow else NARROW_COLUMN):
            if columns.visits[slot] or columns.wins[slot] or columns.links[slot]:
                return b"the tree has no beginning"
        if link[0] & LINK_KIND == LINK_TERMINAL:
            return b"the root has an impossible link"
    if fault != NULL:
        return fault
    if best_link != link[0]:
        return b"the best link of a block is not that of its best child"
    if visits[0] < tree.reused + tree.iterations or (
            walk.rules.alone and visits[0] > tree.reused + tree.iterations):
        return b"the visits of the root are not those of its searches"
    walk.found.nodes += visits[0] > 0
    if link[0] & LINK_KIND == LINK_BLOCK:
        return check_index(tree, link[0])
    return check_leaf(walk, link[0], 0, visits[0], True)


# ---- the whole tree --------------------------------------------------------------------------------------------------

cdef bint room_for(Walk *walk, uint32_t levels) noexcept nogil:
    cdef void *larger
    if levels <= walk.room:
        return True
    larger = realloc(walk.frames, 2 * <uint64_t>levels * sizeof(Frame))
    if larger == NULL:
        return False
    walk.frames = <Frame *>larger
    walk.room = 2 * levels
    return True


cdef const char *check_children(Walk *walk, uint32_t root) noexcept nogil:
    """All blocks below the root's, whose index is given, in the order in which one comes to them; it is checked."""
    cdef Tree *tree = walk.tree
    cdef uint32_t level = 0, slot, child, mask = index_mask(tree)
    cdef BlockView view
    cdef const char *fault
    if not room_for(walk, FIRST_ROOM):
        return NO_MEMORY
    walk.frames[0].index = root
    walk.frames[0].slot = 0
    while True:
        view = view_block(tree, walk.frames[level].index)
        slot = walk.frames[level].slot
        while slot < view.count and not is_block(view.links[slot]):
            slot += 1
        if slot == view.count:
            if level == 0:
                return NULL
            level -= 1
            continue
        walk.frames[level].slot = slot + 1
        if walk.rules.game != NULL:
            if level + 2 >= walk.levels:
                return b"the tree is deeper than the game can be long"
            play(walk, level, view_move(&view, slot))
        child = view.links[slot] & mask
        fault = check_block(walk, child, walk.frames[level].index, slot, level + 1, view.visits[slot])
        if fault != NULL:
            return fault
        level += 1
        if not room_for(walk, level + 1):
            return NO_MEMORY
        walk.frames[level].index = child
        walk.frames[level].slot = 0


cdef const char *check_free(Walk *walk) noexcept nogil:
    """The lists of free records."""
    cdef uint32_t units, index
    for units in range(1, <uint32_t>FREE_LISTS):
        index = walk.tree.arena.freed[units]
        while index:
            walk.found.fault = index
            if walk.whole:
                return b"the tree has free records"
            if not claim(walk, index, units):
                return b"a free record overlaps another one, or ends outside of the tree"
            walk.found.free_units += units
            index = (<uint32_t *>arena_at(&walk.tree.arena, index))[0]
    return NULL


cdef bint begin(Walk *walk) noexcept nogil:
    """Memory for the check; False when there is none."""
    cdef const Rules *rules = walk.rules
    walk.seen = <uint64_t *>calloc((walk.tree.arena.top >> 6) + 1, 8)
    if rules.moves != ANY_MOVE:
        walk.marks = <uint32_t *>calloc(<uint64_t>rules.moves + 1, 4)
        if walk.marks == NULL:
            return False
    if rules.game != NULL:
        walk.legal = <uint32_t *>malloc(4 * (<uint64_t>rules.game.max_moves + 1))
        walk.below = <uint32_t *>malloc(4 * (<uint64_t>rules.game.max_moves + 1))
        walk.levels = min(rules.game.max_plies, walk.tree.arena.top) + 3
        walk.stride = (<uint64_t>rules.game.state_size + 15) // 16 * 16
        walk.states = <uint8_t *>malloc(walk.levels * walk.stride)
        if walk.legal == NULL or walk.below == NULL or walk.states == NULL:
            return False
        memcpy(walk.states, rules.root, rules.game.state_size)
    return walk.seen != NULL


cdef const char *check_all(Walk *walk) noexcept nogil:
    cdef uint32_t link = 0, visits = 0
    cdef const char *fault = check_top(walk, &link, &visits)
    if fault == NULL and link & LINK_KIND == LINK_BLOCK:
        link &= index_mask(walk.tree)
        fault = check_block(walk, link, 0, 0, 0, visits)
        if fault == NULL:
            fault = check_children(walk, link)
    if fault == NULL:
        fault = check_free(walk)
    if fault == NULL and walk.whole and walk.found.units != walk.tree.arena.top:
        fault = b"the tree has memory that no link leads to"
    return fault


cdef const char *check_tree(Tree *tree, const Rules *rules, bint whole, Findings *found) noexcept nogil:
    cdef Walk walk
    cdef const char *fault = NO_MEMORY
    walk.tree = tree
    walk.rules = rules
    walk.found = found
    walk.whole = whole
    walk.seen = NULL
    walk.frames = NULL
    walk.room = walk.levels = walk.mark = 0
    walk.states = NULL
    walk.stride = 0
    walk.legal = walk.below = walk.marks = NULL
    found[0] = Findings(0, 0, 0, 0, 0, 0, 0)
    if begin(&walk):
        fault = check_all(&walk)
    free(walk.seen)
    free(walk.frames)
    free(walk.states)
    free(walk.legal)
    free(walk.below)
    free(walk.marks)
    return fault


# ---- what was told and heard -----------------------------------------------------------------------------------------

cdef inline bint is_news(const Tree *tree, uint32_t visits, int32_t wins, uint32_t known_visits,
                         int32_t known_wins) noexcept nogil:
    """Whether the visits and wins that are not known yet can be."""
    cdef int64_t more = <int64_t>wins - known_wins
    if known_visits > visits:
        return False
    return 0 <= more <= 2 * <int64_t>tree.rollouts_per_leaf * (visits - known_visits)


cdef const char *check_record(const Tree *tree, const Known *known, uint32_t index, uint32_t record, uint32_t depth,
                              uint32_t *words) noexcept nogil:
    """The record of a block, and those below it; adds their sizes to ``words``."""
    cdef BlockView view = view_block(tree, index)
    cdef const uint32_t *entry
    cdef const char *fault
    cdef uint32_t slot
    if record == 0 or <uint64_t>record + 1 + ENTRY * <uint64_t>view.count > known.words.used or depth > DEEPEST:
        return b"what is known of other trees is not there"
    if known.words.at[record] != view.count:
        return b"what is known of other trees is of another one"
    words[0] += 1 + ENTRY * view.count
    for slot in range(view.count):
        entry = known.words.at + record + 1 + ENTRY * slot
        if entry[0] != view_move(&view, slot):
            return b"what is known of other trees is of another one"
        if view.visits[slot] == NO_VISITS:
            if entry[1] or entry[2] or entry[3]:
                return b"what is known of other trees is of another one"
            continue
        if not is_news(tree, view.visits[slot], view.wins[slot], entry[1], <int32_t>entry[2]):
            return b"more is known of other trees than there is"
        if entry[3] == 0 or entry[3] == PROVEN:
            continue
        if not is_block(view.links[slot]):
            return b"what is known of other trees is of another one"
        fault = check_record(tree, known, view.links[slot] & index_mask(tree), entry[3], depth + 1, words)
        if fault != NULL:
            return fault
    return NULL


cdef const char *check_known(const Tree *tree, const Known *known) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef uint32_t words = 1
    cdef const char *fault
    if not is_news(tree, top.visits[0], top.wins[0], known.visits, known.wins):
        return b"more is known of other trees than there is"
    if known.root == 0:
        return NULL
    if not is_block(top.links[0]):
        return b"what is known of other trees is of another one"
    fault = check_record(tree, known, top.links[0] & index_mask(tree), known.root, 0, &words)
    if fault == NULL and words != known.words.used:  # so that no two records share their words
        fault = b"what is known of other trees is of another one"
    return fault
