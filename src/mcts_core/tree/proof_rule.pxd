"""The proof rule: what the values of the children prove about a node. For every tree with a solver.

A node is won when a child is, lost when all are, drawn when the best of them is; the distance is the shortest of wins,
the longest of losses and draws. Winands, Bjornsson and Saito, "Monte-Carlo Tree Search Solver" (CG 2008), with draws
and distances.

Values are half-points. A tree says by ``known`` or ``points_of`` which value and distance it has behind a link;
``see_child`` takes those of a child, and ``value_of_children`` says what all of them prove.
"""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.game cimport MCTS_NO_MOVE
from mcts_core.tree.tree cimport DISTANCE_SHIFT, MAX_DISTANCE, Tree


ctypedef struct Children:        # of a node, for the player who moves there; distances are from the node, 0: none
    uint32_t win                 # the shortest one
    uint32_t draw                # the longest one
    uint32_t loss
    uint32_t longest             # of all
    bint limited                 # another child is worth a draw at most
    bint unknown                 # another child can be worth anything


cdef inline void see_child(Children *children, int32_t value, uint32_t distance) noexcept nogil:
    """A child of proven value, at this distance from the end of the game."""
    distance += 1
    children.longest = max(children.longest, distance)
    if value == 2:
        children.win = distance if children.win == 0 else min(children.win, distance)
    elif value == 1:
        children.draw = max(children.draw, distance)
    else:
        children.loss = max(children.loss, distance)


cdef inline int32_t value_of_children(const Children *children, uint32_t *distance) noexcept nogil:
    """The value of the node, where the children prove it, else -1."""
    distance[0] = children.win if children.win else children.draw if children.draw else children.loss
    if children.win:
        return 2
    if children.unknown or (children.limited and not children.draw):
        return -1
    return 1 if children.draw else 0


cdef inline int32_t value_for(bint first, int32_t points) noexcept nogil:
    """The half-points of a player, by those of the first player, and the other way round."""
    return points if first else 2 - points


cdef inline uint32_t packed_proof(int32_t points, uint32_t distance) noexcept nogil:
    """The half-points of the first player and the distance, as links have them below their kind."""
    return min(distance, <uint32_t>MAX_DISTANCE) << DISTANCE_SHIFT | <uint32_t>points


cdef inline void set_root_proof(Tree *tree, int32_t value, uint32_t distance, uint32_t move) noexcept nogil:
    """The value of the root is proven, but perhaps not by the shortest win; ``move``: the first one, or NO_MOVE."""
    tree.proof.value = value
    tree.proof.distance = distance
    tree.proof.exact = 0
    tree.proof.move = move
