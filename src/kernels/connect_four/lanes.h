/* Many rollouts of Connect Four from one position: C4_LANES games side by side, on boards of at most 64 bits.
 *
 * Every lane has its own random stream and a quota of games fixed in advance; it starts the next game the moment one
 * has ended. Fixed quotas keep the odds exact: games counted until a time is up would be short ones too often. A lane
 * is independent of all others, so that counts do not depend on how many of them share a register. All of a vector
 * step is free of branches; a lane without games left idles, with no open column. The standard board has a function of
 * its own with AVX-512 (standard_lanes.h).
 *
 * Tried and left out, as times of a rollout from the empty board on one Zen 5 machine that other work shared, before
 * columns came from bytes: 2 or 4 vectors side by side instead of 3 1.07 and 1.00 (AVX2), 2 instead of 6 1.3 (SSE2); two
 * steps of one vector before the next one has its turn 1.03 (AVX2) and 1.17 (SSE2). With NEON, where only instructions
 * could be counted, 2 and 3 vectors side by side took 1.15 and 1.19 times as many as one. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_LANES_H
#define MCTS_KERNELS_CONNECT_FOUR_LANES_H

#include "kernels/connect_four/lane_vectors.h"
#include "kernels/connect_four/standard_lanes.h"
#include "mcts_core/game.h"

#define C4_LANES 24 /* a multiple of C4_WIDTH * C4_GROUPS on every instruction set */

/* ---- the games --------------------------------------------------------------------------------------------------- */

/* The top cell is a sentinel, so the top bit of `me` is free: it is set while the player to move is the one of the
 * start, and flips with the stones. On the standard board the bit of C4_ONE is free, too, and always set: an ended game
 * adds 1, and 64 if won, by one shift. Both lie so far above the stones that shifts by up to 8 move them onto none. */
#define C4_OURS (UINT64_C(1) << 63)
#define C4_ONE (UINT64_C(1) << 57)

/* In each lane anything but 0 where the stones hold a line. */
MCTS_INLINE c4_vector c4_lane_lines(c4_vector m, const c4_lanes_start *s, int standard) {
    if (standard) {
        c4_vector v = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 1)), h = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 7));
        c4_vector d = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 6)), e = C4_VECTOR_AND(m, C4_VECTOR_SHR(m, 8));
        v = C4_VECTOR_AND(v, C4_VECTOR_SHR(v, 2));
        h = C4_VECTOR_AND(h, C4_VECTOR_SHR(h, 14));
        d = C4_VECTOR_AND(d, C4_VECTOR_SHR(d, 12));
        e = C4_VECTOR_AND(e, C4_VECTOR_SHR(e, 16));
        return C4_VECTOR_OR(C4_VECTOR_OR(v, h), C4_VECTOR_OR(d, e));
    } else {
        c4_vector any = c4_all(0);
        m = C4_VECTOR_AND(m, c4_all(C4_OURS - 1));
        if (s->steps == 2 && s->directions == 4) { /* connect 3 and 4, without loops */
            for (int direction = 0; direction < 4; direction++) {
                c4_vector run = C4_VECTOR_AND(m, C4_VECTOR_SHR_BY(m, (int)s->shift[direction]));
                any = C4_VECTOR_OR(any, C4_VECTOR_AND(run, C4_VECTOR_SHR_BY(run, (int)s->shift[4 + direction])));
            }
            return any;
        }
        for (int direction = 0; direction < s->directions; direction++) {
            c4_vector run = m;
            for (int i = 0; i < s->steps; i++)
                run = C4_VECTOR_AND(run, C4_VECTOR_SHR_BY(run, (int)s->shift[4 * i + direction]));
            any = C4_VECTOR_OR(any, run);
        }
        return any;
    }
}

/* Where the columns of the draws come from. */
typedef struct c4_source {
    c4_choices choices;
    c4_fractions fractions;
} c4_source;

MCTS_INLINE c4_vector c4_column(c4_source *from, int i, const c4_lanes_start *s, int standard) {
    return standard ? c4_chosen(&from->choices, i, s) : c4_columns(&from->fractions, s);
}

/* One draw: a move, or an empty one where the column is full; where it ends the game, the next one begins, or none.
 * Adds to `ended` 1 for a game that ended, and 64 if won. */
