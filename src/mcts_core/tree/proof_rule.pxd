"""The proof rule: what the values of the children prove about a node.

A node is won when a child is, lost when all are, drawn when the best of them is; the distance is the shortest of wins,
the longest of losses and draws. Winands, Bjornsson and Saito, "Monte-Carlo Tree Search Solver" (CG 2008), with draws
and distances.
"""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.guided_tree cimport (BLOCK_HAS_DRAW, BLOCK_INCOMPLETE, GuidedBlock, GuidedColumns, GuidedTree,
                                         guided_columns, known)
from mcts_core.tree.tree cimport (DISTANCE_SHIFT, LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_DISTANCE, WIDE_INDEX,
                                  distance_of, result_of)


cdef enum:
    NEVER = 0xFFFFFFFF


cdef inline uint32_t terminal(int32_t sign, int32_t value, uint32_t distance) noexcept nogil:
    """The link of a node with ``value`` half-points for the player ``sign``."""
    if distance > MAX_DISTANCE:
        distance = MAX_DISTANCE
    return LINK_TERMINAL | distance << DISTANCE_SHIFT | <uint32_t>(value if sign > 0 else 2 - value)


cdef inline int32_t value_for(int32_t sign, uint32_t link) noexcept nogil:
    cdef int32_t value = <int32_t>result_of(link)
    return value if sign > 0 else 2 - value


cdef inline bint at_most_draw(const GuidedTree *guided, const GuidedBlock *block, uint32_t link) noexcept nogil:
    """Whether the opponent has at least a draw in a child."""
    cdef GuidedBlock *child
    if link & LINK_KIND != LINK_BLOCK:
        return False
    child = <GuidedBlock *>arena_at(&guided.tree.arena, link & WIDE_INDEX)
    return child.flags & BLOCK_HAS_DRAW and child.sign != block.sign


cdef inline int32_t value_of(const GuidedTree *guided, GuidedBlock *block, uint32_t *distance) noexcept nogil:
    """Half-points for the player to move, when the children prove them, else -1; -2 when all of them lose but moves
    were left out."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot, link, shortest = NEVER, longest_draw = 0, longest_loss = block.rest, away
    cdef bint unknown = False, bounded = False, draw = False
    cdef int32_t value
    for slot in range(columns.count):
        link = known(guided, columns.links[slot])
        if link == 0:
            if at_most_draw(guided, block, columns.links[slot]):
                bounded = True
            else:
                unknown = True
            continue
        value = value_for(block.sign, link)
        away = distance_of(link)
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
