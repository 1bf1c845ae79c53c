/* UCB1 over the children of one node: a statistic changes, the best child is found again.
 *
 * score = half * wins / visits + s / sqrt(visits), s = c sqrt(ln N); wins count half-points, so `half` is 1/2, or 1/2k
 * where an iteration has k rollouts. With i = 1 / sqrt(visits) that is i * (half * wins * i + s). Every operation is
 * correctly rounded and in the same order in all branches, so that they agree to the bit. Ties go to the lowest slot. A
 * slot without a legal move has visits NO_VISITS (tree.pxd) and wins UCB_NO_WINS: its score stays below 0.
 */
#ifndef MCTS_UCB1_H
#define MCTS_UCB1_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"

#define UCB_NO_WINS INT32_MIN
#define UCB_NO_MEAN (-1e9f)

/* ---- c sqrt(ln N) --------------------------------------------------------------------------------------------- */

#define UCB_TABLE 4096
#define UCB_SCALES (sizeof(void *) > 4 ? 1 << 18 : 1 << 16) /* numbers of a table of scales */

static float ucb_ln[UCB_TABLE + 1];

/* ln x for x >= 1 by the series of artanh; only + - * /, so the same everywhere, which libm's log is not */
static inline double ucb_natural_log(double x) {
    const double ln2 = 0.693147180559945309417;
    double result = 0.0, z, z2, term, sum = 0.0;
    int k;
    while (x > 1.4142135623730951) { x *= 0.5; result += ln2; }
    z = (x - 1.0) / (x + 1.0);
    z2 = z * z;
    for (k = 1, term = z; k < 40; k += 2, term *= z2) sum += term / k;
    return result + 2.0 * sum;
}

static inline void ucb_fill_ln(void) {
    int n;
    ucb_ln[0] = 0.0f;
    for (n = 1; n <= UCB_TABLE; n++) ucb_ln[n] = (float)ucb_natural_log(n);
}

/* c sqrt(ln n), n >= 1; from 4096 on linear in the top 12 bits, off by less than 3e-8 */
MCTS_INLINE float ucb_find_scale(float c, uint32_t n) {
    int shift;
    uint32_t top;
    float rest;
    if (n < UCB_TABLE) return c * sqrtf(ucb_ln[n]);
    shift = mcts_log2_32(n) - 11;
    top = n >> shift;
    rest = (float)(n - (top << shift)) / (float)(UINT32_C(1) << shift);
    return c * sqrtf(ucb_ln[top] + rest * (ucb_ln[top + 1] - ucb_ln[top]) + (float)shift * 0.6931471805599453f);
}

/* The same by a table of UCB_SCALES numbers, all 0 at first, in which it notes what it finds. The root finds each
 * number first. With 4096 numbers, levels above and below that mispredicted a branch in each iteration
 * (bench/TUNING.md). */
MCTS_INLINE float ucb_scale(float *scales, float c, uint32_t n) {
    float scale;
    uint32_t known;
    if (MCTS_UNLIKELY(n >= UCB_SCALES)) return ucb_find_scale(c, n);
    scale = scales[n];
    memcpy(&known, &scale, sizeof known);
    if (MCTS_UNLIKELY(known == 0)) {
        scale = ucb_find_scale(c, n);
        scales[n] = scale == 0 ? -0.0f : scale; /* which is not all 0 bits */
    }
    return scale;
}

/* ---- nodes of 7, 8 or 16 slots: from the exact integers -------------------------------------------------------- */

MCTS_INLINE float ucb_score(int32_t visits, int32_t wins, float half, float s) {
    float inverse = 1.0f / sqrtf((float)visits);
    return inverse * ((float)wins * half * inverse + s);
}

/* Adds one visit with `add` half-points to `slot` (none when slot < 0) and returns the best slot. The vector forms keep
 * the columns in registers between load and store: a scalar store followed by a vector load would stall. */
MCTS_INLINE uint32_t ucb_update_plain(int32_t *visits, int32_t *wins, uint32_t count, int32_t slot, int32_t add,
                                      float half, float s) {
    uint32_t i, best = 0;
    float top;
    if (slot >= 0) { visits[slot]++; wins[slot] += add; }
    top = ucb_score(visits[0], wins[0], half, s);
    for (i = 1; i < count; i++) {
        float score = ucb_score(visits[i], wins[i], half, s);
        if (score > top) { top = score; best = i; }
    }
    return best;
}

