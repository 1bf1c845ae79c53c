/* Vectors of SLICE_WORDS words of 64 bits, in which each bit belongs to a rollout of its own. One interface over
 * AVX-512, AVX2, SSE2, the vector types of GCC and Clang, and plain C. The plain C branch is the specification of the
 * others; each word has a random generator of its own, so all draw the same numbers. */
#ifndef MCTS_KERNELS_SLICE_VECTOR_H
#define MCTS_KERNELS_SLICE_VECTOR_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"

/* slice_andnot(a, b) is ~a & b; slice_xor3(a, b, c) a ^ b ^ c; slice_and_or(a, b, c) (a & b) | c; slice_or_and(a, b, c)
 * (a | b) & c; slice_or_andnot(a, b, c) a | (b & ~c); slice_and_ornot(a, b, c) a & (b | ~c); slice_xor_and(a, b, c)
 * a ^ (b & c); slice_select(a, b, c) a ? b : c, bit by bit; slice_left and slice_right shift each word;
 * slice_of_bit(-1) is all ones, slice_of_bit(0) none. */
#if defined(MCTS_AVX512)
#define SLICE_WORDS 8
typedef __m512i slice_v;
#define slice_load(p) _mm512_loadu_si512((const void *)(p))
#define slice_store(p, a) _mm512_storeu_si512((void *)(p), a)
#define slice_of_bit(x) _mm512_set1_epi64(x)
#define slice_and(a, b) _mm512_and_si512(a, b)
#define slice_or(a, b) _mm512_or_si512(a, b)
#define slice_xor(a, b) _mm512_xor_si512(a, b)
#define slice_andnot(a, b) _mm512_andnot_si512(a, b)
#define slice_add(a, b) _mm512_add_epi64(a, b)
#define slice_left(a, n) _mm512_slli_epi64(a, n)
#define slice_right(a, n) _mm512_srli_epi64(a, n)
/* the table of a function of three bits: its value for a, b, c is bit 4 a + 2 b + c */
#define SLICE_TABLE(a, b, c, table) _mm512_ternarylogic_epi64(a, b, c, table)
#define slice_xor3(a, b, c) SLICE_TABLE(a, b, c, 0x96)
#define slice_and_or(a, b, c) SLICE_TABLE(a, b, c, 0xEA)
#define slice_or_and(a, b, c) SLICE_TABLE(a, b, c, 0xA8)
#define slice_or_andnot(a, b, c) SLICE_TABLE(a, b, c, 0xF4)
#define slice_and_ornot(a, b, c) SLICE_TABLE(a, b, c, 0xD0)
#define slice_xor_and(a, b, c) SLICE_TABLE(a, b, c, 0x78)
#define slice_select(a, b, c) SLICE_TABLE(a, b, c, 0xCA)
#define slice_majority(a, b, c) SLICE_TABLE(a, b, c, 0xE8)
#else

#if defined(MCTS_AVX2)
#define SLICE_WORDS 4
typedef __m256i slice_v;
#define slice_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define slice_store(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define slice_of_bit(x) _mm256_set1_epi64x(x)
#define slice_and(a, b) _mm256_and_si256(a, b)
#define slice_or(a, b) _mm256_or_si256(a, b)
#define slice_xor(a, b) _mm256_xor_si256(a, b)
#define slice_andnot(a, b) _mm256_andnot_si256(a, b)
#define slice_add(a, b) _mm256_add_epi64(a, b)
#define slice_left(a, n) _mm256_slli_epi64(a, n)
#define slice_right(a, n) _mm256_srli_epi64(a, n)
#elif defined(MCTS_SSE2)
#define SLICE_WORDS 2
typedef __m128i slice_v;
#define slice_load(p) _mm_loadu_si128((const __m128i *)(p))
#define slice_store(p, a) _mm_storeu_si128((__m128i *)(p), a)
#define slice_of_bit(x) _mm_set1_epi32((int)(x))
#define slice_and(a, b) _mm_and_si128(a, b)
#define slice_or(a, b) _mm_or_si128(a, b)
#define slice_xor(a, b) _mm_xor_si128(a, b)
#define slice_andnot(a, b) _mm_andnot_si128(a, b)
#define slice_add(a, b) _mm_add_epi64(a, b)
#define slice_left(a, n) _mm_slli_epi64(a, n)
#define slice_right(a, n) _mm_srli_epi64(a, n)
#else
#if defined(MCTS_VECTOR_TYPES)
#define SLICE_WORDS 2
typedef uint64_t slice_v MCTS_VECTOR16;
MCTS_INLINE slice_v slice_of_bit(int x) { return (slice_v){(uint64_t)(int64_t)x, (uint64_t)(int64_t)x}; }
#else
#define SLICE_WORDS 1
typedef uint64_t slice_v;
#define slice_of_bit(x) ((uint64_t)(int64_t)(x))
#endif
MCTS_INLINE slice_v slice_load(const uint64_t *p) {
    slice_v a;
    memcpy(&a, p, sizeof a);
    return a;
}
MCTS_INLINE void slice_store(uint64_t *p, slice_v a) { memcpy(p, &a, sizeof a); }
#define slice_and(a, b) ((a) & (b))
#define slice_or(a, b) ((a) | (b))
#define slice_xor(a, b) ((a) ^ (b))
#define slice_andnot(a, b) (~(a) & (b))
#define slice_add(a, b) ((a) + (b))
#define slice_left(a, n) ((a) << (n))
#define slice_right(a, n) ((a) >> (n))
#endif

