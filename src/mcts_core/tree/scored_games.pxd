"""Scored games: rewards on the way, a discount, values of any size, and the best line of one player.

How large the values are is known only from those that were seen. So selection takes means between the lowest and the
highest one (Schrittwieser et al., "MuZero", Nature 588, 2020, appendix B), in float64: a vector kernel in single
precision would lose small differences of large scores. Nothing is proven: these games have no solver.

Where leaves wait for an evaluation, their visits count as the lowest value, like a loss in other games. The visits that
wait below a child are counted from their paths each time, because a column for them would take memory in all trees.
"""

from libc.math cimport sqrt
from libc.string cimport memcpy
from libc.stdint cimport int16_t, uint8_t, uint32_t

from mcts_core.tree.general_tree cimport *
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, WIDE_INDEX, path_reserve


cdef extern from *:
    """
    #define MCTS_EQUAL_VALUES 1e-9  /* share of the larger one by which equal values may differ by rounding */
    """
    const double EQUAL "MCTS_EQUAL_VALUES"


# ---- the range of the values -----------------------------------------------------------------------------------------

cdef inline void forget_range(GeneralTree *general) noexcept nogil:
    cdef uint32_t player
    for player in range(general.players):
        general.low[player] = LARGEST_SUM
        general.high[player] = -LARGEST_SUM


cdef inline void see(GeneralTree *general, int16_t player, double mean) noexcept nogil:
    if mean < general.low[player]:
        general.low[player] = mean
    if mean > general.high[player]:
        general.high[player] = mean


cdef inline double span_of(const GeneralTree *general, int16_t player) noexcept nogil:
    """From the lowest to the highest value; 0 where all are equal but for rounding, or none was seen."""
    cdef double low = general.low[player], high = general.high[player]
    return high - low if high - low > EQUAL * max(abs(low), abs(high)) else 0.0


cdef inline double factor_of(const GeneralTree *general, int16_t player) noexcept nogil:
    """The factor that scales differences of values to [0, 1]; 0 where all values are equal."""
    cdef double span = span_of(general, player)
    return 1.0 / span if span > 0 else 0.0


cdef inline void see_again(GeneralTree *general) noexcept nogil:
    """Finds the range of the values below a new root, which the whole tree's would be too wide for."""
    cdef uint32_t length = 0, slot = 0, link
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef GeneralColumns columns
    forget_range(general)
    while True:
        columns = general_columns(general, block)
        if slot == columns.count:
            if length == 0:
                return
            length -= 1
            block = <GeneralBlock *>general.tree.path_record[length]
            slot = general.tree.path_slot[length] + 1
            continue
        if block.player >= 0 and columns.visits[slot]:
            see(general, block.player, columns.sums[slot] / columns.visits[slot])
        link = columns.links[slot]
        if link & LINK_KIND == LINK_BLOCK and path_reserve(&general.tree, length + 1):
            general.tree.path_record[length] = <uint8_t *>block
            general.tree.path_slot[length] = slot
            length += 1
            block = general_block(general, link & WIDE_INDEX)
            slot = 0
        else:
            slot += 1


# ---- selection and backup --------------------------------------------------------------------------------------------

cdef inline uint32_t best_of_scored(const GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                                    double scale) noexcept nogil:
    """UCB1 with means from 0 to 1, of the range that was seen. Ties go to the lowest slot."""
    cdef double low = general.low[block.player], factor = factor_of(general, block.player)
    cdef double score, top = -LARGEST_SUM
    cdef uint32_t slot, best = 0, visits
    for slot in range(columns.count):
        visits = columns.visits[slot]
        if visits == 0:
            score = general.options.fpu if general.options.has_fpu else UNTRIED
        else:
            score = (columns.sums[slot] / visits - low) * factor + scale / sqrt(<double>visits)
        if score > top:
            top = score
            best = slot
    return best


