/* Vectors of 256 bits, a bit for each cell of a board of at most 16 x 16. One interface over AVX2, SSE2, the vector
 * types of GCC and Clang, and plain C. The plain C branch is the specification of the others.
 *
 * Row r is in word r % 4, from bit 16 * (r / 4) on. So a shift by n rows moves whole words: the first n words become
 * the last ones, shifted by 16 bits. No word is put together from two. */
#ifndef MCTS_KERNELS_BOARD_VECTOR_H
#define MCTS_KERNELS_BOARD_VECTOR_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"
#include "kernels/vectors/byte_vector.h"

/* The bit of a cell, of 256. */
MCTS_INLINE int board_bit(int row, int col) { return row % 4 * 64 + row / 4 * 16 + col; }

/* board_right(a, n): for each cell, the one n columns to the right; board_below_1(a) to board_below_4(a): the one that
 * many rows below; 0 where there is none. */
#if defined(MCTS_AVX2)
typedef __m256i board_v;
#define board_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define board_store(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define board_and(a, b) _mm256_and_si256(a, b)
#define board_or(a, b) _mm256_or_si256(a, b)
#define board_xor(a, b) _mm256_xor_si256(a, b)
#define board_andnot(a, b) _mm256_andnot_si256(a, b) /* ~a & b */
#define board_right(a, n) _mm256_srli_epi16(a, n)
#define board_below_4(a) _mm256_srli_epi64(a, 16)
MCTS_INLINE board_v board_below_1(board_v a) {
    return _mm256_permute4x64_epi64(_mm256_blend_epi32(a, board_below_4(a), 0x03), 0x39);
}
MCTS_INLINE board_v board_below_2(board_v a) { return _mm256_permute2x128_si256(a, board_below_4(a), 0x21); }
MCTS_INLINE board_v board_below_3(board_v a) {
    return _mm256_permute4x64_epi64(_mm256_blend_epi32(board_below_4(a), a, 0xC0), 0x93);
}

/* all ones where no bit is set, else 0 */
MCTS_INLINE board_v board_is_empty(board_v a) {
    __m256i zero = _mm256_cmpeq_epi64(a, _mm256_setzero_si256());
    zero = _mm256_and_si256(zero, _mm256_permute4x64_epi64(zero, 0x4E));
    return _mm256_and_si256(zero, _mm256_shuffle_epi32(zero, 0x4E));
}

/* of a vector that is all ones or 0: -1 or 0 */
MCTS_INLINE int32_t board_sign(board_v a) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(a)); }
MCTS_INLINE board_v board_of_sign(int32_t sign) { return _mm256_set1_epi32(sign); }

MCTS_INLINE board_v board_random(byte_random *r) {
    byte_v bytes[1];
    random_next(r, bytes);
    return bytes[0];
}

MCTS_INLINE board_v board_of_bit(int bit) {
    const __m256i at = _mm256_sub_epi64(_mm256_set1_epi64x(bit), _mm256_set_epi64x(192, 128, 64, 0));
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1), at); /* 0 where that is not below 64 */
}

MCTS_INLINE int board_count(board_v a) {
    uint64_t words[4];
    board_store(words, a);
    return mcts_popcount64(words[0]) + mcts_popcount64(words[1]) + mcts_popcount64(words[2]) +
           mcts_popcount64(words[3]);
}

