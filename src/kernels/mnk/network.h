/* The line-pattern network: a value and a weight for each move from the patterns of the cells near stones.
 *
 * Each pattern has NET_CHANNELS numbers in a table. A cell's channels are the sums of those of its four directions,
 * clipped to 0 .. 128. A move's weight is 2 to the power of a weighted sum of its cell's channels; the value comes from
 * the sums and the maxima of the channels over all cells looked at, by a hidden layer. So both are the same in all
 * symmetric positions. All numbers are integers and all sums exact: every instruction set gets the same. Scales are
 * powers of two:
 *
 *   channels 2**7, inputs and hidden numbers of the value 2**8, its weights 2**9, weights of the policy 2**10
 *
 * The table is not stored but computed once from a small network of its own, whose hidden numbers (scale 2**8) are sums
 * of a vector of each of the two half-lines, clipped to 0 .. 4095.
 */
#ifndef MCTS_MNK_NETWORK_H
#define MCTS_MNK_NETWORK_H

#include <stdint.h>
#include <string.h>

#include "kernels/exp2.h"
#include "kernels/mnk/line_patterns.h"
#include "kernels/mnk/network_data.h"
#include "kernels/vectors/short_vector.h"

/* A row of the table from the sums of its channels: divided by 2**10, rounded. */
MCTS_INLINE void net_write_row(const int32_t *sums, int16_t *row) {
    for (int c = 0; c < NET_CHANNELS; c++) {
        /* without a sign: the shift of a number below 0 is left to the compiler */
        const uint32_t above = (uint32_t)sums[c] + ((uint32_t)1 << 31);
        const int32_t entry = (int32_t)((above >> 10) + (above >> 9 & 1)) - (1 << 21);
        row[c] = (int16_t)(entry > NET_MOST_ENTRY ? NET_MOST_ENTRY : entry < -NET_MOST_ENTRY ? -NET_MOST_ENTRY : entry);
    }
}

/* The table, from half[LINE_HALVES][inner], mix[inner][NET_CHANNELS]; `inner` is even and at most NET_MOST_WIDTH. */
static inline void net_fill_table(const int16_t *half, const int16_t *mix, const int32_t *bias, int inner,
                                  int16_t *table) {
    int16_t pairs[NET_MOST_WIDTH / 2][NET_CHANNELS][2], both[NET_MOST_WIDTH];
    int32_t sums[NET_CHANNELS];
    for (int j = 0; j < inner; j++)
        for (int c = 0; c < NET_CHANNELS; c++) pairs[j >> 1][c][j & 1] = mix[j * NET_CHANNELS + c];
    for (int b = 0; b < LINE_HALVES; b++)
        for (int a = 0; a <= b; a++, table += NET_CHANNELS) {
            int_v at[NET_CHANNELS / INTS];
            for (int j = 0; j < inner; j++) {
                const int x = half[a * inner + j] + half[b * inner + j];
                both[j] = (int16_t)(x < 0 ? 0 : x > NET_MOST_INNER ? NET_MOST_INNER : x);
            }
            for (int v = 0; v < NET_CHANNELS / INTS; v++) at[v] = ints_load(bias + v * INTS);
            for (int i = 0; i < inner / 2; i++) {
                const short_v pair = shorts_pair(both[2 * i] | (int32_t)both[2 * i + 1] << 16);
                for (int v = 0; v < NET_CHANNELS / INTS; v++)
                    at[v] = ints_add(at[v], shorts_dot(pair, shorts_load(&pairs[i][v * INTS][0])));
            }
            for (int v = 0; v < NET_CHANNELS / INTS; v++) ints_store(sums + v * INTS, at[v]);
            net_write_row(sums, table);
        }
}

/* The stones of one kind (1 own, 2 the other player's) that a half-line begins with. */
MCTS_INLINE int net_run(int half, int kind) {
    int cells = 0, first = 0, power = 1, run = 0;
    while (cells < LINE_REACH && half >= first + power) {
        first += power;
        power *= 3;
        cells++;
    }
    half -= first;
    for (; run < cells && half % 3 == kind; run++) half /= 3;
    return run;
}

/* The table for exactly five: where a stone would make more, the line is as dead as one without any cells. */
static inline void net_fill_exact_table(const int16_t *table, int16_t *exact) {
    int runs[LINE_HALVES][2];
    for (int a = 0; a < LINE_HALVES; a++)
        for (int kind = 0; kind < 2; kind++) runs[a][kind] = net_run(a, kind + 1);
    memcpy(exact, table, (size_t)LINE_PATTERNS * NET_CHANNELS * sizeof *table);
    for (int b = 0; b < LINE_HALVES; b++)
        for (int a = 0; a <= b; a++)
            if (runs[a][0] + runs[b][0] >= 5 || runs[a][1] + runs[b][1] >= 5)
                memcpy(exact + (size_t)NET_CHANNELS * (size_t)(b * (b + 1) / 2 + a), table,
                       NET_CHANNELS * sizeof *table);
}

/* x / 2**9, rounded down */
MCTS_INLINE int32_t net_scaled(int32_t x) { return x >= 0 ? x >> 9 : -((511 - x) >> 9); }

#define NET_VECTORS (NET_CHANNELS / SHORTS)
#define NET_PLACES (4 * (LINE_SIDE * LINE_SIDE + 1)) /* of four patterns of each cell, and of one cell more */

