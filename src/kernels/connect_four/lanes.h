/* Many rollouts of Connect Four from one position: C4_LANES games side by side, on boards of at most 64 bits.
 *
 * Every lane has its own random stream and a quota of games fixed in advance; it starts the next game the moment one
 * has ended. Fixed quotas keep the odds exact: games counted until a time is up would be short ones too often. A lane
 * is independent of all others, so that counts do not depend on how many of them share a register. All of a vector
 * step is free of branches; a lane without games left idles, with no open column.
 *
 * Tried and left out, as times of a rollout from the empty board on one Zen 5 machine that other work shared: 2 or 4
 * vectors side by side instead of 3 1.07 and 1.00 (AVX2), 2 instead of 6 1.3 (SSE2); two steps of one vector before the
 * next one has its turn 1.03 (AVX2) and 1.17 (SSE2); fractions multiplied in SSE2 registers 1.4. With NEON, where only
 * instructions could be counted, 2 and 3 vectors side by side took 1.15 and 1.19 times as many as one. AVX-512 ran in
 * emulation only; by a model of processors it has 1.9 to 2.4 times the speed of AVX2 (bench/TUNING.md). */
#ifndef MCTS_KERNELS_CONNECT_FOUR_LANES_H
#define MCTS_KERNELS_CONNECT_FOUR_LANES_H

#include "kernels/platform.h"
#include "mcts_core/game.h"

#define C4_LANES 24 /* a multiple of C4_WIDTH * C4_GROUPS on every instruction set */

/* What the lanes need to know of the board (as c4_context) and of the position. */
typedef struct c4_lanes_start {
    uint64_t me, next, bottom, sentinel;
    const uint64_t *column; /* a mask per column */
    const uint64_t *shift;  /* steps times 4 directions */
    int32_t steps, directions, height;
    uint32_t cols, draws, power, reject;
} c4_lanes_start;

/* ---- c4_vector: some lanes of 64 bits; c4_mask: a choice among them; c4_fractions: the rest of their random words.
 * c4_where: x in the lanes of the mask, else 0; c4_unless: x in the others; c4_less_one: 1 less in those of the mask */

#if defined(MCTS_AVX512)

#define C4_WIDTH 8
#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m512i c4_vector;
typedef __mmask8 c4_mask;
typedef __m512i c4_fractions;
#define C4_VECTOR_AND _mm512_and_si512
#define C4_VECTOR_OR _mm512_or_si512
#define C4_VECTOR_XOR _mm512_xor_si512
#define C4_VECTOR_ADD _mm512_add_epi64
#define C4_VECTOR_SUB _mm512_sub_epi64
#define C4_VECTOR_SHL _mm512_slli_epi64
#define C4_VECTOR_SHR _mm512_srli_epi64

MCTS_INLINE c4_vector c4_all(uint64_t x) { return _mm512_set1_epi64((long long)x); }
MCTS_INLINE c4_vector c4_load(const uint64_t *x) { return _mm512_loadu_si512(x); }
MCTS_INLINE void c4_store(uint64_t *to, c4_vector x) { _mm512_storeu_si512(to, x); }
MCTS_INLINE c4_mask c4_equal(c4_vector a, c4_vector b) { return _mm512_cmpeq_epi64_mask(a, b); }
MCTS_INLINE c4_mask c4_is_zero(c4_vector a) { return _mm512_testn_epi64_mask(a, a); }
MCTS_INLINE c4_vector c4_select(c4_mask mask, c4_vector a, c4_vector b) { return _mm512_mask_mov_epi64(b, mask, a); }
MCTS_INLINE c4_vector c4_where(c4_mask mask, c4_vector x) { return _mm512_maskz_mov_epi64(mask, x); }
MCTS_INLINE c4_vector c4_unless(c4_mask mask, c4_vector x) { return c4_where((c4_mask)~mask, x); }
MCTS_INLINE c4_vector c4_less_one(c4_vector x, c4_mask mask) { return _mm512_mask_sub_epi64(x, mask, x, c4_all(1)); }
MCTS_INLINE int c4_any_negative(c4_vector x) { return _mm512_movepi64_mask(x) != 0; }

