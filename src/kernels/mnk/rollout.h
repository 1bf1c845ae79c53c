/* Random rollouts of m,n,k games with a byte for each cell: 32 cells at a time with AVX2, else 16, always with the same
 * numbers. For all boards and rules that bit_rollout.h does not have: at most 8 x 8, a side above 16, another k than 5,
 * the rule "exact". Boards of at most 4 x 4 without that rule have code of their own, at the end.
 *
 * A trial gives each empty cell a random player and a random key, independently. The cells of each player, in the order
 * of their keys, are the moves that he would make if the players moved in turn; as no cell is preferred, the first
 * 2j moves so found are uniformly distributed over all sequences of 2j different cells, for as long as both players
 * have cells left. A five is complete at the largest of its keys: one pass of byte maxima over shifted rows finds each
 * player's first. How many of a player's keys are not larger says at which of his moves. Nothing is sorted and nothing
 * is drawn cell by cell (a partial shuffle of the list of empty cells before such a pass took 1.6 to 2 times as long).
 */
#ifndef MCTS_KERNELS_MNK_ROLLOUT_H
#define MCTS_KERNELS_MNK_ROLLOUT_H

#include <stdint.h>
#include <string.h>

#include "kernels/vectors/byte_vector.h"
#include "kernels/platform.h"
#include "mcts_core/game.h"

#define MNK_NONE 255 /* the key of a cell that is not the player's, and of a five that is nowhere */
#define MNK_FRAME 64 /* bytes around the keys that belong to nobody; more than a row and a cell */
#define MNK_TAIL 128
#define MNK_KEYS (MNK_FRAME + 1024 + MNK_TAIL)

/* What a trial found; [0] is the player to move, [1] the other. */
typedef struct mnk_trial {
    int32_t key[2];   /* of the first complete five, MNK_NONE if there is none */
    int32_t upto[2];  /* cells whose key is not larger, stones included */
    int32_t ties[2];  /* cells with exactly that key */
    int32_t coloured; /* cells of player [1], stones included */
    uint8_t *keys[2];
    MCTS_ALIGN32 uint8_t store[2][MNK_KEYS];
} mnk_trial;

/* ---- keys ---- */

typedef struct mnk_keys {
    byte_v empty, other, zero, ones, top, bottom, coloured;
} mnk_keys;

/* The keys of both players in VB cells; `garbage`: cells that are none may be among them. */
MCTS_INLINE void keys_of(mnk_keys *c, byte_v board, byte_v random, byte_v colour, int garbage, byte_v *mine,
                         byte_v *theirs) {
    byte_v empty = v_eq(board, c->zero);
    byte_v key = v_and(v_max(v_min(random, c->top), c->bottom), empty);
    byte_v his = v_or(v_and(colour, empty), v_eq(board, c->other));
    if (garbage) key = v_or(key, v_eq(board, c->ones));
    c->coloured = v_sub(c->coloured, his);
    *mine = v_or(key, his);
    *theirs = v_or(key, v_xor(his, c->ones));
}

