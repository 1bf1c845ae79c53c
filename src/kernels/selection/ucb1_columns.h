/* UCB1 (Auer, Cesa-Bianchi, Fischer, Machine Learning 47, 2002) over the columns of a guided node and of a general one;
 * that of the plain tree is in ucb1.h.
 *
 *   guided    mean  +  s / sqrt(max(n, 1)),    mean and s as in columns.h
 *   general   sum / n  +  scale / sqrt(n),     scale = c sqrt(ln N), sums as in puct.h
 *
 * A general child without a visit scores `urgency`.
 */
#ifndef MCTS_UCB1_COLUMNS_H
#define MCTS_UCB1_COLUMNS_H

#include "kernels/selection/columns.h"

static inline uint32_t sel_ucb1(const sel_columns *c, const sel_weights w) {
    SEL_LOOP(value = sel_where(known, zero, sel_add(mean, sel_div(s, sel_sqrt(played))), fpu);)
}

MCTS_INLINE uint32_t general_ucb1(uint32_t capacity, const uint32_t *visits, const double *sums, float scale,
                                  float urgency) {
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), factor = sel_all(scale), untried = sel_all(urgency);
    sel_top top = SEL_NOTHING;
    uint32_t i;
    for (i = 0; i < capacity; i += SEL_LANES) {
        const sel_f n = sel_load_ints(visits + i), inverse = sel_div(one, sel_sqrt(sel_max(n, one)));
        const sel_f mean = sel_mul(sel_load_doubles(sums + i), inverse);
        sel_update(&top, sel_where(n, zero, sel_mul(inverse, sel_add(mean, factor)), untried), i);
    }
    return sel_first(&top);
}

#endif
