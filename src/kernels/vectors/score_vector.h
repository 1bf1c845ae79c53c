/* Vectors of scores, for the selection among the children of a node: written once, for every instruction set. */
#ifndef MCTS_SCORE_VECTOR_H
#define MCTS_SCORE_VECTOR_H

#include <math.h>
#include <stdint.h>

#include "kernels/platform.h"
#include "kernels/selection/ucb1.h"

/* Vectors of SEL_LANES floats, with the same operations in every build. */
#if defined(MCTS_AVX2)
#define SEL_LANES 8
typedef __m256 sel_f;
#define sel_all(x) _mm256_set1_ps(x)
#define sel_load(p) _mm256_loadu_ps(p)
#define sel_load_ints(p) _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define sel_load_doubles(p) \
    _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd((p) + 4)), _mm256_cvtpd_ps(_mm256_loadu_pd(p)))
#define sel_add(a, b) _mm256_add_ps(a, b)
#define sel_sub(a, b) _mm256_sub_ps(a, b)
#define sel_mul(a, b) _mm256_mul_ps(a, b)
#define sel_div(a, b) _mm256_div_ps(a, b)
#define sel_sqrt(a) _mm256_sqrt_ps(a)
#define sel_max(a, b) _mm256_max_ps(a, b)
#define sel_min(a, b) _mm256_min_ps(a, b)
#define sel_where(a, b, x, y) _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_GT_OQ)) /* a > b ? x : y */
#elif defined(MCTS_SSE2)
#define SEL_LANES 4
typedef __m128 sel_f;
#define sel_all(x) _mm_set1_ps(x)
#define sel_load(p) _mm_loadu_ps(p)
#define sel_load_ints(p) _mm_cvtepi32_ps(_mm_loadu_si128((const __m128i *)(p)))
#define sel_load_doubles(p) _mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(p)), _mm_cvtpd_ps(_mm_loadu_pd((p) + 2)))
#define sel_add(a, b) _mm_add_ps(a, b)
#define sel_sub(a, b) _mm_sub_ps(a, b)
#define sel_mul(a, b) _mm_mul_ps(a, b)
#define sel_div(a, b) _mm_div_ps(a, b)
#define sel_sqrt(a) _mm_sqrt_ps(a)
#define sel_max(a, b) _mm_max_ps(a, b)
#define sel_min(a, b) _mm_min_ps(a, b)
MCTS_INLINE sel_f sel_where(sel_f a, sel_f b, sel_f x, sel_f y) {
    const __m128 mask = _mm_cmpgt_ps(a, b);
    return _mm_or_ps(_mm_and_ps(mask, x), _mm_andnot_ps(mask, y));
}
#elif defined(MCTS_NEON)
#define SEL_LANES 4
typedef float32x4_t sel_f;
#define sel_all(x) vdupq_n_f32(x)
#define sel_load(p) vld1q_f32(p)
#define sel_load_ints(p) vcvtq_f32_s32(vld1q_s32((const int32_t *)(p)))
#define sel_load_doubles(p) vcombine_f32(vcvt_f32_f64(vld1q_f64(p)), vcvt_f32_f64(vld1q_f64((p) + 2)))
#define sel_add(a, b) vaddq_f32(a, b)
#define sel_sub(a, b) vsubq_f32(a, b)
#define sel_mul(a, b) vmulq_f32(a, b)
#define sel_div(a, b) vdivq_f32(a, b)
#define sel_sqrt(a) vsqrtq_f32(a)
#define sel_max(a, b) vmaxq_f32(a, b)
#define sel_min(a, b) vminq_f32(a, b)
#define sel_where(a, b, x, y) vbslq_f32(vcgtq_f32(a, b), x, y)
#else
#define SEL_LANES 1
typedef float sel_f;
#define sel_all(x) (x)
#define sel_load(p) (*(p))
#define sel_load_ints(p) ((float)(int32_t)*(p))
#define sel_load_doubles(p) ((float)*(p))
#define sel_add(a, b) ((a) + (b))
#define sel_sub(a, b) ((a) - (b))
#define sel_mul(a, b) ((a) * (b))
#define sel_div(a, b) ((a) / (b))
#define sel_sqrt(a) sqrtf(a)
MCTS_INLINE sel_f sel_max(sel_f a, sel_f b) { return a > b ? a : b; }
MCTS_INLINE sel_f sel_min(sel_f a, sel_f b) { return a < b ? a : b; }
#define sel_where(a, b, x, y) ((a) > (b) ? (x) : (y))
#endif

/* The highest score so far and its slot, the lowest on ties; with AVX2 those of each lane, so that no branch depends on
 * scores. */
#if defined(MCTS_AVX2)
typedef struct sel_top {
    __m256 score;
    __m256i slot;
} sel_top;
#define SEL_NOTHING {_mm256_set1_ps(-INFINITY), _mm256_setzero_si256()}
#else
typedef struct sel_top {
    float score;
    uint32_t slot;
} sel_top;
#define SEL_NOTHING {-INFINITY, 0}
#endif

/* Takes a vector of scores into account; its first lane is slot `begin`. */
MCTS_INLINE void sel_update(sel_top *top, sel_f score, uint32_t begin) {
#if defined(MCTS_AVX2)
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 higher = _mm256_cmp_ps(score, top->score, _CMP_GT_OQ);
    const __m256i slots = _mm256_add_epi32(lanes, _mm256_set1_epi32((int)begin));
    top->slot = _mm256_blendv_epi8(top->slot, slots, _mm256_castps_si256(higher));
    top->score = _mm256_max_ps(score, top->score); /* of a NaN and the second operand the latter */
#elif SEL_LANES == 4
    const sel_f highest = ucb_highest4(score);
    float value[4];
    ucb_store_floats(value, highest);
    if (value[0] > top->score) {
        top->score = value[0];
        top->slot = begin + (uint32_t)mcts_ctz64(ucb_equal4(score, highest));
    }
#else
    if (score > top->score) {
        top->score = score;
        top->slot = begin;
    }
#endif
}

/* The highest score. */
MCTS_INLINE float sel_highest(const sel_top *top) {
#if defined(MCTS_AVX2)
    return _mm256_cvtss_f32(ucb_highest8(top->score));
#else
    return top->score;
#endif
}

/* The lowest slot with the highest score; 0 where no score was a number. */
MCTS_INLINE uint32_t sel_first(const sel_top *top) {
#if defined(MCTS_AVX2)
    const __m256i there = _mm256_castps_si256(_mm256_cmp_ps(top->score, ucb_highest8(top->score), _CMP_EQ_OQ));
    __m256i slot = _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MAX), top->slot, there);
    slot = _mm256_min_epi32(slot, _mm256_permute2x128_si256(slot, slot, 1));
    slot = _mm256_min_epi32(slot, _mm256_shuffle_epi32(slot, 0x4E));
    slot = _mm256_min_epi32(slot, _mm256_shuffle_epi32(slot, 0xB1));
    return (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(slot));
#else
    return top->slot;
#endif
}

#endif
