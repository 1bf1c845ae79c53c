/* Vectors of LANE_WIDTH lanes of 64 bits: one interface over AVX-512, AVX2, SSE2, NEON and plain C, which is the
 * specification of the others.
 *
 * lane_mask is a choice among the lanes. lane_where: x in the lanes of the mask, else 0; lane_unless: x in the others;
 * lane_less_one: 1 less in those of the mask. */
#ifndef MCTS_KERNELS_LANE_VECTOR_H
#define MCTS_KERNELS_LANE_VECTOR_H

#include "kernels/platform.h"

#if defined(MCTS_AVX512)

#define LANE_WIDTH 8
typedef __m512i lane_v;
typedef __mmask8 lane_mask;
#define LANE_AND _mm512_and_si512
#define LANE_ANDNOT _mm512_andnot_si512 /* ~a & b */
#define LANE_OR _mm512_or_si512
#define LANE_XOR _mm512_xor_si512
#define LANE_ADD _mm512_add_epi64
#define LANE_SUB _mm512_sub_epi64
#define LANE_SHL _mm512_slli_epi64
#define LANE_SHR _mm512_srli_epi64

MCTS_INLINE lane_v lane_all(uint64_t x) { return _mm512_set1_epi64((long long)x); }
MCTS_INLINE lane_v lane_load(const uint64_t *x) { return _mm512_loadu_si512(x); }
MCTS_INLINE void lane_store(uint64_t *to, lane_v x) { _mm512_storeu_si512(to, x); }
MCTS_INLINE lane_mask lane_equal(lane_v a, lane_v b) { return _mm512_cmpeq_epi64_mask(a, b); }
MCTS_INLINE lane_mask lane_is_zero(lane_v a) { return _mm512_testn_epi64_mask(a, a); }
MCTS_INLINE lane_v lane_select(lane_mask mask, lane_v a, lane_v b) { return _mm512_mask_mov_epi64(b, mask, a); }
MCTS_INLINE lane_v lane_where(lane_mask mask, lane_v x) { return _mm512_maskz_mov_epi64(mask, x); }
MCTS_INLINE lane_v lane_unless(lane_mask mask, lane_v x) { return lane_where((lane_mask)~mask, x); }
MCTS_INLINE lane_v lane_less_one(lane_v x, lane_mask mask) { return _mm512_mask_sub_epi64(x, mask, x, lane_all(1)); }
MCTS_INLINE int lane_any_negative(lane_v x) { return _mm512_movepi64_mask(x) != 0; }
MCTS_INLINE int lane_any(lane_v x) { return _mm512_test_epi64_mask(x, x) != 0; }

#elif defined(MCTS_AVX2)

#define LANE_WIDTH 4
typedef __m256i lane_v;
typedef __m256i lane_mask; /* all ones or 0 in each lane, as in all branches below */
#define LANE_AND _mm256_and_si256
#define LANE_ANDNOT _mm256_andnot_si256
#define LANE_OR _mm256_or_si256
#define LANE_XOR _mm256_xor_si256
#define LANE_ADD _mm256_add_epi64
#define LANE_SUB _mm256_sub_epi64
#define LANE_SHL _mm256_slli_epi64
#define LANE_SHR _mm256_srli_epi64

MCTS_INLINE lane_v lane_all(uint64_t x) { return _mm256_set1_epi64x((long long)x); }
MCTS_INLINE lane_v lane_load(const uint64_t *x) { return _mm256_loadu_si256((const __m256i *)x); }
MCTS_INLINE void lane_store(uint64_t *to, lane_v x) { _mm256_storeu_si256((__m256i *)to, x); }
MCTS_INLINE lane_mask lane_equal(lane_v a, lane_v b) { return _mm256_cmpeq_epi64(a, b); }
/* Not _mm256_blendv_epi8: GCC 12 takes it apart and compares the mask with 0 again. */
MCTS_INLINE lane_v lane_select(lane_mask mask, lane_v a, lane_v b) {
    __m256d chosen = _mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(mask));
    return _mm256_castpd_si256(chosen);
}
MCTS_INLINE int lane_any_negative(lane_v x) { return _mm256_movemask_pd(_mm256_castsi256_pd(x)) != 0; }
MCTS_INLINE int lane_any(lane_v x) { return !_mm256_testz_si256(x, x); }

#elif defined(MCTS_SSE2)

#define LANE_WIDTH 2
typedef __m128i lane_v;
typedef __m128i lane_mask;
#define LANE_AND _mm_and_si128
#define LANE_ANDNOT _mm_andnot_si128
#define LANE_OR _mm_or_si128
#define LANE_XOR _mm_xor_si128
#define LANE_ADD _mm_add_epi64
#define LANE_SUB _mm_sub_epi64
#define LANE_SHL _mm_slli_epi64
#define LANE_SHR _mm_srli_epi64

