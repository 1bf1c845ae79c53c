/* Vectors of C4_WIDTH lanes of 64 bits, for rollouts of Connect Four side by side: one interface over AVX-512, AVX2,
 * SSE2, NEON and plain C, which is the specification of the others.
 *
 * c4_mask is a choice among the lanes. c4_where: x in the lanes of the mask, else 0; c4_unless: x in the others;
 * c4_less_one: 1 less in those of the mask.
 *
 * Columns come from random words in two ways. On the standard board each byte of a word (c4_choices) gives one: where
 * its six low bits are the octal digits h and l, it is column h if l > h, else column h - 1. 00 gives none, so that each
 * column has 9 chances in 64. On any other board, half a word is a fraction (c4_fractions), and its product with the
 * number of columns is a column and the fraction for the next draw. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_LANE_VECTORS_H
#define MCTS_KERNELS_CONNECT_FOUR_LANE_VECTORS_H

#include "kernels/platform.h"

#define C4_CHOICES 64 /* what the six bits can be */

/* What the lanes need to know of the board (as c4_context) and of the position. */
typedef struct c4_lanes_start {
    uint64_t me, next, bottom, sentinel;
    const uint64_t *column; /* a mask per column */
    const uint64_t *shift;  /* steps times 4 directions */
    int32_t steps, directions, height;
    uint32_t cols, draws, power, reject;
} c4_lanes_start;

#if defined(MCTS_AVX512)

#define C4_WIDTH 8
#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m512i c4_vector;
typedef __mmask8 c4_mask;
typedef __m512i c4_fractions;
typedef struct { uint64_t draw[8]; } c4_choices; /* for each draw a bit for each byte of the vector */
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

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = _mm512_mul_epu32(*f, c4_all(s->cols));
    return _mm512_sllv_epi64(c4_all(s->column[0]),
                             _mm512_mul_epu32(_mm512_srli_epi64(*f, 32), c4_all((uint64_t)s->height)));
}

/* Byte 0 of a lane stands for no column, byte 1 for the first one. */
MCTS_INLINE c4_choices c4_choose(c4_vector word) {
    const __m512i by_draw = _mm512_set_epi64(0x3F372F271F170F07, 0x3E362E261E160E06, 0x3D352D251D150D05,
                                             0x3C342C241C140C04, 0x3B332B231B130B03, 0x3A322A221A120A02,
                                             0x3931292119110901, 0x3830282018100800);
    const __m512i bit = _mm512_set_epi64((long long)0x8080808080808080, (long long)0x8040404040404040,
                                         0x4040202020202020, 0x2020201010101010, 0x1010101008080808,
                                         0x0808080808040404, 0x0404040404040202, 0x0202020202020200);
    c4_choices choices;
    c4_store(choices.draw, _mm512_permutexvar_epi8(_mm512_permutexvar_epi8(by_draw, word), bit));
    return choices;
}

MCTS_INLINE c4_vector c4_chosen(const c4_choices *choices, int i, const c4_lanes_start *s) {
    (void)s;
    return _mm512_movm_epi8(choices->draw[i]);
}

#elif defined(MCTS_AVX2)

#define C4_WIDTH 4
#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m256i c4_vector;
typedef __m256i c4_mask; /* all ones or 0 in each lane, as in all branches below */
typedef __m256i c4_fractions;
typedef __m256i c4_choices;
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

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = _mm256_mul_epu32(*f, c4_all(s->cols));
    return _mm256_sllv_epi64(c4_all(s->column[0]),
                             _mm256_mul_epu32(_mm256_srli_epi64(*f, 32), c4_all((uint64_t)s->height)));
}

/* In each byte 7 times the column, 64 for none: how far to shift the first column's mask. */
MCTS_INLINE c4_choices c4_choose(c4_vector word) {
    const __m256i seven = _mm256_set1_epi8(7), low = _mm256_and_si256(word, seven);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi64(word, 3), seven);
    const __m256i choice = _mm256_sub_epi8(high, _mm256_cmpgt_epi8(low, high)); /* 0 none, 1 the first column */
    return _mm256_shuffle_epi8(_mm256_set1_epi64x(0x2A231C150E070040), choice);
}

MCTS_INLINE c4_vector c4_chosen(const c4_choices *choices, int i, const c4_lanes_start *s) {
    const __m256i first = _mm256_set_epi64x(-248, -256, -248, -256); /* the first byte of each lane, and 7 times 0 */
    (void)s;
    return _mm256_sllv_epi64(c4_all(63), _mm256_shuffle_epi8(*choices, _mm256_add_epi64(first, c4_all((uint64_t)i))));
}

