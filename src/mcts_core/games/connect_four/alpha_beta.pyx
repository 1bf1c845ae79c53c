"""Exact search of Connect Four on boards of at most 64 bits: alpha-beta over null windows, with a table of bounds.

Values are scores: a win by the t-th stone of a board of n cells is (n + 2 - t) // 2 for the winner, minus that for the
loser, a draw is 0. With the number of stones on the board they name the distance to the end of the game. The sign comes
first, by the windows at 0 and 1; then, if asked for, the score by bisection. What was proven is in the table, so a
search that ran out of its budget goes on, when it is called again, after a walk down its last line.

A node knows the winning cells of the other player, and that its own does not win at once. Before it searches a child
it looks at all of them for one that is decided by the table, or by a rule without search.

The parts: ``alpha_beta_board.pxd`` (the board), ``alpha_beta_pairs.pxd`` (the rule without search),
``alpha_beta_order.pxd`` (the order of moves), ``alpha_beta_table.pxd`` (the memory); the search itself is here.

Measured on 132 solved positions of 9 to 12 stones, as nodes for the sign in millions, each step with those before it:
no rule 173; all empty cells paired and nothing more 67; the look at the children 35; rows in the order of moves 31;
nothing above a claimed winning cell 18; a held or a kept column 14. On 300 others of 11 stones, nodes for the sign in
thousands each: before, 55; open lines in the order of moves, 43. A table of 512 KB for the last 20 empty cells, which
the processor's cache holds, makes them 51 at two thirds of the time.

Left out: a history of cutoffs in the order of moves, 1.1 to 1.7 times the nodes; an order fitted to which move refutes
at the least cost, 1.5 times, as it changes with the position and fewer positions come twice; a search for wins by
threats alone at each node, 0.9 times the nodes and 1.1 times the time; trying all moves by growing budgets, 1.4 to 2.4
times; entries of 8 bytes, 8 to a bucket, 1.4 times the time.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.games.connect_four.alpha_beta cimport c4_prover_table
from mcts_core.games.connect_four.alpha_beta_board cimport (board_of, cells_of, claim_of, cols_of, floor_of, height_of,
                                                            key_of, one_word_search, search_state, searcher,
                                                            standard_search, wins)
from mcts_core.games.connect_four.alpha_beta_order cimport c4_open_lines, worth_of
from mcts_core.games.connect_four.alpha_beta_pairs cimport bound_by_pairs
from mcts_core.games.connect_four.alpha_beta_table cimport (clear_memory, create_memory, destroy_memory, find, prefetch,
                                                            prover_memory, score_bounds, store)
from mcts_core.games.connect_four.book cimport c4_book_score, c4_book_value
from mcts_core.games.connect_four.rollout cimport C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS, c4_context, c4_state
from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof, mcts_raised
from mcts_core.platform cimport mcts_ctz64


cdef extern from "kernels/connect_four/open_lines.h" nogil:
    void c4_fill_lines()
    c4_open_lines c4_find_open_lines(uint64_t me, uint64_t other)


cdef enum:
    STOPPED = 1000  # out of budget, or interrupted
    LOOK = 256      # nodes between two looks at the interrupt
    SMALL = 2       # nodes of a subtree that is not worth an entry
    NOWHERE = 255   # no move
    LAST = 63       # of the moves of a position


# ---- the search ------------------------------------------------------------------------------------------------------

cdef bint is_over(search_state *s) noexcept nogil:
    """Whether the budget is spent or somebody interrupts, when a look is due."""
    if s.nodes <= s.limit and not mcts_raised(s.interrupt):
        s.pause = min(s.limit, s.nodes + LOOK)
        return False
    s.limit = 0
    return True


cdef inline void bound_by_book(const search_state *s, uint64_t key, int plies, int *low, int *high) noexcept nogil:
    cdef int value
    s.memory.by_book = 1
    if plies == s.score_plies:
        low[0] = high[0] = c4_book_score(s.book, key)
        return
    value = c4_book_value(s.book, key)
    if value == 2:
        low[0] = max(low[0], 1)
    elif value == 0:
        high[0] = min(high[0], -1)
    else:
        low[0] = max(low[0], 0)
        high[0] = min(high[0], 0)


cdef inline uint64_t answers(uint64_t playable, uint64_t theirs) noexcept nogil:
    """The playable cells that do not lose at once to winning cells of the other player. Without a branch on whether he
    threatens to win, which no processor predicts."""
    cdef uint64_t forced = playable & theirs
    return (playable & (0 - <uint64_t> (forced == 0)) | forced & (0 - <uint64_t> (forced & (forced - 1) == 0))
            ) & ~(theirs >> 1)


cdef int search(searcher *f, uint64_t me, uint64_t stones, uint64_t theirs, uint64_t key, int plies, int beta,
                bint tried) noexcept nogil:
    """A bound of the score: a lower one if it is at least ``beta``, else an upper one; STOPPED when out of budget.

    The player to move does not win at once. ``tried``: the pairs did not help.
    """
    cdef int cells = cells_of(f), cols = cols_of(f), height = height_of(f)
    cdef uint64_t playable = answers((stones + floor_of(f)) & board_of(f), theirs)
    cdef uint64_t other = stones ^ me, good = claim_of(f) if plies & 1 else ~claim_of(f), start = f.s.nodes
    cdef uint64_t new, old, after
    cdef c4_open_lines lines
    cdef uint64_t found[64]
    cdef uint64_t wins_after[64]
    cdef uint64_t moves[64]
    cdef uint64_t threats[64]
    cdef uint64_t keys[64]
    cdef int ranks[64]
    cdef int low, high, best, value, count = 0, i, j, column, rank
    cdef uint32_t known_move = NOWHERE
    cdef bint flipped
    cdef score_bounds *known
    f.s.nodes += 1
    if f.s.nodes > f.s.pause and is_over(&f.s):
        return STOPPED
    if not playable:
        return -((cells - plies) >> 1)
    if plies >= cells - 2:
        return 0
    low = -((cells - 2 - plies) >> 1)
    if low >= beta:
        return low
    high = (cells - 1 - plies) >> 1
    if high < beta:
        return high
    if searcher is standard_search:
        if plies == f.s.book_plies or plies == f.s.score_plies:
            bound_by_book(&f.s, key, plies, &low, &high)
            if low >= beta:
                return low
            if high < beta:
                return high
    if beta >= 0 and not tried:
        value = bound_by_pairs(f, me, stones, theirs)
        if value < beta:
            return value
    flipped = key != me + stones + floor_of(f)
    known = find(f.s.memory, key, cells - plies)
    if known != NULL:
        if known.low > low:
            low = known.low
            known_move = known.move
        if known.high < high:
            high = known.high
        if low >= beta:
            f.s.move = <uint32_t> cols - 1 - known_move if flipped else known_move
            return low
        if high < beta:
            return high
    for i in range(cols):
        found[count] = playable & f.s.c.column[f.s.c.order[i]][0]
        count += found[count] != 0
    for i in range(count):
        after = stones | found[i]
        wins_after[i] = new = wins(f, me | found[i]) & (board_of(f) ^ after)
        if not answers((after + floor_of(f)) & board_of(f), new):
            f.s.move = mcts_ctz64(found[i]) // height
            return high
    ranks[0] = LAST
    if count > 1:
        old = wins(f, me)
        if searcher is standard_search:
            lines = c4_find_open_lines(me, other)
        for i in range(count):
            rank = worth_of(f, &lines, me, old, found[i], wins_after[i],
                            (stones + found[i] + floor_of(f)) & board_of(f), good) * (LAST + 1) + LAST - i
            for j in range(i):  # without a branch on who is worth more
                value = min(rank, ranks[j])
                ranks[j] = max(rank, ranks[j])
                rank = value
            ranks[i] = rank
    tried = count > 1 and 0 <= beta <= 1
    for i in range(count):
        j = LAST - (ranks[i] & LAST)
        moves[i] = found[j]
        threats[i] = wins_after[j]
        if tried:
            value = -bound_by_pairs(f, other, stones | found[j], wins_after[j])
            if value >= beta:
                f.s.move = mcts_ctz64(found[j]) // height
                return value
        keys[i] = key_of(f, other, stones | found[j], plies + 1)
        prefetch(f.s.memory, keys[i], cells - plies - 1)
    if count > 1:
        for i in range(count):
            known = find(f.s.memory, keys[i], cells - plies - 1)
            if known != NULL and -known.high >= beta:
                f.s.move = mcts_ctz64(moves[i]) // height
                return -known.high
    best = -cells
    for i in range(count):
        value = -search(f, other, stones | moves[i], threats[i], keys[i], plies + 1, 1 - beta, tried)
        if value == -STOPPED:
            return STOPPED
        if value > best:
            best = value
            if value >= beta:
                column = mcts_ctz64(moves[i]) // height
                f.s.move = <uint32_t> column
                if f.s.nodes - start > SMALL:
                    store(f.s.memory, key, cells - plies, value, high, cols - 1 - column if flipped else column,
                          f.s.nodes - start)
                return value
    if f.s.nodes - start > SMALL:
        if known_move == NOWHERE:  # the book has no moves, and a bound in the table has one
            low = -((cells - 2 - plies) >> 1)
        store(f.s.memory, key, cells - plies, low, best, known_move, f.s.nodes - start)
    return best


cdef inline uint32_t distance_of(int score, int plies, int cells) noexcept nogil:
    """Plies to the end of the game."""
    cdef int last
    if score == 0:
        return cells - plies
    last = cells + 2 - 2 * (score if score > 0 else -score)
    if (last - plies & 1) != (score > 0):
        last -= 1
    return last - plies


cdef inline int32_t prove(searcher *f, const c4_context *c, const c4_state *root, const uint32_t *path, uint32_t length,
                          void *memory, uint64_t budget, bint exact, mcts_proof *proof) noexcept nogil:
    cdef uint64_t me = root.me[0], next = root.next[0], other, move, playable, theirs, key
    cdef int plies = root.plies + <int> length, cells = c.rows * c.cols, low, high, book_low = -cells
    cdef int beta, value, i
    cdef bint has_book
    cdef uint32_t j
    cdef score_bounds *known
    other = (next - c.bottom[0]) ^ me
    for j in range(length):
        move = next & c.column[path[j]][0]
        next += move
        move |= me
        me = other
        other = move
    f.s.c = c
    f.s.memory = <prover_memory *> memory
    f.s.floor = c.bottom[0]
    f.s.board = c.sentinel[0] - c.bottom[0]
    f.s.claim = 0
    i = c.rows - 1
    while i >= 0:
        f.s.claim |= c.bottom[0] << i
        i -= 2
    f.s.cells = cells
    f.s.nodes = 0
    f.s.limit = budget
    f.s.pause = min(budget, <uint64_t>LOOK)
    f.s.interrupt = proof.interrupt
    f.s.book = c.book if proof.ask_book else NULL
    f.s.book_plies = -1 if f.s.book == NULL else f.s.book.stones
    f.s.score_plies = -1 if f.s.book == NULL else f.s.book.score_stones
    proof.by_book = 0
    proof.exact = 1
    proof.spent = 1
    playable = next & board_of(f)
    move = wins(f, me) & playable
    if move:
        proof.value = 2
        proof.distance = 1
        proof.move = mcts_ctz64(move) // c.height
        return 0
    theirs = wins(f, other) & (board_of(f) ^ (me | other))
    move = answers(playable, theirs)
    if not move:
        proof.value = 0
        proof.distance = 2
        proof.move = mcts_ctz64(theirs & playable if theirs & playable else playable) // c.height
        return 0
    playable = move
    proof.move = MCTS_NO_MOVE
    for i in range(c.cols):
        if playable & c.column[c.order[i]][0]:
            proof.move = c.order[i]
            break
    if plies >= cells - 2:
        proof.value = 1
        proof.distance = cells - plies
        return 0
    low = -((cells - 2 - plies) >> 1)
    high = (cells - 1 - plies) >> 1
    key = key_of(f, me, me | other, plies)
    known = find(f.s.memory, key, cells - plies)
    if known != NULL:
        if known.low > low:
            low = known.low
            proof.move = known.move if key == me + me + other + floor_of(f) else c.cols - 1 - known.move
        if known.high < high:
            high = known.high
    has_book = plies <= f.s.book_plies
    if plies == f.s.book_plies or plies == f.s.score_plies:  # it knows the value, the search finds the move
        book_low = low
        bound_by_book(&f.s, key, plies, &book_low, &high)
        if plies == f.s.book_plies:
            f.s.book_plies = -1
        else:
            f.s.score_plies = -1
    while low < high:
        if low <= 0 <= high:
            beta = 1 if low == 0 or book_low > 0 or high > 0 and not plies & 1 else 0
        elif exact:
            beta = max(book_low, low + (high - low + 1) // 2)
        else:
            break
        value = search(f, me, me | other, theirs, key, plies, beta, False)
        if value == STOPPED:
            break
        if value >= beta:
            low = value
            proof.move = f.s.move
        else:
            high = value
    proof.by_book = has_book and f.s.memory.by_book
    proof.exact = low == high
    proof.spent = f.s.nodes + (f.s.nodes == 0)
    if low > 0:
        proof.value = 2
    elif high < 0:
        proof.value = 0
    elif low == high:
        proof.value = 1
    else:
        proof.value = -1
        proof.exact = 0
        proof.move = MCTS_NO_MOVE
    proof.distance = distance_of(high if proof.value == 0 else low, plies, cells)
    return 0


cdef int32_t prove_standard(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                            uint64_t budget, int32_t exact, mcts_proof *proof) noexcept nogil:
    cdef standard_search f
    return prove(&f, <const c4_context *> context, <const c4_state *> root, path, length, memory, budget, exact, proof)


cdef int32_t prove_one(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                       uint64_t budget, int32_t exact, mcts_proof *proof) noexcept nogil:
    cdef one_word_search f
    return prove(&f, <const c4_context *> context, <const c4_state *> root, path, length, memory, budget, exact, proof)


# ---- the table of functions ------------------------------------------------------------------------------------------

cdef c4_prover_table TABLE

c4_fill_lines()

TABLE.prove[C4_STANDARD] = prove_standard
TABLE.prove[C4_ONE_WORD] = prove_one
TABLE.prove[C4_TWO_WORDS] = NULL
TABLE.create_memory = create_memory
TABLE.clear_memory = clear_memory
TABLE.destroy_memory = destroy_memory

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
