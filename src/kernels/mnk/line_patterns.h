/* The line patterns of a board: for each cell and each of the four directions, what lies on the five cells on either
 * side.
 *
 * Such five cells are a half-line, 2 bits each, the nearest first: 0 empty, 1 and 2 a stone of the player who began and of
 * the other, 3 beyond the edge. Seen by the player to move there are (3**6 - 1) / 2 = 364 of them; a pattern is an unordered
 * pair. A stone changes the half-lines of the 40 cells around it, by one exclusive or each.
 */
#ifndef MCTS_LINE_PATTERNS_H
#define MCTS_LINE_PATTERNS_H

#include <stdint.h>
#include <string.h>

#include "kernels/mnk/network_data.h"
#include "kernels/platform.h"

/* For a cell and direction: the half-line before it in bits 0 to 9, the one behind it in bits 10 to 19. */
typedef struct line_board {
    uint32_t code[(LINE_SIDE + 2 * LINE_REACH) * LINE_ROW][4];
} line_board;

static const int line_steps[4] = {1, LINE_ROW, LINE_ROW + 1, LINE_ROW - 1};

static uint16_t line_half[2][1024];        /* the number of a half-line as the player who began, or the other, sees it */
static uint32_t line_rows[LINE_HALVES];    /* b (b + 1) / 2 */

static inline void line_fill(void) {
    for (int code = 0; code < 1024; code++)
        for (int player = 0; player < 2; player++) {
            int digits = 0, first = 0, power = 1;
            for (int j = 0; j < LINE_REACH; j++) {
                const int what = code >> 2 * j & 3;
                if (what == 3) break;
                digits += power * (what == 0 ? 0 : what == 1 + player ? 1 : 2);
                first += power;
                power *= 3;
            }
            line_half[player][code] = (uint16_t)(first + digits);
        }
    for (uint32_t half = 0; half < LINE_HALVES; half++) line_rows[half] = half * (half + 1) / 2;
}

MCTS_INLINE int line_cell(int row, int col) { return (row + LINE_REACH) * LINE_ROW + col + LINE_REACH; }

/* Puts a stone of a player (0 began) on a cell, or takes it away again. */
static inline void line_put(line_board *b, int player, int cell) {
    const uint32_t stone = 1u + (uint32_t)player;
    for (int d = 0; d < 4; d++)
        for (int j = 1; j <= LINE_REACH; j++) {
            b->code[cell + j * line_steps[d]][d] ^= stone << (2 * j - 2);
            b->code[cell - j * line_steps[d]][d] ^= stone << (2 * j + 8);
        }
}

static inline void line_clear(line_board *b, int rows, int cols) {
    memset(b, 0, sizeof *b);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++)
            for (int d = 0; d < 4; d++)
                for (int j = 1; j <= LINE_REACH; j++) {
                    const int down = d == 0 ? 0 : j, right = d == 0 ? j : d == 1 ? 0 : d == 2 ? j : -j;
                    uint32_t *code = &b->code[line_cell(row, col)][d];
                    if (row - down < 0 || col - right < 0 || col - right >= cols) *code |= 3u << (2 * j - 2);
                    if (row + down >= rows || col + right < 0 || col + right >= cols) *code |= 3u << (2 * j + 8);
                }
}

/* The pattern of a code as the player whose row of line_half is given sees it. */
MCTS_INLINE uint32_t line_pattern(uint32_t code, const uint16_t *half) {
    const uint32_t a = half[code & 1023], b = half[code >> 10];
    return a < b ? line_rows[b] + a : line_rows[a] + b;
}

#endif
