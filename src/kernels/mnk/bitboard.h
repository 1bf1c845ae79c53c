/* A board of at most 64 cells as one word for each player, a bit for each cell: all windows of a direction at once. The
 * words of this game are explained in lines.h. */
#ifndef MCTS_KERNELS_MNK_BITBOARD_H
#define MCTS_KERNELS_MNK_BITBOARD_H

#include "kernels/platform.h"

#define MNK_SCORE_BITS 10 /* of a score: the highest is 1023 */

/* The directions of lines, and the windows of each by their first cells. */
typedef struct mnk_directions {
    int32_t k;
    int32_t exact;
    int32_t count;      /* directions that have windows */
    int32_t step[4];
    uint64_t starts[4]; /* where windows begin */
    uint64_t before[4]; /* those of them with a cell of the board before them */
    uint64_t after[4];  /* ... behind them */
} mnk_directions;

/* What the live windows hold for a player. */
typedef struct mnk_survey {
    uint64_t five;      /* cells that complete a five */
    uint64_t four;      /* cells after which there is such a cell, or more */
    uint64_t fours;     /* cells after which there are two such cells, or more */
    uint64_t cover;     /* cells of the windows, stones included */
    uint32_t potential; /* sum over the windows of 2 to the number of stones in it */
    int32_t most;       /* stones in one window; -1: there is no window */
} mnk_survey;

/* The live windows of a direction. */
MCTS_INLINE uint64_t mnk_live_windows(const mnk_directions *along, int d, uint64_t mine, uint64_t theirs) {
    const int step = along->step[d];
    uint64_t live = along->starts[d];
    for (int i = 0; i < along->k; i++) live &= ~(theirs >> (i * step));
    if (along->exact) {
        live &= ~((mine << step) & along->before[d]);
        if (along->after[d]) live &= ~((mine >> (along->k * step)) & along->after[d]);
    }
    return live;
}

/* The number of stones in each window, in binary digits, a word for each; returns how many
 * digits there are. */
MCTS_INLINE int mnk_count_windows(const mnk_directions *along, int d, uint64_t mine, uint64_t digits[6]) {
    int used = 0;
    for (int i = 0; i < along->k; i++) {
        uint64_t carry = mine >> (i * along->step[d]);
        int digit = 0;
        while (digit < used && carry) {
            uint64_t sum = digits[digit] ^ carry;
            carry &= digits[digit];
            digits[digit++] = sum;
        }
        if (carry) digits[used++] = carry;
    }
    return used;
}

MCTS_INLINE uint64_t mnk_windows_with(const uint64_t *digits, int used, int count, uint64_t live) {
    for (int i = 0; i < used; i++) live &= count >> i & 1 ? digits[i] : ~digits[i];
    return count >> used ? 0 : live;
}

static inline void mnk_survey_windows(const mnk_directions *along, uint64_t mine, uint64_t theirs, mnk_survey *s) {
    const int k = along->k;
    s->five = s->four = s->fours = s->cover = 0;
    s->potential = 0;
    s->most = -1;
    for (int d = 0; d < along->count; d++) {
        const int step = along->step[d];
        uint64_t digits[6], live = mnk_live_windows(along, d, mine, theirs);
        if (!live) continue;
        int used = mnk_count_windows(along, d, mine, digits);
        for (int i = 0; i < k; i++) s->cover |= live << (i * step);
        uint64_t rest = live;
        for (int count = 0; count < k && rest; count++) {
            uint64_t windows = mnk_windows_with(digits, used, count, rest);
            if (!windows) continue;
            rest ^= windows;
            s->potential += (uint32_t)mcts_popcount64(windows) << (count < 20 ? count : 20);
            if (count > s->most) s->most = count;
            if (count == k - 1) {
                for (int i = 0; i < k; i++) s->five |= (windows & ~(mine >> (i * step))) << (i * step);
            } else if (count == k - 2) {
                for (int apart = 1; apart < k; apart++) {
                    uint64_t low = 0, high;
                    for (int i = 0; i + apart < k; i++)
                        low |= (windows & ~(mine >> (i * step)) & ~(mine >> ((i + apart) * step))) << (i * step);
                    high = low << (apart * step);
                    s->fours |= s->four & low;
                    s->four |= low;
                    s->fours |= s->four & high;
                    s->four |= high;
                }
            }
        }
    }
}

/* Cells that complete a five. */
static inline uint64_t mnk_five_cells(const mnk_directions *along, uint64_t mine, uint64_t theirs) {
    uint64_t five = 0;
    for (int d = 0; d < along->count; d++) {
        uint64_t digits[6], live = mnk_live_windows(along, d, mine, theirs);
        if (!live) continue;
        int used = mnk_count_windows(along, d, mine, digits);
        live = mnk_windows_with(digits, used, along->k - 1, live);
        for (int i = 0; live && i < along->k; i++)
            five |= (live & ~(mine >> (i * along->step[d]))) << (i * along->step[d]);
    }
    return five;
}

/* Adds the potential of the windows through each cell to a score, in binary digits. */
static inline void mnk_score_cells(const mnk_directions *along, uint64_t mine, uint64_t theirs,
                                   uint64_t score[MNK_SCORE_BITS]) {
    for (int d = 0; d < along->count; d++) {
        uint64_t digits[6], live = mnk_live_windows(along, d, mine, theirs);
        if (!live) continue;
        int used = mnk_count_windows(along, d, mine, digits);
        for (int count = 0; count < along->k && live; count++) {
            uint64_t windows = mnk_windows_with(digits, used, count, live);
            live ^= windows;
            for (int i = 0; windows && i < along->k; i++) {
                uint64_t carry = windows << (i * along->step[d]);
                for (int digit = count; carry && digit < MNK_SCORE_BITS; digit++) {
                    uint64_t sum = score[digit] ^ carry;
                    carry &= score[digit];
                    score[digit] = sum;
                }
            }
        }
    }
}

/* Of the cells those with the highest score. */
MCTS_INLINE uint64_t mnk_highest(uint64_t cells, const uint64_t score[MNK_SCORE_BITS]) {
    for (int digit = MNK_SCORE_BITS - 1; digit >= 0; digit--)
        if (cells & score[digit]) cells &= score[digit];
    return cells;
}

/* Cells with a score of at least `least`. */
MCTS_INLINE uint64_t mnk_at_least(uint32_t least, const uint64_t score[MNK_SCORE_BITS]) {
    uint64_t above = 0, level = ~UINT64_C(0);
    if (least >> MNK_SCORE_BITS) return 0;
    for (int digit = MNK_SCORE_BITS - 1; digit >= 0; digit--) {
        if (!(least >> digit & 1)) above |= level & score[digit];
        level &= least >> digit & 1 ? score[digit] : ~score[digit];
    }
    return above | level;
}

#endif
