/* What Connect Four's rollouts side by side hold in their lanes, and the columns that they draw.
 *
 * Columns come from random words in two ways. On the standard board each byte of a word (c4_picks) picks one: where
 * its six low bits are the octal digits h and l, it is column h if l > h, else column h - 1. 00 gives none, so that
 * each column has 9 chances in 64. On any other board, half a word is a fraction (c4_fractions), and its product with
 * the number of columns is a column and the fraction for the next draw. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_LANE_COLUMNS_H
#define MCTS_KERNELS_CONNECT_FOUR_LANE_COLUMNS_H

#include "kernels/vectors/lane_vector.h"

#define C4_CHOICES 64 /* what the six bits can be */

/* What the lanes need to know of the board (as c4_context) and of the position. */
typedef struct c4_lanes_start {
    uint64_t me, next, bottom, sentinel;
    const uint64_t *column; /* a mask per column, or for each choice of a byte: c4_standard_start */
    const uint64_t *shift;  /* steps times 4 directions */
    int32_t steps, directions, height;
    uint32_t cols, draws, power, reject;
} c4_lanes_start;

#if defined(MCTS_AVX512)

#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m512i c4_fractions;
typedef struct { uint64_t draw[8]; } c4_picks; /* for each draw a bit for each byte of the vector */

MCTS_INLINE c4_fractions c4_low_halves(lane_v words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(lane_v words) { return _mm512_srli_epi64(words, 32); }

MCTS_INLINE lane_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    const __m512i rest = _mm512_and_si512(_mm512_mul_epu32(*f, lane_all(power)), lane_all(UINT32_MAX));
    return _mm512_cmpge_epu64_mask(rest, lane_all(reject));
}

MCTS_INLINE lane_v c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = _mm512_mul_epu32(*f, lane_all(s->cols));
    return _mm512_sllv_epi64(lane_all(s->column[0]),
                             _mm512_mul_epu32(_mm512_srli_epi64(*f, 32), lane_all((uint64_t)s->height)));
}

/* Byte 0 of a lane stands for no column, byte 1 for the first one. */
MCTS_INLINE c4_picks c4_pick(lane_v word) {
    const __m512i by_draw = _mm512_set_epi64(0x3F372F271F170F07, 0x3E362E261E160E06, 0x3D352D251D150D05,
                                             0x3C342C241C140C04, 0x3B332B231B130B03, 0x3A322A221A120A02,
                                             0x3931292119110901, 0x3830282018100800);
    const __m512i bit = _mm512_set_epi64((long long)0x8080808080808080, (long long)0x8040404040404040,
                                         0x4040202020202020, 0x2020201010101010, 0x1010101008080808,
                                         0x0808080808040404, 0x0404040404040202, 0x0202020202020200);
    c4_picks picks;
    lane_store(picks.draw, _mm512_permutexvar_epi8(_mm512_permutexvar_epi8(by_draw, word), bit));
    return picks;
}

#elif defined(MCTS_AVX2)

#define C4_GROUPS 3 /* vectors side by side, to fill the waits of each other's chain of dependent instructions */
typedef __m256i c4_fractions;
typedef __m256i c4_picks;

MCTS_INLINE c4_fractions c4_low_halves(lane_v words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(lane_v words) { return _mm256_srli_epi64(words, 32); }

MCTS_INLINE lane_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    __m256i rest = _mm256_and_si256(_mm256_mul_epu32(*f, lane_all(power)), lane_all(UINT32_MAX));
    return _mm256_cmpgt_epi64(rest, _mm256_set1_epi64x((long long)reject - 1));
}

MCTS_INLINE lane_v c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = _mm256_mul_epu32(*f, lane_all(s->cols));
    return _mm256_sllv_epi64(lane_all(s->column[0]),
                             _mm256_mul_epu32(_mm256_srli_epi64(*f, 32), lane_all((uint64_t)s->height)));
}

