"""The solver of the guided tree: proofs that are backed up, and the exact search of the game. For ``guided_tree.pyx``
alone. The rule is in ``proof_rule.pxd``, what is proven behind a link in ``guided_proofs.pxd``."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.game cimport MCTS_NO_MOVE, begin_proof, mcts_game, mcts_interrupt, mcts_policy, mcts_proof
from mcts_core.platform cimport mcts_log2_32
from mcts_core.tree.guided_blocks cimport (block_at, find_children, keep_proof, leaf_sign, make_block,
                                           set_link)
from mcts_core.tree.guided_selection cimport select
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.guided_proofs cimport terminal, value_of
from mcts_core.tree.proof_rule cimport set_root_proof, value_for
from mcts_core.tree.prover cimport prover_clear, prover_free, prover_make
from mcts_core.tree.rave cimport reference_of
from mcts_core.tree.tree cimport (LINK_BLOCK, LINK_KIND, NO_SLOT, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY,
                                  RUN_SYSTEM_MEMORY, WIDE_INDEX, must_end)


cdef enum:
    ROOT_SLICE = 4096        # proof budget that the root's exact search spends at a time
    FOLLOWING_SLICES = 64    # of ROOT_SLICE, that the root gets beside where it follows from a proven one
    FOLLOWING_PACE = 160     # iterations for each of them, in a search with a time limit; they take as long
    FIRST_PROOF = 64         # visits of a node when its exact search begins
    NODE_SLICE = 65536       # the same for another node, at most
    CHECK_SHARE = 4          # budget for the most visited move of the root, as a multiple of that for the root
    CHECK_SLICES = 16        # of ROOT_SLICE, that a check of moves spends at a time
    LOOK = 64                # proof budget spent between two looks at the interrupt; in gomoku up to 4 us each


# ---- proofs that are backed up ---------------------------------------------------------------------------------------

cdef inline bint has_prover(const GuidedTree *guided) noexcept nogil:
    return guided.options.solver and guided.guide.prove != NULL and guided.options.prover_bytes > 0


cdef inline bint checks_moves(const GuidedTree *guided) noexcept nogil:
    """Whether exact search looks for wins of the player to move, and so for losing moves of the one before."""
    return guided.options.selection == SELECT_PUCT


cdef inline void prove_root(GuidedTree *guided, int32_t value, uint32_t distance) noexcept nogil:
    """The children of the root prove its value."""
    set_root_proof(&guided.tree, value, distance, MCTS_NO_MOVE)
    if not has_prover(guided) or guided.options.root_proofs == 0 or (value == 2 and distance == 1):
        guided.tree.settled = 1


cdef inline int widen(GuidedTree *guided, uint32_t length) noexcept nogil:
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
        status = make_block(guided, count, &index)
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
    guided.tree.path_passed[length] = NO_SLOT
    before = guided_columns(guided, old)
    after = guided_columns(guided, block)
    for slot in range(count):
        for other in range(before.count):
            if before.moves[other] != after.moves[slot]:
                continue
            after.visits[slot] = before.visits[other]
            after.wins[slot] = before.wins[other]
            if known(guided, before.links[other]) or after.links[slot] == 0:
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


cdef inline int settle(GuidedTree *guided, uint32_t *length, int32_t *points) noexcept nogil:
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
        points[0] = value_for(block.sign > 0, value) * <int32_t>guided.options.wins_per_visit
        if end == 2:
            prove_root(guided, value, distance)
            length[0] = 2
            break
        end -= 1
        keep_proof(guided, end, value, distance)
        length[0] = end
    return RUN_DONE


cdef inline int reconsider(GuidedTree *guided, uint32_t length, bint *changed) noexcept nogil:
    """A child of the node at the end of the path was proven: see ``GuidedOps``."""
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
        keep_proof(guided, length, value, distance)
    return RUN_DONE


# ---- exact search ----------------------------------------------------------------------------------------------------

cdef inline void forget_spent(GuidedTree *guided) noexcept nogil:
    """Forgets what exact search has spent on the root and its moves."""
    guided.root_slices = 0
    memset(guided.checks, 0, sizeof(guided.checks))


cdef inline void forget_prover(GuidedTree *guided) noexcept nogil:
    """Frees the memory of exact search, and forgets what was spent to fill it."""
    prover_free(&guided.prover)
    guided.prover_asked = False
    forget_spent(guided)


cdef inline void clear_prover(GuidedTree *guided) noexcept nogil:
    """Empties the memory of exact search."""
    prover_clear(&guided.prover)
    guided.prover_asked = False


cdef inline bint make_prover(GuidedTree *guided) noexcept nogil:
    """The memory of exact search; False when the system gives none."""
    return prover_make(&guided.prover, guided.tree.game, guided.options.prover_bytes)


cdef inline int ask_prover(GuidedTree *guided, uint32_t length, uint64_t budget, int exact, bint wins_only,
                           mcts_proof *proof) noexcept nogil:
    cdef const mcts_game *game = guided.tree.game
    cdef mcts_interrupt interrupt
    if not make_prover(guided):
        return RUN_SYSTEM_MEMORY
    guided.prover_asked = True
    interrupt.raised = must_end
    interrupt.context = <void *>&guided.tree
    begin_proof(proof, &interrupt, guided.options.ask_book, wins_only)
    if guided.guide.prove(game.context, guided.tree.root, path_of(guided), length - 1, guided.prover.memory, budget,
                          exact, proof) < 0:
        return RUN_GAME_ERROR
    proof.interrupt = NULL
    guided.by_book |= guided.options.ask_book and proof.by_book
    guided.unseen += proof.spent
    if guided.unseen >= LOOK and not guided.tree.interrupted:  # many small budgets must not delay the end of the run
        guided.unseen = 0
        must_end(&guided.tree)
    return RUN_DONE


cdef inline int settle_proof(GuidedTree *guided, uint32_t length, const mcts_proof *proof) noexcept nogil:
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


cdef inline int search_root_exactly(GuidedTree *guided) noexcept nogil:
    """Spends a slice of the root's budget for exact search."""
    cdef mcts_proof proof
    cdef bint proven = guided.tree.proof.value >= 0
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef uint32_t link, slot, found
    cdef int status
    guided.root_slices += 1
    # With check_best, losses are proven move by move.
    status = ask_prover(guided, 1, ROOT_SLICE, proven,
                        not proven and checks_moves(guided) and guided.root_slices & 3 != 0, &proof)
    if status != RUN_DONE:
        return status
    if proof.value >= 0:
        if not proven:
            guided.root_proofs_due %= ROOT_SLICE
            guided.following_due = 0
        if not proven or proof.exact or (proof.value == 2 and proof.distance < guided.tree.proof.distance):
            guided.tree.proof = proof
        link = guided_columns(guided, block_at(guided, 0)).links[0]
        if proof.move != MCTS_NO_MOVE and link & LINK_KIND == LINK_BLOCK and proof.distance > 0:
            block = block_at(guided, link & WIDE_INDEX)
            columns = guided_columns(guided, block)
            for slot in range(columns.count):
                if columns.moves[slot] == proof.move:
                    found = terminal(block.sign, proof.value, proof.distance - 1)
                    if columns.links[slot] & LINK_KIND == LINK_BLOCK and known(guided, columns.links[slot]):
                        block_at(guided, columns.links[slot] & WIDE_INDEX).proof = found
                    else:
                        columns.links[slot] = found
                    if block.best == slot:
                        block.best_link = columns.links[slot]
                    break
        if proof.exact:
            guided.tree.settled = 1
    if proven and proof.spent < ROOT_SLICE // 2 and not guided.tree.interrupted:  # nothing more to find out
        guided.tree.settled = 1
    return RUN_DONE


