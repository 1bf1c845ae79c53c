"""The plain tree: selection by UCB1, expansion of one node, backup. The layout is drawn in ``tree/plain_tree.pxd``.

UCT is that of Kocsis and Szepesvari (ECML 2006), UCB1 that of Auer, Cesa-Bianchi and Fischer (Machine Learning 47,
2002); the phases are those of Browne et al. (IEEE TCIAIG 4, 2012, section 3). This module is compiled once per
instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from mcts_core.arena cimport arena_allocate, arena_free
from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_DRAW, MCTS_ILLEGAL, MCTS_ONGOING, MCTS_ORDERED, MCTS_SLOTS_ARE_MOVES,
                             MCTS_WIN, mcts_game, mcts_rng_below, mcts_rng_next, mcts_simulation)
from mcts_core.platform cimport MCTS_LIKELY, MCTS_UNLIKELY
from mcts_core.tree.plain_tree cimport *
from mcts_core.tree.tree cimport *
from mcts_core.tree.memory cimport empty_arena, free_tree, make_tree, room_for, set_exploration


cdef extern from "kernels/selection/ucb1.h" nogil:
    const int32_t UCB_NO_WINS
    const float UCB_NO_MEAN
    void ucb_fill_ln()
    float ucb_scale(float *scales, float c, uint32_t n)
    uint32_t ucb_update7(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s)
    uint32_t ucb_update8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s)
    void ucb_set(float *mean, float *inverse, int32_t visits, int32_t wins, float half)
    uint32_t ucb_update(int32_t *visits, int32_t *wins, float *mean, float *inverse, uint32_t count, int32_t slot,
                        int32_t add, float half, float s)


cdef enum:
    FEW_VISITS = 8               # of moves that are equal so far, of which chance chooses

cdef TreeOps ops

assert sizeof(WideBlock) == WIDE_HEADER and sizeof(Mini) == MINI_HEADER


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void tree_destroy(Tree *tree) noexcept nogil:
    if tree == NULL:
        return
    free(tree.expansion.moves)
    free(tree.expansion.outcomes)
    free_tree(tree)


cdef Tree *tree_create(uint64_t bytes) noexcept nogil:
    return make_tree(sizeof(Tree), LAYOUT_PLAIN, &ops, bytes)


cdef bint expansion_reserve(Tree *tree, uint32_t count) noexcept nogil:
    if count <= tree.expansion.capacity:
        return True
    if not (room_for(<void **>&tree.expansion.moves, count * sizeof(uint32_t))
            and room_for(<void **>&tree.expansion.outcomes, count)):
        return False
    tree.expansion.capacity = count
    return True


cdef bint tree_reserve(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil:
    return path_reserve(tree, levels) and expansion_reserve(tree, count)


cdef void set_root(Tree *tree, const TreeRoot *root) noexcept nogil:
    tree.game = root.game
    tree.root = root.state
    tree.root_sign = root.sign


cdef void tree_resume(Tree *tree, const TreeRoot *root, uint64_t seed, bint _) noexcept nogil:
    set_root(tree, root)
    begin_search(tree, seed)
    tree.reused = columns_at(tree, 0).visits[0]


cdef int tree_reset(Tree *tree, const TreeRoot *root, const void *given, uint64_t seed, bint _) noexcept nogil:
    cdef const PlainOptions *options = <const PlainOptions *>given
    cdef const mcts_game *game = root.game
    set_root(tree, root)
    tree.fixed_moves = game.flags & MCTS_SLOTS_ARE_MOVES
    tree.narrow = 0
    tree.wins_per_visit = options.rollouts_per_leaf
    tree.most_visits = MAX_ITERATIONS // tree.wins_per_visit
    tree.half = <float>0.5 / <float>options.rollouts_per_leaf
    if tree.fixed_moves and game.max_moves <= 8 and options.rollouts_per_leaf == 1:
        tree.narrow = 8 if game.max_moves == 8 else 7
    begin_search(tree, seed)
    set_exploration(tree, options.exploration)
    if not empty_arena(tree, narrow_unit(tree.narrow) if tree.narrow else <uint32_t>WIDE_UNIT, tree.arena.reserved,
                       NARROW_INDEX if tree.narrow else WIDE_INDEX):
        return RUN_SYSTEM_MEMORY
    if not tree_reserve(tree, FIRST_PATH, game.max_moves if game.max_moves > 8 else 8):
        return RUN_SYSTEM_MEMORY
    # Block 0 stands above the root and has one child, the root: so the root is a slot like any other.
    tree.arena.top = 1 if tree.narrow else wide_units(8, tree.fixed_moves)
    memset(tree.arena.base, 0, tree.arena.top * tree.arena.unit)
    if tree.narrow:
        (<uint32_t *>tree.arena.base)[info_word(tree.narrow)] = 2
    else:
        (<WideBlock *>tree.arena.base).sign = 1
        (<WideBlock *>tree.arena.base).capacity = 8
        (<WideBlock *>tree.arena.base).count = 1
    return RUN_DONE


# ---- expansion -------------------------------------------------------------------------------------------------------

cdef inline float scale(const Tree *tree, uint32_t visits) noexcept nogil:
    return ucb_scale(tree.scales, tree.exploration, visits)


cdef inline const uint32_t *path_of(const Tree *tree) noexcept nogil:
    """The moves from the root to the node that the iteration has reached."""
    return (tree.path_slot if tree.fixed_moves else tree.path_move) + 1


cdef inline void set_link(Tree *tree, uint32_t length, uint32_t link) noexcept nogil:
    """Changes the link of the node at the end of the path, the best child of its block."""
    cdef uint32_t slot = tree.path_slot[length - 1]
    cdef uint8_t *record = tree.path_record[length - 1]
    columns_of(tree, record).links[slot] = link
    set_best(tree, record, slot, link)


cdef inline int32_t sign_of(const Tree *tree, uint8_t *record) noexcept nogil:
    """The player to move at a block."""
    if tree.narrow:
        return <int32_t>((<uint32_t *>record)[info_word(tree.narrow)] & 2) - 1
    return (<WideBlock *>record).sign


cdef inline void set_best(Tree *tree, uint8_t *record, uint32_t slot, uint32_t link) noexcept nogil:
    if tree.narrow:
        (<uint32_t *>record)[best_word(tree.narrow)] = link | slot << SLOT_SHIFT
    else:
        (<WideBlock *>record).best = <uint16_t>slot
        (<WideBlock *>record).best_link = link


cdef int make_block(Tree *tree, uint32_t length, uint32_t link, uint32_t *result) noexcept nogil:
    """Turns the leaf at the end of the path, all of whose moves were tried, into a block; its link in ``result``."""
    cdef uint32_t parent = <uint32_t>((tree.path_record[length - 1] - tree.arena.base) // tree.arena.unit)
    cdef uint32_t parent_slot = tree.path_slot[length - 1]
    cdef uint32_t count = tree.game.max_moves, capacity, index, slot, tried, value
    cdef int32_t found, sign
    cdef uint32_t *words
    cdef WideBlock *wide
    cdef Mini *mini = NULL
    cdef Columns columns
    if link & LINK_KIND == LINK_MINI:
        mini = <Mini *>record_at(tree, link & WIDE_INDEX)
        count = mini.count
    if not expansion_reserve(tree, count) or not path_reserve(tree, length + 2):
        return RUN_SYSTEM_MEMORY
    found = tree.game.expand(tree.game.context, tree.root, path_of(tree), length - 1, &tree.expansion)
    if found < 0 or <uint32_t>found != count:
        return RUN_GAME_ERROR
    capacity = (count + 7) & ~<uint32_t>7
    index = arena_allocate(&tree.arena, 1 if tree.narrow else wide_units(capacity, tree.fixed_moves))
    if index == 0:
        return RUN_MEMORY
    sign = tree.root_sign if tree.expansion.root_player else -tree.root_sign
    words = <uint32_t *>record_at(tree, index)
    if not tree.narrow:
        wide = <WideBlock *>words
        memset(wide, 0, WIDE_HEADER)
        wide.parent = parent
        wide.parent_slot = <uint16_t>parent_slot
        wide.capacity = <uint16_t>capacity
        wide.count = <uint16_t>count
        wide.sign = <int8_t>sign
    columns = columns_at(tree, index)
    for slot in range(capacity):
        tried = 0
        if slot < count and tree.expansion.outcomes[slot] != MCTS_ILLEGAL:
            tried = leaf_result(link, slot) if mini == NULL else mini_result(tree, mini, slot)
        columns.links[slot] = 0
        if tried == 0:
            columns.visits[slot] = NO_VISITS
            columns.wins[slot] = UCB_NO_WINS
            continue
        columns.visits[slot] = 1
        columns.wins[slot] = gain_of(tree, sign, <int32_t>tried - 1)
        if tree.expansion.outcomes[slot] != MCTS_ONGOING:
            value = tree.expansion.outcomes[slot]
            value = 1 if value == MCTS_DRAW else <uint32_t>(1 + (sign if value == MCTS_WIN else -sign))
            columns.links[slot] = LINK_TERMINAL | value
    if capacity > EXACT_CAPACITY:
        for slot in range(capacity):
            columns.means[slot] = tree.half * <float>columns.wins[slot] if columns.visits[slot] == 1 else UCB_NO_MEAN
            columns.inverses[slot] = 1.0 if columns.visits[slot] == 1 else 0.0
    if not tree.fixed_moves:
        for slot in range(count):
            columns.moves[slot] = tree.expansion.moves[slot]
    if tree.narrow:  # after the columns, whose last lanes these words may be
        words[parent_word(tree.narrow)] = parent
        words[info_word(tree.narrow)] = <uint32_t>(sign + 1) | parent_slot << 2
    if mini != NULL:
        arena_free(&tree.arena, link & WIDE_INDEX, mini_units(tree, count))
    slot = update_by_chance(tree, &columns, -1, 0, scale(tree, columns_at(tree, parent).visits[parent_slot]))
    set_best(tree, record_at(tree, index), slot, columns.links[slot])
    result[0] = LINK_BLOCK | index
    set_link(tree, length, result[0])
    return RUN_DONE


cdef inline uint32_t drawn_equal(Tree *tree, const uint32_t *visits, const int32_t *wins, uint32_t count,
                                 uint32_t best) noexcept nogil:
    """A random one of the children with the same statistics as the best one, which is the first of them. With more
    than a few visits hardly any are equal."""
    cdef uint32_t slot, equal = 0, at
    if MCTS_LIKELY(visits[best] > FEW_VISITS):
        return best
    for slot in range(best, count):
        equal += visits[slot] == visits[best] and wins[slot] == wins[best]
    at = mcts_rng_below(&tree.rng, equal) if equal > 1 else 0
    for slot in range(best, count):
        if visits[slot] == visits[best] and wins[slot] == wins[best]:
            if at == 0:
                return slot
            at -= 1
    return best


cdef uint32_t update_by_chance(Tree *tree, const Columns *columns, int32_t slot, int32_t add, float s) noexcept nogil:
    """Adds one visit with ``add`` half-points to ``slot`` (none when it is negative); returns the best slot. Chance
    chooses between equal ones, unless the game orders its moves."""
    cdef uint32_t best = ucb_update(<int32_t *>columns.visits, columns.wins, columns.means, columns.inverses,
                                    7 if tree.narrow == 7 else columns.capacity, slot, add, tree.half, s)
    if tree.game.flags & MCTS_ORDERED:
        return best
    return drawn_equal(tree, columns.visits, columns.wins, columns.count, best)


cdef void tree_refresh(Tree *tree, uint32_t index, uint32_t visits, uint32_t _) noexcept nogil:
    cdef Columns columns = columns_at(tree, index)
    cdef uint32_t slot
    if columns.capacity > EXACT_CAPACITY:
        for slot in range(columns.count):
            if columns.visits[slot] != NO_VISITS:
                ucb_set(columns.means + slot, columns.inverses + slot, <int32_t>columns.visits[slot],
                        columns.wins[slot], tree.half)
    slot = update_by_chance(tree, &columns, -1, 0, scale(tree, visits))
    set_best(tree, record_at(tree, index), slot, columns.links[slot])


# ---- one iteration ---------------------------------------------------------------------------------------------------

cdef int store_in_mini(Tree *tree, uint32_t length, uint32_t link, const mcts_simulation *simulation,
                       uint32_t points) noexcept nogil:
    """Writes the result of a tried move into the mini of the leaf at the end of the path."""
    cdef uint32_t index, units
    cdef Mini *mini
    if link & LINK_KIND != LINK_MINI:
        if simulation.count > MAX_SLOTS:
            return RUN_GAME_ERROR
        units = mini_units(tree, simulation.count)
        index = arena_allocate(&tree.arena, units)
        if index == 0:
            return RUN_MEMORY
        mini = <Mini *>record_at(tree, index)
        memset(mini, 0, units * WIDE_UNIT)
        mini.count = <uint16_t>simulation.count
        link = LINK_MINI | index
        set_link(tree, length, link)
    mini = <Mini *>record_at(tree, link & WIDE_INDEX)
    if simulation.count != mini.count:  # a game that changes its number of moves would write past the record
        return RUN_GAME_ERROR
    mini.cursor = <uint16_t>(MINI_ALL_TRIED if simulation.cursor == MCTS_ALL_TRIED else simulation.cursor)
    if tree.wins_per_visit > 1:
        (<uint8_t *>mini)[MINI_HEADER + simulation.slot] = <uint8_t>(1 + points)
    else:
        index = MINI_HEADER + (simulation.slot >> 2)
        (<uint8_t *>mini)[index] |= <uint8_t>((1 + points) << (2 * (simulation.slot & 3)))
    return RUN_DONE


cdef inline void store_in_link(Tree *tree, uint32_t length, uint32_t link, const mcts_simulation *simulation,
                               uint32_t points) noexcept nogil:
    """Writes the result of a tried move into the link of a leaf that has no mini."""
    cdef uint32_t cursor = simulation.cursor
    link = (link & 0xFFFF) | (1 + points) << (2 * simulation.slot)
    link |= (<uint32_t>LEAF_ALL_TRIED if cursor == MCTS_ALL_TRIED else cursor) << LEAF_CURSOR_SHIFT
    set_link(tree, length, link)


cdef inline uint32_t cursor_of(const Tree *tree, uint32_t link, const bint narrow) noexcept nogil:
    cdef uint32_t cursor
    if narrow:
        cursor = link >> LEAF_CURSOR_SHIFT & 15
        return MCTS_ALL_TRIED if cursor == LEAF_ALL_TRIED else cursor
    if link & LINK_KIND != LINK_MINI:
        return 0
    cursor = (<Mini *>record_at(tree, link & WIDE_INDEX)).cursor
    return MCTS_ALL_TRIED if cursor == MINI_ALL_TRIED else cursor


cdef inline void offer_untried(Tree *tree, uint32_t link, const bint narrow, uint8_t *results,
                               mcts_simulation *simulation) noexcept nogil:
    """Writes what ``mcts_pick_untried`` reads of a leaf. ``results``: room for those in its link."""
    cdef Mini *mini
    simulation.lot = <uint32_t>(mcts_rng_next(&tree.rng) >> 32)
    simulation.tried_bits = 2
    if narrow:
        results[0], results[1] = <uint8_t>link, <uint8_t>(link >> 8)
        simulation.tried, simulation.slots = results, 8
    elif link & LINK_KIND == LINK_MINI:
        mini = <Mini *>record_at(tree, link & WIDE_INDEX)
        simulation.tried, simulation.slots = <uint8_t *>mini + MINI_HEADER, mini.count
        if tree.wins_per_visit > 1:
            simulation.tried_bits = 8


cdef inline void back_up(Tree *tree, uint32_t length, uint32_t depth, int32_t points, const uint32_t narrow,
                         const bint ordered) noexcept nogil:
    """Adds an iteration that gave these points to every node of the path, from the root down: so the levels do not wait
    for each other."""
    cdef uint32_t i, slot, best, visits
    cdef int32_t add
    cdef float s
    cdef uint8_t *record
    cdef uint32_t *words
    cdef WideBlock *wide
    cdef Columns columns = columns_at(tree, 0)
    count_iteration(tree, depth)
    visits = columns.visits[0] + 1
    columns.visits[0] = visits
    columns.wins[0] += points
    for i in range(1, length):
        record = tree.path_record[i]
        slot = tree.path_slot[i]
        s = scale(tree, visits)
        if not ordered:
            columns = columns_of(tree, record)
            visits = columns.visits[slot] + 1
            add = gain_of(tree, sign_of(tree, record), points)
            best = update_by_chance(tree, &columns, <int32_t>slot, add, s)
            set_best(tree, record, best, columns.links[best])
        elif narrow:
            words = <uint32_t *>record
            visits = words[slot] + 1
            add = points if words[info_word(narrow)] & 2 else 2 - points
            if narrow == 7:
                best = ucb_update7(<int32_t *>words, <int32_t *>words + NARROW_COLUMN, <int32_t>slot, add, 0.5, s)
            else:
                best = ucb_update8(<int32_t *>words, <int32_t *>words + NARROW_COLUMN, <int32_t>slot, add, 0.5, s)
            words[best_word(narrow)] = words[2 * NARROW_COLUMN + best] | best << SLOT_SHIFT
        else:
            wide = <WideBlock *>record
            columns = columns_of(tree, record)
            visits = columns.visits[slot] + 1
            add = gain_of(tree, wide.sign, points)
            best = ucb_update(<int32_t *>columns.visits, columns.wins, columns.means, columns.inverses,
                              columns.capacity, <int32_t>slot, add, tree.half, s)
            wide.best = <uint16_t>best
            wide.best_link = columns.links[best]


cdef inline int iterate(Tree *tree, const uint32_t narrow, const bint ordered) noexcept nogil:
    """``ordered``: moves are tried in the order of the game; else their order is random."""
    cdef uint32_t length = 0, index = 0, slot, link, depth, cursor, _
    cdef int32_t points = 0, returned
    cdef int status = RUN_DONE
    cdef uint8_t *record
    cdef uint8_t results[2]
    cdef Columns columns
    cdef mcts_simulation simulation
    simulation.lot = 0
    simulation.tried = NULL
    # selection: the best child of every block is known
    while True:
        if narrow:
            record = tree.arena.base + <uint64_t>index * narrow_unit(narrow)
            link = (<uint32_t *>record)[best_word(narrow)]
            slot = link >> SLOT_SHIFT & 7
        else:
            record = tree.arena.base + <uint64_t>index * WIDE_UNIT
            slot = (<WideBlock *>record).best
            link = (<WideBlock *>record).best_link
        tree.path_record[length] = record
        tree.path_slot[length] = slot
        if not narrow and not tree.fixed_moves and length:
            columns = columns_of(tree, record)
            tree.path_move[length] = columns.moves[slot]
        length += 1
        index = link & (NARROW_INDEX if narrow else WIDE_INDEX)
        if MCTS_LIKELY(link & LINK_KIND == LINK_BLOCK):
            continue
        if link & LINK_KIND == LINK_TERMINAL:
            points = link & 3
            if not narrow:
                points *= tree.wins_per_visit
            depth = length - 1
            break
        cursor = cursor_of(tree, link, narrow)
        if cursor == MCTS_ALL_TRIED:
            status = make_block(tree, length, link, &link)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
            index = index_of(tree, link)
            continue
        # expansion of one node, and its rollouts
        points = 0
        if not ordered:
            offer_untried(tree, link, narrow, results, &simulation)
        for _ in range(1 if narrow else tree.wins_per_visit):  # a rollout for each
            simulation.cursor = cursor
            returned = tree.game.simulate(tree.game.context, tree.root, path_of(tree), length - 1, &simulation,
                                          &tree.rng)
            if MCTS_UNLIKELY(returned < 0):
                return RUN_GAME_ERROR
            points += 1 + tree.root_sign * (returned - 1)
        if narrow:
            store_in_link(tree, length, link, &simulation, <uint32_t>points)
        else:
            status = store_in_mini(tree, length, link, &simulation, <uint32_t>points)
            if MCTS_UNLIKELY(status != RUN_DONE):
                return status
        tree.nodes += 1
        tree.rollouts += 1 if narrow else tree.wins_per_visit
        depth = length
        break
    back_up(tree, length, depth, points, narrow, ordered)
    return RUN_DONE


cdef int run_by_chance(Tree *tree, uint32_t count) noexcept nogil:
    """``tree_run`` for a game without an order of its moves: one loop for blocks of all forms. With three, the compiler
    made less of those of the boards, and tic-tac-toe took 11 % more instructions."""
    cdef uint32_t _
    cdef int status = RUN_DONE
    for _ in range(count):
        status = iterate(tree, tree.narrow, False)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
    return RUN_DONE


cdef int tree_run(Tree *tree, uint32_t count) noexcept nogil:
    cdef uint32_t _, narrow = tree.narrow
    cdef int status = RUN_DONE
    count = min(count, tree.most_visits - tree.reused - tree.iterations)
    if not tree.game.flags & MCTS_ORDERED:
        return run_by_chance(tree, count)
    for _ in range(count):
        if narrow == 7:
            status = iterate(tree, 7, True)
        elif narrow == 8:
            status = iterate(tree, 8, True)
        else:
            status = iterate(tree, 0, True)
        if MCTS_UNLIKELY(status != RUN_DONE):
            return status
    return RUN_DONE


ops.create = tree_create
ops.destroy = tree_destroy
ops.reset = tree_reset
ops.resume = tree_resume
ops.run = tree_run
ops.reserve = tree_reserve
ops.refresh = tree_refresh

ucb_fill_ln()
table = PyCapsule_New(&ops, b"mcts_core.table", NULL)
