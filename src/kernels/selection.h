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
 * statistics. Ties go to the lowest slot. The loops have no branch that depends on the data, so that compilers make
 * vectors of them; the operations of an element are the same in every build, so the results are, too.
 */
#ifndef MCTS_SELECTION_H
#define MCTS_SELECTION_H

#include <math.h>
#include <stdint.h>

#include "kernels/platform.h"

#define SEL_EXCLUDED (-1e30f)
#define SEL_CHUNK 64

typedef struct sel_columns {
    uint32_t count;
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

MCTS_INLINE void sel_highest(const float *score, uint32_t begin, uint32_t count, float *top, uint32_t *best) {
    for (uint32_t i = 0; i < count; i++)
        if (score[i] > *top) {
            *top = score[i];
            *best = begin + i;
        }
}

#define SEL_LOOP(BODY) \
    float score[SEL_CHUNK], top = -INFINITY; \
    uint32_t best = 0; \
    for (uint32_t begin = 0; begin < c->count; begin += SEL_CHUNK) { \
        const uint32_t count = c->count - begin < SEL_CHUNK ? c->count - begin : SEL_CHUNK; \
        const int32_t *MCTS_RESTRICT visits = c->visits + begin, *MCTS_RESTRICT wins = c->wins + begin; \
        const float *MCTS_RESTRICT priors = c->priors + begin; \
        for (uint32_t i = 0; i < count; i++) { \
            const float n = (float)visits[i], m = n + w.weight, played = n < 1.0f ? 1.0f : n; \
            const float mean = ((float)wins[i] * w.half + priors[i]) / (m > 0.0f ? m : 1.0f); \
            float value; \
            BODY \
            score[i] = priors[i] < -1e20f ? SEL_EXCLUDED : value; \
        } \
        sel_highest(score, begin, count, &top, &best); \
    } \
    return best;

static uint32_t sel_ucb1(const sel_columns *c, const sel_weights weights) {
    const sel_weights w = weights;
    SEL_LOOP(value = mean + w.s / sqrtf(played); value = m > 0.0f ? value : w.fpu;)
}

static uint32_t sel_tuned(const sel_columns *c, const sel_weights weights) {
    const sel_weights w = weights;
    const uint32_t *squares = c->squares;
    SEL_LOOP(const float own = (float)wins[i] * w.half / played;
             float variance = (float)squares[begin + i] * w.square / played - own * own + sqrtf(w.variance / played);
             variance = variance < 0.25f ? variance : 0.25f;
             variance = variance > 0.0f ? variance : 0.0f;
             value = mean + w.s * sqrtf(variance / played); value = m > 0.0f ? value : w.fpu;)
}

static uint32_t sel_rave(const sel_columns *c, const sel_weights weights) {
    const sel_weights w = weights;
    const float *amaf_visits = c->amaf_visits, *amaf_wins = c->amaf_wins;
    SEL_LOOP(const float a = amaf_visits[begin + i];
             const float amaf = amaf_wins[begin + i] / (a > 0.0f ? a : 1.0f);
             float beta = w.beta < 0.0f ? a / (n + a + n * a * w.bias + 1e-9f) : w.beta;
             beta = a > 0.0f ? (m > 0.0f ? beta : 1.0f) : 0.0f;
             value = mean * (1.0f - beta) + amaf * beta + w.s / sqrtf(played);
             value = m + a > 0.0f ? value : w.fpu;)
}

#endif
