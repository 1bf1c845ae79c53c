"""The guided search: selection with priors, AMAF statistics and proven values; layout: ``tree/guided_tree.pxd``.

Proven values: Winands, Bjornsson and Saito, "Monte-Carlo Tree Search Solver" (CG 2008), with draws and distances. RAVE:
Gelly and Silver (Artificial Intelligence 175, 2011). GRAVE: Cazenave (IJCAI 2015). This module is compiled once per
instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from mcts_core.arena cimport (FIRST_COMMIT, arena_allocate, arena_at, arena_free, arena_grow, arena_release,
                              arena_reserve)
from mcts_core.game cimport (MCTS_DRAW, MCTS_NO_MOVE, MCTS_ONGOING, MCTS_WIN, mcts_game, mcts_interrupt, mcts_playout,
                             mcts_policy, mcts_proof, mcts_raised)
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.plain_tree cimport (FIRST_PATH, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS, MAX_SLOTS,
                                        RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY, WIDE_INDEX,
                                        WIDE_UNIT, Tree, begin_search, path_reserve)


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint)
    bint MCTS_UNLIKELY(bint)
    int mcts_log2_32(uint32_t x)


cdef extern from "kernels/selection/ucb.h" nogil:
    void ucb_fill_ln()
    void ucb_fill_scales(float *scales, float c)
    float ucb_scale(const float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/selection.h" nogil:
    const float SEL_EXCLUDED

    ctypedef struct sel_columns:
        uint32_t capacity
        const int32_t *visits
        const int32_t *wins
        const uint32_t *squares
        const float *priors
        const float *amaf_visits
        const float *amaf_wins

    ctypedef struct sel_weights:
        float half
        float weight
        float fpu
        float s
        float variance
        float square
        float beta
        float bias

    uint32_t sel_ucb1(const sel_columns *columns, const sel_weights weights)
    uint32_t sel_tuned(const sel_columns *columns, const sel_weights weights)
    uint32_t sel_rave(const sel_columns *columns, const sel_weights weights)


cdef enum:
    ROOT_SLICE = 4096        # units that the root's exact search spends at a time
    NEVER = 0xFFFFFFFF
    FIRST_PROOF = 64         # visits of a node when its exact search begins
    NODE_SLICE = 65536       # units that the exact search of another node spends at a time
    LOOK = 256               # that are spent between two looks at the interrupt

assert sizeof(GuidedBlock) == GUIDED_HEADER


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void guided_destroy(GuidedTree *guided) noexcept nogil:
    if guided == NULL:
        return
    forget_prover(guided)
    arena_release(&guided.tree.arena)
    free(guided.tree.path_record)
    free(guided.tree.path_slot)
    free(guided.tree.path_move)
    free(guided.children.moves)
    free(guided.children.actions)
    free(guided.children.outcomes)
    free(guided.children.distances)
    free(guided.children.priors)
    free(guided.played)
    free(guided.amaf_row)
    free(guided.scratch)
    free(guided.drawn)
    free(guided)


cdef GuidedTree *guided_create(uint64_t bytes) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>calloc(1, sizeof(GuidedTree))
    if guided == NULL:
        return NULL
    if not arena_reserve(&guided.tree.arena, bytes):
        guided_destroy(guided)
        return NULL
    return guided


cdef void forget_prover(GuidedTree *guided) noexcept nogil:
    if guided.prover != NULL:
        guided.prover_game.guide.destroy_memory(guided.prover_game.context, guided.prover)
    guided.prover = NULL


cdef bint room_for(void **memory, uint64_t bytes) noexcept nogil:
    cdef void *larger = realloc(memory[0], bytes)
    if larger == NULL:
        return False
    memory[0] = larger
    return True


cdef bint children_reserve(GuidedTree *guided, uint32_t count) noexcept nogil:
    count = (count + 7) & ~<uint32_t>7
    if count <= guided.children_room:
        return True
    if not (room_for(<void **>&guided.children.moves, count * sizeof(uint32_t))
            and room_for(<void **>&guided.children.actions, count * sizeof(uint32_t))
            and room_for(<void **>&guided.children.outcomes, count)
            and room_for(<void **>&guided.children.distances, count * sizeof(uint16_t))
            and room_for(<void **>&guided.children.priors, count * sizeof(float))
            and room_for(<void **>&guided.amaf_row, count * 2 * sizeof(float))
            and room_for(<void **>&guided.scratch, count * sizeof(float))):
        return False
    guided.children_room = count
    return True


cdef bint levels_reserve(GuidedTree *guided, uint32_t count) noexcept nogil:
    cdef uint32_t level
    if not path_reserve(&guided.tree, count):
        return False
    if guided.drawn_room < guided.tree.path_room:
        if not room_for(<void **>&guided.drawn, guided.tree.path_room * sizeof(uint32_t)):
            return False
        for level in range(guided.drawn_room, guided.tree.path_room):
            guided.drawn[level] = NEVER
        guided.drawn_room = guided.tree.path_room
    return True


cdef int guided_reserve(GuidedTree *guided, uint32_t levels, uint32_t count) noexcept nogil:
    return levels_reserve(guided, levels) and children_reserve(guided, count)


cdef void start(GuidedTree *guided, uint64_t seed) noexcept nogil:
    """What every search of a new root begins with."""
    begin_search(&guided.tree, seed)
    guided.proof.value = -1
    guided.settled = 0
    guided.debt = 0
    guided.forgone = 0


cdef int guided_resume(GuidedTree *guided, const mcts_game *game, const void *root, int32_t root_sign, uint64_t seed,
                       int moved) noexcept nogil:
    cdef uint32_t distance = 0
    cdef int32_t value
    cdef GuidedBlock *block
    if guided.prover != NULL and guided.prover_game != game:
        forget_prover(guided)
    guided.tree.game = game
    guided.guide = game.guide
    guided.tree.root = root
    guided.tree.root_sign = root_sign
    if moved:
        start(guided, seed)
        block = block_at(guided, guided_columns(guided, block_at(guided, 0)).links[0] & WIDE_INDEX)
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value >= 0:
            prove_root(guided, value, distance)
    else:
        begin_search(&guided.tree, seed)
        guided.forgone = 0
    guided.tree.reused = guided_columns(guided, block_at(guided, 0)).visits[0]
    return 1


cdef int guided_reset(GuidedTree *guided, const mcts_game *game, const void *root, int32_t root_sign,
                      const GuidedOptions *options, uint64_t seed, int keep) noexcept nogil:
    cdef Tree *tree = &guided.tree
    cdef uint64_t units
    cdef GuidedBlock *block
    memset(tree.arena.freed, 0, sizeof(tree.arena.freed))
    tree.game = game
    tree.root = root
    tree.root_sign = root_sign
    tree.fixed_moves = tree.narrow = 0
    tree.arena.unit = WIDE_UNIT
    tree.rollouts_per_leaf = options.rollouts_per_leaf
    tree.half = <float>0.5 / <float>options.rollouts_per_leaf
    units = (tree.arena.reserved if tree.arena.reserved < options.tree_bytes else options.tree_bytes) // WIDE_UNIT
    tree.arena.limit = <uint32_t>(units if units < WIDE_INDEX else WIDE_INDEX)
    if tree.exploration != options.exploration or tree.arena.committed == 0:
        tree.exploration = options.exploration
        ucb_fill_scales(tree.scales, options.exploration)
    tree.guided = 1
    tree.nodes = 1
    guided.options = options[0]
    guided.guide = game.guide
    start(guided, seed)
    if tree.arena.committed == 0 and not arena_grow(&tree.arena, FIRST_COMMIT):
        return 0
    if not levels_reserve(guided, FIRST_PATH) or not children_reserve(
            guided, game.max_moves if game.max_moves > 64 else 64):
        return 0
    if game.guide.actions > guided.played_room:
        if not room_for(<void **>&guided.played, game.guide.actions):
            return 0
        guided.played_room = game.guide.actions
    if guided.prover != NULL and (guided.prover_game != game or guided.prover_bytes != options.prover_bytes):
        forget_prover(guided)
    if guided.prover != NULL and not keep:
        game.guide.clear_memory(game.context, guided.prover)
    # Block 0 stands above the root and has one child, the root: so the root is a slot like any other.
    tree.arena.top = block_units(guided, 8)
    block = <GuidedBlock *>tree.arena.base
    memset(block, 0, tree.arena.top * WIDE_UNIT)
    block.sign = 1
    block.capacity = 8
    block.count = 1
    return 1


cdef inline GuidedBlock *block_at(const GuidedTree *guided, uint32_t index) noexcept nogil:
    return <GuidedBlock *>arena_at(&guided.tree.arena, index)


cdef void free_block(GuidedTree *guided, uint32_t index) noexcept nogil:
    """Gives back a block that no link leads to yet."""
    arena_free(&guided.tree.arena, index, block_units(guided, block_at(guided, index).capacity))


# ---- selection -------------------------------------------------------------------------------------------------------

cdef inline int32_t share(const GuidedTree *guided, int32_t sign, int32_t points) noexcept nogil:
    """What the player ``sign`` gets of an iteration that gave ``points`` half-points to player +1."""
    return points if sign > 0 else 2 * <int32_t>guided.options.rollouts_per_leaf - points


cdef inline void select(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """Finds the best child of a block; ``reference``: GRAVE's AMAF record."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t best = highest(guided, block, &columns, columns.priors, reference)
    block.best = <uint16_t>best
    block.best_link = columns.links[best]


