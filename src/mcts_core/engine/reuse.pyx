"""Reuse of the last search's tree: the path from its root to the new one, and how much of the tree is kept.

``tree/compaction.pyx`` moves the blocks; this module decides how many of them are worth the time, also when a full tree
is pruned.
"""

from heapq import heappop, heappush

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from mcts_core.tree.compaction cimport COMPACTION, compact, keep_top
from mcts_core.game cimport MCTS_ONGOING, NativeState, mcts_game
from mcts_core.games.general_rules cimport KIND_DECISION, GeneralPosition, NativeRules, PythonRules, Rules
from mcts_core.games.python_game cimport PythonGame
from mcts_core.games.user_states cimport moves_since
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralTree
from mcts_core.tree.tree cimport MAX_SLOTS, NO_VISITS, RUN_DONE, RUN_LATE, RUN_MEMORY, Tree
from mcts_core.tree.view cimport BlockView, bytes_of, index_mask, is_block, root_link, slot_of, view_block, view_move


cdef double MARKING = 4e-12         # seconds to mark a byte of the arena when it is compacted
cdef uint32_t MOST_COMPARED = 256    # positions of a user's game that are compared with the new root


cdef list path_to_root(const Tree *tree, NativeState before, object state_before, NativeState native, object state,
                       int sign):
    cdef bint later
    if isinstance(native, PythonGame):
        if not isinstance(before, PythonGame):
            return None
        try:
            path = (<PythonGame>before).path_to(state_before, state, &later)
            return most_visited(tree, before, state, sign, MOST_COMPARED) if path is None and later else path
        except Exception:  # raised by the user's game; the search will meet and report it
            return None
    if isinstance(before, PythonGame) or before.game != native.game:
        return None
    moves = moves_since(state_before, state)
    if moves is not None and leads_to(before, moves, native):
        return moves
    return found_below(tree, before, native, sign)


