"""The search tree of general games: selection by UCB1 or PUCT for whoever moves, chance by its probabilities, leaves by
rollouts or by evaluations that come in batches. The layout is drawn in ``tree/general_tree.pxd``.

Every player maximises his own value: max^n (Luckhardt and Irani, AAAI 1986), in UCT by Sturtevant ("An Analysis of UCT
in Multi-player Games", CG 2008). UCB1 is that of Auer, Cesa-Bianchi and Fischer (Machine Learning 47, 2002), PUCT and
the noise of the root those of Silver et al. (Nature 550, 2017; Science 362, 2018). This module is compiled once per
instruction set. It is long because searches by rollouts and by evaluations share selection and backup.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrt, sqrtf
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from mcts_core.arena cimport arena_allocate, arena_free
from mcts_core.tree.dirichlet cimport dirichlet
from mcts_core.game cimport mcts_rng_next
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_DECISION, KIND_OVER, GeneralPosition, GeneralRules
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.plain_tree cimport (FIRST_PATH, LAYOUT_GENERAL, LINK_BLOCK, LINK_KIND, LINK_TERMINAL,
                                        MAX_ITERATIONS, MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY,
                                        RUN_SYSTEM_MEMORY, WIDE_INDEX, Tree, TreeRoot, begin_search, path_reserve)
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint)
    bint MCTS_UNLIKELY(bint)


cdef extern from "kernels/selection/ucb1.h" nogil:
    void ucb_fill_ln()
    float ucb_scale(const float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/puct.h" nogil:
    uint32_t general_puct(uint32_t capacity, const uint32_t *visits, const double *sums, const float *priors,
                          float scale, float urgency)


cdef extern from "kernels/selection/ucb1_columns.h" nogil:
    uint32_t general_ucb1(uint32_t capacity, const uint32_t *visits, const double *sums, float scale, float urgency)


cdef enum:
    ENDINGS_COMPARED = 16    # the latest records of finished games that a new one is compared with
    NO_LEAF = 0

cdef float UNTRIED = 1e20    # the score of a child without a visit where no first-play urgency is given
cdef float LARGEST = 3.4028234e38
cdef double EQUAL = 1e-9      # share of the larger one by which equal scores may differ by rounding
cdef double TOLERANCE = 1e-4  # by which rounding may take the value of a network out of its range

cdef GeneralOps ops

assert sizeof(GeneralBlock) == GENERAL_HEADER and sizeof(Ending) == sizeof(double)


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void general_destroy(Tree *tree) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    if general == NULL:
        return
    free(general.entries)
    free(general.position.moves)
    free(general.position.actions)
    free(general.position.probabilities)
    free(general.position.values)
    free(general.position.rewards)
    free(general.noise)
    free_tree(tree)


cdef Tree *general_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(GeneralTree), LAYOUT_GENERAL, &ops.tree, bytes)


cdef bint entry_room(GeneralTree *general) noexcept nogil:
    if general.entry_count < general.entry_room:
        return True
    if not room_for(<void **>&general.entries, (2 * general.entry_room + 16) * sizeof(GeneralEntry)):
        return False
    general.entry_room = 2 * general.entry_room + 16
    return True


cdef bint position_room(GeneralTree *general, uint32_t count) noexcept nogil:
    if count <= general.position.capacity:
        return True
    if not (room_for(<void **>&general.position.moves, count * sizeof(uint32_t))
            and room_for(<void **>&general.position.actions, count * sizeof(uint32_t))
            and room_for(<void **>&general.position.probabilities, count * sizeof(double))
            and room_for(<void **>&general.noise, count * sizeof(double))):
        return False
    general.position.capacity = count
    return True


cdef bint general_reserve(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    if general.position.values == NULL and not (
            room_for(<void **>&general.position.values, MAX_PLAYERS * sizeof(double))
            and room_for(<void **>&general.position.rewards, MAX_PLAYERS * sizeof(double))):
        return False
    return path_reserve(tree, levels) and position_room(general, count)


cdef void general_refresh(Tree *tree, uint32_t index, uint32_t visits, uint32_t reference) noexcept nogil:
    """Does nothing: this tree finds the best child when selection asks for it."""


cdef int general_reset(Tree *tree, const TreeRoot *root, const void *given, uint64_t seed, bint _) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef const GeneralOptions *options = <const GeneralOptions *>given
    cdef GeneralBlock *top
    cdef int status
    cdef uint32_t index
    set_exploration(tree, options.exploration)
    if (not empty_arena(tree, GENERAL_UNIT, tree.arena.reserved, WIDE_INDEX)
            or not general_reserve(tree, FIRST_PATH, 64)):
        return RUN_SYSTEM_MEMORY
    tree.rollouts_per_leaf = 1
    tree.half = 0.5
    general.best = -LARGEST_SUM
    general.rules = <const GeneralRules *>root.rules
    general.options = options[0]
    general.players = general.rules.players
    general.scored = general.rules.scored
    general.header = header_for(general.players, general.scored)
    forget_range(general)
    begin_search(tree, seed)
    general.path_used = general.entry_count = general.waiting = general.collisions = 0
    general.last_ending = 0
    general.fault = FAULT_NONE
    # Block 0 stands above the root and has one child, the root.
    tree.arena.top = general_units(general, 1, True)
    top = general_block(general, 0)
    memset(top, 0, tree.arena.top * GENERAL_UNIT)
    top.player = CHANCE_PLAYER
    top.count = 1
    general_columns(general, top).limits[0] = CERTAIN
    status = look(general, 0, 0, True)
    if status == RUN_DONE and general.position.kind != KIND_DECISION:
        status = RUN_GAME_ERROR
    if status != RUN_DONE:
        return status
    index = new_block(general)
    if index == 0:
        return RUN_MEMORY
    general_columns(general, top).links[0] = (LINK_WAITS if options.puct else LINK_BLOCK) | index
    return RUN_DONE


cdef void general_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    general.rules = <const GeneralRules *>root.rules
    begin_search(tree, seed)
    tree.reused = general_columns(general, general_block(general, 0)).visits[0]
    if moved and general.scored:
        see_again(general)
    if moved and general.options.puct and general.options.noise_alpha > 0:
        add_noise(general, general_block(general, general_root(general) & WIDE_INDEX))


# ---- the rules -------------------------------------------------------------------------------------------------------

cdef int look(GeneralTree *general, uint32_t start, uint32_t length, bint listed) noexcept nogil:
    """Describes the position at the end of a path."""
    cdef int32_t returned
    while True:
        returned = general.rules.look(general.rules.context, general.tree.path_move + start, length, listed,
                                      &general.position)
        if returned < 0 or (listed and general.position.kind != KIND_OVER
                            and not 1 <= general.position.count <= MAX_SLOTS):
            return RUN_GAME_ERROR
        if not listed or general.position.kind == KIND_OVER or general.position.count <= general.position.capacity:
            return RUN_DONE
        if not position_room(general, general.position.count):
            return RUN_SYSTEM_MEMORY


cdef uint32_t new_block(GeneralTree *general) noexcept nogil:
    """Makes a block for the position that was just described; 0 when the arena is full.

    In a search with priors their column holds the actions until the priors arrive.
    """
    cdef const GeneralPosition *position = &general.position
    cdef bint chance = position.kind == KIND_CHANCE
    cdef uint32_t units = general_units(general, position.count, chance), slot
    cdef uint32_t index = arena_allocate(&general.tree.arena, units)
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    if MCTS_UNLIKELY(index == 0):
        return 0
    block = general_block(general, index)
    memset(block, 0, <uint64_t>units * GENERAL_UNIT)
    block.count = position.count
    block.player = CHANCE_PLAYER if chance else <int16_t>position.player
    if general.scored:
        memcpy(rewards_of(general, block), position.rewards, 8 * general.players)
    columns = general_columns(general, block)
    for slot in range(position.count):
        columns.moves[slot] = position.moves[slot]
    if not chance:
        for slot in range(position.count, columns.capacity):
            columns.visits[slot] = 1
            columns.sums[slot] = GENERAL_PADDING
    if chance:
        set_limits(position.probabilities, position.count, columns.limits)
    elif general.options.puct:
        for slot in range(position.count):
            columns.limits[slot] = position.actions[slot]
    return index


cdef uint32_t ending_of(GeneralTree *general) noexcept nogil:
    """The record of the values that were just reported, made if needed; 0 when the arena is full.

    Most games end in few ways, so leaves with equal values share a record while it is among the latest.
    """
    cdef const double *values = general.position.values
    cdef uint32_t index = general.last_ending, player
    cdef int _
    cdef Ending *ending
    cdef double *known
    for _ in range(ENDINGS_COMPARED):
        if index == 0:
            break
        ending = <Ending *>general_block(general, index)
        known = <double *>ending + 1
        for player in range(general.players):
            if known[player] != values[player]:
                break
        else:
            return index
        index = ending.next
    index = arena_allocate(&general.tree.arena, ending_units(general))
    if index == 0:
        return 0
    ending = <Ending *>general_block(general, index)
    memset(ending, 0, ending_units(general) * GENERAL_UNIT)
    ending.next = general.last_ending
    memcpy(<double *>ending + 1, values, 8 * general.players)
    general.last_ending = index
    return index


# ---- selection -------------------------------------------------------------------------------------------------------

cdef inline uint32_t draw_outcome(GeneralTree *general, const GeneralColumns *columns) noexcept nogil:
    """Draws an outcome of a chance node by its probability."""
    cdef uint32_t number = <uint32_t>(mcts_rng_next(&general.tree.rng) >> 33), slot = 0
    while slot + 1 < columns.count and number >= columns.limits[slot]:
        slot += 1
    return slot


cdef inline uint32_t best_by_priors(const GeneralTree *general, GeneralBlock *block,
                                    const GeneralColumns *columns) noexcept nogil:
    cdef float urgency, scale = general.options.c_puct * sqrtf(<float>block.visits)
    if general.options.has_fpu:
        urgency = general.options.fpu
    else:
        urgency = <float>(totals_of(block)[block.player] / <double>block.valued)
    return general_puct(columns.capacity, columns.visits, columns.sums, columns.priors, scale, urgency)


cdef inline uint32_t best_by_bound(const GeneralTree *general, GeneralBlock *block,
                                   const GeneralColumns *columns) noexcept nogil:
    cdef float scale = ucb_scale(general.tree.scales, general.options.exploration, block.visits if block.visits else 1)
    if MCTS_UNLIKELY(general.scored):
        return best_of_scored(general, block, columns, scale)
    return general_ucb1(columns.capacity, columns.visits, columns.sums, scale,
                        general.options.fpu if general.options.has_fpu else UNTRIED)


# ---- scored games ----------------------------------------------------------------------------------------------------
#
# Values are any numbers there, and how large they are is known only from those that were seen. So selection takes means
# between the lowest and the highest one (Schrittwieser et al., "MuZero", Nature 588, 2020, appendix B), in float64: a
# vector kernel in single precision would lose small differences of large scores.

cdef inline void forget_range(GeneralTree *general) noexcept nogil:
    cdef uint32_t player
    for player in range(general.players):
        general.low[player] = LARGEST_SUM
        general.high[player] = -LARGEST_SUM


cdef inline void see(GeneralTree *general, int16_t player, double mean) noexcept nogil:
    if mean < general.low[player]:
        general.low[player] = mean
    if mean > general.high[player]:
        general.high[player] = mean


cdef inline double span_of(const GeneralTree *general, int16_t player) noexcept nogil:
    """From the lowest to the highest value; 1 where all are equal but for rounding."""
    cdef double low = general.low[player], high = general.high[player]
    return high - low if high - low > EQUAL * max(abs(low), abs(high)) else 1.0


cdef uint32_t best_of_scored(const GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                             double scale) noexcept nogil:
    """UCB1 with means from 0 to 1, of the range that was seen. Ties go to the lowest slot."""
    cdef double low = general.low[block.player], factor = 1.0 / span_of(general, block.player)
    cdef double score, top = -LARGEST_SUM
    cdef uint32_t slot, best = 0, visits
    for slot in range(columns.count):
        visits = columns.visits[slot]
        if visits == 0:
            score = general.options.fpu if general.options.has_fpu else UNTRIED
        else:
            score = (columns.sums[slot] / visits - low) * factor + scale / sqrt(<double>visits)
        if score > top:
            top = score
            best = slot
    return best


cdef inline double leaf_value(const GeneralTree *general, uint32_t player, double value) noexcept nogil:
    """The value of the move that led to the position of the last look, of a value of that."""
    return general.position.rewards[player] + general.rules.discount * value if general.scored else value


cdef void add_rewards(GeneralTree *general) noexcept nogil:
    """Makes the values of a finished game those of the move that led to its end."""
    cdef uint32_t player
    for player in range(general.players):
        general.position.values[player] = leaf_value(general, player, general.position.values[player])


cdef bint keep_better(GeneralTree *general, uint32_t length, double value, bint rolled) noexcept nogil:
    """Keeps the path, and the rollout from its end, where it gives more than any line before. ``value``: of its last
    move. False: the rules report an error."""
    cdef uint32_t at = length
    while at > 1 and general.scored:
        at -= 1
        value = carried(general, <GeneralBlock *>general.tree.path_record[at], 0, value)
    if not value > general.best:
        return True
    general.best = value
    return general.rules.keep(general.rules.context, general.tree.path_move, length, rolled) >= 0


cdef void backup_scored(GeneralTree *general, uint32_t start, uint32_t length, const double *values) noexcept nogil:
    """Ends an iteration, from its last move to the root. ``values``: of the last move."""
    cdef double value[MAX_PLAYERS]
    cdef uint32_t at = start + length, player, slot
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    memcpy(value, values, 8 * general.players)
    while at > start:
        at -= 1
        block = <GeneralBlock *>general.tree.path_record[at]
        add_values(general, block, value)
        if block.player >= 0:
            columns = general_columns(general, block)
            slot = general.tree.path_slot[at]
            columns.sums[slot] += value[block.player]
            see(general, block.player, columns.sums[slot] / columns.visits[slot])
        if at > start:
            for player in range(general.players):
                value[player] = carried(general, block, player, value[player])
    block = general_block(general, 0)
    general_columns(general, block).visits[0] += 1
    block.visits += 1
    add_values(general, block, value)
    count_iteration(general, length)


cdef void see_again(GeneralTree *general) noexcept nogil:
    """Finds the range of the values below a new root, which the whole tree's would be too wide for."""
    cdef uint32_t length = 0, slot = 0, link
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns
    forget_range(general)
    while True:
        columns = general_columns(general, block)
        if slot == columns.count:
            if length == 0:
                return
            length -= 1
            block = <GeneralBlock *>general.tree.path_record[length]
            slot = general.tree.path_slot[length] + 1
            continue
        if block.player >= 0 and columns.visits[slot]:
            see(general, block.player, columns.sums[slot] / columns.visits[slot])
        link = columns.links[slot]
        if link & LINK_KIND == LINK_BLOCK and path_reserve(&general.tree, length + 1):
            general.tree.path_record[length] = <uint8_t *>block
            general.tree.path_slot[length] = slot
            length += 1
            block = general_block(general, link & WIDE_INDEX)
            slot = 0
        else:
            slot += 1


