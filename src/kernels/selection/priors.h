/* Priors from a policy: the entries of the legal moves, divided by their sum. */
#ifndef MCTS_PRIORS_H
#define MCTS_PRIORS_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"
#include "kernels/vectors/score_vector.h"

enum { PRIORS_TAKEN = 0, PRIORS_NO_ENTRY = 1, PRIORS_NO_NUMBER = 2 };

MCTS_INLINE uint32_t priors_action(const float *column, uint32_t slot) {
    uint32_t action;
    memcpy(&action, column + slot, sizeof action);
    return action;
}

/* Puts into a column of priors, which holds actions, their entries of a policy of `width`, and adds these up. Not
 * PRIORS_TAKEN: the one of action `*fault` is missing, or it is no finite number >= 0; the column is then spoilt.
 *
 * Four sums side by side, slot modulo 4, in every build: one after the other took 900 cycles for 225 moves. */
MCTS_INLINE int priors_take(float *column, uint32_t count, const float *policy, uint32_t width, double *sum,
                            uint32_t *fault) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    uint32_t slot;
    for (slot = 0; slot < count; slot++) {
        const uint32_t action = priors_action(column, slot);
        float entry;
        *fault = slot;
        if (MCTS_UNLIKELY(action >= width))
            return PRIORS_NO_ENTRY;
        entry = policy[action];
        if (MCTS_UNLIKELY(!(entry >= 0.0f && entry <= 3.4028234e38f)))
            return PRIORS_NO_NUMBER;
        column[slot] = entry + 0.0f; /* 0 of -0 */
        sums[slot & 3] += entry;
    }
    *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return PRIORS_TAKEN;
}

/* Divides a column of entries by their sum; where that is 0, all moves get the same prior. */
MCTS_INLINE void priors_share(float *column, uint32_t count, double sum) {
    uint32_t slot;
    if (sum > 0.0)
        for (slot = 0; slot < count; slot++)
            column[slot] = (float)((double)column[slot] / sum);
    else
        for (slot = 0; slot < count; slot++)
            column[slot] = (float)(1.0 / count);
}

/* The first of the highest of the priors from `begin` on; `capacity` is a multiple of 8, beyond the last move they are 0. */
MCTS_INLINE uint32_t priors_highest(const float *column, uint32_t begin, uint32_t capacity) {
    const uint32_t whole = (begin + SEL_LANES - 1) / SEL_LANES * SEL_LANES;
    float top = -1.0f;
    uint32_t slot, best = begin;
    for (slot = begin; slot < whole; slot++)
        if (column[slot] > top) {
            top = column[slot];
            best = slot;
        }
    for (; slot < capacity; slot += SEL_LANES)
        sel_highest(sel_load(column + slot), slot, &top, &best);
    return best;
}

#endif