/* Draws all keys. Row i and row i + half share a draw on boards with rows of 16 bytes. */
MCTS_INLINE void draw_keys(const uint8_t *board, int rows, int stride, int other, mcts_rng *rng, mnk_trial *t) {
    const int half = (rows + 1) / 2;
    const int steps = stride == 32 ? rows : stride == 16 ? half : 2;
    uint8_t *mine = t->keys[0], *theirs = t->keys[1];
    byte_random r;
    mnk_keys c;
    byte_v bits[32 / VB], random[32 / VB], a, b;
    c.zero = v_set1(0);
    c.ones = v_set1(255);
    c.top = v_set1(254);
    c.bottom = v_set1(1);
    c.other = v_set1(other);
    c.coloured = c.zero;
    uint64_t his = 0;
    if (stride == 8) {
        /* Small boards are often played to the last cells. The players may also share the cells evenly, or nearly so:
         * among the ways to share them in these numbers none is preferred. */
        uint64_t empty = 0;
        int d, cells;
        for (int i = 0; i < 64 / VB; i++) empty |= v_bits(v_eq(v_load(board + VB * i), c.zero)) << (VB * i % 64);
        cells = mcts_popcount64(empty);
        do {
            his = mcts_rng_next(rng);
            d = cells - 2 * mcts_popcount64(his & empty);
        } while (d < -2 || d > 3);
    }
    random_load(&r, rng);
    for (int begin = 0; begin < steps; begin += 8) {
        const int end = steps < begin + 8 ? steps : begin + 8;
        if (stride != 8) random_next(&r, bits);
        for (int i = begin; i < end; i++) {
            random_next(&r, random);
            for (int j = 0; j < 32 / VB; j++) {
                byte_v colour;
                if (stride == 8) {
                    colour = v_from_bits(his >> (32 * i + VB * j) & (UINT64_MAX >> (64 - VB)));
                } else {
                    colour = v_negative(bits[j]);
                    bits[j] = v_add(bits[j], bits[j]);
                }
                if (stride == 16) {
                    const int p = 16 * (i + half * j), q = 16 * (i + half);
                    const byte_v cells = v_load2(board + p, board + q);
                    if (i == half - 1) keys_of(&c, cells, random[j], colour, 1, &a, &b);
                    else keys_of(&c, cells, random[j], colour, 0, &a, &b);
                    v_store2(mine + p, mine + q, a);
                    v_store2(theirs + p, theirs + q, b);
                } else {
                    const int p = 32 * i + VB * j;
                    keys_of(&c, v_load(board + p), random[j], colour, stride == 8, &a, &b);
                    v_store(mine + p, a);
                    v_store(theirs + p, b);
                }
            }
        }
    }
    random_store(&r, rng);
    t->coloured = v_sum(c.coloured);
}

/* ---- fives ---- */

