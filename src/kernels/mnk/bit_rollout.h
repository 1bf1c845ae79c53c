/* Random rollouts with a bit for each cell: five or more in a row, on boards of up to 16 x 16 with more than 8 rows or
 * columns (`in_bits` of mnk_geometry). rollout.h has all other boards and rules.
 *
 * Each empty cell gets a random player and a random key, a binary fraction, independently. The cells of each player, in
 * the order of their keys, are the moves that he makes if the players move in turn; as no cell is preferred, the first
 * 2j moves so found are uniformly distributed over all sequences of 2j different cells, for as long as both players
 * have cells left. The key that completes a player's first five is found by binary search, bit by bit: is there a five
 * among his stones and the cells whose next bit is 0? Bits are drawn as they are needed, for all cells at once. Each
 * bit leaves fewer moves that can complete the five. When those of both players no longer overlap, the winner is known:
 * after 3.6 bits on average from the empty board of 15 x 15. The number of moves takes 4.6 more.
 *
 * Keys of 8 bits and maxima, as in rollout.h, took 1.4 times as long to find the winner with AVX2, and 1.2 times on the
 * baseline (bench/TUNING.md). */
#ifndef MCTS_KERNELS_MNK_BIT_ROLLOUT_H
#define MCTS_KERNELS_MNK_BIT_ROLLOUT_H

#include <stdint.h>
#include <string.h>

#include "kernels/vectors/board_vector.h"
#include "kernels/platform.h"
#include "mcts_core/game.h"

#define MNK_NEVER 4096 /* a move number beyond all games */
#define MNK_BITS 64    /* keys with so many equal bits count as equal: never seen */

/* A player in a rollout. */
typedef struct mnk_side {
    board_v has;           /* his stones, and cells that he fills before he completes his first five */
    board_v open;          /* cells whose keys begin with the same bits as the key that completes it */
    int32_t first, last;   /* one of his moves from first to last completes it; with last MNK_NEVER perhaps none */
    int32_t stones, cells; /* at the start: his stones, and the empty cells that are his */
} mnk_side;

/* A rollout; [0] is the player to move at the start. */
typedef struct mnk_bit_rollout {
    mnk_side side[2];
    board_v colour, bits[MNK_BITS]; /* what was drawn; of a rollout from the slices only where mnk_play_rest needs it */
    int known;                      /* how many bits of each key were drawn */
    /* The player who completes a five first. He wins unless a player has no cells left before that. */
    mnk_side winner;
    int32_t sign; /* 0: he is side[0], -1: he is side[1] */
    int32_t most; /* his moves before one of the players has no cells left */
} mnk_bit_rollout;

/* a bit for each five of these cells, and 0 if there is none */
MCTS_INLINE board_v mnk_fives(board_v x) {
    const board_v x1 = board_below_1(x), x2 = board_below_2(x), x3 = board_below_3(x), x4 = board_below_4(x);
    const board_v two = board_and(x, board_right(x, 1)), right4 = board_right(x, 4), middle = board_right(x2, 2);
    const board_v row = board_and(board_and(two, board_right(two, 2)), right4);
    const board_v column = board_and(board_and(x, x1), board_and(board_and(x2, x3), x4));
    const board_v down = board_and(board_and(x, board_right(x1, 1)), board_and(board_right(x3, 3), board_right(x4, 4)));
    const board_v up = board_and(board_and(right4, board_right(x1, 3)), board_and(board_right(x3, 1), x4));
    return board_or(board_or(row, column), board_and(board_or(down, up), middle));
}

MCTS_INLINE int mnk_has_five(board_v x) { return board_sign(board_is_empty(mnk_fives(x))) == 0; }

/* keep ? a : b, without a branch, which nobody could predict; `keep` is -1 or 0 */
MCTS_INLINE int32_t mnk_pick(int32_t keep, int32_t a, int32_t b) { return b ^ ((a ^ b) & keep); }