#define slice_xor3(a, b, c) slice_xor(slice_xor(a, b), c)
#define slice_and_or(a, b, c) slice_or(slice_and(a, b), c)
#define slice_or_and(a, b, c) slice_and(slice_or(a, b), c)
#define slice_or_andnot(a, b, c) slice_or(a, slice_andnot(c, b))
#define slice_and_ornot(a, b, c) slice_andnot(slice_andnot(b, c), a)
#define slice_xor_and(a, b, c) slice_xor(a, slice_and(b, c))
MCTS_INLINE slice_v slice_select(slice_v a, slice_v b, slice_v c) {
    return slice_xor_and(c, slice_xor(b, c), a); /* b ^ c often is the same for many a */
}
MCTS_INLINE slice_v slice_majority(slice_v a, slice_v b, slice_v c) {
    return slice_and_or(slice_xor(a, b), c, slice_and(a, b)); /* a ^ b is in slice_xor3(a, b, c), too */
}
#endif

/* Random bits: xorshift128+ with the shifts 23, 18, 5 (Vigna, Further scramblings of Marsaglia's xorshift generators,
 * 2014), one generator in each word. */
typedef struct slice_random {
    slice_v x, y;
} slice_random;

MCTS_INLINE slice_v slice_random_next(slice_random *r) {
    const slice_v s = r->y, t = slice_xor(r->x, slice_left(r->x, 23));
    r->x = s;
    r->y = slice_xor(slice_xor3(t, s, slice_right(t, 18)), slice_right(s, 5));
    return slice_add(r->y, s);
}

/* Numbers of SLICE_PLANES bits, one for each bit of a slice: `plane[i]` holds their bits of weight 2^i. */
#define SLICE_PLANES 9

typedef struct slice_number {
    slice_v plane[SLICE_PLANES];
} slice_number;

/* *sum + 2 * returned = *sum + a + b */
MCTS_INLINE slice_v slice_add_two(slice_v *sum, slice_v a, slice_v b) {
    const slice_v carry = slice_majority(a, b, *sum);
    *sum = slice_xor3(a, b, *sum);
    return carry;
}

/* Adds 8 * eight to a number. */
MCTS_INLINE void slice_add_eight(slice_number *n, slice_v eight) {
    for (int i = 3; i < SLICE_PLANES; i++) {
        const slice_v carry = slice_and(n->plane[i], eight);
        n->plane[i] = slice_xor(n->plane[i], eight);
        eight = carry;
    }
}

/* where a < b */
MCTS_INLINE slice_v slice_less(const slice_number *a, const slice_number *b) {
    slice_v less = slice_of_bit(0);
    for (int i = 0; i < SLICE_PLANES; i++)
        less = slice_select(slice_xor(a->plane[i], b->plane[i]), b->plane[i], less);
    return less;
}

/* constant - a, modulo 2^SLICE_PLANES */
MCTS_INLINE slice_number slice_subtracted_from(int constant, const slice_number *a) {
    const slice_v ones = slice_of_bit(-1);
    slice_v carry = ones;
    slice_number r;
    for (int i = 0; i < SLICE_PLANES; i++) {
        r.plane[i] = slice_xor(a->plane[i], ones);
        carry = slice_add_two(&r.plane[i], slice_of_bit(-(constant >> i & 1)), carry);
    }
    return r;
}

MCTS_INLINE uint64_t slice_count(slice_v a) {
    uint64_t words[SLICE_WORDS], count = 0;
    slice_store(words, a);
    for (int i = 0; i < SLICE_WORDS; i++) count += (uint64_t)mcts_popcount64(words[i]);
    return count;
}

/* the sum of the numbers where `these` is set */
MCTS_INLINE uint64_t slice_sum(const slice_number *n, slice_v these) {
    uint64_t sum = 0;
    for (int i = 0; i < SLICE_PLANES; i++) sum += slice_count(slice_and(n->plane[i], these)) << i;
    return sum;
}

#endif
