"""Score bounds: what each player gets at least and at most with best play, in general games by rollouts.

Of every node with a block the tree knows an interval for the value of each player, [0, 1] at first. The end of a game
has its values, and the intervals above follow from those below (Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree
Search", CG 2010; here with several players and chance):

- The player who moves gets the best of the children: at least the highest lower bound, at most the highest upper bound.
- The others get what the child that is chosen gives them. It may be any child that can still be the best one for the
  player who moves, so equal values of two moves leave an interval.
- A chance node has the mean of its outcomes, by their probabilities. The tree knows these with 31 bits; the interval is
  wide enough for what they left out.
- In a game with a constant sum the values of all players sum to 1.

Best play means that every player takes a move that is best for that player (max^n), whichever of several equal ones. An
interval never becomes wider: of a child that has lost its block nothing is known, but what it proved above it stays.

This is for ``general_tree.pyx`` and for those who read its trees.
"""

from libc.stdint cimport int32_t, uint32_t

from mcts_core.tree.general_proofs cimport is_proven_block, is_proven_link, points_for
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, WIDE_INDEX, result_of


cdef extern from *:
    """
    #define MCTS_EXACT 1e-6        /* width of an interval that counts as one value; so much may probabilities be off */
    #define MCTS_SUM_ROUNDING 1e-12 /* by which rounding may change a sum of values or of products */
    #define MCTS_LIMIT_STEP (1.0 / 2147483648.0) /* of the limits of outcomes */
    """
    const double EXACT "MCTS_EXACT"
    const double SUM_ROUNDING "MCTS_SUM_ROUNDING"
    const double LIMIT_STEP "MCTS_LIMIT_STEP"

ctypedef struct Interval:
    double low
    double high


# ---- what is known of a child ----------------------------------------------------------------------------------------

cdef inline Interval interval_of(const GeneralTree *general, uint32_t link, uint32_t player) noexcept nogil:
    """Of the value of a player behind a link."""
    cdef Interval interval
    cdef uint32_t kind = link & LINK_KIND
    interval.low, interval.high = 0.0, 1.0
    cdef const GeneralBlock *block
    if kind == LINK_BLOCK:
        block = general_block(general, link & WIDE_INDEX)
        if is_proven_block(block):
            interval.low = interval.high = 0.5 * points_for(<int32_t>player, <int32_t>block.proof - 1)
            return interval
        interval.low = low_of(general, general_block(general, link & WIDE_INDEX))[player]
        interval.high = high_of(general, general_block(general, link & WIDE_INDEX))[player]
    elif kind == LINK_TERMINAL:
        interval.low = interval.high = ending_values(general, link)[player]
    elif is_proven_link(link):
        interval.low = interval.high = 0.5 * points_for(<int32_t>player, <int32_t>result_of(link))
    return interval


cdef inline bint is_closed(const GeneralTree *general, uint32_t link) noexcept nogil:
    """Whether the values of all players are known, so that a visit would teach nothing."""
    cdef uint32_t player
    cdef Interval interval
    for player in range(general.players):
        interval = interval_of(general, link, player)
        if interval.high - interval.low > EXACT:
            return False
    return True


cdef inline void closed_values(const GeneralTree *general, uint32_t link, double *values) noexcept nogil:
    cdef uint32_t player
    cdef Interval interval
    for player in range(general.players):
        interval = interval_of(general, link, player)
        values[player] = 0.5 * (interval.low + interval.high)


cdef inline bint is_dominated(const GeneralTree *general, GeneralBlock *block, uint32_t link) noexcept nogil:
    """Whether another move is better for the player who moves, whatever this child is worth, or, where that says
    nothing of the others, as good."""
    cdef Interval interval = interval_of(general, link, <uint32_t>block.player)
    cdef double least = low_of(general, block)[block.player]
    if interval.high < least or interval.high <= 0:
        return True
    return general.rules.constant and general.players == 2 and interval.high <= least and interval.low < least


cdef inline bint is_idle(const GeneralTree *general, GeneralBlock *block, uint32_t link) noexcept nogil:
    """Whether a visit to this child of a player's node would teach nothing."""
    return link != 0 and (is_closed(general, link) or is_dominated(general, block, link))


# ---- what follows for a node -----------------------------------------------------------------------------------------