static const uint8_t mnk_columns[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* 0 where low <= column <= high, else 255 */
MCTS_INLINE byte_v outside(byte_v column, int low, int high) {
    byte_v in = v_and(v_eq(v_max(column, v_set1(low)), column), v_eq(v_min(column, v_set1(high)), column));
    return v_xor(in, v_set1(255));
}

/* The first five in one direction, `step` bytes from cell to cell: the smallest over all windows of k cells of the
 * largest key. Windows start in the first `starts` rows, in columns low..high. `backward`: `step` goes left. */
MCTS_INLINE byte_v fives_in_direction(const uint8_t *keys, int starts, int stride, int k, int exact, int step, int low,
                                     int high, int backward, byte_v best) {
    const int blocks = stride > VB ? stride / VB : 1, advance = stride > VB ? stride : VB;
    for (int block = 0; block < blocks; block++) {
        const byte_v column = v_and(v_load(mnk_columns + VB * block), v_set1(stride - 1));
        byte_v first = v_set1(255);
        byte_v before = first, after = first;
        if (low > VB * block + VB - 1 || high < VB * block) continue;
        if (exact) {
            before = v_eq(column, v_set1(backward ? high : low));
            after = v_eq(column, v_set1(backward ? low : high));
            if (step == stride) before = after = v_set1(0);
        }
        for (int p = VB * block; p < starts * stride; p += advance) {
            const uint8_t *at = keys + p;
            byte_v five = v_load(at);
            for (int j = 1; j < k; j++) five = v_max(five, v_load(at + j * step));
            if (exact) {
                /* A neighbour that is his at that time makes the five too long. An equal key may come before or after:
                 * that is for the caller to find out, except among stones, which have key 0. */
                byte_v next = v_min(v_or(v_load(at - step), before), v_or(v_load(at + k * step), after));
                byte_v floor = v_max(five, v_set1(1));
                five = v_or(five, v_xor(v_eq(v_min(next, floor), floor), v_set1(255)));
            }
            first = v_min(first, five);
        }
        best = v_min(best, v_or(first, outside(column, low, high)));
    }
    return best;
}

/* The first five of one player. The bytes around the keys must be MNK_NONE. */
MCTS_INLINE byte_v first_fives(const uint8_t *keys, int rows, int cols, int stride, int k, int exact) {
    byte_v best = v_set1(255);
    if (cols >= k) best = fives_in_direction(keys, rows, stride, k, exact, 1, 0, cols - k, 0, best);
    if (rows >= k) {
        best = fives_in_direction(keys, rows - k + 1, stride, k, exact, stride, 0, cols - 1, 0, best);
        if (cols >= k) {
            best = fives_in_direction(keys, rows - k + 1, stride, k, exact, stride + 1, 0, cols - k, 0, best);
            best = fives_in_direction(keys, rows - k + 1, stride, k, exact, stride - 1, k - 1, cols - 1, 1, best);
        }
    }
    return best;
}

/* How many keys are at most, and how many are exactly, those of the first fives. */
MCTS_INLINE void count_keys(mnk_trial *t, int bytes) {
    for (int player = 0; player < 2; player++) {
        const uint8_t *keys = t->keys[player];
        const byte_v limit = v_set1(t->key[player]);
        byte_v upto = v_set1(0), ties = upto;
        for (int i = 0; i < bytes; i += VB) {
            const byte_v key = v_load(keys + i);
            upto = v_sub(upto, v_eq(v_min(key, limit), key));
            ties = v_sub(ties, v_eq(key, limit));
        }
        t->upto[player] = v_sum(upto);
        t->ties[player] = v_sum(ties);
    }
}

MCTS_INLINE void trial_inline(const uint8_t *board, int rows, int cols, int stride, int k, int exact, int other,
                              mcts_rng *rng, mnk_trial *t) {
    const int bytes = stride == 32 ? 32 * rows : stride == 16 ? 32 * ((rows + 1) / 2) : 64;
    byte_v mine, theirs;
    int smallest;
    for (int player = 0; player < 2; player++) {
        t->keys[player] = t->store[player] + MNK_FRAME;
        for (int i = 0; i < MNK_TAIL; i += VB) v_store(t->keys[player] + bytes + i, v_set1(255));
        if (exact)
            for (int i = 0; i < MNK_FRAME; i += VB) v_store(t->store[player] + i, v_set1(255));
    }
    draw_keys(board, rows, stride, other, rng, t);
    mine = first_fives(t->keys[0], rows, cols, stride, k, exact);
    theirs = first_fives(t->keys[1], rows, cols, stride, k, exact);
    smallest = v_smallest2(mine, theirs);
    t->key[0] = smallest & 255;
    t->key[1] = smallest >> 8;
    count_keys(t, bytes);
}

static void mnk_draw_trial(const uint8_t *board, int rows, int cols, int stride, int k, int exact, int other,
                           mcts_rng *rng, mnk_trial *t) {
#define MNK_CASE(STRIDE, K, EXACT) \
    if (stride == STRIDE && k == K && exact == EXACT) { \
        trial_inline(board, rows, cols, STRIDE, K, EXACT, other, rng, t); \
        return; \
    }
#define MNK_ANY(STRIDE, EXACT) \
    if (stride == STRIDE && exact == EXACT) { \
        trial_inline(board, rows, cols, STRIDE, k, EXACT, other, rng, t); \
        return; \
    }
    MNK_CASE(16, 5, 1)
    MNK_CASE(32, 5, 0)
    MNK_CASE(32, 5, 1)
    MNK_CASE(8, 5, 0)
    MNK_CASE(8, 4, 0)
    MNK_CASE(8, 3, 0)
    MNK_ANY(8, 0)
    MNK_ANY(8, 1)
    MNK_ANY(16, 0)
    MNK_ANY(16, 1)
    MNK_ANY(32, 0)
    MNK_ANY(32, 1)
#undef MNK_CASE
#undef MNK_ANY
}

/* The cells of one player with a certain key, neither 0 nor MNK_NONE, in ascending order; returns their number. */
static int mnk_cells_with(const mnk_trial *t, int player, int key, int rows, int cols, int stride, uint16_t *cells) {
    int count = 0;
    for (int row = 0; row < rows; row++) {
        const uint8_t *keys = t->keys[player] + row * stride;
#if defined(MCTS_SSE2)
        const __m128i wanted = _mm_set1_epi8((char)key);
        uint32_t found;
        if (cols <= 8) {
            found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadl_epi64((const __m128i *)keys), wanted)) & 255;
        } else {
            found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)keys), wanted));
            if (cols > 16)
                found |= (uint32_t)_mm_movemask_epi8(
                             _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(keys + 16)), wanted)) << 16;
        }
        while (found) {
            cells[count++] = (uint16_t)(row * cols + mcts_ctz64(found));
            found &= found - 1;
        }
