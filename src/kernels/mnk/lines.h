/* Windows of five cells on the lines of a board. A line is a word per player, a bit per cell, and a window is named by
 * its lowest bit. Loops of fixed length over plain words: compilers make vectors of them. */
#ifndef MCTS_MNK_LINES_H
#define MCTS_MNK_LINES_H

#include "kernels/platform.h"

/* The windows with none of `theirs` where three (four) of the five cells are `mine`. `strict` is all ones when six in a
 * row do not count: a window beside a stone of mine then is none. */
MCTS_INLINE void mnk_line_windows(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                             uint32_t *four) {
    uint32_t open = valid & ~theirs;
    uint32_t pairs = open & (open >> 1);
    uint32_t m1 = mine >> 1, m2 = mine >> 2, m3 = mine >> 3, m4 = mine >> 4;
    uint32_t x = mine ^ m1, low, high, carry;
    open = pairs & (pairs >> 2) & (open >> 4) & ~(((mine << 1) | (mine >> 5)) & strict);
    high = (mine & m1) | (x & m2);
    x ^= m2;
    low = x ^ m3;
    carry = (x & m3) | (low & m4);
    low ^= m4;
    *three = open & low & (high ^ carry);
    *four = open & ~low & high & carry;
}

MCTS_INLINE void mnk_line_windows8(const uint32_t mine[8], const uint32_t theirs[8], const uint32_t valid[8],
                              uint32_t strict, uint32_t three[8]) {
    uint32_t four[8];
    for (int i = 0; i < 8; i++) mnk_line_windows(mine[i], theirs[i], valid[i], strict, &three[i], &four[i]);
}

/* Lines from .. to-1, multiples of 8: the windows of three to `three`, and which lines have any of three and of four as
 * bits of `threes` and `fours`. */
static inline void mnk_scan_lines(const uint32_t *mine, const uint32_t *theirs, const uint32_t *valid, uint32_t strict,
                                  int from, int to, uint32_t *three, uint64_t *threes, uint64_t *fours) {
    for (int line = from; line < to; line += 8) {
        uint32_t four[8], any = 0;
        uint64_t bits3 = 0, bits4 = 0;
        for (int i = 0; i < 8; i++)
            mnk_line_windows(mine[line + i], theirs[line + i], valid[line + i], strict, &three[line + i], &four[i]);
        for (int i = 0; i < 8; i++) any |= three[line + i] | four[i];
        if (!any) continue;
        for (int i = 0; i < 8; i++) {
            bits3 |= (uint64_t)(three[line + i] != 0) << i;
            bits4 |= (uint64_t)(four[i] != 0) << i;
        }
        threes[line >> 6] |= bits3 << (line & 63);
        fours[line >> 6] |= bits4 << (line & 63);
    }
}

#endif
