"""The search tree of general games: selection by UCB1 or PUCT for whoever moves, chance by its probabilities, leaves by
rollouts or by evaluations that come in batches. The layout is drawn in ``tree/general_tree.pxd``.

Every player maximises his own value: max^n (Luckhardt and Irani, AAAI 1986), in UCT by Sturtevant ("An Analysis of UCT
in Multi-player Games", CG 2008). UCB1 is that of Auer, Cesa-Bianchi and Fischer (Machine Learning 47, 2002), PUCT and
the noise of the root those of Silver et al. (Nature 550, 2017; Science 362, 2018). This module is compiled once per
instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from mcts_core.arena cimport FIRST_COMMIT, arena_allocate, arena_free, arena_grow, arena_release, arena_reserve
from mcts_core.tree.dirichlet cimport dirichlet
from mcts_core.game cimport mcts_rng_next, mcts_rng_seed
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_DECISION, KIND_OVER, GeneralPosition, GeneralRules
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.plain_tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS, MAX_SLOTS, WIDE_INDEX


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint)
    bint MCTS_UNLIKELY(bint)


cdef extern from "kernels/selection/ucb.h" nogil:
    const int UCB_TABLE
    void ucb_fill_ln()
    void ucb_fill_scales(float *scales, float c)
    float ucb_scale(const float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/general.h" nogil:
    const double GENERAL_PADDING
    uint32_t general_puct(uint32_t capacity, const uint32_t *visits, const double *sums, const float *priors,
                          float scale, float urgency)
    uint32_t general_ucb1(uint32_t capacity, const uint32_t *visits, const double *sums, float scale, float urgency)


cdef extern from *:
    """
    #define LINK_WAITS 0x80000000u
    """
    const uint32_t LINK_WAITS


cdef enum:
    ENDINGS_COMPARED = 16    # the latest records of finished games that a new one is compared with
    NO_LEAF = 0

cdef uint32_t CERTAIN = 0x80000000  # the limit of the last outcome, above every number that is drawn

cdef float UNTRIED = 1e20    # the score of a child without a visit where no first-play urgency is given
cdef float LARGEST = 3.4028234e38
cdef double TOLERANCE = 1e-4  # by which rounding may take the value of a network out of its range

assert GENERAL_SCALES == UCB_TABLE
assert sizeof(GeneralBlock) == GENERAL_HEADER


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void general_destroy(GeneralTree *tree) noexcept nogil:
    if tree == NULL:
        return
    arena_release(&tree.arena)
    free(tree.path_block)
    free(tree.path_slot)
    free(tree.path_move)
    free(tree.entries)
    free(tree.position.moves)
    free(tree.position.actions)
    free(tree.position.probabilities)
    free(tree.position.values)
    free(tree.noise)
    free(tree)


cdef GeneralTree *general_create(uint64_t bytes) noexcept nogil:
    cdef GeneralTree *tree = <GeneralTree *>calloc(1, sizeof(GeneralTree))
    if tree == NULL:
        return NULL
    if not arena_reserve(&tree.arena, bytes):
        general_destroy(tree)
        return NULL
    tree.arena.unit = GENERAL_UNIT
    return tree


cdef bint room_for(void **memory, uint64_t bytes) noexcept nogil:
    cdef void *larger = realloc(memory[0], bytes)
    if larger == NULL:
        return False
    memory[0] = larger
    return True


cdef bint path_room(GeneralTree *tree, uint32_t room) noexcept nogil:
    if MCTS_LIKELY(room <= tree.path_room):
        return True
    room = 2 * room
    if not (room_for(<void **>&tree.path_block, room * sizeof(uint32_t))
            and room_for(<void **>&tree.path_slot, room * sizeof(uint32_t))
            and room_for(<void **>&tree.path_move, room * sizeof(uint32_t))):
        return False
    tree.path_room = room
    return True


cdef bint entry_room(GeneralTree *tree) noexcept nogil:
    if tree.entry_count < tree.entry_room:
        return True
    if not room_for(<void **>&tree.entries, (2 * tree.entry_room + 16) * sizeof(GeneralEntry)):
        return False
    tree.entry_room = 2 * tree.entry_room + 16
    return True


cdef bint position_room(GeneralTree *tree, uint32_t count) noexcept nogil:
    if count <= tree.position.capacity:
        return True
    if not (room_for(<void **>&tree.position.moves, count * sizeof(uint32_t))
            and room_for(<void **>&tree.position.actions, count * sizeof(uint32_t))
            and room_for(<void **>&tree.position.probabilities, count * sizeof(double))
            and room_for(<void **>&tree.noise, count * sizeof(double))):
        return False
    tree.position.capacity = count
    return True


cdef inline uint32_t capacity_for(uint32_t count) noexcept nogil:
    """Of a column: whole vectors of every instruction set."""
    return (count + 7) & ~<uint32_t>7


cdef inline uint32_t block_units(const GeneralTree *tree, uint32_t capacity, bint chance) noexcept nogil:
    cdef uint32_t slot = 16 if chance else 24 if tree.options.puct else 20
    return (GENERAL_HEADER + slot * capacity + GENERAL_UNIT - 1) // GENERAL_UNIT


cdef int general_reset(GeneralTree *tree, const GeneralRules *rules, const GeneralOptions *options,
                       uint64_t seed) noexcept nogil:
    cdef int status
    cdef uint64_t units = tree.arena.reserved // GENERAL_UNIT
    memset(tree.arena.freed, 0, sizeof(tree.arena.freed))
    tree.arena.limit = <uint32_t>(units if units < WIDE_INDEX else WIDE_INDEX)
    tree.arena.top = 1  # index 0 is no record
    if tree.options.exploration != options.exploration or tree.arena.committed == 0:
        ucb_fill_scales(tree.scales, options.exploration)
    tree.rules = rules
    tree.options = options[0]
    tree.players = rules.players
    mcts_rng_seed(&tree.rng, seed)
    memset(tree.totals, 0, sizeof(tree.totals))
    tree.path_used = tree.entry_count = tree.waiting = tree.collisions = 0
    tree.iterations = tree.rollouts = tree.depth_max = 0
    tree.depth_sum = 0
    tree.last_ending = 0
    tree.nodes = 1
    tree.fault = FAULT_NONE
    if tree.arena.committed == 0 and not arena_grow(&tree.arena, FIRST_COMMIT):
        return GENERAL_SYSTEM_MEMORY
    if not path_room(tree, 64) or not position_room(tree, 64):
        return GENERAL_SYSTEM_MEMORY
    if tree.position.values == NULL and not room_for(<void **>&tree.position.values, MAX_PLAYERS * sizeof(double)):
        return GENERAL_SYSTEM_MEMORY
    status = look(tree, 0, 0, True)
    if status == GENERAL_DONE and tree.position.kind != KIND_DECISION:
        status = GENERAL_GAME_ERROR
    if status != GENERAL_DONE:
        return status
    tree.root = new_block(tree)
    if tree.root == 0:
        return GENERAL_MEMORY
    tree.root_waits = options.puct
    return GENERAL_DONE


# ---- the rules -------------------------------------------------------------------------------------------------------

cdef int look(GeneralTree *tree, uint32_t start, uint32_t length, bint listed) noexcept nogil:
    """Describes the position at the end of a path."""
    cdef int32_t returned
    while True:
        returned = tree.rules.look(tree.rules.context, tree.path_move + start, length, listed, &tree.position)
        if returned < 0 or (listed and tree.position.kind != KIND_OVER
                            and not 1 <= tree.position.count <= MAX_SLOTS):
            return GENERAL_GAME_ERROR
        if not listed or tree.position.kind == KIND_OVER or tree.position.count <= tree.position.capacity:
            return GENERAL_DONE
        if not position_room(tree, tree.position.count):
            return GENERAL_SYSTEM_MEMORY


cdef uint32_t new_block(GeneralTree *tree) noexcept nogil:
    """A block for the position that was just described; 0 when the arena is full.

    In a search with priors the column has the actions until the priors come.
    """
    cdef const GeneralPosition *position = &tree.position
    cdef bint chance = position.kind == KIND_CHANCE
    cdef uint32_t capacity = capacity_for(position.count), slot
    cdef uint32_t units = block_units(tree, capacity, chance)
    cdef uint32_t index = arena_allocate(&tree.arena, units)
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    cdef double sum = 0.0, total = 0.0
    if MCTS_UNLIKELY(index == 0):
        return 0
    block = general_block(tree, index)
    memset(block, 0, <uint64_t>units * GENERAL_UNIT)
    block.count = position.count
    block.capacity = capacity
    block.player = CHANCE_PLAYER if chance else <int32_t>position.player
    columns = general_columns(tree, block)
    for slot in range(position.count):
        columns.moves[slot] = position.moves[slot]
    if not chance:
        for slot in range(position.count, capacity):
            columns.visits[slot] = 1
            columns.sums[slot] = GENERAL_PADDING
    if chance:
        for slot in range(position.count):
            total += position.probabilities[slot]
        for slot in range(position.count):
            sum += position.probabilities[slot]
            columns.limits[slot] = <uint32_t>(sum / total * CERTAIN)
        # what rounding left over belongs to the last outcome that can be
        slot = position.count
        while slot > 0:
            slot -= 1
            columns.limits[slot] = CERTAIN
            if position.probabilities[slot] > 0:
                break
    elif tree.options.puct:
        for slot in range(position.count):
            columns.limits[slot] = position.actions[slot]
    return index


cdef uint32_t ending_of(GeneralTree *tree) noexcept nogil:
    """The record of the values that were just reported; 0 when the arena is full.

    Most games end in few ways: a record serves all leaves of equal values that are met while it is among the latest.
    """
    cdef const double *values = tree.position.values
    cdef uint32_t units = (8 * tree.players + 8 + GENERAL_UNIT - 1) // GENERAL_UNIT, index = tree.last_ending, player
    cdef int _
    cdef double *record
    for _ in range(ENDINGS_COMPARED):
        if index == 0:
            break
        record = <double *>general_block(tree, index)
        for player in range(tree.players):
            if record[1 + player] != values[player]:
                break
        else:
            return index
        index = (<uint32_t *>record)[0]
    index = arena_allocate(&tree.arena, units)
    if index == 0:
        return 0
    record = <double *>general_block(tree, index)
    (<uint32_t *>record)[0] = tree.last_ending
    for player in range(tree.players):
        record[1 + player] = values[player]
    tree.last_ending = index
    return index


cdef inline const double *ending_values(const GeneralTree *tree, uint32_t link) noexcept nogil:
    return <const double *>general_block(tree, link & WIDE_INDEX) + 1


# ---- selection -------------------------------------------------------------------------------------------------------

cdef inline uint32_t draw_outcome(GeneralTree *tree, const GeneralColumns *columns) noexcept nogil:
    """An outcome of a chance node, by its probability."""
    cdef uint32_t number = <uint32_t>(mcts_rng_next(&tree.rng) >> 33), slot = 0
    while slot + 1 < columns.count and number >= columns.limits[slot]:
        slot += 1
    return slot


cdef inline uint32_t best_by_priors(const GeneralTree *tree, const GeneralBlock *block,
                                    const GeneralColumns *columns) noexcept nogil:
    cdef float urgency, scale = tree.options.c_puct * sqrtf(<float>block.visits)
    if tree.options.has_fpu:
        urgency = tree.options.fpu
    else:
        urgency = <float>(block.total / <double>(block.visits - block.flight))
    return general_puct(block.capacity, columns.visits, columns.sums, columns.priors, scale, urgency)


cdef inline uint32_t best_by_bound(const GeneralTree *tree, const GeneralBlock *block,
                                   const GeneralColumns *columns) noexcept nogil:
    cdef float scale = ucb_scale(tree.scales, tree.options.exploration, block.visits if block.visits else 1)
    return general_ucb1(block.capacity, columns.visits, columns.sums, scale,
                        tree.options.fpu if tree.options.has_fpu else UNTRIED)


# ---- a descent and its way back --------------------------------------------------------------------------------------

cdef inline uint32_t step(GeneralTree *tree, uint32_t index, uint32_t at) noexcept nogil:
    """Selects at the block ``index``, writes entry ``at`` of the path and counts the visit; the link it leads to."""
    cdef GeneralBlock *block = general_block(tree, index)
    cdef GeneralColumns columns = general_columns(tree, block)
    cdef uint32_t slot
    if block.player < 0:
        slot = draw_outcome(tree, &columns)
    elif tree.options.puct:
        slot = best_by_priors(tree, block, &columns)
    else:
        slot = best_by_bound(tree, block, &columns)
    tree.path_block[at] = index
    tree.path_slot[at] = slot
    tree.path_move[at] = columns.moves[slot]
    block.visits += 1
    block.flight += 1
    columns.visits[slot] += 1
    return columns.links[slot]


cdef void undo(GeneralTree *tree, uint32_t start, uint32_t length) noexcept nogil:
    """Takes back the visits of a descent."""
    cdef uint32_t at
    cdef GeneralBlock *block
    for at in range(start, start + length):
        block = general_block(tree, tree.path_block[at])
        block.visits -= 1
        block.flight -= 1
        general_columns(tree, block).visits[tree.path_slot[at]] -= 1


cdef void back_up(GeneralTree *tree, uint32_t start, uint32_t length, const double *values) noexcept nogil:
    """Ends an iteration: its values arrive at the nodes of its path."""
    cdef uint32_t at, player
    cdef GeneralBlock *block
    for at in range(start, start + length):
        block = general_block(tree, tree.path_block[at])
        block.flight -= 1
        if block.player >= 0:
            block.total += values[block.player]
            general_columns(tree, block).sums[tree.path_slot[at]] += values[block.player]
    for player in range(tree.players):
        tree.totals[player] += values[player]
    tree.iterations += 1
    tree.depth_sum += length
    if length > tree.depth_max:
        tree.depth_max = length


cdef inline void set_link(GeneralTree *tree, uint32_t at, uint32_t link) noexcept nogil:
    """Of the child at the end of a path whose last entry is ``at``."""
    general_columns(tree, general_block(tree, tree.path_block[at])).links[tree.path_slot[at]] = link


cdef uint32_t attach(GeneralTree *tree, uint32_t at) noexcept nogil:
    """A block for the position that was just described, below the last entry of the path; 0: the arena is full."""
    cdef uint32_t index = new_block(tree)
    cdef GeneralBlock *block
    if index:
        block = general_block(tree, index)
        block.parent = tree.path_block[at]
        block.parent_slot = tree.path_slot[at]
    return index


# ---- searches by rollouts --------------------------------------------------------------------------------------------

cdef int roll_out(GeneralTree *tree, uint32_t length) noexcept nogil:
    """Random games from the position of the last look, and their mean backed up."""
    cdef double mean[MAX_PLAYERS]
    cdef uint32_t player, rollouts = tree.options.rollouts_per_leaf, _
    memset(mean, 0, sizeof(mean))
    for _ in range(rollouts):
        if tree.rules.rollout(tree.rules.context, &tree.rng, tree.position.values) < 0:
            return GENERAL_GAME_ERROR
        for player in range(tree.players):
            mean[player] += tree.position.values[player]
    for player in range(tree.players):
        mean[player] /= rollouts
    tree.rollouts += rollouts
    back_up(tree, 0, length, mean)
    return GENERAL_DONE


cdef int iterate(GeneralTree *tree) noexcept nogil:
    cdef uint32_t index = tree.root, length = 0, link, kind, child, seen
    cdef int status = GENERAL_DONE
    while True:
        if MCTS_UNLIKELY(not path_room(tree, length + 1)):
            status = GENERAL_SYSTEM_MEMORY
            break
        link = step(tree, index, length)
        length += 1
        kind = link & LINK_KIND
        if kind == LINK_BLOCK:
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            back_up(tree, 0, length, ending_values(tree, link))
            return GENERAL_DONE
        seen = general_columns(tree, general_block(tree, index)).visits[tree.path_slot[length - 1]] - 1
        status = look(tree, 0, length, seen > 0)
        if status != GENERAL_DONE:
            break
        if tree.position.kind == KIND_CHANCE and seen == 0:  # chance is no leaf: the iteration goes on below it
            status = look(tree, 0, length, True)
            if status != GENERAL_DONE:
                break
        if tree.position.kind == KIND_OVER:
            child = ending_of(tree)
            if child == 0:
                status = GENERAL_MEMORY
                break
            tree.nodes += 1
            set_link(tree, length - 1, LINK_TERMINAL | child)
            back_up(tree, 0, length, ending_values(tree, LINK_TERMINAL | child))
            return GENERAL_DONE
        if seen == 0 and tree.position.kind != KIND_CHANCE:
            status = roll_out(tree, length)
            if status != GENERAL_DONE:
                break
            tree.nodes += 1
            return GENERAL_DONE
        index = attach(tree, length - 1)
        if index == 0:
            status = GENERAL_MEMORY
            break
        if tree.position.kind == KIND_CHANCE:
            tree.nodes += 1
        general_block(tree, index).visits = seen
        set_link(tree, length - 1, LINK_BLOCK | index)
    undo(tree, 0, length)
    return status


cdef int general_run(GeneralTree *tree, uint32_t count) noexcept nogil:
    cdef uint32_t _
    cdef int status
    if count > <uint32_t>MAX_ITERATIONS - tree.iterations:
        count = <uint32_t>MAX_ITERATIONS - tree.iterations
    for _ in range(count):
        status = iterate(tree)
        if MCTS_UNLIKELY(status != GENERAL_DONE):
            return status
    return GENERAL_DONE


# ---- searches by evaluations -----------------------------------------------------------------------------------------

cdef int enter(GeneralTree *tree, uint32_t length, uint32_t leaf) noexcept nogil:
    """Adds the path that was just walked to the batch."""
    cdef GeneralEntry *entry
    if not entry_room(tree):
        return GENERAL_SYSTEM_MEMORY
    entry = &tree.entries[tree.entry_count]
    entry.start = tree.path_used
    entry.length = length
    entry.leaf = leaf
    tree.entry_count += 1
    tree.path_used += length
    if leaf:
        tree.waiting += 1
    else:
        tree.collisions += 1
    return GENERAL_DONE


cdef int descend(GeneralTree *tree, float *row) noexcept nogil:
    """One descent: to a finished game, which is backed up at once, or to a leaf that then waits."""
    cdef uint32_t index = tree.root, start = tree.path_used, length = 0, link, kind, child
    cdef int status
    while True:
        if MCTS_UNLIKELY(not path_room(tree, start + length + 1)):
            status = GENERAL_SYSTEM_MEMORY
            break
        link = step(tree, index, start + length)
        length += 1
        kind = link & LINK_KIND
        if MCTS_LIKELY(kind == LINK_BLOCK):
            index = link & WIDE_INDEX
            continue
        if kind == LINK_TERMINAL:
            back_up(tree, start, length, ending_values(tree, link))
            return GENERAL_DONE
        if kind == LINK_WAITS:
            status = enter(tree, length, NO_LEAF)
            if status != GENERAL_DONE:
                break
            return GENERAL_DONE
        status = look(tree, start, length, True)
        if status != GENERAL_DONE:
            break
        if tree.position.kind == KIND_OVER:
            child = ending_of(tree)
            if child == 0:
                status = GENERAL_MEMORY
                break
            tree.nodes += 1
            set_link(tree, start + length - 1, LINK_TERMINAL | child)
            back_up(tree, start, length, ending_values(tree, LINK_TERMINAL | child))
            return GENERAL_DONE
        child = attach(tree, start + length - 1)
        if child == 0:
            status = GENERAL_MEMORY
            break
        if tree.position.kind == KIND_CHANCE:
            tree.nodes += 1
            set_link(tree, start + length - 1, LINK_BLOCK | child)
            index = child
            continue
        status = wait(tree, start, length, child, row)
        if status != GENERAL_DONE:
            arena_free(&tree.arena, child, block_units(tree, general_block(tree, child).capacity, False))
            break
        set_link(tree, start + length - 1, LINK_WAITS | child)
        return GENERAL_DONE
    undo(tree, start, length)
    return status


cdef int wait(GeneralTree *tree, uint32_t start, uint32_t length, uint32_t leaf, float *row) noexcept nogil:
    """Takes down the observation of the position that was just described, and its path."""
    cdef GeneralBlock *block = general_block(tree, leaf)
    cdef int status
    if tree.rules.observe(tree.rules.context, row) < 0:
        return GENERAL_GAME_ERROR
    status = enter(tree, length, leaf)
    if status == GENERAL_DONE:
        block.visits = block.flight = 1
    return status


cdef int general_gather(GeneralTree *tree, uint32_t count, float *observations, uint64_t stride) noexcept nogil:
    cdef int status = GENERAL_DONE
    cdef uint32_t most = tree.options.batch, end
    tree.path_used = tree.entry_count = tree.waiting = tree.collisions = 0
    if count > <uint32_t>MAX_ITERATIONS - tree.iterations:
        count = <uint32_t>MAX_ITERATIONS - tree.iterations
    if tree.root_waits:
        status = look(tree, 0, 0, True)
        if status == GENERAL_DONE:
            status = wait(tree, 0, 0, tree.root, observations)
        return status
    end = tree.iterations + count
    while tree.waiting < most and tree.collisions < most and tree.iterations + tree.waiting < end:
        status = descend(tree, NULL if observations == NULL else observations + tree.waiting * stride)
        if MCTS_UNLIKELY(status != GENERAL_DONE):
            break
        if tree.iterations - (end - count) >= most:
            # finished games alone must not keep the loop from its clock
            break
    return status


cdef void general_retract(GeneralTree *tree) noexcept nogil:
    cdef uint32_t number
    cdef const GeneralEntry *entry
    for number in range(tree.entry_count):
        entry = &tree.entries[number]
        undo(tree, entry.start, entry.length)
        if entry.leaf == tree.root:
            general_block(tree, tree.root).visits = general_block(tree, tree.root).flight = 0
        elif entry.leaf:
            set_link(tree, entry.start + entry.length - 1, 0)
            arena_free(&tree.arena, entry.leaf,
                       block_units(tree, general_block(tree, entry.leaf).capacity, False))
    tree.entry_count = tree.waiting = tree.collisions = tree.path_used = 0


cdef int fault_of(GeneralTree *tree, int fault, uint32_t row, uint32_t slot, uint32_t action,
                  double number) noexcept nogil:
    tree.fault = fault
    tree.fault_row = row
    tree.fault_slot = slot
    tree.fault_action = action
    tree.fault_number = number
    return fault


cdef int check(GeneralTree *tree, const GeneralEvaluation *evaluation) noexcept nogil:
    """Whether an evaluation can be used, before anything changes."""
    cdef uint32_t number, row = 0, slot, action
    cdef const float *policy
    cdef float value
    cdef GeneralColumns columns
    for number in range(tree.entry_count):
        if tree.entries[number].leaf == NO_LEAF:
            continue
        if evaluation.policy != NULL:
            policy = evaluation.policy + <uint64_t>row * evaluation.width
            columns = general_columns(tree, general_block(tree, tree.entries[number].leaf))
            for slot in range(columns.count):
                action = columns.limits[slot]
                if action >= evaluation.width:
                    return fault_of(tree, FAULT_ACTION, row, slot, action, 0)
                if not 0 <= policy[action] <= LARGEST:
                    return fault_of(tree, FAULT_PRIOR, row, slot, action, policy[action])
        for slot in range(evaluation.value_width):
            value = evaluation.values[<uint64_t>row * evaluation.value_width + slot]
            if not -1 - TOLERANCE <= value <= 1 + TOLERANCE:
                return fault_of(tree, FAULT_VALUE, row, slot, 0, value)
        row += 1
    return FAULT_NONE


cdef void set_priors(GeneralTree *tree, GeneralBlock *block, const float *policy) noexcept nogil:
    """The policy of the legal moves, divided by its sum; where that is 0, all the same."""
    cdef GeneralColumns columns = general_columns(tree, block)
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


cdef void add_noise(GeneralTree *tree, GeneralBlock *block) noexcept nogil:
    cdef GeneralColumns columns = general_columns(tree, block)
    cdef double weight = tree.options.noise_weight
    cdef uint32_t slot
    dirichlet(&tree.rng, tree.options.noise_alpha, columns.count, tree.noise)
    for slot in range(columns.count):
        columns.priors[slot] = <float>((1.0 - weight) * columns.priors[slot] + weight * tree.noise[slot])


cdef inline double share(double value) noexcept nogil:
    """A value from -1 to 1 as one from 0 to 1."""
    return 0.0 if value <= -1.0 else 1.0 if value >= 1.0 else 0.5 + 0.5 * value


cdef int general_resolve(GeneralTree *tree, const GeneralEvaluation *evaluation) noexcept nogil:
    cdef uint32_t number, row = 0, player
    cdef const GeneralEntry *entry
    cdef GeneralBlock *block
    cdef const float *value
    cdef const float *policy
    cdef double values[MAX_PLAYERS]
    if evaluation.rows != tree.waiting:
        return fault_of(tree, FAULT_VALUE, 0, 0, 0, 0)
    if check(tree, evaluation) != FAULT_NONE:
        return tree.fault
    for number in range(tree.entry_count):
        entry = &tree.entries[number]
        if entry.leaf == NO_LEAF:
            undo(tree, entry.start, entry.length)
            continue
        block = general_block(tree, entry.leaf)
        value = evaluation.values + <uint64_t>row * evaluation.value_width
        for player in range(tree.players):
            if evaluation.value_width > 1:
                values[player] = share(value[player])
            else:
                values[player] = share(value[0] if player == <uint32_t>block.player else -value[0])
        policy = evaluation.policy
        if policy != NULL:
            policy += <uint64_t>row * evaluation.width
        set_priors(tree, block, policy)
        block.flight = 0
        block.total = values[block.player]
        tree.rollouts += 1
        row += 1
        if entry.leaf == tree.root:
            tree.root_waits = False
            if tree.options.noise_alpha > 0:
                add_noise(tree, block)
            continue
        tree.nodes += 1
        set_link(tree, entry.start + entry.length - 1, LINK_BLOCK | entry.leaf)
        back_up(tree, entry.start, entry.length, values)
    tree.entry_count = tree.waiting = tree.collisions = tree.path_used = 0
    return FAULT_NONE


cdef GeneralOps ops
ops.create = general_create
ops.destroy = general_destroy
ops.reset = general_reset
ops.run = general_run
ops.gather = general_gather
ops.resolve = general_resolve
ops.retract = general_retract

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
