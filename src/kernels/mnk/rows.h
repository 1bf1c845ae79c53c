/* The shapes (fives, fours, open threes, ...) that a stone in each empty cell would make, for all cells of a board at
 * once. The words of this game are explained in lines.h.
 *
 * A set of cells is a word for each row, a bit for each cell. Whether a window lacks one, two, ... stones of a player
 * and holds none of the other is found for all windows of a direction by shifting rows, in loops over the rows that
 * compilers turn into vectors. Nothing is looked up: one set of formulas serves every k and both rules.
 */
#ifndef MCTS_KERNELS_MNK_ROWS_H
#define MCTS_KERNELS_MNK_ROWS_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"
#include "kernels/vectors/byte_vector.h"

#define MNK_EDGE 40 /* rows of nobody's above and below the board: more than k + 1 */
#define MNK_ROW_WORDS (MNK_EDGE + 32 + MNK_EDGE)

/* The board row by row. Row r is word MNK_EDGE + r; bit c is column c. */
typedef struct mnk_row_board {
    int32_t rows, cols, k, exact;
    uint32_t own[2][MNK_ROW_WORDS]; /* [0]: the player who began */
    uint32_t empty[MNK_ROW_WORDS];
} mnk_row_board;

/* Sets of empty cells, row by row: what a player's stone there makes. Counted are directions, but for `fours`. */
typedef struct mnk_shapes {
    uint32_t possible;               /* not 0: the player can still get a five */
    MCTS_ALIGN32 uint32_t five[32];  /* the player wins */
    MCTS_ALIGN32 uint32_t four[32];  /* a cell, or more, where he would win next */
    MCTS_ALIGN32 uint32_t fours[32]; /* two such cells, or more: an open four, two fours */
    MCTS_ALIGN32 uint32_t open[32];  /* an open three: with one more stone an open four; not where it is a four too */
    MCTS_ALIGN32 uint32_t opens[32]; /* two open threes, or more */
    MCTS_ALIGN32 uint32_t half[32];  /* a three that is not open, or an open two */
    MCTS_ALIGN32 uint32_t halves[32];
} mnk_shapes;

#define MNK_FIND_FIVES 1 /* possible and five */
#define MNK_FIND_FOURS 2 /* four and fours as well */
#define MNK_FIND_ALL 3

/* Windows that lack so many stones and hold no stone of the other player, by the row and the column of their first
 * cell; spans: k + 1 cells with both ends empty that lack so many stones between them. */
typedef struct mnk_row_windows {
    uint32_t lack1[MNK_ROW_WORDS], lack2[MNK_ROW_WORDS], lack3[MNK_ROW_WORDS], lack4[MNK_ROW_WORDS];
    uint32_t span2[MNK_ROW_WORDS], span3[MNK_ROW_WORDS];
} mnk_row_windows;

/* Row p shifted so that each cell holds what is j cells further in the direction. */
MCTS_INLINE uint32_t mnk_ahead(const uint32_t *set, int p, int j, int down, int right) {
    const uint32_t row = set[MNK_EDGE + p + j * down];
    const int shift = j * right;
    if (shift >= 32 || shift <= -32) return 0;
    return shift >= 0 ? row >> shift : row << -shift;
}

MCTS_INLINE void mnk_shapes_along(const mnk_row_board *b, int player, int rows, int k, int exact, int down, int right,
                                  int find, mnk_row_windows *w, mnk_shapes *t) {
    const uint32_t *own = b->own[player], *empty = b->empty;
    uint32_t possible = 0, any1 = 0, any2 = 0;
    for (int p = 0; p < rows; p++) {
        uint32_t valid = UINT32_MAX, one = 0, two = 0, three = 0, four = 0, five = 0; /* empty cells, at least */
        for (int j = 0; j < k; j++) {
            const uint32_t e = mnk_ahead(empty, p, j, down, right);
            valid &= e | mnk_ahead(own, p, j, down, right);
            five |= four & e;
            four |= three & e;
            three |= two & e;
            two |= one & e;
            one |= e;
        }
        if (exact) valid &= ~(mnk_ahead(own, p, -1, down, right) | mnk_ahead(own, p, k, down, right));
        possible |= valid;
        any1 |= w->lack1[MNK_EDGE + p] = valid & one & ~two;
        if (find >= MNK_FIND_FOURS) any2 |= w->lack2[MNK_EDGE + p] = valid & two & ~three;
        if (find >= MNK_FIND_ALL) {
            w->lack3[MNK_EDGE + p] = valid & three & ~four;
            w->lack4[MNK_EDGE + p] = valid & four & ~five;
        }
    }
    t->possible |= possible;
    if (find >= MNK_FIND_ALL)
        for (int p = 0; p < rows; p++) {
            const uint32_t ends = empty[MNK_EDGE + p] & mnk_ahead(empty, p, k, down, right);
            w->span2[MNK_EDGE + p] = ends & w->lack3[MNK_EDGE + p] & mnk_ahead(w->lack3, p, 1, down, right);
            w->span3[MNK_EDGE + p] = ends & w->lack4[MNK_EDGE + p] & mnk_ahead(w->lack4, p, 1, down, right);
        }
    if (any1)
        for (int p = 0; p < rows; p++) {
            const uint32_t e = empty[MNK_EDGE + p];
            uint32_t five = 0;
            for (int j = 0; j < k; j++) five |= mnk_ahead(w->lack1, p, -j, down, right);
            t->five[p] |= five & e;
        }
    if (find >= MNK_FIND_ALL || (find >= MNK_FIND_FOURS && any2))
        for (int p = 0; p < rows; p++) {
            const uint32_t e = empty[MNK_EDGE + p];
            uint32_t once = t->four[p], twice = t->fours[p], before = 0, after = 0, open = 0, half = 0, more;
            /* Of each cell further on, and then further back: whether it would win next. Cells that are j further on
             * are in the windows that begin at most k - 1 - j back. */
            for (int j = k - 1; j > 0; j--) {
                after |= mnk_ahead(w->lack2, p, j + 1 - k, down, right);
                more = after & mnk_ahead(empty, p, j, down, right) & e;
                twice |= once & more;
                once |= more;
            }
            for (int j = k - 1; j > 0; j--) {
                before |= mnk_ahead(w->lack2, p, -j, down, right);
                more = before & mnk_ahead(empty, p, -j, down, right) & e;
                twice |= once & more;
                once |= more;
            }
            t->four[p] = once;
            t->fours[p] = twice;
            if (find < MNK_FIND_ALL) continue;
            for (int j = 1; j < k; j++) {
                open |= mnk_ahead(w->span2, p, -j, down, right);
                half |= mnk_ahead(w->span3, p, -j, down, right);
            }
            for (int j = 0; j < k; j++) half |= mnk_ahead(w->lack3, p, -j, down, right);
            open &= e & ~(before | after);
            half &= e & ~(before | after) & ~open;
            t->opens[p] |= t->open[p] & open;
            t->open[p] |= open;
            t->halves[p] |= t->half[p] & half;
            t->half[p] |= half;
        }
}

