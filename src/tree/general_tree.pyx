"""The search tree of general games: selection by UCB1 or PUCT for whoever moves, chance by its probabilities, leaves by
rollouts or by evaluations that come in batches. The layout is drawn in ``tree/general_tree.pxd``.

Every player maximises his own value: max^n (Luckhardt and Irani, AAAI 1986), in UCT by Sturtevant ("An Analysis of UCT
in Multi-player Games", CG 2008). UCB1 is that of Auer, Cesa-Bianchi and Fischer (Machine Learning 47, 2002), PUCT and
the noise of the root those of Silver et al. (Nature 550, 2017; Science 362, 2018), the other selection by priors that
of ``tree/gumbel.pxd``. This module is compiled once per instruction set. It is long because searches by rollouts and by
evaluations share selection and backup, and proofs are made in the middle of both.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrt, sqrtf
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset

from mcts_core.arena cimport arena_allocate, arena_free
from mcts_core.tree.dirichlet cimport dirichlet
from mcts_core.game cimport MCTS_NO_MOVE, mcts_interrupt, mcts_proof, mcts_raised, mcts_rng_next
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_DECISION, KIND_OVER, GeneralPosition, GeneralRules
from mcts_core.tree.general_proofs cimport points_for, points_of, proven_link, proven_value
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.gumbel cimport (best_by_halving, best_by_policy, complete_values, considered_visits, improve_policy,
                                    score_by_noise)
from mcts_core.tree.plain_tree cimport (FIRST_PATH, LAYOUT_GENERAL, LINK_BLOCK, LINK_KIND, LINK_TERMINAL,
                                        MAX_ITERATIONS, MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY,
                                        RUN_SOLVED, RUN_SYSTEM_MEMORY, WIDE_INDEX, Tree, TreeRoot, begin_search,
                                        path_reserve)
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


cdef extern from "kernels/selection/priors.h" nogil:
    const int PRIORS_TAKEN
    const int PRIORS_NO_ENTRY
    int priors_take(float *column, uint32_t count, const float *policy, uint32_t width, float *entries, double *sum,
                    uint32_t *fault)
    void priors_share(float *column, uint32_t count, double sum)
    uint32_t priors_highest(const float *column, uint32_t begin, uint32_t capacity)


cdef extern from "kernels/selection/ucb1_columns.h" nogil:
    uint32_t general_ucb1(uint32_t capacity, const uint32_t *visits, const double *sums, float scale, float urgency)


cdef enum:
    ENDINGS_COMPARED = 16    # the latest records of finished games that a new one is compared with
    NO_LEAF = 0
    ROOT_SLICE = 4096        # proof budget that the root's exact search spends at a time
    NO_SLOT = 0xFFFFFFFF
    FIRST_PROOF = 8          # visits of the root's most visited move when its exact search begins

cdef extern from *:
    """
    #define MCTS_DRAWN 0x80000000u
    """
    const uint32_t DRAWN "MCTS_DRAWN"  # in an entry of path_slot: selection passed over a proven draw


cdef float UNTRIED = 1e20    # the score of a child without a visit where no first-play urgency is given
cdef double EQUAL = 1e-9      # share of the larger one by which equal scores may differ by rounding
cdef double TOLERANCE = 1e-4  # by which rounding may take the value of a network out of its range

cdef GeneralOps ops

assert sizeof(GeneralBlock) == GENERAL_HEADER and sizeof(Ending) == sizeof(double)


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void general_destroy(Tree *tree) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    if general == NULL:
        return
    forget_prover(general)
    free(general.entries)
    free(general.position.moves)
    free(general.position.actions)
    free(general.position.probabilities)
    free(general.position.values)
    free(general.position.rewards)
    free(general.noise)
    free(general.root_scores)
    free(general.completed)
    free_tree(tree)


cdef Tree *general_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(GeneralTree), LAYOUT_GENERAL, &ops.tree, bytes)


cdef void forget_prover(GeneralTree *general) noexcept nogil:
    if general.prover != NULL:
        general.prover_game.guide.destroy_memory(general.prover_game.context, general.prover)
    general.prover = NULL


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
            and room_for(<void **>&general.noise, count * sizeof(double))
            and room_for(<void **>&general.root_scores, count * sizeof(double))
            and room_for(<void **>&general.completed, count * sizeof(double))):
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
    general.seed = seed
    forget_proof(general)
    if general.prover != NULL and (general.prover_game != general.rules.proving
                                   or general.prover_bytes != options.prover_bytes):
        forget_prover(general)
    if general.prover != NULL:
        general.prover_game.guide.clear_memory(general.prover_game.context, general.prover)
    general.path_used = general.entry_count = general.waiting = general.collisions = 0
    general.last_ending = 0
    general.fault = FAULT_NONE
    # Block 0 stands above the root and has one child, the root.
    tree.arena.top = general_units(general, 1, 1, True)
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
    index = new_block(general, True)
    if index == 0:
        return RUN_MEMORY
    general_columns(general, top).links[0] = (LINK_WAITS if options.puct else LINK_BLOCK) | index
    return RUN_DONE


cdef void general_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil:
    cdef GeneralTree *general = <GeneralTree *>tree
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef uint32_t distance
    cdef int32_t value
    general.rules = <const GeneralRules *>root.rules
    if general.prover != NULL and general.prover_game != general.rules.proving:
        forget_prover(general)
    begin_search(tree, seed)
    general.seed = seed
    tree.reused = general_columns(general, general_block(general, 0)).visits[0]
    general.root_proofs_spent = 0
    if not moved:
        return
    forget_proof(general)
    value = proven_value(general, block, &distance) if general.options.solver else -1
    if value >= 0:
        prove_root(general, value, distance)
    if general.scored:
        see_again(general)
    if general.options.puct and general.options.noise_alpha > 0:
        add_noise(general, block)


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


cdef uint32_t new_block(GeneralTree *general, bint root) noexcept nogil:
    """Makes a block for the position that was just described; 0 when the arena is full.

    In a search with priors their column holds the actions until the priors arrive.
    """
    cdef const GeneralPosition *position = &general.position
    cdef bint chance = position.kind == KIND_CHANCE
    cdef bint whole = (root or chance or not general.options.puct or general.options.gumbel
                       or position.count <= FIRST_ROOM)
    cdef uint32_t opened = position.count if whole else 0
    cdef uint32_t units = general_units(general, opened, position.count, chance)
    cdef uint32_t index = arena_allocate(&general.tree.arena, units)
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    if MCTS_UNLIKELY(index == 0):
        return 0
    block = general_block(general, index)
    memset(block, 0, <uint64_t>units * GENERAL_UNIT)
    block.count = position.count
    block.closed = <uint16_t>(position.count - opened)
    block.player = CHANCE_PLAYER if chance else <int16_t>position.player
    if general.scored:
        memcpy(rewards_of(general, block), position.rewards, 8 * general.players)
    columns = general_columns(general, block)
    memcpy(columns.moves, position.moves, position.count * sizeof(uint32_t))
    if chance:
        set_limits(position.probabilities, position.count, columns.limits)
        return index
    clear_room(&columns)
    if general.options.puct:
        memcpy(columns.limits, position.actions, position.count * sizeof(uint32_t))
    return index


cdef inline void clear_room(const GeneralColumns *columns) noexcept nogil:
    """Keeps selection away from the room of the columns beyond the last child."""
    cdef uint32_t slot
    for slot in range(columns.count, columns.capacity):
        columns.visits[slot] = 1
        columns.sums[slot] = GENERAL_PADDING


cdef uint32_t widened(GeneralTree *general, uint32_t index, uint32_t opened) noexcept nogil:
    """Makes a block of more ``opened`` children out of the block ``index``, in its place if that has the room; 0 when
    the arena is full. Links to the block, and paths through it, are the caller's."""
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block), wide
    cdef uint32_t units = general_units(general, opened, block.count, False), made = index, slot
    if room_of(opened, block.count) > columns.capacity:
        made = arena_allocate(&general.tree.arena, units)
        if made == 0:
            return 0
        block = general_block(general, made)
        memset(block, 0, <uint64_t>units * GENERAL_UNIT)
        memcpy(block, general_block(general, index), general.header)
    block.closed = <uint16_t>(block.count - opened)
    wide = general_columns(general, block)
    if made != index:
        memcpy(wide.sums, columns.sums, columns.count * sizeof(double))
        memcpy(wide.visits, columns.visits, columns.count * sizeof(uint32_t))
        memcpy(wide.links, columns.links, columns.count * sizeof(uint32_t))
        memcpy(wide.moves, columns.moves, columns.total * sizeof(uint32_t))
        memcpy(wide.priors, columns.priors, columns.total * sizeof(float))
        clear_room(&wide)
        arena_free(&general.tree.arena, index, general_units(general, columns.count, columns.total, False))
    for slot in range(columns.count, opened):
        wide.visits[slot] = 0
        wide.sums[slot] = 0.0
    return made


