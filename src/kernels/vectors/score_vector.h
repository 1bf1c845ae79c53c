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

/* The first of the highest of these scores, if that is above *top. */
MCTS_INLINE void sel_highest(sel_f score, uint32_t begin, float *top, uint32_t *best) {
#if defined(MCTS_AVX2)
    const sel_f highest = ucb_highest8(score);
    const float value = _mm256_cvtss_f32(highest);
    if (value > *top) {
        *top = value;
        *best = begin + (uint32_t)mcts_ctz64(ucb_first8(score, highest));
    }
#elif SEL_LANES == 4
    const sel_f highest = ucb_highest4(score);
    float value[4];
    ucb_store_floats(value, highest);
    if (value[0] > *top) {
        *top = value[0];
        *best = begin + (uint32_t)mcts_ctz64(ucb_equal4(score, highest));
    }
#else
    if (score > *top) {
        *top = score;
        *best = begin;
    }
#endif
}

#endif
