"""Exact search of Connect Four on boards of at most 64 bits: alpha-beta over null windows, with a table of bounds.

Values are scores: a win by the t-th stone of a board of n cells is (n + 2 - t) // 2 for the winner, minus that for the
loser, a draw is 0. With the number of stones on the board they name the distance to the end of the game. The sign comes
first, by the windows at 0 and 1; then, if asked for, the score by bisection. What was proven is in the table, so a
search that ran out of its budget goes on, when it is called again, after a walk down its last line.

A node knows the winning cells of the other player, and that its own does not win at once. Before it searches a child
it looks at all of them for one that is decided by the table, or by a rule without search: see ``bound_by_pairs``.

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
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.games.connect_four.book cimport c4_book, c4_book_score, c4_book_value
from mcts_core.games.connect_four.knowledge cimport c4_popcount, c4_wins_one, c4_wins_standard
from mcts_core.games.connect_four.alpha_beta cimport c4_prover_table
from mcts_core.games.connect_four.rollout cimport C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS, c4_context, c4_state
from mcts_core.game cimport MCTS_NO_MOVE, mcts_interrupt, mcts_proof, mcts_raised
from mcts_core.games.proof_table cimport (PROOF_BUCKET, PROOF_START, proof_find, proof_keep, proof_prefetch, proof_table,
                                          proof_table_clear, proof_table_make, proof_table_release)


cdef extern from "kernels/connect_four/board.h" nogil:
    bint c4_line_standard(uint64_t x)
    bint c4_lines_one(uint64_t x, uint64_t o, const uint64_t (*shift)[4], int steps, int directions,
                      int *x_line, int *o_line)


cdef extern from "kernels/connect_four/open_lines.h" nogil:
    ctypedef struct c4_open_lines:
        uint64_t empty
        uint64_t one
        uint64_t two
        uint64_t their_one
        uint64_t their_two

    void c4_fill_lines()
    uint64_t c4_lines_through(int cell)
    c4_open_lines c4_find_open_lines(uint64_t me, uint64_t other)


cdef extern from "kernels/platform.h" nogil:
    int mcts_ctz64(uint64_t x)


cdef enum:
    STOPPED = 1000  # out of budget, or interrupted
    LOOK = 256      # nodes between two looks at the interrupt
    SMALL = 2       # nodes of a subtree that is not worth an entry
    NOWHERE = 255   # no move
    LATE = 20       # empty cells of the positions in the late table, at most
    LATE_BUCKETS = 8192
    LATE_SHARE = 8  # of the memory that the late table takes, at most an eighth

cdef uint64_t STANDARD_FLOOR = 0x40810204081
cdef uint64_t STANDARD_BOARD = 0x40810204081 * 63
cdef uint64_t STANDARD_CLAIM = 0x40810204081 * 42

# What is proven of a position.
ctypedef struct score_bounds:
    int8_t low
    int8_t high
    uint8_t move         # of the bound `low`

ctypedef struct prover_memory:
    proof_table late     # of positions with few empty cells: what the processor's cache holds; or none
    proof_table table    # of the others, or none
    uint32_t by_book     # 1: some of the bounds rest on the book
    uint8_t lines[64]    # through each cell of the board

ctypedef struct search_state:
    const c4_context *c
    prover_memory *memory
    uint64_t floor
    uint64_t board
    uint64_t claim       # every second cell of a column, from its top
    uint64_t nodes
    uint64_t limit
    uint64_t pause       # nodes at which the next look is due
    const mcts_interrupt *interrupt
    const c4_book *book
    int32_t book_plies   # stones of its positions, -1: there is none
    int32_t score_plies  # of those with a score
    int32_t cells        # of the board
    uint32_t move        # of the last search that reached its window

ctypedef struct standard_search:
    search_state s

ctypedef struct one_word_search:
    search_state s

ctypedef fused searcher:
    standard_search
    one_word_search


# ---- the board -------------------------------------------------------------------------------------------------------

cdef inline uint64_t floor_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return STANDARD_FLOOR
    else:
        return f.s.floor


cdef inline uint64_t board_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return STANDARD_BOARD
    else:
        return f.s.board


cdef inline uint64_t claim_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return STANDARD_CLAIM
    else:
        return f.s.claim


cdef inline int cells_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 42
    else:
        return f.s.cells


cdef inline int cols_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 7
    else:
        return f.s.c.cols


cdef inline int height_of(const searcher *f) noexcept nogil:
    if searcher is standard_search:
        return 7
    else:
        return f.s.c.height


cdef inline uint64_t column_at(const searcher *f, int column) noexcept nogil:
    return ((<uint64_t> 1 << (height_of(f) - 1)) - 1) << (height_of(f) * column)


cdef inline uint64_t wins(const searcher *f, uint64_t stones) noexcept nogil:
    """The cells, not all of them empty or on the board, that complete a line."""
    if searcher is standard_search:
        return c4_wins_standard(stones)
    else:
        return c4_wins_one(stones, f.s.c.shift[0], f.s.c.directions, f.s.c.connect)


cdef inline bint has_line(const searcher *f, uint64_t stones) noexcept nogil:
    cdef int line, nobody
    if searcher is standard_search:
        return c4_line_standard(stones)
    else:
        c4_lines_one(stones, 0, f.s.c.shift, f.s.c.steps, f.s.c.directions, &line, &nobody)
        return line


cdef inline uint64_t mirrored(const searcher *f, uint64_t key) noexcept nogil:
    cdef uint64_t result = 0, column = (<uint64_t> 2 << (height_of(f) - 1)) - 1
    cdef int i, cols = cols_of(f), height = height_of(f)
    for i in range(cols):
        result = result << height | (key >> (height * i) & column)
    return result


# ---- pairs -----------------------------------------------------------------------------------------------------------

cdef inline bint holds(const searcher *f, uint64_t base, uint64_t group) noexcept nogil:
    """Whether the player to move gets no line from the stones and cells ``base`` and one cell of each pair: the group
    is 0, 2 or 4 playable cells, to be paired in the way that is best for the other player."""
    cdef uint64_t a, b, c, d
    cdef bint ac, ad, bc, bd
    if group == 0:
        return not has_line(f, base)
    a = group & (0 - group)
    group ^= a
    b = group & (0 - group)
    group ^= b
    if group == 0:
        return not (has_line(f, base | a) or has_line(f, base | b))
    c = group & (0 - group)
    d = group ^ c
    if d & (d - 1):
        return False
    ac = has_line(f, base | a | c)
    bd = has_line(f, base | b | d)
    ad = has_line(f, base | a | d)
    bc = has_line(f, base | b | c)
    if not (ac or bd or ad or bc):
        return True
    if (ac or bd) and (ad or bc):
        return False
    return not (has_line(f, base | a | b) or has_line(f, base | c | d))


cdef inline uint64_t column_with(const searcher *f, uint64_t cell) noexcept nogil:
    return column_at(f, mcts_ctz64(cell) // height_of(f))


cdef inline int bound_by_pairs(const searcher *f, uint64_t me, uint64_t stones, uint64_t theirs) noexcept nogil:
    """What the other player gets by answering every move on one cell of a pair by the other cell, against any play: 0,
    the player to move does not win; -1, he loses; the number of cells: nothing.

    The empty cells of a column are paired from its top, so the other player gets the upper ones (`claim`) and leaves
    the lower ones (`free`). In a column with an odd number of empty cells the lowest one stays single. All single cells
    are playable: they are paired with each other. Against these pairs the player to move

    - never gets above a cell that is claimed and wins for the other player: he must not play the cell below it;
    - in a column where a free cell wins for the other player can be held below that one, by pairing the empty cells
      below it but the last so that the other player gets the free ones: in the end only that last cell is left to play.
      This changes whether the column has a single cell, so it takes one such column if the number of all empty cells is
      odd, and two or none if it is even.

    If that number is odd and there is no such column, the other player can still keep the free cells of one column with
    an odd number of empty cells, answering there on top, and elsewhere anywhere: both numbers stay even.
    """
    cdef uint64_t board = board_of(f), empty = board ^ stones, next = (stones + floor_of(f)) & board
    cdef uint64_t claim = empty & claim_of(f), every_free = empty ^ claim, free_cells = every_free
    cdef uint64_t single = next & claim
    cdef uint64_t other = stones ^ me, above = theirs & claim & ~next, first, second, left, columns, base
    cdef int value = cells_of(f), _
    if above:
        above = above << 1 & board
        for _ in range(height_of(f) - 3):
            above |= above << 1 & board
        free_cells &= ~above
    left = theirs & free_cells & ~next
    if not c4_popcount(single) & 1:
        if not has_line(f, me | free_cells) and holds(f, me | free_cells, single):
            if has_line(f, other | (claim ^ single)):
                return -1
            value = 0
        while left:
            first = left & (0 - left)
            columns = column_with(f, first)
            left &= ~columns
            base = claim & columns & (first - 1)
            second = left
            while second:
                if holds(f, me | base | (free_cells & ~(columns | column_with(f, second)))
                         | (claim & column_with(f, second) & ((second & (0 - second)) - 1)),
                         single ^ (next & (columns | column_with(f, second)))):
                    return -1
                second &= second - 1
        return value
    while left:
        first = left & (0 - left)
        left ^= first
        columns = column_with(f, first)
        if holds(f, me | (free_cells & ~columns) | (claim & columns & (first - 1)), single ^ (next & columns)):
            return -1
    while single:
        columns = column_with(f, single)
        single &= single - 1
        if not has_line(f, me | (empty & ~(every_free & columns))):
            return 0
    return value


# ---- the table -------------------------------------------------------------------------------------------------------

cdef inline bint is_late(const search_state *s, int plies) noexcept nogil:
    return s.cells - plies <= LATE and s.memory.late.buckets


cdef inline proof_table *table_of(const search_state *s, int plies) noexcept nogil:
    return &s.memory.late if is_late(s, plies) else &s.memory.table


cdef inline void prefetch(const search_state *s, uint64_t key, int plies) noexcept nogil:
    if s.memory.table.buckets:
        proof_prefetch(table_of(s, plies), key)


cdef inline score_bounds *find(const search_state *s, uint64_t key, int plies) noexcept nogil:
    if s.memory.table.buckets == 0:
        return NULL
    return <score_bounds *> proof_find(table_of(s, plies), key)


cdef inline void store(const search_state *s, uint64_t key, int plies, int low, int high, uint32_t move,
                       uint64_t work) noexcept nogil:
    cdef score_bounds *bounds
    cdef bint is_new
    if s.memory.table.buckets == 0:
        return
    bounds = <score_bounds *> proof_keep(table_of(s, plies), key, work, &is_new)
    bounds.low = <int8_t> low
    bounds.high = <int8_t> high
    bounds.move = <uint8_t> move


# ---- the search ------------------------------------------------------------------------------------------------------

cdef bint is_over(search_state *s) noexcept nogil:
    """Whether the budget is spent or somebody interrupts, when a look is due."""
    if s.nodes <= s.limit and not mcts_raised(s.interrupt):
        s.pause = min(s.limit, s.nodes + LOOK)
        return False
    s.limit = 0
    return True


cdef inline uint64_t key_of(const searcher *f, uint64_t me, uint64_t stones, int plies) noexcept nogil:
    """The same for both of two mirror images, while that happens."""
    cdef uint64_t key = me + stones + floor_of(f), image
    if 2 * plies < cells_of(f):
        image = mirrored(f, key)
        if image < key:
            return image
    return key


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


cdef inline int worth_of(const searcher *f, const c4_open_lines *lines, uint64_t me, uint64_t old, uint64_t move,
                         uint64_t new, uint64_t replies, uint64_t good) noexcept nogil:
    """How early to search a move after which ``new`` are the winning cells. The weights were found by steps that each
    lowered the nodes of the 300 positions above; those of 8, 9 and 10 stones need a sixth fewer as well."""
    cdef int cell = mcts_ctz64(move)
    cdef uint64_t through
    cdef int worth
    if searcher is standard_search:
        through = c4_lines_through(cell)
        worth = (52 * c4_popcount(new) + 20 * c4_popcount(new & good) + 4 * c4_popcount(new & replies)
                 + 15 * c4_popcount(new & new >> 1) - 12 * c4_popcount(new & ~old) + 4 * f.s.memory.lines[cell]
                 + 3 * c4_popcount(through & lines.empty) + 5 * c4_popcount(through & lines.one)
                 - 10 * c4_popcount(through & lines.two) + 2 * c4_popcount(through & lines.their_one)
                 + 3 * c4_popcount(through & lines.their_two)
                 - 4 * c4_popcount(c4_lines_through(cell + 1) & lines.their_two))
        if me & move >> 1 and me & move >> 2:
            worth += 13
        if new & move << 1:
            worth -= 14
        return worth
    else:
        return (10 * c4_popcount(new) + 10 * c4_popcount(new & good) - 2 * c4_popcount(new & replies)
                + f.s.memory.lines[cell])


cdef int search(searcher *f, uint64_t me, uint64_t stones, uint64_t theirs, int plies, int beta,
                bint tried) noexcept nogil:
    """A bound of the score: a lower one if it is at least ``beta``, else an upper one; STOPPED when out of budget.

    The player to move does not win at once. ``tried``: the pairs did not help.
    """
    cdef int cells = cells_of(f), cols = cols_of(f), height = height_of(f)
    cdef uint64_t playable = (stones + floor_of(f)) & board_of(f), forced = theirs & playable
    cdef uint64_t key, other, move, new, old, after, next, replies, start = f.s.nodes
    cdef c4_open_lines lines
    cdef uint64_t moves[64]
    cdef uint64_t threats[64]
    cdef uint64_t keys[64]
    cdef int worth[64]
    cdef int low, high, best, value, count = 0, i, j, column, score
    cdef uint32_t known_move = NOWHERE
    cdef bint flipped
    cdef score_bounds *known
    f.s.nodes += 1
    if f.s.nodes > f.s.pause and is_over(&f.s):
        return STOPPED
    if forced:
        playable = 0 if forced & (forced - 1) else forced
    playable &= ~(theirs >> 1)
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
            bound_by_book(&f.s, key_of(f, me, stones, plies), plies, &low, &high)
            if low >= beta:
                return low
            if high < beta:
                return high
    if beta >= 0 and not tried:
        value = bound_by_pairs(f, me, stones, theirs)
        if value < beta:
            return value
    tried = False
    key = key_of(f, me, stones, plies)
    flipped = key != me + stones + floor_of(f)
    known = find(&f.s, key, plies)
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
    other = stones ^ me
    old = wins(f, me)
    if searcher is standard_search:
        lines = c4_find_open_lines(me, other)
    for i in range(cols):
        column = <int> f.s.c.order[i]
        move = playable & column_at(f, column)
        if not move:
            continue
        after = stones | move
        new = wins(f, me | move) & (board_of(f) ^ after)
        next = replies = (after + floor_of(f)) & board_of(f)
        if new & replies:
            replies &= new
            if replies & (replies - 1):
                replies = 0
        if not replies & ~(new >> 1):
            f.s.move = <uint32_t> column
            return high
        score = worth_of(f, &lines, me, old, move, new, next, claim_of(f) if plies & 1 else ~claim_of(f))
        j = count
        count += 1
        while j > 0 and worth[j - 1] < score:
            worth[j] = worth[j - 1]
            moves[j] = moves[j - 1]
            threats[j] = threats[j - 1]
            j -= 1
        worth[j] = score
        moves[j] = move
        threats[j] = new
    if count > 1:
        for i in range(count):
            keys[i] = key_of(f, other, stones | moves[i], plies + 1)
            prefetch(&f.s, keys[i], plies + 1)
        if 0 <= beta <= 1:
            tried = True
            for i in range(count):
                value = -bound_by_pairs(f, other, stones | moves[i], threats[i])
                if value >= beta:
                    f.s.move = mcts_ctz64(moves[i]) // height
                    return value
        for i in range(count):
            known = find(&f.s, keys[i], plies + 1)
            if known != NULL and -known.high >= beta:
                f.s.move = mcts_ctz64(moves[i]) // height
                return -known.high
    best = -cells
    for i in range(count):
        value = -search(f, other, stones | moves[i], threats[i], plies + 1, 1 - beta, tried)
        if value == -STOPPED:
            return STOPPED
        if value > best:
            best = value
            if value >= beta:
                column = mcts_ctz64(moves[i]) // height
                f.s.move = <uint32_t> column
                if f.s.nodes - start > SMALL:
                    store(&f.s, key, plies, value, high, cols - 1 - column if flipped else column,
                          f.s.nodes - start)
                return value
    if f.s.nodes - start > SMALL:
        if known_move == NOWHERE:  # the book has no moves, and a bound in the table has one
            low = -((cells - 2 - plies) >> 1)
        store(&f.s, key, plies, low, best, known_move, f.s.nodes - start)
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
    move = theirs & playable
    if move:
        playable = move
    if move & (move - 1) or not playable & ~(theirs >> 1):
        proof.value = 0
        proof.distance = 2
        proof.move = mcts_ctz64(playable) // c.height
        return 0
    playable &= ~(theirs >> 1)
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
    known = find(&f.s, key, plies)
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
        value = search(f, me, me | other, theirs, plies, beta, False)
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


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef void count_lines(const c4_context *c, uint8_t *lines) noexcept nogil:
    """The number of lines through each cell of the board, by the bit of the cell."""
    cdef int direction, column, row, last_column, last_row, i, along, up
    for direction in range(4):
        along = direction != 0
        up = 1 if direction == 0 else direction - 2
        for column in range(c.cols):
            last_column = column + along * (c.connect - 1)
            for row in range(c.rows):
                last_row = row + up * (c.connect - 1)
                if last_column < c.cols and 0 <= last_row < c.rows:
                    for i in range(c.connect):
                        lines[(column + along * i) * c.height + row + up * i] += 1


cdef void *create_memory(void *context, uint64_t bytes) noexcept nogil:
    """Two tables, their pages untouched; none if there is no room for one."""
    cdef uint64_t used = sizeof(prover_memory), buckets = 0, late = 0
    cdef prover_memory *memory = <prover_memory *> calloc(1, sizeof(prover_memory))
    if memory == NULL:
        return NULL
    if bytes >= LATE_SHARE * LATE_BUCKETS * PROOF_BUCKET:
        late = LATE_BUCKETS
        used += LATE_BUCKETS * PROOF_BUCKET
    if bytes >= used + PROOF_BUCKET:
        buckets = (bytes - used) // PROOF_BUCKET
    if not proof_table_make(&memory.late, late, late):
        free(memory)
        return NULL
    if not proof_table_make(&memory.table, buckets, PROOF_START):
        proof_table_release(&memory.late)
        free(memory)
        return NULL
    count_lines(<const c4_context *> context, memory.lines)
    return memory


cdef void clear_memory(void *context, void *memory) noexcept nogil:
    proof_table_clear(&(<prover_memory *> memory).late)
    proof_table_clear(&(<prover_memory *> memory).table)
    (<prover_memory *> memory).by_book = 0


cdef void destroy_memory(void *context, void *memory) noexcept nogil:
    proof_table_release(&(<prover_memory *> memory).late)
    proof_table_release(&(<prover_memory *> memory).table)
    free(memory)


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
