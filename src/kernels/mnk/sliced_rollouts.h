/* Many random rollouts of one position, MNK_SLICED at once: the algorithm of bit_rollout.h for the same boards, with a
 * vector for each cell and a bit in it for each rollout. A step looks at one more bit of all keys in all rollouts, for
 * both players, whether a rollout still needs it or not. After the last step nearly every rollout knows its winner and
 * the move; the others are taken out of the vectors and finished one by one.
 *
 * Per rollout this takes half the time of bit_rollout.h with eight rollouts by turns, which it replaced
 * (bench/TUNING.md). */
#ifndef MCTS_KERNELS_MNK_SLICED_ROLLOUTS_H
#define MCTS_KERNELS_MNK_SLICED_ROLLOUTS_H

#include <stdint.h>
#include <string.h>

#include "kernels/mnk/bit_rollout.h"
#include "kernels/platform.h"
#include "kernels/vectors/slice_vector.h"
#include "mcts_core/game.h"

#define MNK_SLICED 512  /* 8 words: the widest vector */
#define MNK_GROUPS (MNK_SLICED / 64 / SLICE_WORDS)
#define MNK_FEWEST 128  /* For fewer rollouts, one by one is faster. */
#define MNK_NOWHERE 256 /* a cell that is never filled: the list of empty cells ends with it */

/* A cell of all rollouts; side 0 is to move at the start. */
typedef struct mnk_sliced_cell {
    slice_v filled[2]; /* holds a stone of this side, or is filled in this step */
    slice_v colour;    /* of an empty cell: set where it is side 1's */
    slice_v open;      /* its key begins with the same bits as that of the cell that completes its side's first five */
} mnk_sliced_cell;

typedef struct mnk_slices {
    mnk_sliced_cell cell[MNK_NOWHERE + 1]; /* row by row */
    uint16_t empty[MNK_NOWHERE];           /* the empty cells, and MNK_NOWHERE up to a multiple of 8 */
    int empty_cells, listed, rows, cols, steps;
    slice_v without[2]; /* set where this side had no five in the last step */
    slice_v found[2];   /* set where it had one in any step */
    slice_random random, start; /* now, and before the colours were drawn */
} mnk_slices;

/* Adds to `fives` of each side the rollouts in which it fills five cells in a row of `length` cells, `step` apart. Two
 * fives at a time, because both contain the inner four of six cells. Both sides in one loop: one side after the other
 * takes twice as many instructions, and 1.2 times as long. */
MCTS_INLINE void mnk_sliced_line(const mnk_sliced_cell *c, int step, int length, slice_v fives[2]) {
#define FILLED(n, side) c[(n) * step].filled[side]
    slice_v third0 = FILLED(3, 0), pair0 = slice_and(FILLED(1, 0), FILLED(2, 0)), fives0 = fives[0];
    slice_v third1 = FILLED(3, 1), pair1 = slice_and(FILLED(1, 1), FILLED(2, 1)), fives1 = fives[1];
    for (; length > 6; length -= 2, c += 2 * step) {
        const slice_v next0 = slice_and(third0, FILLED(4, 0)), next1 = slice_and(third1, FILLED(4, 1));
        third0 = FILLED(5, 0);
        third1 = FILLED(5, 1);
        fives0 = slice_and_or(slice_or_and(third0, FILLED(0, 0), next0), pair0, fives0);
        fives1 = slice_and_or(slice_or_and(third1, FILLED(0, 1), next1), pair1, fives1);
        pair0 = next0;
        pair1 = next1;
    }
    pair0 = slice_and(pair0, slice_and(third0, FILLED(4, 0)));
    pair1 = slice_and(pair1, slice_and(third1, FILLED(4, 1)));
    if (length == 6) {
        fives[0] = slice_or(fives0, slice_or_and(FILLED(0, 0), FILLED(5, 0), pair0));
        fives[1] = slice_or(fives1, slice_or_and(FILLED(0, 1), FILLED(5, 1), pair1));
    } else {
        fives[0] = slice_and_or(FILLED(0, 0), pair0, fives0);
        fives[1] = slice_and_or(FILLED(0, 1), pair1, fives1);
    }
#undef FILLED
}

MCTS_INLINE int mnk_shorter(int a, int b) { return a < b ? a : b; }

