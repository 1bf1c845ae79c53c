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

/* Does the same as the loop of priors_take for the slots of whole vectors, and returns their number. Actions mostly
 * follow one another; the entries of such are read together. One entry after the other took 1.7 times as long. */
MCTS_INLINE uint32_t priors_take_vectors(const float *column, uint32_t count, const float *policy, float *entries,
                                         double *sums, uint32_t *invalid) {
    uint32_t slot = 0;
#if defined(MCTS_AVX2)
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), largest = _mm256_set1_epi32(0x7F7FFFFF);
    __m256i wrong = _mm256_setzero_si256();
    __m256d sum = _mm256_loadu_pd(sums);
    for (; slot + 8 <= count; slot += 8) {
        const __m256i actions = _mm256_loadu_si256((const __m256i *)(column + slot));
        const uint32_t first = priors_word(column, slot);
        const __m256i expected = _mm256_add_epi32(_mm256_set1_epi32((int)first), order);
        __m256 part;
        __m256i bits;
        if (MCTS_LIKELY(_mm256_movemask_epi8(_mm256_cmpeq_epi32(actions, expected)) == -1)) {
            part = _mm256_loadu_ps(policy + first);
        } else { /* in registers: a vector of eight stores waits for the last of them */
            part = _mm256_setr_ps(policy[first], policy[priors_word(column, slot + 1)],
                                  policy[priors_word(column, slot + 2)], policy[priors_word(column, slot + 3)],
                                  policy[priors_word(column, slot + 4)], policy[priors_word(column, slot + 5)],
                                  policy[priors_word(column, slot + 6)], policy[priors_word(column, slot + 7)]);
        }
        part = _mm256_add_ps(part, _mm256_setzero_ps()); /* 0 of -0 */
        bits = _mm256_castps_si256(part);
        wrong = _mm256_or_si256(wrong, _mm256_or_si256(bits, _mm256_cmpgt_epi32(bits, largest))); /* by the sign */
        sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_castps256_ps128(part)));
        sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_extractf128_ps(part, 1)));
        _mm256_storeu_ps(entries + slot, part);
    }
    _mm256_storeu_pd(sums, sum);
    *invalid = _mm256_movemask_ps(_mm256_castsi256_ps(wrong)) != 0;
#else
    (void)column, (void)count, (void)policy, (void)entries, (void)sums, (void)invalid;
#endif
    return slot;
}

/* Puts into a column of priors, which holds actions, their entries of a policy of `width`, and adds these up. Not
 * PRIORS_TAKEN: that of slot `*fault` is missing, or it is no finite number >= 0; the column is then as it was, and
 * `entries`, which has room for as many, has the number.
 *
 * Four sums side by side, slot modulo 4, in every build: one sum waited 4 cycles for each addition. */
MCTS_INLINE int priors_take(float *column, uint32_t count, const float *policy, uint32_t width, float *entries,
                            double *sum, uint32_t *fault) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    uint32_t slot, missing = 0, invalid = 0;
    for (slot = 0; slot < count; slot++)
        missing |= priors_word(column, slot) >= width;
    if (MCTS_UNLIKELY(missing)) {
        for (slot = 0; priors_word(column, slot) < width; slot++)
            ;
        *fault = slot;
        return PRIORS_NO_ENTRY;
    }
    slot = priors_take_vectors(column, count, policy, entries, sums, &invalid);
    for (; slot < count; slot++) {
        entries[slot] = policy[priors_word(column, slot)] + 0.0f;
        invalid |= !priors_is_number(priors_word(entries, slot));
        sums[slot & 3] += entries[slot];
    }
    if (MCTS_UNLIKELY(invalid)) {
        for (slot = 0; priors_is_number(priors_word(entries, slot)); slot++)
            ;
        *fault = slot;
        return PRIORS_NO_NUMBER;
    }
    memcpy(column, entries, count * sizeof *column);
    *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return PRIORS_TAKEN;
}

/* Divides a column of entries by their sum; where that is 0, all moves get the same prior. By a product: a division of
 * each entry took a twentieth of a simulation of gomoku. */
MCTS_INLINE void priors_share(float *column, uint32_t count, double sum) {
    const double part = sum > 0.0 ? 1.0 / sum : 0.0;
    uint32_t slot;
    if (sum > 0.0)
        for (slot = 0; slot < count; slot++)
            column[slot] = (float)((double)column[slot] * part);
    else
        for (slot = 0; slot < count; slot++)
            column[slot] = (float)(1.0 / count);
}

/* The first of the highest of the priors from `begin` on; `capacity` is a multiple of 8, beyond the last move they are
 * 0. */
MCTS_INLINE uint32_t priors_highest(const float *column, uint32_t begin, uint32_t capacity) {
    const uint32_t whole = (begin + SEL_LANES - 1) / SEL_LANES * SEL_LANES;
    float highest = -1.0f;
    sel_top top = SEL_NOTHING;
    uint32_t slot, best = begin;
    for (slot = begin; slot < whole; slot++)
        if (column[slot] > highest) {
            highest = column[slot];
            best = slot;
        }
    for (; slot < capacity; slot += SEL_LANES)
        sel_update(&top, sel_load(column + slot), slot);
    return sel_highest(&top) > highest ? sel_first(&top) : best;
}

#endif
