/* Open lines of the standard Connect Four board: those of four cells, columns left out, by the stones on them.
 *
 * A line is one bit of a word: rows in the lower 28 bits, by column and row of their leftmost cell; rising diagonals,
 * which begin in the lower three rows, and falling ones, which begin in the upper three, in the 28 bits above. All four
 * cells of all lines are then three shifts each. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_OPEN_LINES_H
#define MCTS_KERNELS_CONNECT_FOUR_OPEN_LINES_H

#include "kernels/platform.h"

typedef struct c4_open_lines {
    uint64_t empty;                /* without a stone */
    uint64_t one, two;             /* with one stone, or two or three, of the player to move and none of the other */
    uint64_t their_one, their_two; /* the other way round */
} c4_open_lines;

static uint64_t c4_lines_of_cell[64], c4_every_line;

/* Once, before the other functions. */
static void c4_fill_lines(void) {
    int column, row, i, first;
    c4_every_line = 0;
    for (column = 0; column < 7; column++) {
        for (row = 0; row < 6; row++) {
            uint64_t lines = 0;
            for (i = 0; i < 4; i++) {
                first = column - i;
                if (first < 0 || first > 3) continue;
                lines |= UINT64_C(1) << (7 * first + row);
                if (row - i >= 0 && row - i < 3) lines |= UINT64_C(1) << (28 + 7 * first + row - i);
                if (row + i > 2 && row + i < 6) lines |= UINT64_C(1) << (28 + 7 * first + row + i);
            }
            c4_lines_of_cell[7 * column + row] = lines;
            c4_every_line |= lines;
        }
    }
}

/* Those through a cell of the board; none through a sentinel. */
MCTS_INLINE uint64_t c4_lines_through(int cell) { return c4_lines_of_cell[cell]; }

/* Cell n of every line, of those cells that hold a stone. */
MCTS_INLINE uint64_t c4_cell_of_lines(uint64_t stones, int n) {
    const uint64_t lower = UINT64_C(0x0E1C387), upper = UINT64_C(0x70E1C38);
    return (stones >> 7 * n & UINT64_C(0xFFFFFFF)) | ((stones >> 8 * n & lower) | (stones >> 6 * n & upper)) << 28;
}

/* Bits of the lines with one stone, and with two or three. */
MCTS_INLINE void c4_count_on_lines(uint64_t stones, uint64_t *one, uint64_t *more) {
    uint64_t a = c4_cell_of_lines(stones, 0), b = c4_cell_of_lines(stones, 1);
    uint64_t c = c4_cell_of_lines(stones, 2), d = c4_cell_of_lines(stones, 3);
    *more = (a & b) | (c & d) | ((a ^ b) & (c ^ d));
    *one = (a ^ b ^ c ^ d) & ~*more;
}

MCTS_INLINE c4_open_lines c4_find_open_lines(uint64_t me, uint64_t other) {
    c4_open_lines lines;
    uint64_t one, two, their_one, their_two;
    c4_count_on_lines(me, &one, &two);
    c4_count_on_lines(other, &their_one, &their_two);
    lines.empty = c4_every_line & ~(one | two | their_one | their_two);
    lines.one = one & ~(their_one | their_two);
    lines.two = two & ~(their_one | their_two);
    lines.their_one = their_one & ~(one | two);
    lines.their_two = their_two & ~(one | two);
    return lines;
}

#endif
