"""The guided search: selection with priors, AMAF statistics and proven values; layout: ``tree/guided_tree.pxd``.

Here are its memory, expansion and the iteration with the backup. Selection is in ``guided_selection.pxd``, blocks are
made in ``guided_blocks.pxd``, proofs in ``guided_solver.pxd`` by the rule of ``proof_rule.pxd``; the AMAF statistics
are in ``rave.pxd``, and what comes from the valuation of the game (priors, values of leaves) in ``valuation.pxd``. All
of this is compiled with this module, once per instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from mcts_core.game cimport mcts_estimate, mcts_game, mcts_policy, mcts_proof, mcts_rollout_report
from mcts_core.tree.guided_blocks cimport (block_at, children_reserve, find_children, free_block, leaf_sign, make_block,
                                           set_link)
from mcts_core.tree.guided_selection cimport best_unknown, select
from mcts_core.tree.guided_solver cimport (FIRST_PROOF, FOLLOWING_SLICES, ROOT_SLICE, ask_prover, check_best,
                                           checks_moves, forget_prover, forget_spent, has_prover, is_milestone,
                                           prove_node, prove_root, reconsider, search_root_exactly, settle)
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.plain_tree cimport (FIRST_PATH, LAYOUT_GUIDED, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS,
                                        RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY,
                                        WIDE_INDEX, WIDE_UNIT, Tree, TreeRoot, begin_search, path_reserve)
from mcts_core.tree.proof_rule cimport NEVER, terminal, value_of
from mcts_core.tree.rave cimport add_amaf, give_amaf, reference_of, share
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration
from mcts_core.tree.valuation cimport add_noise, estimate_leaf, forget_estimator, points_of_leaf, prepare_estimator


cdef extern from "kernels/platform.h" nogil:
    bint MCTS_LIKELY(bint)
    bint MCTS_UNLIKELY(bint)


cdef extern from "kernels/selection/ucb1.h" nogil:
    void ucb_fill_ln()


cdef extern from "kernels/exp2.h" nogil:
    void exp2_fill()


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
    cdef Tree *tree = make_tree(sizeof(GuidedTree), LAYOUT_GUIDED, &ops.tree, bytes)
    if tree != NULL:
        tree.proof.value = -1
    return tree


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


cdef void guided_refresh(Tree *tree, uint32_t index, uint32_t _, uint32_t reference) noexcept nogil:
    select(<GuidedTree *>tree, block_at(<GuidedTree *>tree, index), reference)


cdef void begin_root(GuidedTree *guided, uint64_t seed) noexcept nogil:
    """Sets what every search of a new root begins with."""
    begin_search(&guided.tree, seed)
    guided.tree.proof.value = -1
    guided.tree.settled = 0
    guided.by_book = 0
    forget_spent(guided)
    # Searches by a valuation have few iterations: exact search begins with the first of them.
    guided.root_proofs_due = ROOT_SLICE if guided.options.share and guided.options.root_proofs else 0


cdef void follow_proof(GuidedTree *guided) noexcept nogil:
    """The root follows from a proven one, but has no proof yet. Exact search tries harder, so that a won game stays
    won: without that and with 100 iterations a move, 3 of 101 won games of Connect Four were given away."""
    if guided.options.root_proofs:
        guided.root_proofs_due = <uint64_t>FOLLOWING_SLICES * ROOT_SLICE


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
    cdef bint followed = tree.proof.value >= 0
    if guided.prover != NULL and guided.prover_game != root.game:
        forget_prover(guided)
    set_root(guided, root)
    if moved:
        begin_root(guided, seed)
        block = block_at(guided, guided_columns(guided, block_at(guided, 0)).links[0] & WIDE_INDEX)
        value = value_of(guided, block, &distance) if guided.options.solver else -1
        if value >= 0:
            prove_root(guided, value, distance)
        elif followed:
            follow_proof(guided)
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
    cdef bint followed = keep and tree.proof.value >= 0
    set_root(guided, root)
    tree.fixed_moves = tree.narrow = 0
    tree.rollouts_per_leaf = options.rollouts_per_leaf
    tree.half = <float>0.5 / <float>options.rollouts_per_leaf
    guided.options = options[0]
    begin_root(guided, seed)
    if followed:
        follow_proof(guided)
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
        guided.prover_asked = False
    # Block 0 stands above the root and has one child, the root: so the root is a slot like any other.
    tree.arena.top = block_units(guided, 8)
    block = <GuidedBlock *>tree.arena.base
    memset(block, 0, tree.arena.top * WIDE_UNIT)
    block.sign = 1
    block.capacity = 8
    block.count = 1
    return RUN_DONE


# ---- expansion -------------------------------------------------------------------------------------------------------

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
        status = ask_prover(guided, length, guided.options.leaf_proofs, 0, False, &proof)
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
            status = ask_prover(guided, length, guided.options.leaf_proofs, 0, False, &estimate.proof)
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
    # A move that is proven to lose counts as one visit with no win, and keeps those that it had. In gomoku at 50 ms, to
    # go on with another move in the same iteration lost 140 Elo, and to take back what the move had won about 30.
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
                if status == RUN_DONE and checks_moves(guided):
                    status = check_best(guided)
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
ops.reconsider = reconsider
ops.forget_prover = forget_prover

ucb_fill_ln()
exp2_fill()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
