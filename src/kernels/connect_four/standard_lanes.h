/* What rollouts side by side do differently on the standard board of Connect Four: how they begin and, with AVX-512 and
 * VBMI, all of a word.
 *
 * With AVX-512, a lane has a byte for each column, in bytes 1 to 7, and the rows in bits 0 to 5; where a column is
 * full, `next` has bit 6. Three things become cheaper than in c4_lane_word:
 * - A draw is a choice among the bytes of the vector, and all draws of a word are made at once.
 * - A table of the 64 contents of a column tells which ones hold four in a column.
 * - `me` has bit 7 set in bytes 0 to 6 beside the stones, and a flag for the player in byte 0. Two such bits make the
 *   bottom of the next column, so that the other player's `me` is `next - me`: neither the stones nor a change of flags
 *   take an instruction.
 * For an ended game `me` is added to a count, of which byte 0 is read in the end: 1 for a game, 16 if won by the player
 * of the start, and bit 7.
 *
 * Where lines may begin: not in byte 0; not in bits 6 and 7; and falling ones not in row 0, because bit 7 of the same
 * byte follows it. The same holds for the second half of a line. In the table of columns, byte 0 finds no four: its
 * flags have at most two of the six bits. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_STANDARD_LANES_H
#define MCTS_KERNELS_CONNECT_FOUR_STANDARD_LANES_H

#include "kernels/connect_four/lane_columns.h"

#if defined(MCTS_AVX512)

#define C4_OUR_FLAG UINT64_C(0x91)
#define C4_OTHER_FLAG UINT64_C(0x81)
#define C4_AND_3 0x80    /* tables of three bits a, b, c: a & b & c */
#define C4_AND_OR 0xEA   /* (a & b) | c */

/* From 7 bits a column to a byte. */
MCTS_INLINE uint64_t c4_spread(uint64_t board) {
    uint64_t spread = 0;
    for (int col = 0; col < 7; col++) spread |= (board >> 7 * col & 127) << (8 * col + 8);
    return spread;
}

/* Makes `s` what c4_standard_word takes; `by_choice` is for other instruction sets. */
MCTS_INLINE void c4_standard_start(c4_lanes_start *s, uint64_t by_choice[C4_CHOICES]) {
    (void)by_choice;
    s->me = c4_spread(s->me) | UINT64_C(0x0080808080808000) | C4_OUR_FLAG;
    s->next = c4_spread(s->next) | ((C4_OUR_FLAG + C4_OTHER_FLAG) & 255);
    s->sentinel = c4_spread(s->sentinel) | ((C4_OUR_FLAG + C4_OTHER_FLAG) & 255);
}

MCTS_INLINE lane_v c4_standard_lines(lane_v m) {
    const __m512i four = _mm512_set_epi64(0x0101010100000000, 0, 0x0100000000000000, 0, 0x0101000000000000, 0,
                                          0x0100000000000000, 0);
    const __m512i rows = lane_all(UINT64_C(0x3F3F3F3F3F3F3F00)), upper = lane_all(UINT64_C(0x3E3E3E3E3E3E3E00));
    const __m512i h = _mm512_ternarylogic_epi64(m, LANE_SHR(m, 8), rows, C4_AND_3);
    const __m512i d = _mm512_ternarylogic_epi64(m, LANE_SHR(m, 7), upper, C4_AND_3);
    const __m512i e = _mm512_ternarylogic_epi64(m, LANE_SHR(m, 9), rows, C4_AND_3);
    __m512i any = _mm512_permutexvar_epi8(m, four);
    any = _mm512_ternarylogic_epi64(h, LANE_SHR(h, 16), any, C4_AND_OR);
    any = _mm512_ternarylogic_epi64(d, LANE_SHR(d, 14), any, C4_AND_OR);
    return _mm512_ternarylogic_epi64(e, LANE_SHR(e, 18), any, C4_AND_OR);
}

/* As c4_lane_word; `moves` are counted whole, so it returns 0. */
MCTS_INLINE uint32_t c4_standard_word(c4_group *g, const c4_lanes_start *s, int guarded) {
    const __m512i open = _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130, 0x2F2E2D2C2B2A2928,
                                          0x2726252423222120, 0x1F1E1D1C1B1A1918, 0x1716151413121110,
                                          0x0F0E0D0C0B0A0908, 0x0706050403020100); /* bits 0 to 5 of each byte */
    const lane_v one = lane_all(1), start_me = lane_all(s->me), start_next = lane_all(s->next);
    lane_v me[C4_GROUPS], next[C4_GROUPS], ended[C4_GROUPS], moves[C4_GROUPS], left[C4_GROUPS];
    c4_picks picks[C4_GROUPS];
    for (int k = 0; k < C4_GROUPS; k++) {
        picks[k] = c4_pick(c4_next_word(&g[k]));
        me[k] = g[k].me;
        next[k] = g[k].next;
        left[k] = g[k].left;
        moves[k] = g[k].moves;
        ended[k] = lane_all(0);
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < C4_GROUPS; k++) {
            const lane_v move = _mm512_maskz_permutexvar_epi8(picks[k].draw[i], next[k], open);
            const lane_v mover = LANE_OR(me[k], move), lines = c4_standard_lines(mover);
            const __mmask8 moved = _mm512_test_epi64_mask(move, move), over = _mm512_test_epi64_mask(lines, lines);
            lane_v again = start_next;
            moves[k] = _mm512_mask_add_epi64(moves[k], moved, moves[k], one);
            ended[k] = _mm512_mask_add_epi64(ended[k], over, ended[k], mover);
            if (guarded) {
                left[k] = _mm512_mask_sub_epi64(left[k], over, left[k], one);
                again = lane_unless(lane_is_zero(left[k]), again);
            }
            me[k] = _mm512_mask_sub_epi64(me[k], moved, next[k], me[k]);
            me[k] = _mm512_mask_mov_epi64(me[k], over, start_me);
            next[k] = _mm512_mask_mov_epi64(LANE_ADD(next[k], move), over, again);
        }
    for (int k = 0; k < C4_GROUPS; k++) {
        const lane_v games = LANE_AND(ended[k], lane_all(15));
        const lane_v wins = LANE_SUB(LANE_SHR(ended[k], 4), LANE_SHL(games, 3));
        if (!guarded) left[k] = LANE_SUB(left[k], games);
        c4_end_full(&g[k], &me[k], &next[k], &left[k], s, guarded);
        g[k].me = me[k];
        g[k].next = next[k];
        g[k].left = left[k];
        g[k].wins = LANE_ADD(g[k].wins, LANE_AND(wins, lane_all(15)));
        g[k].moves = moves[k];
    }
    return 0;
}

#else

/* Makes `s` what c4_lane_word takes for the standard board: `column` has a mask for each choice, in `by_choice`. */
MCTS_INLINE void c4_standard_start(c4_lanes_start *s, uint64_t by_choice[C4_CHOICES]) {
    for (int i = 0; i < C4_CHOICES; i++) {
        const int choice = (i >> 3) + ((i & 7) > i >> 3);
        by_choice[i] = choice ? s->column[choice - 1] : 0;
    }
    s->column = by_choice;
    s->me |= C4_OURS | C4_ONE;
}

#endif

#endif