/* In each byte 7 times the column, 64 for none: how far to shift the first column's mask. */
MCTS_INLINE c4_picks c4_pick(lane_v word) {
    const __m256i seven = _mm256_set1_epi8(7), low = _mm256_and_si256(word, seven);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi64(word, 3), seven);
    const __m256i choice = _mm256_sub_epi8(high, _mm256_cmpgt_epi8(low, high)); /* 0 none, 1 the first column */
    return _mm256_shuffle_epi8(_mm256_set1_epi64x(0x2A231C150E070040), choice);
}

MCTS_INLINE lane_v c4_picked(const c4_picks *picks, int i, const c4_lanes_start *s) {
    const __m256i first = _mm256_set_epi64x(-248, -256, -248, -256); /* a lane's first byte, and seven zero bytes */
    (void)s;
    return _mm256_sllv_epi64(lane_all(63),
                             _mm256_shuffle_epi8(*picks, _mm256_add_epi64(first, lane_all((uint64_t)i))));
}

#elif defined(MCTS_SSE2)

#define C4_GROUPS 6
typedef struct { uint32_t f[2]; } c4_fractions;
typedef struct { uint64_t word[2]; } c4_picks;

MCTS_INLINE c4_fractions c4_low_halves(lane_v words) {
    uint64_t w[2];
    c4_fractions f;
    lane_store(w, words);
    f.f[0] = (uint32_t)w[0];
    f.f[1] = (uint32_t)w[1];
    return f;
}
MCTS_INLINE c4_fractions c4_high_halves(lane_v words) { return c4_low_halves(_mm_srli_epi64(words, 32)); }

MCTS_INLINE lane_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    return _mm_set_epi64x(-(long long)(f->f[1] * power >= reject), -(long long)(f->f[0] * power >= reject));
}

/* Without shifts of each lane by its own count the masks come from the table. */
MCTS_INLINE lane_v c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    const uint64_t first = (uint64_t)f->f[0] * s->cols, second = (uint64_t)f->f[1] * s->cols;
    f->f[0] = (uint32_t)first;
    f->f[1] = (uint32_t)second;
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(s->column + (first >> 32))),
                              _mm_loadl_epi64((const __m128i *)(s->column + (second >> 32))));
}

MCTS_INLINE c4_picks c4_pick(lane_v word) {
    c4_picks picks;
    lane_store(picks.word, word);
    return picks;
}

MCTS_INLINE lane_v c4_picked(const c4_picks *picks, int i, const c4_lanes_start *s) {
    const uint64_t first = picks->word[0] >> 8 * i & 63, second = picks->word[1] >> 8 * i & 63;
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(s->column + first)),
                              _mm_loadl_epi64((const __m128i *)(s->column + second)));
}

#elif defined(MCTS_NEON)

#define C4_GROUPS 1
#define C4_QUIET 1 /* four draws at a time without a look at lines: see c4_quiet_draws */
typedef uint32x2_t c4_fractions;
typedef uint8x16_t c4_picks;

MCTS_INLINE c4_fractions c4_low_halves(lane_v words) { return vmovn_u64(words); }
MCTS_INLINE c4_fractions c4_high_halves(lane_v words) { return vshrn_n_u64(words, 32); }

MCTS_INLINE lane_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    const uint32x2_t accepted = vcge_u32(vmul_u32(*f, vdup_n_u32(power)), vdup_n_u32(reject));
    return vreinterpretq_u64_s64(vmovl_s32(vreinterpret_s32_u32(accepted)));
}

MCTS_INLINE lane_v c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    const uint64x2_t product = vmull_u32(*f, vdup_n_u32(s->cols));
    *f = vmovn_u64(product);
    return vshlq_u64(lane_all(s->column[0]),
                     vreinterpretq_s64_u64(vmull_u32(vshrn_n_u64(product, 32), vdup_n_u32((uint32_t)s->height))));
}

