/* The windows of k cells of a board with at most 64, all of a direction at once: a word with a bit per cell, a window
 * named by its lowest cell. */
#ifndef MCTS_MNK_WORDS_H
#define MCTS_MNK_WORDS_H

#include "kernels/platform.h"

#define MNK_SCORE_BITS 10 /* of a score: the highest is 1023 */

typedef struct mnk_rays {
    int32_t k;
    int32_t exact;
    int32_t count;      /* directions that have windows */
    int32_t step[4];
    uint64_t starts[4]; /* where windows begin */
    uint64_t before[4]; /* those of them with a cell of the board before them */
    uint64_t after[4];  /* ... behind them */
} mnk_rays;

/* What the windows without stones of the other player hold for one. */
typedef struct mnk_survey {
    uint64_t gains;     /* cells that complete a line */
    uint64_t once;      /* cells that would make one gain or more */
    uint64_t twice;     /* cells that would make two or more */
    uint64_t cover;     /* cells of the windows, stones included */
    uint32_t potential; /* sum over the windows of 2 to the number of stones in it */
    int32_t most;       /* stones in one window; -1: there is no window */
} mnk_survey;

/* Windows of a direction without stones of `theirs`. */
MCTS_INLINE uint64_t mnk_open_windows(const mnk_rays *r, int d, uint64_t mine, uint64_t theirs) {
    const int step = r->step[d];
    uint64_t open = r->starts[d];
    for (int i = 0; i < r->k; i++) open &= ~(theirs >> (i * step));
    if (r->exact) {
        open &= ~((mine << step) & r->before[d]);
        if (r->after[d]) open &= ~((mine >> (r->k * step)) & r->after[d]);
    }
    return open;
}

/* The number of stones in each window, as planes of bits; returns how many planes there are. */
MCTS_INLINE int mnk_count_windows(const mnk_rays *r, int d, uint64_t mine, uint64_t planes[6]) {
    int used = 0;
    for (int i = 0; i < r->k; i++) {
        uint64_t carry = mine >> (i * r->step[d]);
        int plane = 0;
        while (plane < used && carry) {
            uint64_t sum = planes[plane] ^ carry;
            carry &= planes[plane];
            planes[plane++] = sum;
        }
        if (carry) planes[used++] = carry;
    }
    return used;
}

MCTS_INLINE uint64_t mnk_windows_with(const uint64_t *planes, int used, int count, uint64_t open) {
    for (int i = 0; i < used; i++) open &= count >> i & 1 ? planes[i] : ~planes[i];
    return count >> used ? 0 : open;
}

static inline void mnk_survey_windows(const mnk_rays *r, uint64_t mine, uint64_t theirs, mnk_survey *s) {
    const int k = r->k;
    s->gains = s->once = s->twice = s->cover = 0;
    s->potential = 0;
    s->most = -1;
    for (int d = 0; d < r->count; d++) {
        const int step = r->step[d];
        uint64_t planes[6], open = mnk_open_windows(r, d, mine, theirs);
        if (!open) continue;
        int used = mnk_count_windows(r, d, mine, planes);
        for (int i = 0; i < k; i++) s->cover |= open << (i * step);
        uint64_t rest = open;
        for (int count = 0; count < k && rest; count++) {
            uint64_t windows = mnk_windows_with(planes, used, count, rest);
            if (!windows) continue;
            rest ^= windows;
            s->potential += (uint32_t)mcts_popcount64(windows) << (count < 20 ? count : 20);
            if (count > s->most) s->most = count;
            if (count == k - 1) {
                for (int i = 0; i < k; i++) s->gains |= (windows & ~(mine >> (i * step))) << (i * step);
            } else if (count == k - 2) {
                for (int apart = 1; apart < k; apart++) {
                    uint64_t low = 0, high;
                    for (int i = 0; i + apart < k; i++)
                        low |= (windows & ~(mine >> (i * step)) & ~(mine >> ((i + apart) * step))) << (i * step);
                    high = low << (apart * step);
                    s->twice |= s->once & low;
                    s->once |= low;
                    s->twice |= s->once & high;
                    s->once |= high;
                }
            }
        }
    }
}

/* Cells that complete a line. */
static inline uint64_t mnk_gains(const mnk_rays *r, uint64_t mine, uint64_t theirs) {
    uint64_t gains = 0;
    for (int d = 0; d < r->count; d++) {
        uint64_t planes[6], open = mnk_open_windows(r, d, mine, theirs);
        if (!open) continue;
        int used = mnk_count_windows(r, d, mine, planes);
        open = mnk_windows_with(planes, used, r->k - 1, open);
        for (int i = 0; open && i < r->k; i++) gains |= (open & ~(mine >> (i * r->step[d]))) << (i * r->step[d]);
    }
    return gains;
}

/* Adds the potential of the windows through each cell to a score, as planes of bits. */
static inline void mnk_score_cells(const mnk_rays *r, uint64_t mine, uint64_t theirs, uint64_t score[MNK_SCORE_BITS]) {
    for (int d = 0; d < r->count; d++) {
        uint64_t planes[6], open = mnk_open_windows(r, d, mine, theirs);
        if (!open) continue;
        int used = mnk_count_windows(r, d, mine, planes);
        for (int count = 0; count < r->k && open; count++) {
            uint64_t windows = mnk_windows_with(planes, used, count, open);
            open ^= windows;
            for (int i = 0; windows && i < r->k; i++) {
                uint64_t carry = windows << (i * r->step[d]);
                for (int plane = count; carry && plane < MNK_SCORE_BITS; plane++) {
                    uint64_t sum = score[plane] ^ carry;
                    carry &= score[plane];
                    score[plane] = sum;
                }
            }
        }
    }
}

/* Of the cells those with the highest score. */
MCTS_INLINE uint64_t mnk_highest(uint64_t cells, const uint64_t score[MNK_SCORE_BITS]) {
    for (int plane = MNK_SCORE_BITS - 1; plane >= 0; plane--)
        if (cells & score[plane]) cells &= score[plane];
    return cells;
}

/* Cells with a score of at least `least`. */
MCTS_INLINE uint64_t mnk_at_least(uint32_t least, const uint64_t score[MNK_SCORE_BITS]) {
    uint64_t above = 0, level = ~UINT64_C(0);
    if (least >> MNK_SCORE_BITS) return 0;
    for (int plane = MNK_SCORE_BITS - 1; plane >= 0; plane--) {
        if (!(least >> plane & 1)) above |= level & score[plane];
        level &= least >> plane & 1 ? score[plane] : ~score[plane];
    }
    return above | level;
}

#endif
