/* Many rollouts of Connect Four from one position: C4_LANES games side by side, on boards of at most 64 bits.
 *
 * Every lane has its own random stream and a quota of games fixed in advance; it starts the next game the moment one
 * has ended. Fixed quotas keep the odds exact: games counted until a time is up would be short ones too often. A lane
 * is independent of all others, so that counts do not depend on how many of them share a register. All of a vector
 * step is free of branches; a lane without games left idles, with no open column. The standard board has a function of
 * its own with AVX-512 (standard_lanes.h).
 *
 * Tried and left out, as times of a rollout from the empty board on one Zen 5 machine that other work shared, before
 * columns came from bytes: 2 or 4 vectors side by side instead of 3 1.07 and 1.00 (AVX2), 2 instead of 6 1.3 (SSE2);
 * two steps of one vector before the next one has its turn 1.03 (AVX2) and 1.17 (SSE2). With NEON, where only
 * instructions could be counted, 2 and 3 vectors side by side took 1.15 and 1.19 times as many as one. */
#ifndef MCTS_KERNELS_CONNECT_FOUR_LANES_H
#define MCTS_KERNELS_CONNECT_FOUR_LANES_H

#include "kernels/connect_four/lane_columns.h"
#include "kernels/connect_four/standard_lanes.h"
#include "mcts_core/game.h"

#define C4_LANES 24     /* a multiple of LANE_WIDTH * C4_GROUPS on every instruction set */
#define C4_MOST_ENDS 16 /* games of a lane that end in a word, at most: by as many draws */

/* ---- the games --------------------------------------------------------------------------------------------------- */

/* In each lane anything but 0 where the stones hold a line. */
MCTS_INLINE lane_v c4_lane_lines(lane_v m, const c4_lanes_start *s, int standard) {
    if (standard) {
        lane_v v = LANE_AND(m, LANE_SHR(m, 1)), h = LANE_AND(m, LANE_SHR(m, 7));
        lane_v d = LANE_AND(m, LANE_SHR(m, 6)), e = LANE_AND(m, LANE_SHR(m, 8));
        v = LANE_AND(v, LANE_SHR(v, 2));
        h = LANE_AND(h, LANE_SHR(h, 14));
        d = LANE_AND(d, LANE_SHR(d, 12));
        e = LANE_AND(e, LANE_SHR(e, 16));
        return LANE_OR(LANE_OR(v, h), LANE_OR(d, e));
    } else {
        lane_v any = lane_all(0);
        m = LANE_AND(m, lane_all(C4_OURS - 1));
        if (s->steps == 2 && s->directions == 4) { /* connect 3 and 4, without loops */
            for (int direction = 0; direction < 4; direction++) {
                lane_v run = LANE_AND(m, LANE_SHR_BY(m, (int)s->shift[direction]));
                any = LANE_OR(any, LANE_AND(run, LANE_SHR_BY(run, (int)s->shift[4 + direction])));
            }
            return any;
        }
        for (int direction = 0; direction < s->directions; direction++) {
            lane_v run = m;
            for (int i = 0; i < s->steps; i++)
                run = LANE_AND(run, LANE_SHR_BY(run, (int)s->shift[4 * i + direction]));
            any = LANE_OR(any, run);
        }
        return any;
    }
}

/* The column of draw `i`: by `picks` on the standard board, else by `f`. */
MCTS_INLINE lane_v c4_column(const c4_picks *picks, c4_fractions *f, int i, const c4_lanes_start *s, int standard) {
#if defined(MCTS_AVX512)
    (void)picks;
    (void)standard;
#else
    if (standard) return c4_picked(picks, i, s);
#endif
    (void)i;
    return c4_columns(f, s);
}

/* One draw: a move, or an empty one where the column is full; where it ends the game, the next one begins, or none.
 * Adds to `ended` 1 for a game that ended, and 64 if won. */