#if defined(MCTS_AVX2)

MCTS_INLINE __m256 ucb_scores8(__m256i visits, __m256i wins, __m256 half, __m256 s) {
    __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(_mm256_cvtepi32_ps(visits)));
    __m256 sum = _mm256_mul_ps(_mm256_cvtepi32_ps(wins), half);
    return _mm256_mul_ps(inverse, _mm256_add_ps(_mm256_mul_ps(sum, inverse), s));
}

MCTS_INLINE __m256 ucb_highest8(__m256 score) {
    __m256 top = _mm256_max_ps(score, _mm256_permute2f128_ps(score, score, 1));
    top = _mm256_max_ps(top, _mm256_shuffle_ps(top, top, 0x4E));
    return _mm256_max_ps(top, _mm256_shuffle_ps(top, top, 0xB1));
}

MCTS_INLINE __m256 ucb_add8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i v = _mm256_loadu_si256((const __m256i *)visits), w = _mm256_loadu_si256((const __m256i *)wins);
    __m256i hit = _mm256_cmpeq_epi32(lanes, _mm256_set1_epi32(slot));
    v = _mm256_sub_epi32(v, hit);
    w = _mm256_add_epi32(w, _mm256_and_si256(hit, _mm256_set1_epi32(add)));
    _mm256_storeu_si256((__m256i *)visits, v);
    _mm256_storeu_si256((__m256i *)wins, w);
    return ucb_scores8(v, w, _mm256_set1_ps(half), _mm256_set1_ps(s));
}

MCTS_INLINE uint32_t ucb_first8(__m256 score, __m256 top) {
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(score, top, _CMP_EQ_OQ));
}

MCTS_INLINE uint32_t ucb_update7(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    /* the eighth lane is no slot: it is written back as it was and never the best */
    __m256 score = _mm256_blend_ps(ucb_add8(visits, wins, slot, add, half, s), _mm256_set1_ps(-INFINITY), 0x80);
    return (uint32_t)mcts_ctz64(ucb_first8(score, ucb_highest8(score)));
}

MCTS_INLINE uint32_t ucb_update8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    __m256 score = ucb_add8(visits, wins, slot, add, half, s);
    return (uint32_t)mcts_ctz64(ucb_first8(score, ucb_highest8(score)));
}

MCTS_INLINE uint32_t ucb_update16(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    __m256 score0 = ucb_add8(visits, wins, slot, add, half, s);
    __m256 score1 = ucb_add8(visits + 8, wins + 8, slot - 8, add, half, s);
    __m256 top = ucb_highest8(_mm256_max_ps(score0, score1));
    return (uint32_t)mcts_ctz64(ucb_first8(score0, top) | ucb_first8(score1, top) << 8);
}

#elif defined(MCTS_SSE2) || defined(MCTS_NEON)

#if defined(MCTS_SSE2)
typedef __m128 ucb_floats;
typedef __m128i ucb_ints;
#define ucb_load(p) _mm_loadu_si128((const __m128i *)(p))
#define ucb_store(p, a) _mm_storeu_si128((__m128i *)(p), a)
#define ucb_equal_to(a, x) _mm_cmpeq_epi32(a, _mm_set1_epi32(x))
#define ucb_minus(a, b) _mm_sub_epi32(a, b)
#define ucb_plus_where(a, mask, x) _mm_add_epi32(a, _mm_and_si128(mask, _mm_set1_epi32(x)))
#define ucb_to_float(a) _mm_cvtepi32_ps(a)
#define ucb_all(x) _mm_set1_ps(x)
#define ucb_load_floats(p) _mm_loadu_ps(p)
#define ucb_store_floats(p, a) _mm_storeu_ps(p, a)
#define ucb_plus(a, b) _mm_add_ps(a, b)
#define ucb_times(a, b) _mm_mul_ps(a, b)
#define ucb_over(a, b) _mm_div_ps(a, b)
#define ucb_root(a) _mm_sqrt_ps(a)
#define ucb_max4(a, b) _mm_max_ps(a, b)

MCTS_INLINE ucb_floats ucb_drop_last(ucb_floats score) {
    const __m128 last = _mm_castsi128_ps(_mm_setr_epi32(0, 0, 0, -1));
    return _mm_or_ps(_mm_andnot_ps(last, score), _mm_and_ps(last, _mm_set1_ps(-INFINITY)));
}

