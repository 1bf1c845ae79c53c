"""The guided search: selection with priors, AMAF statistics and proven values; layout: ``tree/guided_tree.pxd``.

The rule by which values are proven is in ``proof_rule.pxd``, the AMAF statistics are in ``rave.pxd``, what comes from
the valuation of the game (priors, values of leaves) is in ``valuation.pxd``. The rest is one module because selection,
expansion, proof and backup call each other within an iteration. It is compiled once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from mcts_core.arena cimport arena_allocate, arena_at, arena_free
from mcts_core.game cimport (MCTS_DRAW, MCTS_NO_MOVE, MCTS_ONGOING, MCTS_WIN, mcts_children, mcts_estimate, mcts_game,
                             mcts_interrupt, mcts_policy, mcts_proof, mcts_raised, mcts_rollout_report)
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.plain_tree cimport (FIRST_PATH, LAYOUT_GUIDED, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS,
                                        MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY,
                                        WIDE_INDEX, WIDE_UNIT, Tree, TreeRoot, begin_search, path_reserve)
from mcts_core.tree.proof_rule cimport NEVER, at_most_draw, terminal, value_for, value_of
from mcts_core.tree.rave cimport add_amaf, give_amaf, reference_of, share
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration
from mcts_core.tree.valuation cimport (add_noise, estimate_leaf, forget_estimator, leave_out, points_of_leaf,
                                       prepare_estimator, share_out)


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint)
    bint MCTS_UNLIKELY(bint)
    int mcts_log2_32(uint32_t x)


cdef extern from "kernels/selection/ucb1.h" nogil:
    void ucb_fill_ln()
    float ucb_scale(const float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/columns.h" nogil:
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


cdef extern from "kernels/selection/ucb1_columns.h" nogil:
    uint32_t sel_ucb1(const sel_columns *columns, const sel_weights weights)


cdef extern from "kernels/selection/puct.h" nogil:
    uint32_t sel_puct(const sel_columns *columns, const sel_weights weights)
    float sel_mean(const sel_columns *columns, float half)


cdef extern from "kernels/exp2.h" nogil:
    void exp2_fill()


cdef extern from "kernels/selection/ucb1_tuned.h" nogil:
    uint32_t sel_tuned(const sel_columns *columns, const sel_weights weights)


cdef extern from "kernels/selection/rave.h" nogil:
    float rave_hand_schedule(float k, uint32_t visits)
    uint32_t sel_rave(const sel_columns *columns, const sel_weights weights)


cdef enum:
    ROOT_SLICE = 4096        # proof budget that the root's exact search spends at a time
    FIRST_PROOF = 64         # visits of a node when its exact search begins
    NODE_SLICE = 65536       # the same for another node, at most
    LOOK = 256               # proof budget spent between two looks at the interrupt

cdef GuidedOps ops

assert sizeof(GuidedBlock) == GUIDED_HEADER


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void guided_destroy(Tree *tree) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    if guided == NULL:
        return
    forget_prover(guided)
    forget_estimator(guided)
    free(guided.noise)
    free(guided.children.moves)
    free(guided.children.actions)
    free(guided.children.outcomes)
    free(guided.children.distances)
    free(guided.children.priors)
    free(guided.played)
    free(guided.amaf_row)
    free(guided.scratch)
    free(guided.drawn)
    free_tree(tree)


cdef Tree *guided_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(GuidedTree), LAYOUT_GUIDED, &ops.tree, bytes)


cdef void forget_prover(GuidedTree *guided) noexcept nogil:
    if guided.prover != NULL:
        guided.prover_game.guide.destroy_memory(guided.prover_game.context, guided.prover)
    guided.prover = NULL


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


cdef bint guided_reserve(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil:
    return levels_reserve(<GuidedTree *>tree, levels) and children_reserve(<GuidedTree *>tree, count)


cdef void begin_root(GuidedTree *guided, uint64_t seed) noexcept nogil:
    """Sets what every search of a new root begins with."""
    begin_search(&guided.tree, seed)
    guided.tree.proof.value = -1
    guided.tree.settled = 0
    guided.by_book = 0
    # Searches by a valuation have few iterations: exact search begins with the first of them.
    guided.root_proofs_due = ROOT_SLICE if guided.options.share and guided.options.root_proofs else 0


cdef void set_root(GuidedTree *guided, const TreeRoot *root) noexcept nogil:
    guided.tree.game = root.game
    guided.guide = root.game.guide
    guided.tree.root = root.state
    guided.tree.root_sign = root.sign


cdef void guided_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint32_t distance = 0
    cdef int32_t value
    cdef GuidedBlock *block
    if guided.prover != NULL and guided.prover_game != root.game:
        forget_prover(guided)
    set_root(guided, root)
    if moved:
        begin_root(guided, seed)
        block = block_at(guided, guided_columns(guided, block_at(guided, 0)).links[0] & WIDE_INDEX)
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value >= 0:
            prove_root(guided, value, distance)
        if guided.options.noise_alpha > 0:
            add_noise(guided, block)
            select(guided, block, reference_of(guided, 2))
    else:
        begin_search(tree, seed)
    tree.reused = guided_columns(guided, block_at(guided, 0)).visits[0]


cdef int guided_reset(Tree *tree, const TreeRoot *root, const void *given, uint64_t seed, bint keep) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef const GuidedOptions *options = <const GuidedOptions *>given
    cdef const mcts_game *game = root.game
    cdef GuidedBlock *block
    set_root(guided, root)
    tree.fixed_moves = tree.narrow = 0
    tree.rollouts_per_leaf = options.rollouts_per_leaf
    tree.half = <float>0.5 / <float>options.rollouts_per_leaf
    guided.options = options[0]
    begin_root(guided, seed)
    set_exploration(tree, options.exploration)
    if not empty_arena(tree, WIDE_UNIT, options.tree_bytes, WIDE_INDEX):
        return RUN_SYSTEM_MEMORY
    if not guided_reserve(tree, FIRST_PATH, game.max_moves if game.max_moves > 64 else 64):
        return RUN_SYSTEM_MEMORY
    if game.guide.actions > guided.played_room:
        if not room_for(<void **>&guided.played, game.guide.actions):
            return RUN_SYSTEM_MEMORY
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
    return RUN_DONE


cdef inline GuidedBlock *block_at(const GuidedTree *guided, uint32_t index) noexcept nogil:
    return <GuidedBlock *>arena_at(&guided.tree.arena, index)


cdef void free_block(GuidedTree *guided, uint32_t index) noexcept nogil:
    """Gives back a block that no link leads to yet."""
    arena_free(&guided.tree.arena, index, block_units(guided, block_at(guided, index).capacity))


# ---- selection -------------------------------------------------------------------------------------------------------

cdef inline void select(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """Finds the best child of a block; ``reference``: GRAVE's AMAF record."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t best = highest(guided, block, &columns, columns.priors, reference)
    block.best = <uint16_t>best
    block.best_link = columns.links[best]


