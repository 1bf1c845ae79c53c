"""The moves that lead from the root of one search to that of the next."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from mcts_core.game cimport MCTS_ONGOING, NativeState, mcts_game
from mcts_core.tree.plain_tree cimport MAX_SLOTS, NO_VISITS, Tree
from mcts_core.tree.view cimport BlockView, index_mask, is_block, root_link, slot_of, view_block, view_move


cdef bint leads_to(NativeState begin, list moves, NativeState end) except -1:
    """Whether ``moves`` are legal and lead from one position to the other, of the same game."""
    cdef const mcts_game *game = begin.game
    cdef uint8_t *position = <uint8_t *>malloc(game.state_size)
    cdef uint32_t *legal
    cdef int32_t outcome = MCTS_ONGOING, count, i, room = game.max_moves if game.max_moves else MAX_SLOTS
    if position == NULL:
        raise MemoryError()
    legal = <uint32_t *>malloc(room * sizeof(uint32_t))
    if legal == NULL:
        free(position)
        raise MemoryError()
    memcpy(position, begin.state, game.state_size)
    try:
        for move in moves:
            count = game.legal_moves(game.context, position, legal)
            if count > room:
                return False
            if move not in [legal[i] for i in range(count)]:
                return False
            outcome = game.play(game.context, position, move)
            if outcome != MCTS_ONGOING:
                return False
        return memcmp(position, end.state, game.state_size) == 0
    finally:
        free(position)
        free(legal)


cdef bint has_mover(const Tree *tree, const uint32_t *path, uint32_t count, int sign) noexcept nogil:
    """Whether the path leads to a block where the player ``sign`` is to move: a state need not tell who that is."""
    cdef uint32_t link = root_link(tree), i, slot
    cdef BlockView view
    for i in range(count):
        if not is_block(link):
            return False
        view = view_block(tree, link & index_mask(tree))
        slot = slot_of(&view, path[i])
        if slot == view.count:
            return False
        link = view.links[slot]
    return is_block(link) and view_block(tree, link & index_mask(tree)).sign == sign


cdef list found_below(const Tree *tree, NativeState begin, NativeState end, int sign):
    """Up to two moves, among those with a block, that lead from one position to the other where the player ``sign`` is
    to move; None: there are none."""
    cdef uint32_t link = root_link(tree), mask = index_mask(tree), slot, other
    cdef BlockView view, below
    if not is_block(link):
        return None
    view = view_block(tree, link & mask)
    if view.sign == sign and leads_to(begin, [], end):
        return []
    for slot in range(view.count):
        if view.visits[slot] == NO_VISITS or not is_block(view.links[slot]):
            continue
        move = view_move(&view, slot)
        below = view_block(tree, view.links[slot] & mask)
        if below.sign == sign and leads_to(begin, [move], end):
            return [move]
        for other in range(below.count):
            if below.visits[other] != NO_VISITS and is_block(below.links[other]):
                moves = [move, view_move(&below, other)]
                if view_block(tree, below.links[other] & mask).sign == sign and leads_to(begin, moves, end):
                    return moves
    return None