MCTS_INLINE c4_fractions c4_low_halves(c4_vector words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(c4_vector words) { return _mm512_srli_epi64(words, 32); }

MCTS_INLINE c4_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    const __m512i rest = _mm512_and_si512(_mm512_mul_epu32(*f, c4_all(power)), c4_all(UINT32_MAX));
    return _mm512_cmpge_epu64_mask(rest, c4_all(reject));
}

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s, int standard) {
    __m512i by;
    *f = _mm512_mul_epu32(*f, c4_all(standard ? 7 : s->cols));
    by = _mm512_srli_epi64(*f, 32);
    if (standard) return _mm512_permutexvar_epi64(by, _mm512_loadu_si512(s->column));
    by = _mm512_mul_epu32(by, c4_all((uint64_t)s->height));
    return _mm512_sllv_epi64(c4_all(s->column[0]), by);
}

#elif defined(MCTS_AVX2)

#define C4_WIDTH 4
#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m256i c4_vector;
typedef __m256i c4_mask; /* all ones or 0 in each lane, as in all branches below */
typedef __m256i c4_fractions;
#define C4_VECTOR_AND _mm256_and_si256
#define C4_VECTOR_ANDNOT _mm256_andnot_si256 /* ~a & b */
#define C4_VECTOR_OR _mm256_or_si256
#define C4_VECTOR_XOR _mm256_xor_si256
#define C4_VECTOR_ADD _mm256_add_epi64
#define C4_VECTOR_SUB _mm256_sub_epi64
#define C4_VECTOR_SHL _mm256_slli_epi64
#define C4_VECTOR_SHR _mm256_srli_epi64

MCTS_INLINE c4_vector c4_all(uint64_t x) { return _mm256_set1_epi64x((long long)x); }
MCTS_INLINE c4_vector c4_load(const uint64_t *x) { return _mm256_loadu_si256((const __m256i *)x); }
MCTS_INLINE void c4_store(uint64_t *to, c4_vector x) { _mm256_storeu_si256((__m256i *)to, x); }
MCTS_INLINE c4_mask c4_equal(c4_vector a, c4_vector b) { return _mm256_cmpeq_epi64(a, b); }
/* Not _mm256_blendv_epi8: GCC 12 takes it apart and compares the mask with 0 again. */
MCTS_INLINE c4_vector c4_select(c4_mask mask, c4_vector a, c4_vector b) {
    __m256d chosen = _mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(mask));
    return _mm256_castpd_si256(chosen);
}
MCTS_INLINE int c4_any_negative(c4_vector x) { return _mm256_movemask_pd(_mm256_castsi256_pd(x)) != 0; }

MCTS_INLINE c4_fractions c4_low_halves(c4_vector words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(c4_vector words) { return _mm256_srli_epi64(words, 32); }

MCTS_INLINE c4_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    __m256i rest = _mm256_and_si256(_mm256_mul_epu32(*f, c4_all(power)), c4_all(UINT32_MAX));
    return _mm256_cmpgt_epi64(rest, _mm256_set1_epi64x((long long)reject - 1));
}

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s, int standard) {
    __m256i by;
    *f = _mm256_mul_epu32(*f, c4_all(standard ? 7 : s->cols));
    by = _mm256_srli_epi64(*f, 32);
    if (standard) {
        const __m256i times_7 = _mm256_set1_epi64x(0x2A231C150E0700);
        return _mm256_sllv_epi64(c4_all(63), _mm256_shuffle_epi8(times_7, by));
    }
    by = _mm256_mul_epu32(by, c4_all((uint64_t)s->height));
    return _mm256_sllv_epi64(c4_all(s->column[0]), by);
}

#elif defined(MCTS_SSE2)

#define C4_WIDTH 2
#define C4_GROUPS 6
typedef __m128i c4_vector;
typedef __m128i c4_mask;
typedef struct { uint32_t f[2]; } c4_fractions;
#define C4_VECTOR_AND _mm_and_si128
#define C4_VECTOR_ANDNOT _mm_andnot_si128
#define C4_VECTOR_OR _mm_or_si128
#define C4_VECTOR_XOR _mm_xor_si128
#define C4_VECTOR_ADD _mm_add_epi64
#define C4_VECTOR_SUB _mm_sub_epi64
#define C4_VECTOR_SHL _mm_slli_epi64
#define C4_VECTOR_SHR _mm_srli_epi64

