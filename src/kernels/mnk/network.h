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
 * The file has no table: a row is computed from a small network of its own, whose hidden numbers (scale 2**8) are sums
 * of a vector of each of the two half-lines, clipped to 0 .. 4095. To compute all 66,430 rows takes 15 ms, so each is
 * computed when a position needs it first. The table begins as zeros, and its entries have NET_SHIFT subtracted, by
 * which a sum of four that includes a zero is above all others:
 *
 *   with a zero     at least -3 * (NET_SHIFT + NET_MOST_ENTRY) = -24555
 *   without a zero  at most   4 * (NET_MOST_ENTRY - NET_SHIFT) = -24556
 *
 * So the maxima of the sums, which the value needs anyway, say whether rows are missing. Threads share the table: they
 * write the same numbers to a row, and where a sum has no zero, each of its numbers is there.
 */
#ifndef MCTS_MNK_NETWORK_H
#define MCTS_MNK_NETWORK_H

#include <stdint.h>
#include <string.h>

#include "kernels/exp2.h"
#include "kernels/mnk/line_patterns.h"
#include "kernels/mnk/network_data.h"
#include "kernels/vectors/short_vector.h"

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

/* Computes the row of the pattern of two half-lines. For exactly five, a line where a stone would make more is as dead
 * as one without any cells. */
static inline void net_fill_row(const mnk_network *net, int a, int b, int16_t *row) {
    int32_t sums[NET_CHANNELS];
    if (net->table == net->exact_table)
        for (int kind = 1; kind <= 2; kind++)
            if (net_run(a, kind) + net_run(b, kind) >= 5) a = b = 0;
    memcpy(sums, net->bias, sizeof sums);
    for (int j = 0; j < net->inner; j++) {
        const int16_t *mix = net->mix + j * NET_CHANNELS;
        int x = net->half[a * net->inner + j] + net->half[b * net->inner + j];
        if (x <= 0) continue;
        x = x > NET_MOST_INNER ? NET_MOST_INNER : x;
        for (int c = 0; c < NET_CHANNELS; c++) sums[c] += x * mix[c];
    }
    for (int c = 0; c < NET_CHANNELS; c++) { /* divided by 2**10, rounded */
        /* without a sign: the shift of a number below 0 is left to the compiler */
        const uint32_t above = (uint32_t)sums[c] + ((uint32_t)1 << 31);
        const int32_t entry = (int32_t)((above >> 10) + (above >> 9 & 1)) - (1 << 21);
        const int32_t most = entry > NET_MOST_ENTRY ? NET_MOST_ENTRY : entry;
        row[c] = (int16_t)((most < -NET_MOST_ENTRY ? -NET_MOST_ENTRY : most) - NET_SHIFT);
    }
}

/* Computes the rows of the table among `places` that are missing. */
static inline void net_fill_rows(const mnk_network *net, const uint32_t *places, int count) {
    for (int i = 0; i < count; i++) {
        int16_t *row = net->table + places[i];
        const int number = (int)places[i] / NET_CHANNELS;
        int missing = 0, b = 0;
        for (int c = 0; c < NET_CHANNELS; c++) missing |= row[c] == 0;
        if (!missing) continue;
        for (int step = 256; step; step /= 2) /* the largest b with b * (b + 1) / 2 <= number */
            if ((b + step) * (b + step + 1) / 2 <= number) b += step;
        net_fill_row(net, number - b * (b + 1) / 2, b, row);
    }
}

/* x / 2**9, rounded down */
MCTS_INLINE int32_t net_scaled(int32_t x) { return x >= 0 ? x >> 9 : -((511 - x) >> 9); }

#define NET_VECTORS (NET_CHANNELS / SHORTS)
#define NET_PLACES (4 * (LINE_SIDE * LINE_SIDE + 1)) /* of four patterns of each cell, and of one cell more */
#define NET_ZERO (-4 * NET_SHIFT) /* in the table, the sum of a cell whose channel is 0 */

/* The sums of a cell's four patterns; `places`: where they begin in the table. */
MCTS_INLINE void net_cell(const mnk_network *net, const uint32_t *places, short_v *sums) {
    for (int v = 0; v < NET_VECTORS; v++) {
        const int16_t *table = net->table + v * SHORTS;
        sums[v] = shorts_add(shorts_add(shorts_load(table + places[0]), shorts_load(table + places[1])),
                             shorts_add(shorts_load(table + places[2]), shorts_load(table + places[3])));
    }
}