cdef uint32_t best_unknown(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """The best child of a node with a proven draw among those that may be better than that; NEVER: there is none."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot, unknown = 0
    for slot in range(columns.count, block.capacity):
        guided.scratch[slot] = SEL_EXCLUDED
    for slot in range(columns.count):
        guided.scratch[slot] = columns.priors[slot]
        if columns.links[slot] & LINK_KIND == LINK_TERMINAL or at_most_draw(guided, block, columns.links[slot]):
            guided.scratch[slot] = SEL_EXCLUDED
        else:
            unknown += 1
    return highest(guided, block, &columns, guided.scratch, reference) if unknown else <uint32_t>NEVER


cdef inline bint at_most_draw(const GuidedTree *guided, const GuidedBlock *block, uint32_t link) noexcept nogil:
    """Whether the opponent has at least a draw in a child."""
    cdef GuidedBlock *child
    if link & LINK_KIND != LINK_BLOCK:
        return False
    child = block_at(guided, link & WIDE_INDEX)
    return child.flags & BLOCK_HAS_DRAW and child.sign != block.sign


cdef uint32_t highest(GuidedTree *guided, const GuidedBlock *block, const GuidedColumns *columns, const float *priors,
                      uint32_t reference) noexcept nogil:
    """The slot with the highest score."""
    cdef const GuidedOptions *options = &guided.options
    cdef sel_columns c
    cdef sel_weights w
    cdef uint32_t slot, action
    cdef float k
    cdef const float *amaf
    c.capacity = block.capacity
    c.visits = <const int32_t *>columns.visits
    c.wins = columns.wins
    c.priors = priors
    w.half = guided.tree.half
    w.weight = options.prior_weight
    w.fpu = options.fpu
    w.s = ucb_scale(guided.tree.scales, options.exploration, block.visits if block.visits else 1)
    if options.selection == SELECT_UCB1:
        return sel_ucb1(&c, w)
    if options.selection == SELECT_TUNED:
        c.squares = columns.squares
        w.square = w.half * w.half * <float>options.rollouts_per_leaf
        k = w.s / options.exploration if options.exploration > 0 else <float>0.0
        w.variance = 2 * k * k
        return sel_tuned(&c, w)
    w.bias = options.rave_bias
    w.beta = -1
    if options.selection == SELECT_RAVE:
        c.amaf_visits = columns.amaf_visits
        c.amaf_wins = columns.amaf_wins
        if options.hand_schedule:
            k = options.rave_k
            w.beta = sqrtf(k / (3 * <float>block.visits + k)) if k > 0 else <float>0.0
    else:
        amaf = <const float *>arena_at(&guided.tree.arena, reference)
        if block.sign < 0:
            amaf += 2 * guided.guide.actions
        for slot in range(columns.count):
            action = columns.actions[slot]
            guided.amaf_row[slot] = amaf[action]
            guided.amaf_row[guided.children_room + slot] = amaf[guided.guide.actions + action]
        for slot in range(columns.count, block.capacity):
            guided.amaf_row[slot] = guided.amaf_row[guided.children_room + slot] = 0
        c.amaf_visits = guided.amaf_row
        c.amaf_wins = guided.amaf_row + guided.children_room
    return sel_rave(&c, w)


# ---- expansion -------------------------------------------------------------------------------------------------------

cdef inline const uint32_t *path_of(const GuidedTree *guided) noexcept nogil:
    """The moves from the root to the node that the iteration has reached."""
    return guided.tree.path_move + 1


cdef inline uint32_t terminal(int32_t sign, int32_t value, uint32_t distance) noexcept nogil:
    """The link of a node with ``value`` half-points for the player ``sign``."""
    if distance > MAX_DISTANCE:
        distance = MAX_DISTANCE
    return LINK_TERMINAL | distance << DISTANCE_SHIFT | <uint32_t>(value if sign > 0 else 2 - value)


cdef inline int32_t value_for(int32_t sign, uint32_t link) noexcept nogil:
    cdef int32_t value = <int32_t>result_of(link)
    return value if sign > 0 else 2 - value


cdef void set_link(GuidedTree *guided, uint32_t length, uint32_t link) noexcept nogil:
    """Changes the link of the node at the end of the path; a proven loss is selected no more."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length - 1]
    cdef uint32_t slot = guided.tree.path_slot[length - 1]
    cdef GuidedColumns columns = guided_columns(guided, block)
    columns.links[slot] = link
    if block.best == slot:
        block.best_link = link
    if length > 1 and guided.options.solver and link & LINK_KIND == LINK_TERMINAL and value_for(block.sign, link) == 0:
        columns.priors[slot] = SEL_EXCLUDED


cdef inline int32_t leaf_sign(const GuidedTree *guided, uint32_t length) noexcept nogil:
    """Who is to move at the end of the path, in a game whose players alternate."""
    return guided.tree.root_sign if length & 1 else -guided.tree.root_sign


cdef int find_children(GuidedTree *guided, uint32_t length, const mcts_policy *policy, uint32_t *count) noexcept nogil:
    cdef int32_t found
    guided.children.capacity = guided.children_room
    guided.children.complete = 1
    guided.children.rest = 0
    found = guided.guide.children(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1, policy,
                                  &guided.children)
    if found > MAX_SLOTS or found < -1:
        found = -1
    if found > <int32_t>guided.children_room:  # a game without a fixed number of moves asks for room
        if not children_reserve(guided, <uint32_t>found):
            return RUN_SYSTEM_MEMORY
        guided.children.capacity = guided.children_room
        found = guided.guide.children(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1, policy,
                                      &guided.children)
        if found > <int32_t>guided.children_room:
            found = -1
    if found < 1:
        return RUN_GAME_ERROR
    count[0] = <uint32_t>found
    return RUN_DONE


cdef int make_block(GuidedTree *guided, uint32_t length, uint32_t count, uint32_t *result) noexcept nogil:
    """A block of the children that ``find_children`` found for the node at the end of the path; its index."""
    cdef const mcts_children *found = &guided.children
    cdef uint32_t capacity = (count + 7) & ~<uint32_t>7, slot
    cdef uint32_t index = arena_allocate(&guided.tree.arena, block_units(guided, capacity))
    cdef int32_t sign = guided.tree.root_sign if found.root_player else -guided.tree.root_sign, value
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    if index == 0:
        return RUN_MEMORY
    block = block_at(guided, index)
    memset(block, 0, GUIDED_HEADER)
    block.capacity = <uint16_t>capacity
    block.count = <uint16_t>count
    block.sign = <int8_t>sign
    block.flags = 0 if found.complete else BLOCK_INCOMPLETE
    block.rest = <uint16_t>(found.rest if found.rest < MAX_DISTANCE else MAX_DISTANCE)
    columns = guided_columns(guided, block)
    memset(columns.visits, 0, 8 * capacity)
    for slot in range(count, capacity):
        columns.priors[slot] = SEL_EXCLUDED
    for slot in range(count):
        columns.links[slot] = 0
        columns.moves[slot] = found.moves[slot]
        columns.priors[slot] = guided.options.prior_weight * found.priors[slot]
        value = -1
        if found.outcomes[slot] != MCTS_ONGOING and (guided.options.solver or found.distances[slot] == 0):
            value = 2 if found.outcomes[slot] == MCTS_WIN else 1 if found.outcomes[slot] == MCTS_DRAW else 0
            columns.links[slot] = terminal(sign, value, found.distances[slot])
        if value == 0 and guided.options.solver:
            columns.priors[slot] = SEL_EXCLUDED
    if guided.options.selection == SELECT_TUNED:
        memset(columns.squares, 0, 4 * capacity)
    elif guided.options.selection != SELECT_UCB1:
        for slot in range(count):
            columns.actions[slot] = found.actions[slot]
        if guided.options.selection == SELECT_RAVE:
            memset(columns.amaf_visits, 0, 8 * capacity)
    result[0] = index
    return RUN_DONE


cdef inline uint32_t reference_of(const GuidedTree *guided, uint32_t length) noexcept nogil:
    """The AMAF record of the deepest node on the path that has one; 0 but for GRAVE."""
    cdef GuidedBlock *block
    if guided.options.selection != SELECT_GRAVE:
        return 0
    while length > 1:
        length -= 1
        block = <GuidedBlock *>guided.tree.path_record[length]
        if block.amaf:
            return block.amaf
    return 0


cdef bint give_amaf(GuidedTree *guided, GuidedBlock *block) noexcept nogil:
    cdef uint32_t index = arena_allocate(&guided.tree.arena, amaf_units(guided))
    if index == 0:
        return False
    memset(arena_at(&guided.tree.arena, index), 0, amaf_units(guided) * WIDE_UNIT)
    block.amaf = index
    return True


cdef int expand(GuidedTree *guided, uint32_t length, uint32_t *link) noexcept nogil:
    """Gives the leaf at the end of the path a block, or finds its value; its new link."""
    cdef GuidedBlock *block
    cdef GuidedBlock *above = <GuidedBlock *>guided.tree.path_record[length - 1]
    cdef uint32_t index = 0, count = 0, slot = guided.tree.path_slot[length - 1]
    cdef int32_t value
    cdef uint32_t distance = 0
    cdef mcts_proof proof
    cdef mcts_policy policy = guided.options.policy
    cdef int status
    if not levels_reserve(guided, length + 2):
        return RUN_SYSTEM_MEMORY
    if guided.options.leaf_units and has_prover(guided) and length > 1:
        status = ask_prover(guided, length, guided.options.leaf_units, 0, &proof)
        if status != RUN_DONE:
            return status
        if proof.value >= 0:
            link[0] = terminal(leaf_sign(guided, length), proof.value, proof.distance)
            set_link(guided, length, link[0])
            return RUN_DONE
    if length == 1:
        policy.symmetry = 0
    while True:
        status = find_children(guided, length, &policy, &count)
        if status != RUN_DONE:
            return status
        status = make_block(guided, length, count, &index)
        if status != RUN_DONE:
            return status
        block = block_at(guided, index)
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value != -2 or policy.distance == 0:
            break
        free_block(guided, index)  # all of these lose: perhaps the others do not
        policy.distance = 0
    if guided.options.selection == SELECT_GRAVE and length == 1 and not give_amaf(guided, block):
        return RUN_MEMORY
    if value >= 0:
        if length == 1:
            prove_root(guided, value, distance)
        else:
            link[0] = terminal(block.sign, value, distance)
            free_block(guided, index)
            set_link(guided, length, link[0])
            return RUN_DONE
    block.visits = guided_columns(guided, above).visits[slot]
    guided.tree.path_record[length] = <uint8_t *>block
    select(guided, block, reference_of(guided, length + 1))
    link[0] = LINK_BLOCK | index
    set_link(guided, length, link[0])
    return RUN_DONE


# ---- proven values ---------------------------------------------------------------------------------------------------

cdef inline bint has_prover(const GuidedTree *guided) noexcept nogil:
    return guided.options.solver and guided.guide.prove != NULL and guided.options.prover_bytes > 0


cdef int32_t look(void *context) noexcept nogil:
    """Asks whether the search has to end, and keeps the answer."""
    cdef GuidedTree *guided = <GuidedTree *>context
    guided.interrupted = mcts_raised(&guided.interrupt)
    return guided.interrupted


cdef int ask_prover(GuidedTree *guided, uint32_t length, uint64_t budget, int exact, mcts_proof *proof) noexcept nogil:
    cdef const mcts_game *game = guided.tree.game
    cdef mcts_interrupt interrupt
    if guided.prover == NULL:
        guided.prover = guided.guide.create_memory(game.context, guided.options.prover_bytes)
        if guided.prover == NULL:
            return RUN_SYSTEM_MEMORY
        guided.prover_game = game
        guided.prover_bytes = guided.options.prover_bytes
    proof.value = -1
    proof.spent = 0
    proof.exact = 0
    proof.distance = 0
    proof.move = MCTS_NO_MOVE
    proof.interrupt = &interrupt
    interrupt.raised = look
    interrupt.context = guided
    if guided.guide.prove(game.context, guided.tree.root, path_of(guided), length - 1, guided.prover, budget, exact,
                          proof) < 0:
        return RUN_GAME_ERROR
    proof.interrupt = NULL
    guided.unseen += proof.spent
    if guided.unseen >= LOOK and not guided.interrupted:  # of many small budgets, too, one ends the run
        guided.unseen = 0
        look(guided)
    return RUN_DONE


cdef int32_t value_of(const GuidedTree *guided, GuidedBlock *block, uint32_t *distance) noexcept nogil:
    """Half-points for the player to move, when the children prove them, else -1; -2 when all of them lose but moves
    were left out."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot, shortest = NEVER, longest_draw = 0, longest_loss = block.rest, away
    cdef bint unknown = False, bounded = False, draw = False
    cdef int32_t value
    for slot in range(columns.count):
        if columns.links[slot] & LINK_KIND != LINK_TERMINAL:
            if at_most_draw(guided, block, columns.links[slot]):
                bounded = True
            else:
                unknown = True
            continue
        value = value_for(block.sign, columns.links[slot])
        away = distance_of(columns.links[slot])
        if value == 2:
            shortest = away if away < shortest else shortest
        elif value == 1:
            draw = True
            longest_draw = away if away > longest_draw else longest_draw
        elif away > longest_loss:
            longest_loss = away
    if shortest != NEVER:
        distance[0] = shortest + 1
        return 2
    if draw:
        block.flags |= BLOCK_HAS_DRAW
    if unknown or (bounded and not draw):
        return -1
    if block.flags & BLOCK_INCOMPLETE:
        return -2
    distance[0] = 1 + (longest_draw if draw else longest_loss)
    return 1 if draw else 0


cdef int widen(GuidedTree *guided, uint32_t length) noexcept nogil:
    """Replaces the block of the node at the end of the path by one of all its moves."""
    cdef GuidedBlock *old = <GuidedBlock *>guided.tree.path_record[length]
    cdef GuidedBlock *block
    cdef GuidedColumns before, after
    cdef uint32_t index = 0, count = 0, slot, other
    cdef mcts_policy policy = guided.options.policy
    cdef int status
    policy.distance = 0
    policy.symmetry = 0
    status = find_children(guided, length, &policy, &count)
    if status == RUN_DONE:
        status = make_block(guided, length, count, &index)
    if status == RUN_MEMORY:
        old.flags |= BLOCK_CLOSED  # it stays unproven
        return RUN_DONE
    if status != RUN_DONE:
        return status
    block = block_at(guided, index)
    if block.flags & BLOCK_INCOMPLETE:
        block.flags |= BLOCK_CLOSED
    block.visits = old.visits
    block.amaf = old.amaf
    guided.drawn[length] = NEVER
    before = guided_columns(guided, old)
    after = guided_columns(guided, block)
    for slot in range(count):
        for other in range(before.count):
            if before.moves[other] != after.moves[slot]:
                continue
            after.visits[slot] = before.visits[other]
            after.wins[slot] = before.wins[other]
            if before.links[other] & LINK_KIND == LINK_TERMINAL or after.links[slot] == 0:
                after.links[slot] = before.links[other]
                after.priors[slot] = before.priors[other]
            if guided.options.selection == SELECT_TUNED:
                after.squares[slot] = before.squares[other]
            elif guided.options.selection == SELECT_RAVE:
                after.amaf_visits[slot] = before.amaf_visits[other]
                after.amaf_wins[slot] = before.amaf_wins[other]
            if length < guided.tree.path_room and guided.tree.path_slot[length] == other:
                guided.tree.path_slot[length] = slot | 0x80000000u
            break
    guided.tree.path_slot[length] &= 0x7FFFFFFFu
    guided.tree.path_record[length] = <uint8_t *>block
    set_link(guided, length, LINK_BLOCK | index)
    select(guided, block, reference_of(guided, length + 1))
    return RUN_DONE


cdef int settle(GuidedTree *guided, uint32_t *length, int32_t *points) noexcept nogil:
    """The node at the end of the path has just been proven: so are, perhaps, those above it.

    ``length`` becomes the end of the path to the highest proven node, ``points`` its value.
    """
    cdef uint32_t end = length[0], distance = 0, had_draw
    cdef int32_t value
    cdef GuidedBlock *block
    cdef int status
    while end > 1:
        block = <GuidedBlock *>guided.tree.path_record[end - 1]
        had_draw = block.flags & BLOCK_HAS_DRAW
        value = value_of(guided, block, &distance)
        if value == -2 and not block.flags & BLOCK_CLOSED:
            status = widen(guided, end - 1)
            if status != RUN_DONE:
                return status
            block = <GuidedBlock *>guided.tree.path_record[end - 1]
            value = value_of(guided, block, &distance)
        if value < 0:
            if block.flags & BLOCK_HAS_DRAW == had_draw:
                break
            end -= 1  # the new bound may prove the node above
            continue
        points[0] = (value if block.sign > 0 else 2 - value) * <int32_t>guided.options.rollouts_per_leaf
        if end == 2:
            prove_root(guided, value, distance)
            length[0] = 2
            break
        end -= 1
        set_link(guided, end, terminal(block.sign, value, distance))
        length[0] = end
    return RUN_DONE


cdef void guided_refresh(GuidedTree *guided, uint32_t index, uint32_t reference) noexcept nogil:
    select(guided, block_at(guided, index), reference)


cdef int guided_reconsider(GuidedTree *guided, uint32_t length, bint *changed) noexcept nogil:
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length]
    cdef uint32_t distance = 0, had_draw = block.flags & BLOCK_HAS_DRAW
    cdef int32_t value = value_of(guided, block, &distance)
    cdef int status
    if value == -2 and not block.flags & BLOCK_CLOSED:
        status = widen(guided, length)
        if status != RUN_DONE:
            return status
        block = <GuidedBlock *>guided.tree.path_record[length]
        value = value_of(guided, block, &distance)
    changed[0] = value >= 0 or block.flags & BLOCK_HAS_DRAW != had_draw
    if value >= 0 and length == 1:
        prove_root(guided, value, distance)
    elif value >= 0:
        set_link(guided, length, terminal(block.sign, value, distance))
    return RUN_DONE


cdef void prove_root(GuidedTree *guided, int32_t value, uint32_t distance) noexcept nogil:
    """The children of the root prove its value."""
    guided.proof.value = value
    guided.proof.distance = distance
    guided.proof.exact = 0
    guided.proof.move = MCTS_NO_MOVE
    if not has_prover(guided) or guided.options.root_units == 0 or (value == 2 and distance == 1):
        guided.settled = 1


cdef int search_root_exactly(GuidedTree *guided) noexcept nogil:
    """Spends a slice of the root's budget for exact search."""
    cdef mcts_proof proof
    cdef bint known = guided.proof.value >= 0
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef uint32_t link, slot
    cdef int status = ask_prover(guided, 1, ROOT_SLICE, known, &proof)
    if status != RUN_DONE:
        return status
    if proof.value >= 0:
        if not known or proof.exact or (proof.value == 2 and proof.distance < guided.proof.distance):
            guided.proof = proof
        link = guided_columns(guided, block_at(guided, 0)).links[0]
        if proof.move != MCTS_NO_MOVE and link & LINK_KIND == LINK_BLOCK and proof.distance > 0:
            block = block_at(guided, link & WIDE_INDEX)
            columns = guided_columns(guided, block)
            for slot in range(columns.count):
                if columns.moves[slot] == proof.move:
                    columns.links[slot] = terminal(block.sign, proof.value, proof.distance - 1)
                    if block.best == slot:
                        block.best_link = columns.links[slot]
                    break
        if proof.exact:
            guided.settled = 1
    if known and proof.spent < ROOT_SLICE // 2 and not guided.interrupted:  # it has no more to find out
        guided.settled = 1
    return RUN_DONE


cdef inline bint is_milestone(uint32_t visits) noexcept nogil:
    """Four times in each octave."""
    return visits & ((<uint32_t>1 << (mcts_log2_32(visits) - 2)) - 1) == 0


cdef int prove_node(GuidedTree *guided, uint32_t length) noexcept nogil:
    """Asks for a proof of the node at the end of the path, the visits of which are at a milestone."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length]
    cdef uint32_t end = length
    cdef int32_t points = 0
    cdef mcts_proof proof
    cdef uint64_t budget = <uint64_t>guided.options.node_units * block.visits // 4
    cdef int status = ask_prover(guided, length, min(budget, <uint64_t>NODE_SLICE), 0, &proof)
    if status != RUN_DONE or proof.value < 0:
        return status
    set_link(guided, length, terminal(leaf_sign(guided, length), proof.value, proof.distance))
    status = settle(guided, &end, &points)
    if status != RUN_DONE:
        return status
    select(guided, <GuidedBlock *>guided.tree.path_record[end - 1],
           reference_of(guided, end))
    return RUN_DONE


# ---- one iteration ---------------------------------------------------------------------------------------------------

cdef void add_amaf(GuidedTree *guided, GuidedBlock *block, int32_t points) noexcept nogil:
    """Adds the moves of this iteration below the block's node to its AMAF statistics."""
    cdef GuidedColumns columns
    cdef const uint8_t *played = guided.played
    cdef uint32_t slot, actions = guided.guide.actions, action
    cdef uint8_t code = 1 if block.sign == guided.tree.root_sign else 2
    cdef float value = guided.tree.half * <float>share(guided, block.sign, points), hit
    cdef float *amaf
    if guided.options.selection == SELECT_RAVE:
        columns = guided_columns(guided, block)
        for slot in range(columns.count):
            hit = <float>(played[columns.actions[slot]] == code)
            columns.amaf_visits[slot] += hit
            columns.amaf_wins[slot] += hit * value
        return
    if not block.amaf:
        if block.visits < guided.options.grave_ref or not give_amaf(guided, block):
            return
    amaf = <float *>arena_at(&guided.tree.arena, block.amaf)
    value = guided.tree.half * <float>share(guided, 1, points)
    code = 1 if guided.tree.root_sign > 0 else 2
    for action in range(actions):
        hit = <float>(played[action] == code)
        amaf[action] += hit
        amaf[actions + action] += hit * value
    amaf += 2 * actions
    value = 1 - value
    code = 3 - code
    for action in range(actions):
        hit = <float>(played[action] == code)
        amaf[action] += hit
        amaf[actions + action] += hit * value


cdef inline void count(GuidedTree *guided, GuidedBlock *block, GuidedColumns *columns, uint32_t slot,
                       int32_t points) noexcept nogil:
    """Adds a visit to a slot."""
    cdef int32_t add = share(guided, block.sign, points)
    columns.visits[slot] += 1
    columns.wins[slot] += add
    if guided.options.selection == SELECT_TUNED:
        columns.squares[slot] += <uint32_t>(add * add) // guided.options.rollouts_per_leaf


cdef int iterate(GuidedTree *guided) noexcept nogil:
    cdef Tree *tree = &guided.tree
    cdef uint32_t length = 0, index = 0, slot = 0, link = 0, i, depth, prove = 0, other
    cdef int32_t points = 0, returned
    cdef int status = RUN_DONE
    cdef bint amaf = guided.options.selection >= SELECT_RAVE, proven = False
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef mcts_playout playout
    # selection: the best child of every block is known
    while True:
        block = block_at(guided, index)
        slot = block.best
        link = block.best_link
        tree.path_record[length] = <uint8_t *>block
        tree.path_slot[length] = slot
        columns = guided_columns(guided, block)
        guided.drawn[length] = NEVER
        if MCTS_UNLIKELY(link & LINK_KIND == LINK_TERMINAL) and result_of(link) == 1 and guided.options.solver:
            other = best_unknown(guided, block, reference_of(guided, length + 1))
            if other != NEVER:
                guided.drawn[length] = slot
                slot = other
                link = columns.links[slot]
                tree.path_slot[length] = slot
            else:  # the other children are at most draws, some of them since they were last looked at
                proven = True
        tree.path_move[length] = columns.moves[slot]
        length += 1
        if MCTS_LIKELY(link & LINK_KIND == LINK_BLOCK):
            index = link & WIDE_INDEX
            continue
        if link & LINK_KIND != LINK_TERMINAL and (columns.visits[slot] >= guided.options.expand_after or length == 1):
            status = expand(guided, length, &link)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
            if link & LINK_KIND == LINK_BLOCK:
                index = link & WIDE_INDEX
                continue
            proven = True
        break
    depth = length - 1
    if amaf:
        memset(guided.played, 0, guided.guide.actions)
    if link & LINK_KIND == LINK_TERMINAL:
        points = <int32_t>result_of(link) * <int32_t>guided.options.rollouts_per_leaf
    else:
        playout.played = guided.played if amaf else NULL
        for i in range(guided.options.rollouts_per_leaf):
            playout.proof.value = -1
            returned = guided.guide.play_out(tree.game.context, tree.root, path_of(guided), length - 1,
                                             &guided.options.policy, &playout, &tree.rng)
            if MCTS_UNLIKELY(returned < 0):
                return RUN_GAME_ERROR
            points += 1 + tree.root_sign * (returned - 1)
            if playout.proof.value >= 0 and guided.options.solver and length > 1:
                link = terminal(leaf_sign(guided, length), playout.proof.value, playout.proof.distance)
                points = <int32_t>result_of(link) * <int32_t>guided.options.rollouts_per_leaf
                set_link(guided, length, link)
                proven = True
                tree.rollouts += i + 1
                break
        else:
            tree.rollouts += guided.options.rollouts_per_leaf
    tree.nodes += columns.visits[slot] == 0
    if proven and guided.options.solver:
        status = settle(guided, &length, &points)
        if status != RUN_DONE:
            return status
    # backup, from the leaf up
    tree.iterations += 1
    tree.depth_sum += depth
    if depth > tree.depth_max:
        tree.depth_max = depth
    i = length
    while i > 1:
        i -= 1
        block = <GuidedBlock *>tree.path_record[i]
        columns = guided_columns(guided, block)
        slot = tree.path_slot[i]
        if amaf:  # the moves of the path join those of the rollout
            guided.played[columns.actions[slot]] = 1 if block.sign == tree.root_sign else 2
            add_amaf(guided, block, points)
        count(guided, block, &columns, slot, points)
        if guided.drawn[i] != NEVER:  # what the levels above see is the draw
            points = <int32_t>guided.options.rollouts_per_leaf
            tree.nodes += columns.visits[guided.drawn[i]] == 0
            count(guided, block, &columns, guided.drawn[i], points)
        block.visits += 1
        if block.visits >= FIRST_PROOF and prove == 0 and is_milestone(block.visits):
            prove = i
        select(guided, block, reference_of(guided, i + 1))
    block = block_at(guided, 0)
    columns = guided_columns(guided, block)
    columns.visits[0] += 1
    columns.wins[0] += points
    if prove > 1 and guided.options.node_units and has_prover(guided):
        return prove_node(guided, prove)
    return RUN_DONE


cdef int guided_run(GuidedTree *guided, uint32_t count) noexcept nogil:
    cdef Tree *tree = &guided.tree
    cdef uint32_t _, most = MAX_ITERATIONS // guided.options.rollouts_per_leaf
    cdef int status
    if count > most - tree.reused - tree.iterations:
        count = most - tree.reused - tree.iterations
    guided.interrupted = 0
    for _ in range(count):
        if guided.settled:
            return RUN_SOLVED
        if guided.interrupted:
            break
        if guided.proof.value < 0:
            status = iterate(guided)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
        else:
            guided.forgone += 1
        if has_prover(guided):
            guided.debt += guided.options.root_units
            if guided.debt >= ROOT_SLICE:
                guided.debt -= ROOT_SLICE
                status = search_root_exactly(guided)
                if status != RUN_DONE:
                    return status
    return RUN_SOLVED if guided.settled else RUN_DONE


cdef GuidedOps ops
ops.create = guided_create
ops.destroy = guided_destroy
ops.reset = guided_reset
ops.resume = guided_resume
ops.run = guided_run
ops.reserve = guided_reserve
ops.refresh = guided_refresh
ops.accept = set_link
ops.reconsider = guided_reconsider

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
