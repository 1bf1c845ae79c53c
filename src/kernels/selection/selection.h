/* Selection among the children of a guided node: which slot has the highest score.
 *
 * Every child has visits n, wins (half-points, `half` the value of one), a prior (its value times the weight w of the
 * prior, SEL_EXCLUDED for a slot that is never to be chosen). With s = c sqrt(ln N), N the visits of the node:
 *
 *   UCB1        (half wins + prior) / (n + w)  +  s / sqrt(max(n, 1))
 *   UCB1-tuned  the same mean  +  s sqrt(min(1/4, V) / max(n, 1)),  V = mean square - mean^2 + sqrt(2 ln N / n)
 *               (Auer, Cesa-Bianchi, Fischer, Machine Learning 47, 2002, section 4)
 *   RAVE        (1 - beta) mean + beta amaf_wins / amaf_visits  +  s / sqrt(max(n, 1))
 *               (Gelly and Silver, Artificial Intelligence 175, 2011, sections 4 and 5)
 *
 * A child without a visit scores `fpu` (first-play urgency: Gelly and Wang, 2006) where it has neither prior nor AMAF
 * statistics. Ties go to the lowest slot. Written once over small vectors: compilers made none of a loop of eight slots, which
 * took three times as long.
 */
#ifndef MCTS_SELECTION_H
#define MCTS_SELECTION_H

#include <math.h>
#include <stdint.h>

#include "kernels/vectors/score_vector.h"

#define SEL_EXCLUDED (-1e30f)

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
} sel_weights;

/* For each vector of slots: `visits`, `played` (at least 1), `known` (visits and prior), `mean`; the body makes `value`. */
#define SEL_LOOP(BODY) \
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), half = sel_all(w.half), weight = sel_all(w.weight); \
    const sel_f s = sel_all(w.s), fpu = sel_all(w.fpu), excluded = sel_all(SEL_EXCLUDED), floor = sel_all(-1e20f); \
    float top = -INFINITY; \
    uint32_t best = 0; \
    for (uint32_t i = 0; i < c->capacity; i += SEL_LANES) { \
        const sel_f visits = sel_load_ints(c->visits + i), wins = sel_mul(sel_load_ints(c->wins + i), half); \
        const sel_f prior = sel_load(c->priors + i), known = sel_add(visits, weight), played = sel_max(visits, one); \
        const sel_f mean = sel_div(sel_add(wins, prior), sel_where(known, zero, known, one)); \
        sel_f value; \
        BODY \
        sel_highest(sel_where(prior, floor, value, excluded), i, &top, &best); \
    } \
    return best;

static uint32_t sel_ucb1(const sel_columns *c, const sel_weights w) {
    SEL_LOOP(value = sel_where(known, zero, sel_add(mean, sel_div(s, sel_sqrt(played))), fpu);)
}

static uint32_t sel_tuned(const sel_columns *c, const sel_weights w) {
    const sel_f square = sel_all(w.square), bound = sel_all(w.variance), most = sel_all(0.25f);
    SEL_LOOP(const sel_f own = sel_div(wins, played);
             const sel_f squares = sel_div(sel_mul(sel_load_ints(c->squares + i), square), played);
             sel_f variance = sel_add(sel_sub(squares, sel_mul(own, own)), sel_sqrt(sel_div(bound, played)));
             variance = sel_max(sel_min(variance, most), zero);
             value = sel_add(mean, sel_mul(s, sel_sqrt(sel_div(variance, played))));
             value = sel_where(known, zero, value, fpu);)
}

static uint32_t sel_rave(const sel_columns *c, const sel_weights w) {
    const sel_f bias = sel_all(w.bias), tiny = sel_all(1e-9f);
    SEL_LOOP(const sel_f a = sel_load(c->amaf_visits + i);
             const sel_f amaf = sel_div(sel_load(c->amaf_wins + i), sel_where(a, zero, a, one));
             sel_f beta = sel_all(w.beta);
             if (w.beta < 0.0f)
                 beta = sel_div(a, sel_add(sel_add(sel_add(visits, a), sel_mul(sel_mul(visits, a), bias)), tiny));
             beta = sel_where(a, zero, sel_where(known, zero, beta, one), zero);
             value = sel_add(sel_mul(mean, sel_sub(one, beta)), sel_mul(amaf, beta));
             value = sel_add(value, sel_div(s, sel_sqrt(played)));
             value = sel_where(sel_add(known, a), zero, value, fpu);)
}

#endif