/* of rows in their order, four in each word */
MCTS_INLINE board_v board_of_rows(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const __m256i rows = _mm256_set_epi64x((long long)d, (long long)c, (long long)b, (long long)a);
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, /* r and r + 4 */
                                           0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(rows, pairs), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

#else

#if defined(MCTS_SSE2)
#define PARTS 2
typedef __m128i part_v;
#define PART_AND(a, b) _mm_and_si128(a, b)
#define PART_OR(a, b) _mm_or_si128(a, b)
#define PART_XOR(a, b) _mm_xor_si128(a, b)
#define PART_ANDNOT(a, b) _mm_andnot_si128(a, b)
#define PART_RIGHT(a, n) _mm_srli_epi16(a, n)
#define PART_FOUR_BELOW(a) _mm_srli_epi64(a, 16)
#define PART_OF_WORDS(a, b) _mm_set_epi64x((long long)(b), (long long)(a))
#define PART_BETWEEN(a, b) _mm_castpd_si128(_mm_shuffle_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b), 1))
#else
#define PART_AND(a, b) ((a) & (b))
#define PART_OR(a, b) ((a) | (b))
#define PART_XOR(a, b) ((a) ^ (b))
#define PART_ANDNOT(a, b) (~(a) & (b))
#if defined(MCTS_VECTOR_TYPES)
#define PARTS 2
typedef uint16_t part_v MCTS_VECTOR16;
typedef uint64_t part_words MCTS_VECTOR16;
#define PART_RIGHT(a, n) ((a) >> (n))
#define PART_FOUR_BELOW(a) ((part_v)((part_words)(a) >> 16))
#define PART_OF_WORDS(a, b) ((part_v)(part_words){a, b})
#define PART_BETWEEN(a, b) ((part_v)MCTS_VECTOR_PICK((part_words)(a), (part_words)(b), 1, 2))
#else
#define PARTS 4
typedef uint64_t part_v;
#define PART_RIGHT(a, n) ((a) >> (n) & UINT64_C(0x0001000100010001) * (0xFFFFu >> (n)))
#define PART_FOUR_BELOW(a) ((a) >> 16)
#endif
#endif

typedef struct board_v {
    part_v part[PARTS];
} board_v;

#define BOARD_EACH(expression) \
    board_v r; \
    for (int i = 0; i < PARTS; i++) r.part[i] = expression; \
    return r;

MCTS_INLINE board_v board_load(const void *p) {
    board_v r;
    memcpy(&r, p, sizeof r);
    return r;
}
MCTS_INLINE void board_store(void *p, board_v a) { memcpy(p, &a, sizeof a); }
MCTS_INLINE board_v board_and(board_v a, board_v b) { BOARD_EACH(PART_AND(a.part[i], b.part[i])) }
MCTS_INLINE board_v board_or(board_v a, board_v b) { BOARD_EACH(PART_OR(a.part[i], b.part[i])) }
MCTS_INLINE board_v board_xor(board_v a, board_v b) { BOARD_EACH(PART_XOR(a.part[i], b.part[i])) }
MCTS_INLINE board_v board_andnot(board_v a, board_v b) { BOARD_EACH(PART_ANDNOT(a.part[i], b.part[i])) }
#define BOARD_RIGHT(n) \
    MCTS_INLINE board_v board_right_##n(board_v a) { BOARD_EACH(PART_RIGHT(a.part[i], n)) }
BOARD_RIGHT(1)
BOARD_RIGHT(2)
BOARD_RIGHT(3)
BOARD_RIGHT(4)
#undef BOARD_RIGHT
#define board_right(a, n) board_right_##n(a)
MCTS_INLINE board_v board_below_4(board_v a) { BOARD_EACH(PART_FOUR_BELOW(a.part[i])) }
#if PARTS == 2
MCTS_INLINE board_v board_below_1(board_v a) {
    const board_v r = {{PART_BETWEEN(a.part[0], a.part[1]), PART_BETWEEN(a.part[1], PART_FOUR_BELOW(a.part[0]))}};
    return r;
}
MCTS_INLINE board_v board_below_2(board_v a) {
    const board_v r = {{a.part[1], PART_FOUR_BELOW(a.part[0])}};
    return r;
}
MCTS_INLINE board_v board_below_3(board_v a) { return board_below_1(board_below_2(a)); }
#else
MCTS_INLINE board_v board_below_1(board_v a) {
    const board_v r = {{a.part[1], a.part[2], a.part[3], PART_FOUR_BELOW(a.part[0])}};
    return r;
}
MCTS_INLINE board_v board_below_2(board_v a) { return board_below_1(board_below_1(a)); }
MCTS_INLINE board_v board_below_3(board_v a) { return board_below_1(board_below_2(a)); }
#endif

/* not by way of memory: a vector that is loaded right after its words were stored waits for them */
MCTS_INLINE board_v board_of_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
#if PARTS == 2
    const board_v r = {{PART_OF_WORDS(a, b), PART_OF_WORDS(c, d)}};
#else
    const board_v r = {{a, b, c, d}};
#endif
    return r;
}

MCTS_INLINE board_v board_of_bit(int bit) {
    const uint64_t one = UINT64_C(1) << bit % 64;
    const int word = bit / 64;
    return board_of_words(word == 0 ? one : 0, word == 1 ? one : 0, word == 2 ? one : 0, word == 3 ? one : 0);
}

MCTS_INLINE board_v board_of_rows(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    uint64_t words[4];
    for (int i = 0; i < 4; i++, a >>= 16, b >>= 16, c >>= 16, d >>= 16)
        words[i] = (a & 0xFFFF) | (b & 0xFFFF) << 16 | (c & 0xFFFF) << 32 | d << 48;
    return board_of_words(words[0], words[1], words[2], words[3]);
}

#if defined(MCTS_SSE2)
MCTS_INLINE board_v board_of_sign(int32_t sign) { BOARD_EACH(_mm_set1_epi32(sign)) }
MCTS_INLINE int32_t board_sign(board_v a) { return _mm_cvtsi128_si32(a.part[0]); }
MCTS_INLINE board_v board_is_empty(board_v a) {
    __m128i zero = _mm_cmpeq_epi32(_mm_or_si128(a.part[0], a.part[1]), _mm_setzero_si128());
    zero = _mm_and_si128(zero, _mm_shuffle_epi32(zero, 0x4E));
    zero = _mm_and_si128(zero, _mm_shuffle_epi32(zero, 0xB1));
    BOARD_EACH(zero)
}

