"""The blocks that the guided tree makes of the children of a node, and the links to them. For ``guided_tree.pyx``
alone."""

from libc.stdint cimport int8_t, int32_t, uint16_t, uint32_t
from libc.string cimport memset

from mcts_core.arena cimport arena_allocate, arena_at, arena_free
from mcts_core.game cimport (MCTS_DRAW, MCTS_ONGOING, MCTS_ORDERED, MCTS_WIN, mcts_children, mcts_policy,
                             mcts_rng_below)
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.memory cimport room_for
from mcts_core.tree.proof_rule cimport value_for
from mcts_core.tree.guided_proofs cimport terminal
from mcts_core.tree.tree cimport (LINK_KIND, LINK_TERMINAL, MAX_DISTANCE, MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR,
                                  RUN_MEMORY, RUN_SYSTEM_MEMORY, result_of)
from mcts_core.tree.valuation cimport leave_out, share_out


cdef extern from "kernels/selection/excluded.h" nogil:
    const float SEL_EXCLUDED


cdef inline GuidedBlock *block_at(const GuidedTree *guided, uint32_t index) noexcept nogil:
    return <GuidedBlock *>arena_at(&guided.tree.arena, index)


cdef inline void free_block(GuidedTree *guided, uint32_t index) noexcept nogil:
    """Gives back a block that no link leads to yet."""
    arena_free(&guided.tree.arena, index, block_units(guided, block_at(guided, index).capacity))


cdef inline int32_t leaf_sign(const GuidedTree *guided, uint32_t length) noexcept nogil:
    """Who is to move at the end of the path, in a game whose players alternate."""
    return guided.tree.root_sign if length & 1 else -guided.tree.root_sign


cdef inline void set_link(GuidedTree *guided, uint32_t length, uint32_t link) noexcept nogil:
    """Changes the link of the node at the end of the path."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length - 1]
    cdef uint32_t slot = guided.tree.path_slot[length - 1]
    cdef GuidedColumns columns = guided_columns(guided, block)
    columns.links[slot] = link
    if block.best == slot:
        block.best_link = link
    if link & LINK_KIND == LINK_TERMINAL:
        exclude_loss(guided, length, link)


cdef inline void exclude_loss(GuidedTree *guided, uint32_t length, uint32_t proof) noexcept nogil:
    """Keeps selection from the node at the end of the path, if that is proven to be lost for the player above."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length - 1]
    if length > 1 and guided.options.solver and value_for(block.sign > 0, <int32_t>result_of(proof)) == 0:
        guided_columns(guided, block).priors[guided.tree.path_slot[length - 1]] = SEL_EXCLUDED


cdef inline void keep_proof(GuidedTree *guided, uint32_t length, int32_t value, uint32_t distance) noexcept nogil:
    """The children of the node at the end of the path prove its value: ``value`` half-points for who moves there. Those
    that do not belong to the proof lose their blocks."""
    cdef GuidedBlock *block = <GuidedBlock *>guided.tree.path_record[length]
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot
    for slot in range(columns.count):
        if known(guided, columns.links[slot]) == 0:
            columns.links[slot] = 0
    block.best_link = columns.links[block.best]
    block.proof = terminal(block.sign, value, distance)
    exclude_loss(guided, length, block.proof)


cdef inline bint children_reserve(GuidedTree *guided, uint32_t count) noexcept nogil:
    count = (count + 7) & ~<uint32_t>7
    if count <= guided.children_room:
        return True
    if not (room_for(<void **>&guided.children.moves, count * sizeof(uint32_t))
            and room_for(<void **>&guided.children.actions, count * sizeof(uint32_t))
            and room_for(<void **>&guided.children.outcomes, count)
            and room_for(<void **>&guided.children.distances, count * sizeof(uint16_t))
            and room_for(<void **>&guided.children.priors, count * sizeof(float))
            and room_for(<void **>&guided.amaf_row, count * 2 * sizeof(float))
            and room_for(<void **>&guided.scratch, count * sizeof(float))
            and room_for(<void **>&guided.noise, count * sizeof(double))):
        return False
    guided.children_room = count
    return True


cdef inline void shuffle_equal(GuidedTree *guided, uint32_t count) noexcept nogil:
    """Puts ``children`` with equal priors into random order: of equal ones selection takes the first."""
    cdef mcts_children *found = &guided.children
    cdef uint32_t slot, other
    for slot in range(1, count):
        if found.priors[slot] != found.priors[0]:
            return
    for slot in range(count - 1):
        other = slot + mcts_rng_below(&guided.tree.rng, count - slot)
        found.moves[slot], found.moves[other] = found.moves[other], found.moves[slot]
        found.actions[slot], found.actions[other] = found.actions[other], found.actions[slot]
        found.outcomes[slot], found.outcomes[other] = found.outcomes[other], found.outcomes[slot]
        found.distances[slot], found.distances[other] = found.distances[other], found.distances[slot]


cdef inline int find_children(GuidedTree *guided, uint32_t length, const mcts_policy *policy,
                              uint32_t *count) noexcept nogil:
    """Fills ``children`` with those of the node at the end of the path."""
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
    if not (guided.tree.game.flags & MCTS_ORDERED or wanted.unranked):
        shuffle_equal(guided, count[0])
    if guided.options.selection != SELECT_PUCT:
        return RUN_DONE
    found = share_out(guided, length, count[0])
    if found == RUN_DONE and length > 1 and policy.distance:
        leave_out(guided, count)
    return found


cdef inline int make_block(GuidedTree *guided, uint32_t count, uint32_t *result) noexcept nogil:
    """Makes a block of the children that ``find_children`` has found last; its index in ``result``."""
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