# ---- descent and backup ----------------------------------------------------------------------------------------------

cdef inline uint32_t step(GeneralTree *general, uint32_t index, uint32_t at) noexcept nogil:
    """Selects at the block ``index``, writes entry ``at`` of the path, counts the visit; returns the child's link.

    Until its value comes the visit counts as lost: the virtual loss of a leaf that waits.
    """
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot
    if block.player < 0:
        slot = draw_outcome(general, &columns)
    elif general.options.puct:
        slot = best_by_priors(general, block, &columns)
    else:
        slot = best_by_bound(general, block, &columns)
    general.tree.path_record[at] = <uint8_t *>block
    general.tree.path_slot[at] = slot
    general.tree.path_move[at] = columns.moves[slot]
    block.visits += 1
    columns.visits[slot] += 1
    return columns.links[slot]


cdef void undo(GeneralTree *general, uint32_t start, uint32_t length) noexcept nogil:
    """Takes back the visits of a descent."""
    cdef uint32_t at
    cdef GeneralBlock *block
    for at in range(start, start + length):
        block = <GeneralBlock *>general.tree.path_record[at]
        block.visits -= 1
        general_columns(general, block).visits[general.tree.path_slot[at]] -= 1


cdef inline void add_values(const GeneralTree *general, GeneralBlock *block, const double *values) noexcept nogil:
    cdef double *totals = totals_of(block)
    cdef uint32_t player
    for player in range(general.players):
        totals[player] += values[player]
    block.valued += 1


