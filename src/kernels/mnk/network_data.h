/* The numbers of a line-pattern network and the sizes of boards and patterns; network.h says what they are for. */
#ifndef MCTS_MNK_NETWORK_DATA_H
#define MCTS_MNK_NETWORK_DATA_H

#include <stdint.h>

#define LINE_REACH 5
#define LINE_SIDE 22 /* the longest side of a board: with the margin a row has 32 cells */
#define LINE_ROW 32
#define LINE_HALVES 364
#define LINE_PATTERNS (LINE_HALVES * (LINE_HALVES + 1) / 2)

#define NET_CHANNELS 32
#define NET_HIDDEN 32
#define NET_MOST_WIDTH 256     /* the most hidden numbers of a pattern */
#define NET_ONE 128            /* the highest channel */
#define NET_MOST_INNER 4095    /* the highest hidden number of a pattern */
#define NET_MOST_HIDDEN 8191   /* ... of the value */
#define NET_MOST_ENTRY 1023    /* of the table */
#define NET_SHIFT 7162         /* subtracted from each entry of the table: network.h says why */
#define NET_MOST_LOGIT 4095    /* of the value, in 256ths: a win with the probability 1 - 2**-16 */

typedef struct mnk_network {
    int16_t policy[NET_CHANNELS];
    int16_t value1[NET_CHANNELS][NET_HIDDEN][2]; /* of the inputs 2 i and 2 i + 1 */
    int32_t value1_bias[NET_HIDDEN];
    int16_t value2[NET_HIDDEN];
    int32_t value2_bias;
    int16_t *table;                              /* LINE_PATTERNS rows of NET_CHANNELS, made when they are needed */
    int16_t *exact_table;                        /* the same where more than five in a row do not win */
    const int16_t *half, *mix;                   /* rows come from half[LINE_HALVES][inner], mix[inner][NET_CHANNELS] */
    const int32_t *bias;
    int inner;
} mnk_network;

#endif