/* The sums clipped to NET_ZERO .. NET_ZERO + NET_ONE. */
MCTS_INLINE short_v net_clipped(short_v sums) {
    return shorts_min(shorts_max(sums, shorts_all(NET_ZERO)), shorts_all(NET_ZERO + NET_ONE));
}

/* Whether a row of the table was missing in the sums with these maxima. */
MCTS_INLINE int net_lacks(const short_v *most) {
    uint64_t words[SHORTS / 4], signs = (uint64_t)0x8000800080008000;
    short_v all = most[0];
    for (int v = 1; v < NET_VECTORS; v++) all = shorts_max(all, most[v]);
    shorts_store(words, shorts_add(all, shorts_all(3 * (NET_SHIFT + NET_MOST_ENTRY))));
    for (int i = 0; i < SHORTS / 4; i++) signs &= words[i];
    return signs != (uint64_t)0x8000800080008000;
}

/* The logarithms to the base 2 of the weights of the moves to `cells`, in 256ths; `cells` needs room for one more. */
static inline void net_logits(const mnk_network *net, const line_board *b, uint16_t *cells, int count, int player,
                              int32_t *logits) {
    uint32_t places[NET_PLACES];
    short_v sums[NET_VECTORS], most[NET_VECTORS], policy[NET_VECTORS];
    const short_v zero = shorts_all(-NET_ZERO);
    for (int v = 0; v < NET_VECTORS; v++) policy[v] = shorts_load(net->policy + v * SHORTS);
    line_patterns_of(b, cells, count, player, NET_CHANNELS, places);
    for (;;) {
        for (int v = 0; v < NET_VECTORS; v++) most[v] = shorts_all(INT16_MIN);
        for (int i = 0; i < count; i++) {
            int_v sum;
            net_cell(net, places + 4 * i, sums);
            for (int v = 0; v < NET_VECTORS; v++) {
                most[v] = shorts_max(most[v], sums[v]);
                sums[v] = shorts_add(net_clipped(sums[v]), zero);
            }
            sum = shorts_dot(sums[0], policy[0]);
            for (int v = 1; v < NET_VECTORS; v++) sum = ints_add(sum, shorts_dot(sums[v], policy[v]));
            logits[i] = net_scaled(ints_sum(sum));
        }
        if (MCTS_LIKELY(!net_lacks(most))) return;
        net_fill_rows(net, places, 4 * count);
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
    short_v cell[NET_VECTORS], sums[NET_VECTORS], most[NET_VECTORS];
    uint16_t sum[NET_CHANNELS], cells[LINE_SIDE * LINE_SIDE + 1];
    int16_t highest[NET_CHANNELS];
    uint32_t places[NET_PLACES];
    int count = 0;
    for (int row = 0; row < rows; row += 2) { /* a row has LINE_ROW = 32 cells: bit 32 begins the next */
        uint64_t rest = look[row] | (uint64_t)(row + 1 < rows ? look[row + 1] : 0) << LINE_ROW;
        for (; rest; rest &= rest - 1) cells[count++] = (uint16_t)(line_cell(row, 0) + mcts_ctz64(rest));
    }
    line_patterns_of(b, cells, count, player, NET_CHANNELS, places);
    for (;;) {
        for (int v = 0; v < NET_VECTORS; v++) {
            sums[v] = shorts_all(0);
            most[v] = shorts_all(INT16_MIN);
        }
        for (int i = 0; i < count; i++) {
            net_cell(net, places + 4 * i, cell);
            for (int v = 0; v < NET_VECTORS; v++) {
                sums[v] = shorts_add(sums[v], net_clipped(cell[v]));
                most[v] = shorts_max(most[v], cell[v]);
            }
        }
        if (MCTS_LIKELY(!net_lacks(most))) break;
        net_fill_rows(net, places, 4 * count);
    }
    for (int v = 0; v < NET_VECTORS; v++) { /* 484 cells at most: without NET_ZERO, sums are below 2**16 */
        shorts_store(sum + v * SHORTS, sums[v]);
        shorts_store(highest + v * SHORTS, shorts_add(net_clipped(most[v]), shorts_all(-NET_ZERO)));
    }
    for (int c = 0; c < NET_CHANNELS; c++) sum[c] = (uint16_t)(sum[c] - (uint32_t)(count * NET_ZERO));
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
