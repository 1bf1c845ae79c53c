"""What Connect Four offers the search beyond its rules: children with what a glance proves, and decisive rollouts.

A position is the stones of the player to move, those of the other one and the cells that the next stones fall into;
with them go the winning cells of both, of which a move changes only those of its player: one pass over the board per
ply.
A decisive rollout also avoids moves that let the other player win on top of them. Measured on 581 solved positions of 6
to 24 stones, 300 rollouts for each child: the best one keeps the value in 77 % of them, 66 % without that, 56 % with
random rollouts (60 % with 1,500). From the empty board they take 6 times as long as random ones.

Compiled once per instruction set, and per kind of board by a fused type whose members differ in name only.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.games.connect_four.knowledge cimport (c4_any, c4_below, c4_both, c4_cells, c4_count, c4_down, c4_either,
                                                     c4_guide_table, c4_index, c4_pick, c4_several, c4_sum, c4_up,
                                                     c4_wins, c4_without)
from mcts_core.games.connect_four.rollout cimport C4_ONE_WORD, C4_STANDARD, C4_TWO_WORDS, c4_context, c4_state, c4_table
from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport (MCTS_DRAW, MCTS_LOSS, MCTS_NO_MOVE, MCTS_ONGOING, MCTS_ROLLOUT_RANDOM, MCTS_WIN,
                             mcts_children, mcts_rollout_report, mcts_policy, mcts_proof, mcts_rng)


cdef extern from "kernels/connect_four/board.h" nogil:
    uint64_t c4_random(mcts_rng *rng)


ctypedef struct standard_board:
    c4_context context

ctypedef struct one_word_board:
    c4_context context

ctypedef struct two_word_board:
    c4_context context

ctypedef fused c4_board:
    standard_board
    one_word_board
    two_word_board

ctypedef struct position:
    c4_cells me
    c4_cells other
    c4_cells next    # also above full columns
    c4_cells own     # where the player to move completes a line
    c4_cells theirs  # where the other one does
    c4_cells board   # the playable cells


cdef c4_table *HOT = <c4_table *> hot_table("games.connect_four.rollout")


cdef inline int kind_of(const c4_board *b) noexcept nogil:
    if c4_board is standard_board:
        return C4_STANDARD
    elif c4_board is one_word_board:
        return C4_ONE_WORD
    else:
        return C4_TWO_WORDS


cdef inline c4_cells cells(const c4_board *b, const uint64_t *words) noexcept nogil:
    cdef c4_cells result
    result.low = words[0]
    result.high = words[1] if c4_board is two_word_board else 0
    return result


cdef inline c4_cells wins(const c4_board *b, c4_cells stones, c4_cells board) noexcept nogil:
    cdef const c4_context *c = &b.context
    return c4_wins(kind_of(b), stones, board, c.shift[0], c.directions, c.connect)


cdef inline uint32_t column_of(const c4_board *b, c4_cells cell) noexcept nogil:
    if c4_board is standard_board:
        return <uint32_t> c4_index(C4_STANDARD, cell) // 7
    else:
        return <uint32_t> c4_index(kind_of(b), cell) // <uint32_t> b.context.height


cdef inline uint32_t action_of(const c4_board *b, c4_cells cell) noexcept nogil:
    """column * rows + height"""
    return <uint32_t> c4_index(kind_of(b), cell) - column_of(b, cell)


cdef inline position replay(const c4_board *b, const c4_state *root, const uint32_t *path, uint32_t length,
                            uint8_t *played) noexcept nogil:
    cdef const c4_context *c = &b.context
    cdef position at
    cdef c4_cells move, stones, floor = cells(b, c.bottom)
    cdef uint32_t i
    at.me = cells(b, root.me)
    at.next = cells(b, root.next)
    at.board.low = c.sentinel[0] - floor.low
    at.board.high = 0
    stones.low = at.next.low - floor.low
    stones.high = 0
    if c4_board is two_word_board:
        at.board.high = c.sentinel[1] - floor.high - (c.sentinel[0] < floor.low)
        stones.high = at.next.high - floor.high - (at.next.low < floor.low)
    at.other = c4_without(stones, at.me)
    for i in range(length):
        move = c4_both(at.next, cells(b, c.column[path[i]]))
        if played != NULL:
            played[action_of(b, move)] = <uint8_t> (1 + (i & 1))
        stones = at.other
        at.other = c4_either(at.me, move)
        at.me = stones
        at.next = c4_sum(kind_of(b), at.next, move)
    at.own = wins(b, at.me, at.board)
    at.theirs = wins(b, at.other, at.board)
    return at


cdef inline void glance(const c4_board *b, const position *at, mcts_proof *proof) noexcept nogil:
    """What the winning cells of a position, where the game goes on, say about it."""
    cdef int kind = kind_of(b)
    cdef c4_cells playable = c4_both(at.next, at.board), win = c4_both(at.own, at.next)
    cdef c4_cells forced = c4_both(at.theirs, at.next)
    proof.value = -1
    proof.distance = 0
    proof.exact = 1
    proof.move = MCTS_NO_MOVE
    proof.spent = 0
    if c4_any(win):
        proof.value = 2
        proof.distance = 1
        proof.move = column_of(b, c4_pick(kind, win, 0))
        return
    if c4_any(forced) and not c4_several(kind, forced):
        playable = forced
    if c4_several(kind, forced) or not c4_any(c4_without(playable, c4_below(kind, at.theirs))):
        proof.value = 0
        proof.distance = 2
        proof.move = column_of(b, c4_pick(kind, playable, 0))
    elif c4_count(kind, c4_either(at.me, at.other)) + 1 == b.context.rows * b.context.cols:
        proof.value = 1
        proof.distance = 1
        proof.move = column_of(b, playable)


# ---- rollouts --------------------------------------------------------------------------------------------------------

cdef inline uint32_t below(mcts_rng *rng, uint32_t n) noexcept nogil:
    """Uniform in 0 .. n-1, as ``mcts_rng_below``, by the faster generator."""
    cdef uint64_t m = (c4_random(rng) >> 32) * n
    if <uint32_t> m < n:
        while <uint32_t> m < (0 - n) % n:
            m = (c4_random(rng) >> 32) * n
    return <uint32_t> (m >> 32)


cdef inline int32_t roll(const c4_board *b, position at, uint8_t *played, uint32_t who, bint decisive,
                         mcts_rng *rng) noexcept nogil:
    """The result for the player to move; ``who`` he is in ``played``, 1 or 2, which may be NULL."""
    cdef int kind = kind_of(b)
    cdef c4_cells candidates, chosen
    cdef uint32_t count, mover = who
    while True:
        candidates = c4_both(at.next, at.board)
        if not c4_any(candidates):
            return 1
        if decisive:
            chosen = c4_both(at.own, at.next)
            if c4_any(chosen):
                if played != NULL:
                    played[action_of(b, c4_pick(kind, chosen, 0))] = <uint8_t> mover
                return 2 if mover == who else 0
            chosen = c4_both(at.theirs, at.next)
            if c4_any(chosen):
                candidates = chosen
                if c4_several(kind, chosen) and played == NULL:
                    return 0 if mover == who else 2
            else:
                chosen = c4_without(candidates, c4_below(kind, at.theirs))
                if c4_any(chosen):
                    candidates = chosen
                elif played == NULL:
                    return 0 if mover == who else 2
        count = c4_count(kind, candidates)
        chosen = c4_pick(kind, candidates, below(rng, count) if count > 1 else 0)
        if played != NULL:
            played[action_of(b, chosen)] = <uint8_t> mover
        if not decisive and c4_any(c4_both(at.own, chosen)):
            return 2 if mover == who else 0
        at.next = c4_sum(kind, at.next, chosen)
        chosen = c4_either(at.me, chosen)
        at.me = at.other
        at.other = chosen
        at.own = at.theirs
        at.theirs = wins(b, chosen, at.board)
        mover = 3 - mover


cdef inline int32_t rollout_by_policy(const c4_board *b, const c4_state *root, const uint32_t *path, uint32_t length,
                                      const mcts_policy *policy, mcts_rollout_report *report,
                                      mcts_rng *rng) noexcept nogil:
    cdef position at
    cdef c4_state leaf
    cdef uint32_t who = 1 + (length & 1)
    cdef int32_t result
    if report.played != NULL:
        memset(report.played, 0, b.context.rows * b.context.cols)
    at = replay(b, root, path, length, report.played)
    glance(b, &at, &report.proof)
    if policy.rollout != MCTS_ROLLOUT_RANDOM:
        result = roll(b, at, report.played, who, True, rng)
    elif report.played != NULL:
        result = roll(b, at, report.played, who, False, rng)
    else:
        leaf.me[0] = at.me.low
        leaf.me[1] = at.me.high
        leaf.next[0] = at.next.low
        leaf.next[1] = at.next.high
        leaf.plies = root.plies + <int32_t> length
        leaf.over = MCTS_ONGOING
        result = HOT.rollout[kind_of(b)](<void *> b, &leaf, rng) & 3
    return 2 - result if length & 1 else result


cdef int32_t rollout_by_policy_standard(void *context, const void *root, const uint32_t *path, uint32_t length,
                                        const mcts_policy *policy, mcts_rollout_report *report,
                                        mcts_rng *rng) noexcept nogil:
    return rollout_by_policy(<const standard_board *> context, <const c4_state *> root, path, length, policy, report,
                             rng)


cdef int32_t rollout_by_policy_one(void *context, const void *root, const uint32_t *path, uint32_t length,
                                   const mcts_policy *policy, mcts_rollout_report *report,
                                   mcts_rng *rng) noexcept nogil:
    return rollout_by_policy(<const one_word_board *> context, <const c4_state *> root, path, length, policy, report,
                             rng)


cdef int32_t rollout_by_policy_two(void *context, const void *root, const uint32_t *path, uint32_t length,
                                   const mcts_policy *policy, mcts_rollout_report *report,
                                   mcts_rng *rng) noexcept nogil:
    return rollout_by_policy(<const two_word_board *> context, <const c4_state *> root, path, length, policy, report,
                             rng)


# ---- children --------------------------------------------------------------------------------------------------------

cdef inline bint is_mirrored(const c4_board *b, const position *at) noexcept nogil:
    """Whether the position is its own mirror image."""
    cdef const c4_context *c = &b.context
    cdef c4_cells left, right
    cdef uint32_t i, distance
    for i in range(<uint32_t> c.cols // 2):
        distance = (<uint32_t> c.cols - 1 - 2 * i) * <uint32_t> c.height
        left = c4_both(at.me, cells(b, c.column[i]))
        right = c4_both(at.me, cells(b, c.column[<uint32_t> c.cols - 1 - i]))
        right = c4_down(right, distance)
        if left.low != right.low or left.high != right.high:
            return False
        left = c4_both(at.other, cells(b, c.column[i]))
        right = c4_both(at.other, cells(b, c.column[<uint32_t> c.cols - 1 - i]))
        right = c4_down(right, distance)
        if left.low != right.low or left.high != right.high:
            return False
    return True


cdef inline c4_cells upper_cells(const c4_board *b) noexcept nogil:
    """Every second cell of a column, from its top: those that the second player gets by always answering on top."""
    cdef c4_cells floor = cells(b, b.context.bottom), result = floor
    cdef int32_t row = b.context.rows - 1
    result.low = result.high = 0
    while row > 0:
        result = c4_either(result, c4_up(floor, row))
        row -= 2
    return c4_either(result, floor) if row == 0 else result


cdef inline int32_t windows(int32_t least, int32_t most) noexcept nogil:
    return most - least + 1 if most >= least else 0


cdef inline int32_t lines_through(const c4_context *c, int32_t column, int32_t row) noexcept nogil:
    """The number of lines of the empty board that hold the cell."""
    cdef int32_t k = c.connect, mirror = c.rows - 1 - row, beyond = max(0, column + k - c.cols)
    cdef int32_t above = max(0, row + k - c.rows), mirror_above = max(0, mirror + k - c.rows)
    return (windows(beyond, min(k - 1, column)) + windows(above, min(k - 1, row))
            + windows(max(beyond, above), min(k - 1, min(column, row)))
            + windows(max(beyond, mirror_above), min(k - 1, min(column, mirror))))


cdef inline float evaluate(const c4_board *b, c4_cells move, c4_cells own_good, c4_cells own_bad, c4_cells theirs,
                           c4_cells good) noexcept nogil:
    """The log odds of winning, roughly, by winning cells after the move, on rows that are good for their owner or not,
    and by the lines through the cell of the move.

    Rounded weights of a logistic fit to half of the solved positions of ``c4_dev.tsv``, with the constant moved so that
    an average cell gets 0.43. On the other half the squared error of the fit is 0.162, that of a constant 0.185; its
    best child keeps the value in 56 % of the positions where that can be missed, as 300 random rollouts a child do.
    """
    cdef const c4_context *c = &b.context
    cdef int kind = kind_of(b)
    cdef int32_t column = column_of(b, move), row = c4_index(kind, move) - column * c.height
    return (<float> -1.2 + <float> 0.7 * c4_count(kind, own_good) + <float> 0.4 * c4_count(kind, own_bad)
            - <float> 0.2 * c4_count(kind, c4_without(theirs, good))
            - <float> 0.1 * c4_count(kind, c4_both(theirs, good))
            + <float> 0.56 * lines_through(c, column, row) / c.connect)


cdef inline float squash(float odds) noexcept nogil:
    """About 1 / (1 + exp(-odds)), the same on every machine; 0.05 to 0.95."""
    cdef float size = odds if odds >= 0 else -odds
    cdef float result = <float> 0.5 + <float> 0.5 * odds / (<float> 2 + size)
    return min(max(result, <float> 0.05), <float> 0.95)


cdef inline int32_t find_children(const c4_board *b, const c4_state *root, const uint32_t *path, uint32_t length,
                                  const mcts_policy *policy, mcts_children *children) noexcept nogil:
    cdef const c4_context *c = &b.context
    cdef int kind = kind_of(b)
    cdef position at = replay(b, root, path, length, NULL)
    cdef c4_cells move, forced, threats, replies
    cdef c4_cells good, bad
    cdef int32_t count = 0, legal = 0, i
    cdef uint32_t outcome, distance, column
    cdef float worth, prior
    cdef float order[64]
    cdef bint half = policy.symmetry and is_mirrored(b, &at)
    cdef bint last = c4_count(kind, c4_either(at.me, at.other)) + 1 == c.rows * c.cols
    for i in range(c.cols):
        if c4_any(c4_both(at.next, cells(b, c.column[i]))) and not (half and 2 * i >= c.cols):
            legal += 1
    if <uint32_t> legal > children.capacity:
        return legal
    forced = c4_both(at.theirs, at.next)
    good = upper_cells(b)
    if not root.plies + <int32_t> length & 1:
        good = c4_without(at.board, good)
    bad = c4_without(at.board, good)
    children.root_player = not length & 1
    children.complete = 1
    children.rest = 0
    for i in range(c.cols):
        column = c.order[i]
        move = c4_both(at.next, cells(b, c.column[column]))
        if not c4_any(move) or half and 2 * column >= <uint32_t> c.cols:
            continue
        outcome = MCTS_ONGOING
        distance = 0
        prior = 0.5
        worth = 0
        if c4_any(c4_both(at.own, move)):
            outcome = MCTS_WIN
            worth = 1000
        elif last:
            outcome = MCTS_DRAW
        elif c4_any(c4_without(forced, move)) or c4_any(c4_both(c4_below(kind, at.theirs), move)):
            outcome = MCTS_LOSS
            distance = 1
            worth = -1000
        else:
            threats = c4_without(wins(b, c4_either(at.me, move), at.board), c4_either(at.me, at.other))
            replies = c4_both(c4_sum(kind, at.next, move), at.board)
            if c4_any(c4_both(threats, replies)):
                replies = c4_both(threats, replies)
            if (c4_any(c4_both(threats, replies)) and c4_several(kind, replies)
                    or not c4_any(c4_without(replies, c4_below(kind, threats)))):
                outcome = MCTS_WIN
                distance = 2
                worth = 999
            else:
                worth = evaluate(b, move, c4_both(threats, good), c4_both(threats, bad),
                                 c4_without(at.theirs, c4_either(at.me, at.other)), good)
                prior = squash(worth)
        if outcome == MCTS_WIN:
            prior = 1
        elif outcome == MCTS_LOSS:
            prior = 0
        insert(b, children, order, count, worth, move, outcome, distance, prior)
        count += 1
    return count


cdef inline void insert(const c4_board *b, mcts_children *children, float *order, int32_t count, float worth,
                        c4_cells move, uint32_t outcome, uint32_t distance, float prior) noexcept nogil:
    """Puts a child behind those that are worth as much."""
    cdef int32_t i = count
    while i > 0 and order[i - 1] < worth:
        order[i] = order[i - 1]
        children.moves[i] = children.moves[i - 1]
        children.actions[i] = children.actions[i - 1]
        children.outcomes[i] = children.outcomes[i - 1]
        children.distances[i] = children.distances[i - 1]
        children.priors[i] = children.priors[i - 1]
        i -= 1
    order[i] = worth
    children.moves[i] = column_of(b, move)
    children.actions[i] = action_of(b, move)
    children.outcomes[i] = <uint8_t> outcome
    children.distances[i] = <uint16_t> distance
    children.priors[i] = prior


cdef int32_t children_standard(void *context, const void *root, const uint32_t *path, uint32_t length,
                               const mcts_policy *policy, mcts_children *children) noexcept nogil:
    return find_children(<const standard_board *> context, <const c4_state *> root, path, length, policy, children)


cdef int32_t children_one(void *context, const void *root, const uint32_t *path, uint32_t length,
                          const mcts_policy *policy, mcts_children *children) noexcept nogil:
    return find_children(<const one_word_board *> context, <const c4_state *> root, path, length, policy, children)


cdef int32_t children_two(void *context, const void *root, const uint32_t *path, uint32_t length,
                          const mcts_policy *policy, mcts_children *children) noexcept nogil:
    return find_children(<const two_word_board *> context, <const c4_state *> root, path, length, policy, children)


# ---- the table -------------------------------------------------------------------------------------------------------

cdef c4_guide_table TABLE

TABLE.children[C4_STANDARD] = children_standard
TABLE.children[C4_ONE_WORD] = children_one
TABLE.children[C4_TWO_WORDS] = children_two
TABLE.rollout_by_policy[C4_STANDARD] = rollout_by_policy_standard
TABLE.rollout_by_policy[C4_ONE_WORD] = rollout_by_policy_one
TABLE.rollout_by_policy[C4_TWO_WORDS] = rollout_by_policy_two

table = PyCapsule_New(&TABLE, b"mcts_core.table", NULL)
