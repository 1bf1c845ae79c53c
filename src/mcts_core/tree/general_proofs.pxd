"""What is proven in the general tree, in games of two players in which one wins what the other loses: links of proven
values, and the proof rule.

The rule is that of ``proof_rule.pxd``. Nothing is proven of a move without statistics, and nothing follows from an end
that is neither a win, a loss nor a draw. A chance node is proven when all of its outcomes have the same value. Where
nodes have score bounds, a draw is enough if no other move can be worth more.
"""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.tree.general_tree cimport (LINK_PROVEN, GeneralBlock, GeneralColumns, GeneralTree, ending_values,
                                          general_block, general_columns, high_of)
from mcts_core.tree.proof_rule cimport Children, packed_proof, see_child, value_for, value_of_children
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, WIDE_INDEX, distance_of, result_of


cdef inline uint32_t proven_link(int32_t player, int32_t value, uint32_t distance) noexcept nogil:
    """The link of a node with ``value`` half-points for this player, ``distance`` plies before the end of the game."""
    return LINK_PROVEN | packed_proof(value_for(player == 0, value), distance)


cdef inline bint is_proven_link(uint32_t link) noexcept nogil:
    return link & LINK_KIND == 0 and link & LINK_PROVEN


cdef inline bint is_proven_block(const GeneralBlock *block) noexcept nogil:
    return 1 <= block.proof <= 3


cdef inline int32_t points_of(const GeneralTree *general, uint32_t link, uint32_t *distance) noexcept nogil:
    """The proven half-points of player 0 behind a link, else -1."""
    cdef double doubled
    cdef const GeneralBlock *block
    distance[0] = 0
    if link & LINK_KIND == LINK_BLOCK:
        block = general_block(general, link & WIDE_INDEX)
        distance[0] = block.distance
        return <int32_t>block.proof - 1 if is_proven_block(block) else -1
    if link & LINK_KIND == LINK_TERMINAL:
        doubled = 2 * ending_values(general, link)[0]
        return <int32_t>doubled if doubled == 0 or doubled == 1 or doubled == 2 else -1
    if not is_proven_link(link):
        return -1
    distance[0] = distance_of(link)
    return <int32_t>result_of(link)


cdef inline uint32_t general_known(const GeneralTree *general, uint32_t link) noexcept nogil:
    """The proven value behind a link as a link without a block, else 0."""
    cdef uint32_t distance
    cdef int32_t points = points_of(general, link, &distance)
    return 0 if points < 0 else LINK_PROVEN | packed_proof(points, distance)


cdef inline bint is_draw_at_best(const GeneralTree *general, const GeneralBlock *block, uint32_t link) noexcept nogil:
    """Whether bounds show that a child of which nothing is proven gives the player who moves a draw at most."""
    if not general.bounded or block.player < 0:
        return False
    if link & LINK_KIND == LINK_TERMINAL:
        return ending_values(general, link)[block.player] <= 0.5
    return link & LINK_KIND == LINK_BLOCK and high_of(
        general, general_block(general, link & WIDE_INDEX))[block.player] <= 0.5


cdef inline int32_t points_for(int32_t player, int32_t points) noexcept nogil:
    """Those of a player, by those of player 0. Chance counts as player 1."""
    return value_for(player == 0, points)


cdef inline int32_t value_of_outcomes(const Children *children, uint32_t *distance) noexcept nogil:
    """The value of a chance node, where all of its outcomes have the same, else -1."""
    distance[0] = children.longest
    if children.unknown or children.limited or (children.win > 0) + (children.draw > 0) + (children.loss > 0) > 1:
        return -1
    return 2 if children.win else 1 if children.draw else 0


cdef inline int32_t proven_value(const GeneralTree *general, GeneralBlock *block, uint32_t *distance) noexcept nogil:
    """Half-points for the player to move, where the children prove them, else -1."""
    cdef GeneralColumns columns = general_columns(general, block)
    cdef Children children = Children(0, 0, 0, 0, False, columns.count < columns.total)
    cdef uint32_t slot, away
    cdef int32_t points
    for slot in range(columns.count):
        points = points_of(general, columns.links[slot], &away)
        if points >= 0:
            see_child(&children, points_for(block.player, points), away)
        elif is_draw_at_best(general, block, columns.links[slot]):
            children.limited = True
        else:
            children.unknown = True
    if block.player < 0:
        return value_of_outcomes(&children, distance)
    return value_of_children(&children, distance)
