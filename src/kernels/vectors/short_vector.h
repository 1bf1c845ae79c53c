/* Vectors of 16-bit integers, and of the 32-bit sums of their products: one interface over AVX-512 (32 numbers), AVX2
 * (16), SSE2, NEON and plain C (8). All give the same numbers; the plain C branch is the specification of the others.
 */
#ifndef MCTS_SHORT_VECTOR_H
#define MCTS_SHORT_VECTOR_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"

#if defined(MCTS_AVX512)
#define SHORTS 32
typedef __m512i short_v;
typedef __m512i int_v;
#define shorts_load(p) _mm512_loadu_si512((const void *)(p))
#define shorts_store(p, a) _mm512_storeu_si512((void *)(p), a)
#define shorts_all(x) _mm512_set1_epi16((short)(x))
#define shorts_add(a, b) _mm512_add_epi16(a, b)
#define shorts_min(a, b) _mm512_min_epi16(a, b)
#define shorts_max(a, b) _mm512_max_epi16(a, b)
#define shorts_pair(x) _mm512_set1_epi32(x) /* two numbers, the first one in the low half, again and again */
#define shorts_dot(a, b) _mm512_madd_epi16(a, b)
#define ints_load(p) _mm512_loadu_si512((const void *)(p))
#define ints_store(p, a) _mm512_storeu_si512((void *)(p), a)
#define ints_add(a, b) _mm512_add_epi32(a, b)
#elif defined(MCTS_AVX2)
#define SHORTS 16
typedef __m256i short_v;
typedef __m256i int_v;
#define shorts_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define shorts_store(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define shorts_all(x) _mm256_set1_epi16((short)(x))
#define shorts_add(a, b) _mm256_add_epi16(a, b)
#define shorts_min(a, b) _mm256_min_epi16(a, b)
#define shorts_max(a, b) _mm256_max_epi16(a, b)
#define shorts_pair(x) _mm256_set1_epi32(x)
#define shorts_dot(a, b) _mm256_madd_epi16(a, b)
#define ints_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define ints_store(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define ints_add(a, b) _mm256_add_epi32(a, b)
#elif defined(MCTS_SSE2)
#define SHORTS 8
typedef __m128i short_v;
typedef __m128i int_v;
#define shorts_load(p) _mm_loadu_si128((const __m128i *)(p))
#define shorts_store(p, a) _mm_storeu_si128((__m128i *)(p), a)
#define shorts_all(x) _mm_set1_epi16((short)(x))
#define shorts_add(a, b) _mm_add_epi16(a, b)
#define shorts_min(a, b) _mm_min_epi16(a, b)
#define shorts_max(a, b) _mm_max_epi16(a, b)
#define shorts_pair(x) _mm_set1_epi32(x)
#define shorts_dot(a, b) _mm_madd_epi16(a, b)
#define ints_load(p) _mm_loadu_si128((const __m128i *)(p))
#define ints_store(p, a) _mm_storeu_si128((__m128i *)(p), a)
#define ints_add(a, b) _mm_add_epi32(a, b)
#elif defined(MCTS_NEON)
#define SHORTS 8
typedef int16x8_t short_v;
typedef int32x4_t int_v;
#define shorts_load(p) vld1q_s16((const int16_t *)(p))
#define shorts_store(p, a) vst1q_s16((int16_t *)(p), a)
#define shorts_all(x) vdupq_n_s16((int16_t)(x))
#define shorts_add(a, b) vaddq_s16(a, b)
#define shorts_min(a, b) vminq_s16(a, b)
#define shorts_max(a, b) vmaxq_s16(a, b)
#define shorts_pair(x) vreinterpretq_s16_s32(vdupq_n_s32(x))
MCTS_INLINE int32x4_t shorts_dot(int16x8_t a, int16x8_t b) {
    return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_s16(vget_high_s16(a), vget_high_s16(b)));
}
#define ints_load(p) vld1q_s32((const int32_t *)(p))
#define ints_store(p, a) vst1q_s32((int32_t *)(p), a)
#define ints_add(a, b) vaddq_s32(a, b)
#else
#define SHORTS 8
typedef struct { int16_t at[8]; } short_v;
typedef struct { int32_t at[4]; } int_v;
MCTS_INLINE short_v shorts_load(const void *p) {
    short_v a;
    memcpy(&a, p, sizeof a);
    return a;
}
MCTS_INLINE void shorts_store(void *p, short_v a) { memcpy(p, &a, sizeof a); }
MCTS_INLINE short_v shorts_all(int x) {
    short_v a;
    for (int i = 0; i < 8; i++) a.at[i] = (int16_t)x;
    return a;
}
#define SHORTS_EACH(NAME, X) \
    MCTS_INLINE short_v NAME(short_v a, short_v b) { \
        for (int i = 0; i < 8; i++) a.at[i] = (int16_t)(X); \
        return a; \
    }
SHORTS_EACH(shorts_add, a.at[i] + b.at[i])
SHORTS_EACH(shorts_min, a.at[i] < b.at[i] ? a.at[i] : b.at[i])
SHORTS_EACH(shorts_max, a.at[i] > b.at[i] ? a.at[i] : b.at[i])
MCTS_INLINE short_v shorts_pair(int32_t x) {
    short_v a;
    for (int i = 0; i < 8; i++) a.at[i] = (int16_t)(i & 1 ? (uint32_t)x >> 16 : (uint32_t)x & 0xFFFF);
    return a;
}
/* the sums of the products of numbers 0 and 1, 2 and 3, ... */
MCTS_INLINE int_v shorts_dot(short_v a, short_v b) {
    int_v c;
    for (int i = 0; i < 4; i++) c.at[i] = a.at[2 * i] * b.at[2 * i] + a.at[2 * i + 1] * b.at[2 * i + 1];
    return c;
}
MCTS_INLINE int_v ints_load(const void *p) {
    int_v a;
    memcpy(&a, p, sizeof a);
    return a;
}
MCTS_INLINE void ints_store(void *p, int_v a) { memcpy(p, &a, sizeof a); }
MCTS_INLINE int_v ints_add(int_v a, int_v b) {
    for (int i = 0; i < 4; i++) a.at[i] += b.at[i];
    return a;
}
#endif

#define INTS (SHORTS / 2)

MCTS_INLINE int32_t ints_sum(int_v a) {
#if defined(MCTS_SSE2)
#if defined(MCTS_AVX512)
    const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
#elif defined(MCTS_AVX2)
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
#else
    __m128i sum = a;
#endif
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
#else
    int32_t each[INTS], sum = 0;
    ints_store(each, a);
    for (int i = 0; i < INTS; i++) sum += each[i];
    return sum;
#endif
}

#endif
