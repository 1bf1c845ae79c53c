/* Selection among the children of a guided node: which slot has the highest score.
 *
 * Every child has visits n, wins (half-points, `half` the value of one), a prior (its value times the weight w of the
 * prior, SEL_EXCLUDED for a slot that is never to be chosen). With s = c sqrt(ln N), N the visits of the node:
 *
 *   UCB1        (half wins + prior) / (n + w)  +  s / sqrt(max(n, 1))
 *   UCB1-tuned  the same mean  +  s sqrt(min(1/4, V) / max(n, 1)),  V = mean square - mean^2 + sqrt(2 ln N / n)
 *               (Auer, Cesa-Bianchi, Fischer, Machine Learning 47, 2002, section 4)
 *   RAVE        (1 - beta) mean + beta amaf_wins / amaf_visits  +  s / sqrt(max(n, 1))
 *               (Gelly and Silver, Artificial Intelligence 175, 2011, sections 4 and 5)
 *
 * A child without a visit scores `fpu` (first-play urgency: Gelly and Wang, 2006) where it has neither prior nor AMAF
 * statistics. Ties go to the lowest slot. Written once over small vectors: compilers made none of a loop of eight slots, which
 * took three times as long.
 */
#ifndef MCTS_SELECTION_H
#define MCTS_SELECTION_H

#include <math.h>
#include <stdint.h>

#include "kernels/platform.h"
#include "kernels/ucb.h"

#define SEL_EXCLUDED (-1e30f)

typedef struct sel_columns {
    uint32_t capacity; /* a multiple of 8; slots beyond the last child are SEL_EXCLUDED */
    const int32_t *visits, *wins;
    const uint32_t *squares;
    const float *priors, *amaf_visits, *amaf_wins;
} sel_columns;

typedef struct sel_weights {
    float half;   /* value of a half-point */
    float weight; /* of the prior, in visits */
    float fpu;
    float s;
    float variance; /* 2 ln N, for UCB1-tuned */
    float square;   /* value of a unit of `squares` */
    float beta;     /* RAVE: the same for all children when >= 0, else by bias */
    float bias;     /* 4 b^2 of the minimum mean square error schedule */
} sel_weights;

/* Vectors of SEL_LANES floats, with the same operations in every build. */
#if defined(MCTS_AVX2)
#define SEL_LANES 8
typedef __m256 sel_f;
#define sel_all(x) _mm256_set1_ps(x)
#define sel_load(p) _mm256_loadu_ps(p)
#define sel_load_ints(p) _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(p)))
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

/* For each vector of slots: `visits`, `played` (at least 1), `known` (visits and prior), `mean`; the body makes `value`. */
#define SEL_LOOP(BODY) \
    const sel_f zero = sel_all(0.0f), one = sel_all(1.0f), half = sel_all(w.half), weight = sel_all(w.weight); \
    const sel_f s = sel_all(w.s), fpu = sel_all(w.fpu), excluded = sel_all(SEL_EXCLUDED), floor = sel_all(-1e20f); \
    float top = -INFINITY; \
    uint32_t best = 0; \
    for (uint32_t i = 0; i < c->capacity; i += SEL_LANES) { \
        const sel_f visits = sel_load_ints(c->visits + i), wins = sel_mul(sel_load_ints(c->wins + i), half); \
        const sel_f prior = sel_load(c->priors + i), known = sel_add(visits, weight), played = sel_max(visits, one); \
        const sel_f mean = sel_div(sel_add(wins, prior), sel_where(known, zero, known, one)); \
        sel_f value; \
        BODY \
        sel_highest(sel_where(prior, floor, value, excluded), i, &top, &best); \
    } \
    return best;

static uint32_t sel_ucb1(const sel_columns *c, const sel_weights w) {
    SEL_LOOP(value = sel_where(known, zero, sel_add(mean, sel_div(s, sel_sqrt(played))), fpu);)
}

static uint32_t sel_tuned(const sel_columns *c, const sel_weights w) {
    const sel_f square = sel_all(w.square), bound = sel_all(w.variance), most = sel_all(0.25f);
    SEL_LOOP(const sel_f own = sel_div(wins, played);
             const sel_f squares = sel_div(sel_mul(sel_load_ints(c->squares + i), square), played);
             sel_f variance = sel_add(sel_sub(squares, sel_mul(own, own)), sel_sqrt(sel_div(bound, played)));
             variance = sel_max(sel_min(variance, most), zero);
             value = sel_add(mean, sel_mul(s, sel_sqrt(sel_div(variance, played))));
             value = sel_where(known, zero, value, fpu);)
}

static uint32_t sel_rave(const sel_columns *c, const sel_weights w) {
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