MCTS_INLINE void mnk_clear_edges(uint32_t *set, int rows, int k) {
    memset(set + MNK_EDGE - k - 1, 0, (size_t)(k + 1) * sizeof *set);
    memset(set + MNK_EDGE + rows, 0, (size_t)(k + 1) * sizeof *set);
}

MCTS_INLINE void mnk_shapes_inline(const mnk_row_board *b, int player, int rows, int k, int exact, int find,
                                   mnk_shapes *t) {
    mnk_row_windows w;
    mnk_clear_edges(w.lack1, rows, k);
    if (find >= MNK_FIND_FOURS) mnk_clear_edges(w.lack2, rows, k);
    if (find >= MNK_FIND_ALL) {
        mnk_clear_edges(w.lack3, rows, k);
        mnk_clear_edges(w.lack4, rows, k);
        mnk_clear_edges(w.span2, rows, k);
        mnk_clear_edges(w.span3, rows, k);
    }
    memset(t, 0, sizeof *t);
    mnk_shapes_along(b, player, rows, k, exact, 0, 1, find, &w, t);
    mnk_shapes_along(b, player, rows, k, exact, 1, 0, find, &w, t);
    mnk_shapes_along(b, player, rows, k, exact, 1, 1, find, &w, t);
    mnk_shapes_along(b, player, rows, k, exact, 1, -1, find, &w, t);
}

static inline void mnk_find_shapes(const mnk_row_board *b, int player, int find, mnk_shapes *t) {
#define MNK_CASE(K, EXACT, ROWS, FIND) \
    if (b->k == K && b->exact == EXACT && b->rows <= ROWS && find == FIND) { \
        mnk_shapes_inline(b, player, ROWS, K, EXACT, FIND, t); \
        return; \
    }
#define MNK_CASES(K, EXACT, ROWS) \
    MNK_CASE(K, EXACT, ROWS, MNK_FIND_FIVES) \
    MNK_CASE(K, EXACT, ROWS, MNK_FIND_FOURS) \
    MNK_CASE(K, EXACT, ROWS, MNK_FIND_ALL)
    MNK_CASES(5, 0, 16)
    MNK_CASES(5, 1, 16)
#undef MNK_CASES
#undef MNK_CASE
    mnk_shapes_inline(b, player, b->rows, b->k, b->exact, find, t);
}

/* The stones of a board of bytes. */
static void mnk_load_rows(const uint8_t *board, int rows, int cols, int stride, int k, int exact, mnk_row_board *b) {
    const uint32_t all = UINT32_MAX >> (32 - cols);
    b->rows = rows;
    b->cols = cols;
    b->k = k;
    b->exact = exact;
    memset(b->own, 0, sizeof b->own);
    memset(b->empty, 0, sizeof b->empty);
    for (int row = 0; row < rows; row++) {
        const uint8_t *at = board + row * stride;
        uint32_t first = 0, second = 0;
#if defined(MCTS_SSE2)
        const __m128i ones = _mm_set1_epi8(1), twos = _mm_set1_epi8(2);
        if (stride >= 16) {
            const __m128i cells = _mm_loadu_si128((const __m128i *)at);
            first = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(cells, ones));
            second = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(cells, twos));
            if (stride == 32) {
                const __m128i rest = _mm_loadu_si128((const __m128i *)(at + 16));
                first |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(rest, ones)) << 16;
                second |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(rest, twos)) << 16;
            }
        } else
#elif defined(MCTS_VECTOR_TYPES)
        if (stride >= 16) {
            for (int col = 0; col < stride; col += 16) {
                first |= (uint32_t)v_bits(v_eq(v_load(at + col), v_set1(1))) << col;
                second |= (uint32_t)v_bits(v_eq(v_load(at + col), v_set1(2))) << col;
            }
        } else
#endif
            for (int col = 0; col < cols; col++) {
                first |= (uint32_t)(at[col] == 1) << col;
                second |= (uint32_t)(at[col] == 2) << col;
            }
        b->own[0][MNK_EDGE + row] = first;
        b->own[1][MNK_EDGE + row] = second;
        b->empty[MNK_EDGE + row] = all & ~(first | second);
    }
}

#endif