MCTS_INLINE void c4_draw(lane_v *me, lane_v *next, lane_v *moves, lane_v *ended, lane_v *left,
                         lane_v column, const c4_lanes_start *s, int standard, int guarded) {
    const lane_v move = LANE_AND(*next, column);
    const lane_v stones = LANE_SUB(*next, lane_all(s->bottom ^ C4_OURS)), mover = LANE_OR(*me, move);
    const lane_mask no_move = lane_is_zero(move), goes_on = lane_is_zero(c4_lane_lines(mover, s, standard));
    lane_v count, again = lane_all(s->next);
    *moves = lane_less_one(*moves, no_move);
    if (standard) count = LANE_SHR(lane_unless(goes_on, mover), 57);
    else count = lane_unless(goes_on, LANE_OR(LANE_SHL(LANE_SHR(mover, 63), 6), lane_all(1)));
    *ended = LANE_ADD(*ended, count);
    if (guarded) {
        *left = LANE_SUB(*left, lane_unless(goes_on, lane_all(1)));
        again = lane_unless(lane_is_zero(*left), again);
    }
    *me = lane_select(goes_on, LANE_XOR(*me, lane_unless(no_move, stones)), lane_all(s->me));
    *next = lane_select(goes_on, LANE_ADD(*next, move), again);
}

#if defined(C4_QUIET)

/* Four draws without a look at lines: right, and returns 1, when nobody has one after them in any lane, as stones only
 * accumulate; otherwise changes nothing and returns 0. Without it, a rollout of the standard board in plain C on x86-64
 * took 1.5 to 1.9 times as long. */
MCTS_INLINE int c4_quiet_draws(lane_v *me, lane_v *next, lane_v *moves, const c4_picks *picks, c4_fractions *f,
                               int first, const c4_lanes_start *s, int standard) {
    const lane_v bottom = lane_all(s->bottom ^ C4_OURS);
    lane_v x = *me, n = *next, counted = *moves;
    c4_fractions rest = *f;
    for (int i = first; i < first + 4; i++) {
        const lane_v move = LANE_AND(n, c4_column(picks, &rest, i, s, standard));
        const lane_mask no_move = lane_is_zero(move);
        counted = lane_less_one(counted, no_move);
        x = LANE_XOR(x, lane_unless(no_move, LANE_SUB(n, bottom)));
        n = LANE_ADD(n, move);
    }
    if (lane_any(LANE_OR(c4_lane_lines(x, s, standard),
                         c4_lane_lines(LANE_XOR(LANE_SUB(n, bottom), x), s, standard))))
        return 0;
    *me = x;
    *next = n;
    *moves = counted;
    *f = rest;
    return 1;
}

#endif

/* All draws of one word, which are 8 on the standard board: returns their number. Full boards are looked for only after
 * 8 draws or half a word: they wait. In every lane more than C4_MOST_ENDS games must be left, unless `guarded`. */
MCTS_INLINE uint32_t c4_lane_word(c4_group *g, const c4_lanes_start *s, int standard, int guarded) {
    const int parts = standard ? 1 : 2, draws = standard ? 8 : (int)s->draws;
    const lane_v none = lane_all(0);
    lane_v word[C4_GROUPS], me[C4_GROUPS], next[C4_GROUPS], ended[C4_GROUPS], moves[C4_GROUPS], left[C4_GROUPS];
    for (int k = 0; k < C4_GROUPS; k++) {
        word[k] = c4_next_word(&g[k]);
        me[k] = g[k].me;
        next[k] = g[k].next;
        left[k] = g[k].left;
        moves[k] = g[k].moves;
        ended[k] = none;
    }
    for (int part = 0; part < parts; part++) {
        c4_picks picks[C4_GROUPS];
        c4_fractions f[C4_GROUPS];
        lane_v hidden[C4_GROUPS];
        for (int k = 0; k < C4_GROUPS; k++) {
            f[k] = part ? c4_high_halves(word[k]) : c4_low_halves(word[k]);
            if (standard) {
                picks[k] = c4_pick(word[k]);
                hidden[k] = none;
            } else { /* A rejected fraction: the lane has no open column for its draws. */
                const lane_mask accepted = c4_accepted(&f[k], s->power, s->reject);
                hidden[k] = lane_unless(accepted, next[k]);
                next[k] = lane_where(accepted, next[k]);
            }
        }
#if defined(C4_QUIET)
        for (int k = 0; k < C4_GROUPS; k++)
            for (int i = 0; i < draws; i += 4)
                if (!c4_quiet_draws(&me[k], &next[k], &moves[k], &picks[k], &f[k], i, s, standard))
                    for (int j = i; j < i + 4; j++)
                        c4_draw(&me[k], &next[k], &moves[k], &ended[k], &left[k],
                                c4_column(&picks[k], &f[k], j, s, standard), s, standard, guarded);
#else
        for (int i = 0; i < draws; i++)
            for (int k = 0; k < C4_GROUPS; k++)
                c4_draw(&me[k], &next[k], &moves[k], &ended[k], &left[k],
                        c4_column(&picks[k], &f[k], i, s, standard), s, standard, guarded);
#endif
        for (int k = 0; k < C4_GROUPS; k++) {
            c4_end_full(&g[k], &me[k], &next[k], &left[k], s, guarded);
            if (!standard) next[k] = LANE_OR(next[k], hidden[k]);
        }
    }
    for (int k = 0; k < C4_GROUPS; k++) {
        g[k].me = me[k];
        g[k].next = next[k];
        g[k].wins = LANE_ADD(g[k].wins, LANE_SHR(ended[k], 6));
        g[k].left = guarded ? left[k] : LANE_SUB(left[k], LANE_AND(ended[k], lane_all(63)));
        g[k].moves = moves[k];
    }
    return (uint32_t)(parts * draws);
}

