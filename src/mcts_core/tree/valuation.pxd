"""What the valuation of a game gives the guided tree: its memory, the priors of children, the values of leaves."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from mcts_core.game cimport MCTS_ONGOING, MCTS_VALUE_ONE, mcts_children, mcts_estimate, mcts_game, valuation_of
from mcts_core.tree.guided_tree cimport SELECT_PUCT, SHARES, GuidedTree, path_of
from mcts_core.tree.spread cimport spread_out
from mcts_core.tree.tree cimport RUN_DONE, RUN_GAME_ERROR


cdef extern from "kernels/exp2.h" nogil:
    uint32_t exp2_minus(uint32_t x)


cdef extern from "kernels/selection/priors.h" nogil:
    void priors_share(float *column, uint32_t count, double sum)


cdef enum:
    PRIOR_SLOPE = 3072       # of the logarithm of a share, in 256ths of log2, over the expected result: 12


# ---- memory ----------------------------------------------------------------------------------------------------------

cdef inline void forget_estimator(GuidedTree *guided) noexcept nogil:
    if guided.estimator != NULL:
        guided.estimator_game.valuation.destroy(guided.estimator_game.context, guided.estimator)
    guided.estimator = NULL


cdef inline bint prepare_estimator(GuidedTree *guided) noexcept nogil:
    """Memory for the valuation of this search, 0 when the system gives none."""
    cdef const mcts_game *game = guided.tree.game
    cdef const void *network = <const void *>guided.options.network
    if guided.estimator != NULL and (guided.estimator_game != game or guided.estimator_network != network):
        forget_estimator(guided)
    guided.valuation = valuation_of(game) if guided.options.share or guided.options.selection == SELECT_PUCT else NULL
    if guided.valuation == NULL or guided.valuation.create == NULL or guided.estimator != NULL:
        return True
    guided.estimator = guided.valuation.create(game.context, network)
    guided.estimator_game = game
    guided.estimator_network = network
    if guided.estimator == NULL and network == NULL and guided.options.share == 0:
        guided.valuation = NULL  # there is nothing to weigh moves by
        return True
    return guided.estimator != NULL


# ---- priors ----------------------------------------------------------------------------------------------------------

cdef inline int share_out(GuidedTree *guided, uint32_t length, uint32_t count) noexcept nogil:
    """Makes the priors of the children at hand shares: those of the valuation's weights, or of weights that grow with
    the expected results."""
    cdef mcts_children *found = &guided.children
    cdef uint32_t slot
    cdef float most = 0
    cdef double total = 0
    if guided.valuation != NULL and guided.valuation.weigh != NULL:
        if guided.valuation.weigh(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1,
                                  guided.estimator, found.moves, count, found.priors) < 0:
            return RUN_GAME_ERROR
    else:
        for slot in range(count):
            if not 0 <= found.priors[slot] <= 1:
                return RUN_GAME_ERROR
            if found.priors[slot] > most:
                most = found.priors[slot]
        for slot in range(count):
            found.priors[slot] = <float>(exp2_minus(<uint32_t>((most - found.priors[slot]) * PRIOR_SLOPE)) >> 7)
    for slot in range(count):
        if not found.priors[slot] >= 0:
            return RUN_GAME_ERROR
        total += found.priors[slot]
    if guided.options.spread > 0:
        total = spread_out(found.priors, count, guided.options.spread, &guided.tree.rng)
    priors_share(found.priors, count, total)
    return RUN_DONE


cdef inline void leave_out(GuidedTree *guided, uint32_t *count) noexcept nogil:
    """Drops the children at hand whose priors are far below the highest one."""
    cdef mcts_children *found = &guided.children
    cdef uint32_t slot, kept = 0
    cdef float most = 0
    for slot in range(count[0]):
        if found.priors[slot] > most:
            most = found.priors[slot]
    most *= guided.options.least_prior
    for slot in range(count[0]):
        if found.priors[slot] < most and found.outcomes[slot] == MCTS_ONGOING:
            found.complete = 0
            continue
        if kept == slot:
            kept += 1
            continue
        found.moves[kept] = found.moves[slot]
        found.actions[kept] = found.actions[slot]
        found.outcomes[kept] = found.outcomes[slot]
        found.distances[kept] = found.distances[slot]
        found.priors[kept] = found.priors[slot]
        kept += 1
    count[0] = kept


# ---- values ----------------------------------------------------------------------------------------------------------

cdef inline int estimate_leaf(GuidedTree *guided, uint32_t length, mcts_estimate *estimate) noexcept nogil:
    """The value of the leaf at the end of the path for the player to move; with a proof where the game has one."""
    estimate.proof.value = -1
    if guided.valuation.value(guided.tree.game.context, guided.tree.root, path_of(guided), length - 1,
                              guided.estimator, estimate) < 0:
        return RUN_GAME_ERROR
    return RUN_DONE if 0 <= estimate.value <= MCTS_VALUE_ONE and estimate.proof.value <= 2 else RUN_GAME_ERROR


cdef inline int32_t mixed_points(const GuidedTree *guided, int32_t sign, int32_t value, int32_t played) noexcept nogil:
    """The points for player +1 of a visit to a leaf, where ``sign`` is to move: of its ``value`` and, for their share,
    of the half-points for player +1 that its rollouts gave in all."""
    cdef int32_t whole = 2 * <int32_t>guided.options.wins_per_visit, points
    cdef int64_t full = 2 * <int64_t>guided.options.rollouts, one = MCTS_VALUE_ONE * <int64_t>SHARES * full
    cdef int64_t gained = <int64_t>value * guided.options.share * full
    gained += MCTS_VALUE_ONE * <int64_t>(SHARES - guided.options.share) * (played if sign > 0 else full - played)
    # rounded once, and for the player to move: colours are equal
    points = <int32_t>((gained * whole + one // 2) // one)
    return points if sign > 0 else whole - points