static void mnk_sliced_fives(const mnk_slices *s, slice_v fives[2]) {
    const mnk_sliced_cell *c = s->cell;
    const int rows = s->rows, cols = s->cols, last = cols - 1;
    slice_v all[2] = {slice_of_bit(0), slice_of_bit(0)};
    int i;
    if (cols >= 5)
        for (i = 0; i < rows; i++) mnk_sliced_line(c + i * cols, 1, cols, all);
    if (rows >= 5)
        for (i = 0; i < cols; i++) mnk_sliced_line(c + i, cols, rows, all);
    if (cols >= 5 && rows >= 5) {
        for (i = 0; i + 5 <= cols; i++) { /* from the first row, to the right and to the left */
            mnk_sliced_line(c + i, cols + 1, mnk_shorter(cols - i, rows), all);
            mnk_sliced_line(c + last - i, cols - 1, mnk_shorter(cols - i, rows), all);
        }
        for (i = 1; i + 5 <= rows; i++) { /* from the first column to the right, and from the last one to the left */
            mnk_sliced_line(c + i * cols, cols + 1, mnk_shorter(rows - i, cols), all);
            mnk_sliced_line(c + i * cols + last, cols - 1, mnk_shorter(rows - i, cols), all);
        }
    }
    fives[0] = all[0];
    fives[1] = all[1];
}

/* The position, with nothing drawn. */
static void mnk_sliced_load(mnk_slices *s, board_v mine, board_v theirs, int rows, int cols) {
    uint64_t words[2][4];
    const slice_v none = slice_of_bit(0);
    int row, col, at = 0;
    board_store(words[0], mine);
    board_store(words[1], theirs);
    s->rows = rows;
    s->cols = cols;
    s->empty_cells = 0;
    for (row = 0; row < rows; row++)
        for (col = 0; col < cols; col++, at++) {
            const int bit = board_bit(row, col);
            const int stone[2] = {words[0][bit / 64] >> bit % 64 & 1, words[1][bit / 64] >> bit % 64 & 1};
            s->cell[at].filled[0] = slice_of_bit(-stone[0]);
            s->cell[at].filled[1] = slice_of_bit(-stone[1]);
            s->cell[at].colour = s->cell[at].open = none;
            if (!stone[0] && !stone[1]) s->empty[s->empty_cells++] = (uint16_t)at;
        }
    s->cell[MNK_NOWHERE].filled[0] = s->cell[MNK_NOWHERE].filled[1] = none;
    s->cell[MNK_NOWHERE].colour = s->cell[MNK_NOWHERE].open = none;
    for (s->listed = s->empty_cells; s->listed % 8; s->listed++) s->empty[s->listed] = MNK_NOWHERE;
    /* About empty_cells / 2^(steps + 1) of the rollouts are left over. To finish one takes some 10 times as long as all
     * of its steps in the slices. */
    s->steps = s->empty_cells ? mcts_log2_32((uint32_t)s->empty_cells) + 6 : 0;
}

MCTS_INLINE void mnk_sliced_start(mnk_slices *s) {
    slice_random random = s->random;
    s->start = random;
    for (int i = 0; i < s->empty_cells; i++) {
        mnk_sliced_cell *c = &s->cell[s->empty[i]];
        c->colour = slice_random_next(&random);
        c->open = slice_of_bit(-1);
        c->filled[0] = c->filled[1] = slice_of_bit(0);
    }
    s->random = random;
    s->found[0] = s->found[1] = slice_of_bit(0);
    s->without[0] = s->without[1] = slice_of_bit(-1);
}

/* Updates a cell by the result of the last step; returns where it is filled before its side's five. */
MCTS_INLINE slice_v mnk_sliced_keep(const mnk_slices *s, mnk_sliced_cell *c) {
    const slice_v without = slice_select(c->colour, s->without[1], s->without[0]);
    const slice_v filled = slice_or(c->filled[0], c->filled[1]), low = slice_and(filled, c->open);
    c->open = slice_xor_and(low, without, c->open); /* the lower half, or where it is without a five the upper half */
    return slice_and_ornot(filled, without, low);
}

MCTS_INLINE void mnk_sliced_fill(mnk_sliced_cell *c, slice_v filled) {
    c->filled[0] = slice_andnot(c->colour, filled);
    c->filled[1] = slice_and(c->colour, filled);
}

/* Looks at one more bit of the keys of both players. */
static void mnk_sliced_halve(mnk_slices *s) {
    slice_random random = s->random;
    slice_v fives[2];
    for (int i = 0; i < s->empty_cells; i++) {
        mnk_sliced_cell *c = &s->cell[s->empty[i]];
        const slice_v filled = mnk_sliced_keep(s, c);
        mnk_sliced_fill(c, slice_or_andnot(filled, c->open, slice_random_next(&random)));
    }
    s->random = random;
    mnk_sliced_fives(s, fives);
    for (int side = 0; side < 2; side++) {
        s->found[side] = slice_or(s->found[side], fives[side]);
        s->without[side] = slice_xor(fives[side], slice_of_bit(-1));
    }
}

