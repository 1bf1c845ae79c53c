/* How many stones a new one has near it on a line: most have too few for a five, four or three to be looked for. */
#ifndef MCTS_KERNELS_MNK_SURROUNDINGS_H
#define MCTS_KERNELS_MNK_SURROUNDINGS_H

#include <stdint.h>

#include "kernels/platform.h"

#define MNK_HAS_FIVE 4 /* k stones in k cells; k - 1; k - 2 */
#define MNK_HAS_FOUR 2
#define MNK_HAS_THREE 1

#define MNK_SMALL_K 5 /* up to here they are looked up */

static uint8_t mnk_surroundings_of[MNK_SMALL_K + 1][1 << (2 * MNK_SMALL_K - 1)];

MCTS_INLINE int mnk_count_surroundings(int count, int k) {
    return (count >= k ? MNK_HAS_FIVE : 0) | (count >= k - 1 ? MNK_HAS_FOUR : 0) | (count >= k - 2 ? MNK_HAS_THREE : 0);
}

/* What 2k - 1 cells in a line have. */
static void mnk_fill_surroundings(void) {
    for (int k = 3; k <= MNK_SMALL_K; k++)
        for (uint32_t cells = 0; cells < UINT32_C(1) << (2 * k - 1); cells++) {
            mnk_surroundings_of[k][cells] = 0;
            for (int start = 0; start < k; start++)
                mnk_surroundings_of[k][cells] |= (uint8_t)mnk_count_surroundings(
                    mcts_popcount64(cells >> start & ((UINT32_C(1) << k) - 1)), k);
        }
}

/* Of the cells less than k away from `at`; beyond MNK_SMALL_K more than need be. */
MCTS_INLINE int mnk_surroundings(int k, uint32_t own, int at) {
    const uint64_t cells = ((uint64_t)own << (k - 1) >> at) & ((UINT64_C(1) << (2 * k - 1)) - 1);
    if (k <= MNK_SMALL_K) return mnk_surroundings_of[k][cells];
    return mnk_count_surroundings(mcts_popcount64(cells), k);
}

#endif