MCTS_INLINE uint32_t c4_word(c4_group *g, const c4_lanes_start *s, int standard, int guarded) {
#if defined(MCTS_AVX512)
    if (standard) return c4_standard_word(g, s, guarded);
#endif
    return c4_lane_word(g, s, standard, guarded);
}

MCTS_INLINE int c4_any_left_below(const c4_group *g, uint64_t games) {
    lane_v any = lane_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = LANE_OR(any, LANE_SUB(g[k].left, lane_all(games)));
    return lane_any_negative(any);
}

MCTS_INLINE int c4_any_left(const c4_group *g) {
    lane_v any = lane_all(0);
    for (int k = 0; k < C4_GROUPS; k++) any = LANE_OR(any, LANE_SUB(lane_all(0), g[k].left));
    return lane_any_negative(any);
}

/* `count` games from an unfinished position; adds to results (lost, drawn, won) and plies. The lanes take their seeds
 * from `rng->counter` in every call: their states afterwards depend on how many share a register. */
MCTS_INLINE void c4_lane_rollouts(const c4_lanes_start *start, uint64_t count, mcts_rng *rng, uint64_t results[3],
                                  uint64_t *plies, int standard) {
    c4_lanes_start s = *start;
    uint64_t column[32] = {0}, by_choice[C4_CHOICES]; /* no board of 64 bits has more columns */
    uint64_t a[C4_LANES], b[C4_LANES], quota[C4_LANES], next[C4_LANES], wins = 0, draws = 0;
    for (uint32_t i = 0; i < s.cols; i++) column[i] = start->column[2 * i];
    s.column = column;
    if (standard) c4_standard_start(&s, by_choice);
    else s.me |= C4_OURS;
    for (int i = 0; i < C4_LANES; i++) {
        a[i] = mcts_rng_next(rng);
        b[i] = mcts_rng_next(rng);
        quota[i] = count / C4_LANES + ((uint64_t)i < count % C4_LANES);
        next[i] = quota[i] ? s.next : 0;
    }
    for (int lane = 0; lane < C4_LANES; lane += C4_GROUPS * LANE_WIDTH) {
        c4_group g[C4_GROUPS];
        uint64_t drawn = 0;
        for (int k = 0; k < C4_GROUPS; k++) {
            int i = lane + k * LANE_WIDTH;
            g[k].me = lane_all(s.me);
            g[k].next = lane_load(next + i);
            g[k].a = lane_load(a + i);
            g[k].b = lane_load(b + i);
            g[k].left = lane_load(quota + i);
            g[k].wins = g[k].draws = g[k].moves = lane_all(0);
        }
        while (!c4_any_left_below(g, C4_MOST_ENDS + 1)) drawn += c4_word(g, &s, standard, 0);
        while (c4_any_left(g)) drawn += c4_word(g, &s, standard, 1);
        for (int k = 0; k < C4_GROUPS; k++) {
            wins += lane_sum(g[k].wins);
            draws += lane_sum(g[k].draws);
            *plies += drawn * LANE_WIDTH + lane_sum(g[k].moves);
        }
    }
    results[0] += count - wins - draws;
    results[1] += draws;
    results[2] += wins;
}

#endif