/* What mnk_sliced_count counts of an empty cell. Part 0 or 1: that side fills it; part 2: it is side 1's. */
MCTS_INLINE slice_v mnk_sliced_part(const mnk_slices *s, int i, int part) {
    const mnk_sliced_cell *c = &s->cell[s->empty[i]];
    return part == 2 ? c->colour : c->filled[part];
}

MCTS_INLINE slice_number mnk_sliced_count(const mnk_slices *s, int part) {
    slice_number n;
    int i;
    for (i = 0; i < SLICE_PLANES; i++) n.plane[i] = slice_of_bit(0);
    for (i = 0; i < s->listed; i += 8) { /* a tree of adders: one vector of weight 8 for eight of weight 1 */
        slice_v two[4], four[2];
        for (int j = 0; j < 4; j++)
            two[j] = slice_add_two(&n.plane[0], mnk_sliced_part(s, i + 2 * j, part),
                                   mnk_sliced_part(s, i + 2 * j + 1, part));
        four[0] = slice_add_two(&n.plane[1], two[0], two[1]);
        four[1] = slice_add_two(&n.plane[1], two[2], two[3]);
        slice_add_eight(&n, slice_add_two(&n.plane[2], four[0], four[1]));
    }
    return n;
}

/* After the last step: adds the rollouts of `wanted` that know their winner and the move to the results, and returns
 * the others. */
static slice_v mnk_sliced_results(mnk_slices *s, slice_v wanted, uint64_t results[3], uint64_t *plies) {
    const slice_v none = slice_of_bit(0);
    slice_v one[2] = {none, none}, more[2] = {none, none}, known[2];
    slice_number before[2], cells[2];
    for (int i = 0; i < s->empty_cells; i++) {
        mnk_sliced_cell *c = &s->cell[s->empty[i]];
        const slice_v filled = mnk_sliced_keep(s, c);
        mnk_sliced_fill(c, filled);
        for (int side = 0; side < 2; side++) {
            const slice_v open = side ? slice_and(c->colour, c->open) : slice_andnot(c->colour, c->open);
            more[side] = slice_and_or(one[side], open, more[side]);
            one[side] = slice_or(one[side], open);
        }
    }
    before[0] = mnk_sliced_count(s, 0); /* moves of each side before it completes a five */
    before[1] = mnk_sliced_count(s, 1);
    cells[1] = mnk_sliced_count(s, 2);
    cells[0] = slice_subtracted_from(s->empty_cells, &cells[1]);
    /* Side 0 moves first. Of side 1's moves its own before[0] must be possible, of side 0's before[1] + 1. */
    known[1] = slice_less(&before[1], &before[0]);
    known[0] = slice_andnot(slice_or(known[1], slice_less(&cells[1], &before[0])), wanted);
    known[1] = slice_and(slice_and(known[1], slice_less(&before[1], &cells[0])), wanted);
    for (int side = 0; side < 2; side++) {
        known[side] = slice_and(slice_and(known[side], s->found[side]), slice_andnot(more[side], one[side]));
        const uint64_t games = slice_count(known[side]);
        results[side ? 0 : 2] += games;
        *plies += 2 * slice_sum(&before[side], known[side]) + (side ? 2 : 1) * games;
    }
    return slice_andnot(slice_or(known[0], known[1]), wanted);
}

MCTS_INLINE uint32_t mnk_sliced_bit(const slice_v *a, int rollout) {
    uint64_t word;
    memcpy(&word, (const char *)a + rollout / 64 * 8, 8);
    return word >> rollout % 64 & 1;
}