cdef inline void bound_by_moves(const GeneralTree *general, GeneralBlock *block, double *low,
                                double *high) noexcept nogil:
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, player, mover = <uint32_t>block.player
    cdef double least = low_of(general, block)[mover], most = 0.0
    cdef Interval interval
    cdef bint possible = False
    for slot in range(columns.count):
        interval = interval_of(general, columns.links[slot], mover)
        least = max(least, interval.low)
        most = max(most, interval.high)
    for player in range(general.players):
        low[player], high[player] = 1.0, 0.0
    for slot in range(columns.count):
        if interval_of(general, columns.links[slot], mover).high < least:
            continue  # nobody chooses it
        possible = True
        for player in range(general.players):
            interval = interval_of(general, columns.links[slot], player)
            low[player] = min(low[player], interval.low)
            high[player] = max(high[player], interval.high)
    if not possible:
        for player in range(general.players):
            low[player], high[player] = 0.0, 1.0
    low[mover], high[mover] = least, max(most, least)


cdef inline void bound_by_chance(const GeneralTree *general, GeneralBlock *block, double *low,
                                 double *high) noexcept nogil:
    """The mean is the last value less the sum of limit * step to the next value, so equal values have an exact mean.
    A limit may be too small by LIMIT_STEP."""
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t slot, player
    cdef double limit, step, rises, falls, lows, highs
    cdef Interval before, interval, hull
    for player in range(general.players):
        hull = before = interval_of(general, columns.links[0], player)
        rises = falls = lows = highs = 0.0
        for slot in range(1, columns.count):
            interval = interval_of(general, columns.links[slot], player)
            limit = columns.limits[slot - 1] * LIMIT_STEP
            step = interval.low - before.low
            lows += limit * step
            rises += max(step, 0.0) * LIMIT_STEP + abs(step) * SUM_ROUNDING
            step = interval.high - before.high
            highs += limit * step
            falls += max(-step, 0.0) * LIMIT_STEP + abs(step) * SUM_ROUNDING
            hull.low = min(hull.low, interval.low)
            hull.high = max(hull.high, interval.high)
            before = interval
        low[player] = max(before.low - lows - rises, hull.low)
        high[player] = min(before.high - highs + falls, hull.high)


cdef inline void bound_by_sum(const GeneralTree *general, double *low, double *high) noexcept nogil:
    """Where the values of all players sum to 1. Of two players, one gets what the other leaves, to the bit."""
    cdef uint32_t player
    cdef double lows = 0.0, highs = 0.0, most, least, slack = SUM_ROUNDING if general.players > 2 else 0.0
    for player in range(general.players):
        lows += low[player]
        highs += high[player]
    for player in range(general.players):
        most = 1.0 - (lows - low[player])
        most = most + slack if most > slack else 0.0
        least = 1.0 - (highs - high[player])
        least = least - slack if least < 1.0 - slack else 1.0
        lows -= low[player]
        highs -= high[player]
        low[player] = max(low[player], least)
        high[player] = min(high[player], most)
        lows += low[player]
        highs += high[player]


cdef inline bint tighten(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """Bounds a node by its children; whether that has taught something."""
    cdef double low[MAX_PLAYERS]
    cdef double high[MAX_PLAYERS]
    cdef double *known_low = low_of(general, block)
    cdef double *known_high = high_of(general, block)
    cdef uint32_t player
    cdef double least, most
    cdef bint changed = False
    if block.player < 0:
        bound_by_chance(general, block, low, high)
    else:
        bound_by_moves(general, block, low, high)
    if general.rules.constant:
        bound_by_sum(general, low, high)
    for player in range(general.players):
        least, most = max(known_low[player], low[player]), min(known_high[player], high[player])
        if least > most:  # by rounding
            least, most = most, least
        if least != known_low[player] or most != known_high[player]:
            known_low[player], known_high[player] = least, most
            changed = True
    return changed


cdef inline Interval root_interval(const GeneralTree *general) noexcept nogil:
    """Of the value of the player to move at the root."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef Interval interval
    interval.low = low_of(general, block)[block.player]
    interval.high = high_of(general, block)[block.player]
    return interval


cdef inline bint keeps_root_value(const GeneralTree *general, uint32_t link) noexcept nogil:
    """Whether this child of the root is proven to be a best move."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    return interval_of(general, link, <uint32_t>block.player).low >= root_interval(general).high - EXACT


cdef inline void settle_root(GeneralTree *general) noexcept nogil:
    """Ends the search where the value of the root is known, and a move that has it."""
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef Interval interval = root_interval(general)
    cdef uint32_t slot
    if interval.high - interval.low > EXACT:
        return
    for slot in range(columns.count):
        if keeps_root_value(general, columns.links[slot]):
            general.tree.settled = 1
            return


cdef inline uint32_t settled_move(const GeneralTree *general) noexcept nogil:
    """A best move of a root that is settled by bounds."""
    cdef GeneralColumns columns = general_columns(general, general_block(general, general_root(general) & WIDE_INDEX))
    cdef uint32_t slot
    for slot in range(columns.count):
        if keeps_root_value(general, columns.links[slot]):
            return columns.moves[slot]
    return general.tree.proof.move  # as another tree told