cdef inline const uint32_t *valued_visits(const GeneralTree *general, GeneralBlock *block,
                                          const GeneralColumns *columns, uint32_t depth) noexcept nogil:
    """For every child of a block at that depth, the number of visits that have a value."""
    cdef uint32_t *valued = <uint32_t *>general.noise  # it has the room, and nothing else needs it now
    cdef const GeneralEntry *entry
    cdef uint32_t number, at
    if general.entry_count == 0:
        return columns.visits
    memcpy(valued, columns.visits, columns.count * sizeof(uint32_t))
    for number in range(general.entry_count):
        entry = &general.entries[number]
        at = entry.start + depth
        if depth < entry.length and general.tree.path_record[at] == <uint8_t *>block:
            valued[general.tree.path_slot[at]] -= 1
    return valued


cdef inline uint32_t best_of_scored_by_priors(const GeneralTree *general, GeneralBlock *block,
                                              const GeneralColumns *columns, const uint32_t *valued,
                                              double scale) noexcept nogil:
    """PUCT with means from 0 to 1, of the range that was seen; all means are 0 if only one value was seen."""
    cdef double low = general.low[block.player], factor = factor_of(general, block.player)
    cdef double urgency, value, score, top = -LARGEST_SUM
    cdef uint32_t slot, best = 0, visits
    if general.options.has_fpu:
        urgency = general.options.fpu
    else:
        urgency = min(max((totals_of(block)[block.player] / block.valued - low) * factor, 0.0), 1.0)
    for slot in range(columns.count):
        visits = columns.visits[slot]
        value = (columns.sums[slot] - valued[slot] * low) * factor / visits if visits else urgency
        score = value + scale * columns.priors[slot] / (1.0 + visits)
        if score > top:
            top = score
            best = slot
    return best


cdef inline double leaf_value(const GeneralTree *general, uint32_t player, double value) noexcept nogil:
    """The value of the move that led to the position of the last look, of a value of that."""
    return general.position.rewards[player] + general.rules.discount * value if general.scored else value


cdef inline void add_rewards(GeneralTree *general) noexcept nogil:
    """Makes the values of a finished game those of the move that led to its end."""
    cdef uint32_t player
    for player in range(general.players):
        general.position.values[player] = leaf_value(general, player, general.position.values[player])


cdef inline double mean_of_child(const GeneralTree *general, const GeneralColumns *columns, uint32_t slot,
                                 uint32_t player) noexcept nogil:
    """The mean value of the move that leads to a child. With an evaluator, the visits of the column include leaves that
    wait, so the child's own count is used."""
    cdef GeneralBlock *child
    if not general.options.puct or columns.links[slot] & LINK_KIND != LINK_BLOCK:
        return columns.sums[slot] / columns.visits[slot]
    child = general_block(general, columns.links[slot] & WIDE_INDEX)
    return carried(general, child, player, totals_of(child)[player] / child.valued)


cdef inline void back_up_scored(GeneralTree *general, uint32_t start, uint32_t end, double *values) noexcept nogil:
    """Adds the values of an iteration to the nodes of its path. ``values``: of its last move; then of its first."""
    cdef uint32_t at = end, player, slot
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    while at > start:
        at -= 1
        block = <GeneralBlock *>general.tree.path_record[at]
        add_values(general, block, values)
        if block.player >= 0:
            columns = general_columns(general, block)
            slot = general.tree.path_slot[at]
            columns.sums[slot] += values[block.player]
            see(general, block.player, mean_of_child(general, &columns, slot, block.player))
        if at > start:
            for player in range(general.players):
                values[player] = carried(general, block, player, values[player])


# ---- the best line ---------------------------------------------------------------------------------------------------

cdef inline bint keep_better(GeneralTree *general, uint32_t length, double value, bint rolled) noexcept nogil:
    """Keeps the path, and the rollout from its end, where it gives more than any line before. ``value``: of its last
    move. False: the rules report an error."""
    cdef uint32_t at = length
    while at > 1 and general.scored:
        at -= 1
        value = carried(general, <GeneralBlock *>general.tree.path_record[at], 0, value)
    if not value > general.best:
        return True
    general.best = value
    return general.rules.keep(general.rules.context, general.tree.path_move, length, rolled) >= 0
