/* Vectors of bytes, and random bytes to fill them: one interface over AVX2 (VB = 32 bytes), SSE2, the vector types of
 * GCC and Clang, and plain C (16 bytes). The plain C branch is the specification of the others; all draw the same
 * numbers. */
#ifndef MCTS_KERNELS_BYTE_VECTOR_H
#define MCTS_KERNELS_BYTE_VECTOR_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"
#include "mcts_core/game.h"

#if defined(MCTS_AVX2)
#define VB 32
typedef __m256i byte_v;
#define v_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define v_store(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define v_set1(x) _mm256_set1_epi8((char)(x))
#define v_min(a, b) _mm256_min_epu8(a, b)
#define v_max(a, b) _mm256_max_epu8(a, b)
#define v_and(a, b) _mm256_and_si256(a, b)
#define v_or(a, b) _mm256_or_si256(a, b)
#define v_xor(a, b) _mm256_xor_si256(a, b)
#define v_eq(a, b) _mm256_cmpeq_epi8(a, b)
#define v_add(a, b) _mm256_add_epi8(a, b)
#define v_sub(a, b) _mm256_sub_epi8(a, b)
#define v_negative(a) _mm256_cmpgt_epi8(_mm256_setzero_si256(), a) /* 255 where the top bit is set */
#define v_right(a, n) _mm256_srli_si256(a, n)                      /* cells to the right, in each row of 16 */
#define v_low2(a, b) _mm256_permute2x128_si256(a, b, 0x20)  /* the lower halves of both */
#define v_high2(a, b) _mm256_permute2x128_si256(a, b, 0x31)
/* two rows of 16 that are not neighbours */
#define v_load2(p, q) \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p))), \
                            _mm_loadu_si128((const __m128i *)(q)), 1)
#define v_store2(p, q, a) \
    (_mm_storeu_si128((__m128i *)(p), _mm256_castsi256_si128(a)), \
     _mm_storeu_si128((__m128i *)(q), _mm256_extracti128_si256(a, 1)))

/* smallest byte of a | smallest byte of b << 8 */
MCTS_INLINE int v_smallest2(byte_v a, byte_v b) {
    __m256i m = _mm256_min_epu8(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    __m128i n = _mm_min_epu8(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 32));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 16));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 8));
    return (_mm_extract_epi16(n, 0) & 255) | (_mm_extract_epi16(n, 4) & 255) << 8;
}

MCTS_INLINE int v_sum(byte_v a) {
    __m256i s = _mm256_sad_epu8(a, _mm256_setzero_si256());
    __m128i t = _mm_add_epi64(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    return _mm_cvtsi128_si32(t) + _mm_extract_epi16(t, 4);
}

/* the cells that are 255 or 0, as bits */
MCTS_INLINE uint64_t v_bits(byte_v a) { return (uint32_t)_mm256_movemask_epi8(a); }

/* 255 where a bit is set; `bits` are those of VB cells */
MCTS_INLINE byte_v v_from_bits(uint64_t bits) {
    const __m256i spread = _mm256_shuffle_epi8(
        _mm256_set1_epi32((int)(uint32_t)bits),
        _mm256_setr_epi64x(0, INT64_C(0x0101010101010101), INT64_C(0x0202020202020202), INT64_C(0x0303030303030303)));
    const __m256i bit = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

typedef struct byte_random {
    __m256i x, y;
} byte_random;

MCTS_INLINE void random_load(byte_random *r, const mcts_rng *rng) {
    r->x = v_load(rng->lane);
    r->y = v_load(rng->lane + 4);
}

MCTS_INLINE void random_store(const byte_random *r, mcts_rng *rng) {
    v_store(rng->lane, r->x);
    v_store(rng->lane + 4, r->y);
}

/* 32 random bytes */
MCTS_INLINE void random_next(byte_random *r, byte_v out[32 / VB]) {
    __m256i t = r->x, s = r->y;
    r->x = s;
    t = _mm256_xor_si256(t, _mm256_slli_epi64(t, 23));
    r->y = _mm256_xor_si256(_mm256_xor_si256(t, _mm256_srli_epi64(t, 18)),
                            _mm256_xor_si256(s, _mm256_srli_epi64(s, 5)));
    out[0] = _mm256_add_epi64(r->y, s);
}

#else
#define VB 16
#if defined(MCTS_SSE2)
typedef __m128i byte_v;
#define v_load(p) _mm_loadu_si128((const __m128i *)(p))
#define v_store(p, a) _mm_storeu_si128((__m128i *)(p), a)
#define v_set1(x) _mm_set1_epi8((char)(x))
#define v_min(a, b) _mm_min_epu8(a, b)
#define v_max(a, b) _mm_max_epu8(a, b)
#define v_and(a, b) _mm_and_si128(a, b)
#define v_or(a, b) _mm_or_si128(a, b)
#define v_xor(a, b) _mm_xor_si128(a, b)
#define v_eq(a, b) _mm_cmpeq_epi8(a, b)
#define v_add(a, b) _mm_add_epi8(a, b)
#define v_sub(a, b) _mm_sub_epi8(a, b)
#define v_negative(a) _mm_cmpgt_epi8(_mm_setzero_si128(), a)
#define v_right(a, n) _mm_srli_si128(a, n)

MCTS_INLINE int v_smallest2(byte_v a, byte_v b) {
    __m128i n = _mm_min_epu8(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 32));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 16));
    n = _mm_min_epu8(n, _mm_srli_epi64(n, 8));
    return (_mm_extract_epi16(n, 0) & 255) | (_mm_extract_epi16(n, 4) & 255) << 8;
}