/* The channels of a cell; `places`: where its four patterns begin in the table. */
MCTS_INLINE void net_cell(const mnk_network *net, const uint32_t *places, short_v *channels) {
    const short_v zero = shorts_all(0), one = shorts_all(NET_ONE);
    for (int v = 0; v < NET_VECTORS; v++) {
        const int16_t *table = net->table + v * SHORTS;
        const short_v sum = shorts_add(shorts_add(shorts_load(table + places[0]), shorts_load(table + places[1])),
                                       shorts_add(shorts_load(table + places[2]), shorts_load(table + places[3])));
        channels[v] = shorts_min(shorts_max(sum, zero), one);
    }
}

/* The logarithms to the base 2 of the weights of the moves to `cells`, in 256ths; `cells` needs room for one more. */
static inline void net_logits(const mnk_network *net, const line_board *b, uint16_t *cells, int count, int player,
                              int32_t *logits) {
    uint32_t places[NET_PLACES];
    short_v channels[NET_VECTORS], policy[NET_VECTORS];
    for (int v = 0; v < NET_VECTORS; v++) policy[v] = shorts_load(net->policy + v * SHORTS);
    line_patterns_of(b, cells, count, player, NET_CHANNELS, places);
    for (int i = 0; i < count; i++) {
        int_v sum;
        net_cell(net, places + 4 * i, channels);
        sum = shorts_dot(channels[0], policy[0]);
        for (int v = 1; v < NET_VECTORS; v++) sum = ints_add(sum, shorts_dot(channels[v], policy[v]));
        logits[i] = net_scaled(ints_sum(sum));
    }
}

/* What the hidden layer makes of the sums and maxima of the channels: the logit of the value, in 256ths of log2. */
static inline int32_t net_value_logit(const mnk_network *net, const uint16_t *sums, const int16_t *most) {
    int16_t inputs[2 * NET_CHANNELS];
    int32_t hidden[NET_HIDDEN], total = net->value2_bias;
    int_v at[NET_HIDDEN / INTS];
    for (int c = 0; c < NET_CHANNELS; c++) {
        inputs[c] = (int16_t)(sums[c] >> 3);
        inputs[NET_CHANNELS + c] = (int16_t)(2 * most[c]);
    }
    for (int v = 0; v < NET_HIDDEN / INTS; v++) at[v] = ints_load(net->value1_bias + v * INTS);
    for (int i = 0; i < NET_CHANNELS; i++) {
        const int32_t both = (int32_t)((uint32_t)(uint16_t)inputs[2 * i] | (uint32_t)(uint16_t)inputs[2 * i + 1] << 16);
        const short_v pair = shorts_pair(both);
        if (both == 0) continue;
        for (int v = 0; v < NET_HIDDEN / INTS; v++)
            at[v] = ints_add(at[v], shorts_dot(pair, shorts_load(&net->value1[i][v * INTS][0])));
    }
    for (int v = 0; v < NET_HIDDEN / INTS; v++) ints_store(hidden + v * INTS, at[v]);
    for (int v = 0; v < NET_HIDDEN; v++) {
        int32_t x = net_scaled(hidden[v]);
        x = x < 0 ? 0 : x > NET_MOST_HIDDEN ? NET_MOST_HIDDEN : x;
        total += x * net->value2[v];
    }
    total = net_scaled(total);
    return total > NET_MOST_LOGIT ? NET_MOST_LOGIT : total < -NET_MOST_LOGIT ? -NET_MOST_LOGIT : total;
}

/* The logit of the value for a player, from the empty cells in `look` (a word for each row). */
static inline int32_t net_value(const mnk_network *net, const line_board *b, const uint32_t *look, int rows,
                                int player) {
    short_v channels[NET_VECTORS], sums[NET_VECTORS], most[NET_VECTORS];
    uint16_t sum[NET_CHANNELS], cells[LINE_SIDE * LINE_SIDE + 1];
    int16_t highest[NET_CHANNELS];
    uint32_t places[NET_PLACES];
    int count = 0;
    for (int row = 0; row < rows; row += 2) { /* a row has LINE_ROW = 32 cells: bit 32 begins the next */
        uint64_t rest = look[row] | (uint64_t)(row + 1 < rows ? look[row + 1] : 0) << LINE_ROW;
        for (; rest; rest &= rest - 1) cells[count++] = (uint16_t)(line_cell(row, 0) + mcts_ctz64(rest));
    }
    line_patterns_of(b, cells, count, player, NET_CHANNELS, places);
    for (int v = 0; v < NET_VECTORS; v++) sums[v] = most[v] = shorts_all(0);
    for (int i = 0; i < count; i++) {
        net_cell(net, places + 4 * i, channels);
        for (int v = 0; v < NET_VECTORS; v++) {
            sums[v] = shorts_add(sums[v], channels[v]); /* 484 cells at most: below 2**16 */
            most[v] = shorts_max(most[v], channels[v]);
        }
    }
    for (int v = 0; v < NET_VECTORS; v++) {
        shorts_store(sum + v * SHORTS, sums[v]);
        shorts_store(highest + v * SHORTS, most[v]);
    }
    return net_value_logit(net, sum, highest);
}

/* The empty cells at most 2 from a stone, and those 3 from one in a line. `stones` and `empty` have three words of
 * nobody's on either side. */
static inline void net_look(const uint32_t *stones, const uint32_t *empty, int rows, uint32_t *look) {
    for (int row = 0; row < rows; row++) {
        const uint32_t *at = stones + row;
        const uint32_t near_ = at[-2] | at[-1] | at[0] | at[1] | at[2], ends = at[-3] | at[3], here = at[0];
        look[row] = empty[row] & (near_ | near_ << 1 | near_ >> 1 | near_ << 2 | near_ >> 2 | ends | ends << 3 |
                                  ends >> 3 | here << 3 | here >> 3);
    }
}

#endif