MCTS_INLINE void c4_draw(c4_vector *me, c4_vector *next, c4_vector *moves, c4_vector *ended, c4_vector *left,
                         c4_vector column, const c4_lanes_start *s, int standard, int guarded) {
    const c4_vector move = C4_VECTOR_AND(*next, column);
    const c4_vector stones = C4_VECTOR_SUB(*next, c4_all(s->bottom ^ C4_OURS)), mover = C4_VECTOR_OR(*me, move);
    const c4_mask no_move = c4_is_zero(move), goes_on = c4_is_zero(c4_lane_lines(mover, s, standard));
    c4_vector count, again = c4_all(s->next);
    *moves = c4_less_one(*moves, no_move);
    if (standard) count = C4_VECTOR_SHR(c4_unless(goes_on, mover), 57);
    else count = c4_unless(goes_on, C4_VECTOR_OR(C4_VECTOR_SHL(C4_VECTOR_SHR(mover, 63), 6), c4_all(1)));
    *ended = C4_VECTOR_ADD(*ended, count);
    if (guarded) {
        *left = C4_VECTOR_SUB(*left, c4_unless(goes_on, c4_all(1)));
        again = c4_unless(c4_is_zero(*left), again);
    }
    *me = c4_select(goes_on, C4_VECTOR_XOR(*me, c4_unless(no_move, stones)), c4_all(s->me));
    *next = c4_select(goes_on, C4_VECTOR_ADD(*next, move), again);
}

#if defined(C4_QUIET)

/* Four draws without a look at lines: right, and returns 1, when nobody has one after them in any lane, as stones only
 * accumulate; otherwise changes nothing and returns 0. In plain C on x86-64, as rollouts per second over one by one:
 * 0.77 with it, 0.69 without (7 rows of 8 columns: 1.02, 0.79). */
MCTS_INLINE int c4_quiet_draws(c4_vector *me, c4_vector *next, c4_vector *moves, c4_source *from, int first,
                               const c4_lanes_start *s, int standard) {
    const c4_vector bottom = c4_all(s->bottom ^ C4_OURS);
    c4_vector x = *me, n = *next, counted = *moves;
    c4_source rest = *from;
    for (int i = first; i < first + 4; i++) {
        const c4_vector move = C4_VECTOR_AND(n, c4_column(&rest, i, s, standard));
        const c4_mask no_move = c4_is_zero(move);
        counted = c4_less_one(counted, no_move);
        x = C4_VECTOR_XOR(x, c4_unless(no_move, C4_VECTOR_SUB(n, bottom)));
        n = C4_VECTOR_ADD(n, move);
    }
    if (c4_any(C4_VECTOR_OR(c4_lane_lines(x, s, standard),
                            c4_lane_lines(C4_VECTOR_XOR(C4_VECTOR_SUB(n, bottom), x), s, standard))))
        return 0;
    *me = x;
    *next = n;
    *moves = counted;
    *from = rest;
    return 1;
}

#endif

/* All draws of one word, which are 8 on the standard board: returns their number. Full boards are looked for only after
 * 8 draws or half a word: they wait. In every lane at least 20 games must be left to finish, unless `guarded`. */
MCTS_INLINE uint32_t c4_lane_word(c4_group *g, const c4_lanes_start *s, int standard, int guarded) {
    const int parts = standard ? 1 : 2, draws = standard ? 8 : (int)s->draws;
    const c4_vector none = c4_all(0), start_me = c4_all(s->me), start_next = c4_all(s->next);
    c4_vector word[C4_GROUPS], me[C4_GROUPS], next[C4_GROUPS], ended[C4_GROUPS], moves[C4_GROUPS], left[C4_GROUPS];
    for (int k = 0; k < C4_GROUPS; k++) {
        word[k] = c4_next_word(&g[k]);
        me[k] = g[k].me;
        next[k] = g[k].next;
        left[k] = g[k].left;
        moves[k] = g[k].moves;
        ended[k] = none;
    }
    for (int part = 0; part < parts; part++) {
        c4_source from[C4_GROUPS];
        c4_vector hidden[C4_GROUPS];
        for (int k = 0; k < C4_GROUPS; k++) {
            if (standard) {
                from[k].choices = c4_choose(word[k]);
                hidden[k] = none;
            } else { /* A rejected fraction: the lane has no open column for its draws. */
                c4_mask accepted;
                from[k].fractions = part ? c4_high_halves(word[k]) : c4_low_halves(word[k]);
                accepted = c4_accepted(&from[k].fractions, s->power, s->reject);
                hidden[k] = c4_unless(accepted, next[k]);
                next[k] = c4_where(accepted, next[k]);
            }
        }
#if defined(C4_QUIET)
        for (int k = 0; k < C4_GROUPS; k++)
            for (int i = 0; i < draws; i += 4)
                if (!c4_quiet_draws(&me[k], &next[k], &moves[k], &from[k], i, s, standard))
                    for (int j = i; j < i + 4; j++)
                        c4_draw(&me[k], &next[k], &moves[k], &ended[k], &left[k],
                                c4_column(&from[k], j, s, standard), s, standard, guarded);
#else
        for (int i = 0; i < draws; i++)
            for (int k = 0; k < C4_GROUPS; k++)
                c4_draw(&me[k], &next[k], &moves[k], &ended[k], &left[k], c4_column(&from[k], i, s, standard), s,
                        standard, guarded);
#endif
        for (int k = 0; k < C4_GROUPS; k++) {
            const c4_mask full = c4_equal(next[k], c4_all(s->sentinel));
            c4_vector again = start_next;
            g[k].draws = C4_VECTOR_ADD(g[k].draws, c4_where(full, c4_all(1)));
            left[k] = c4_less_one(left[k], full);
            if (guarded) again = c4_unless(c4_is_zero(left[k]), again);
            me[k] = c4_select(full, start_me, me[k]);
            next[k] = c4_select(full, again, next[k]);
            if (!standard) next[k] = C4_VECTOR_OR(next[k], hidden[k]);
        }
    }
    for (int k = 0; k < C4_GROUPS; k++) {
        g[k].me = me[k];
        g[k].next = next[k];
        g[k].wins = C4_VECTOR_ADD(g[k].wins, C4_VECTOR_SHR(ended[k], 6));
        g[k].left = guarded ? left[k] : C4_VECTOR_SUB(left[k], C4_VECTOR_AND(ended[k], c4_all(63)));
        g[k].moves = moves[k];
    }
    return (uint32_t)(parts * draws);
}

