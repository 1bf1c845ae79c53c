/* What the guided tree knows of the children of a node, and the loop over them that every formula shares: which slot
 * has the highest score.
 *
 * Every child has visits n, wins (half-points, `half` the value of one), a prior (its value times the weight w of the
 * prior, SEL_EXCLUDED for a slot that is never to be chosen). Its mean is (half wins + prior) / (n + w), and
 * s = c sqrt(ln N), N the visits of the node.
 *
 * A child without a visit scores `fpu` (first-play urgency: Gelly and Wang, 2006) where it has neither prior nor AMAF
 * statistics. Ties go to the lowest slot. Written once over small vectors: compilers made none of a loop of eight
 * slots, which took three times as long.
 */
#ifndef MCTS_COLUMNS_H
#define MCTS_COLUMNS_H

#include <math.h>
#include <stdint.h>

#include "kernels/selection/excluded.h"
#include "kernels/vectors/score_vector.h"

typedef struct sel_columns {
    uint32_t capacity; /* a multiple of 8; slots beyond the last child are SEL_EXCLUDED */
    const int32_t *visits, *wins;
    const uint32_t *squares;
    const float *priors, *amaf_visits, *amaf_wins;
} sel_columns;

typedef struct sel_weights {
    float half;   /* value of a half-point */
    float weight; /* of the prior, in visits */
    float fpu;
    float s;
    float variance; /* 2 ln N, for UCB1-tuned */
    float square;   /* value of a unit of `squares` */
    float beta;     /* RAVE: the same for all children when >= 0, else by bias */
    float bias;     /* 4 b^2 of the minimum mean square error schedule */
    /* PUCT: `fpu` stands for the mean of a child without a visit, `s` is c sqrt(N), priors are shares */
} sel_weights;

/* For each vector of slots: `visits`, `played` (at least 1), `known` (visits and prior), `mean`; the body makes
 * `value`. */
#define SEL_LOOP(BODY) \
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), half = sel_all(w.half), weight = sel_all(w.weight); \
    const sel_f s = sel_all(w.s), fpu = sel_all(w.fpu), excluded = sel_all(SEL_EXCLUDED), floor = sel_all(-1e20f); \
    sel_top top = SEL_NOTHING; \
    for (uint32_t i = 0; i < c->capacity; i += SEL_LANES) { \
        const sel_f visits = sel_load_ints(c->visits + i), wins = sel_mul(sel_load_ints(c->wins + i), half); \
        const sel_f prior = sel_load(c->priors + i), known = sel_add(visits, weight), played = sel_max(visits, one); \
        const sel_f mean = sel_div(sel_add(wins, prior), sel_where(known, zero, known, one)); \
        sel_f value; \
        BODY \
        sel_update(&top, sel_where(prior, floor, value, excluded), i); \
    } \
    return sel_first(&top);

#endif