cdef bint open_root(GeneralTree *general) noexcept nogil:
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef uint32_t index = general_root(general) & WIDE_INDEX
    if block.closed == 0:
        return True
    index = widened(general, index, block.count)
    if index:
        general_columns(general, general_block(general, 0)).links[0] = LINK_BLOCK | index
    return index != 0


cdef inline bint lacks_next(const GeneralColumns *columns) noexcept nogil:
    """Whether no child with statistics is the next one to be visited."""
    return columns.count < columns.total and (columns.count == 0 or columns.visits[columns.count - 1] > 0
                                              or columns.links[columns.count - 1] != 0)


cdef uint32_t open_next(GeneralTree *general, uint32_t index, uint32_t at) noexcept nogil:
    """Gives the move with the highest prior statistics, of those that have none, at the block ``index``, which entry
    ``at`` of the path is to stand for. The block then, which may be another one; 0 when the arena is full."""
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t opened = columns.count, made, move, earlier
    cdef uint32_t best = priors_highest(columns.priors, opened, capacity_for(columns.total))
    cdef float prior = columns.priors[best]
    made = widened(general, index, opened + 1)
    if made == 0:
        return 0
    columns = general_columns(general, general_block(general, made))
    move = columns.moves[best]
    memmove(columns.moves + opened + 1, columns.moves + opened, (best - opened) * sizeof(uint32_t))
    memmove(columns.priors + opened + 1, columns.priors + opened, (best - opened) * sizeof(float))
    columns.moves[opened] = move
    columns.priors[opened] = prior
    if made != index:
        set_link(general, at - 1, LINK_BLOCK | made)
        for earlier in range(general.path_used):  # other descents of the batch came through it
            if general.tree.path_record[earlier] == <uint8_t *>block:
                general.tree.path_record[earlier] = <uint8_t *>general_block(general, made)
    return made


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