#if !defined(MCTS_AVX512)

MCTS_INLINE uint32_t c4_standard_word(c4_group *g, const c4_lanes_start *s, int guarded) {
    return c4_lane_word(g, s, 1, guarded);
}

/* Makes `s` what c4_standard_word takes, with room for C4_CHOICES masks of columns. */
MCTS_INLINE void c4_standard_start(c4_lanes_start *s, uint64_t *column) {
    for (int i = 0; i < C4_CHOICES; i++) {
        const int choice = (i >> 3) + ((i & 7) > i >> 3);
        column[i] = choice ? s->column[choice - 1] : 0;
    }
    s->column = column;
    s->me |= C4_OURS | C4_ONE;
}

#endif

MCTS_INLINE uint32_t c4_word(c4_group *g, const c4_lanes_start *s, int standard, int guarded) {
    return standard ? c4_standard_word(g, s, guarded) : c4_lane_word(g, s, 0, guarded);
}

MCTS_INLINE int c4_any_left_below(const c4_group *g, uint64_t games) {
    c4_vector any = c4_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = C4_VECTOR_OR(any, C4_VECTOR_SUB(g[k].left, c4_all(games)));
    return c4_any_negative(any);
}

MCTS_INLINE int c4_any_left(const c4_group *g) {
    c4_vector any = c4_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = C4_VECTOR_OR(any, C4_VECTOR_SUB(c4_all(0), g[k].left));
    return c4_any_negative(any);
}

MCTS_INLINE uint64_t c4_sum(c4_vector x) {
    uint64_t lanes[C4_WIDTH], sum = 0;
    c4_store(lanes, x);
    for (int i = 0; i < C4_WIDTH; i++) sum += lanes[i];
    return sum;
}

/* `count` games from an unfinished position; adds to results (lost, drawn, won) and plies. The lanes take their seeds
 * from `rng->counter` in every call: their states afterwards depend on how many share a register. */
MCTS_INLINE void c4_lane_rollouts(const c4_lanes_start *start, uint64_t count, mcts_rng *rng, uint64_t results[3],
                                  uint64_t *plies, int standard) {
    c4_lanes_start s = *start;
    uint64_t column[64] = {0}, choices[C4_CHOICES], a[C4_LANES], b[C4_LANES], quota[C4_LANES], next[C4_LANES], wins = 0, draws = 0;
    for (uint32_t i = 0; i < s.cols; i++) column[i] = start->column[2 * i];
    s.column = column;
    if (standard) c4_standard_start(&s, choices);
    else s.me |= C4_OURS;
    for (int i = 0; i < C4_LANES; i++) {
        a[i] = mcts_rng_next(rng);
        b[i] = mcts_rng_next(rng);
        quota[i] = count / C4_LANES + ((uint64_t)i < count % C4_LANES);
        next[i] = quota[i] ? s.next : 0;
    }
    for (int lane = 0; lane < C4_LANES; lane += C4_GROUPS * C4_WIDTH) {
        c4_group g[C4_GROUPS];
        uint64_t drawn = 0;
        for (int k = 0; k < C4_GROUPS; k++) {
            int i = lane + k * C4_WIDTH;
            g[k].me = c4_all(s.me);
            g[k].next = c4_load(next + i);
            g[k].a = c4_load(a + i);
            g[k].b = c4_load(b + i);
            g[k].left = c4_load(quota + i);
            g[k].wins = g[k].draws = g[k].moves = c4_all(0);
        }
        while (!c4_any_left_below(g, 20)) drawn += c4_word(g, &s, standard, 0);
        while (c4_any_left(g)) drawn += c4_word(g, &s, standard, 1);
        for (int k = 0; k < C4_GROUPS; k++) {
            wins += c4_sum(g[k].wins);
            draws += c4_sum(g[k].draws);
            *plies += drawn * C4_WIDTH + c4_sum(g[k].moves);
        }
    }
    results[0] += count - wins - draws;
    results[1] += draws;
    results[2] += wins;
}

#endif
