"""Whether the blocks of a general tree are sound, and the values of finished games."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.check_walk cimport *
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_OVER, GeneralPosition
from mcts_core.tree.general_proofs cimport is_proven_block, is_proven_link
from mcts_core.tree.general_tree cimport (CERTAIN, CHANCE_PLAYER, SEL_EXCLUDED, GENERAL_PADDING, LINK_PROVEN, Ending,
                                          GeneralBlock, GeneralColumns, GeneralTree, capacity_for, ending_units,
                                          ending_values, general_block, general_columns, general_size, general_units,
                                          high_of, is_possible_sum, low_of, rewards_of, set_limits, totals_of)
from mcts_core.tree.tree cimport (DISTANCE_SHIFT, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_DISTANCE, MAX_SLOTS,
                                  WIDE_INDEX, result_of)


cdef inline bint is_value_sum(const Walk *walk, double sum, uint32_t values) noexcept nogil:
    """Whether that can be the sum of so many values, each from 0 to 1 or a score, but for rounding."""
    return is_possible_sum(<const GeneralTree *>walk.tree, sum, values, 1e-9 * (values + 1))


cdef inline bint look_at(const Walk *walk, uint32_t length, bint listed) noexcept nogil:
    """Describes the position at the end of the path; False where the rules cannot."""
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    while True:
        if walk.rules.general.look(walk.rules.general.context, walk.path, length, listed, &general.position) < 0:
            return False
        if (not listed or general.position.kind == KIND_OVER or general.position.count <= general.position.capacity):
            return True
        if (general.position.count > MAX_SLOTS
                or not general.tree.ops.reserve(&general.tree, 1, general.position.count)):
            return False


cdef inline bint is_opened(const GeneralColumns *columns, uint32_t move) noexcept nogil:
    cdef uint32_t slot
    for slot in range(columns.count):
        if columns.moves[slot] == move:
            return True
    return False


cdef inline const char *check_position(Walk *walk, const GeneralBlock *block, const GeneralColumns *columns,
                                       uint32_t level) noexcept nogil:
    """Whether a block is that of the position at the end of the path."""
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    cdef const GeneralPosition *position = &general.position
    cdef bint mixed = block.player >= 0  # the children with statistics are in any order
    cdef uint32_t slot, next = columns.count if mixed else 0  # of the moves in the order of the game
    if not look_at(walk, level, True):
        return b"the rules report an error at a block"
    if position.kind == KIND_OVER:
        return b"a block stands where the game is over"
    if position.count != block.count:
        return b"a block has not all of its moves"
    for slot in range(block.count):
        if next < block.count and columns.moves[next] == position.moves[slot]:
            next += 1
        elif not (mixed and is_opened(columns, position.moves[slot])):
            return b"a block has a move that is not legal, or one twice"
    if next < block.count:
        return b"a block has a move that is not legal, or one twice"
    if (position.kind == KIND_CHANCE) != (block.player < 0):
        return b"a block has the wrong player"
    if block.player >= 0:
        if position.player != <uint32_t>block.player:
            return b"a block has the wrong player"
        return NULL
    set_limits(position.probabilities, block.count, position.actions)
    for slot in range(block.count):
        if columns.limits[slot] != position.actions[slot]:
            return b"an outcome has another probability"
    return NULL


cdef inline const char *check_ending(Walk *walk, uint32_t link, uint32_t level, uint32_t move) noexcept nogil:
    """The record behind a terminal link, which others may share; ``move`` leads to it."""
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    cdef uint32_t index = link & WIDE_INDEX, units = ending_units(general), player
    cdef Ending *ending = <Ending *>arena_at(&walk.tree.arena, index)
    cdef const double *values = ending_values(general, link)
    if not fits(walk, index, units):
        return b"a link leads out of the tree"
    if not walk.endings[index >> 6] >> (index & 63) & 1:
        if not claim(walk, index, units):
            return b"two records overlap, or one ends outside of the tree"
        walk.endings[index >> 6] |= <uint64_t>1 << (index & 63)
        walk.found.units += units
        if ending.mark:
            return b"a block has something where there should be nothing"
        if walk.whole:
            ending.next = 0
        clear_rest(walk, <uint8_t *>ending, sizeof(Ending) + 8 * general.players, units)
        for player in range(general.players):
            if not (is_value_sum(walk, values[player], 1) if general.scored else 0 <= values[player] <= 1):
                return b"a finished game has an impossible value"
    if walk.rules.general == NULL:
        return NULL
    walk.path[level] = move
    if not look_at(walk, level + 1, False) or general.position.kind != KIND_OVER:
        return b"a terminal link stands where the game goes on"
    for player in range(general.players):
        if values[player] != general.position.values[player]:
            return b"a terminal link has the wrong result"
    return NULL


cdef inline bint is_decided(const Walk *walk, uint32_t link) noexcept nogil:
    """Whether a child, which selection never takes, is proven."""
    cdef uint32_t index = link & WIDE_INDEX
    if not (<GeneralTree *>walk.tree).options.solver:
        return False
    if link & LINK_KIND == LINK_BLOCK:
        return fits(walk, index, 1) and is_proven_block(general_block(<GeneralTree *>walk.tree, index))
    return is_proven_link(link) or (link & LINK_KIND == LINK_TERMINAL
                                    and fits(walk, index, ending_units(<GeneralTree *>walk.tree)))


cdef inline bint is_prior(float prior) noexcept nogil:
    return 0 <= prior <= 1.001


cdef inline const char *check_general_child(Walk *walk, const GeneralColumns *columns, uint32_t slot, uint32_t level,
                                            uint32_t most) noexcept nogil:
    cdef uint32_t link = columns.links[slot], visits = columns.visits[slot]
    if visits > (most if walk.rules.alone else walk.tree.most_visits):
        return b"a child has more visits than its node"
    if columns.sums != NULL and not is_value_sum(walk, columns.sums[slot], visits):
        return b"a child has impossible wins"
    if columns.priors != NULL and not is_prior(columns.priors[slot]):
        if columns.priors[slot] != SEL_EXCLUDED or not is_decided(walk, link):
            return b"a prior is impossible"
    if is_proven_link(link):
        if not (<GeneralTree *>walk.tree).options.solver or link & ~LINK_PROVEN > (
                <uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 2) or result_of(link) > 2:
            return b"a child has an impossible proof"
        return NULL
    if link & LINK_KIND == LINK_TERMINAL:
        return check_ending(walk, link, level, columns.moves[slot])
    if link and link & LINK_KIND != LINK_BLOCK:
        return b"a link is of no kind that there is"
    return NULL


cdef inline const char *check_room(Walk *walk, GeneralBlock *block, const GeneralColumns *columns,
                                   uint32_t units) noexcept nogil:
    """The columns beyond the last child, which selection reads."""
    cdef uint32_t slot
    cdef uint32_t end = capacity_for(columns.total)
    for slot in range(columns.count, columns.capacity):
        if columns.sums != NULL and (columns.visits[slot] != 1 or columns.sums[slot] != GENERAL_PADDING):
            return b"a slot without a child is not empty"
        if walk.whole:
            columns.links[slot] = 0
            if columns.sums == NULL:
                columns.visits[slot] = 0
    for slot in range(columns.total, end):
        if columns.priors != NULL and columns.priors[slot] != 0:
            return b"a slot without a move is not empty"
        if walk.whole:
            columns.moves[slot] = 0
            if columns.sums == NULL:
                columns.limits[slot] = 0
    clear_rest(walk, <uint8_t *>block, <uint8_t *>(columns.limits + (
        end if columns.sums == NULL or columns.priors != NULL else 0)) - <uint8_t *>block, units)
    return NULL


cdef inline const char *check_totals(const Walk *walk, GeneralBlock *block, uint32_t most) noexcept nogil:
    """What a block says of its own node."""
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    cdef uint32_t player
    if block.visits > most:
        return b"a block has more visits than its node"
    if block.valued > block.visits:
        return b"a block has more values than visits"
    for player in range(general.players):
        if not is_value_sum(walk, totals_of(block)[player], block.valued):
            return b"a block has impossible values"
        if general.scored and not is_value_sum(walk, rewards_of(general, block)[player], 1):
            return b"a block has an impossible reward"
        if general.bounded and not 0 <= low_of(general, block)[player] <= high_of(general, block)[player] <= 1:
            return b"a block has impossible bounds"
    return NULL


cdef inline const char *check_general_block(Walk *walk, uint32_t index, uint32_t level, uint32_t visits) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    cdef GeneralBlock *block = <GeneralBlock *>arena_at(&walk.tree.arena, index)
    cdef GeneralColumns columns
    cdef uint32_t units, slot, own
    cdef uint64_t sum = 0
    cdef const char *fault
    if not fits(walk, index, 1):
        return b"a link leads out of the tree"
    if block.count == 0 or block.count > MAX_SLOTS:
        return b"a block has an impossible number of slots"
    if not CHANCE_PLAYER <= block.player < <int>general.players or (level == 0 and block.player < 0):
        return b"a block has no player"
    if block.proof and (level == 0 or not general.options.solver or not is_proven_block(block)) and not (
            block.proof == 255 and block.player < 0):
        return b"a block has an impossible proof"
    if block.closed > block.count or (block.closed and (
            level == 0 or block.player < 0 or not general.options.puct or general.options.gumbel)):
        return b"a block has not the statistics of its moves"
    units = general_size(general, block)
    if not claim(walk, index, units):
        return b"two records overlap, or one ends outside of the tree"
    walk.found.units += units
    own = 1 if general.options.puct and block.player >= 0 else 0  # its evaluation, which is no visit of the root
    fault = check_totals(walk, block, (visits + (own if level == 0 else 0)) if walk.rules.alone
                         else 2 * walk.tree.most_visits)
    if fault != NULL:
        return fault
    if block.valued < own:
        return b"a block has no evaluation"
    columns = general_columns(general, block)
    if walk.rules.general != NULL:
        fault = check_position(walk, block, &columns, level)
    walk.mark += 1  # of a new list
    for slot in range(block.count):
        if fault == NULL:
            fault = check_move(walk, columns.moves[slot])
        if fault == NULL and slot < columns.count:
            fault = check_general_child(walk, &columns, slot, level, block.visits)
        elif fault == NULL and not is_prior(columns.priors[slot]):
            fault = b"a prior is impossible"
        if fault != NULL:
            return fault
        if slot >= columns.count:
            continue
        sum += columns.visits[slot]
        walk.found.nodes += columns.visits[slot] > 0
        if block.player < 0 and columns.limits[slot] > CERTAIN:
            return b"an outcome has an impossible probability"
        if block.player < 0 and slot and columns.limits[slot] < columns.limits[slot - 1]:
            return b"an outcome has an impossible probability"
    if sum + own > block.visits and walk.rules.alone and not (
            general.options.solver or general.bounded):  # a visit may count for a proven move, too
        return b"the children of a node have more visits than the node"
    if block.player < 0 and columns.limits[block.count - 1] != CERTAIN:
        return b"an outcome has an impossible probability"
    if block.count > walk.found.widest:
        walk.found.widest = block.count
    return check_room(walk, block, &columns, units)


cdef inline const char *check_general_top(Walk *walk) noexcept nogil:
    """Block 0, which stands above the root."""
    cdef GeneralTree *general = <GeneralTree *>walk.tree
    cdef GeneralBlock *block = <GeneralBlock *>walk.tree.arena.base
    cdef GeneralColumns columns
    cdef uint32_t units = general_units(general, 1, 1, True)
    if not claim(walk, 0, units) or block.player != CHANCE_PLAYER or block.count != 1 or block.closed:
        return b"the tree has no beginning"
    walk.found.units += units
    columns = general_columns(general, block)
    if columns.limits[0] != CERTAIN or columns.moves[0] or block.visits != columns.visits[0]:
        return b"the tree has no beginning"
    if columns.links[0] & LINK_KIND != LINK_BLOCK:
        return b"the root has an impossible link"
    check_room(walk, block, &columns, units)
    return check_totals(walk, block, walk.tree.most_visits)