cdef uint32_t best_by_gumbel(GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                             bint root) noexcept nogil:
    cdef uint32_t slot, visits = 0
    complete_values(block, columns, general.completed)
    if not root:
        improve_policy(columns, general.completed)
        return best_by_policy(columns, general.completed)
    for slot in range(columns.count):
        visits += columns.visits[slot]
    return best_by_halving(columns, general.root_scores, general.completed, considered_visits(
        min(general.options.gumbel_moves, columns.count), general.simulations, visits))


cdef inline uint32_t best_by_bound(const GeneralTree *general, GeneralBlock *block,
                                   const GeneralColumns *columns) noexcept nogil:
    cdef float scale = ucb_scale(general.tree.scales, general.options.exploration, block.visits if block.visits else 1)
    if MCTS_UNLIKELY(general.scored):
        return best_of_scored(general, block, columns, scale)
    return general_ucb1(columns.capacity, columns.visits, columns.sums, scale,
                        general.options.fpu if general.options.has_fpu else UNTRIED)


cdef inline bint is_draw(const GeneralTree *general, uint32_t link) noexcept nogil:
    cdef uint32_t distance, kind = link & LINK_KIND
    return kind != LINK_BLOCK and kind != LINK_WAITS and points_of(general, link, &distance) == 1


cdef inline uint32_t first_draw(const GeneralTree *general, const GeneralColumns *columns) noexcept nogil:
    cdef uint32_t slot
    for slot in range(columns.count):
        if is_draw(general, columns.links[slot]):
            return slot
    return NO_SLOT