cdef uint32_t best_unknown(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """The best child, of a node with a proven draw, that may be better than a draw; NEVER: there is none."""
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
    if options.selection == SELECT_PUCT:
        w.s = options.exploration * sqrtf(<float>(block.visits if block.visits else 1))
        w.fpu = sel_mean(&c, w.half) - options.fpu
        return sel_puct(&c, w)
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
            w.beta = rave_hand_schedule(options.rave_k, block.visits)
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

cdef void set_link(GuidedTree *guided, uint32_t length, uint32_t link) noexcept nogil:
    """Changes the link of the node at the end of the path; selection no longer takes a proven loss."""
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
    cdef mcts_policy wanted = policy[0]
    wanted.unranked = guided.valuation != NULL and guided.valuation.weigh != NULL
    guided.children.capacity = guided.children_room
    guided.children.complete = 1
    guided.children.rest = 0
    found = guided.guide.children(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1, &wanted,
                                  &guided.children)
    if found > MAX_SLOTS or found < -1:
        found = -1
    if found > <int32_t>guided.children_room:  # a game without a fixed number of moves asks for room
        if not children_reserve(guided, <uint32_t>found):
            return RUN_SYSTEM_MEMORY
        guided.children.capacity = guided.children_room
        found = guided.guide.children(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1, &wanted,
                                      &guided.children)
        if found > <int32_t>guided.children_room:
            found = -1
    if found < 1:
        return RUN_GAME_ERROR
    count[0] = <uint32_t>found
    if guided.options.selection != SELECT_PUCT:
        return RUN_DONE
    found = share_out(guided, length, count[0])
    if found == RUN_DONE and length > 1 and policy.distance:
        leave_out(guided, count)
    return found


cdef int make_block(GuidedTree *guided, uint32_t length, uint32_t count, uint32_t *result) noexcept nogil:
    """Makes a block of the children that ``find_children`` found for the node at the end of the path; its index."""
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
    elif guided.options.selection >= SELECT_RAVE:
        for slot in range(count):
            columns.actions[slot] = found.actions[slot]
        if guided.options.selection == SELECT_RAVE:
            memset(columns.amaf_visits, 0, 8 * capacity)
    result[0] = index
    return RUN_DONE


cdef int expand(GuidedTree *guided, uint32_t length, uint32_t *link) noexcept nogil:
    """Gives the leaf at the end of the path a block, or finds its proven value; its new link in ``link``."""
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
    if guided.options.leaf_proofs and has_prover(guided) and length > 1 and guided.options.share == 0:
        status = ask_prover(guided, length, guided.options.leaf_proofs, 0, &proof)
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
        free_block(guided, index)  # all of these lose, but perhaps not those that were left out
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
    if length == 1 and guided.options.noise_alpha > 0:
        add_noise(guided, block)
    guided.tree.path_record[length] = <uint8_t *>block
    select(guided, block, reference_of(guided, length + 1))
    link[0] = LINK_BLOCK | index
    set_link(guided, length, link[0])
    return RUN_DONE


# ---- proven values ---------------------------------------------------------------------------------------------------

cdef inline bint has_prover(const GuidedTree *guided) noexcept nogil:
    return guided.options.solver and guided.guide.prove != NULL and guided.options.prover_bytes > 0


cdef int32_t look(void *context) noexcept nogil:
    """Asks whether the search has to end, and keeps the answer in ``interrupted``."""
    cdef GuidedTree *guided = <GuidedTree *>context
    guided.tree.interrupted = mcts_raised(&guided.tree.interrupt)
    return guided.tree.interrupted


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
    proof.ask_book = guided.options.ask_book
    proof.by_book = 0
    interrupt.raised = look
    interrupt.context = guided
    if guided.guide.prove(game.context, guided.tree.root, path_of(guided), length - 1, guided.prover, budget, exact,
                          proof) < 0:
        return RUN_GAME_ERROR
    proof.interrupt = NULL
    guided.by_book |= guided.options.ask_book and proof.by_book
    guided.unseen += proof.spent
    if guided.unseen >= LOOK and not guided.tree.interrupted:  # many small budgets must not delay the end of the run
        guided.unseen = 0
        look(guided)
    return RUN_DONE


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
        old.flags |= BLOCK_CLOSED  # the node stays unproven
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


cdef void guided_refresh(Tree *tree, uint32_t index, uint32_t _, uint32_t reference) noexcept nogil:
    select(<GuidedTree *>tree, block_at(<GuidedTree *>tree, index), reference)


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
    guided.tree.proof.value = value
    guided.tree.proof.distance = distance
    guided.tree.proof.exact = 0
    guided.tree.proof.move = MCTS_NO_MOVE
    if not has_prover(guided) or guided.options.root_proofs == 0 or (value == 2 and distance == 1):
        guided.tree.settled = 1


cdef int search_root_exactly(GuidedTree *guided) noexcept nogil:
    """Spends a slice of the root's budget for exact search."""
    cdef mcts_proof proof
    cdef bint known = guided.tree.proof.value >= 0
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef uint32_t link, slot
    cdef int status = ask_prover(guided, 1, ROOT_SLICE, known, &proof)
    if status != RUN_DONE:
        return status
    if proof.value >= 0:
        if not known or proof.exact or (proof.value == 2 and proof.distance < guided.tree.proof.distance):
            guided.tree.proof = proof
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
            guided.tree.settled = 1
    if known and proof.spent < ROOT_SLICE // 2 and not guided.tree.interrupted:  # nothing more to find out
        guided.tree.settled = 1
    return RUN_DONE


cdef int settle_proof(GuidedTree *guided, uint32_t length, const mcts_proof *proof) noexcept nogil:
    """Exact search has proven the node at the end of the path."""
    cdef uint32_t end = length
    cdef int32_t points = 0
    cdef int status
    set_link(guided, length, terminal(leaf_sign(guided, length), proof.value, proof.distance))
    status = settle(guided, &end, &points)
    if status != RUN_DONE:
        return status
    select(guided, <GuidedBlock *>guided.tree.path_record[end - 1], reference_of(guided, end))
    return RUN_DONE


cdef int search_best_exactly(GuidedTree *guided) noexcept nogil:
    """Spends a slice on the position after the most visited move: whether that loses. Games were lost by such
    moves, which the tree had valued well for thousands of visits."""
    cdef GuidedBlock *block = block_at(guided, 0)
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot, best = NEVER, link = columns.links[0]
    cdef mcts_proof proof
    cdef int status
    if link & LINK_KIND != LINK_BLOCK:
        return RUN_DONE
    guided.tree.path_record[0] = <uint8_t *>block
    guided.tree.path_slot[0] = 0
    block = block_at(guided, link & WIDE_INDEX)
    columns = guided_columns(guided, block)
    for slot in range(columns.count):
        if columns.links[slot] & LINK_KIND != LINK_TERMINAL and (best == NEVER
                                                                 or columns.visits[slot] > columns.visits[best]):
            best = slot
    if best == NEVER or columns.visits[best] < FIRST_PROOF:
        return RUN_DONE
    guided.tree.path_record[1] = <uint8_t *>block
    guided.tree.path_slot[1] = best
    guided.tree.path_move[1] = columns.moves[best]
    status = ask_prover(guided, 2, ROOT_SLICE, 0, &proof)
    return settle_proof(guided, 2, &proof) if status == RUN_DONE and proof.value >= 0 else status


cdef inline bint is_milestone(uint32_t visits) noexcept nogil:
    """Whether exact search looks at a node of so many visits: four times in each octave."""
    return visits & ((<uint32_t>1 << (mcts_log2_32(visits) - 2)) - 1) == 0


cdef int prove_node(GuidedTree *guided, uint32_t length) noexcept nogil:
    """Asks exact search for a proof of the node at the end of the path, whose visits are at a milestone."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length]
    cdef mcts_proof proof
    cdef uint64_t budget = <uint64_t>guided.options.node_proofs * block.visits // 4
    cdef int status = ask_prover(guided, length, min(budget, <uint64_t>NODE_SLICE), 0, &proof)
    return settle_proof(guided, length, &proof) if status == RUN_DONE and proof.value >= 0 else status


# ---- the value of a leaf ---------------------------------------------------------------------------------------------

cdef int value_leaf(GuidedTree *guided, uint32_t length, uint32_t *link, int32_t *points) noexcept nogil:
    """The points of the leaf at the end of the path for player +1; or its proven value, which becomes its ``link``."""
    cdef mcts_estimate estimate
    cdef int32_t sign = leaf_sign(guided, length)
    cdef int status = estimate_leaf(guided, length, &estimate)
    if status != RUN_DONE:
        return status
    guided.tree.rollouts += 1
    if guided.options.solver and length > 1:
        if estimate.proof.value < 0 and guided.options.leaf_proofs and has_prover(guided):
            status = ask_prover(guided, length, guided.options.leaf_proofs, 0, &estimate.proof)
            if status != RUN_DONE:
                return status
        if estimate.proof.value >= 0:
            link[0] = terminal(sign, estimate.proof.value, estimate.proof.distance)
            points[0] = <int32_t>result_of(link[0]) * <int32_t>guided.options.rollouts_per_leaf
            set_link(guided, length, link[0])
            return RUN_DONE
    return points_of_leaf(guided, length, sign, estimate.value, points)


# ---- one iteration ---------------------------------------------------------------------------------------------------

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
    cdef mcts_rollout_report report
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
    elif guided.options.share:
        status = value_leaf(guided, length, &link, &points)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
        proven = link & LINK_KIND == LINK_TERMINAL
    else:
        report.played = guided.played if amaf else NULL
        for i in range(guided.options.rollouts_per_leaf):
            report.proof.value = -1
            returned = guided.guide.rollout(tree.game.context, tree.root, path_of(guided), length - 1,
                                            &guided.options.policy, &report, &tree.rng)
            if MCTS_UNLIKELY(returned < 0):
                return RUN_GAME_ERROR
            points += 1 + tree.root_sign * (returned - 1)
            if report.proof.value >= 0 and guided.options.solver and length > 1:
                link = terminal(leaf_sign(guided, length), report.proof.value, report.proof.distance)
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
    if prove > 1 and guided.options.node_proofs and has_prover(guided):
        return prove_node(guided, prove)
    return RUN_DONE


cdef int guided_run(Tree *tree, uint32_t count) noexcept nogil:
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef uint32_t _, most = MAX_ITERATIONS // guided.options.rollouts_per_leaf
    cdef int status
    if count > most - tree.reused - tree.iterations:
        count = most - tree.reused - tree.iterations
    guided.tree.interrupted = 0
    if not prepare_estimator(guided):
        return RUN_SYSTEM_MEMORY
    for _ in range(count):
        if guided.tree.settled:
            return RUN_SOLVED
        if guided.tree.interrupted:
            break
        if guided.tree.proof.value < 0:
            status = iterate(guided)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
        else:
            guided.tree.proof_iterations += 1
        if has_prover(guided):
            guided.root_proofs_due += guided.options.root_proofs
            if guided.root_proofs_due >= ROOT_SLICE:
                guided.root_proofs_due -= ROOT_SLICE
                status = search_root_exactly(guided)
                if status == RUN_DONE and guided.options.selection == SELECT_PUCT and guided.tree.proof.value < 0:
                    status = search_best_exactly(guided)
                if status != RUN_DONE:
                    return status
    return RUN_SOLVED if guided.tree.settled else RUN_DONE


ops.tree.create = guided_create
ops.tree.destroy = guided_destroy
ops.tree.reset = guided_reset
ops.tree.resume = guided_resume
ops.tree.run = guided_run
ops.tree.reserve = guided_reserve
ops.tree.refresh = guided_refresh
ops.accept = set_link
ops.reconsider = guided_reconsider
ops.forget_prover = forget_prover

ucb_fill_ln()
exp2_fill()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