MCTS_INLINE lane_v lane_all(uint64_t x) { return _mm_set1_epi64x((long long)x); }
MCTS_INLINE lane_v lane_load(const uint64_t *x) { return _mm_loadu_si128((const __m128i *)x); }
MCTS_INLINE void lane_store(uint64_t *to, lane_v x) { _mm_storeu_si128((__m128i *)to, x); }
MCTS_INLINE lane_mask lane_equal(lane_v a, lane_v b) {
    __m128i halves = _mm_cmpeq_epi32(a, b);
    return _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xB1));
}
MCTS_INLINE lane_v lane_select(lane_mask mask, lane_v a, lane_v b) {
    return _mm_xor_si128(b, _mm_and_si128(_mm_xor_si128(a, b), mask));
}
MCTS_INLINE int lane_any_negative(lane_v x) { return _mm_movemask_pd(_mm_castsi128_pd(x)) != 0; }
MCTS_INLINE int lane_any(lane_v x) { return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) != 0xFFFF; }

#elif defined(MCTS_NEON)

#define LANE_WIDTH 2
typedef uint64x2_t lane_v;
typedef uint64x2_t lane_mask;
#define LANE_AND vandq_u64
#define LANE_ANDNOT(a, b) vbicq_u64(b, a)
#define LANE_OR vorrq_u64
#define LANE_XOR veorq_u64
#define LANE_ADD vaddq_u64
#define LANE_SUB vsubq_u64
#define LANE_SHL vshlq_n_u64
#define LANE_SHR vshrq_n_u64
#define LANE_SHR_BY(a, n) vshlq_u64(a, vdupq_n_s64(-(n))) /* by a number that is no constant */

MCTS_INLINE lane_v lane_all(uint64_t x) { return vdupq_n_u64(x); }
MCTS_INLINE lane_v lane_load(const uint64_t *x) { return vld1q_u64(x); }
MCTS_INLINE void lane_store(uint64_t *to, lane_v x) { vst1q_u64(to, x); }
MCTS_INLINE lane_mask lane_equal(lane_v a, lane_v b) { return vceqq_u64(a, b); }
MCTS_INLINE lane_v lane_select(lane_mask mask, lane_v a, lane_v b) { return vbslq_u64(mask, a, b); }
MCTS_INLINE int lane_any_negative(lane_v x) {
    return (vgetq_lane_u64(x, 0) | vgetq_lane_u64(x, 1)) >> 63 != 0;
}
MCTS_INLINE int lane_any(lane_v x) { return vmaxvq_u32(vreinterpretq_u32_u64(x)) != 0; }

#else

#define LANE_WIDTH 1
typedef uint64_t lane_v;
typedef uint64_t lane_mask;
#define LANE_AND(a, b) ((a) & (b))
#define LANE_ANDNOT(a, b) (~(a) & (b))
#define LANE_OR(a, b) ((a) | (b))
#define LANE_XOR(a, b) ((a) ^ (b))
#define LANE_ADD(a, b) ((a) + (b))
#define LANE_SUB(a, b) ((a) - (b))
#define LANE_SHL(a, n) ((a) << (n))
#define LANE_SHR(a, n) ((a) >> (n))

MCTS_INLINE lane_v lane_all(uint64_t x) { return x; }
MCTS_INLINE lane_v lane_load(const uint64_t *x) { return *x; }
MCTS_INLINE void lane_store(uint64_t *to, lane_v x) { *to = x; }
MCTS_INLINE lane_mask lane_equal(lane_v a, lane_v b) { return 0 - (uint64_t)(a == b); }
MCTS_INLINE lane_v lane_select(lane_mask mask, lane_v a, lane_v b) { return b ^ ((a ^ b) & mask); }
MCTS_INLINE int lane_any_negative(lane_v x) { return (int)(x >> 63); }
MCTS_INLINE int lane_any(lane_v x) { return x != 0; }

#endif

#if !defined(MCTS_AVX512)
MCTS_INLINE lane_mask lane_is_zero(lane_v a) { return lane_equal(a, lane_all(0)); }
MCTS_INLINE lane_v lane_where(lane_mask mask, lane_v x) { return LANE_AND(mask, x); }
MCTS_INLINE lane_v lane_unless(lane_mask mask, lane_v x) { return LANE_ANDNOT(mask, x); }
MCTS_INLINE lane_v lane_less_one(lane_v x, lane_mask mask) { return LANE_ADD(x, mask); }
#endif

#if !defined(LANE_SHR_BY)
#define LANE_SHR_BY LANE_SHR
#endif

MCTS_INLINE uint64_t lane_sum(lane_v x) {
    uint64_t lanes[LANE_WIDTH], sum = 0;
    lane_store(lanes, x);
    for (int i = 0; i < LANE_WIDTH; i++) sum += lanes[i];
    return sum;
}

#endif
