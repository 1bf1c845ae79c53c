/* The book of Connect Four: the value of each position of the standard board with a certain number of stones, and the
 * score of each with another, smaller number.
 *
 * It holds no positions. Each of its filters says one bit of a position, whose key it was made with: the sum of three
 * bits at places by hashes of the key (a binary fuse filter without fingerprints: Graf and Lemire, "Binary Fuse
 * Filters", 2022; the idea of static functions is that of Majewski, Wormald, Havas and Czech, 1996), 1.14 bits of
 * memory for one. Of another position it says anything. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_BOOK_H
#define MCTS_KERNELS_CONNECT_FOUR_BOOK_H

#include "kernels/platform.h"

typedef struct c4_filter {
    const uint8_t *bits;
    uint64_t seed;
    uint32_t segments;      /* 3 or more */
    uint32_t segment_bits;  /* logarithm of their length, 3 to 21 */
} c4_filter;

#define C4_SCORE_BITS 6

typedef struct c4_book {
    c4_filter wins;                 /* 1: the player to move wins */
    c4_filter draws;                /* of the others: 1: it is a draw */
    c4_filter score[C4_SCORE_BITS]; /* the bits of the score plus 32, the lowest first */
    int32_t stones;
    int32_t score_stones;           /* -1: no scores */
} c4_book;

MCTS_INLINE int c4_bit_of(const c4_filter *f, uint64_t key) {
    uint64_t h = (key ^ f->seed) * UINT64_C(0x9E3779B97F4A7C15), mask = (UINT64_C(1) << f->segment_bits) - 1, a, b, c;
    h = (h ^ (h >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
    a = ((h >> 32) * (f->segments - 2)) >> 32;
    b = ((a + 1) << f->segment_bits) + ((h >> 21) & mask);
    c = ((a + 2) << f->segment_bits) + (((h ^ (h >> 43)) * UINT64_C(0x9E3779B97F4A7C15) >> 40) & mask);
    a = (a << f->segment_bits) + (h & mask);
    return (f->bits[a >> 3] >> (a & 7) ^ f->bits[b >> 3] >> (b & 7) ^ f->bits[c >> 3] >> (c & 7)) & 1;
}

/* 2: the player to move wins, 1: draw, 0: he loses, if the book is of the position. */
MCTS_INLINE int c4_book_value(const c4_book *book, uint64_t key) {
    return c4_bit_of(&book->wins, key) ? 2 : c4_bit_of(&book->draws, key);
}

/* The score of the player to move, as alpha_beta.pyx defines it, if the book is of the position. */
static inline int c4_book_score(const c4_book *book, uint64_t key) {
    int i, score = 0;
    for (i = 0; i < C4_SCORE_BITS; i++) score |= c4_bit_of(&book->score[i], key) << i;
    return score - (1 << (C4_SCORE_BITS - 1));
}

#endif