MCTS_INLINE c4_vector c4_all(uint64_t x) { return _mm_set1_epi64x((long long)x); }
MCTS_INLINE c4_vector c4_load(const uint64_t *x) { return _mm_loadu_si128((const __m128i *)x); }
MCTS_INLINE void c4_store(uint64_t *to, c4_vector x) { _mm_storeu_si128((__m128i *)to, x); }
MCTS_INLINE c4_mask c4_equal(c4_vector a, c4_vector b) {
    __m128i halves = _mm_cmpeq_epi32(a, b);
    return _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xB1));
}
MCTS_INLINE c4_vector c4_select(c4_mask mask, c4_vector a, c4_vector b) {
    return _mm_xor_si128(b, _mm_and_si128(_mm_xor_si128(a, b), mask));
}
MCTS_INLINE int c4_any_negative(c4_vector x) { return _mm_movemask_pd(_mm_castsi128_pd(x)) != 0; }

MCTS_INLINE c4_fractions c4_low_halves(c4_vector words) {
    uint64_t w[2];
    c4_fractions f;
    c4_store(w, words);
    f.f[0] = (uint32_t)w[0];
    f.f[1] = (uint32_t)w[1];
    return f;
}
MCTS_INLINE c4_fractions c4_high_halves(c4_vector words) { return c4_low_halves(_mm_srli_epi64(words, 32)); }

MCTS_INLINE c4_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    return _mm_set_epi64x(-(long long)(f->f[1] * power >= reject), -(long long)(f->f[0] * power >= reject));
}

/* Without shifts of each lane by its own count the masks come from the table. */
MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s, int standard) {
    const uint64_t cols = standard ? 7 : s->cols;
    const uint64_t first = f->f[0] * cols, second = f->f[1] * cols;
    f->f[0] = (uint32_t)first;
    f->f[1] = (uint32_t)second;
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(s->column + (first >> 32))),
                              _mm_loadl_epi64((const __m128i *)(s->column + (second >> 32))));
}

#elif defined(MCTS_NEON)

#define C4_WIDTH 2
#define C4_GROUPS 1
#define C4_QUIET 1 /* four draws at a time without a look at lines: see c4_quiet_draws */
typedef uint64x2_t c4_vector;
typedef uint64x2_t c4_mask;
typedef uint32x2_t c4_fractions;
#define C4_VECTOR_AND vandq_u64
#define C4_VECTOR_ANDNOT(a, b) vbicq_u64(b, a)
#define C4_VECTOR_OR vorrq_u64
#define C4_VECTOR_XOR veorq_u64
#define C4_VECTOR_ADD vaddq_u64
#define C4_VECTOR_SUB vsubq_u64
#define C4_VECTOR_SHL vshlq_n_u64
#define C4_VECTOR_SHR vshrq_n_u64
#define C4_VECTOR_SHR_BY(a, n) vshlq_u64(a, vdupq_n_s64(-(n))) /* by a number that is no constant */

MCTS_INLINE c4_vector c4_all(uint64_t x) { return vdupq_n_u64(x); }
MCTS_INLINE c4_vector c4_load(const uint64_t *x) { return vld1q_u64(x); }
MCTS_INLINE void c4_store(uint64_t *to, c4_vector x) { vst1q_u64(to, x); }
MCTS_INLINE c4_mask c4_equal(c4_vector a, c4_vector b) { return vceqq_u64(a, b); }
MCTS_INLINE c4_vector c4_select(c4_mask mask, c4_vector a, c4_vector b) { return vbslq_u64(mask, a, b); }
MCTS_INLINE int c4_any_negative(c4_vector x) {
    return (vgetq_lane_u64(x, 0) | vgetq_lane_u64(x, 1)) >> 63 != 0;
}
MCTS_INLINE int c4_any(c4_vector x) { return vmaxvq_u32(vreinterpretq_u32_u64(x)) != 0; }