MCTS_INLINE int v_sum(byte_v a) {
    __m128i s = _mm_sad_epu8(a, _mm_setzero_si128());
    return _mm_cvtsi128_si32(s) + _mm_extract_epi16(s, 4);
}

MCTS_INLINE uint64_t v_bits(byte_v a) { return (uint32_t)_mm_movemask_epi8(a); }

MCTS_INLINE byte_v v_from_bits(uint64_t bits) {
    const __m128i bit = _mm_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    __m128i spread = _mm_cvtsi32_si128((int)(uint32_t)bits);
    spread = _mm_unpacklo_epi8(spread, spread);
    spread = _mm_shuffle_epi32(_mm_shufflelo_epi16(spread, 0x50), 0x50);
    return _mm_cmpeq_epi8(_mm_and_si128(spread, bit), bit);
}

typedef struct byte_random {
    __m128i x[2], y[2];
} byte_random;

MCTS_INLINE void random_load(byte_random *r, const mcts_rng *rng) {
    for (int i = 0; i < 2; i++) {
        r->x[i] = v_load(rng->lane + 2 * i);
        r->y[i] = v_load(rng->lane + 4 + 2 * i);
    }
}

MCTS_INLINE void random_store(const byte_random *r, mcts_rng *rng) {
    for (int i = 0; i < 2; i++) {
        v_store(rng->lane + 2 * i, r->x[i]);
        v_store(rng->lane + 4 + 2 * i, r->y[i]);
    }
}

MCTS_INLINE void random_next(byte_random *r, byte_v out[32 / VB]) {
    for (int i = 0; i < 2; i++) {
        __m128i t = r->x[i], s = r->y[i];
        r->x[i] = s;
        t = _mm_xor_si128(t, _mm_slli_epi64(t, 23));
        r->y[i] = _mm_xor_si128(_mm_xor_si128(t, _mm_srli_epi64(t, 18)), _mm_xor_si128(s, _mm_srli_epi64(s, 5)));
        out[i] = _mm_add_epi64(r->y[i], s);
    }
}

#elif defined(MCTS_VECTOR_TYPES)
/* Any other processor with vectors of 16 bytes, in the vector types of GCC and Clang. */
typedef uint8_t byte_v MCTS_VECTOR16;
typedef uint64_t word_v MCTS_VECTOR16;
#define v_and(a, b) ((a) & (b))
#define v_or(a, b) ((a) | (b))
#define v_xor(a, b) ((a) ^ (b))
#define v_eq(a, b) ((byte_v)((a) == (b)))
#define v_add(a, b) ((a) + (b))
#define v_sub(a, b) ((a) - (b))
#define v_negative(a) ((byte_v)((a) > 127))
#define v_right(a, n) \
    MCTS_VECTOR_PICK(a, (byte_v){0}, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, \
                     n + 12, n + 13, n + 14, n + 15)

MCTS_INLINE byte_v v_load(const void *p) {
    byte_v r;
    memcpy(&r, p, VB);
    return r;
}
MCTS_INLINE void v_store(void *p, byte_v a) { memcpy(p, &a, VB); }
MCTS_INLINE byte_v v_set1(int x) { return (byte_v){0} + (uint8_t)x; }
MCTS_INLINE byte_v v_min(byte_v a, byte_v b) {
    const byte_v less = (byte_v)(a < b);
    return (a & less) | (b & ~less);
}
MCTS_INLINE byte_v v_max(byte_v a, byte_v b) {
    const byte_v less = (byte_v)(a < b);
    return (b & less) | (a & ~less);
}

MCTS_INLINE uint64_t v_bits(byte_v a) {
    const word_v words = (word_v)(a & 1) * UINT64_C(0x0102040810204080); /* gathers 8 bits in the top byte */
    return words[0] >> 56 | words[1] >> 56 << 8;
}

MCTS_INLINE byte_v v_from_bits(uint64_t bits) {
    const word_v words = {(bits & 255) * UINT64_C(0x0101010101010101), (bits >> 8) * UINT64_C(0x0101010101010101)};
    const word_v bit = {UINT64_C(0x8040201008040201), UINT64_C(0x8040201008040201)};
    return (byte_v)(((byte_v)words & (byte_v)bit) == (byte_v)bit);
}

MCTS_INLINE int v_smallest2(byte_v a, byte_v b) {
    uint8_t x = 255, y = 255;
    for (int i = 0; i < VB; i++) {
        x = a[i] < x ? a[i] : x;
        y = b[i] < y ? b[i] : y;
    }
    return x | y << 8;
}