/* As with AVX2. */
MCTS_INLINE c4_picks c4_pick(lane_v word) {
    const uint8x16_t bytes = vreinterpretq_u8_u64(word), seven = vdupq_n_u8(7), low = vandq_u8(bytes, seven);
    const uint8x16_t high = vandq_u8(vshrq_n_u8(bytes, 3), seven), choice = vsubq_u8(high, vcgtq_u8(low, high));
    return vqtbl1q_u8(vreinterpretq_u8_u64(vdupq_n_u64(0x2A231C150E070040)), choice);
}

MCTS_INLINE lane_v c4_picked(const c4_picks *picks, int i, const c4_lanes_start *s) {
    const uint64x2_t first = vcombine_u64(vcreate_u64(UINT64_MAX - 255), vcreate_u64(UINT64_MAX - 247));
    const uint8x16_t byte = vreinterpretq_u8_u64(vaddq_u64(first, lane_all((uint64_t)i)));
    (void)s;
    return vshlq_u64(lane_all(63), vreinterpretq_s64_u8(vqtbl1q_u8(*picks, byte)));
}

#else

#define C4_GROUPS 1
#define C4_QUIET 1
typedef uint64_t c4_fractions;
typedef uint64_t c4_picks;

MCTS_INLINE c4_fractions c4_low_halves(lane_v words) { return words; }
MCTS_INLINE c4_fractions c4_high_halves(lane_v words) { return words >> 32; }

MCTS_INLINE lane_mask c4_accepted(const c4_fractions *f, uint32_t power, uint32_t reject) {
    return 0 - (uint64_t)((uint32_t)*f * power >= reject);
}

MCTS_INLINE lane_v c4_columns(c4_fractions *f, const c4_lanes_start *s) {
    *f = (uint64_t)(uint32_t)*f * s->cols;
    return s->column[*f >> 32];
}

MCTS_INLINE c4_picks c4_pick(lane_v word) { return word; }
MCTS_INLINE lane_v c4_picked(const c4_picks *picks, int i, const c4_lanes_start *s) {
    return s->column[*picks >> 8 * i & 63];
}

#endif

/* Flags in `me`, but for the standard board with AVX-512. The top cell is a sentinel, so the top bit is free: it is
 * set while the player to move is the one of the start, and flips with the stones. On the standard board the bit of
 * C4_ONE is free, too, and always set: an ended game adds 1, and 64 if won, by one shift. Both lie so far above the
 * stones that shifts by up to 8 move them onto none. */
#define C4_OURS (UINT64_C(1) << 63)
#define C4_ONE (UINT64_C(1) << 57)

/* Some lanes with the games on their boards. */
typedef struct c4_group {
    lane_v me, next, a, b; /* a, b: of the random words */
    lane_v left;           /* games to finish, with the one on the board */
    lane_v wins, draws;    /* games */
    lane_v moves;          /* that were played, less the number that c4_word returned so far for each lane */
} c4_group;

/* xorshift128+, Vigna 2014. */
MCTS_INLINE lane_v c4_next_word(c4_group *g) {
    lane_v a = g->a, b = g->b;
    const lane_v word = LANE_ADD(a, b);
    a = LANE_XOR(a, LANE_SHL(a, 23));
    g->a = b;
    g->b = LANE_XOR(LANE_XOR(a, b), LANE_XOR(LANE_SHR(a, 18), LANE_SHR(b, 5)));
    return word;
}

/* Ends the games on full boards, which are draws. */
MCTS_INLINE void c4_end_full(c4_group *g, lane_v *me, lane_v *next, lane_v *left, const c4_lanes_start *s,
                             int guarded) {
    const lane_mask full = lane_equal(*next, lane_all(s->sentinel));
    lane_v again = lane_all(s->next);
    g->draws = LANE_ADD(g->draws, lane_where(full, lane_all(1)));
    *left = lane_less_one(*left, full);
    if (guarded) again = lane_unless(lane_is_zero(*left), again);
    *me = lane_select(full, lane_all(s->me), *me);
    *next = lane_select(full, again, *next);
}

#endif