cdef inline void count_iteration(GeneralTree *general, uint32_t length) noexcept nogil:
    general.tree.iterations += 1
    general.tree.depth_sum += length
    if length > general.tree.depth_max:
        general.tree.depth_max = length


cdef void backup(GeneralTree *general, uint32_t start, uint32_t length, const double *values) noexcept nogil:
    """Ends an iteration: adds its values to the nodes of its path."""
    cdef uint32_t at
    cdef GeneralBlock *block = general_block(general, 0)
    if MCTS_UNLIKELY(general.scored):
        backup_scored(general, start, length, values)
        return
    general_columns(general, block).visits[0] += 1
    block.visits += 1
    add_values(general, block, values)
    for at in range(start, start + length):
        block = <GeneralBlock *>general.tree.path_record[at]
        add_values(general, block, values)
        if block.player >= 0:
            general_columns(general, block).sums[general.tree.path_slot[at]] += values[block.player]
    count_iteration(general, length)


cdef inline void set_link(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    """Changes the link of the child at the end of a path whose last entry is ``at``."""
    general_columns(general, <GeneralBlock *>general.tree.path_record[at]).links[general.tree.path_slot[at]] = link


# ---- searches by rollouts --------------------------------------------------------------------------------------------

cdef int roll_out(GeneralTree *general, uint32_t length) noexcept nogil:
    """Runs rollouts from the position of the last look and backs up their mean."""
    cdef double mean[MAX_PLAYERS]
    cdef double value
    cdef uint32_t player, rollouts = general.options.rollouts_per_leaf, _
    memset(mean, 0, sizeof(mean))
    for _ in range(rollouts):
        if general.rules.rollout(general.rules.context, &general.tree.rng, general.position.values) < 0:
            return RUN_GAME_ERROR
        if general.options.keeps_line:
            value = leaf_value(general, 0, general.position.values[0])
            if not keep_better(general, length, value, True):
                return RUN_GAME_ERROR
        for player in range(general.players):
            mean[player] += general.position.values[player]
    for player in range(general.players):
        mean[player] /= rollouts
        if general.scored:
            mean[player] = leaf_value(general, player, mean[player])
    general.tree.rollouts += rollouts
    backup(general, 0, length, mean)
    return RUN_DONE


cdef int iterate(GeneralTree *general) noexcept nogil:
    cdef uint32_t index = general_root(general) & WIDE_INDEX, length = 0, link, kind, child, seen
    cdef int status = RUN_DONE
    while True:
        if MCTS_UNLIKELY(not path_reserve(&general.tree, length + 1)):
            status = RUN_SYSTEM_MEMORY
            break
        link = step(general, index, length)
        length += 1
        kind = link & LINK_KIND
        if kind == LINK_BLOCK:
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            if general.options.keeps_line and not keep_better(general, length, ending_values(general, link)[0], False):
                status = RUN_GAME_ERROR
                break
            backup(general, 0, length, ending_values(general, link))
            return RUN_DONE
        seen = general_columns(general, general_block(general, index)).visits[general.tree.path_slot[length - 1]] - 1
        status = look(general, 0, length, seen > 0)
        if status != RUN_DONE:
            break
        if general.position.kind == KIND_CHANCE and seen == 0:  # chance is no leaf: the iteration goes on below it
            status = look(general, 0, length, True)
            if status != RUN_DONE:
                break
        if general.position.kind == KIND_OVER:
            if general.scored:
                add_rewards(general)
            child = ending_of(general)
            if child == 0:
                status = RUN_MEMORY
                break
            if general.options.keeps_line and not keep_better(general, length, general.position.values[0], False):
                status = RUN_GAME_ERROR
                break
            general.tree.nodes += seen == 0
            set_link(general, length - 1, LINK_TERMINAL | child)
            backup(general, 0, length, ending_values(general, LINK_TERMINAL | child))
            return RUN_DONE
        if seen == 0 and general.position.kind != KIND_CHANCE:
            status = roll_out(general, length)
            if status != RUN_DONE:
                break
            general.tree.nodes += 1
            return RUN_DONE
        index = new_block(general)
        if index == 0:
            status = RUN_MEMORY
            break
        general.tree.nodes += seen == 0
        general_block(general, index).visits = seen
        set_link(general, length - 1, LINK_BLOCK | index)
    undo(general, 0, length)
    return status


cdef inline uint32_t room_left(const GeneralTree *general, uint32_t count) noexcept nogil:
    """``count`` iterations, or as many as the counters have room for."""
    return min(count, <uint32_t>MAX_ITERATIONS - general.tree.reused - general.tree.iterations)


cdef int general_run(Tree *tree, uint32_t count) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef uint32_t _
    cdef int status
    count = room_left(general, count)
    for _ in range(count):
        status = iterate(general)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
    return RUN_DONE


# ---- searches by evaluations -----------------------------------------------------------------------------------------

cdef int enter(GeneralTree *general, uint32_t length, uint32_t leaf, bint fresh) noexcept nogil:
    """Adds the path that was just walked to the batch."""
    cdef GeneralEntry *entry
    if not entry_room(general):
        return RUN_SYSTEM_MEMORY
    entry = &general.entries[general.entry_count]
    entry.start = general.path_used
    entry.length = length
    entry.leaf = leaf
    entry.fresh = fresh
    general.entry_count += 1
    general.path_used += length
    if leaf:
        general.waiting += 1
    else:
        general.collisions += 1
    return RUN_DONE


cdef int descend(GeneralTree *general, float *row) noexcept nogil:
    """One descent: to a finished game, which is backed up at once, or to a leaf that then waits."""
    cdef uint32_t index = general_root(general) & WIDE_INDEX, start = general.path_used, length = 0, link, kind, child
    cdef bint fresh
    cdef int status
    while True:
        if MCTS_UNLIKELY(not path_reserve(&general.tree, start + length + 1)):
            status = RUN_SYSTEM_MEMORY
            break
        link = step(general, index, start + length)
        length += 1
        kind = link & LINK_KIND
        if MCTS_LIKELY(kind == LINK_BLOCK):
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            backup(general, start, length, ending_values(general, link))
            return RUN_DONE
        if kind == LINK_WAITS:
            status = enter(general, length, NO_LEAF, False)
            if status != RUN_DONE:
                break
            return RUN_DONE
        status = look(general, start, length, True)
        if status != RUN_DONE:
            break
        fresh = general_columns(general, general_block(general, index)).visits[
            general.tree.path_slot[start + length - 1]] == 1
        if general.position.kind == KIND_OVER:
            child = ending_of(general)
            if child == 0:
                status = RUN_MEMORY
                break
            general.tree.nodes += fresh
            set_link(general, start + length - 1, LINK_TERMINAL | child)
            backup(general, start, length, ending_values(general, LINK_TERMINAL | child))
            return RUN_DONE
        child = new_block(general)
        if child == 0:
            status = RUN_MEMORY
            break
        if general.position.kind == KIND_CHANCE:
            general.tree.nodes += fresh
            set_link(general, start + length - 1, LINK_BLOCK | child)
            index = child
            continue
        status = wait(general, length, child, fresh, row)
        if status != RUN_DONE:
            free_block(general, child)
            break
        set_link(general, start + length - 1, LINK_WAITS | child)
        return RUN_DONE
    undo(general, start, length)
    return status


cdef void free_block(GeneralTree *general, uint32_t index) noexcept nogil:
    """Gives back the block of a decision node that no link leads to."""
    arena_free(&general.tree.arena, index, general_units(general, general_block(general, index).count, False))


cdef int wait(GeneralTree *general, uint32_t length, uint32_t leaf, bint fresh, float *row) noexcept nogil:
    """Writes the observation of the position that was just described into ``row``, and adds its path to the batch."""
    cdef GeneralBlock *block = general_block(general, leaf)
    cdef int status
    if general.rules.observe(general.rules.context, row) < 0:
        return RUN_GAME_ERROR
    status = enter(general, length, leaf, fresh)
    if status == RUN_DONE:
        block.visits = 1
    return status


cdef int general_gather(GeneralTree *general, uint32_t count, float *observations, uint64_t stride) noexcept nogil:
    cdef int status = RUN_DONE
    cdef uint32_t most = general.options.batch, end
    general.path_used = general.entry_count = general.waiting = general.collisions = 0
    count = room_left(general, count)
    if root_waits(general):
        status = look(general, 0, 0, True)
        if status == RUN_DONE:
            status = wait(general, 0, general_root(general) & WIDE_INDEX, True, observations)
        return status
    end = general.tree.iterations + count
    while general.waiting < most and general.collisions < most and general.tree.iterations + general.waiting < end:
        status = descend(general, NULL if observations == NULL else observations + general.waiting * stride)
        if MCTS_UNLIKELY(status != RUN_DONE):
            break
        if general.tree.iterations - (end - count) >= most:
            # a batch of finished games alone must end, too: the loop looks at the clock in between
            break
    return status


cdef void general_retract(GeneralTree *general) noexcept nogil:
    cdef uint32_t number
    cdef const GeneralEntry *entry
    for number in range(general.entry_count):
        entry = &general.entries[number]
        undo(general, entry.start, entry.length)
        if entry.leaf and entry.length == 0:
            general_block(general, entry.leaf).visits = 0
        elif entry.leaf:
            set_link(general, entry.start + entry.length - 1, 0)
            free_block(general, entry.leaf)
    general.entry_count = general.waiting = general.collisions = general.path_used = 0


cdef int fault_of(GeneralTree *general, int fault, uint32_t row, uint32_t slot, uint32_t action,
                  double number) noexcept nogil:
    general.fault = fault
    general.fault_row = row
    general.fault_slot = slot
    general.fault_action = action
    general.fault_number = number
    return fault


cdef int check(GeneralTree *general, const GeneralEvaluation *evaluation) noexcept nogil:
    """Checks the numbers of an evaluation before anything changes."""
    cdef uint32_t number, row = 0, slot, action
    cdef const float *policy
    cdef float value
    cdef GeneralColumns columns
    for number in range(general.entry_count):
        if general.entries[number].leaf == NO_LEAF:
            continue
        if evaluation.policy != NULL:
            policy = evaluation.policy + <uint64_t>row * evaluation.width
            columns = general_columns(general, general_block(general, general.entries[number].leaf))
            for slot in range(columns.count):
                action = columns.limits[slot]
                if action >= evaluation.width:
                    return fault_of(general, FAULT_ACTION, row, slot, action, 0)
                if not 0 <= policy[action] <= LARGEST:
                    return fault_of(general, FAULT_PRIOR, row, slot, action, policy[action])
        for slot in range(evaluation.value_width):
            value = evaluation.values[<uint64_t>row * evaluation.value_width + slot]
            if not -1 - TOLERANCE <= value <= 1 + TOLERANCE:
                return fault_of(general, FAULT_VALUE, row, slot, 0, value)
        row += 1
    return FAULT_NONE


cdef void set_priors(GeneralTree *general, GeneralBlock *block, const float *policy) noexcept nogil:
    """Sets the priors: the policy of the legal moves, divided by its sum; where that is 0, all moves get the same."""
    cdef GeneralColumns columns = general_columns(general, block)
    cdef double sum = 0.0
    cdef uint32_t slot
    if policy != NULL:
        for slot in range(columns.count):
            sum += policy[columns.limits[slot]]
    for slot in range(columns.count):
        if sum > 0:
            columns.priors[slot] = <float>(policy[columns.limits[slot]] / sum)
        else:
            columns.priors[slot] = <float>(1.0 / columns.count)


cdef void add_noise(GeneralTree *general, GeneralBlock *block) noexcept nogil:
    cdef GeneralColumns columns = general_columns(general, block)
    cdef double weight = general.options.noise_weight
    cdef uint32_t slot
    dirichlet(&general.tree.rng, general.options.noise_alpha, columns.count, general.noise)
    for slot in range(columns.count):
        columns.priors[slot] = <float>((1.0 - weight) * columns.priors[slot] + weight * general.noise[slot])


cdef inline double share(double value) noexcept nogil:
    """Scales a value from -1 to 1 to one from 0 to 1."""
    return 0.0 if value <= -1.0 else 1.0 if value >= 1.0 else 0.5 + 0.5 * value


cdef int general_resolve(GeneralTree *general, const GeneralEvaluation *evaluation) noexcept nogil:
    cdef uint32_t number, row = 0, player
    cdef const GeneralEntry *entry
    cdef GeneralBlock *block
    cdef const float *value
    cdef const float *policy
    cdef double values[MAX_PLAYERS]
    if evaluation.rows != general.waiting:
        return fault_of(general, FAULT_VALUE, 0, 0, 0, 0)
    if check(general, evaluation) != FAULT_NONE:
        return general.fault
    for number in range(general.entry_count):
        entry = &general.entries[number]
        if entry.leaf == NO_LEAF:
            undo(general, entry.start, entry.length)
            continue
        block = general_block(general, entry.leaf)
        value = evaluation.values + <uint64_t>row * evaluation.value_width
        for player in range(general.players):
            if evaluation.value_width > 1:
                values[player] = share(value[player])
            else:
                values[player] = share(value[0] if player == <uint32_t>block.player else -value[0])
        policy = evaluation.policy
        if policy != NULL:
            policy += <uint64_t>row * evaluation.width
        set_priors(general, block, policy)
        add_values(general, block, values)
        general.tree.rollouts += 1
        row += 1
        if entry.length == 0:
            general_columns(general, general_block(general, 0)).links[0] = LINK_BLOCK | entry.leaf
            if general.options.noise_alpha > 0:
                add_noise(general, block)
            continue
        general.tree.nodes += entry.fresh
        set_link(general, entry.start + entry.length - 1, LINK_BLOCK | entry.leaf)
        backup(general, entry.start, entry.length, values)
    general.entry_count = general.waiting = general.collisions = general.path_used = 0
    return FAULT_NONE


ops.tree.create = general_create
ops.tree.destroy = general_destroy
ops.tree.reset = general_reset
ops.tree.resume = general_resume
ops.tree.run = general_run
ops.tree.reserve = general_reserve
ops.tree.refresh = general_refresh
ops.gather = general_gather
ops.resolve = general_resolve
ops.retract = general_retract

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
