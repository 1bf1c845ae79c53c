"""What is proven in the guided tree: links of proven values, and what the children of a block prove."""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.guided_tree cimport (BLOCK_HAS_DRAW, BLOCK_INCOMPLETE, GuidedBlock, GuidedColumns, GuidedTree,
                                         guided_columns, known)
from mcts_core.tree.proof_rule cimport Children, packed_proof, see_child, value_for, value_of_children
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, WIDE_INDEX, distance_of, result_of


cdef inline uint32_t terminal(int32_t sign, int32_t value, uint32_t distance) noexcept nogil:
    """The link of a node with ``value`` half-points for the player ``sign``."""
    return LINK_TERMINAL | packed_proof(value_for(sign > 0, value), distance)


cdef inline bint at_most_draw(const GuidedTree *guided, const GuidedBlock *block, uint32_t link) noexcept nogil:
    """Whether the opponent has at least a draw in a child."""
    cdef GuidedBlock *child
    if link & LINK_KIND != LINK_BLOCK:
        return False
    child = <GuidedBlock *>arena_at(&guided.tree.arena, link & WIDE_INDEX)
    return child.flags & BLOCK_HAS_DRAW and child.sign != block.sign


cdef inline int32_t value_of(const GuidedTree *guided, GuidedBlock *block, uint32_t *distance) noexcept nogil:
    """Half-points for the player to move, when the children prove them, else -1; -2 when they would, but moves were
    left out that may be better."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef Children children = Children(0, 0, 1 + block.rest, 0, False, False)
    cdef uint32_t slot, link
    cdef int32_t value
    for slot in range(columns.count):
        link = known(guided, columns.links[slot])
        if link:
            see_child(&children, value_for(block.sign > 0, <int32_t>result_of(link)), distance_of(link))
        elif at_most_draw(guided, block, columns.links[slot]):
            children.limited = True
        else:
            children.unknown = True
    if children.draw and not children.win:
        block.flags |= BLOCK_HAS_DRAW
    value = value_of_children(&children, distance)
    return -2 if 0 <= value < 2 and block.flags & BLOCK_INCOMPLETE else value
