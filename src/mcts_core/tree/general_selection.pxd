"""Selection in the general tree: UCB1, PUCT, by Gumbel noise, or a draw by chance. For ``general_tree.pyx`` alone."""

from libc.math cimport sqrtf
from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_rng_next
from mcts_core.platform cimport MCTS_UNLIKELY
from mcts_core.tree.general_proofs cimport points_of
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.gumbel cimport best_by_halving, best_by_policy, complete_values, considered_visits, improve_policy
from mcts_core.tree.score_bounds cimport closed_values, is_closed, is_dominated, is_idle
from mcts_core.tree.scored_games cimport best_of_scored, best_of_scored_by_priors, valued_visits
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, NO_SLOT


cdef extern from "kernels/selection/ucb1.h" nogil:
    float ucb_scale(float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/puct.h" nogil:
    uint32_t general_puct(uint32_t capacity, const uint32_t *visits, const double *sums, const float *priors,
                          float scale, float urgency)


cdef extern from "kernels/selection/ucb1_columns.h" nogil:
    uint32_t general_ucb1(uint32_t capacity, const uint32_t *visits, const double *sums, float scale, float urgency)


cdef inline uint32_t draw_outcome(GeneralTree *general, const GeneralColumns *columns) noexcept nogil:
    """Draws an outcome of a chance node by its probability."""
    cdef uint32_t number = <uint32_t>(mcts_rng_next(&general.tree.rng) >> 33), slot = 0
    while slot + 1 < columns.count and number >= columns.limits[slot]:
        slot += 1
    return slot


cdef inline uint32_t best_by_priors(const GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                                    uint32_t depth) noexcept nogil:
    cdef float urgency, scale = general.options.c_puct * sqrtf(<float>block.visits)
    if MCTS_UNLIKELY(general.scored):
        return best_of_scored_by_priors(general, block, columns, valued_visits(general, block, columns, depth), scale)
    if general.options.has_fpu:
        urgency = general.options.fpu
    else:
        urgency = <float>(totals_of(block)[block.player] / <double>block.valued)
    return general_puct(columns.capacity, columns.visits, columns.sums, columns.priors, scale, urgency)


cdef inline uint32_t best_by_gumbel(GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                                    uint32_t depth) noexcept nogil:
    cdef uint32_t slot, visits = 0
    complete_values(general, block, columns, valued_visits(general, block, columns, depth) if general.scored
                    else columns.visits, general.completed)
    if depth > 0:
        improve_policy(columns, general.completed)
        return best_by_policy(columns, general.completed)
    for slot in range(columns.count):
        visits += columns.visits[slot]
    return best_by_halving(columns, general.root_scores, general.completed, considered_visits(
        min(general.options.gumbel_moves, columns.count), general.simulations, visits))


cdef inline uint32_t best_by_bound(const GeneralTree *general, GeneralBlock *block,
                                   const GeneralColumns *columns) noexcept nogil:
    cdef float scale = ucb_scale(general.tree.scales, general.options.exploration, block.visits if block.visits else 1)
    if MCTS_UNLIKELY(general.scored):
        return best_of_scored(general, block, columns, scale)
    return general_ucb1(columns.capacity, columns.visits, columns.sums, scale,
                        general.options.fpu if general.options.has_fpu else UNTRIED)


cdef inline bint is_known(const GeneralTree *general, GeneralBlock *block, uint32_t link) noexcept nogil:
    """Whether a visit of a player to this child would teach nothing, because of what is proven."""
    cdef uint32_t distance
    if general.bounded:
        return is_idle(general, block, link)
    return points_of(general, link, &distance) >= 0


cdef inline bint passes(const GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                        uint32_t slot) noexcept nogil:
    """The same of the child that is selected. PUCT never selects a loss, whose prior is SEL_EXCLUDED."""
    return ((general.options.solver or general.bounded) and columns.links[slot] != 0
            and is_known(general, block, columns.links[slot]))


cdef inline bint is_draw(const GeneralTree *general, uint32_t link) noexcept nogil:
    cdef uint32_t distance
    return points_of(general, link, &distance) == 1


cdef inline bint counts_passed(const GeneralTree *general, GeneralBlock *block, uint32_t link) noexcept nogil:
    """Whether a visit to a child that nothing is to be learned of counts all the same: it may be the best move."""
    if general.bounded:
        return is_closed(general, link) and not is_dominated(general, block, link)
    return is_draw(general, link)


cdef inline uint32_t least_visited_best(const GeneralTree *general, GeneralBlock *block,
                                        const GeneralColumns *columns) noexcept nogil:
    """Of the children that may be the best one, all of which are known, that with the fewest visits."""
    cdef uint32_t slot, least = NO_SLOT
    for slot in range(columns.count):
        if counts_passed(general, block, columns.links[slot]) and (
                least == NO_SLOT or columns.visits[slot] < columns.visits[least]):
            least = slot
    return least if least != NO_SLOT else 0


cdef inline void values_of_passed(const GeneralTree *general, uint32_t link, double *values) noexcept nogil:
    if general.bounded:
        closed_values(general, link, values)
    else:
        values[0] = values[1] = 0.5


cdef inline uint32_t best_unknown(GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                                  uint32_t depth) noexcept nogil:
    """The best child that nothing is proven of; NO_SLOT: there is none."""
    cdef GeneralColumns unknown = columns[0]
    cdef uint32_t slot, found = 0
    cdef bint proven
    unknown.priors = <float *>general.noise  # these arrays have the room, and nothing else needs them now
    unknown.sums = general.noise
    unknown.visits = <uint32_t *>general.completed
    for slot in range(columns.capacity):
        proven = slot < columns.count and is_known(general, block, columns.links[slot])
        found += slot < columns.count and not proven
        if columns.priors != NULL:
            unknown.priors[slot] = SEL_EXCLUDED if proven else columns.priors[slot]
        else:
            unknown.visits[slot] = 1 if proven else columns.visits[slot]
            unknown.sums[slot] = GENERAL_PADDING if proven else columns.sums[slot]
    if found == 0:
        return NO_SLOT
    if columns.priors == NULL:
        unknown.priors = NULL
        return best_by_bound(general, block, &unknown)
    unknown.sums = columns.sums
    unknown.visits = columns.visits
    return best_by_gumbel(general, block, &unknown, depth) if general.options.gumbel else best_by_priors(
        general, block, &unknown, depth)


cdef inline uint32_t pass_over(GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                               uint32_t depth, uint32_t *slot) noexcept nogil:
    """Goes from a known child that was selected to the one that is visited in its place. The known child where its
    visit is counted beside that one, else NO_SLOT."""
    cdef bint counted = counts_passed(general, block, columns.links[slot[0]])
    cdef uint32_t known = slot[0], other = NO_SLOT
    if not (counted and depth == 0 and general.options.gumbel):
        other = best_unknown(general, block, columns, depth)
    if other != NO_SLOT:
        slot[0] = other
        return known if counted else <uint32_t>NO_SLOT
    if general.bounded and not counted:  # the others are known, and this one is worse
        slot[0] = least_visited_best(general, block, columns)
    return NO_SLOT