cdef uint32_t best_unknown(GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                           bint root) noexcept nogil:
    """The best child that nothing is proven of; NO_SLOT: there is none."""
    cdef GeneralColumns unknown = columns[0]
    cdef uint32_t slot, found = 0, distance
    unknown.priors = <float *>general.noise  # which has room for more than these
    for slot in range(columns.capacity):
        unknown.priors[slot] = columns.priors[slot]
        if slot < columns.count and points_of(general, columns.links[slot], &distance) >= 0:
            unknown.priors[slot] = EXCLUDED
        else:
            found += slot < columns.count
    if found == 0:
        return NO_SLOT
    return best_by_gumbel(general, block, &unknown, root) if general.options.gumbel else best_by_priors(
        general, block, &unknown)


# ---- scored games ----------------------------------------------------------------------------------------------------
#
# Values are any numbers there, and how large they are is known only from those that were seen. So selection takes means
# between the lowest and the highest one (Schrittwieser et al., "MuZero", Nature 588, 2020, appendix B), in float64: a
# vector kernel in single precision would lose small differences of large scores. Rollouts value the leaves, and nothing
# is proven: these games have neither evaluators nor a solver.

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

    Until its value comes the visit counts as lost: the virtual loss of a leaf that waits. A visit to a proven draw
    would teach nothing: as in the guided tree, it is counted when the value comes, and the descent goes on into the
    best of the children that nothing is proven of.
    """
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, passed = 0, other
    cdef bint root
    if block.player < 0:
        slot = draw_outcome(general, &columns)
    elif general.options.gumbel:
        slot = best_by_gumbel(general, block, &columns, index == general_root(general) & WIDE_INDEX)
    elif general.options.puct:
        slot = best_by_priors(general, block, &columns)
    else:
        slot = best_by_bound(general, block, &columns)
    if general.options.solver and columns.links[slot] and is_draw(general, columns.links[slot]):
        root = index == general_root(general) & WIDE_INDEX
        other = best_unknown(general, block, &columns, root)
        if other != NO_SLOT:
            slot, passed = other, DRAWN
    general.tree.path_record[at] = <uint8_t *>block
    general.tree.path_slot[at] = slot | passed
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
        general_columns(general, block).visits[general.tree.path_slot[at] & ~DRAWN] -= 1


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
    cdef uint32_t at = start + length, slot
    cdef double drawn[2]
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    if MCTS_UNLIKELY(general.scored):
        backup_scored(general, start, length, values)
        return
    while at > start:
        at -= 1
        block = <GeneralBlock *>general.tree.path_record[at]
        slot = general.tree.path_slot[at]
        if block.player >= 0:
            columns = general_columns(general, block)
            columns.sums[slot & ~DRAWN] += values[block.player]
            if MCTS_UNLIKELY(slot & DRAWN):
                slot = first_draw(general, &columns)
                general.tree.nodes += columns.visits[slot] == 0
                columns.visits[slot] += 1
                columns.sums[slot] += 0.5
                drawn[0] = drawn[1] = 0.5
                values = drawn
        add_values(general, block, values)
    block = general_block(general, 0)
    general_columns(general, block).visits[0] += 1
    block.visits += 1
    add_values(general, block, values)
    count_iteration(general, length)


cdef inline void set_link(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    """Changes the link of the child at the end of a path whose last entry is ``at``."""
    general_columns(general, <GeneralBlock *>general.tree.path_record[at]).links[
        general.tree.path_slot[at] & ~DRAWN] = link


# ---- proven values ---------------------------------------------------------------------------------------------------

cdef inline bint has_prover(const GeneralTree *general) noexcept nogil:
    return general.options.solver and general.rules.prove != NULL and general.options.prover_bytes > 0


cdef inline void forget_proof(GeneralTree *general) noexcept nogil:
    general.tree.proof.value = -1
    general.tree.proof.move = MCTS_NO_MOVE
    general.tree.settled = 0
    general.root_proofs_spent = 0


cdef inline void prove_root(GeneralTree *general, int32_t value, uint32_t distance) noexcept nogil:
    general.tree.proof.value = value
    general.tree.proof.distance = distance
    general.tree.proof.exact = 0
    general.tree.proof.move = MCTS_NO_MOVE
    general.tree.settled = 1


cdef inline void set_points(int32_t points, double *values) noexcept nogil:
    """The values of both players, by the half-points of player 0."""
    values[0] = 0.5 * points
    values[1] = 1.0 - values[0]


cdef void settle(GeneralTree *general, uint32_t start, uint32_t length, uint32_t link, double *values) noexcept nogil:
    """The node at the end of a path is proven, by ``link``. Proves what follows from it above; ``values`` become those
    of the highest node that is proven then."""
    cdef uint32_t at = start + length - 1, distance
    cdef int32_t value
    cdef GeneralBlock *block
    while True:
        accept(general, at, link)
        set_points(points_of(general, link, &distance), values)
        block = <GeneralBlock *>general.tree.path_record[at]
        value = proven_value(general, block, &distance)
        if value < 0:
            return
        general.tree.path_slot[at] &= ~DRAWN  # which counts for nothing now
        link = proven_link(block.player, value, distance)
        if at == start:
            prove_root(general, value, distance)
            set_points(points_of(general, link, &distance), values)
            return
        at -= 1


cdef void accept(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    cdef GeneralBlock *block = <GeneralBlock *>general.tree.path_record[at]
    cdef uint32_t distance
    set_link(general, at, link)
    if points_for(block.player, points_of(general, link, &distance)) == 0:
        general_columns(general, block).priors[general.tree.path_slot[at] & ~DRAWN] = EXCLUDED


cdef void reconsider(GeneralTree *general, uint32_t at, bint *changed) noexcept nogil:
    cdef GeneralBlock *block = <GeneralBlock *>general.tree.path_record[at]
    cdef uint32_t distance
    cdef int32_t value = proven_value(general, block, &distance)
    changed[0] = value >= 0
    if value >= 0 and at == 1:
        prove_root(general, value, distance)
    elif value >= 0:
        accept(general, at - 1, proven_link(block.player, value, distance))


cdef int32_t must_end(void *context) noexcept nogil:
    """Asks whether the search has to end, and keeps the answer in ``interrupted``."""
    cdef GeneralTree *general = <GeneralTree *>context
    general.tree.interrupted = general.tree.interrupt.raised != NULL and mcts_raised(&general.tree.interrupt)
    return general.tree.interrupted


cdef int ask_prover(GeneralTree *general, uint32_t start, uint32_t length, uint64_t budget,
                    mcts_proof *proof) noexcept nogil:
    """Asks exact search about the position at the end of a path."""
    cdef mcts_interrupt interrupt
    if general.prover == NULL:
        general.prover = general.rules.proving.guide.create_memory(general.rules.proving.context,
                                                                   general.options.prover_bytes)
        if general.prover == NULL:
            return RUN_SYSTEM_MEMORY
        general.prover_game = general.rules.proving
        general.prover_bytes = general.options.prover_bytes
    interrupt.raised = must_end
    interrupt.context = general
    proof.value = -1
    proof.spent = proof.exact = proof.distance = 0
    proof.move = MCTS_NO_MOVE
    proof.interrupt = &interrupt
    proof.ask_book = proof.by_book = 0  # what a network learns from is search, not the book
    if general.rules.prove(general.rules.context, general.tree.path_move + start, length, general.prover, budget, False,
                           proof) < 0:
        return RUN_GAME_ERROR
    return RUN_DONE


cdef void note_root_proof(GeneralTree *general, const mcts_proof *proof) noexcept nogil:
    """Exact search has proven the root: by the move that it told, where there is one."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, distance
    cdef double values[2]
    for slot in range(columns.count if proof.value > 0 and proof.distance > 0 else 0):
        if columns.moves[slot] == proof.move:
            if points_of(general, columns.links[slot], &distance) < 0:
                general.tree.path_record[0] = <uint8_t *>block
                general.tree.path_slot[0] = slot
                settle(general, 0, 1, proven_link(block.player, proof.value, proof.distance - 1), values)
            prove_root(general, proof.value, proof.distance)
            return
    if proof.value == 0:
        prove_root(general, 0, proof.distance)


