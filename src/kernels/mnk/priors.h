/* What a move of an m,n,k game promises, by the shapes that its stone makes and those that one of the other player's
 * would make there. The words of this game are explained in lines.h. */
#ifndef MCTS_KERNELS_MNK_PRIORS_H
#define MCTS_KERNELS_MNK_PRIORS_H

#include <stdint.h>

#include "kernels/mnk/rows.h"

#define MNK_GRADES 128 /* of a move: its own shape (3 bits), the other player's (3 bits), next to a stone or not */

/* The expected result of a move, from 0 to 1, by its own shape and the other player's (see mnk_grade). Measured:
 * tactical rollouts of the children of 1,500 positions of rollouts on 15x15, as differences from the mean of the
 * position. Up to 4 these are about doubled, as strong play makes more of a threat than rollouts do, and fours of one's
 * own, which mostly waste a threat there, count like quiet moves. The other player's 7 comes up only where the move is
 * forced. */
static const float mnk_prior[8][8] = {
    {0.47f, 0.485f, 0.50f, 0.53f, 0.52f, 0.64f, 0.70f, 0.50f},
    {0.50f, 0.505f, 0.53f, 0.56f, 0.54f, 0.65f, 0.71f, 0.52f},
    {0.55f, 0.555f, 0.56f, 0.62f, 0.58f, 0.67f, 0.74f, 0.56f},
    {0.60f, 0.60f, 0.61f, 0.65f, 0.62f, 0.69f, 0.74f, 0.60f},
    {0.48f, 0.49f, 0.51f, 0.54f, 0.52f, 0.62f, 0.68f, 0.62f},
    {0.86f, 0.87f, 0.88f, 0.90f, 0.89f, 0.91f, 0.92f, 0.86f},
    {0.89f, 0.90f, 0.91f, 0.92f, 0.92f, 0.93f, 0.93f, 0.89f},
    {0.97f, 0.97f, 0.97f, 0.97f, 0.97f, 0.97f, 0.97f, 0.97f},
};

#define MNK_PRIOR_NEAR 0.02f /* for being next to a stone */

/* Grades in the order of what they promise. */
typedef struct mnk_ranking {
    uint8_t rank[MNK_GRADES];  /* of a grade; 0: the best */
    float prior[MNK_GRADES];   /* by rank */
} mnk_ranking;

static void mnk_rank_grades(mnk_ranking *ranking) {
    uint8_t grades[MNK_GRADES];
    for (int grade = 0; grade < MNK_GRADES; grade++) {
        const float prior = mnk_prior[grade >> 4][grade >> 1 & 7] + (grade & 1 ? MNK_PRIOR_NEAR : 0);
        int rank = grade;
        for (; rank > 0 && ranking->prior[rank - 1] < prior; rank--) {
            ranking->prior[rank] = ranking->prior[rank - 1];
            grades[rank] = grades[rank - 1];
        }
        ranking->prior[rank] = prior;
        grades[rank] = (uint8_t)grade;
    }
    for (int rank = 0; rank < MNK_GRADES; rank++) ranking->rank[grades[rank]] = (uint8_t)rank;
}

/* What a stone makes as a number from 0 to 7, in three binary digits: 7 fours, 6 a four and an open three, 5 two open
 * threes, 4 a four, 3 an open three, 2 and 1 two and one of less, 0 nothing. */
static void mnk_grade(const mnk_shapes *t, uint32_t grade[3][32]) {
    for (int p = 0; p < 32; p++) {
        const uint32_t is7 = t->fours[p];
        const uint32_t is6 = t->four[p] & t->open[p] & ~is7;
        const uint32_t is5 = t->opens[p] & ~(is7 | is6);
        const uint32_t is4 = t->four[p] & ~(is7 | is6 | is5);
        const uint32_t is3 = t->open[p] & ~(is7 | is6 | is5 | is4);
        const uint32_t high = is7 | is6 | is5 | is4 | is3;
        const uint32_t is2 = t->halves[p] & ~high;
        const uint32_t is1 = t->half[p] & ~high & ~is2;
        grade[0][p] = is7 | is5 | is3 | is1;
        grade[1][p] = is7 | is6 | is3 | is2;
        grade[2][p] = is7 | is6 | is5 | is4;
    }
}

#endif
