"""The solver of the general tree: proofs that are backed up, and the exact search of the game. For ``general_tree.pyx``
alone."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.game cimport MCTS_NO_MOVE, begin_proof, mcts_interrupt, mcts_proof
from mcts_core.games.general_rules cimport KIND_OVER
from mcts_core.tree.general_blocks cimport look, set_link
from mcts_core.tree.general_proofs cimport points_for, points_of, proven_link, proven_value
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.proof_rule cimport set_root_proof
from mcts_core.tree.prover cimport prover_free, prover_make
from mcts_core.tree.score_bounds cimport settle_root, tighten
from mcts_core.tree.tree cimport (LINK_BLOCK, LINK_KIND, MAX_DISTANCE, NO_SLOT, RUN_DONE, RUN_GAME_ERROR, RUN_SOLVED,
                                  RUN_SYSTEM_MEMORY, WIDE_INDEX, must_end, path_reserve)


cdef enum:
    ROOT_SLICE = 4096        # proof budget that the root's exact search spends at a time
    ROOT_STEP = 512          # of that, the first step for each leaf of a batch
    FIRST_PROOF = 8          # visits of the root's most visited move when its exact search begins


# ---- proofs ----------------------------------------------------------------------------------------------------------

cdef inline void forget_proof(GeneralTree *general) noexcept nogil:
    general.tree.proof.value = -1
    general.tree.proof.move = MCTS_NO_MOVE
    general.tree.settled = 0
    general.root_proofs_spent = 0


cdef inline void prove_root(GeneralTree *general, int32_t value, uint32_t distance) noexcept nogil:
    set_root_proof(&general.tree, value, distance, MCTS_NO_MOVE)
    general.tree.settled = 1


cdef inline void set_points(int32_t points, double *values) noexcept nogil:
    """The values of both players, by the half-points of player 0."""
    values[0] = 0.5 * points
    values[1] = 1.0 - values[0]


cdef inline void accept(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    set_link(general, at, link)
    exclude_loss(general, at, link)


cdef inline void exclude_loss(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    """Keeps selection from a child that is proven, by ``link``, to be lost for the player who moves."""
    cdef GeneralBlock *block = <GeneralBlock *>general.tree.path_record[at]
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t distance
    if columns.priors != NULL and points_for(block.player, points_of(general, link, &distance)) == 0:
        columns.priors[general.tree.path_slot[at]] = SEL_EXCLUDED


cdef inline void keep_proof(GeneralTree *general, uint32_t at, int32_t value, uint32_t distance) noexcept nogil:
    """The children of entry ``at`` of the path prove its value: ``value`` half-points for who moves there. Those that
    do not belong to the proof lose their blocks."""
    cdef GeneralBlock *block = <GeneralBlock *>general.tree.path_record[at]
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, away
    for slot in range(columns.count):
        if columns.links[slot] & LINK_KIND == LINK_BLOCK and points_of(general, columns.links[slot], &away) < 0:
            columns.links[slot] = 0
    block.proof = <uint8_t>(1 + points_for(block.player, value))
    block.distance = <uint16_t>min(distance, <uint32_t>MAX_DISTANCE)
    exclude_loss(general, at - 1, proven_link(block.player, value, distance))


cdef inline void settle(GeneralTree *general, uint32_t start, uint32_t length, uint32_t link,
                        double *values) noexcept nogil:
    """The node at the end of a path is proven, by ``link``. Proves what follows from it above; ``values`` become those
    of the highest node that is proven then."""
    cdef uint32_t at = start + length - 1, distance
    cdef int32_t value
    cdef GeneralBlock *block
    accept(general, at, link)
    while True:
        set_points(points_of(general, link, &distance), values)
        block = <GeneralBlock *>general.tree.path_record[at]
        value = proven_value(general, block, &distance)
        if value < 0:
            return
        general.tree.path_passed[at] = NO_SLOT  # which counts for nothing now
        link = proven_link(block.player, value, distance)
        if at == start:
            prove_root(general, value, distance)
            set_points(points_of(general, link, &distance), values)
            return
        keep_proof(general, at, value, distance)
        at -= 1


cdef inline void reconsider(GeneralTree *general, uint32_t at, bint *changed) noexcept nogil:
    cdef GeneralBlock *block = <GeneralBlock *>general.tree.path_record[at]
    cdef uint32_t distance
    cdef int32_t value = proven_value(general, block, &distance)
    changed[0] = value >= 0
    if value >= 0 and at == 1:
        prove_root(general, value, distance)
    elif value >= 0:
        keep_proof(general, at, value, distance)


cdef inline void tighten_path(GeneralTree *general, uint32_t start, uint32_t length) noexcept nogil:
    """The child at the end of a path is known better than before: bounds the nodes of the path, from below."""
    cdef uint32_t at = start + length, distance
    cdef int32_t value = -1
    cdef GeneralBlock *block
    cdef bint changed
    while at > start:
        at -= 1
        block = <GeneralBlock *>general.tree.path_record[at]
        changed = tighten(general, block)
        if general.options.solver:
            value = proven_value(general, block, &distance)
        if value >= 0 and at == start:
            prove_root(general, value, distance)
        elif value >= 0:
            keep_proof(general, at, value, distance)
        elif not changed:
            return
    settle_root(general)


# ---- exact search ----------------------------------------------------------------------------------------------------

cdef inline bint has_prover(const GeneralTree *general) noexcept nogil:
    return general.options.solver and general.rules.prove != NULL and general.options.prover_bytes > 0


cdef inline void forget_prover(GeneralTree *general) noexcept nogil:
    prover_free(&general.prover)


cdef inline int ask_prover(GeneralTree *general, uint32_t start, uint32_t length, uint64_t budget,
                           mcts_proof *proof) noexcept nogil:
    """Asks exact search about the position at the end of a path."""
    cdef mcts_interrupt interrupt
    if not prover_make(&general.prover, general.rules.proving, general.options.prover_bytes):
        return RUN_SYSTEM_MEMORY
    interrupt.raised = must_end
    interrupt.context = <void *>&general.tree
    begin_proof(proof, &interrupt, False, False)  # no book: what a network learns from is search
    if general.rules.prove(general.rules.context, general.tree.path_move + start, length, general.prover.memory, budget,
                           False, proof) < 0:
        return RUN_GAME_ERROR
    return RUN_DONE


cdef inline void note_root_proof(GeneralTree *general, const mcts_proof *proof) noexcept nogil:
    """Exact search has proven the root: by the move that it told, where there is one."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, distance, at = general.path_used
    cdef double values[2]
    for slot in range(columns.count if proof.value > 0 and proof.distance > 0 else 0):
        if columns.moves[slot] == proof.move:
            if points_of(general, columns.links[slot], &distance) < 0:
                general.tree.path_record[at] = <uint8_t *>block
                general.tree.path_slot[at] = slot
                settle(general, at, 1, proven_link(block.player, proof.value, proof.distance - 1), values)
            prove_root(general, proof.value, proof.distance)
            return
    if proof.value == 0:
        prove_root(general, 0, proof.distance)