cdef int prove_leader(GeneralTree *general) noexcept nogil:
    """Spends a slice on the position after the most visited move of the root: whether that loses."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, best = columns.count, distance
    cdef double values[2]
    cdef mcts_proof proof
    cdef int status
    for slot in range(columns.count):
        if points_of(general, columns.links[slot], &distance) < 0 and (
                best == columns.count or columns.visits[slot] > columns.visits[best]):
            best = slot
    if best == columns.count or columns.visits[best] < FIRST_PROOF:
        return RUN_DONE
    general.tree.path_record[0] = <uint8_t *>block
    general.tree.path_slot[0] = best
    general.tree.path_move[0] = columns.moves[best]
    status = ask_prover(general, 0, 1, ROOT_SLICE, &proof)
    if status == RUN_DONE and proof.value >= 0:
        settle(general, 0, 1, proven_link(1 - block.player, proof.value, proof.distance), values)
    return status


cdef int shorten_win(GeneralTree *general) noexcept nogil:
    """Of a root that is proven won: whether a move wins at once. Exact search tells some win, not the shortest."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot
    cdef int status
    for slot in range(columns.count if general.tree.proof.value == 2 and general.tree.proof.distance > 1 else 0):
        general.tree.path_move[0] = columns.moves[slot]
        status = look(general, 0, 1, False)
        if status != RUN_DONE:
            return status
        if general.position.kind == KIND_OVER and general.position.values[block.player] == 1:
            columns.links[slot] = proven_link(block.player, 2, 0)
            prove_root(general, 2, 1)
            break
    return RUN_SOLVED


