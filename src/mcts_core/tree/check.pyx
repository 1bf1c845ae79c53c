"""Checks that a search tree is sound. The tree may be damaged by accident or on purpose, so the check trusts nothing.

It plays the moves from the root with the game's own rules, so that no later search passes an illegal move to a kernel.
It does not check that proven values are right: that would take as long as the search.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from mcts_core.arena cimport FREE_LISTS, arena_at
from mcts_core.tree.check_general cimport check_general_block, check_general_top
from mcts_core.tree.check_guided cimport check_guided_block, check_guided_top
from mcts_core.tree.check_plain cimport check_leaf, check_plain_block, check_plain_top
from mcts_core.tree.check_walk cimport ANY_MOVE, Frame, Walk, check_index, claim, play
from mcts_core.tree.exchange cimport DEEPEST, Known, entry_at, entry_words, node_words
from mcts_core.tree.general_news cimport ROUNDING, float_at
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralTree, is_possible_sum, totals_of
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, NO_VISITS, Tree, is_general, is_guided
from mcts_core.tree.view cimport BlockView, index_mask, is_block, view_block, view_move


cdef extern from *:
    """
    #define PROVEN 0xFFFFFFFFu
    """
    const uint32_t PROVEN        # in place of a record: the child is proven, and other trees know it

cdef enum:
    FIRST_ROOM = 64              # levels

NO_MEMORY = b"there is no memory for the check"


# ---- what the layouts check ------------------------------------------------------------------------------------------

cdef const char *check_block(Walk *walk, uint32_t index, uint32_t parent, uint32_t slot, uint32_t level,
                             uint32_t visits) noexcept nogil:
    walk.found.fault = index
    walk.found.blocks += 1
    if level + 1 > walk.found.depth:
        walk.found.depth = level + 1
    if is_general(walk.tree):
        return check_general_block(walk, index, level, visits)
    if is_guided(walk.tree):
        return check_guided_block(walk, index, level, visits)
    return check_plain_block(walk, index, parent, slot, level, visits)


cdef const char *check_top(Walk *walk, uint32_t *link, uint32_t *visits) noexcept nogil:
    """Checks block 0, which stands above the root; sets the link and the visits of the root."""
    cdef Tree *tree = walk.tree
    cdef BlockView top
    cdef const char *fault
    walk.found.fault = 0
    if is_general(tree):
        fault = check_general_top(walk)
    elif is_guided(tree):
        fault = check_guided_top(walk)
    else:
        fault = check_plain_top(walk)
    if fault != NULL:
        return fault
    top = view_block(tree, 0)
    link[0] = top.links[0]
    visits[0] = top.visits[0]
    if visits[0] < tree.reused + tree.iterations or (
            walk.rules.alone and visits[0] > tree.reused + tree.iterations):
        return b"the visits of the root are not those of its searches"
    walk.found.nodes += visits[0] > 0
    if link[0] & LINK_KIND == LINK_BLOCK:
        return check_index(tree, link[0])
    if is_guided(tree):
        return NULL
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
    larger = realloc(walk.path, 2 * <uint64_t>levels * sizeof(uint32_t))
    if larger == NULL:
        return False
    walk.path = <uint32_t *>larger
    walk.room = 2 * levels
    return True


cdef const char *check_children(Walk *walk, uint32_t root) noexcept nogil:
    """Checks all blocks below ``root``, depth first. The block ``root`` itself has been checked."""
    cdef Tree *tree = walk.tree
    cdef uint32_t level = 0, slot, child, mask = index_mask(tree)
    cdef BlockView view
    cdef const char *fault
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
        walk.path[level] = view_move(&view, slot)
        if walk.rules.game != NULL:
            if level + 2 >= walk.levels:
                return b"the tree is deeper than the game can be long"
            play(walk, level, walk.path[level])
        child = view.links[slot] & mask
        if not room_for(walk, level + 2):  # the path may be one move longer
            return NO_MEMORY
        fault = check_block(walk, child, walk.frames[level].index, slot, level + 1, view.visits[slot])
        if fault != NULL:
            return fault
        level += 1
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
    """Allocates memory for the check; False if there is none."""
    cdef const CheckRules *rules = walk.rules
    walk.seen = <uint64_t *>calloc((walk.tree.arena.top >> 6) + 1, 8)
    if not room_for(walk, FIRST_ROOM):
        return False
    if is_general(walk.tree):
        walk.endings = <uint64_t *>calloc((walk.tree.arena.top >> 6) + 1, 8)
        if walk.endings == NULL:
            return False
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


cdef const char *check_tree(Tree *tree, const CheckRules *rules, bint whole, Findings *found) noexcept nogil:
    cdef Walk walk
    cdef const char *fault = NO_MEMORY
    walk.tree = tree
    walk.rules = rules
    walk.found = found
    walk.whole = whole
    walk.seen = walk.endings = NULL
    walk.frames = NULL
    walk.path = NULL
    walk.room = walk.levels = walk.mark = 0
    walk.states = NULL
    walk.stride = 0
    walk.legal = walk.below = walk.marks = NULL
    found[0] = Findings(0, 0, 0, 0, 0, 0, 0)
    if begin(&walk):
        fault = check_all(&walk)
    free(walk.seen)
    free(walk.endings)
    free(walk.path)
    free(walk.frames)
    free(walk.states)
    free(walk.legal)
    free(walk.below)
    free(walk.marks)
    return fault


# ---- what other trees know of this one -------------------------------------------------------------------------------

cdef inline bint is_news(const Tree *tree, uint32_t visits, int32_t wins, uint32_t known_visits,
                         int32_t known_wins) noexcept nogil:
    """Whether the news of a node is possible: the visits and wins that other trees do not know yet."""
    cdef int64_t more = <int64_t>wins - known_wins
    if known_visits > visits:
        return False
    return 0 <= more <= 2 * <int64_t>tree.wins_per_visit * (visits - known_visits)


cdef inline bint is_rest(const GeneralTree *general, double whole, double known, uint32_t visits,
                         uint32_t known_visits) noexcept nogil:
    """The same for a sum of values: whether the part that other trees do not know yet is possible."""
    return known_visits <= visits and is_possible_sum(general, whole - known, visits - known_visits, ROUNDING)


cdef inline bint is_known_node(const GeneralTree *general, GeneralBlock *block, const uint32_t *words) noexcept nogil:
    """Whether other trees can know these visits and values of the node of a block."""
    cdef uint32_t player
    if words[0] > block.visits:
        return False
    for player in range(general.players):
        if not is_rest(general, totals_of(block)[player], float_at(words + 2 + 2 * player), block.valued, words[1]):
            return False
    return True


cdef const char *check_record(const Tree *tree, const Known *known, uint32_t index, uint32_t record, uint32_t depth,
                              uint32_t *words) noexcept nogil:
    """Checks what other trees know of a block and of those below it; adds the sizes of the records to ``words``."""
    cdef BlockView view = view_block(tree, index)
    cdef const uint32_t *entry
    cdef const char *fault
    cdef uint32_t slot, last = entry_words(tree) - 1, size = 1 + node_words(tree) + entry_words(tree) * view.count
    if record == 0 or <uint64_t>record + size > known.words.used or depth > DEEPEST:
        return b"an exchange record is missing, out of range or too deep"
    if known.words.at[record] != view.count:
        return b"an exchange record does not match the tree"
    words[0] += size
    if is_general(tree) and not is_known_node(<const GeneralTree *>tree, <GeneralBlock *>view.record,
                                              known.words.at + record + 1):
        return b"an exchange record has impossible visits or values"
    for slot in range(view.count):
        entry = entry_at(tree, known, record, slot)
        if entry[0] != view_move(&view, slot):
            return b"an exchange record does not match the tree"
        if view.visits[slot] == NO_VISITS:
            if entry[1] or entry[2] or entry[3]:
                return b"an exchange record does not match the tree"
            continue
        if view.wins != NULL and not is_news(tree, view.visits[slot], view.wins[slot], entry[1], <int32_t>entry[2]):
            return b"an exchange record has impossible visits or values"
        if is_general(tree) and not is_rest(<const GeneralTree *>tree, view.sums[slot] if view.sums != NULL else 0.0,
                                            float_at(entry + 2), view.visits[slot], entry[1]):
            return b"an exchange record has impossible visits or values"
        if entry[last] == 0 or entry[last] == PROVEN:
            continue
        if not is_block(view.links[slot]):
            return b"an exchange record does not match the tree"
        fault = check_record(tree, known, view.links[slot] & index_mask(tree), entry[last], depth + 1, words)
        if fault != NULL:
            return fault
    return NULL


cdef bint is_known_root(const GeneralTree *general, GeneralBlock *block, const Known *known) noexcept nogil:
    cdef uint32_t player
    for player in range(general.players):
        if not is_rest(general, totals_of(block)[player], known.totals[player], block.valued, known.valued):
            return False
    return known.visits <= block.visits


cdef const char *check_known(const Tree *tree, const Known *known) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef uint32_t words = 1
    cdef const char *fault
    if top.wins != NULL and not is_news(tree, top.visits[0], top.wins[0], known.visits, known.wins):
        return b"an exchange record has impossible visits or values"
    if is_general(tree) and not is_known_root(<const GeneralTree *>tree, <GeneralBlock *>top.record, known):
        return b"an exchange record has impossible visits or values"
    if known.root == 0:
        return NULL
    if not is_block(top.links[0]):
        return b"an exchange record does not match the tree"
    fault = check_record(tree, known, top.links[0] & index_mask(tree), known.root, 0, &words)
    if fault == NULL and words != known.words.used:  # equal only if no two records share words
        fault = b"an exchange record does not match the tree"
    return fault
