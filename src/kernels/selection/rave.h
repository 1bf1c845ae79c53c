/* RAVE (Gelly and Silver, Artificial Intelligence 175, 2011, sections 4 and 5): the score, and both schedules of beta,
 * the weight of the AMAF statistics.
 *
 *   (1 - beta) mean  +  beta amaf_wins / amaf_visits  +  s / sqrt(max(n, 1))
 *
 *   hand               beta = sqrt(k / (3 N + k)), the same for all children: 1/2 at k visits of the node
 *   minimum mean       beta = a / (n + a + 4 b^2 n a), a the AMAF visits of the child, b the bias
 *   square error
 */
#ifndef MCTS_RAVE_H
#define MCTS_RAVE_H

#include "kernels/selection/columns.h"

static inline float rave_hand_schedule(float k, uint32_t visits) {
    return k > 0 ? sqrtf(k / (3 * (float)visits + k)) : 0.0f;
}

/* Adds the moves of an iteration to AMAF statistics: a visit and `value` to each action whose code in `played` is
 * `code`. Without a comparison, because GCC 12 makes a branch of it in place of vectors: gomoku's search by rollouts
 * took 1.5 times as long. */
static inline void rave_add(const uint8_t *MCTS_RESTRICT played, uint8_t code, float value, uint32_t actions,
                            float *MCTS_RESTRICT visits, float *MCTS_RESTRICT wins) {
    for (uint32_t action = 0; action < actions; action++) {
        const float hit = (float)(int32_t)(((uint32_t)(played[action] ^ code) - 1) >> 31); /* equal: 1, else 0 */
        visits[action] += hit;
        wins[action] += hit * value;
    }
}

static inline uint32_t sel_rave(const sel_columns *c, const sel_weights w) {
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
