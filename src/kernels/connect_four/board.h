/* Lines of stones on a Connect Four board, for both players at once, and the random words of its rollouts.
 *
 * Every function has a plain C branch that is the specification of the vector branches. They set
 * `x_line` and `o_line` to 0 or 1 and return whether one of them is 1; after 0 the two may be unset. They are apart
 * because one number for both made the compiler branch on who won, which no processor can predict (4 ns). */
#ifndef MCTS_KERNELS_CONNECT_FOUR_H
#define MCTS_KERNELS_CONNECT_FOUR_H

#include "kernels/platform.h"
#include "mcts_core/game.h"

#define C4_BOTTOM UINT64_C(0x40810204081)    /* the standard board: 6 cells and a sentinel per column */
#define C4_SENTINEL UINT64_C(0x1020408102040)
#define C4_EVERY (~UINT64_C(0))

/* Lane 0 of the generators: one addition, so a rollout need not wait for two multiplications before its first draw. */
MCTS_INLINE uint64_t c4_random(mcts_rng *rng) {
    uint64_t a = rng->lane[0], b = rng->lane[4], word = a + b;
    a ^= a << 23;
    rng->lane[0] = b;
    rng->lane[4] = a ^ b ^ (a >> 18) ^ (b >> 5);
    return word;
}

#if defined(MCTS_AVX2)

/* Whether one player has a line on the standard board. One lane per direction. */
MCTS_INLINE int c4_line_standard(uint64_t x) {
    __m256i a = _mm256_set1_epi64x((long long)x);
    a = _mm256_and_si256(a, _mm256_srlv_epi64(a, _mm256_setr_epi64x(1, 6, 7, 8)));
    a = _mm256_and_si256(a, _mm256_srlv_epi64(a, _mm256_setr_epi64x(2, 12, 14, 16)));
    return !_mm256_testz_si256(a, a);
}

MCTS_INLINE int c4_lines_standard(uint64_t x, uint64_t o, int *x_line, int *o_line) {
    const __m256i one = _mm256_setr_epi64x(1, 6, 7, 8), two = _mm256_setr_epi64x(2, 12, 14, 16);
    __m256i a = _mm256_set1_epi64x((long long)x), b = _mm256_set1_epi64x((long long)o), any;
    a = _mm256_and_si256(a, _mm256_srlv_epi64(a, one));
    b = _mm256_and_si256(b, _mm256_srlv_epi64(b, one));
    a = _mm256_and_si256(a, _mm256_srlv_epi64(a, two));
    b = _mm256_and_si256(b, _mm256_srlv_epi64(b, two));
    any = _mm256_or_si256(a, b);
    if (MCTS_LIKELY(_mm256_testz_si256(any, any))) return 0;
    *x_line = !_mm256_testz_si256(a, a);
    *o_line = !_mm256_testz_si256(b, b);
    return 1;
}

#else

/* Whether one player has a line on the standard board. */
MCTS_INLINE int c4_line_standard(uint64_t x) {
    uint64_t v = x & (x >> 1), h = x & (x >> 7), d = x & (x >> 6), e = x & (x >> 8);
    return ((v & (v >> 2)) | (h & (h >> 14)) | (d & (d >> 12)) | (e & (e >> 16))) != 0;
}

#if defined(MCTS_SSE2)

/* One lane per player. */
MCTS_INLINE int c4_lines_standard(uint64_t x, uint64_t o, int *x_line, int *o_line) {
    __m128i s = _mm_set_epi64x((long long)o, (long long)x);
    __m128i v = _mm_and_si128(s, _mm_srli_epi64(s, 1)), h = _mm_and_si128(s, _mm_srli_epi64(s, 7));
    __m128i d = _mm_and_si128(s, _mm_srli_epi64(s, 6)), e = _mm_and_si128(s, _mm_srli_epi64(s, 8));
    int empty;
    v = _mm_and_si128(v, _mm_srli_epi64(v, 2));
    h = _mm_and_si128(h, _mm_srli_epi64(h, 14));
    d = _mm_and_si128(d, _mm_srli_epi64(d, 12));
    e = _mm_and_si128(e, _mm_srli_epi64(e, 16));
    v = _mm_or_si128(_mm_or_si128(v, h), _mm_or_si128(d, e));
    empty = _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128()));
    if (MCTS_LIKELY(empty == 0xFFFF)) return 0;
    *x_line = (empty & 0xFF) != 0xFF;
    *o_line = empty >> 8 != 0xFF;
    return 1;
}

#else

/* On ARM64 too, where one instruction shifts and combines: with a lane of NEON per player, a rollout takes 0.99 of the
 * instructions, and what the lanes hold must pass from one kind of register to the other and back. */
MCTS_INLINE int c4_lines_standard(uint64_t x, uint64_t o, int *x_line, int *o_line) {
    *x_line = c4_line_standard(x);
    *o_line = c4_line_standard(o);
    return *x_line | *o_line;
}

#endif
#endif

#if defined(MCTS_NEON)

/* Two counts of shifts, for a shift to the right: those of directions with lines are below 128. */
MCTS_INLINE int64x2_t c4_back(const uint64_t *shift) { return vnegq_s64(vreinterpretq_s64_u64(vld1q_u64(shift))); }
MCTS_INLINE int c4_not_zero(uint64x2_t x) { return vmaxvq_u32(vreinterpretq_u32_u64(x)) != 0; }

#endif