MCTS_INLINE c4_fractions c4_low_halves(c4_vector words) { return vmovn_u64(words); }
MCTS_INLINE c4_fractions c4_high_halves(c4_vector words) { return vshrn_n_u64(words, 32); }

MCTS_INLINE c4_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    const uint32x2_t accepted = vcge_u32(vmul_u32(*f, vdup_n_u32(power)), vdup_n_u32(reject));
    return vreinterpretq_u64_s64(vmovl_s32(vreinterpret_s32_u32(accepted)));
}

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s, int standard) {
    const uint64x2_t product = vmull_u32(*f, vdup_n_u32(standard ? 7 : s->cols));
    *f = vmovn_u64(product);
    if (standard) {
        const uint8x16_t times_7 = vreinterpretq_u8_u64(vdupq_n_u64(0x2A231C150E0700));
        const uint8x16_t by = vqtbl1q_u8(times_7, vreinterpretq_u8_u64(vshrq_n_u64(product, 32)));
        return vshlq_u64(c4_all(63), vreinterpretq_s64_u8(by));
    }
    return vshlq_u64(c4_all(s->column[0]),
                     vreinterpretq_s64_u64(vmull_u32(vshrn_n_u64(product, 32), vdup_n_u32((uint32_t)s->height))));
}

#else

#define C4_WIDTH 1
#define C4_GROUPS 1
#define C4_QUIET 1
typedef uint64_t c4_vector;
typedef uint64_t c4_mask;
typedef uint64_t c4_fractions;
#define C4_VECTOR_AND(a, b) ((a) & (b))
#define C4_VECTOR_ANDNOT(a, b) (~(a) & (b))
#define C4_VECTOR_OR(a, b) ((a) | (b))
#define C4_VECTOR_XOR(a, b) ((a) ^ (b))
#define C4_VECTOR_ADD(a, b) ((a) + (b))
#define C4_VECTOR_SUB(a, b) ((a) - (b))
#define C4_VECTOR_SHL(a, n) ((a) << (n))
#define C4_VECTOR_SHR(a, n) ((a) >> (n))

MCTS_INLINE c4_vector c4_all(uint64_t x) { return x; }
MCTS_INLINE c4_vector c4_load(const uint64_t *x) { return *x; }
MCTS_INLINE void c4_store(uint64_t *to, c4_vector x) { *to = x; }
MCTS_INLINE c4_mask c4_equal(c4_vector a, c4_vector b) { return 0 - (uint64_t)(a == b); }
MCTS_INLINE c4_vector c4_select(c4_mask mask, c4_vector a, c4_vector b) { return b ^ ((a ^ b) & mask); }
MCTS_INLINE int c4_any_negative(c4_vector x) { return (int)(x >> 63); }
MCTS_INLINE int c4_any(c4_vector x) { return x != 0; }

MCTS_INLINE c4_fractions c4_low_halves(c4_vector words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(c4_vector words) { return words >> 32; }

MCTS_INLINE c4_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    return 0 - (uint64_t)((uint32_t)*f * power >= reject);
}

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s, int standard) {
    *f = (uint64_t)(uint32_t)*f * (standard ? 7 : s->cols);
    return s->column[*f >> 32];
}

#endif

#if !defined(MCTS_AVX512)
MCTS_INLINE c4_mask c4_is_zero(c4_vector a) { return c4_equal(a, c4_all(0)); }
MCTS_INLINE c4_vector c4_where(c4_mask mask, c4_vector x) { return C4_VECTOR_AND(mask, x); }
MCTS_INLINE c4_vector c4_unless(c4_mask mask, c4_vector x) { return C4_VECTOR_ANDNOT(mask, x); }
MCTS_INLINE c4_vector c4_less_one(c4_vector x, c4_mask mask) { return C4_VECTOR_ADD(x, mask); }
#endif

#if !defined(C4_VECTOR_SHR_BY)
#define C4_VECTOR_SHR_BY C4_VECTOR_SHR
#endif

/* ---- the games --------------------------------------------------------------------------------------------------- */