MCTS_INLINE ucb_floats ucb_highest4(ucb_floats score) {
    __m128 top = _mm_max_ps(score, _mm_shuffle_ps(score, score, 0x4E));
    return _mm_max_ps(top, _mm_shuffle_ps(top, top, 0xB1));
}

MCTS_INLINE uint32_t ucb_equal4(ucb_floats score, ucb_floats top) {
    return (uint32_t)_mm_movemask_ps(_mm_cmpeq_ps(score, top));
}

#else
typedef float32x4_t ucb_floats;
typedef int32x4_t ucb_ints;
#define ucb_load(p) vld1q_s32(p)
#define ucb_store(p, a) vst1q_s32(p, a)
#define ucb_equal_to(a, x) vreinterpretq_s32_u32(vceqq_s32(a, vdupq_n_s32(x)))
#define ucb_minus(a, b) vsubq_s32(a, b)
#define ucb_plus_where(a, mask, x) vaddq_s32(a, vandq_s32(mask, vdupq_n_s32(x)))
#define ucb_to_float(a) vcvtq_f32_s32(a)
#define ucb_all(x) vdupq_n_f32(x)
#define ucb_load_floats(p) vld1q_f32(p)
#define ucb_store_floats(p, a) vst1q_f32(p, a)
#define ucb_plus(a, b) vaddq_f32(a, b)
#define ucb_times(a, b) vmulq_f32(a, b)
#define ucb_over(a, b) vdivq_f32(a, b)
#define ucb_root(a) vsqrtq_f32(a)
#define ucb_max4(a, b) vmaxq_f32(a, b)

MCTS_INLINE ucb_floats ucb_drop_last(ucb_floats score) { return vsetq_lane_f32(-INFINITY, score, 3); }

MCTS_INLINE ucb_floats ucb_highest4(ucb_floats score) { return vdupq_n_f32(vmaxvq_f32(score)); }

/* the lanes that equal `top`, as bits */
MCTS_INLINE uint32_t ucb_equal4(ucb_floats score, ucb_floats top) {
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vceqq_f32(score, top), vld1q_u32(bits)));
}

#endif

static const int32_t ucb_lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};

MCTS_INLINE ucb_floats ucb_scores4(ucb_ints visits, ucb_ints wins, float half, float s) {
    ucb_floats inverse = ucb_over(ucb_all(1.0f), ucb_root(ucb_to_float(visits)));
    ucb_floats sum = ucb_times(ucb_to_float(wins), ucb_all(half));
    return ucb_times(inverse, ucb_plus(ucb_times(sum, inverse), ucb_all(s)));
}

/* Adds to eight slots; the scores of the first four in score[0], of the others in score[1]. All loads come before the
 * first store: the other order took 1.25 times as long. */
MCTS_INLINE void ucb_add8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s,
                          ucb_floats *score) {
    ucb_ints v0 = ucb_load(visits), v1 = ucb_load(visits + 4), w0 = ucb_load(wins), w1 = ucb_load(wins + 4);
    ucb_ints hit0 = ucb_equal_to(ucb_load(ucb_lanes), slot), hit1 = ucb_equal_to(ucb_load(ucb_lanes + 4), slot);
    v0 = ucb_minus(v0, hit0);
    v1 = ucb_minus(v1, hit1);
    w0 = ucb_plus_where(w0, hit0, add);
    w1 = ucb_plus_where(w1, hit1, add);
    ucb_store(visits, v0);
    ucb_store(visits + 4, v1);
    ucb_store(wins, w0);
    ucb_store(wins + 4, w1);
    score[0] = ucb_scores4(v0, w0, half, s);
    score[1] = ucb_scores4(v1, w1, half, s);
}

MCTS_INLINE uint32_t ucb_update7(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    ucb_floats score[2], top;
    ucb_add8(visits, wins, slot, add, half, s, score);
    /* the eighth lane is no slot: it is written back as it was and never the best */
    score[1] = ucb_drop_last(score[1]);
    top = ucb_highest4(ucb_max4(score[0], score[1]));
    return (uint32_t)mcts_ctz64(ucb_equal4(score[0], top) | ucb_equal4(score[1], top) << 4);
}