#elif defined(MCTS_VECTOR_TYPES)
        uint64_t found = v_bits(v_eq(v_load(keys), v_set1(key)));
        if (cols <= 8) found &= 255;
        if (cols > 16) found |= v_bits(v_eq(v_load(keys + 16), v_set1(key))) << 16;
        for (; found; found &= found - 1) cells[count++] = (uint16_t)(row * cols + mcts_ctz64(found));
#else
        for (int col = 0; col < cols; col++)
            if (keys[col] == key) cells[count++] = (uint16_t)(row * cols + col);
#endif
    }
    return count;
}

/* ---- boards of up to 4 x 4 in 16 bytes: every cell's exact place in the order of play ---- */

/* Plays to the end, k (3 or 4) or more in a row, from rows of 4 bytes, given as two words as they lie in memory (a
 * vector that is loaded right after single bytes of it were stored waits for them); `starts` has 255 where no window of
 * k cells starts: a row, a column, a diagonal to the right, to the left. Returns the result for the player to move,
 * plus 4 times the moves; 0 when the other player has a five already. */
MCTS_INLINE int32_t tiny_inline(uint64_t top, uint64_t bottom, const uint8_t starts[4][16], int cells, int k,
                                int empty, int other, mcts_rng *rng) {
    int first[2], last;
#if defined(MCTS_SSE2)
    const __m128i stones = _mm_set_epi64x((long long)bottom, (long long)top);
    const __m128i free_cell = _mm_cmpeq_epi8(stones, _mm_setzero_si128());
    const __m128i ones = _mm_set1_epi8(-1);
    const __m128i nobody = _mm_cmpeq_epi8(stones, ones);
    const __m128i his = _mm_cmpeq_epi8(stones, _mm_set1_epi8((char)other));
    __m128i rank, odd, time, mine, theirs, fives, sum;
    do {
        uint64_t low = mcts_rng_next(rng), high = mcts_rng_next(rng);
        __m128i key = _mm_set_epi64x((long long)high, (long long)low);
        /* stones have the largest key, signed, so that they come before nothing */
        key = _mm_xor_si128(_mm_or_si128(_mm_min_epu8(key, _mm_set1_epi8((char)254)), _mm_xor_si128(free_cell, ones)),
                            _mm_set1_epi8((char)128));
#if defined(MCTS_AVX2)
        if (cells > 9) { /* cells i and i + 8 at once; for 9 cells that is slower */
            const __m256i keys = _mm256_broadcastsi128_si256(key);
            __m256i ranks = _mm256_setzero_si256();
#define MNK_BEFORE(i) \
    ranks = _mm256_sub_epi8( \
        ranks, _mm256_cmpgt_epi8(keys, _mm256_shuffle_epi8( \
            keys, _mm256_inserti128_si256(_mm256_set1_epi8(i), _mm_set1_epi8((i) + 8), 1))));
            MNK_BEFORE(0) MNK_BEFORE(1) MNK_BEFORE(2) MNK_BEFORE(3)
            MNK_BEFORE(4) MNK_BEFORE(5) MNK_BEFORE(6) MNK_BEFORE(7)
            rank = _mm_add_epi8(_mm256_castsi256_si128(ranks), _mm256_extracti128_si256(ranks, 1));
#undef MNK_BEFORE
        } else
#endif
        {
            __m128i two, four;
            rank = _mm_setzero_si128();
#define MNK_BEFORE(i) rank = _mm_sub_epi8(rank, _mm_cmpgt_epi8(key, _mm_shuffle_epi32(four, 0x55 * (i))));
#define MNK_ROW(pack2, pack4) \
    two = pack2(key, key); \
    four = pack4(two, two); \
    MNK_BEFORE(0) MNK_BEFORE(1) MNK_BEFORE(2)
            MNK_ROW(_mm_unpacklo_epi8, _mm_unpacklo_epi16)
            if (cells > 9) { MNK_BEFORE(3) }
            MNK_ROW(_mm_unpacklo_epi8, _mm_unpackhi_epi16)
            if (cells > 9) { MNK_BEFORE(3) }
            MNK_ROW(_mm_unpackhi_epi8, _mm_unpacklo_epi16)
            if (cells > 9) {
                MNK_BEFORE(3)
                MNK_ROW(_mm_unpackhi_epi8, _mm_unpackhi_epi16)
                MNK_BEFORE(3)
            }
#undef MNK_ROW
#undef MNK_BEFORE
        }
        /* equal keys lower the sum of the ranks: once more, then */
        rank = _mm_and_si128(rank, free_cell);
        sum = _mm_sad_epu8(rank, _mm_setzero_si128());
    } while (MCTS_UNLIKELY(_mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4) != empty * (empty - 1) / 2));
    odd = _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(rank, _mm_set1_epi8(1)), _mm_set1_epi8(1)), free_cell);
    odd = _mm_or_si128(odd, his);
    time = _mm_or_si128(_mm_sub_epi8(rank, free_cell), nobody);
    mine = _mm_or_si128(time, odd);
    theirs = _mm_or_si128(time, _mm_xor_si128(odd, ones));