/* The top cell is a sentinel, so the top bit of `me` is free: it is set while the player to move is the one of the
 * start, and flips with the stones. On the standard board the bit of C4_ONE is free, too, and always set: an ended game
 * adds 1, and 64 if won, by one shift. Both lie so far above the stones that shifts by up to 8 move them onto none. */
#define C4_OURS (UINT64_C(1) << 63)
#define C4_ONE (UINT64_C(1) << 57)

typedef struct c4_group {
    c4_vector me, next, a, b; /* a, b: xorshift128+, Vigna 2014 */
    c4_vector left;           /* games to finish, with the one on the board */
    c4_vector wins, draws;
    c4_vector empty;          /* minus the number of empty moves */
} c4_group;

/* In each lane anything but 0 where the stones hold a line. */
MCTS_INLINE c4_vector c4_lane_lines(c4_vector m, const c4_lanes_start *s, int standard) {
    if (standard) {
        c4_vector v = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 1)), h = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 7));
        c4_vector d = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 6)), e = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 8));
        v = C4_VECTOR_AND(v, C4_VECTOR_SHR(v, 2));
        h = C4_VECTOR_AND(h, C4_VECTOR_SHR(h, 14));
        d = C4_VECTOR_AND(d, C4_VECTOR_SHR(d, 12));
        e = C4_VECTOR_AND(e, C4_VECTOR_SHR(e, 16));
        return C4_VECTOR_OR(C4_VECTOR_OR(v, h), C4_VECTOR_OR(d, e));
    } else {
        c4_vector any = c4_all(0);
        m = C4_VECTOR_AND(m, c4_all(C4_OURS - 1));
        if (s->steps == 2 && s->directions == 4) { /* connect 3 and 4, without loops */
            for (int direction = 0; direction < 4; direction++) {
                c4_vector run = C4_VECTOR_AND(m, C4_VECTOR_SHR_BY(m, (int)s->shift[direction]));
                any = C4_VECTOR_OR(any, C4_VECTOR_AND(run, C4_VECTOR_SHR_BY(run, (int)s->shift[4 + direction])));
            }
            return any;
        }
        for (int direction = 0; direction < s->directions; direction++) {
            c4_vector run = m;
            for (int i = 0; i < s->steps; i++)
                run = C4_VECTOR_AND(run, C4_VECTOR_SHR_BY(run, (int)s->shift[4 * i + direction]));
            any = C4_VECTOR_OR(any, run);
        }
        return any;
    }
}

MCTS_INLINE c4_vector c4_start_me(const c4_lanes_start *s, int standard) {
    return c4_all(s->me | C4_OURS | (standard ? C4_ONE : 0));
}

/* One draw: a move, or an empty one where the column is full; where it ends the game, the next one begins, or none.
 * Adds to `ended` 1 for a game that ended, and 64 if won. */
MCTS_INLINE void c4_draw(c4_vector *me, c4_vector *next, c4_vector *empty, c4_vector *ended, c4_vector *left,
                         c4_fractions *f, const c4_lanes_start *s, int standard, int guarded) {
    const c4_vector move = C4_VECTOR_AND(*next, c4_columns(f, s, standard));
    const c4_vector stones = C4_VECTOR_SUB(*next, c4_all(s->bottom ^ C4_OURS)), mover = C4_VECTOR_OR(*me, move);
    const c4_mask no_move = c4_is_zero(move), goes_on = c4_is_zero(c4_lane_lines(mover, s, standard));
    c4_vector count, again = c4_all(s->next);
    *empty = c4_less_one(*empty, no_move);
    if (standard) count = C4_VECTOR_SHR(c4_unless(goes_on, mover), 57);
    else count = c4_unless(goes_on, C4_VECTOR_OR(C4_VECTOR_SHL(C4_VECTOR_SHR(mover, 63), 6), c4_all(1)));
    *ended = C4_VECTOR_ADD(*ended, count);
    if (guarded) {
        *left = C4_VECTOR_SUB(*left, c4_unless(goes_on, c4_all(1)));
        again = c4_unless(c4_is_zero(*left), again);
    }
    *me = c4_select(goes_on, C4_VECTOR_XOR(*me, c4_unless(no_move, stones)), c4_start_me(s, standard));
    *next = c4_select(goes_on, C4_VECTOR_ADD(*next, move), again);
}