cdef int search_exactly(GeneralTree *general) noexcept nogil:
    """Spends what is due of the root's proof budget; nothing may wait for an evaluation."""
    cdef mcts_proof proof
    cdef int status
    while (general.root_proofs_spent <= <uint64_t>general.options.root_proofs * general.tree.iterations
           and not general.tree.settled and not general.tree.interrupted):
        general.root_proofs_spent += ROOT_SLICE
        status = ask_prover(general, 0, 0, ROOT_SLICE, &proof)
        if status == RUN_DONE and proof.value >= 0:
            note_root_proof(general, &proof)
        if status == RUN_DONE and not general.tree.settled:
            status = prove_leader(general)
        if status != RUN_DONE:
            return status
    return RUN_DONE


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
        index = new_block(general, False)
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
    cdef uint32_t distance
    cdef double values[2]
    cdef mcts_proof proof
    cdef GeneralColumns columns
    cdef bint fresh
    cdef int status
    while True:
        if MCTS_UNLIKELY(not path_reserve(&general.tree, start + length + 1)):
            status = RUN_SYSTEM_MEMORY
            break
        columns = general_columns(general, general_block(general, index))
        if lacks_next(&columns):
            index = open_next(general, index, start + length)
            if index == 0:
                status = RUN_MEMORY
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
        if link:  # a proven draw
            set_points(points_of(general, link, &distance), values)
            backup(general, start, length, values)
            return RUN_DONE
        status = look(general, start, length, True)
        if status != RUN_DONE:
            break
        fresh = general_columns(general, general_block(general, index)).visits[
            general.tree.path_slot[start + length - 1] & ~DRAWN] == 1
        if general.position.kind == KIND_OVER:
            child = ending_of(general)
            if child == 0:
                status = RUN_MEMORY
                break
            general.tree.nodes += fresh
            if general.options.solver:
                settle(general, start, length, LINK_TERMINAL | child, values)
                backup(general, start, length, values)
                return RUN_SOLVED if general.tree.settled else RUN_DONE
            set_link(general, start + length - 1, LINK_TERMINAL | child)
            backup(general, start, length, ending_values(general, LINK_TERMINAL | child))
            return RUN_DONE
        if general.options.leaf_proofs and has_prover(general):
            status = ask_prover(general, start, length, general.options.leaf_proofs, &proof)
            if status != RUN_DONE:
                break
            if proof.value >= 0:
                general.tree.nodes += fresh
                settle(general, start, length, proven_link(<int32_t>general.position.player, proof.value,
                                                           proof.distance), values)
                backup(general, start, length, values)
                return RUN_SOLVED if general.tree.settled else RUN_DONE
        child = new_block(general, False)
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
    arena_free(&general.tree.arena, index, general_size(general, general_block(general, index)))


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
    cdef GeneralColumns columns
    general.path_used = general.entry_count = general.waiting = general.collisions = 0
    count = room_left(general, count)
    if root_waits(general):
        status = look(general, 0, 0, True)
        if status == RUN_DONE:
            columns = general_columns(general, general_block(general, general_root(general) & WIDE_INDEX))
            memcpy(columns.limits, general.position.actions, columns.total * sizeof(uint32_t))  # a fault spoils them
            status = wait(general, 0, general_root(general) & WIDE_INDEX, True, observations)
        return status
    general.tree.interrupted = 0
    if general.options.root_proofs and has_prover(general) and general.tree.iterations > 0:
        status = search_exactly(general)
        if status != RUN_DONE:
            return status
    if general.tree.settled:
        return shorten_win(general)
    end = general.tree.iterations + count
    while general.waiting < most and general.collisions < most and general.tree.iterations + general.waiting < end:
        status = descend(general, NULL if observations == NULL else observations + general.waiting * stride)
        if MCTS_UNLIKELY(status != RUN_DONE or general.tree.interrupted):
            break
        if general.tree.iterations - (end - count) >= most:
            # a batch of finished games alone must end, too: the loop looks at the clock in between
            break
    if status == RUN_SOLVED:  # what waits has nothing to add
        general_retract(general)
        return shorten_win(general)
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