MCTS_INLINE board_v board_random(byte_random *random) {
    byte_v bytes[2];
    random_next(random, bytes);
    BOARD_EACH(bytes[i])
}

MCTS_INLINE int board_count(board_v a) {
    const __m128i ones = _mm_set1_epi8(0x55), twos = _mm_set1_epi8(0x33), fours = _mm_set1_epi8(0x0F);
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i < 2; i++) {
        __m128i x = a.part[i];
        x = _mm_sub_epi8(x, _mm_and_si128(_mm_srli_epi16(x, 1), ones));
        x = _mm_add_epi8(_mm_and_si128(x, twos), _mm_and_si128(_mm_srli_epi16(x, 2), twos));
        sum = _mm_add_epi8(sum, _mm_and_si128(_mm_add_epi8(x, _mm_srli_epi16(x, 4)), fours));
    }
    return v_sum(sum);
}
#elif defined(MCTS_VECTOR_TYPES)
MCTS_INLINE board_v board_of_sign(int32_t sign) {
    const part_v all = (part_v){0} + (uint16_t)sign;
    BOARD_EACH(all)
}
MCTS_INLINE int32_t board_sign(board_v a) { return (int32_t)((part_words)a.part[0])[0]; }
MCTS_INLINE board_v board_is_empty(board_v a) {
    part_words any = (part_words)(a.part[0] | a.part[1]);
    any |= MCTS_VECTOR_PICK(any, any, 1, 0);
    BOARD_EACH((part_v)(any == 0))
}

MCTS_INLINE board_v board_random(byte_random *random) {
    byte_v bytes[2];
    random_next(random, bytes);
    BOARD_EACH((part_v)bytes[i])
}

MCTS_INLINE int board_count(board_v a) {
    part_v sum = {0};
    for (int i = 0; i < 2; i++) {
        part_v x = a.part[i];
        x -= x >> 1 & 0x5555;
        x = (x & 0x3333) + (x >> 2 & 0x3333);
        sum += (x + (x >> 4)) & 0x0F0F;
    }
    return v_sum((byte_v)sum);
}
#else
MCTS_INLINE board_v board_of_sign(int32_t sign) { BOARD_EACH((uint64_t)(int64_t)sign) }
MCTS_INLINE int32_t board_sign(board_v a) { return (int32_t)(uint32_t)a.part[0]; }
MCTS_INLINE board_v board_is_empty(board_v a) {
    const uint64_t any = a.part[0] | a.part[1] | a.part[2] | a.part[3];
    BOARD_EACH(0 - (uint64_t)(any == 0))
}

MCTS_INLINE board_v board_random(byte_random *random) {
    byte_v bytes[2];
    board_v r;
    random_next(random, bytes);
    for (int i = 0; i < 4; i++) {
        r.part[i] = 0;
        for (int j = 7; j >= 0; j--) r.part[i] = r.part[i] << 8 | bytes[i / 2].b[i % 2 * 8 + j];
    }
    return r;
}

MCTS_INLINE int board_count(board_v a) {
    return mcts_popcount64(a.part[0]) + mcts_popcount64(a.part[1]) + mcts_popcount64(a.part[2]) +
           mcts_popcount64(a.part[3]);
}
#endif
#endif

/* sign ? a : b */
MCTS_INLINE board_v board_select(board_v sign, board_v a, board_v b) {
    return board_xor(b, board_and(board_xor(a, b), sign));
}

/* a bit for each cell that holds `value`, in four rows of 16 bytes */
MCTS_INLINE uint64_t board_four_rows(const uint8_t *bytes, int value) {
    uint64_t word = 0;
    for (int i = 0; i < 64 / VB; i++) word |= v_bits(v_eq(v_load(bytes + VB * i), v_set1(value))) << VB * i % 64;
    return word;
}

/* The same of a board of rows of 16 bytes, in memory an even number of them. */
MCTS_INLINE board_v board_of_bytes(const uint8_t *bytes, int rows, int value) {
    uint64_t words[4] = {0};
    if (rows > 14) /* without a loop: 16 rows are in memory */
        return board_of_rows(board_four_rows(bytes, value), board_four_rows(bytes + 64, value),
                             board_four_rows(bytes + 128, value), board_four_rows(bytes + 192, value));
    for (int i = 0; i < 16 * rows; i += 32)
        for (int j = i; j < i + 32; j += VB) words[j / 64] |= v_bits(v_eq(v_load(bytes + j), v_set1(value))) << j % 64;
    return board_of_rows(words[0], words[1], words[2], words[3]);
}

#endif