cdef void compact_below(Tree *tree, double seconds, double now) noexcept nogil:
    cdef uint32_t top = tree.arena.top
    # estimated with the bytes a node of the whole arena; every node has a visit, so `reused` bounds the nodes that stay
    cdef double live = bytes_of(tree) * min(1.0, tree.reused / <double>tree.nodes)
    if seconds <= 0 or MARKING * bytes_of(tree) + COMPACTION * live < MOVING * seconds:
        compact(tree, top)
        return
    if tree.nodes > tree.reused:
        tree.nodes = tree.reused + 1
    keep_top(tree, tree.arena.limit // 2, now + MOVING * seconds)


cdef int prune(Tree *tree, double begin, double deadline, double now) noexcept nogil:
    cdef uint32_t top = tree.arena.top
    cdef double left = deadline - now
    cdef bint made
    if left <= MOVING * (deadline - begin):  # the time left is not worth dropping a part of the tree
        return RUN_LATE
    if COMPACTION * bytes_of(tree) < MOVING * left:
        made = compact(tree, top // 2)
    else:
        made = keep_top(tree, top // 2, now + MOVING * left)
    if not made or tree.arena.top > top - top // 8:
        return RUN_MEMORY
    return RUN_DONE


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


cdef uint32_t link_at(const Tree *tree, list path) except? 0:
    cdef uint32_t link = root_link(tree), slot
    cdef BlockView view
    for move in path:
        if not is_block(link):
            return 0
        view = view_block(tree, link & index_mask(tree))
        slot = slot_of(&view, move)
        if slot == view.count:
            return 0
        link = view.links[slot]
    return link


cdef bint has_mover(const Tree *tree, list path, int sign) except -1:
    cdef uint32_t link = link_at(tree, path)
    return is_block(link) and view_block(tree, link & index_mask(tree)).sign == sign


cdef list found_below(const Tree *tree, NativeState begin, NativeState end, int sign):
    """The path of up to two moves, each to a node with a block, from one position to the other, where the player
    ``sign`` is to move; of several, that with the most visits. None: there is none."""
    cdef uint32_t link = root_link(tree), mask = index_mask(tree), slot, other, most = 0
    cdef BlockView view, below
    cdef list best = None
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
        if view.visits[slot] > most and below.sign == sign and leads_to(begin, [move], end):
            best, most = [move], view.visits[slot]
        for other in range(below.count):
            if below.visits[other] != NO_VISITS and below.visits[other] > most and is_block(below.links[other]):
                moves = [move, view_move(&below, other)]
                if view_block(tree, below.links[other] & mask).sign == sign and leads_to(begin, moves, end):
                    best, most = moves, below.visits[other]
    return best


# ---- general games ---------------------------------------------------------------------------------------------------

cdef list path_in_general(const Tree *tree, Rules before, object state_before, Rules after, object state):
    try:
        if not may_follow(before, state_before, after, state):
            return None
        path = told_path(before, state_before, state)
        if path is not None and is_at(tree, before, path, link_at(tree, path), after):
            return path
        return most_visited(tree, before, after, after.player, MOST_COMPARED)
    except Exception:  # raised by the user's game; the search will meet and report it
        return None


cdef bint may_follow(Rules before, object state_before, Rules after, object state) except -1:
    """Whether positions of the last search can be compared with the new root, and the last root is unchanged since it
    was searched."""
    cdef PythonRules python
    if type(before) is not type(after) or before.players != after.players or before.general != after.general:
        return False
    if isinstance(before, NativeRules):
        return (<NativeRules>before).context.game == (<NativeRules>after).context.game
    python = before
    if python.value is None:
        return state_before is state
    return type(state_before) is type(state) and hash(state_before) == python.value


cdef list told_path(Rules before, object state_before, object state):
    """The path to a later position by the attribute ``moves`` of both; None: they have none, or it does not fit."""
    moves = moves_since(state_before, state)
    if moves is None or isinstance(before, NativeRules):
        return moves
    return [(<PythonRules>before).user.ids[move] for move in moves]


cdef bint is_at(const Tree *tree, Rules rules, list path, uint32_t link, Rules end) except -1:
    """Whether ``link``, at the end of ``path``, leads to a block for the root of ``end``: the same player is to move,
    the positions are equal, and in a user's game the moves are the same, in any order."""
    cdef GeneralPosition *position = &(<GeneralTree *>tree).position
    cdef uint32_t *moves
    cdef uint32_t i, count = <uint32_t>len(path)
    cdef NativeRules native
    cdef BlockView view
    if not is_block(link):
        return False
    view = view_block(tree, link & index_mask(tree))
    if view.sign != end.player:
        return False
    if isinstance(rules, PythonRules):
        listed = [rules.name(view.moves[i]) for i in range((<GeneralBlock *>view.record).count)]
        if len(listed) != len(end.root_moves) or set(listed) != set(end.root_moves):
            return False
    moves = <uint32_t *>malloc((count + 1) * sizeof(uint32_t))
    if moves == NULL:
        raise MemoryError()
    for i in range(count):
        moves[i] = path[i]
    try:
        if isinstance(rules, PythonRules):
            return bool((<PythonRules>rules).at(moves, count) == end.root)
        native = rules
        if rules.table.look(rules.table.context, moves, count, False, position) < 0 or position.kind != KIND_DECISION:
            return False
        return memcmp(native.context.state, (<NativeRules>end).context.root, native.context.game.state_size) == 0
    finally:
        free(moves)


cdef list most_visited(const Tree *tree, object rules, object end, int sign, uint32_t most):
    """Looks at the most visited positions first: one with few visits is not worth finding."""
    cdef uint32_t link, slot, mask = index_mask(tree), number = 0
    cdef BlockView view
    cdef list waiting = [(0, 0, [], root_link(tree))] if is_block(root_link(tree)) else []
    while waiting and most:
        _, _, path, link = heappop(waiting)
        view = view_block(tree, link & mask)
        if view.sign == sign:
            most -= 1
            if ((<PythonGame>rules).leads_to(path, end) if isinstance(rules, PythonGame)
                    else is_at(tree, rules, path, link, end)):
                return path
        for slot in range(view.count):
            if view.visits[slot] != NO_VISITS and is_block(view.links[slot]):
                number += 1
                heappush(waiting, (-<int64_t>view.visits[slot], number, [*path, view_move(&view, slot)],
                                   view.links[slot]))
    return None
