/* Winning cells on a Connect Four board: the cells, with a stone or without, that complete a line of a player's stones.
 *
 * `kind` is a constant at every call (C4_STANDARD, C4_ONE_WORD, C4_TWO_WORDS of games/connect_four/rollout.pxd), so
 * that only its branch is compiled; boards of one word leave `high` at 0. All of it is integer arithmetic with one
 * result. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_THREATS_H
#define MCTS_KERNELS_CONNECT_FOUR_THREATS_H

#include "kernels/platform.h"

typedef struct c4_cells {
    uint64_t low, high;
} c4_cells;

MCTS_INLINE int c4_popcount(uint64_t x) {
#if defined(MCTS_AVX2)
    return (int)_mm_popcnt_u64(x);
#else
    return mcts_popcount64(x);
#endif
}

/* The set bit of x with n set bits below it, if there is one. */
MCTS_INLINE uint64_t c4_nth_bit(uint64_t x, uint32_t n) {
#if defined(MCTS_AVX2)
    return _pdep_u64(UINT64_C(1) << n, x);
#else
    while (n--) x &= x - 1;
    return x & (0 - x);
#endif
}

MCTS_INLINE c4_cells c4_both(c4_cells x, c4_cells y) {
    x.low &= y.low;
    x.high &= y.high;
    return x;
}

MCTS_INLINE c4_cells c4_either(c4_cells x, c4_cells y) {
    x.low |= y.low;
    x.high |= y.high;
    return x;
}

MCTS_INLINE c4_cells c4_without(c4_cells x, c4_cells y) {
    x.low &= ~y.low;
    x.high &= ~y.high;
    return x;
}

MCTS_INLINE c4_cells c4_sum(int kind, c4_cells x, c4_cells y) {
    x.low += y.low;
    if (kind == 2) x.high += y.high + (x.low < y.low);
    return x;
}

MCTS_INLINE c4_cells c4_up(c4_cells x, uint32_t n) { /* x << n, 0 < n < 128 */
    c4_cells r;
    r.low = n < 64 ? x.low << (n & 63) : 0;
    r.high = n < 64 ? x.high << (n & 63) | x.low >> ((64 - n) & 63) : x.low << (n & 63);
    return r;
}

MCTS_INLINE c4_cells c4_down(c4_cells x, uint32_t n) { /* x >> n, 0 < n < 128 */
    c4_cells r;
    r.high = n < 64 ? x.high >> (n & 63) : 0;
    r.low = n < 64 ? x.low >> (n & 63) | x.high << ((64 - n) & 63) : x.high >> (n & 63);
    return r;
}

/* The cell below each; none below the lowest cell, that would be the sentinel of the column to the left. */
MCTS_INLINE c4_cells c4_below(int kind, c4_cells x) {
    if (kind == 2) return c4_down(x, 1);
    x.low >>= 1;
    return x;
}

MCTS_INLINE int c4_any(c4_cells x) { return (x.low | x.high) != 0; }

MCTS_INLINE int c4_count(int kind, c4_cells x) {
    return kind == 2 ? c4_popcount(x.low) + c4_popcount(x.high) : c4_popcount(x.low);
}

MCTS_INLINE int c4_several(int kind, c4_cells x) {
    if (kind == 2) return c4_count(kind, x) > 1;
    return (x.low & (x.low - 1)) != 0;
}

/* One cell of the `count` ones that x has: the n-th from below. */
MCTS_INLINE c4_cells c4_pick(int kind, c4_cells x, uint32_t n) {
    if (kind == 2) {
        uint32_t in_low = (uint32_t)c4_popcount(x.low);
        if (n >= in_low) {
            x.low = 0;
            x.high = c4_nth_bit(x.high, n - in_low);
            return x;
        }
        x.high = 0;
    }
    x.low = c4_nth_bit(x.low, n);
    return x;
}

MCTS_INLINE int c4_index(int kind, c4_cells x) { /* of a cell */
    return kind == 2 && x.low == 0 ? 64 + mcts_ctz64(x.high) : mcts_ctz64(x.low);
}

