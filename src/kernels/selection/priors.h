/* Priors from a policy: the entries of the legal moves, divided by their sum. */
#ifndef MCTS_PRIORS_H
#define MCTS_PRIORS_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"
#include "kernels/vectors/score_vector.h"

enum { PRIORS_TAKEN = 0, PRIORS_NO_ENTRY = 1, PRIORS_NO_NUMBER = 2 };

MCTS_INLINE uint32_t priors_word(const float *column, uint32_t slot) {
    uint32_t word;
    memcpy(&word, column + slot, sizeof word);
    return word;
}

/* Whether a float is a finite number >= 0, by its bits; -0 is none. */
MCTS_INLINE int priors_is_number(uint32_t bits) { return bits < 0x7F800000u; }

/* Puts into a column of priors, which holds actions, their entries of a policy of `width`, and adds these up. Not
 * PRIORS_TAKEN: that of slot `*fault` is missing, or it is no finite number >= 0; the column is then as it was, and
 * `entries`, which has room for as many, has the number.
 *
 * Short loops of one step each, of which compilers make vectors, and four sums side by side, slot modulo 4, in every
 * build: one loop with one sum took 14 instructions a move and waited 4 cycles for each addition. */
MCTS_INLINE int priors_take(float *column, uint32_t count, const float *policy, uint32_t width, float *entries,
                            double *sum, uint32_t *fault) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    uint32_t slot, i, missing = 0, invalid = 0;
    for (slot = 0; slot < count; slot++)
        missing |= priors_word(column, slot) >= width;
    if (MCTS_UNLIKELY(missing)) {
        for (slot = 0; priors_word(column, slot) < width; slot++)
            ;
        *fault = slot;
        return PRIORS_NO_ENTRY;
    }
    for (slot = 0; slot < count; slot++)
        entries[slot] = policy[priors_word(column, slot)] + 0.0f; /* 0 of -0 */
    for (slot = 0; slot < count; slot++)
        invalid |= !priors_is_number(priors_word(entries, slot));
    if (MCTS_UNLIKELY(invalid)) {
        for (slot = 0; priors_is_number(priors_word(entries, slot)); slot++)
            ;
        *fault = slot;
        return PRIORS_NO_NUMBER;
    }
    for (slot = 0; slot + 4 <= count; slot += 4)
        for (i = 0; i < 4; i++)
            sums[i] += entries[slot + i];
    for (; slot < count; slot++)
        sums[slot & 3] += entries[slot];
    memcpy(column, entries, count * sizeof *column);
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
