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

#define C4_ROW_LINES UINT64_C(0xFFFFFFF)
#define C4_RISING_LINES UINT64_C(0x0E1C387)
#define C4_FALLING_LINES UINT64_C(0x70E1C38)

#if defined(MCTS_AVX2)

/* All four cells of every line, of those cells that hold a stone. One lane per cell. */
MCTS_INLINE __m256i c4_cells_of_lines(uint64_t stones) {
    const __m256i v = _mm256_set1_epi64x((long long)stones);
    const __m256i row = _mm256_srlv_epi64(v, _mm256_setr_epi64x(0, 7, 14, 21));
    const __m256i rising = _mm256_srlv_epi64(v, _mm256_setr_epi64x(0, 8, 16, 24));
    const __m256i falling = _mm256_srlv_epi64(v, _mm256_setr_epi64x(0, 6, 12, 18));
    const __m256i diagonal = _mm256_or_si256(
        _mm256_and_si256(rising, _mm256_set1_epi64x((long long)C4_RISING_LINES)),
        _mm256_and_si256(falling, _mm256_set1_epi64x((long long)C4_FALLING_LINES)));
    return _mm256_or_si256(_mm256_and_si256(row, _mm256_set1_epi64x((long long)C4_ROW_LINES)),
                           _mm256_slli_epi64(diagonal, 28));
}

/* From the cells on, one lane per player. */
MCTS_INLINE c4_open_lines c4_find_open_lines(uint64_t me, uint64_t other) {
    const __m256i mine = c4_cells_of_lines(me), theirs = c4_cells_of_lines(other);
    const __m256i even = _mm256_unpacklo_epi64(mine, theirs), odd = _mm256_unpackhi_epi64(mine, theirs);
    const __m256i both = _mm256_and_si256(even, odd), either = _mm256_xor_si256(even, odd);
    const __m128i low = _mm256_castsi256_si128(either), high = _mm256_extracti128_si256(either, 1);
    const __m128i more = _mm_or_si128(_mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1)),
                                      _mm_and_si128(low, high));
    const __m128i one = _mm_andnot_si128(more, _mm_xor_si128(low, high)), any = _mm_or_si128(one, more);
    const __m128i swapped = _mm_shuffle_epi32(any, 0x4E);
    const __m128i open_one = _mm_andnot_si128(swapped, one), open_more = _mm_andnot_si128(swapped, more);
    c4_open_lines lines;
    lines.empty = c4_every_line & ~(uint64_t)_mm_cvtsi128_si64(_mm_or_si128(any, swapped));
    lines.one = (uint64_t)_mm_cvtsi128_si64(open_one);
    lines.two = (uint64_t)_mm_cvtsi128_si64(open_more);
    lines.their_one = (uint64_t)_mm_extract_epi64(open_one, 1);
    lines.their_two = (uint64_t)_mm_extract_epi64(open_more, 1);
    return lines;
}

#else

/* Cell n of every line, of those cells that hold a stone. */
MCTS_INLINE uint64_t c4_cell_of_lines(uint64_t stones, int n) {
    return (stones >> 7 * n & C4_ROW_LINES)
        | ((stones >> 8 * n & C4_RISING_LINES) | (stones >> 6 * n & C4_FALLING_LINES)) << 28;
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
#endif