MCTS_INLINE uint32_t ucb_update8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    ucb_floats score[2], top;
    ucb_add8(visits, wins, slot, add, half, s, score);
    top = ucb_highest4(ucb_max4(score[0], score[1]));
    return (uint32_t)mcts_ctz64(ucb_equal4(score[0], top) | ucb_equal4(score[1], top) << 4);
}

MCTS_INLINE uint32_t ucb_update16(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    ucb_floats score[4], top;
    ucb_add8(visits, wins, slot, add, half, s, score);
    ucb_add8(visits + 8, wins + 8, slot - 8, add, half, s, score + 2);
    top = ucb_highest4(ucb_max4(ucb_max4(score[0], score[1]), ucb_max4(score[2], score[3])));
    return (uint32_t)mcts_ctz64(ucb_equal4(score[0], top) | ucb_equal4(score[1], top) << 4 |
                                ucb_equal4(score[2], top) << 8 | ucb_equal4(score[3], top) << 12);
}

#else

MCTS_INLINE uint32_t ucb_update7(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    return ucb_update_plain(visits, wins, 7, slot, add, half, s);
}

MCTS_INLINE uint32_t ucb_update8(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    return ucb_update_plain(visits, wins, 8, slot, add, half, s);
}

MCTS_INLINE uint32_t ucb_update16(int32_t *visits, int32_t *wins, int32_t slot, int32_t add, float half, float s) {
    return ucb_update_plain(visits, wins, 16, slot, add, half, s);
}

#endif

/* ---- wide nodes: from kept means and inverse roots -------------------------------------------------------------- */

#if defined(MCTS_AVX2)
#define UCB_LANES 8
typedef __m256 ucb_wide;
#define ucb_wide_all(x) _mm256_set1_ps(x)
#define ucb_wide_max(a, b) _mm256_max_ps(a, b)
#define ucb_wide_scores(mean, inverse, s) \
    _mm256_add_ps(_mm256_loadu_ps(mean), _mm256_mul_ps(s, _mm256_loadu_ps(inverse)))
#define ucb_wide_highest(a) _mm256_cvtss_f32(ucb_highest8(a))
#define ucb_wide_equal(a, b) ucb_first8(a, b)
#elif defined(MCTS_SSE2) || defined(MCTS_NEON)
#define UCB_LANES 4
typedef ucb_floats ucb_wide;
#define ucb_wide_all(x) ucb_all(x)
#define ucb_wide_max(a, b) ucb_max4(a, b)
#define ucb_wide_scores(mean, inverse, s) ucb_plus(ucb_load_floats(mean), ucb_times(s, ucb_load_floats(inverse)))
#if defined(MCTS_SSE2)
#define ucb_wide_highest(a) _mm_cvtss_f32(ucb_highest4(a))
#else
#define ucb_wide_highest(a) vmaxvq_f32(a)
#endif
#define ucb_wide_equal(a, b) ucb_equal4(a, b)
#endif

#if defined(UCB_LANES)
#define UCB_PART (8 * UCB_LANES)

/* The slots with a score, a bit for each. */
MCTS_INLINE uint64_t ucb_wide_which(const float *mean, const float *inverse, uint32_t count, ucb_wide scale,
                                    float score) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; i += UCB_LANES)
        found |= (uint64_t)ucb_wide_equal(ucb_wide_scores(mean + i, inverse + i, scale), ucb_wide_all(score)) << i;
    return found;
}
#endif

/* the slot with the highest mean[i] + s * inverse[i]; count is a multiple of 8. Parts of eight vectors: the first one
 * with the highest score is looked at again, with a bit for each slot. To look through all slots for that score
 * mispredicted a branch: 3 % of the time of gomoku's iterations. */