MCTS_INLINE int v_sum(byte_v a) {
    int sum = 0;
    for (int i = 0; i < VB; i++) sum += a[i];
    return sum;
}

typedef struct byte_random {
    word_v x[2], y[2];
} byte_random;

MCTS_INLINE void random_load(byte_random *r, const mcts_rng *rng) {
    memcpy(r->x, rng->lane, 32);
    memcpy(r->y, rng->lane + 4, 32);
}

MCTS_INLINE void random_store(const byte_random *r, mcts_rng *rng) {
    memcpy(rng->lane, r->x, 32);
    memcpy(rng->lane + 4, r->y, 32);
}

MCTS_INLINE void random_next(byte_random *r, byte_v out[32 / VB]) {
    for (int i = 0; i < 2; i++) {
        word_v t = r->x[i], s = r->y[i];
        r->x[i] = s;
        t ^= t << 23;
        r->y[i] = t ^ s ^ (t >> 18) ^ (s >> 5);
        out[i] = (byte_v)(r->y[i] + s);
    }
}

#else
typedef struct byte_v {
    uint8_t b[VB];
} byte_v;

#define BYTE_EACH(expression) \
    byte_v r; \
    for (int i = 0; i < VB; i++) r.b[i] = (uint8_t)(expression); \
    return r;

MCTS_INLINE byte_v v_load(const void *p) {
    byte_v r;
    memcpy(r.b, p, VB);
    return r;
}
MCTS_INLINE void v_store(void *p, byte_v a) { memcpy(p, a.b, VB); }
MCTS_INLINE byte_v v_set1(int x) { BYTE_EACH(x) }
MCTS_INLINE byte_v v_min(byte_v a, byte_v b) { BYTE_EACH(a.b[i] < b.b[i] ? a.b[i] : b.b[i]) }
MCTS_INLINE byte_v v_max(byte_v a, byte_v b) { BYTE_EACH(a.b[i] > b.b[i] ? a.b[i] : b.b[i]) }
MCTS_INLINE byte_v v_and(byte_v a, byte_v b) { BYTE_EACH(a.b[i] & b.b[i]) }
MCTS_INLINE byte_v v_or(byte_v a, byte_v b) { BYTE_EACH(a.b[i] | b.b[i]) }
MCTS_INLINE byte_v v_xor(byte_v a, byte_v b) { BYTE_EACH(a.b[i] ^ b.b[i]) }
MCTS_INLINE byte_v v_eq(byte_v a, byte_v b) { BYTE_EACH(a.b[i] == b.b[i] ? 255 : 0) }
MCTS_INLINE byte_v v_add(byte_v a, byte_v b) { BYTE_EACH(a.b[i] + b.b[i]) }
MCTS_INLINE byte_v v_sub(byte_v a, byte_v b) { BYTE_EACH(a.b[i] - b.b[i]) }
MCTS_INLINE byte_v v_negative(byte_v a) { BYTE_EACH(a.b[i] > 127 ? 255 : 0) }
MCTS_INLINE byte_v v_right(byte_v a, int n) { BYTE_EACH(i + n < VB ? a.b[(i + n) % VB] : 0) }

MCTS_INLINE byte_v v_from_bits(uint64_t bits) { BYTE_EACH(bits >> i & 1 ? 255 : 0) }

MCTS_INLINE uint64_t v_bits(byte_v a) {
    uint64_t bits = 0;
    for (int i = 0; i < VB; i++) bits |= (uint64_t)(a.b[i] & 1) << i;
    return bits;
}

MCTS_INLINE int v_smallest2(byte_v a, byte_v b) {
    int x = 255, y = 255;
    for (int i = 0; i < VB; i++) {
        if (a.b[i] < x) x = a.b[i];
        if (b.b[i] < y) y = b.b[i];
    }
    return x | y << 8;
}

MCTS_INLINE int v_sum(byte_v a) {
    int sum = 0;
    for (int i = 0; i < VB; i++) sum += a.b[i];
    return sum;
}

typedef struct byte_random {
    uint64_t lane[8];
} byte_random;

MCTS_INLINE void random_load(byte_random *r, const mcts_rng *rng) { memcpy(r->lane, rng->lane, sizeof r->lane); }
MCTS_INLINE void random_store(const byte_random *r, mcts_rng *rng) { memcpy(rng->lane, r->lane, sizeof r->lane); }

MCTS_INLINE void random_next(byte_random *r, byte_v out[32 / VB]) {
    for (int i = 0; i < 4; i++) {
        uint64_t t = r->lane[i], s = r->lane[4 + i], sum;
        r->lane[i] = s;
        t ^= t << 23;
        r->lane[4 + i] = t ^ s ^ (t >> 18) ^ (s >> 5);
        sum = r->lane[4 + i] + s;
        for (int j = 0; j < 8; j++) out[i / 2].b[i % 2 * 8 + j] = (uint8_t)(sum >> (8 * j));
    }
}
#endif

#define v_load2(p, q) ((void)(q), v_load(p))
#define v_store2(p, q, a) ((void)(q), v_store(p, a))
#endif

#endif
