/* PUCT (Rosin, 2011, in the form of AlphaZero) among the children of a guided node (columns.h), and of a general one,
 * with values as sums of float64:
 *
 *   sum / n  +  scale prior / (1 + n),    scale = c_puct sqrt(N)
 *
 * In place of the mean of a child without a visit stands `urgency`. `capacity` is a multiple of 8; the slots beyond the
 * last child have one visit and a sum of -1e30. Ties go to the lowest slot. One slot after the other took 1.6 times as
 * long for seven children: compilers find no vectors in such a loop.
 */
#ifndef MCTS_PUCT_H
#define MCTS_PUCT_H

#include <math.h>
#include <stdint.h>

#include "kernels/selection/columns.h"
#include "kernels/vectors/score_vector.h"

/* `w.fpu` in place of the mean of a child without a visit; `w.s` is the scale. */
static inline uint32_t sel_puct(const sel_columns *c, const sel_weights w) {
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), half = sel_all(w.half), scale = sel_all(w.s);
    const sel_f fpu = sel_all(w.fpu), excluded = sel_all(SEL_EXCLUDED), floor = sel_all(-1e20f);
    sel_top top = SEL_NOTHING;
    uint32_t i;
    for (i = 0; i < c->capacity; i += SEL_LANES) {
        const sel_f n = sel_load_ints(c->visits + i), prior = sel_load(c->priors + i);
        const sel_f mean = sel_div(sel_mul(sel_load_ints(c->wins + i), half), sel_max(n, one));
        const sel_f bonus = sel_div(sel_mul(scale, prior), sel_add(n, one));
        const sel_f value = sel_add(sel_where(n, zero, mean, fpu), bonus);
        sel_update(&top, sel_where(prior, floor, value, excluded), i);
    }
    return sel_first(&top);
}

/* The mean value of the children that have visits, in integers until the last step; 0.5 without a visit. */
static inline float sel_mean(const sel_columns *c, float half) {
    uint32_t i, visits = 0;
    int32_t wins = 0;
    for (i = 0; i < c->capacity; i++) {
        visits += (uint32_t)c->visits[i];
        wins += c->wins[i];
    }
    return visits ? (float)wins * half / (float)visits : 0.5f;
}

MCTS_INLINE uint32_t general_puct(uint32_t capacity, const uint32_t *visits, const double *sums, const float *priors,
                                  float scale, float urgency) {
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), factor = sel_all(scale), untried = sel_all(urgency);
    const sel_f excluded = sel_all(SEL_EXCLUDED), floor = sel_all(-1e20f);
    sel_top top = SEL_NOTHING;
    uint32_t i;
    for (i = 0; i < capacity; i += SEL_LANES) {
        const sel_f n = sel_load_ints(visits + i);
        const sel_f mean = sel_div(sel_load_doubles(sums + i), sel_max(n, one));
        const sel_f prior = sel_load(priors + i), bonus = sel_div(sel_mul(factor, prior), sel_add(n, one));
        const sel_f value = sel_add(sel_where(n, zero, mean, untried), bonus);
        sel_update(&top, sel_where(prior, floor, value, excluded), i);
    }
    return sel_first(&top);
}

#endif
