/* UCB1-tuned (Auer, Cesa-Bianchi, Fischer, Machine Learning 47, 2002, section 4):
 *
 *   mean  +  s sqrt(min(1/4, V) / max(n, 1)),    V = mean square - mean^2 + sqrt(2 ln N / n)
 */
#ifndef MCTS_UCB1_TUNED_H
#define MCTS_UCB1_TUNED_H

#include "kernels/selection/columns.h"

static inline uint32_t sel_tuned(const sel_columns *c, const sel_weights w) {
    const sel_f square = sel_all(w.square), bound = sel_all(w.variance), most = sel_all(0.25f);
    SEL_LOOP(const sel_f own = sel_div(wins, played);
             const sel_f squares = sel_div(sel_mul(sel_load_ints(c->squares + i), square), played);
             sel_f variance = sel_add(sel_sub(squares, sel_mul(own, own)), sel_sqrt(sel_div(bound, played)));
             variance = sel_max(sel_min(variance, most), zero);
             value = sel_add(mean, sel_mul(s, sel_sqrt(sel_div(variance, played))));
             value = sel_where(known, zero, value, fpu);)
}

#endif
