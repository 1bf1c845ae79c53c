/* Shapes on the lines of an m,n,k board: a line is a word for each player, a bit for each cell.
 *
 * Words, the same in all files of this game:
 *   cell     a place on the board
 *   line     a whole row, column or diagonal of the board, from edge to edge; games/mnk/lines.pxd numbers them
 *   window   k cells of a line side by side, named by the first of them (its lowest bit); live for a player while the
 *            other one has no stone in it
 *   five     a window full of one player's stones, which wins (with the rule "exact" only if the line holds no further
 *            stone of his beside it); the names of shapes are those of k = 5, whatever k is
 *   four     a live window that lacks one stone of a five; a three lacks two
 *   open     of a four or three: both ends are empty, so that it can grow on either side
 *   shape    what a stone in an empty cell makes: five, four, fours (two cells to win at), open three, ...
 *
 * Boards, each for what it is good at:
 *   bytes    a byte for each cell (mnk_state of games/mnk/rollout.pxd): rollouts in vectors of bytes (rollout.h)
 *   bits     a bit for each cell of at most 16 x 16, in a vector (board_vector.h): rollouts in bits (bit_rollout.h)
 *   slices   a vector for each cell, a bit for each of many rollouts (slice_vector.h): sliced_rollouts.h
 *   rows     a word for each row (rows.h): the shapes of all cells at once
 *   lines    a word for each line (games/mnk/lines.pxd): what one stone changes, on its four lines
 *   bitboard one word for the whole board, of at most 64 cells (bitboard.h)
 */
#ifndef MCTS_KERNELS_MNK_LINES_H
#define MCTS_KERNELS_MNK_LINES_H

#include <stdint.h>

#include "kernels/platform.h"

/* ---- any k ---- */

/* The empty cells that complete a five. */
MCTS_INLINE uint64_t mnk_line_fives(uint64_t own, uint64_t empty, int k, int exact) {
    uint64_t valid = UINT64_MAX, one = 0, two = 0, cells = 0;
    for (int j = 0; j < k; j++) {
        const uint64_t e = empty >> j;
        valid &= e | own >> j;
        two |= one & e;
        one |= e;
    }
    if (exact) valid &= ~(own << 1 | own >> k);
    valid &= one & ~two;
    for (int j = 0; j < k; j++) cells |= valid << j;
    return cells & empty;
}

/* The first cells of k + 1 that lack one stone of an open four: both ends are empty, and one cell between them. */
MCTS_INLINE uint64_t mnk_line_open_threes(uint64_t own, uint64_t empty, int k, int exact) {
    uint64_t valid = UINT64_MAX, one = 0, two = 0, three = 0;
    for (int j = 0; j < k; j++) {
        const uint64_t e = empty >> j;
        valid &= e | own >> j;
        three |= two & e;
        two |= one & e;
        one |= e;
    }
    if (exact) valid &= ~(own << 1 | own >> k);
    valid &= two & ~three;
    return valid & valid >> 1 & empty & empty >> k;
}

/* ---- windows of five cells, in loops of fixed length over plain words: compilers make vectors of them ---- */

/* The live windows of five cells of which three (four) are `mine`. `strict` is all ones when six in a
 * row do not count: a window beside a stone of mine then is none. */
MCTS_INLINE void mnk_threes_and_fours(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict, uint32_t *three,
                                      uint32_t *four) {
    uint32_t live = valid & ~theirs;
    uint32_t pairs = live & (live >> 1);
    uint32_t m1 = mine >> 1, m2 = mine >> 2, m3 = mine >> 3, m4 = mine >> 4;
    uint32_t x = mine ^ m1, low, high, carry;
    live = pairs & (pairs >> 2) & (live >> 4) & ~(((mine << 1) | (mine >> 5)) & strict);
    high = (mine & m1) | (x & m2);
    x ^= m2;
    low = x ^ m3;
    carry = (x & m3) | (low & m4);
    low ^= m4;
    *three = live & low & (high ^ carry);
    *four = live & ~low & high & carry;
}

/* The cells of a line where a stone makes a three that a further stone can turn into an open four. */
MCTS_INLINE uint32_t mnk_open_threes(uint32_t mine, uint32_t theirs, uint32_t valid, uint32_t strict) {
    const uint32_t live = valid & ~theirs, empty = live & ~mine;
    const uint32_t a = mine >> 1, b = mine >> 2, c = mine >> 3, d = mine >> 4;
    uint32_t at = ((a ^ b) & (c ^ d)) | (a & b & ~(c | d)) | (c & d & ~(a | b));
    at &= empty & empty >> 5 & live >> 1 & live >> 2 & live >> 3 & live >> 4 & ~((mine << 1 | mine >> 6) & strict);
    return (at << 1 | at << 2 | at << 3 | at << 4) & empty;
}

MCTS_INLINE void mnk_open_threes8(const uint32_t mine[8], const uint32_t theirs[8], const uint32_t valid[8],
                                  uint32_t strict, uint32_t cells[8]) {
    for (int i = 0; i < 8; i++) cells[i] = mnk_open_threes(mine[i], theirs[i], valid[i], strict);
}

MCTS_INLINE void mnk_threes8(const uint32_t mine[8], const uint32_t theirs[8], const uint32_t valid[8], uint32_t strict,
                             uint32_t three[8]) {
    uint32_t four[8];
    for (int i = 0; i < 8; i++) mnk_threes_and_fours(mine[i], theirs[i], valid[i], strict, &three[i], &four[i]);
}

MCTS_INLINE void mnk_threes_and_fours8(const uint32_t mine[8], const uint32_t theirs[8], const uint32_t valid[8],
                                       uint32_t strict, uint32_t three[8], uint32_t four[8]) {
    for (int i = 0; i < 8; i++) mnk_threes_and_fours(mine[i], theirs[i], valid[i], strict, &three[i], &four[i]);
}

#endif