cdef int take(GeneralTree *general, const GeneralEvaluation *evaluation) noexcept nogil:
    """Takes the policies of an evaluation into the columns of priors, and checks all its numbers, before anything else
    changes."""
    cdef uint32_t number, row = 0, slot
    cdef const float *policy
    cdef float value
    cdef GeneralEntry *entry
    cdef GeneralColumns columns
    cdef int taken
    for number in range(general.entry_count):
        entry = &general.entries[number]
        if entry.leaf == NO_LEAF:
            continue
        entry.sum = 0.0
        if evaluation.policy != NULL:
            policy = evaluation.policy + <uint64_t>row * evaluation.width
            columns = general_columns(general, general_block(general, entry.leaf))
            taken = priors_take(columns.priors, columns.total, policy, evaluation.width, <float *>general.noise,
                                &entry.sum, &slot)
            if taken != PRIORS_TAKEN:
                if taken == PRIORS_NO_ENTRY:
                    return fault_of(general, FAULT_ACTION, row, slot, columns.limits[slot], 0)
                return fault_of(general, FAULT_PRIOR, row, slot, columns.limits[slot], (<float *>general.noise)[slot])
        for slot in range(evaluation.value_width):
            value = evaluation.values[<uint64_t>row * evaluation.value_width + slot]
            if not -1 - TOLERANCE <= value <= 1 + TOLERANCE:
                return fault_of(general, FAULT_VALUE, row, slot, 0, value)
        row += 1
    return FAULT_NONE


cdef void add_noise(GeneralTree *general, GeneralBlock *block) noexcept nogil:
    cdef GeneralColumns columns = general_columns(general, block)
    cdef double weight = general.options.noise_weight
    cdef uint32_t slot
    dirichlet(&general.tree.rng, general.options.noise_alpha, columns.count, general.noise)
    for slot in range(columns.count):
        if columns.priors[slot] >= 0:
            columns.priors[slot] = <float>((1.0 - weight) * columns.priors[slot] + weight * general.noise[slot])


cdef inline double share(double value) noexcept nogil:
    """Scales a value from -1 to 1 to one from 0 to 1."""
    return 0.0 if value <= -1.0 else 1.0 if value >= 1.0 else 0.5 + 0.5 * value


cdef int general_resolve(GeneralTree *general, const GeneralEvaluation *evaluation) noexcept nogil:
    cdef uint32_t number, row = 0, player
    cdef const GeneralEntry *entry
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    cdef const float *value
    cdef double values[MAX_PLAYERS]
    if evaluation.rows != general.waiting:
        return fault_of(general, FAULT_VALUE, 0, 0, 0, 0)
    if take(general, evaluation) != FAULT_NONE:
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
        columns = general_columns(general, block)
        priors_share(columns.priors, columns.total, entry.sum)
        add_values(general, block, values)
        general.tree.rollouts += 1
        row += 1
        if entry.length == 0:
            general_columns(general, general_block(general, 0)).links[0] = LINK_BLOCK | entry.leaf
            score_by_noise(general.seed, general.options.gumbel_scale, &columns, general.root_scores)
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
ops.accept = accept
ops.reconsider = reconsider
ops.open_root = open_root
ops.forget_prover = forget_prover

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
