"""Exact search of Connect Four on boards of at most 64 bits: alpha-beta over null windows, with a table of bounds.

Values are scores: a win by the t-th stone of a board of n cells is (n + 2 - t) // 2 for the winner, minus that for the
loser, a draw is 0. With the number of stones on the board they name the distance to the end of the game. The sign comes
first, by the windows at 0 and 1; then, if asked for, the score by bisection. Every bound that was proven is in the table,
so a search that ran out of its budget goes on, when it is called again, after a walk down its last line.

A node knows that its player does not win at once, and the other one's winning cells. Where the other player holds the
position by pairing all empty cells (he answers a move into one cell of a pair with the other one), its value is bounded
without search: see ``bound_by_pairs``.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport UINT32_MAX, int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.connect_four_guide cimport c4_popcount, c4_wins_one, c4_wins_standard
from mcts_core.connect_four_prover cimport c4_prover_table
from mcts_core.connect_four_rollout cimport C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS, c4_context, c4_state
from mcts_core.game cimport MCTS_NO_MOVE, mcts_proof


cdef extern from "kernels/connect_four.h" nogil:
    bint c4_line_standard(uint64_t x)
    bint c4_lines_one(uint64_t x, uint64_t o, const uint64_t (*shift)[4], int steps, int directions,
                      int *x_line, int *o_line)


cdef extern from "kernels/platform.h" nogil:
    int mcts_ctz64(uint64_t x)
    int mcts_log2_32(uint32_t x)


cdef enum:
    WAYS = 4        # entries of a bucket: one cache line
    STOPPED = 1000  # out of budget

cdef uint64_t STANDARD_FLOOR = 0x40810204081
cdef uint64_t STANDARD_BOARD = 0x40810204081 * 63
cdef uint64_t STANDARD_CLAIM = 0x40810204081 * 42

ctypedef struct entry:
    uint64_t key
    int8_t low
    int8_t high
    uint8_t move         # of the bound `low`
    uint8_t work         # logarithm of the nodes spent
    uint32_t generation  # of another one: empty

ctypedef struct prover_memory:
    uint64_t buckets     # a power of two, or 0
    entry *table         # on a cache line
    uint32_t generation

ctypedef struct search_state:
    const c4_context *c
    prover_memory *memory
    uint64_t floor
    uint64_t board
    uint64_t claim       # every second cell of a column, from its top
    uint64_t nodes
    uint64_t limit
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
    """Whether the other player, answering a move on one cell of a pair by the other one, can leave the player to move
    without a line, who gets ``base``: the group is 0, 2 or 4 playable cells, to be paired in the best way."""
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
    if not (ac or bd or has_line(f, base | a | b) or has_line(f, base | c | d)):
        return True
    return not (ad or bc or has_line(f, base | a | b) or has_line(f, base | c | d))


cdef inline int bound_by_pairs(const searcher *f, uint64_t me, uint64_t stones, uint64_t theirs) noexcept nogil:
    """The number of cells: nothing; 0: the player to move does not win; -1: he loses.

    The empty cells of a column are paired from its top: the other player claims the upper one of each, by answering on
    top. Columns with an odd number of empty cells leave their lowest ones, which are paired with each other; any two of
    them are playable at the same time. If the number of all empty cells is odd, the other player needs a winning cell
    that is a lower one: in its column he takes what he otherwise leaves, up to there, so that at last only the cell
    below it is left to move to.
    """
    cdef uint64_t empty = board_of(f) ^ stones, next = (stones + floor_of(f)) & board_of(f)
    cdef uint64_t claim = empty & claim_of(f), free = empty ^ claim, single = next & claim
    cdef uint64_t other = stones ^ me, threats, threat, column, group, base
    if not c4_popcount(single) & 1:
        if has_line(f, me | free) or not holds(f, me | free, single):
            return cells_of(f)
        return -1 if has_line(f, other | (claim ^ single)) else 0
    threats = theirs & free & ~next
    while threats:
        threat = threats & (0 - threats)
        threats ^= threat
        column = column_at(f, mcts_ctz64(threat) // height_of(f))
        group = single ^ (next & column)
        base = me | (free & ~column) | (claim & column & (threat - 1))
        if holds(f, base, group):
            return -1
    return cells_of(f)


# ---- the table -------------------------------------------------------------------------------------------------------

cdef inline entry *bucket_of(prover_memory *memory, uint64_t key) noexcept nogil:
    return memory.table + WAYS * ((key * <uint64_t> 0x9E3779B97F4A7C15 >> 24) & (memory.buckets - 1))


cdef inline entry *find(prover_memory *memory, uint64_t key) noexcept nogil:
    cdef entry *bucket
    cdef int i
    if memory.buckets == 0:
        return NULL
    bucket = bucket_of(memory, key)
    for i in range(WAYS):
        if bucket[i].key == key and bucket[i].generation == memory.generation:
            return &bucket[i]
    return NULL


cdef inline void store(prover_memory *memory, uint64_t key, int low, int high, uint32_t move,
                       uint64_t work) noexcept nogil:
    """In the place of what took the least work to find."""
    cdef entry *bucket
    cdef entry *place
    cdef int i
    if memory.buckets == 0:
        return
    bucket = bucket_of(memory, key)
    place = bucket
    for i in range(WAYS):
        if bucket[i].generation != memory.generation or bucket[i].key == key:
            place = &bucket[i]
            break
        if bucket[i].work < place.work:
            place = &bucket[i]
    place.key = key
    place.low = <int8_t> low
    place.high = <int8_t> high
    place.move = <uint8_t> move
    if work > UINT32_MAX:
        work = UINT32_MAX
    place.work = <uint8_t> mcts_log2_32(<uint32_t> work)
    place.generation = memory.generation


# ---- the search ------------------------------------------------------------------------------------------------------

cdef int search(searcher *f, uint64_t me, uint64_t stones, uint64_t theirs, int plies, int beta) noexcept nogil:
    """A bound of the score: a lower one if it is at least ``beta``, else an upper one; STOPPED when out of budget.

    The player to move does not win at once.
    """
    cdef int cells = cells_of(f), cols = cols_of(f), height = height_of(f)
    cdef uint64_t playable = (stones + floor_of(f)) & board_of(f), forced = theirs & playable
    cdef uint64_t key, other, move, new, after, replies, start = f.s.nodes
    cdef uint64_t moves[64]
    cdef uint64_t threats[64]
    cdef int worth[64]
    cdef int low, high, best, value, count = 0, i, j, column, score
    cdef uint32_t known_move = 255
    cdef bint flipped = False
    cdef entry *known
    f.s.nodes += 1
    if f.s.nodes > f.s.limit:
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
    if beta >= 0:
        value = bound_by_pairs(f, me, stones, theirs)
        if value < beta:
            return value
    key = me + stones + floor_of(f)
    if 2 * plies < cells:
        new = mirrored(f, key)
        if new < key:
            key = new
            flipped = True
    known = find(f.s.memory, key)
    if known != NULL:
        if known.low > low:
            low = known.low
            known_move = known.move
        if known.high < high:
            high = known.high
        if low >= beta:
            if known_move < 64:
                f.s.move = <uint32_t> cols - 1 - known_move if flipped else known_move
            return low
        if high < beta:
            return high
    other = stones ^ me
    for i in range(cols):
        column = <int> f.s.c.order[i]
        move = playable & column_at(f, column)
        if not move:
            continue
        after = stones | move
        new = wins(f, me | move) & (board_of(f) ^ after)
        replies = (after + floor_of(f)) & board_of(f)
        if new & replies:
            replies &= new
            if replies & (replies - 1):
                replies = 0
        if not replies & ~(new >> 1):
            f.s.move = <uint32_t> column
            return high
        score = c4_popcount(new)
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
    best = -cells
    for i in range(count):
        value = -search(f, other, stones | moves[i], threats[i], plies + 1, 1 - beta)
        if value == -STOPPED:
            return STOPPED
        if value > best:
            best = value
            if value >= beta:
                column = mcts_ctz64(moves[i]) // height
                f.s.move = <uint32_t> column
                store(f.s.memory, key, value, high, cols - 1 - column if flipped else column, f.s.nodes - start)
                return value
    store(f.s.memory, key, low, best, known_move, f.s.nodes - start)
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
    cdef int plies = root.plies + <int> length, cells = c.rows * c.cols, low, high, beta, value, i
    cdef uint32_t j
    cdef entry *known
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
    key = me + me + other + floor_of(f)
    if 2 * plies < cells and mirrored(f, key) < key:
        known = find(f.s.memory, mirrored(f, key))
        j = c.cols - 1
    else:
        known = find(f.s.memory, key)
        j = 0
    if known != NULL:
        if known.low > low:
            low = known.low
            proof.move = j - known.move if j else known.move
        if known.high < high:
            high = known.high
    while low < high:
        if high > 0 and low <= 0:
            beta = 1 if low == 0 or not plies & 1 else 0
            if high == 0:
                beta = 0
        elif high == 0:
            beta = 0
        elif exact:
            beta = low + (high - low + 1) // 2
        else:
            break
        value = search(f, me, me | other, theirs, plies, beta)
        if value == STOPPED:
            break
        if value >= beta:
            low = value
            proof.move = f.s.move
        else:
            high = value
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
    proof.distance = distance_of(low, plies, cells)
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

cdef void *create_memory(void *context, uint64_t bytes) noexcept nogil:
    cdef uint64_t used = sizeof(prover_memory) + 64, buckets = 0
    cdef prover_memory *memory
    if bytes >= used + WAYS * sizeof(entry):
        buckets = 1
        while used + 2 * buckets * WAYS * sizeof(entry) <= bytes:
            buckets *= 2
    memory = <prover_memory *> calloc(1, used + buckets * WAYS * sizeof(entry))
    if memory == NULL:
        return NULL
    memory.buckets = buckets
    memory.generation = 1
    memory.table = <entry *> (<char *> memory + sizeof(prover_memory))
    memory.table = <entry *> (<char *> memory.table + (64 - <size_t> memory.table % 64))
    return memory


cdef void clear_memory(void *context, void *memory) noexcept nogil:
    (<prover_memory *> memory).generation += 1


cdef void destroy_memory(void *context, void *memory) noexcept nogil:
    free(memory)


# ---- the table of functions ------------------------------------------------------------------------------------------

cdef c4_prover_table TABLE

TABLE.prove[C4_STANDARD] = prove_standard
TABLE.prove[C4_ONE_WORD] = prove_one
TABLE.prove[C4_TWO_WORDS] = NULL
TABLE.create_memory = create_memory
TABLE.clear_memory = clear_memory
TABLE.destroy_memory = destroy_memory

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
