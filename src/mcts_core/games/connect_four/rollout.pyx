"""The hot functions of Connect Four, compiled once per instruction set; ``position`` is their measure.

A rollout plays chunks of four draws without looking: a column from a 32-bit fraction by multiplication, the stone by
one ``and`` and one ``add`` over ``next``. A draw of a full column gives an empty move, which changes neither stones nor
turn: drawing again, without a branch. After each chunk one test looks for lines of both players; stones only
accumulate, so no line is missed. Who was first, and when, follows from the middle of the last chunk.

Many rollouts from one position are played side by side in vector registers: see ``kernels/connect_four/lanes.h``.

Tried and left out. Measured once each on one Zen 5 machine that other work shared, most of them in C prototypes of this
loop, as times of a rollout from the empty board: a test after every two draws 1.08 (baseline); all stones in vector
registers 1.37 (AVX2); words from SplitMix64 1.11 (AVX2); a loop without empty moves while no column is full 0.99, but
1.12 from positions of 16 stones (AVX2): a third of the rollouts had to leave it; in this module, a line test for the
winner alone and a second one only when both have a line, 1.06 (baseline) and 1.10 (AVX2).
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from mcts_core.games.connect_four.rollout cimport (C4_KINDS, C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS, c4_context,
                                                   c4_state, c4_table)
from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_DRAW, MCTS_ILLEGAL, MCTS_ONGOING, MCTS_WIN, mcts_expansion, mcts_rng,
                             mcts_simulation)
from mcts_core.platform cimport MCTS_UNLIKELY, mcts_opaque64, mcts_popcount64


cdef extern from "kernels/connect_four/board.h" nogil:
    const uint64_t C4_BOTTOM
    const uint64_t C4_SENTINEL
    const uint64_t C4_EVERY

    uint64_t c4_random(mcts_rng *rng)
    bint c4_line_standard(uint64_t x)
    bint c4_lines_standard(uint64_t x, uint64_t o, int *x_line, int *o_line)
    bint c4_lines_one(uint64_t x, uint64_t o, const uint64_t (*shift)[4], int steps, int directions,
                      int *x_line, int *o_line)
    bint c4_lines_two(const uint64_t *x, const uint64_t *o, const uint64_t (*shift)[4], int steps, int directions,
                      int *x_line, int *o_line)


cdef extern from "kernels/connect_four/lanes.h" nogil:
    ctypedef struct c4_lanes_start:
        uint64_t me
        uint64_t next
        uint64_t bottom
        uint64_t sentinel
        const uint64_t *column
        const uint64_t *shift
        int32_t steps
        int32_t directions
        int32_t height
        uint32_t cols
        uint32_t draws
        uint32_t power
        uint32_t reject

    void c4_lane_rollouts(const c4_lanes_start *start, uint64_t count, mcts_rng *rng, uint64_t *results,
                          uint64_t *plies, bint standard)


# ---- 6 rows, 7 columns, connect 4 ------------------------------------------------------------------------------------

# Two draws at a time: the columns of both digits of a number below 49.
cdef uint64_t FIRST[49]
cdef uint64_t SECOND[49]
for pair in range(49):
    FIRST[pair] = <uint64_t> 63 << (7 * (pair // 7))
    SECOND[pair] = <uint64_t> 63 << (7 * (pair % 7))


cdef inline int32_t finish_standard(uint64_t x, uint64_t next, uint64_t turn, uint64_t x_mid, uint64_t next_mid,
                                    uint64_t x_end, uint64_t next_end, int x_line, int o_line,
                                    int32_t plies) noexcept nogil:
    """Who was first, and when, in the last chunk: its beginning, middle and end.

    Half a chunk is two draws, so a player has at most one stone of each half, and the question is only whether the
    first of them made the line: without playing the chunk again, which took 6 ns more.
    """
    cdef uint64_t o = (next - C4_BOTTOM) ^ x, o_mid = (next_mid - C4_BOTTOM) ^ x_mid
    cdef uint64_t o_end = (next_end - C4_BOTTOM) ^ x_end
    cdef int x_second = turn == 0, when_x, when_o
    when_x = 3 + x_second - 2 * c4_line_standard(x_end if x_mid == x else x_mid) + 4 * (1 - x_line)
    when_o = 4 - x_second - 2 * c4_line_standard(o_end if o_mid == o else o_mid) + 4 * (1 - o_line)
    plies = mcts_popcount64(next - C4_BOTTOM) - plies
    return 4 * (plies + (when_x if when_x < when_o else when_o)) + 2 * (when_x < when_o)


cdef inline int32_t roll_standard(uint64_t x, uint64_t next, bint counted, int32_t plies,
                                  mcts_rng *rng) noexcept nogil:
    """A rollout from stones ``x`` of the player to move and ``next``; the moves are counted from ``plies``."""
    cdef uint64_t word, pair, move, turn = C4_EVERY, x_before, next_before, turn_before, x_mid = 0, next_mid = 0
    # In the open, GCC takes the multiplication by 49 apart: 1.02 times the time (baseline; near the noise with AVX2).
    cdef uint64_t pairs = mcts_opaque64(49)
    cdef uint32_t fraction
    cdef int _half, _chunk, _, x_line, o_line
    while True:
        word = c4_random(rng)
        for _half in range(2):
            fraction = <uint32_t> word
            word >>= 32
            if MCTS_UNLIKELY(fraction * <uint32_t> 5764801 < <uint32_t> 190551):  # 7^8, 2^32 mod 7^8
                continue
            for _chunk in range(2):
                x_before = x
                next_before = next
                turn_before = turn
                for _ in range(2):
                    x_mid = x
                    next_mid = next
                    pair = fraction * pairs
                    fraction = <uint32_t> pair
                    pair >>= 32
                    move = next & FIRST[pair]
                    next += move
                    x |= move & turn
                    turn ^= 0 - <uint64_t> (move != 0)
                    move = next & SECOND[pair]
                    next += move
                    x |= move & turn
                    turn ^= 0 - <uint64_t> (move != 0)
                if c4_lines_standard(x, (next - C4_BOTTOM) ^ x, &x_line, &o_line):
                    if not counted and not x_line & o_line:
                        return 2 * x_line
                    return finish_standard(x_before, next_before, turn_before, x_mid, next_mid, x, next,
                                           x_line, o_line, plies)
            if next == C4_SENTINEL:
                return 1 + 4 * (42 - plies)


cdef int32_t rollout_standard(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const c4_state *s = <const c4_state *> state
    return roll_standard(s.me[0], s.next[0], True, s.plies, rng)


cdef inline void replay_one(const c4_context *c, const c4_state *root, const uint32_t *path, uint32_t length,
                            uint64_t *x, uint64_t *o, uint64_t *next) noexcept nogil:
    """Plays the path: stones of the player to move, of the other one, and the next cells at its end."""
    cdef uint64_t a = root.me[0], n = root.next[0], b = (n - c.bottom[0]) ^ a, move
    cdef uint32_t i = 0
    while i + 1 < length:
        move = n & c.column[path[i]][0]
        n += move
        a |= move
        move = n & c.column[path[i + 1]][0]
        n += move
        b |= move
        i += 2
    if i < length:
        move = n & c.column[path[i]][0]
        n += move
        x[0] = b
        o[0] = a | move
    else:
        x[0] = a
        o[0] = b
    next[0] = n


cdef inline uint64_t try_one(const c4_context *c, uint64_t next, mcts_simulation *simulation) noexcept nogil:
    """The untried move at the cursor, which moves on."""
    cdef uint32_t cursor = simulation.cursor, cols = c.cols
    cdef uint64_t move = next & c.column[c.order[cursor]][0]
    while MCTS_UNLIKELY(move == 0):
        cursor += 1
        move = next & c.column[c.order[cursor]][0]
    simulation.slot = c.order[cursor]
    simulation.count = cols
    cursor += 1
    while cursor < cols and MCTS_UNLIKELY((next & c.column[c.order[cursor]][0]) == 0):
        cursor += 1
    simulation.cursor = cursor if cursor < cols else MCTS_ALL_TRIED
    return move


cdef int32_t simulate_standard(void *context, const void *root, const uint32_t *path, uint32_t length,
                               mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef uint64_t x, o, next, move
    cdef int32_t result
    replay_one(c, <const c4_state *> root, path, length, &x, &o, &next)
    move = try_one(c, next, simulation)
    next += move
    x |= move
    if c4_line_standard(x):
        result = 0
    elif MCTS_UNLIKELY(next == C4_SENTINEL):
        return 1
    else:
        result = roll_standard(o, next, False, 0, rng) & 3
    return result if length & 1 else 2 - result


cdef int32_t expand_standard(void *context, const void *root, const uint32_t *path, uint32_t length,
                             mcts_expansion *expansion) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef uint64_t x, o, next, move
    cdef int i, outcome
    replay_one(c, <const c4_state *> root, path, length, &x, &o, &next)
    for i in range(7):
        move = next & FIRST[7 * i]
        outcome = MCTS_WIN if c4_line_standard(x | move) else MCTS_ONGOING
        if next + move == C4_SENTINEL and outcome == MCTS_ONGOING:
            outcome = MCTS_DRAW
        expansion.outcomes[i] = <uint8_t> (outcome if move else MCTS_ILLEGAL)
    expansion.root_player = not length & 1
    return 7


# ---- any board of at most 64 bits ------------------------------------------------------------------------------------

cdef inline bint lines_one(const c4_context *c, uint64_t x, uint64_t o, int *x_line, int *o_line) noexcept nogil:
    return c4_lines_one(x, o, c.shift, c.steps, c.directions, x_line, o_line)


cdef inline bint has_line_one(const c4_context *c, uint64_t x) noexcept nogil:
    cdef int x_line, nobody
    return lines_one(c, x, 0, &x_line, &nobody)


cdef int32_t finish_one(const c4_context *c, uint64_t x, uint64_t next, uint64_t turn, uint32_t fraction,
                        int32_t plies) noexcept nogil:
    """Plays the last chunk again, move by move: who was first, and when."""
    cdef uint64_t o = (next - c.bottom[0]) ^ x, move, column
    plies = mcts_popcount64(next - c.bottom[0]) - plies
    while True:
        column = <uint64_t> fraction * <uint32_t> c.cols
        fraction = <uint32_t> column
        move = next & c.column[column >> 32][0]
        if move == 0:
            continue
        next += move
        plies += 1
        if turn:
            x |= move
            if has_line_one(c, x):
                return 2 + 4 * plies
        else:
            o |= move
            if has_line_one(c, o):
                return 4 * plies
        turn = ~turn


cdef int32_t roll_one(const c4_context *c, uint64_t x, uint64_t next, bint counted, int32_t plies,
                      mcts_rng *rng) noexcept nogil:
    """As ``roll_standard``."""
    cdef uint64_t word, column, move, turn = C4_EVERY, x_before, next_before, turn_before
    cdef uint32_t fraction, fraction_before, draws = c.draws, power = c.power, reject = c.reject, cols = c.cols, drawn
    cdef int _half, _, x_line, o_line
    while True:
        word = c4_random(rng)
        for _half in range(2):
            fraction = <uint32_t> word
            word >>= 32
            if MCTS_UNLIKELY(fraction * power < reject):
                continue
            drawn = 0
            while drawn < draws:
                drawn += 4
                x_before = x
                next_before = next
                turn_before = turn
                fraction_before = fraction
                for _ in range(4):
                    column = <uint64_t> fraction * cols
                    fraction = <uint32_t> column
                    move = next & c.column[column >> 32][0]
                    next += move
                    x |= move & turn
                    turn ^= 0 - <uint64_t> (move != 0)
                if lines_one(c, x, (next - c.bottom[0]) ^ x, &x_line, &o_line):
                    if not counted and not x_line & o_line:
                        return 2 * x_line
                    return finish_one(c, x_before, next_before, turn_before, fraction_before, plies)
                if next == c.sentinel[0]:
                    return 1 + 4 * (c.rows * c.cols - plies)


cdef int32_t rollout_one(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const c4_state *s = <const c4_state *> state
    return roll_one(<const c4_context *> context, s.me[0], s.next[0], True, s.plies, rng)


cdef int32_t simulate_one(void *context, const void *root, const uint32_t *path, uint32_t length,
                          mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef uint64_t x, o, next, move
    cdef int32_t result
    replay_one(c, <const c4_state *> root, path, length, &x, &o, &next)
    move = try_one(c, next, simulation)
    next += move
    x |= move
    if has_line_one(c, x):
        result = 0
    elif next == c.sentinel[0]:
        return 1
    else:
        result = roll_one(c, o, next, False, 0, rng) & 3
    return result if length & 1 else 2 - result


cdef inline int32_t roll_lanes(const c4_context *c, const c4_state *s, uint64_t count, mcts_rng *rng,
                               uint64_t *results, uint64_t *plies, bint standard) noexcept nogil:
    cdef c4_lanes_start start
    start.me = s.me[0]
    start.next = s.next[0]
    start.bottom = c.bottom[0]
    start.sentinel = c.sentinel[0]
    start.column = &c.column[0][0]
    start.shift = &c.shift[0][0]
    start.steps = c.steps
    start.directions = c.directions
    start.height = c.height
    start.cols = c.cols
    start.draws = c.draws
    start.power = c.power
    start.reject = c.reject
    c4_lane_rollouts(&start, count, rng, results, plies, standard)
    return 0


cdef int32_t rollouts_standard(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                               uint64_t *plies) noexcept nogil:
    return roll_lanes(<const c4_context *> context, <const c4_state *> state, count, rng, results, plies, True)


cdef int32_t rollouts_one(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                          uint64_t *plies) noexcept nogil:
    return roll_lanes(<const c4_context *> context, <const c4_state *> state, count, rng, results, plies, False)


# ---- any board of at most 128 bits -----------------------------------------------------------------------------------

cdef inline bint lines_two(const c4_context *c, const uint64_t *x, const uint64_t *o, int *x_line,
                           int *o_line) noexcept nogil:
    return c4_lines_two(x, o, c.shift, c.steps, c.directions, x_line, o_line)


cdef inline bint has_line_two(const c4_context *c, const uint64_t *x) noexcept nogil:
    cdef int x_line, nobody
    cdef uint64_t[2] none
    none[0] = none[1] = 0
    return lines_two(c, x, none, &x_line, &nobody)


cdef inline uint64_t drop(const c4_context *c, uint64_t *next, uint64_t column, uint64_t *move) noexcept nogil:
    """Plays into the column, if it is open: ``move`` is the stone; returns whether there is one. The only carry
    between the words is that of a column which spans both."""
    move[0] = next[0] & c.column[column][0]
    move[1] = next[1] & c.column[column][1]
    next[0] += move[0]
    next[1] += move[1] + (next[0] < move[0])
    return (move[0] | move[1]) != 0


cdef inline void others(const c4_context *c, const uint64_t *x, const uint64_t *next, uint64_t *o) noexcept nogil:
    """All stones but ``x``."""
    o[0] = (next[0] - c.bottom[0]) ^ x[0]
    o[1] = (next[1] - c.bottom[1] - (next[0] < c.bottom[0])) ^ x[1]


cdef inline bint is_full(const c4_context *c, const uint64_t *next) noexcept nogil:
    return next[0] == c.sentinel[0] and next[1] == c.sentinel[1]


cdef int32_t finish_two(const c4_context *c, uint64_t *x, uint64_t *next, uint64_t turn, uint32_t fraction,
                        int32_t plies) noexcept nogil:
    """Plays the last chunk again, move by move: who was first, and when."""
    cdef uint64_t o[2]
    cdef uint64_t move[2]
    cdef uint64_t column
    others(c, x, next, o)
    plies = mcts_popcount64(x[0]) + mcts_popcount64(x[1]) + mcts_popcount64(o[0]) + mcts_popcount64(o[1]) - plies
    while True:
        column = <uint64_t> fraction * <uint32_t> c.cols
        fraction = <uint32_t> column
        if not drop(c, next, column >> 32, move):
            continue
        plies += 1
        if turn:
            x[0] |= move[0]
            x[1] |= move[1]
            if has_line_two(c, x):
                return 2 + 4 * plies
        else:
            o[0] |= move[0]
            o[1] |= move[1]
            if has_line_two(c, o):
                return 4 * plies
        turn = ~turn


cdef int32_t roll_two(const c4_context *c, const uint64_t *stones, const uint64_t *cells, bint counted, int32_t plies,
                      mcts_rng *rng) noexcept nogil:
    """As ``roll_standard``."""
    cdef uint64_t x[2]
    cdef uint64_t o[2]
    cdef uint64_t next[2]
    cdef uint64_t move[2]
    cdef uint64_t x_before[2]
    cdef uint64_t next_before[2]
    cdef uint64_t word, column, turn = C4_EVERY, turn_before
    cdef uint32_t fraction, fraction_before, draws = c.draws, power = c.power, reject = c.reject, cols = c.cols, drawn
    cdef int _half, _, x_line, o_line
    x[0] = stones[0]
    x[1] = stones[1]
    next[0] = cells[0]
    next[1] = cells[1]
    while True:
        word = c4_random(rng)
        for _half in range(2):
            fraction = <uint32_t> word
            word >>= 32
            if MCTS_UNLIKELY(fraction * power < reject):
                continue
            drawn = 0
            while drawn < draws:
                drawn += 4
                x_before[0] = x[0]
                x_before[1] = x[1]
                next_before[0] = next[0]
                next_before[1] = next[1]
                turn_before = turn
                fraction_before = fraction
                for _ in range(4):
                    column = <uint64_t> fraction * cols
                    fraction = <uint32_t> column
                    column = 0 - drop(c, next, column >> 32, move)
                    x[0] |= move[0] & turn
                    x[1] |= move[1] & turn
                    turn ^= column
                others(c, x, next, o)
                if lines_two(c, x, o, &x_line, &o_line):
                    if not counted and not x_line & o_line:
                        return 2 * x_line
                    return finish_two(c, x_before, next_before, turn_before, fraction_before, plies)
                if is_full(c, next):
                    return 1 + 4 * (c.rows * c.cols - plies)


cdef int32_t rollout_two(void *context, const void *state, mcts_rng *rng) noexcept nogil:
    cdef const c4_state *s = <const c4_state *> state
    return roll_two(<const c4_context *> context, s.me, s.next, True, s.plies, rng)


cdef inline bint is_open(const c4_context *c, const uint64_t *next, uint32_t column) noexcept nogil:
    return (next[0] & c.column[column][0] | next[1] & c.column[column][1]) != 0


cdef inline void advance(const c4_context *c, c4_state *s, uint32_t column) noexcept nogil:
    """Plays a legal move without a look at lines."""
    cdef uint64_t move[2]
    cdef uint64_t o[2]
    others(c, s.me, s.next, o)
    drop(c, s.next, column, move)
    s.me[0] = o[0]
    s.me[1] = o[1]
    s.plies += 1


cdef int32_t play_two(void *context, void *state, uint32_t move) noexcept nogil:
    """Of every board, like the next three."""
    cdef const c4_context *c = <const c4_context *> context
    cdef c4_state *s = <c4_state *> state
    cdef uint64_t mover[2]
    advance(c, s, move)
    others(c, s.me, s.next, mover)
    s.over = MCTS_ONGOING
    if has_line_two(c, mover):
        s.over = MCTS_WIN
    elif is_full(c, s.next):
        s.over = MCTS_DRAW
    return s.over


cdef int32_t legal_moves(void *context, const void *state, uint32_t *moves) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef const c4_state *s = <const c4_state *> state
    cdef int32_t count = 0, i
    if s.over != MCTS_ONGOING:
        return 0
    for i in range(c.cols):
        if is_open(c, s.next, c.order[i]):
            moves[count] = c.order[i]
            count += 1
    return count


cdef int32_t simulate_two(void *context, const void *root, const uint32_t *path, uint32_t length,
                          mcts_simulation *simulation, mcts_rng *rng) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef c4_state s = (<const c4_state *> root)[0]
    cdef uint32_t i, cursor = simulation.cursor, cols = c.cols
    cdef int32_t result
    for i in range(length):
        advance(c, &s, path[i])
    while not is_open(c, s.next, c.order[cursor]):
        cursor += 1
    simulation.slot = c.order[cursor]
    simulation.count = cols
    cursor += 1
    while cursor < cols and not is_open(c, s.next, c.order[cursor]):
        cursor += 1
    simulation.cursor = cursor if cursor < cols else MCTS_ALL_TRIED
    play_two(context, &s, simulation.slot)
    if s.over == MCTS_DRAW:
        return 1
    result = 0
    if s.over == MCTS_ONGOING:
        result = roll_two(c, s.me, s.next, False, 0, rng) & 3
    return result if length & 1 else 2 - result


cdef int32_t expand_two(void *context, const void *root, const uint32_t *path, uint32_t length,
                        mcts_expansion *expansion) noexcept nogil:
    cdef const c4_context *c = <const c4_context *> context
    cdef c4_state s = (<const c4_state *> root)[0]
    cdef c4_state child
    cdef uint32_t i
    for i in range(length):
        advance(c, &s, path[i])
    for i in range(<uint32_t> c.cols):
        if is_open(c, s.next, i):
            child = s
            expansion.outcomes[i] = <uint8_t> play_two(context, &child, i)
        else:
            expansion.outcomes[i] = MCTS_ILLEGAL
    expansion.root_player = not length & 1
    return c.cols


# ---- the table -------------------------------------------------------------------------------------------------------

cdef c4_table TABLE

for kind in range(C4_KINDS):
    TABLE.legal_moves[kind] = legal_moves
    TABLE.play[kind] = play_two
    TABLE.expand[kind] = expand_two
TABLE.rollout[C4_STANDARD] = rollout_standard
TABLE.rollout[C4_ONE_WORD] = rollout_one
TABLE.rollout[C4_TWO_WORDS] = rollout_two
TABLE.rollouts[C4_STANDARD] = rollouts_standard
TABLE.rollouts[C4_ONE_WORD] = rollouts_one
TABLE.rollouts[C4_TWO_WORDS] = NULL
TABLE.simulate[C4_STANDARD] = simulate_standard
TABLE.simulate[C4_ONE_WORD] = simulate_one
TABLE.simulate[C4_TWO_WORDS] = simulate_two
TABLE.expand[C4_STANDARD] = expand_standard

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