/* Four in a row: a cell with three stones on one side, or two and one, or one and two, or three. */
MCTS_INLINE uint64_t c4_wins_four(uint64_t x, int step) {
    uint64_t below = x << step, above = x >> step;
    uint64_t two_below = below & (x << 2 * step), two_above = above & (x >> 2 * step);
    return (two_below & ((x << 3 * step) | above)) | (two_above & ((x >> 3 * step) | below));
}

#if defined(MCTS_AVX2)

/* One lane per direction; in a column, only the cell above counts. */
MCTS_INLINE uint64_t c4_wins_standard(uint64_t x) {
    const __m256i v = _mm256_set1_epi64x((long long)x);
    const __m256i below = _mm256_sllv_epi64(v, _mm256_setr_epi64x(1, 6, 7, 8));
    const __m256i above = _mm256_srlv_epi64(v, _mm256_setr_epi64x(64, 6, 7, 8));
    const __m256i two_below = _mm256_and_si256(below, _mm256_sllv_epi64(v, _mm256_setr_epi64x(2, 12, 14, 16)));
    const __m256i two_above = _mm256_and_si256(above, _mm256_srlv_epi64(v, _mm256_setr_epi64x(64, 12, 14, 16)));
    const __m256i three_below = _mm256_sllv_epi64(v, _mm256_setr_epi64x(3, 18, 21, 24));
    const __m256i three_above = _mm256_srlv_epi64(v, _mm256_setr_epi64x(64, 18, 21, 24));
    const __m256i found = _mm256_or_si256(_mm256_and_si256(two_below, _mm256_or_si256(three_below, above)),
                                          _mm256_and_si256(two_above, _mm256_or_si256(three_above, below)));
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
}

#else

MCTS_INLINE uint64_t c4_wins_standard(uint64_t x) {
    return (x << 1 & x << 2 & x << 3) | c4_wins_four(x, 6) | c4_wins_four(x, 7) | c4_wins_four(x, 8);
}

#endif

/* `step` holds the distances between neighbours in each direction in which a line fits on the board: then no shift
 * below reaches the width of the word. */
MCTS_INLINE uint64_t c4_wins_one(uint64_t x, const uint64_t *step, int directions, int connect) {
    uint64_t found = 0;
    for (int d = 0; d < directions; d++) {
        int by = (int)step[d];
        if (connect == 4) {
            found |= c4_wins_four(x, by);
        } else {
            uint64_t above[64], below = ~UINT64_C(0);
            above[0] = below;
            for (int i = 1; i < connect; i++) above[i] = above[i - 1] & (x >> by * i);
            for (int i = 0; i < connect; i++) {
                if (i) below &= x << by * i;
                found |= below & above[connect - 1 - i];
            }
        }
    }
    return found;
}

MCTS_INLINE c4_cells c4_wins_two(c4_cells x, const uint64_t *step, int directions, int connect) {
    c4_cells found = {0, 0};
    for (int d = 0; d < directions; d++) {
        uint32_t by = (uint32_t)step[d];
        c4_cells above[128], below = {~UINT64_C(0), ~UINT64_C(0)};
        above[0] = below;
        for (int i = 1; i < connect; i++) above[i] = c4_both(above[i - 1], c4_down(x, by * (uint32_t)i));
        for (int i = 0; i < connect; i++) {
            if (i) below = c4_both(below, c4_up(x, by * (uint32_t)i));
            found = c4_either(found, c4_both(below, above[connect - 1 - i]));
        }
    }
    return found;
}

/* The winning cells that are cells of the board. */
MCTS_INLINE c4_cells c4_wins(int kind, c4_cells x, c4_cells board, const uint64_t *step, int directions, int connect) {
    if (kind == 0) {
        x.low = c4_wins_standard(x.low);
    } else if (kind == 1) {
        x.low = c4_wins_one(x.low, step, directions, connect);
    } else {
        x = c4_wins_two(x, step, directions, connect);
    }
    return c4_both(x, board);
}

#endif