#if defined(C4_QUIET)

/* Four draws without a look at lines: right, and returns 1, when nobody has one after them in any lane, as stones only
 * accumulate; otherwise changes nothing and returns 0. In plain C on x86-64, as rollouts per second over one by one:
 * 0.77 with it, 0.69 without (7 rows of 8 columns: 1.02, 0.79). */
MCTS_INLINE int c4_quiet_draws(c4_vector *me, c4_vector *next, c4_vector *empty, c4_fractions *f,
                               const c4_lanes_start *s, int standard) {
    const c4_vector bottom = c4_all(s->bottom ^ C4_OURS);
    c4_vector x = *me, n = *next, no_moves = *empty;
    c4_fractions rest = *f;
    for (int i = 0; i < 4; i++) {
        const c4_vector move = C4_VECTOR_AND(n, c4_columns(&rest, s, standard));
        const c4_mask no_move = c4_is_zero(move);
        no_moves = c4_less_one(no_moves, no_move);
        x = C4_VECTOR_XOR(x, c4_unless(no_move, C4_VECTOR_SUB(n, bottom)));
        n = C4_VECTOR_ADD(n, move);
    }
    if (c4_any(C4_VECTOR_OR(c4_lane_lines(x, s, standard),
                            c4_lane_lines(C4_VECTOR_XOR(C4_VECTOR_SUB(n, bottom), x), s, standard))))
        return 0;
    *me = x;
    *next = n;
    *empty = no_moves;
    *f = rest;
    return 1;
}

#endif

/* All draws of one word: returns their number. Full boards are looked for only after each half: they wait. In every
 * lane at least `2 * draws + 3` games must be left to finish, unless `guarded`. */
MCTS_INLINE uint32_t c4_lane_word(c4_group *g, const c4_lanes_start *s, int standard, int guarded) {
    const uint32_t draws = standard ? 8 : s->draws;
    const uint32_t power = standard ? 5764801 : s->power, reject = standard ? 190551 : s->reject;
    const c4_vector none = c4_all(0), start_me = c4_start_me(s, standard), start_next = c4_all(s->next);
    c4_vector word[C4_GROUPS], me[C4_GROUPS], next[C4_GROUPS], ended[C4_GROUPS], empty[C4_GROUPS], left[C4_GROUPS];
    for (int k = 0; k < C4_GROUPS; k++) {
        c4_vector a = g[k].a, b = g[k].b;
        word[k] = C4_VECTOR_ADD(a, b);
        a = C4_VECTOR_XOR(a, C4_VECTOR_SHL(a, 23));
        g[k].a = b;
        g[k].b = C4_VECTOR_XOR(C4_VECTOR_XOR(a, b), C4_VECTOR_XOR(C4_VECTOR_SHR(a, 18), C4_VECTOR_SHR(b, 5)));
        me[k] = g[k].me;
        next[k] = g[k].next;
        left[k] = g[k].left;
        ended[k] = empty[k] = none;
    }
    for (int half = 0; half < 2; half++) {
        c4_fractions f[C4_GROUPS];
        c4_vector hidden[C4_GROUPS];
        for (int k = 0; k < C4_GROUPS; k++) {
            /* A rejected fraction: the lane has no open column for its draws. */
            c4_mask accepted;
            f[k] = half ? c4_high_halves(word[k]) : c4_low_halves(word[k]);
            accepted = c4_accepted(&f[k], power, reject);
            hidden[k] = c4_unless(accepted, next[k]);
            next[k] = c4_where(accepted, next[k]);
        }
#if defined(C4_QUIET)
        for (int k = 0; k < C4_GROUPS; k++)
            for (uint32_t i = 0; i < draws; i += 4)
                if (!c4_quiet_draws(&me[k], &next[k], &empty[k], &f[k], s, standard))
                    for (int j = 0; j < 4; j++)
                        c4_draw(&me[k], &next[k], &empty[k], &ended[k], &left[k], &f[k], s, standard, guarded);
#else
        for (uint32_t i = 0; i < draws; i++)
            for (int k = 0; k < C4_GROUPS; k++)
                c4_draw(&me[k], &next[k], &empty[k], &ended[k], &left[k], &f[k], s, standard, guarded);
#endif
        for (int k = 0; k < C4_GROUPS; k++) {
            const c4_mask full = c4_equal(next[k], c4_all(s->sentinel));
            c4_vector again = start_next;
            g[k].draws = C4_VECTOR_ADD(g[k].draws, c4_where(full, c4_all(1)));
            left[k] = c4_less_one(left[k], full);
            if (guarded) again = c4_unless(c4_is_zero(left[k]), again);
            me[k] = c4_select(full, start_me, me[k]);
            next[k] = C4_VECTOR_OR(c4_select(full, again, next[k]), hidden[k]);
        }
    }
    for (int k = 0; k < C4_GROUPS; k++) {
        g[k].me = me[k];
        g[k].next = next[k];
        g[k].wins = C4_VECTOR_ADD(g[k].wins, C4_VECTOR_SHR(ended[k], 6));
        g[k].left = guarded ? left[k] : C4_VECTOR_SUB(left[k], C4_VECTOR_AND(ended[k], c4_all(63)));
        g[k].empty = C4_VECTOR_ADD(g[k].empty, empty[k]);
    }
    return 2 * draws;
}

