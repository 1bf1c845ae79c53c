"""News of a node of the general tree: float64 sums and bounds as the words of a message."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from mcts_core.tree.general_tree cimport GeneralBlock, GeneralTree, high_of, is_possible_sum, low_of, totals_of
from mcts_core.tree.score_bounds cimport EXACT
from mcts_core.tree.tree cimport MAX_ITERATIONS


cdef extern from *:
    """
    #define NEWS_ROUNDING 1e-3    /* by which the news of a sum of floats may be off */
    """
    const double ROUNDING "NEWS_ROUNDING"


cdef inline double float_at(const uint32_t *words) noexcept nogil:
    cdef double value
    memcpy(&value, words, sizeof(double))
    return value


cdef inline void set_float(uint32_t *words, double value) noexcept nogil:
    memcpy(words, &value, sizeof(double))


cdef inline double clamped(const GeneralTree *general, double sum, uint32_t visits) noexcept nogil:
    """A sum of values of so many visits, which rounding may have taken out of its range."""
    if general.scored:
        return sum
    return 0.0 if sum < 0 else <double>visits if sum > visits else sum


cdef inline bint is_sum(const GeneralTree *general, double sum, uint32_t visits) noexcept nogil:
    """Whether that can be the news of a sum."""
    return is_possible_sum(general, sum, visits, ROUNDING)


cdef inline void tell_node(const GeneralTree *general, GeneralBlock *block, uint32_t *known,
                           uint32_t *news) noexcept nogil:
    """Writes what is not known of a node into a message, after which it is known."""
    cdef const double *totals = totals_of(block)
    cdef uint32_t player
    news[0] = block.visits - known[0]
    news[1] = block.valued - known[1]
    known[0] = block.visits
    known[1] = block.valued
    for player in range(general.players):
        set_float(news + 2 + 2 * player, totals[player] - float_at(known + 2 + 2 * player))
        set_float(known + 2 + 2 * player, totals[player])


cdef inline bint is_node(const GeneralTree *general, const GeneralBlock *block, const uint32_t *news) noexcept nogil:
    """Whether that can be the news of a node, the block of which is NULL where it is not known."""
    cdef uint32_t player
    if block != NULL and (news[0] > MAX_ITERATIONS - min(block.visits, <uint32_t>MAX_ITERATIONS)
                          or news[1] > MAX_ITERATIONS - min(block.valued, <uint32_t>MAX_ITERATIONS)):
        return False
    for player in range(general.players):
        if not is_sum(general, float_at(news + 2 + 2 * player), news[1]):
            return False
    return news[0] <= MAX_ITERATIONS and news[1] <= MAX_ITERATIONS


# ---- bounds ----------------------------------------------------------------------------------------------------------

# Those of the root alone, and only when they have settled it. What is known of other nodes without their children would
# outlive this root, and leave nodes whose bounds no child bears out.

cdef inline void tell_bounds(const GeneralTree *general, GeneralBlock *root, uint32_t *bounds) noexcept nogil:
    """The lower ones of all players, then the upper ones."""
    memcpy(bounds, low_of(general, root), 2 * general.players * sizeof(double))


cdef inline bint are_bounds(const GeneralTree *general, GeneralBlock *block, const uint32_t *bounds) noexcept nogil:
    """Whether these can be bounds that settle the root. ``block``: NULL where it has none yet."""
    cdef uint32_t player
    cdef double low, high
    for player in range(general.players):
        low, high = float_at(bounds + 2 * player), float_at(bounds + 2 * (general.players + player))
        if not 0.0 <= low <= high <= 1.0:
            return False
        if block != NULL and (low > high_of(general, block)[player] + EXACT
                              or high < low_of(general, block)[player] - EXACT
                              or (player == <uint32_t>block.player and high - low > EXACT)):
            return False
    return True


cdef inline void hear_bounds(const GeneralTree *general, GeneralBlock *block, const uint32_t *bounds) noexcept nogil:
    """Bounds the root by what another tree knows of it."""
    cdef double *known_low = low_of(general, block)
    cdef double *known_high = high_of(general, block)
    cdef uint32_t player
    cdef double low, high
    for player in range(general.players):
        low = max(known_low[player], float_at(bounds + 2 * player))
        high = min(known_high[player], float_at(bounds + 2 * (general.players + player)))
        if low > high:  # by rounding
            low, high = high, low
        known_low[player], known_high[player] = low, high


cdef inline void hear_node(const GeneralTree *general, GeneralBlock *block, uint32_t *known, const uint32_t *news,
                           uint32_t most) noexcept nogil:
    """Adds the news of a node. It has at most ``most`` visits: where its block is younger than the node, that counts
    visits from before, which others may tell of once more."""
    cdef double *totals = totals_of(block)
    cdef double added
    cdef uint32_t player
    block.valued += news[1]
    known[1] += news[1]
    block.visits = max(min(block.visits + news[0], max(most, block.visits)), block.valued)
    known[0] = min(known[0] + news[0], block.visits)
    for player in range(general.players):
        added = float_at(news + 2 + 2 * player)
        totals[player] = clamped(general, totals[player] + added, block.valued)
        set_float(known + 2 + 2 * player, float_at(known + 2 + 2 * player) + added)