#if defined(MCTS_AVX2)
    {
        const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(mine), theirs, 1);
        __m256i best = _mm256_set1_epi8(-1), five;
        (void)fives;
#define MNK_FIVES(i, step) \
    five = _mm256_max_epu8(_mm256_max_epu8(both, _mm256_srli_si256(both, step)), \
                           _mm256_srli_si256(both, 2 * (step))); \
    if (k == 4) five = _mm256_max_epu8(five, _mm256_srli_si256(both, 3 * (step))); \
    five = _mm256_or_si256(five, _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)starts[i]))); \
    best = _mm256_min_epu8(best, five);
        MNK_FIVES(0, 1)
        MNK_FIVES(1, 4)
        MNK_FIVES(2, 5)
        MNK_FIVES(3, 3)
        {
            const int smallest = v_smallest2(v_low2(best, best), v_high2(best, best));
            first[0] = smallest & 255;
            first[1] = smallest >> 8;
        }
    }
#undef MNK_FIVES
#else
#define MNK_FIVES(i, step) \
    fives = _mm_max_epu8(_mm_max_epu8(mine, _mm_srli_si128(mine, step)), _mm_srli_si128(mine, 2 * (step))); \
    if (k == 4) fives = _mm_max_epu8(fives, _mm_srli_si128(mine, 3 * (step))); \
    fives = _mm_or_si128(fives, _mm_loadu_si128((const __m128i *)starts[i])); \
    mine_first = _mm_min_epu8(mine_first, fives); \
    fives = _mm_max_epu8(_mm_max_epu8(theirs, _mm_srli_si128(theirs, step)), _mm_srli_si128(theirs, 2 * (step))); \
    if (k == 4) fives = _mm_max_epu8(fives, _mm_srli_si128(theirs, 3 * (step))); \
    fives = _mm_or_si128(fives, _mm_loadu_si128((const __m128i *)starts[i])); \
    theirs_first = _mm_min_epu8(theirs_first, fives);
    {
        __m128i mine_first = ones, theirs_first = ones, n;
        MNK_FIVES(0, 1)
        MNK_FIVES(1, 4)
        MNK_FIVES(2, 5)
        MNK_FIVES(3, 3)
        n = _mm_min_epu8(_mm_unpacklo_epi64(mine_first, theirs_first), _mm_unpackhi_epi64(mine_first, theirs_first));
        n = _mm_min_epu8(n, _mm_srli_epi64(n, 32));
        n = _mm_min_epu8(n, _mm_srli_epi64(n, 16));
        n = _mm_min_epu8(n, _mm_srli_epi64(n, 8));
        first[0] = _mm_extract_epi16(n, 0) & 255;
        first[1] = _mm_extract_epi16(n, 4) & 255;
    }