/* Looks at one more bit of the keys: is there a five with the cells whose bit is 0? */
MCTS_INLINE void mnk_halve(mnk_side *s, board_v bit) {
    const board_v low = board_andnot(bit, s->open), filled = board_or(s->has, low);
    const board_v without = board_is_empty(mnk_fives(filled)); /* all ones: the five is not in the lower half */
    const int32_t moves = board_count(filled) - s->stones, sign = board_sign(without);
    s->has = board_or(s->has, board_and(low, without));
    s->open = board_andnot(board_xor(bit, without), s->open);
    s->last = mnk_pick(sign, s->last, moves);
    s->first = mnk_pick(sign, moves + 1, s->first);
    s->first |= (s->cells - s->first) >> 31 & MNK_NEVER; /* no five with all of his cells */
}

MCTS_INLINE void mnk_start(mnk_bit_rollout *r, board_v mine, board_v theirs, board_v empty, byte_random *random) {
    r->colour = board_random(random);
    r->known = 0;
    r->side[0].has = mine;
    r->side[1].has = theirs;
    r->side[0].open = board_andnot(r->colour, empty);
    r->side[1].open = board_and(r->colour, empty);
    for (int i = 0; i < 2; i++) {
        r->side[i].stones = board_count(r->side[i].has);
        r->side[i].cells = board_count(r->side[i].open);
        r->side[i].first = 1;
        r->side[i].last = MNK_NEVER;
    }
}

/* Whether it is still unknown who completes a five first. */
MCTS_INLINE int mnk_is_undecided(const mnk_bit_rollout *r) {
    return (r->side[0].last > r->side[1].first) & (r->side[1].last >= r->side[0].first) & (r->known < MNK_BITS);
}

/* Draws one more bit for both players. */
MCTS_INLINE void mnk_draw_bit(mnk_bit_rollout *r, byte_random *random) {
    const board_v bit = board_random(random);
    r->bits[r->known++] = bit;
    mnk_halve(&r->side[0], bit);
    mnk_halve(&r->side[1], bit);
}

/* When mnk_is_undecided is 0. With equal numbers of moves side[0] is first: it begins. */
MCTS_INLINE void mnk_choose_winner(mnk_bit_rollout *r) {
    const mnk_side *a = &r->side[0], *b = &r->side[1];
    const int32_t sign = -(a->last > b->first);
    r->sign = sign;
    r->most = mnk_pick(sign, a->cells, b->cells + 1);
    r->winner.has = board_select(board_of_sign(sign), b->has, a->has);
    r->winner.open = board_select(board_of_sign(sign), b->open, a->open);
    r->winner.first = mnk_pick(sign, b->first, a->first);
    r->winner.last = mnk_pick(sign, b->last, a->last);
    r->winner.stones = mnk_pick(sign, b->stones, a->stones);
    r->winner.cells = mnk_pick(sign, b->cells, a->cells);
}

/* Whether it is still unknown if the winner has enough cells or, if `counted`, with which move he wins. */
MCTS_INLINE int mnk_needs_bits(const mnk_bit_rollout *r, int counted) {
    const int32_t last = counted ? r->winner.first : r->most;
    return (r->winner.first <= r->most) & (r->winner.last > last) & (r->known < MNK_BITS);
}

/* Draws one more bit for the winner alone. */
MCTS_INLINE void mnk_draw_winner_bit(mnk_bit_rollout *r, byte_random *random) {
    const board_v bit = board_random(random);
    r->bits[r->known++] = bit;
    mnk_halve(&r->winner, bit);
}

/* A player's stones and his first `moves` cells in the order of their keys. */
static board_v mnk_filled(const mnk_bit_rollout *r, board_v stones, board_v open, int32_t moves, byte_random *random) {
    moves += board_count(stones);
    for (int i = 0; i < MNK_BITS && board_count(stones) < moves; i++) {
        const board_v bit = i < r->known ? r->bits[i] : board_random(random), low = board_andnot(bit, open);
        if (board_count(board_or(stones, low)) > moves) {
            open = low;
        } else {
            stones = board_or(stones, low);
            open = board_and(bit, open);
        }
    }
    return stones;
}