/* Takes a rollout out of the slices; r->bits of the steps stay unset. */
static void mnk_sliced_take(const mnk_slices *s, int rollout, board_v mine, board_v theirs, board_v empty,
                            mnk_bit_rollout *r) {
    uint64_t words[3][4] = {{0}};
    board_v filled, open;
    int row, col, i;
    for (row = 0; row < s->rows; row++) {
        uint32_t bits[3] = {0};
        for (col = s->cols; col--;) {
            const mnk_sliced_cell *c = &s->cell[row * s->cols + col];
            const uint32_t any = mnk_sliced_bit(&c->filled[0], rollout) | mnk_sliced_bit(&c->filled[1], rollout);
            bits[0] = bits[0] << 1 | any;
            bits[1] = bits[1] << 1 | mnk_sliced_bit(&c->open, rollout);
            bits[2] = bits[2] << 1 | mnk_sliced_bit(&c->colour, rollout);
        }
        for (i = 0; i < 3; i++) words[i][row % 4] |= (uint64_t)bits[i] << row / 4 * 16;
    }
    filled = board_and(board_load(words[0]), empty);
    open = board_load(words[1]);
    r->colour = board_load(words[2]);
    r->known = s->steps;
    r->side[0].has = board_or(mine, board_andnot(r->colour, filled));
    r->side[1].has = board_or(theirs, board_and(r->colour, filled));
    r->side[0].open = board_andnot(r->colour, open);
    r->side[1].open = board_and(r->colour, open);
    r->side[0].cells = board_count(board_andnot(r->colour, empty));
    r->side[1].cells = board_count(board_and(r->colour, empty));
    for (i = 0; i < 2; i++) {
        mnk_side *side = &r->side[i];
        side->stones = board_count(i ? theirs : mine);
        side->first = board_count(side->has) - side->stones + 1;
        side->last = side->first - 1 + board_count(side->open);
        if (!mnk_has_five(board_or(side->has, side->open))) side->first = side->last = MNK_NEVER;
    }
}

/* Draws the bits of a rollout again, from the generator as it was at the start. */
static void mnk_sliced_draw_again(const mnk_slices *s, int rollout, mnk_bit_rollout *r) {
    slice_random random = s->start;
    for (int step = -1; step < s->steps; step++) { /* the colours, which are known, come first */
        uint64_t words[4] = {0};
        for (int i = 0; i < s->empty_cells; i++) {
            const int at = board_bit(s->empty[i] / s->cols, s->empty[i] % s->cols);
            const slice_v drawn = slice_random_next(&random);
            words[at / 64] |= (uint64_t)mnk_sliced_bit(&drawn, rollout) << at % 64;
        }
        if (step >= 0) r->bits[step] = board_load(words);
    }
}

MCTS_INLINE void mnk_add_result(int32_t result, uint64_t results[3], uint64_t *plies) {
    results[result & 3]++;
    *plies += (uint64_t)(result >> 2);
}

/* `count` rollouts from a position without a five: adds to `results` (lost, drawn, won), and the moves to `plies`.
 * Needs 74 kB of stack with AVX-512, 39 kB with AVX2. */
static void mnk_play_many_bits(board_v mine, board_v theirs, board_v empty, int rows, int cols, uint64_t count,
                               mcts_rng *rng, uint64_t results[3], uint64_t *plies) {
    mnk_bit_rollout r;
    slice_random groups[MNK_GROUPS];
    mnk_slices s;
    byte_random random;
    random_load(&random, rng);
    if (count >= MNK_FEWEST) {
        mnk_sliced_load(&s, mine, theirs, rows, cols);
        for (int i = 0; i < MNK_GROUPS; i++) {
            uint64_t x[SLICE_WORDS], y[SLICE_WORDS];
            for (int j = 0; j < SLICE_WORDS; j++) {
                x[j] = mcts_rng_next(rng);
                y[j] = mcts_rng_next(rng);
            }
            groups[i].x = slice_load(x);
            groups[i].y = slice_load(y);
        }
    }
    while (count >= MNK_FEWEST) {
        int left = count < MNK_SLICED ? (int)count : MNK_SLICED, i;
        count -= (uint64_t)left;
        for (i = 0; i < MNK_GROUPS && left > 0; i++) {
            uint64_t these[SLICE_WORDS];
            int j;
            for (j = 0; j < SLICE_WORDS; j++, left -= 64)
                these[j] = left >= 64 ? ~UINT64_C(0) : left > 0 ? (UINT64_C(1) << left) - 1 : 0;
            s.random = groups[i];
            mnk_sliced_start(&s);
            for (j = 0; j < s.steps; j++) mnk_sliced_halve(&s);
            groups[i] = s.random;
            slice_store(these, mnk_sliced_results(&s, slice_load(these), results, plies));
            for (j = 0; j < SLICE_WORDS; j++)
                for (; these[j]; these[j] &= these[j] - 1) {
                    const int rollout = 64 * j + mcts_ctz64(these[j]);
                    mnk_sliced_take(&s, rollout, mine, theirs, empty, &r);
                    mnk_decide(&r, 1, &random);
                    if (MCTS_UNLIKELY(r.winner.first > r.most)) mnk_sliced_draw_again(&s, rollout, &r);
                    mnk_add_result(mnk_result(&r, mine, theirs, empty, &random, rng), results, plies);
                }
        }
    }
    for (; count; count--) mnk_add_result(mnk_play_drawn(mine, theirs, empty, 1, &random, rng), results, plies);
    random_store(&random, rng);
}

#endif
