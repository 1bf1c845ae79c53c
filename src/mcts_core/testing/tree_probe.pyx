"""Looks into the tree of a Searcher from Python: for tests of the search."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.arena cimport FREE_LISTS, arena_at
from mcts_core.platform cimport mcts_clock
from mcts_core.tree.compaction cimport compact, keep_top
from mcts_core.tree.guided_tree cimport GuidedBlock, GuidedTree, amaf_units
from mcts_core.games.python_game cimport PythonGame
from mcts_core.engine.root_rows cimport (BY_VALUE, BY_VISITS, LONGEST, PROVEN, SHORTEST, ChildRow, RootRows,
                                         new_rows)
from mcts_core.engine.searched_two_player cimport TwoPlayerCore
from mcts_core.tree.plain_tree cimport SLOT_SHIFT, Mini, WideBlock, best_word, leaf_result, mini_result, mini_units
from mcts_core.tree.tree cimport LINK_KIND, LINK_MINI, NO_VISITS, Tree, is_guided
from mcts_core.tree.view cimport (BlockView, best_of, index_mask, is_block, parent_of, root_link, slot_of, view_block,
                                  view_move)


cdef Tree *tree_of(TwoPlayerCore core) except NULL:
    if core.tree == NULL or core.native is None:
        raise ValueError("there is no tree")
    return core.tree


def subtree(engine, path=()):
    """(player to move, {move: (visits, wins)}) of the node after ``path``, None when it has no block.

    Wins are those of the player to move there, a draw counting half. Moves are named as the game names them.
    """
    cdef TwoPlayerCore core = engine._core
    cdef Tree *tree = tree_of(core)
    cdef uint32_t link = root_link(tree), slot, mask = index_mask(tree)
    cdef BlockView view
    cdef PythonGame game = core.native if isinstance(core.native, PythonGame) else None
    for move in path:
        if not is_block(link):
            return None
        view = view_block(tree, link & mask)
        if game is not None:
            move = game.user.ids.get(move)
        slot = view.count if move is None else slot_of(&view, move)
        if slot == view.count:
            return None
        link = view.links[slot]
    if not is_block(link):
        return None
    view = view_block(tree, link & mask)
    children = {}
    for slot in range(view.count):
        if view.visits[slot] != NO_VISITS:
            move = view_move(&view, slot)
            children[move if game is None else game.move_of(move)] = (
                view.visits[slot], view.wins[slot] / (2.0 * tree.wins_per_visit))
    return view.sign, children


def preferred(children, str order, uint32_t lot=0):
    """Of ``children``, tuples as the fields of MoveStats, the one that a search prefers by ``order``: ``"visits"``,
    ``"value"``, ``"shortest"`` or ``"longest"``; of equal ones the one that ``lot`` chooses."""
    cdef RootRows rows = new_rows(<uint32_t>len(children))
    cdef ChildRow *row
    orders = {"visits": BY_VISITS, "value": BY_VALUE, "shortest": SHORTEST, "longest": LONGEST}
    for index, (_, visits, wins, value, proven, distance, *others) in enumerate(children):
        row = rows.add(index, visits, wins)
        row.value, row.distance = value, distance or 0
        row.proven = -1 if proven is None else PROVEN.index(proven)
        if len(others) > 2:
            rows.bounded = True
            row.low, row.high = others[2]
        else:
            row.low, row.high = 0.0, 1.0
    return children[rows.best(orders[order], lot)]


def records(engine):
    """{path: (visits, results, units)} of the nodes that take memory of their own, in the numbers of the tree.

    ``results``: {move: (visits, wins in half-points)} of a block, {slot: 1 + half-points for player +1} of a mini.
    ``units``: those of the arena, the AMAF record of the node included.
    """
    cdef TwoPlayerCore core = engine._core
    cdef Tree *tree = tree_of(core)
    cdef uint32_t mask = index_mask(tree), link, slot, units
    cdef BlockView view
    cdef Mini *mini
    found = {}
    waiting = [((), view_block(tree, 0).visits[0], root_link(tree))]
    while waiting:
        path, visits, link = waiting.pop()
        if link & LINK_KIND == LINK_MINI:
            mini = <Mini *>arena_at(&tree.arena, link & mask)
            results = {slot: mini_result(tree, mini, slot) for slot in range(mini.count)}
            found[path] = visits, results, mini_units(tree, mini.count)
        if not is_block(link):
            continue
        view = view_block(tree, link & mask)
        units = view.units
        if is_guided(tree) and (<GuidedBlock *>view.record).amaf:
            units += amaf_units(<GuidedTree *>tree)
        results = {}
        for slot in range(view.count):
            if view.visits[slot] != NO_VISITS:
                move = view_move(&view, slot)
                results[move] = view.visits[slot], view.wins[slot]
                waiting.append(((*path, move), view.visits[slot], view.links[slot]))
        found[path] = visits, results, units
    return found


def prune(engine, double share):
    """Compacts the tree of a search that has ended to this share of the units that it takes."""
    cdef TwoPlayerCore core = engine._core
    cdef Tree *tree = tree_of(core)
    if not compact(tree, <uint32_t>(share * tree.arena.top)):
        raise MemoryError


def keep(engine, double share, double seconds=1e300):
    """Keeps the top of the tree of a search that has ended: this share of the units that it takes, and what is found in
    so many seconds."""
    cdef TwoPlayerCore core = engine._core
    cdef Tree *tree = tree_of(core)
    if not keep_top(tree, <uint32_t>(share * tree.arena.top), mcts_clock() + seconds):
        raise MemoryError


def audit(engine, uint32_t slack=0):
    """(nodes with a visit, units that links lead to, units taken) of a tree in which all is as it must be.

    That is: each record is reached by one link, lies within the arena and overlaps none; the best child of a block has
    the link that stands for it; parents are known; visits and wins fit together. AssertionError otherwise. ``slack``:
    how many visits a node may have missed of those that stand above it: one for each proof of a root.
    """
    cdef TwoPlayerCore core = engine._core
    cdef Tree *tree = tree_of(core)
    cdef uint32_t mask = index_mask(tree), link, slot, index, nodes = 0, units = 0, child, visits, tried, size
    cdef uint32_t top = tree.arena.top, points = 2 * tree.wins_per_visit, sum_of_visits, best_link
    cdef BlockView view
    cdef GuidedBlock *guided
    cdef Mini *mini
    cdef uint8_t[::1] taken = bytearray(top)
    expect(0 < top <= tree.arena.limit, "more than the limit", top)
    for size in range(1, <uint32_t>FREE_LISTS):
        index = tree.arena.freed[size]
        while index:
            take(taken, index, size)
            index = (<uint32_t *>arena_at(&tree.arena, index))[0]
    waiting = [(0, 0)]
    while waiting:
        index, visits = waiting.pop()
        view = view_block(tree, index)
        take(taken, index, view.units)
        units += view.units
        slot = best_of(tree, view.record)
        expect(slot < view.count, "no best child", index)
        best_link = (<GuidedBlock *>view.record).best_link if is_guided(tree) else (<WideBlock *>view.record).best_link
        if tree.narrow:
            best_link = (<uint32_t *>view.record)[best_word(tree.narrow)] & ~(<uint32_t>7 << SLOT_SHIFT)
        expect(best_link == view.links[slot], "another link of the best child", index)
        if is_guided(tree):
            guided = <GuidedBlock *>view.record
            if index:
                # a visit to a proven node is not counted in its block
                expect(guided.visits <= visits and (guided.proof or visits <= guided.visits + slack),
                       f"{guided.visits} visits, above it {visits}", index)
            if guided.amaf:
                take(taken, guided.amaf, amaf_units(<GuidedTree *>tree))
                units += amaf_units(<GuidedTree *>tree)
        sum_of_visits = 0
        for slot in range(view.count):
            link = view.links[slot]
            if view.visits[slot] == NO_VISITS:
                expect(link == 0, "a link without a move", index)
                continue
            child = link & mask
            sum_of_visits += view.visits[slot]
            nodes += view.visits[slot] > 0
            expect(index == 0 or view.visits[slot] <= visits, "a child with more visits", index)
            expect(0 <= view.wins[slot] <= <int32_t>(points * view.visits[slot]), "more wins than visits", index)
            if is_block(link):
                expect(0 < child < top, "a link beyond the end", index)
                if not is_guided(tree):
                    expect(parent_of(tree, arena_at(&tree.arena, child)) == index, "another parent", child)
                waiting.append((child, view.visits[slot]))
            elif link & LINK_KIND == LINK_MINI:
                expect(0 < child < top, "a link beyond the end", index)
                mini = <Mini *>arena_at(&tree.arena, child)
                size = mini_units(tree, mini.count)
                take(taken, child, size)
                units += size
                for tried in range(mini.count):
                    nodes += mini_result(tree, mini, tried) > 0
            elif link & LINK_KIND == 0 and not is_guided(tree):
                for tried in range(8):
                    nodes += leaf_result(link, tried) > 0
        if index and not is_guided(tree):
            expect(sum_of_visits <= <uint64_t>visits + slack,
                   f"{sum_of_visits} visits of children, {visits} of the node", index)
    return nodes, units, top


cdef int expect(bint holds, str what, uint32_t index) except -1:
    if not holds:
        raise AssertionError(f"{what}, record {index}")
    return 0


cdef int take(uint8_t[::1] taken, uint32_t index, uint32_t units) except -1:
    cdef uint32_t unit
    expect(<uint64_t>index + units <= <uint64_t>taken.shape[0], "a record beyond the end", index)
    for unit in range(index, index + units):
        expect(taken[unit] == 0, "two records at one place", index)
        taken[unit] = 1
    return 0