/* Plays the empty cells move by move, from the move number `plies`. */
static int32_t mnk_play_on(board_v sides[2], board_v empty, int32_t plies, mcts_rng *rng) {
    uint64_t words[4];
    uint8_t cells[256];
    uint32_t count = 0, i;
    board_store(words, empty);
    for (i = 0; i < 4; i++)
        for (; words[i]; words[i] &= words[i] - 1) cells[count++] = (uint8_t)(64 * i + (uint32_t)mcts_ctz64(words[i]));
    while (count) {
        const int player = plies & 1;
        i = mcts_rng_below(rng, count);
        sides[player] = board_or(sides[player], board_of_bit(cells[i]));
        cells[i] = cells[--count];
        plies++;
        if (mnk_has_five(sides[player])) return (player ? 0 : 2) + 4 * plies;
    }
    return 1 + 4 * plies;
}

/* One player fills all of his cells without a five; what is left then is played move by move. */
static int32_t mnk_play_rest(const mnk_bit_rollout *r, board_v mine, board_v theirs, board_v empty, byte_random *random,
                             mcts_rng *rng) {
    const board_v cells[2] = {board_andnot(r->colour, empty), board_and(r->colour, empty)};
    const int32_t counts[2] = {r->side[0].cells, r->side[1].cells};
    const int longer = counts[0] <= counts[1]; /* who has cells left; side[0] begins, so it makes one move more */
    const int32_t moves = longer ? counts[0] : counts[1] + 1;
    board_v sides[2] = {board_or(mine, cells[0]), board_or(theirs, cells[1])};
    sides[longer] = mnk_filled(r, longer ? theirs : mine, cells[longer], moves, random);
    return mnk_play_on(sides, board_andnot(board_or(sides[0], sides[1]), empty), 2 * moves - !longer, rng);
}

MCTS_INLINE int32_t mnk_result(const mnk_bit_rollout *r, board_v mine, board_v theirs, board_v empty,
                               byte_random *random, mcts_rng *rng) {
    if (MCTS_UNLIKELY(r->winner.first > r->most)) return mnk_play_rest(r, mine, theirs, empty, random, rng);
    return (2 & ~r->sign) + 4 * (2 * r->winner.first - 1 - r->sign);
}

/* Draws bits until the winner is known and, if `counted`, his last move. */
MCTS_INLINE void mnk_decide(mnk_bit_rollout *r, int counted, byte_random *random) {
    while (mnk_is_undecided(r)) mnk_draw_bit(r, random);
    mnk_choose_winner(r);
    while (mnk_needs_bits(r, counted)) mnk_draw_winner_bit(r, random);
}

/* A rollout from a position without a five, with the bits of `random`. */
MCTS_INLINE int32_t mnk_play_drawn(board_v mine, board_v theirs, board_v empty, int counted, byte_random *random,
                                   mcts_rng *rng) {
    mnk_bit_rollout r;
    mnk_start(&r, mine, theirs, empty, random);
    mnk_decide(&r, counted, random);
    return mnk_result(&r, mine, theirs, empty, random, rng);
}

MCTS_INLINE int32_t play_bits_inline(board_v mine, board_v theirs, board_v empty, int counted, mcts_rng *rng) {
    byte_random random;
    int32_t result;
    if (mnk_has_five(theirs)) return 0;
    random_load(&random, rng);
    result = mnk_play_drawn(mine, theirs, empty, counted, &random, rng);
    random_store(&random, rng);
    return result;
}

/* Plays to the end: `mine` is to move, `theirs` may have just completed a five. Returns the result for the player to
 * move, plus 4 times the moves if `counted`. */
static int32_t mnk_play_bits(board_v mine, board_v theirs, board_v empty, int counted, mcts_rng *rng) {
    return counted ? play_bits_inline(mine, theirs, empty, 1, rng) : play_bits_inline(mine, theirs, empty, 0, rng);
}

#endif
