"""Planning with Gumbel noise: sequential halving at the root, completed values, the improved policy.

Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel" (ICLR 2022): sections 3 to 5 and
appendix D (the mixed value). The values are scaled as DeepMind's library mctx does by default: from the lowest to the
highest of the node to [0, 1], then by (50 + most visits of a child) / 10. But values that lie closer together than 0.25
are not stretched as far, because their differences are noise. In scored games the limit is 0.25 of the range of all
values that the search has seen for the player to move.

A move that is proven lost takes no part: as if it were illegal.
"""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.game cimport mcts_rng, mcts_rng_seed
from mcts_core.tree.portable_math cimport natural_exp, natural_log, uniform
from mcts_core.tree.general_tree cimport GeneralBlock, GeneralColumns, GeneralTree, totals_of
from mcts_core.tree.scored_games cimport span_of


cdef extern from *:
    """
    #define MCTS_GUMBEL_SEED UINT64_C(0x6A09E667F3BCC909)  /* the draws are not those of the search */
    #define MCTS_LOWEST_LOGIT (-1e9)
    #define MCTS_TINY_PRIOR 1.1754943508222875e-38
    #define MCTS_LEAST_RANGE 0.25  /* mctx has 5e-9 on this scale, and lost 20 Elo with 16 and 64 simulations */
    """
    const uint64_t GUMBEL_SEED "MCTS_GUMBEL_SEED"
    const double LOWEST_LOGIT "MCTS_LOWEST_LOGIT"
    const double TINY_PRIOR "MCTS_TINY_PRIOR"
    const double LEAST_RANGE "MCTS_LEAST_RANGE"

cdef enum:
    FIRST_VISITS = 50            # added to the most visits of a child in the scale of the values


cdef inline void score_by_noise(uint64_t seed, double scale, const GeneralColumns *columns,
                                double *scores) noexcept nogil:
    """Gumbel noise times ``scale`` plus the logarithm of the prior, the highest of which counts as 0."""
    cdef mcts_rng rng
    cdef uint32_t slot
    cdef double highest = LOWEST_LOGIT
    mcts_rng_seed(&rng, seed ^ GUMBEL_SEED)
    for slot in range(columns.count):
        scores[slot] = natural_log(columns.priors[slot]) if columns.priors[slot] > 0 else LOWEST_LOGIT
        highest = max(highest, scores[slot])
    for slot in range(columns.count):
        scores[slot] += -scale * natural_log(-natural_log(uniform(&rng))) - highest


cdef inline uint32_t considered_visits(uint32_t moves, uint32_t simulations, uint32_t index) noexcept nogil:
    """How many visits a move must have to be considered by simulation ``index``: sequential halving among ``moves``.

    Each phase visits the moves that are left equally often, at least once, then half of them stay, at least two.
    """
    cdef uint32_t phases = 0, begin = 0, visits = 0, each
    if moves <= 1:
        return index
    while (<uint32_t>1 << phases) < moves:
        phases += 1
    while True:
        each = max(<uint32_t>1, simulations // (phases * moves))
        if index - begin < each * moves:
            return visits + (index - begin) // moves
        begin += each * moves
        visits += each
        moves = max(<uint32_t>2, moves // 2)


cdef inline void complete_values(const GeneralTree *general, GeneralBlock *block, const GeneralColumns *columns,
                                 const uint32_t *valued, double *values) noexcept nogil:
    """The scaled mean values of the children; those without a visit have the mixed value of the node. ``valued``: the
    visits of the children that have a value."""
    cdef uint32_t slot, visits = 0, most = 0
    cdef double rest = totals_of(block)[block.player], priors = 0.0, weighted = 0.0, mixed, prior, scale
    cdef double lowest = 1e300, highest = -1e300, least = LEAST_RANGE
    if general.scored:
        least *= span_of(general, block.player) or 1.0
    for slot in range(columns.count):
        rest -= columns.sums[slot]
        if columns.priors[slot] < 0 or valued[slot] == 0:
            continue
        prior = max(<double>columns.priors[slot], TINY_PRIOR)
        values[slot] = columns.sums[slot] / valued[slot]
        visits += valued[slot]
        most = max(most, columns.visits[slot])
        priors += prior
        weighted += prior * values[slot]
    if not general.scored:  # visits that draws passed on are in the sums, not in the total, and weigh this once at most
        rest = min(max(rest, 0.0), 1.0)
    mixed = rest  # the node's own evaluation
    if visits:
        mixed = (rest + visits * (weighted / priors)) / (visits + 1.0)
    for slot in range(columns.count):
        if columns.priors[slot] < 0:
            continue
        if valued[slot] == 0:
            values[slot] = mixed
        lowest = min(lowest, values[slot])
        highest = max(highest, values[slot])
    scale = 0.1 * (<double>FIRST_VISITS + most) / max(highest - lowest, least)
    for slot in range(columns.count):
        values[slot] = (values[slot] - lowest) * scale if columns.priors[slot] >= 0 else LOWEST_LOGIT


cdef inline void improve_policy(const GeneralColumns *columns, double *values) noexcept nogil:
    """Replaces completed values by the improved policy: the shares of prior * exp(value), equal ones if all moves
    lose."""
    cdef uint32_t slot, alive = 0
    cdef double highest = LOWEST_LOGIT, sum = 0.0, last_value = 0.0, last = 0.0
    for slot in range(columns.count):
        if columns.priors[slot] > 0:
            highest = max(highest, values[slot])
        alive += columns.priors[slot] >= 0
    for slot in range(columns.count):
        if columns.priors[slot] <= 0:
            values[slot] = 0.0
            continue
        if values[slot] != last_value or last == 0.0:  # most children have no visit, and one value
            last_value = values[slot]
            last = natural_exp(last_value - highest)
        values[slot] = columns.priors[slot] * last
        sum += values[slot]
    for slot in range(columns.count):
        if sum > 0:
            values[slot] /= sum
        elif columns.priors[slot] >= 0:
            values[slot] = 1.0 / alive
        elif alive == 0:  # all moves lose
            values[slot] = 1.0 / columns.count


cdef inline uint32_t best_by_halving(const GeneralColumns *columns, const double *scores, const double *values,
                                     uint32_t wanted) noexcept nogil:
    """The move with the highest score of those with the ``wanted`` visits: or, where proofs took them away, of those
    that are nearest to them."""
    cdef uint32_t slot, gap, nearest = 0xFFFFFFFF, best = 0
    cdef double score, top = 0.0
    for slot in range(columns.count):
        if columns.priors[slot] < 0:
            continue
        gap = max(columns.visits[slot], wanted) - min(columns.visits[slot], wanted)
        score = max(LOWEST_LOGIT, scores[slot] + values[slot])
        if gap < nearest or (gap == nearest and score > top):
            nearest, top, best = gap, score, slot
    return best


cdef inline uint32_t best_by_policy(const GeneralColumns *columns, const double *policy) noexcept nogil:
    """The move whose share of the visits is the furthest below its share of the policy."""
    cdef uint32_t slot, best = 0, visits = 1
    cdef double score, top = -1e300
    for slot in range(columns.count):
        visits += columns.visits[slot] if columns.priors[slot] >= 0 else 0
    for slot in range(columns.count):
        if columns.priors[slot] < 0:
            continue
        score = policy[slot] - columns.visits[slot] / <double>visits
        if score > top:
            top, best = score, slot
    return best
