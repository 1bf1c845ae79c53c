/* The planes of observations: 1 where there is a stone, else 0. */
#ifndef MCTS_PLANES_H
#define MCTS_PLANES_H

#include <stdint.h>
#include <string.h>

#include "kernels/platform.h"

/* 1.0f or 0.0f by its bits: the conversion of an integer takes three times as long. */
MCTS_INLINE void plane_set(float *cell, uint64_t stone) {
    const uint32_t bits = (0u - (uint32_t)stone) & 0x3F800000u;
    memcpy(cell, &bits, sizeof bits);
}

/* Of a board with a byte for each cell and rows `stride` apart, a multiple of 4. It goes by four cells, and up to three
 * places beyond the plane are written. */
MCTS_INLINE void plane_of_bytes(float *plane, const uint8_t *board, int rows, int cols, int stride, uint8_t value) {
    int row, col, i;
    for (row = 0; row < rows; row++, board += stride, plane += cols)
        for (col = 0; col < cols; col += 4)
            for (i = 0; i < 4; i++)
                plane_set(plane + col + i, board[col + i] == value);
}

/* Of a board of columns of `height` bits, the lowest of which is the cell at the bottom, in 128 bits. It goes by
 * stones: by cells it took 18 instructions a cell. */
MCTS_INLINE void plane_of_bits(float *plane, uint64_t low, uint64_t high, int rows, int cols, int height) {
    int half, bit, col = 0, first = 0; /* the column at hand, and its lowest bit */
    memset(plane, 0, (size_t)rows * (size_t)cols * sizeof *plane);
    for (half = 0; half < 2; half++) {
        uint64_t stones = half ? high : low;
        for (; stones; stones &= stones - 1) {
            bit = 64 * half + mcts_ctz64(stones);
            for (; bit - first >= height; first += height)
                col++;
            plane[(rows - 1 - (bit - first)) * cols + col] = 1.0f;
        }
    }
}

MCTS_INLINE void plane_fill(float *plane, int cells, float value) {
    int cell;
    for (cell = 0; cell < cells; cell++)
        plane[cell] = value;
}

#endif