cdef inline GuidedCheck *check_of(GuidedTree *guided, uint32_t move) noexcept nogil:
    """What was spent on a move of the root. A move that is not noted replaces the one with the least."""
    cdef GuidedCheck *least = &guided.checks[0]
    cdef int i
    for i in range(GUIDED_CHECKS):
        if guided.checks[i].spent and guided.checks[i].move == move:
            return &guided.checks[i]
        if guided.checks[i].spent < least.spent:
            least = &guided.checks[i]
    least.move = move
    least.spent = 0
    return least


cdef inline int check_best(GuidedTree *guided) noexcept nogil:
    """Spends budget on whether the most visited move of the root loses: on the position after it, for wins of the other
    player alone. Games were lost by such moves, which the tree had valued well for thousands of visits. A move that
    becomes the most visited one late soon gets what the others have had; if it loses, so does the next one."""
    cdef uint64_t due = CHECK_SHARE * (<uint64_t>guided.options.root_proofs * guided.tree.iterations + ROOT_SLICE)
    cdef uint32_t slot, best, slices = 0
    cdef GuidedBlock *block
    cdef GuidedColumns columns
    cdef GuidedCheck *check
    cdef mcts_proof proof
    cdef int status
    while slices < CHECK_SLICES and guided.tree.proof.value < 0 and not guided.tree.interrupted:
        slices += 1
        block = block_at(guided, 0)
        columns = guided_columns(guided, block)
        if columns.links[0] & LINK_KIND != LINK_BLOCK:
            break
        guided.tree.path_record[0] = <uint8_t *>block
        guided.tree.path_slot[0] = 0
        block = block_at(guided, columns.links[0] & WIDE_INDEX)
        columns = guided_columns(guided, block)
        best = NO_SLOT
        for slot in range(columns.count):
            if known(guided, columns.links[slot]) == 0 and (best == NO_SLOT
                                                            or columns.visits[slot] > columns.visits[best]):
                best = slot
        if best == NO_SLOT or columns.visits[best] < FIRST_PROOF:
            break
        check = check_of(guided, columns.moves[best])
        if check.spent >= due:
            break
        guided.tree.path_record[1] = <uint8_t *>block
        guided.tree.path_slot[1] = best
        guided.tree.path_move[1] = columns.moves[best]
        status = ask_prover(guided, 2, ROOT_SLICE, 0, True, &proof)
        # what is known to be no win costs nothing: that counts as well
        check.spent += max(proof.spent, <uint64_t>ROOT_SLICE)
        if status == RUN_DONE and proof.value >= 0:
            status = settle_proof(guided, 2, &proof)
        if status != RUN_DONE:
            return status
    return RUN_DONE


cdef inline bint is_milestone(uint32_t visits) noexcept nogil:
    """Whether exact search looks at a node of so many visits: from FIRST_PROOF on, four times in each octave."""
    return visits >= FIRST_PROOF and visits & ((<uint32_t>1 << (mcts_log2_32(visits) - 2)) - 1) == 0


cdef inline uint64_t node_budget(const GuidedTree *guided, const GuidedBlock *block) noexcept nogil:
    """For exact search of a node whose visits are at a milestone."""
    return min(<uint64_t>guided.options.node_proofs * block.visits // 4, <uint64_t>NODE_SLICE)


cdef inline int prove_node(GuidedTree *guided, uint32_t length) noexcept nogil:
    """Asks exact search for a proof of the node at the end of the path, whose visits are at a milestone."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length]
    cdef mcts_proof proof
    cdef int status = ask_prover(guided, length, node_budget(guided, block), 0, checks_moves(guided), &proof)
    return settle_proof(guided, length, &proof) if status == RUN_DONE and proof.value >= 0 else status