MCTS_INLINE int c4_any_left_below(const c4_group *g, uint64_t games) {
    c4_vector any = c4_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = C4_VECTOR_OR(any, C4_VECTOR_SUB(g[k].left, c4_all(games)));
    return c4_any_negative(any);
}

MCTS_INLINE int c4_any_left(const c4_group *g) {
    c4_vector any = c4_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = C4_VECTOR_OR(any, C4_VECTOR_SUB(c4_all(0), g[k].left));
    return c4_any_negative(any);
}

MCTS_INLINE uint64_t c4_sum(c4_vector x) {
    uint64_t lanes[C4_WIDTH], sum = 0;
    c4_store(lanes, x);
    for (int i = 0; i < C4_WIDTH; i++) sum += lanes[i];
    return sum;
}

/* `count` games from an unfinished position; adds to results (lost, drawn, won) and plies. The lanes take their seeds
 * from `rng->counter` in every call: their states afterwards depend on how many share a register. */
MCTS_INLINE void c4_lane_rollouts(const c4_lanes_start *start, uint64_t count, mcts_rng *rng, uint64_t results[3],
                                  uint64_t *plies, int standard) {
    c4_lanes_start s = *start;
    uint64_t column[64] = {0}, a[C4_LANES], b[C4_LANES], quota[C4_LANES], next[C4_LANES], wins = 0, draws = 0;
    for (uint32_t i = 0; i < s.cols; i++) column[i] = start->column[2 * i];
    s.column = column;
    for (int i = 0; i < C4_LANES; i++) {
        a[i] = mcts_rng_next(rng);
        b[i] = mcts_rng_next(rng);
        quota[i] = count / C4_LANES + ((uint64_t)i < count % C4_LANES);
        next[i] = quota[i] ? s.next : 0;
    }
    for (int lane = 0; lane < C4_LANES; lane += C4_GROUPS * C4_WIDTH) {
        c4_group g[C4_GROUPS];
        uint64_t drawn = 0;
        for (int k = 0; k < C4_GROUPS; k++) {
            int i = lane + k * C4_WIDTH;
            g[k].me = c4_start_me(&s, standard);
            g[k].next = c4_load(next + i);
            g[k].a = c4_load(a + i);
            g[k].b = c4_load(b + i);
            g[k].left = c4_load(quota + i);
            g[k].wins = g[k].draws = g[k].empty = c4_all(0);
        }
        while (!c4_any_left_below(g, 20)) drawn += c4_lane_word(g, &s, standard, 0);
        while (c4_any_left(g)) drawn += c4_lane_word(g, &s, standard, 1);
        for (int k = 0; k < C4_GROUPS; k++) {
            wins += c4_sum(g[k].wins);
            draws += c4_sum(g[k].draws);
            *plies += drawn * C4_WIDTH + c4_sum(g[k].empty);
        }
    }
    results[0] += count - wins - draws;
    results[1] += draws;
    results[2] += wins;
}

#endif