/* Any board of at most 64 bits: `shift` is steps times 4 directions, a direction without lines has shifts >= 128. */
MCTS_INLINE int c4_lines_one(uint64_t x, uint64_t o, const uint64_t (*shift)[4], int steps, int directions,
                             int *x_line, int *o_line) {
#if defined(MCTS_AVX2)
    __m256i a = _mm256_set1_epi64x((long long)x), b = _mm256_set1_epi64x((long long)o), by;
    (void)directions;
    for (int i = 0; i < steps; i++) {
        by = _mm256_loadu_si256((const __m256i *)shift[i]);
        a = _mm256_and_si256(a, _mm256_srlv_epi64(a, by));
        b = _mm256_and_si256(b, _mm256_srlv_epi64(b, by));
    }
    *x_line = !_mm256_testz_si256(a, a);
    *o_line = !_mm256_testz_si256(b, b);
#else
    uint64_t any_x = 0, any_o = 0;
#if defined(MCTS_NEON)
    if (directions == 4) {
        uint64x2_t a = vdupq_n_u64(x), b = vdupq_n_u64(o), c = a, d = b;
        for (int i = 0; i < steps; i++) {
            const int64x2_t first = c4_back(shift[i]), second = c4_back(shift[i] + 2);
            a = vandq_u64(a, vshlq_u64(a, first));
            b = vandq_u64(b, vshlq_u64(b, first));
            c = vandq_u64(c, vshlq_u64(c, second));
            d = vandq_u64(d, vshlq_u64(d, second));
        }
        *x_line = c4_not_zero(vorrq_u64(a, c));
        *o_line = c4_not_zero(vorrq_u64(b, d));
        return *x_line | *o_line;
    }
#endif
    for (int d = 0; d < directions; d++) {
        uint64_t a = x, b = o;
        for (int i = 0; i < steps; i++) {
            a &= a >> shift[i][d];
            b &= b >> shift[i][d];
        }
        any_x |= a;
        any_o |= b;
    }
    *x_line = any_x != 0;
    *o_line = any_o != 0;
#endif
    return *x_line | *o_line;
}

/* Any board of at most 128 bits. */
MCTS_INLINE int c4_lines_two(const uint64_t *x, const uint64_t *o, const uint64_t (*shift)[4], int steps,
                             int directions, int *x_line, int *o_line) {
#if defined(MCTS_AVX2)
    /* Variable shifts by 64 or more, also by "negative" counts, give 0: no case for shifts across the words. */
    const __m256i word = _mm256_set1_epi64x(64);
    __m256i a = _mm256_set1_epi64x((long long)x[0]), c = _mm256_set1_epi64x((long long)x[1]);
    __m256i b = _mm256_set1_epi64x((long long)o[0]), d = _mm256_set1_epi64x((long long)o[1]);
    (void)directions;
    for (int i = 0; i < steps; i++) {
        __m256i by = _mm256_loadu_si256((const __m256i *)shift[i]);
        __m256i up = _mm256_sub_epi64(word, by), over = _mm256_sub_epi64(by, word);
        a = _mm256_and_si256(a, _mm256_or_si256(_mm256_srlv_epi64(a, by), _mm256_or_si256(
            _mm256_sllv_epi64(c, up), _mm256_srlv_epi64(c, over))));
        c = _mm256_and_si256(c, _mm256_srlv_epi64(c, by));
        b = _mm256_and_si256(b, _mm256_or_si256(_mm256_srlv_epi64(b, by), _mm256_or_si256(
            _mm256_sllv_epi64(d, up), _mm256_srlv_epi64(d, over))));
        d = _mm256_and_si256(d, _mm256_srlv_epi64(d, by));
    }
    a = _mm256_or_si256(a, c);
    b = _mm256_or_si256(b, d);
    *x_line = !_mm256_testz_si256(a, a);
    *o_line = !_mm256_testz_si256(b, b);
#else
    uint64_t any_x = 0, any_o = 0;
#if defined(MCTS_NEON)
    if (directions == 4) {
        uint64x2_t any_a = vdupq_n_u64(0), any_b = any_a;
        for (int half = 0; half < 4; half += 2) {
            uint64x2_t a = vdupq_n_u64(x[0]), c = vdupq_n_u64(x[1]), b = vdupq_n_u64(o[0]), d = vdupq_n_u64(o[1]);
            for (int i = 0; i < steps; i++) {
                /* a shift by 64 or more gives 0, and a negative one goes the other way: no case for a whole word */
                const int64x2_t by = c4_back(shift[i] + half), up = vaddq_s64(by, vdupq_n_s64(64));
                a = vandq_u64(a, vorrq_u64(vshlq_u64(a, by), vshlq_u64(c, up)));
                b = vandq_u64(b, vorrq_u64(vshlq_u64(b, by), vshlq_u64(d, up)));
                c = vandq_u64(c, vshlq_u64(c, by));
                d = vandq_u64(d, vshlq_u64(d, by));
            }
            any_a = vorrq_u64(any_a, vorrq_u64(a, c));
            any_b = vorrq_u64(any_b, vorrq_u64(b, d));
        }
        *x_line = c4_not_zero(any_a);
        *o_line = c4_not_zero(any_b);
        return *x_line | *o_line;
    }
#endif
    for (int dir = 0; dir < directions; dir++) {
        uint64_t a = x[0], c = x[1], b = o[0], d = o[1];
        for (int i = 0; i < steps; i++) {
            int by = (int)shift[i][dir];
            if (by >= 64) {
                a &= c >> (by - 64);
                b &= d >> (by - 64);
                c = d = 0;
            } else {
                a &= a >> by | c << (64 - by);
                b &= b >> by | d << (64 - by);
                c &= c >> by;
                d &= d >> by;
            }
        }
        any_x |= a | c;
        any_o |= b | d;
    }
    *x_line = any_x != 0;
    *o_line = any_o != 0;
#endif
    return *x_line | *o_line;
}

#endif