#undef MNK_FIVES
#endif
#elif defined(MCTS_VECTOR_TYPES)
    const byte_v ones = v_set1(255);
    byte_v stones, free_cell, rank, odd, time, mine, theirs, mine_first = ones, theirs_first = ones;
    uint64_t words[2] = {top, bottom};
    stones = v_load(words);
    free_cell = v_eq(stones, v_set1(0));
    do {
        uint8_t each[16];
        byte_v key;
        words[0] = mcts_rng_next(rng);
        words[1] = mcts_rng_next(rng);
        key = v_or(v_min(v_load(words), v_set1(254)), v_xor(free_cell, ones));
        v_store(each, key);
        rank = v_set1(cells); /* less the keys that are as large or larger */
        for (int i = 0; i < 16; i++) {
            const byte_v other_key = v_set1(each[i]);
            if (cells == 9 && (i % 4 == 3 || i > 11)) continue;
            rank = v_add(rank, v_eq(v_max(key, other_key), other_key));
        }
        rank = v_and(rank, free_cell);
    } while (MCTS_UNLIKELY(v_sum(rank) != empty * (empty - 1) / 2));
    odd = v_or(v_and(v_eq(v_and(rank, v_set1(1)), v_set1(1)), free_cell), v_eq(stones, v_set1(other)));
    time = v_or(v_sub(rank, free_cell), v_eq(stones, ones));
    mine = v_or(time, odd);
    theirs = v_or(time, v_xor(odd, ones));
#define MNK_FIVES(best, his, i, step) \
    best = v_min(best, v_or(v_load(starts[i]), v_max(v_max(his, v_right(his, step)), \
                                                    v_max(v_right(his, 2 * (step)), \
                                                          k == 4 ? v_right(his, 3 * (step)) : his))));
    MNK_FIVES(mine_first, mine, 0, 1)
    MNK_FIVES(mine_first, mine, 1, 4)
    MNK_FIVES(mine_first, mine, 2, 5)
    MNK_FIVES(mine_first, mine, 3, 3)
    MNK_FIVES(theirs_first, theirs, 0, 1)
    MNK_FIVES(theirs_first, theirs, 1, 4)
    MNK_FIVES(theirs_first, theirs, 2, 5)
    MNK_FIVES(theirs_first, theirs, 3, 3)
#undef MNK_FIVES
    {
        const int smallest = v_smallest2(mine_first, theirs_first);
        first[0] = smallest & 255;
        first[1] = smallest >> 8;
    }
#else
    static const int steps[4] = {1, 4, 5, 3};
    uint8_t board[16], time[2][16 + 16];
    int sum;
    memcpy(board, &top, 8);
    memcpy(board + 8, &bottom, 8);
    do {
        uint64_t words[2];
        uint8_t key[16];
        words[0] = mcts_rng_next(rng);
        words[1] = mcts_rng_next(rng);
        sum = 0;
        for (int i = 0; i < 16; i++) {
            key[i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
            if (key[i] == 255) key[i] = 254;
            if (board[i]) key[i] = 255;
        }
        memset(time, 255, sizeof time);
        for (int i = 0; i < 16; i++) {
            int rank = 0;
            if (board[i] == 1 || board[i] == 2) time[board[i] == other][i] = 0;
            if (board[i]) continue;
            for (int j = 0; j < 16; j++) rank += key[j] < key[i];
            sum += rank;
            time[rank & 1][i] = (uint8_t)(rank + 1);
        }
    } while (sum != empty * (empty - 1) / 2);
    (void)cells;
    for (int player = 0; player < 2; player++) {
        first[player] = 255;
        for (int d = 0; d < 4; d++)
            for (int i = 0; i < 16; i++) {
                int five = starts[d][i];
                for (int j = 0; j < k; j++)
                    if (time[player][i + j * steps[d]] > five) five = time[player][i + j * steps[d]];
                if (five < first[player]) first[player] = five;
            }
    }
#endif
    last = first[0] < first[1] ? first[0] : first[1];
    last = last < empty ? last : empty;
    return (first[0] < first[1]) * 2 + (first[0] == first[1]) + 4 * last; /* without a branch: nobody can predict it */
}

static int32_t mnk_play_tiny(uint64_t top, uint64_t bottom, const uint8_t starts[4][16], int cells, int k, int empty,
                             int other, mcts_rng *rng) {
    if (cells == 9) return tiny_inline(top, bottom, starts, 9, 3, empty, other, rng);
    if (k == 3) return tiny_inline(top, bottom, starts, 16, 3, empty, other, rng);
    return tiny_inline(top, bottom, starts, 16, 4, empty, other, rng);
}

#endif
