"""Selection in the guided tree: the child with the highest score by the formula of the search. For ``guided_tree.pyx``
alone."""

from libc.math cimport sqrtf
from libc.stdint cimport int32_t, uint16_t, uint32_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.guided_tree cimport *
from mcts_core.tree.guided_proofs cimport at_most_draw
from mcts_core.tree.tree cimport NO_SLOT


cdef extern from "kernels/selection/ucb1.h" nogil:
    float ucb_scale(float *scales, float c, uint32_t n)


cdef extern from "kernels/selection/excluded.h" nogil:
    const float SEL_EXCLUDED


cdef extern from "kernels/selection/columns.h" nogil:
    ctypedef struct sel_columns:
        uint32_t capacity
        const int32_t *visits
        const int32_t *wins
        const uint32_t *squares
        const float *priors
        const float *amaf_visits
        const float *amaf_wins

    ctypedef struct sel_weights:
        float half
        float weight
        float fpu
        float s
        float variance
        float square
        float beta
        float bias


cdef extern from "kernels/selection/ucb1_columns.h" nogil:
    uint32_t sel_ucb1(const sel_columns *columns, const sel_weights weights)


cdef extern from "kernels/selection/puct.h" nogil:
    uint32_t sel_puct(const sel_columns *columns, const sel_weights weights)
    float sel_mean(const sel_columns *columns, float half)


cdef extern from "kernels/selection/ucb1_tuned.h" nogil:
    uint32_t sel_tuned(const sel_columns *columns, const sel_weights weights)


cdef extern from "kernels/selection/rave.h" nogil:
    float rave_hand_schedule(float k, uint32_t visits)
    uint32_t sel_rave(const sel_columns *columns, const sel_weights weights)


cdef inline void select(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """Finds the best child of a block; ``reference``: GRAVE's AMAF record."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t best = highest(guided, block, &columns, columns.priors, reference)
    block.flags &= ~BLOCK_STALE
    block.best = <uint16_t>best
    block.best_link = columns.links[best]


cdef inline uint32_t best_unknown(GuidedTree *guided, GuidedBlock *block, uint32_t reference) noexcept nogil:
    """The best child, of a node with a proven draw, that may be better than a draw; NO_SLOT: there is none."""
    cdef GuidedColumns columns = guided_columns(guided, block)
    cdef uint32_t slot, unknown = 0
    for slot in range(columns.count, block.capacity):
        guided.scratch[slot] = SEL_EXCLUDED
    for slot in range(columns.count):
        guided.scratch[slot] = columns.priors[slot]
        if known(guided, columns.links[slot]) or at_most_draw(guided, block, columns.links[slot]):
            guided.scratch[slot] = SEL_EXCLUDED
        else:
            unknown += 1
    return highest(guided, block, &columns, guided.scratch, reference) if unknown else <uint32_t>NO_SLOT


cdef inline uint32_t highest(GuidedTree *guided, const GuidedBlock *block, const GuidedColumns *columns,
                             const float *priors, uint32_t reference) noexcept nogil:
    """The slot with the highest score."""
    cdef const GuidedOptions *options = &guided.options
    cdef sel_columns c
    cdef sel_weights w
    cdef uint32_t slot, action
    cdef float k
    cdef const float *amaf
    c.capacity = block.capacity
    c.visits = <const int32_t *>columns.visits
    c.wins = columns.wins
    c.priors = priors
    w.half = guided.tree.half
    w.weight = options.prior_weight
    w.fpu = options.fpu
    w.s = ucb_scale(guided.tree.scales, options.exploration, block.visits if block.visits else 1)
    if options.selection == SELECT_UCB1:
        return sel_ucb1(&c, w)
    if options.selection == SELECT_PUCT:
        w.s = options.exploration * sqrtf(<float>(block.visits if block.visits else 1))
        w.fpu = sel_mean(&c, w.half) - options.fpu
        return sel_puct(&c, w)
    if options.selection == SELECT_TUNED:
        c.squares = columns.squares
        w.square = w.half * w.half * <float>options.wins_per_visit
        k = w.s / options.exploration if options.exploration > 0 else <float>0.0
        w.variance = 2 * k * k
        return sel_tuned(&c, w)
    w.bias = options.rave_bias
    w.beta = -1
    if options.selection == SELECT_RAVE:
        c.amaf_visits = columns.amaf_visits
        c.amaf_wins = columns.amaf_wins
        if options.hand_schedule:
            w.beta = rave_hand_schedule(options.rave_k, block.visits)
    else:
        amaf = <const float *>arena_at(&guided.tree.arena, reference)
        if block.sign < 0:
            amaf += 2 * guided.guide.actions
        for slot in range(columns.count):
            action = columns.actions[slot]
            guided.amaf_row[slot] = amaf[action]
            guided.amaf_row[guided.children_room + slot] = amaf[guided.guide.actions + action]
        for slot in range(columns.count, block.capacity):
            guided.amaf_row[slot] = guided.amaf_row[guided.children_room + slot] = 0
        c.amaf_visits = guided.amaf_row
        c.amaf_wins = guided.amaf_row + guided.children_room
    return sel_rave(&c, w)
