/* The line patterns of a board: for each cell and each of the four directions, what lies on the five cells on either
 * side.
 *
 * Such five cells are a half-line: three digits for each cell before the edge, the nearest first: 0 empty, 1 a stone of
 * the player who looks, 2 of the other one. There are (3**6 - 1) / 2 = 364 of them; a pattern is an unordered pair. A
 * stone changes the half-lines of the 40 cells around it, by one addition each.
 */
#ifndef MCTS_LINE_PATTERNS_H
#define MCTS_LINE_PATTERNS_H

#include <stdint.h>
#include <string.h>

#include "kernels/mnk/network_data.h"
#include "kernels/platform.h"

/* For a cell: the numbers of the half-lines before it in the four directions, then of those behind it; as the player
 * who began sees them in bits 0 to 15, as the other one in bits 16 to 31. */
typedef struct line_board {
    uint32_t half[(LINE_SIDE + 2 * LINE_REACH) * LINE_ROW][2][4];
} line_board;

static const int line_steps[4] = {1, LINE_ROW, LINE_ROW + 1, LINE_ROW - 1};
static const uint32_t line_powers[LINE_REACH] = {1, 3, 9, 27, 81};

#define LINE_BOTH 0x10001u

MCTS_INLINE int line_cell(int row, int col) { return (row + LINE_REACH) * LINE_ROW + col + LINE_REACH; }

/* Puts a stone of a player (0 began) on a cell (by = 1), or takes it away again (by = -1). */
static inline void line_put(line_board *b, int player, int cell, int by) {
    uint32_t(*at)[2][4] = b->half + cell;
    uint32_t stone = (uint32_t)by * (LINE_BOTH + (1u << 16 * !player));
    for (int j = 1; j <= LINE_REACH; j++) {
        for (int d = 0; d < 4; d++) {
            at[j * line_steps[d]][0][d] += stone;
            at[-j * line_steps[d]][1][d] += stone;
        }
        stone *= 3;
    }
}

/* An empty board: a half-line of n cells has a number above those of all shorter ones. */
static inline void line_clear(line_board *b, int rows, int cols) {
    memset(b, 0, sizeof *b);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++)
            for (int d = 0; d < 4; d++)
                for (int j = 1; j <= LINE_REACH; j++) {
                    const int down = d == 0 ? 0 : j, right = d == 0 ? j : d == 1 ? 0 : d == 2 ? j : -j;
                    uint32_t(*half)[4] = b->half[line_cell(row, col)];
                    if (row - down >= 0 && col - right >= 0 && col - right < cols)
                        half[0][d] += LINE_BOTH * line_powers[j - 1];
                    if (row + down < rows && col + right >= 0 && col + right < cols)
                        half[1][d] += LINE_BOTH * line_powers[j - 1];
                }
}

/* The numbers of the four patterns of a cell as a player sees them, times `scale`, a power of two. */
MCTS_INLINE void line_patterns(const uint32_t half[2][4], int player, int scale, uint32_t *patterns) {
#if defined(MCTS_SSE2)
    const __m128i ones = _mm_set1_epi32(1), low = _mm_set1_epi32(0xFFFF), shift = _mm_cvtsi32_si128(16 * player);
    const __m128i a = _mm_and_si128(_mm_srl_epi32(_mm_loadu_si128((const __m128i *)half[0]), shift), low);
    const __m128i b = _mm_and_si128(_mm_srl_epi32(_mm_loadu_si128((const __m128i *)half[1]), shift), low);
    const __m128i most = _mm_max_epi16(a, b), least = _mm_min_epi16(a, b);
    const __m128i rows = _mm_srli_epi32(_mm_madd_epi16(most, _mm_add_epi32(most, ones)), 1);
    const __m128i found = _mm_add_epi32(rows, least);
    _mm_storeu_si128((__m128i *)patterns, _mm_sll_epi32(found, _mm_cvtsi32_si128(mcts_ctz64((uint64_t)scale))));
#else
    for (int d = 0; d < 4; d++) {
        const uint32_t a = half[0][d] >> 16 * player & 0xFFFF, b = half[1][d] >> 16 * player & 0xFFFF;
        patterns[d] = (uint32_t)scale * (a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b);
    }
#endif
}

/* The same for many cells, four numbers for each. `cells` and `patterns` need room for one cell more. All numbers are
 * stored before any is used: cell by cell, the value of a position took 1.4 times as long. */
MCTS_INLINE void line_patterns_of(const line_board *b, uint16_t *cells, int count, int player, int scale,
                                  uint32_t *patterns) {
#if defined(MCTS_AVX2)
    const __m256i ones = _mm256_set1_epi32(1), low = _mm256_set1_epi32(0xFFFF);
    const __m128i times = _mm_cvtsi32_si128(mcts_ctz64((uint64_t)scale));
    cells[count] = 0;
    for (int i = 0; i < count; i += 2) {
        const __m256i one = _mm256_loadu_si256((const __m256i *)b->half[cells[i]]);
        const __m256i two = _mm256_loadu_si256((const __m256i *)b->half[cells[i + 1]]);
        const __m256i x = _mm256_permute2x128_si256(one, two, 0x20), y = _mm256_permute2x128_si256(one, two, 0x31);
        __m256i most = _mm256_max_epi16(x, y), least = _mm256_min_epi16(x, y), rows;
        most = player ? _mm256_srli_epi32(most, 16) : _mm256_and_si256(most, low);
        least = player ? _mm256_srli_epi32(least, 16) : _mm256_and_si256(least, low);
        rows = _mm256_srli_epi32(_mm256_madd_epi16(most, _mm256_add_epi32(most, ones)), 1);
        _mm256_storeu_si256((__m256i *)(patterns + 4 * i), _mm256_sll_epi32(_mm256_add_epi32(rows, least), times));
    }
#else
    for (int i = 0; i < count; i++) line_patterns(b->half[cells[i]], player, scale, patterns + 4 * i);
#endif
}

#endif