#elif defined(MCTS_SSE2)

#define C4_WIDTH 2
#define C4_GROUPS 6
typedef __m128i c4_vector;
typedef __m128i c4_mask;
typedef struct { uint32_t f[2]; } c4_fractions;
typedef struct { uint64_t word[2]; } c4_choices;
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
MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    const uint64_t first = (uint64_t)f->f[0] * s->cols, second = (uint64_t)f->f[1] * s->cols;
    f->f[0] = (uint32_t)first;
    f->f[1] = (uint32_t)second;
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(s->column + (first >> 32))),
                              _mm_loadl_epi64((const __m128i *)(s->column + (second >> 32))));
}

MCTS_INLINE c4_choices c4_choose(c4_vector word) {
    c4_choices choices;
    c4_store(choices.word, word);
    return choices;
}

MCTS_INLINE c4_vector c4_chosen(const c4_choices *choices, int i, const c4_lanes_start *s) {
    const uint64_t first = choices->word[0] >> 8 * i & 63, second = choices->word[1] >> 8 * i & 63;
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(s->column + first)),
                              _mm_loadl_epi64((const __m128i *)(s->column + second)));
}

#elif defined(MCTS_NEON)

#define C4_WIDTH 2
#define C4_GROUPS 1
#define C4_QUIET 1 /* four draws at a time without a look at lines: see c4_quiet_draws */
typedef uint64x2_t c4_vector;
typedef uint64x2_t c4_mask;
typedef uint32x2_t c4_fractions;
typedef uint8x16_t c4_choices;
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

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    const uint64x2_t product = vmull_u32(*f, vdup_n_u32(s->cols));
    *f = vmovn_u64(product);
    return vshlq_u64(c4_all(s->column[0]),
                     vreinterpretq_s64_u64(vmull_u32(vshrn_n_u64(product, 32), vdup_n_u32((uint32_t)s->height))));
}

/* As with AVX2. */
MCTS_INLINE c4_choices c4_choose(c4_vector word) {
    const uint8x16_t bytes = vreinterpretq_u8_u64(word), seven = vdupq_n_u8(7), low = vandq_u8(bytes, seven);
    const uint8x16_t high = vandq_u8(vshrq_n_u8(bytes, 3), seven), choice = vsubq_u8(high, vcgtq_u8(low, high));
    return vqtbl1q_u8(vreinterpretq_u8_u64(vdupq_n_u64(0x2A231C150E070040)), choice);
}

MCTS_INLINE c4_vector c4_chosen(const c4_choices *choices, int i, const c4_lanes_start *s) {
    const uint64x2_t first = vcombine_u64(vcreate_u64(UINT64_MAX - 255), vcreate_u64(UINT64_MAX - 247));
    const uint8x16_t byte = vreinterpretq_u8_u64(vaddq_u64(first, c4_all((uint64_t)i)));
    (void)s;
    return vshlq_u64(c4_all(63), vreinterpretq_s64_u8(vqtbl1q_u8(*choices, byte)));
}

#else

#define C4_WIDTH 1
#define C4_GROUPS 1
#define C4_QUIET 1
typedef uint64_t c4_vector;
typedef uint64_t c4_mask;
typedef uint64_t c4_fractions;
typedef uint64_t c4_choices;
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

MCTS_INLINE c4_vector c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = (uint64_t)(uint32_t)*f * s->cols;
    return s->column[*f >> 32];
}

MCTS_INLINE c4_choices c4_choose(c4_vector word) { return word; }
MCTS_INLINE c4_vector c4_chosen(const c4_choices *choices, int i, const c4_lanes_start *s) {
    return s->column[*choices >> 8 * i & 63];
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

/* Some lanes with the games on their boards. */
typedef struct c4_group {
    c4_vector me, next, a, b; /* a, b: of the random words */
    c4_vector left;           /* games to finish, with the one on the board */
    c4_vector wins, draws;
    c4_vector moves;          /* less the draws that are counted elsewhere */
} c4_group;

/* xorshift128+, Vigna 2014. */
MCTS_INLINE c4_vector c4_next_word(c4_group *g) {
    c4_vector a = g->a, b = g->b;
    const c4_vector word = C4_VECTOR_ADD(a, b);
    a = C4_VECTOR_XOR(a, C4_VECTOR_SHL(a, 23));
    g->a = b;
    g->b = C4_VECTOR_XOR(C4_VECTOR_XOR(a, b), C4_VECTOR_XOR(C4_VECTOR_SHR(a, 18), C4_VECTOR_SHR(b, 5)));
    return word;
}

#endif