MCTS_INLINE uint32_t ucb_best_wide(const float *MCTS_RESTRICT mean, const float *MCTS_RESTRICT inverse, uint32_t count,
                                   float s) {
#if defined(UCB_LANES)
    const ucb_wide scale = ucb_wide_all(s);
    float highest = -INFINITY;
    uint32_t part, first = 0, i;
    for (part = 0; part < count; part += UCB_PART) {
        const uint32_t end = count - part < UCB_PART ? count : part + UCB_PART;
        ucb_wide low = ucb_wide_all(-INFINITY), high = low;
        float top;
        for (i = part; i + 2 * UCB_LANES <= end; i += 2 * UCB_LANES) {
            low = ucb_wide_max(low, ucb_wide_scores(mean + i, inverse + i, scale));
            high = ucb_wide_max(high, ucb_wide_scores(mean + i + UCB_LANES, inverse + i + UCB_LANES, scale));
        }
        if (i < end) low = ucb_wide_max(low, ucb_wide_scores(mean + i, inverse + i, scale));
        top = ucb_wide_highest(ucb_wide_max(low, high));
        first = top > highest ? part : first;
        highest = top > highest ? top : highest;
    }
    if (count < UCB_PART) return (uint32_t)mcts_ctz64(ucb_wide_which(mean, inverse, count, scale, highest));
    /* Always as many, so that nothing is mispredicted: of the slots before `first` none has that score. */
    first = first > count - UCB_PART ? count - UCB_PART : first;
    return first + (uint32_t)mcts_ctz64(ucb_wide_which(mean + first, inverse + first, UCB_PART, scale, highest));
#else
    uint32_t i, best = 0;
    float top = mean[0] + s * inverse[0];
    for (i = 1; i < count; i++) {
        float score = mean[i] + s * inverse[i];
        if (score > top) { top = score; best = i; }
    }
    return best;
#endif
}

/* The mean and 1 / sqrt(visits) of a slot. */
MCTS_INLINE void ucb_set(float *mean, float *inverse, int32_t visits, int32_t wins, float half) {
    float n = (float)visits, sum = half * (float)wins;
    *mean = sum / n;
    *inverse = 1.0f / sqrtf(n);
}

/* Writes a number by storing its whole vector; `column` consists of whole vectors. After a scalar store, a load of the
 * vector would stall until the number has reached the cache, and each level of the tree would wait for the one above:
 * gomoku on 9x9 took 1.1 times as long. */
MCTS_INLINE void ucb_put(float *column, uint32_t slot, float number) {
#if defined(MCTS_AVX2)
    float *at = column + (slot & ~7u);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 hit = _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, _mm256_set1_epi32((int)(slot & 7))));
    _mm256_storeu_ps(at, _mm256_blendv_ps(_mm256_loadu_ps(at), _mm256_set1_ps(number), hit));
#elif defined(MCTS_SSE2)
    float *at = column + (slot & ~3u);
    const __m128i lanes = _mm_setr_epi32(0, 1, 2, 3);
    const __m128 hit = _mm_castsi128_ps(_mm_cmpeq_epi32(lanes, _mm_set1_epi32((int)(slot & 3))));
    _mm_storeu_ps(at, _mm_or_ps(_mm_and_ps(hit, _mm_set1_ps(number)), _mm_andnot_ps(hit, _mm_loadu_ps(at))));
#elif defined(MCTS_NEON)
    float *at = column + (slot & ~3u);
    const int32_t lanes[4] = {0, 1, 2, 3};
    const uint32x4_t hit = vceqq_s32(vld1q_s32(lanes), vdupq_n_s32((int32_t)(slot & 3)));
    vst1q_f32(at, vbslq_f32(hit, vdupq_n_f32(number), vld1q_f32(at)));
#else
    column[slot] = number;
#endif
}

/* ucb_update_plain for a wide node, whose means and inverse roots it keeps */
MCTS_INLINE uint32_t ucb_update_wide(int32_t *visits, int32_t *wins, float *mean, float *inverse, uint32_t count,
                                     int32_t slot, int32_t add, float half, float s) {
    if (slot >= 0) {
        float new_mean, new_inverse;
        ucb_set(&new_mean, &new_inverse, visits[slot] += 1, wins[slot] += add, half);
        ucb_put(mean, (uint32_t)slot, new_mean);
        ucb_put(inverse, (uint32_t)slot, new_inverse);
    }
    return ucb_best_wide(mean, inverse, count, s);
}

/* That of the above for a node with columns of `count` slots, or 7. */
MCTS_INLINE uint32_t ucb_update(int32_t *visits, int32_t *wins, float *mean, float *inverse, uint32_t count,
                                int32_t slot, int32_t add, float half, float s) {
    if (count == 7) return ucb_update7(visits, wins, slot, add, half, s);
    if (count == 8) return ucb_update8(visits, wins, slot, add, half, s);
    if (count == 16) return ucb_update16(visits, wins, slot, add, half, s);
    return ucb_update_wide(visits, wins, mean, inverse, count, slot, add, half, s);
}

#endif
