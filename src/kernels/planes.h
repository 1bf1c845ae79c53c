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

/* 16 cells; returns 0 where there are no such vectors. What the compiler made of the loop took 1.6 times as long. */
MCTS_INLINE int plane_of_16(float *plane, const uint8_t *board, uint8_t value) {
#if defined(MCTS_SSE2)
    const __m128i one = _mm_set1_epi32(0x3F800000); /* 1.0f */
    const __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)board), _mm_set1_epi8((char)value));
    const __m128i low = _mm_unpacklo_epi8(found, found), high = _mm_unpackhi_epi8(found, found);
    _mm_storeu_si128((__m128i *)plane, _mm_and_si128(_mm_unpacklo_epi16(low, low), one));
    _mm_storeu_si128((__m128i *)(plane + 4), _mm_and_si128(_mm_unpackhi_epi16(low, low), one));
    _mm_storeu_si128((__m128i *)(plane + 8), _mm_and_si128(_mm_unpacklo_epi16(high, high), one));
    _mm_storeu_si128((__m128i *)(plane + 12), _mm_and_si128(_mm_unpackhi_epi16(high, high), one));
    return 1;
#else
    (void)plane, (void)board, (void)value;
    return 0;
#endif
}

/* Of a board with a byte for each cell and rows `stride` apart, a multiple of 4. It goes by 16 cells and by four, and
 * up to three places beyond the plane are written. */
MCTS_INLINE void plane_of_bytes(float *plane, const uint8_t *board, int rows, int cols, int stride, uint8_t value) {
    int row, col, i;
    for (row = 0; row < rows; row++, board += stride, plane += cols) {
        for (col = 0; col + 16 < cols + 4 && plane_of_16(plane + col, board + col, value); col += 16)
            ;
        for (; col < cols; col += 4)
            for (i = 0; i < 4; i++)
                plane_set(plane + col + i, board[col + i] == value);
    }
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