cdef inline int prove_leader(GeneralTree *general, uint64_t budget) noexcept nogil:
    """Spends a budget on the position after the most visited move of the root: whether that loses."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, best = columns.count, distance, at = general.path_used
    cdef double values[2]
    cdef mcts_proof proof
    cdef int status
    for slot in range(columns.count):
        if points_of(general, columns.links[slot], &distance) < 0 and (
                best == columns.count or columns.visits[slot] > columns.visits[best]):
            best = slot
    if best == columns.count or columns.visits[best] < FIRST_PROOF:
        return RUN_DONE
    general.tree.path_record[at] = <uint8_t *>block
    general.tree.path_slot[at] = best
    general.tree.path_move[at] = columns.moves[best]
    status = ask_prover(general, at, 1, budget, &proof)
    if status == RUN_DONE and proof.value >= 0:
        settle(general, at, 1, proven_link(1 - block.player, proof.value, proof.distance), values)
    return status


cdef inline int shorten_win(GeneralTree *general) noexcept nogil:
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


cdef inline int search_exactly(GeneralTree *general) noexcept nogil:
    """Spends what is due of the root's proof budget.

    The first slice comes in steps, each as large as all before it, where a batch has few leaves: all of it at once
    would keep many searches side by side waiting for one that has just begun.
    """
    cdef mcts_proof proof
    cdef int status
    cdef uint64_t least = min(<uint64_t>ROOT_SLICE, <uint64_t>ROOT_STEP * general.options.batch), budget
    cdef bint first = True
    if not path_reserve(&general.tree, general.path_used + 1):
        return RUN_SYSTEM_MEMORY
    while ((general.root_proofs_spent <= <uint64_t>general.options.root_proofs * general.tree.iterations
            or (first and general.root_proofs_spent < ROOT_SLICE))
           and not general.tree.settled and not general.tree.interrupted):
        first = False
        budget = min(<uint64_t>ROOT_SLICE, max(least, general.root_proofs_spent))
        general.root_proofs_spent += budget
        status = ask_prover(general, 0, 0, budget, &proof)
        if status == RUN_DONE and proof.value >= 0:
            note_root_proof(general, &proof)
        if status == RUN_DONE and not general.tree.settled:
            status = prove_leader(general, budget)
        if status != RUN_DONE:
            return status
    return RUN_DONE
