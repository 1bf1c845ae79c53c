/* A whole game table from two functions: legal_moves and play.
 *
 *     static mcts_rules rules;     (zero-initialised)
 *     static mcts_game game;
 *     static mcts_guide guide;
 *     rules.state_size = sizeof(position);
 *     rules.max_moves = ...;
 *     rules.legal_moves = legal_moves;
 *     rules.play = play;
 *     if (mcts_fill_game(&game, &guide, &rules) < 0) ...
 *
 * gives `game` rollouts, simulations and expansions, and `guide` children, random and decisive rollouts: every option
 * of the search works, but for what needs more knowledge than the rules. All three must live as long as any position
 * of the game.
 *
 * Threads: searches of several threads call the functions of one game at the same time, each with states of its own. So
 * the functions may read what `context` points to, and must not write there. Nothing here writes but to the stack, and
 * to `rules.error` after an error.
 *
 * Speed: rollouts call both functions by pointer for each move. The same rollouts with the rules built into their loop
 * gained 5 % at Connect Four and Breakthrough. A rollout that does less than move after move can gain more.
 *
 * Safety: numbers that the functions return are checked, so that a wrong one ends the search with an error and does not
 * corrupt it. What they write past a state or past max_moves moves cannot be checked
 * here: mcts_core.check_game tells it.
 */
#ifndef MCTS_CORE_SIMPLE_GAME_H
#define MCTS_CORE_SIMPLE_GAME_H

#include <stdio.h>

#include "mcts_core/game.h"

/* Scratch memory is on the stack: at most three states and two lists of moves, 224 KiB. */
#define MCTS_RULES_LARGEST_STATE 32768u
#define MCTS_RULES_MOST_MOVES 16384u
#define MCTS_RULES_FEW_MOVES 8u /* up to here slots are moves: they fit into the narrow blocks of the tree */
#define MCTS_RULES_LONGEST_GAME 1000000u /* where max_plies is 0 */

#if defined(_MSC_VER)
#include <intrin.h>
#include <malloc.h>
#define MCTS_RULES_STACK(bytes) _alloca(bytes)
#elif defined(__GNUC__)
#define MCTS_RULES_STACK(bytes) __builtin_alloca(bytes)
#else
#include <alloca.h>
#define MCTS_RULES_STACK(bytes) alloca(bytes)
#endif
/* Room for a state between margins, so that functions that write beside it are found before they break anything. */
#define MCTS_RULES_MARGIN 64
#define MCTS_RULES_STATE(rules) \
    ((void *)((char *)MCTS_RULES_STACK((rules)->state_size + 2 * MCTS_RULES_MARGIN) + MCTS_RULES_MARGIN))

#ifdef __cplusplus
extern "C" {
#endif

/* Who is to move in `state`: +1 or -1. (mcts_to_move of mcts_general numbers the players of general games from 0.) */
typedef int32_t (*mcts_mover)(void *context, const void *state);

typedef struct mcts_rules {
    uint32_t state_size;  /* bytes of a state, 1 .. 32768; states are aligned to 8 bytes */
    uint32_t max_moves;   /* 1 .. 16384: moves are 0 .. max_moves-1, and no position has more of them */
    uint32_t max_plies;   /* a rollout that is longer is an error; 0: a million */
    void *context;        /* handed to every function; not written to */

    mcts_legal_moves legal_moves; /* the same moves in the same order whenever the state is the same */
    mcts_play play;
    mcts_mover to_move; /* NULL: the players alternate, and a pass is a move */

    mcts_rollout rollout;   /* these three may be given for speed; NULL: by legal_moves and play */
    mcts_simulate simulate; /* its slots are moves where max_moves <= 8, else places in the list of legal_moves */
    mcts_expand expand;     /* likewise */

    uint32_t ordered; /* 1: legal_moves lists the most promising moves first, and the search tries them in that order */

    volatile int64_t error; /* out: what went wrong last, for mcts_rules_explain */
} mcts_rules;

/* What can go wrong; the functions of the table return these, negated. */
#define MCTS_RULES_LEGAL_MOVES 1001 /* legal_moves returned something else than 1 .. max_moves while the game goes on */
#define MCTS_RULES_MOVE 1002        /* a move is not below max_moves */
#define MCTS_RULES_PLAY 1003        /* play returned no outcome */
#define MCTS_RULES_TO_MOVE 1004     /* to_move returned neither +1 nor -1 */
#define MCTS_RULES_ENDLESS 1005     /* a rollout did not end */
#define MCTS_RULES_CHANGED 1006     /* the same moves led to another position than before */
#define MCTS_RULES_ROLLOUT 1007     /* rollout returned no result */
#define MCTS_RULES_SIMULATE 1008    /* simulate returned no result */
#define MCTS_RULES_SIMULATION 1009  /* simulate left an impossible cursor, slot or count */
#define MCTS_RULES_EXPAND 1010      /* expand returned an impossible number of slots */
#define MCTS_RULES_EXPANSION 1011   /* expand left an impossible move or outcome */

static inline int32_t mcts_rules_fail(mcts_rules *rules, int32_t what, int64_t value) {
    rules->error = (int64_t)((uint64_t)what << 32 | (uint32_t)value);
    return -what;
}

/* Writes what went wrong last into `text`; returns the length, 0 when nothing did. */
static inline int mcts_rules_explain(const mcts_rules *rules, char *text, size_t size) {
    int64_t error = rules->error;
    int what = (int)(error >> 32), value = (int)(int32_t)(uint32_t)error;
    const char *is_error = value < 0 ? ", which is an error" : "";
    switch (what) {
    case MCTS_RULES_LEGAL_MOVES:
        return snprintf(text, size, "legal_moves() returned %d%s; while the game goes on it must return 1 to %u", value,
                        is_error, (unsigned)rules->max_moves);
    case MCTS_RULES_MOVE:
        return snprintf(text, size, "legal_moves() gave the move %u; moves must be 0 to %u", (unsigned)value,
                        (unsigned)(rules->max_moves - 1));
    case MCTS_RULES_PLAY:
        return snprintf(text, size, "play() returned %d%s; it must return 0 (the game goes on), 1 (who moved has won), "
                        "2 (draw) or 3 (who moved has lost)", value, is_error);
    case MCTS_RULES_TO_MOVE:
        return snprintf(text, size, "to_move() returned %d; it must return +1 or -1", value);
    case MCTS_RULES_ENDLESS:
        return snprintf(text, size, "a rollout did not end within %u moves", (unsigned)value);
    case MCTS_RULES_CHANGED:
        return snprintf(text, size, "the same moves led to different positions: legal_moves() and play() must depend "
                        "on the state alone");
    case MCTS_RULES_ROLLOUT:
        return snprintf(text, size, "rollout() returned %d%s; it must return 0 (lost), 1 (drawn) or 2 (won), plus 4 "
                        "times the moves played", value, is_error);
    case MCTS_RULES_SIMULATE:
        return snprintf(text, size, "simulate() returned %d%s; it must return 0 (lost), 1 (drawn) or 2 (won)", value,
                        is_error);
    case MCTS_RULES_SIMULATION:
        return snprintf(text, size, "simulate() left an impossible cursor, slot or count (slot %d)", value);
    case MCTS_RULES_EXPAND:
        return snprintf(text, size, "expand() returned %d%s; that is not the number of slots", value, is_error);
    case MCTS_RULES_EXPANSION:
        return snprintf(text, size, "expand() left an impossible move or outcome in slot %d", value);
    default:
        if (size) text[0] = 0;
        return 0;
    }
}

/* The number of the lowest bit of a word that is not 0: for rules over bitboards. */
static inline uint32_t mcts_lowest_bit(uint64_t word) {
#if defined(_MSC_VER) && defined(_WIN64)
    unsigned long bit;
    _BitScanForward64(&bit, word);
    return (uint32_t)bit;
#elif defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t bit = 0;
    while (!(word & 1)) word >>= 1, bit++;
    return bit;
#endif
}

/* ---- single steps ------------------------------------------------------------------------------------------------ */

/* The legal moves while the game goes on, or an error. */
static inline int32_t mcts_rules_list(mcts_rules *rules, const void *state, uint32_t *moves) {
    int32_t count = rules->legal_moves(rules->context, state, moves);
    if (count < 1 || (uint32_t)count > rules->max_moves) return mcts_rules_fail(rules, MCTS_RULES_LEGAL_MOVES, count);
    return count;
}

/* Plays in place; returns the outcome, or an error. */
static inline int32_t mcts_rules_step(mcts_rules *rules, void *state, uint32_t move) {
    int32_t outcome;
    if (move >= rules->max_moves) return mcts_rules_fail(rules, MCTS_RULES_MOVE, move);
    outcome = rules->play(rules->context, state, move);
    if ((uint32_t)outcome > MCTS_LOSS) return mcts_rules_fail(rules, MCTS_RULES_PLAY, outcome);
    return outcome;
}

/* The player to move: +1 or -1, where the players alternate seen from the position with ply 0; 0 after an error. */
static inline int32_t mcts_rules_player(mcts_rules *rules, const void *state, uint32_t ply) {
    int32_t player;
    if (rules->to_move == NULL) return ply & 1 ? -1 : 1;
    player = rules->to_move(rules->context, state);
    if (player == 1 || player == -1) return player;
    mcts_rules_fail(rules, MCTS_RULES_TO_MOVE, player);
    return 0;
}

/* Copies `root` and plays a path after which the game goes on; `player` and `mover`: who is to move before, after. */
static inline int32_t mcts_rules_replay(mcts_rules *rules, const void *root, const uint32_t *path, uint32_t length,
                                        void *state, int32_t *player, int32_t *mover) {
    uint32_t i;
    *player = mcts_rules_player(rules, root, 0);
    if (*player == 0) return -MCTS_RULES_TO_MOVE;
    memcpy(state, root, rules->state_size);
    for (i = 0; i < length; i++) {
        int32_t outcome = mcts_rules_step(rules, state, path[i]);
        if (outcome < 0) return outcome;
        if (outcome != MCTS_ONGOING) return mcts_rules_fail(rules, MCTS_RULES_CHANGED, 0);
    }
    *mover = mcts_rules_player(rules, state, length);
    return *mover == 0 ? -MCTS_RULES_TO_MOVE : 0;
}

/* Half-points for `player` of an outcome of the move of `mover`. */
static inline int32_t mcts_rules_result(int32_t outcome, int32_t mover, int32_t player) {
    return outcome == MCTS_DRAW ? 1 : (outcome == MCTS_WIN) == (mover == player) ? 2 : 0;
}

/* ---- the functions of the table; their context is the mcts_rules ------------------------------------------------- */

static inline int32_t mcts_rules_legal_moves(void *context, const void *state, uint32_t *moves) {
    mcts_rules *rules = (mcts_rules *)context;
    int32_t i, count = rules->legal_moves(rules->context, state, moves);
    if ((uint32_t)count > rules->max_moves) return mcts_rules_fail(rules, MCTS_RULES_LEGAL_MOVES, count);
    for (i = 0; i < count; i++)
        if (moves[i] >= rules->max_moves) return mcts_rules_fail(rules, MCTS_RULES_MOVE, moves[i]);
    return count;
}

static inline int32_t mcts_rules_play(void *context, void *state, uint32_t move) {
    return mcts_rules_step((mcts_rules *)context, state, move);
}

/* Plays uniformly random moves in place to the end; the result for the player to move, plus 4 times the moves. */
static inline int32_t mcts_rules_finish(mcts_rules *rules, void *state, uint32_t *moves, mcts_rng *rng) {
    uint32_t plies = 0, limit = rules->max_plies ? rules->max_plies : MCTS_RULES_LONGEST_GAME;
    int32_t player = mcts_rules_player(rules, state, 0), mover = player, count, outcome;
    for (;;) {
        if (mover == 0) return -MCTS_RULES_TO_MOVE;
        count = mcts_rules_list(rules, state, moves);
        if (count < 0) return count;
        outcome = mcts_rules_step(rules, state, moves[mcts_rng_below(rng, (uint32_t)count)]);
        plies++;
        if (outcome != MCTS_ONGOING) break;
        if (plies >= limit) return mcts_rules_fail(rules, MCTS_RULES_ENDLESS, limit);
        mover = mcts_rules_player(rules, state, plies);
    }
    return outcome < 0 ? outcome : mcts_rules_result(outcome, mover, player) + 4 * (int32_t)plies;
}

/* What the user's rollout returned, checked. */
static inline int32_t mcts_rules_given_rollout(mcts_rules *rules, const void *state, mcts_rng *rng) {
    int32_t returned = rules->rollout(rules->context, state, rng);
    if (returned < 0 || (returned & 3) == 3) return mcts_rules_fail(rules, MCTS_RULES_ROLLOUT, returned);
    return returned;
}

static inline int32_t mcts_rules_rollout(void *context, const void *state, mcts_rng *rng) {
    mcts_rules *rules = (mcts_rules *)context;
    void *copy;
    if (rules->rollout != NULL) return mcts_rules_given_rollout(rules, state, rng);
    copy = MCTS_RULES_STATE(rules);
    memcpy(copy, state, rules->state_size);
    return mcts_rules_finish(rules, copy, (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t)), rng);
}

/* What the user's simulate returned and left, checked. */
static inline int32_t mcts_rules_given_simulate(mcts_rules *rules, const void *root, const uint32_t *path,
                                                uint32_t length, mcts_simulation *simulation, mcts_rng *rng) {
    int32_t returned = rules->simulate(rules->context, root, path, length, simulation, rng);
    if (returned < 0 || returned > 2) return mcts_rules_fail(rules, MCTS_RULES_SIMULATE, returned);
    if (simulation->count > rules->max_moves || simulation->slot >= simulation->count
        || (rules->max_moves <= MCTS_RULES_FEW_MOVES && simulation->count != rules->max_moves)
        || (simulation->cursor != MCTS_ALL_TRIED && simulation->cursor >= simulation->count))
        return mcts_rules_fail(rules, MCTS_RULES_SIMULATION, simulation->slot);
    return returned;
}

static inline int32_t mcts_rules_simulate(void *context, const void *root, const uint32_t *path, uint32_t length,
                                          mcts_simulation *simulation, mcts_rng *rng) {
    mcts_rules *rules = (mcts_rules *)context;
    const int fixed = rules->max_moves <= MCTS_RULES_FEW_MOVES;
    uint32_t place, move, *moves;
    int32_t returned, count, outcome, player, mover, next;
    void *state;
    if (rules->simulate != NULL) return mcts_rules_given_simulate(rules, root, path, length, simulation, rng);
    state = MCTS_RULES_STATE(rules);
    moves = (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t));
    returned = mcts_rules_replay(rules, root, path, length, state, &player, &mover);
    if (returned < 0) return returned;
    count = mcts_rules_list(rules, state, moves);
    if (count < 0) return count;
    place = mcts_pick_untried(simulation, fixed ? moves : NULL, (uint32_t)count);
    if (place == (uint32_t)count) return mcts_rules_fail(rules, MCTS_RULES_CHANGED, 0);
    move = moves[place];
    outcome = mcts_rules_step(rules, state, move);
    if (outcome < 0) return outcome;
    simulation->slot = fixed ? move : place;
    simulation->count = fixed ? rules->max_moves : (uint32_t)count;
    if (outcome != MCTS_ONGOING) return mcts_rules_result(outcome, mover, player);
    next = mcts_rules_player(rules, state, length + 1);
    if (next == 0) return -MCTS_RULES_TO_MOVE;
    returned = rules->rollout != NULL ? mcts_rules_given_rollout(rules, state, rng)
                                      : mcts_rules_finish(rules, state, moves, rng);
    if (returned < 0) return returned;
    returned &= 3;
    return next == player ? returned : 2 - returned;
}

/* What the user's expand returned and left, checked. */
static inline int32_t mcts_rules_given_expand(mcts_rules *rules, const void *root, const uint32_t *path,
                                              uint32_t length, mcts_expansion *expansion) {
    const int fixed = rules->max_moves <= MCTS_RULES_FEW_MOVES;
    int32_t i, count = rules->expand(rules->context, root, path, length, expansion);
    if (count < 1 || (uint32_t)count > expansion->capacity || (fixed && (uint32_t)count != rules->max_moves))
        return mcts_rules_fail(rules, MCTS_RULES_EXPAND, count);
    for (i = 0; i < count; i++)
        if (expansion->outcomes[i] > MCTS_ILLEGAL || (!fixed && expansion->moves[i] >= rules->max_moves))
            return mcts_rules_fail(rules, MCTS_RULES_EXPANSION, i);
    return count;
}

static inline int32_t mcts_rules_expand(void *context, const void *root, const uint32_t *path, uint32_t length,
                                        mcts_expansion *expansion) {
    mcts_rules *rules = (mcts_rules *)context;
    const int fixed = rules->max_moves <= MCTS_RULES_FEW_MOVES;
    void *state, *child;
    uint32_t *moves;
    int32_t returned, count, i, player, mover;
    if (rules->expand != NULL) return mcts_rules_given_expand(rules, root, path, length, expansion);
    state = MCTS_RULES_STATE(rules);
    child = MCTS_RULES_STATE(rules);
    moves = (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t));
    returned = mcts_rules_replay(rules, root, path, length, state, &player, &mover);
    if (returned < 0) return returned;
    count = mcts_rules_list(rules, state, moves);
    if (count < 0) return count;
    if ((fixed ? rules->max_moves : (uint32_t)count) > expansion->capacity)
        return mcts_rules_fail(rules, MCTS_RULES_CHANGED, 0);
    if (fixed) memset(expansion->outcomes, MCTS_ILLEGAL, rules->max_moves);
    expansion->root_player = mover == player;
    for (i = 0; i < count; i++) {
        memcpy(child, state, rules->state_size);
        returned = mcts_rules_step(rules, child, moves[i]);
        if (returned < 0) return returned;
        expansion->outcomes[fixed ? moves[i] : (uint32_t)i] = (uint8_t)returned;
        if (!fixed) expansion->moves[i] = moves[i];
    }
    return fixed ? (int32_t)rules->max_moves : count;
}

/* ---- the functions of the guide ---------------------------------------------------------------------------------- */

static inline int32_t mcts_rules_children(void *context, const void *root, const uint32_t *path, uint32_t length,
                                          const mcts_policy *policy, mcts_children *children) {
    mcts_rules *rules = (mcts_rules *)context;
    void *state = MCTS_RULES_STATE(rules), *child = MCTS_RULES_STATE(rules);
    uint32_t *moves = (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t));
    int32_t returned, count, i, mover, player;
    (void)policy;
    returned = mcts_rules_replay(rules, root, path, length, state, &player, &mover);
    if (returned < 0) return returned;
    count = mcts_rules_list(rules, state, moves);
    if (count < 0 || (uint32_t)count > children->capacity) return count;
    children->root_player = mover == player;
    children->complete = 1;
    children->rest = 0;
    for (i = 0; i < count; i++) {
        memcpy(child, state, rules->state_size);
        returned = mcts_rules_step(rules, child, moves[i]);
        if (returned < 0) return returned;
        children->moves[i] = children->actions[i] = moves[i];
        children->outcomes[i] = (uint8_t)returned;
        children->distances[i] = 0;
        children->priors[i] = 0.5f;
    }
    return count;
}

/* Whether the player to move in `state` can win at once: 0 or 1, or an error. */
static inline int32_t mcts_rules_can_win(mcts_rules *rules, const void *state, void *child, uint32_t *moves) {
    int32_t i, outcome, count = mcts_rules_list(rules, state, moves);
    for (i = 0; i < count; i++) {
        memcpy(child, state, rules->state_size);
        outcome = mcts_rules_step(rules, child, moves[i]);
        if (outcome < 0) return outcome;
        if (outcome == MCTS_WIN) return 1;
    }
    return count < 0 ? count : 0;
}

/* The place in `moves` of one that wins at once, else of a random one after which the opponent cannot, else of any. */
static inline int32_t mcts_rules_decide(mcts_rules *rules, const void *state, int32_t mover, uint32_t ply,
                                        uint32_t *moves, int32_t count, void *child, void *reply, uint32_t *replies,
                                        mcts_rng *rng) {
    int32_t i, outcome, can_win;
    for (i = 0; i < count; i++) {
        memcpy(child, state, rules->state_size);
        outcome = mcts_rules_step(rules, child, moves[i]);
        if (outcome < 0) return outcome;
        if (outcome == MCTS_WIN) return i;
    }
    for (i = 0; i < count; i++) { /* in random order */
        uint32_t other = (uint32_t)i + mcts_rng_below(rng, (uint32_t)(count - i)), move = moves[other];
        moves[other] = moves[i];
        moves[i] = move;
        memcpy(child, state, rules->state_size);
        outcome = mcts_rules_step(rules, child, move);
        if (outcome < 0) return outcome;
        if (outcome == MCTS_LOSS) continue;
        if (outcome == MCTS_DRAW) return i;
        can_win = mcts_rules_player(rules, child, ply + 1);
        if (can_win == 0) return -MCTS_RULES_TO_MOVE;
        if (can_win == mover) return i;
        can_win = mcts_rules_can_win(rules, child, reply, replies);
        if (can_win < 0) return can_win;
        if (!can_win) return i;
    }
    return 0;
}

static inline int32_t mcts_rules_guided_rollout(void *context, const void *root, const uint32_t *path, uint32_t length,
                                                const mcts_policy *policy, mcts_rollout_report *report, mcts_rng *rng) {
    mcts_rules *rules = (mcts_rules *)context;
    const int decisive = policy->rollout == MCTS_ROLLOUT_DECISIVE;
    uint32_t ply = length, limit = rules->max_plies ? rules->max_plies : MCTS_RULES_LONGEST_GAME;
    void *state = MCTS_RULES_STATE(rules), *child = NULL, *reply = NULL;
    uint32_t *moves = (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t)), *replies = NULL;
    int32_t returned, count, at, mover, outcome, player;
    report->proof.value = -1;
    returned = mcts_rules_replay(rules, root, path, length, state, &player, &mover);
    if (returned < 0) return returned;
    if (!decisive && report->played == NULL) {
        returned = mcts_rules_rollout(context, state, rng);
        if (returned < 0) return returned;
        returned &= 3;
        return mover == player ? returned : 2 - returned;
    }
    if (report->played != NULL) memset(report->played, 0, rules->max_moves);
    if (decisive) {
        child = MCTS_RULES_STATE(rules);
        reply = MCTS_RULES_STATE(rules);
        replies = (uint32_t *)MCTS_RULES_STACK(rules->max_moves * sizeof(uint32_t));
    }
    for (;;) {
        count = mcts_rules_list(rules, state, moves);
        if (count < 0) return count;
        at = decisive ? mcts_rules_decide(rules, state, mover, ply, moves, count, child, reply, replies, rng)
                      : (int32_t)mcts_rng_below(rng, (uint32_t)count);
        if (at < 0) return at;
        outcome = mcts_rules_step(rules, state, moves[at]);
        if (outcome < 0) return outcome;
        if (report->played != NULL && report->played[moves[at]] == 0)
            report->played[moves[at]] = mover == player ? 1 : 2;
        if (outcome != MCTS_ONGOING) return mcts_rules_result(outcome, mover, player);
        if (++ply - length >= limit) return mcts_rules_fail(rules, MCTS_RULES_ENDLESS, limit);
        mover = mcts_rules_player(rules, state, ply);
        if (mover == 0) return -MCTS_RULES_TO_MOVE;
    }
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

/* Fills `game` and `guide` over the rules; guide NULL: none, and then the search is plain UCT. Returns 0, or MCTS_ERROR
 * where legal_moves or play is missing or a size is out of its range. */
static inline int32_t mcts_fill_game(mcts_game *game, mcts_guide *guide, mcts_rules *rules) {
    memset(game, 0, sizeof *game);
    if (guide != NULL) memset(guide, 0, sizeof *guide);
    if (rules->legal_moves == NULL || rules->play == NULL || rules->state_size < 1
        || rules->state_size > MCTS_RULES_LARGEST_STATE || rules->max_moves < 1
        || rules->max_moves > MCTS_RULES_MOST_MOVES)
        return MCTS_ERROR;
    game->version = MCTS_GAME_VERSION;
    /* With many moves most positions have far fewer than max_moves: slots for all of them would be wasted. */
    game->flags = rules->max_moves <= MCTS_RULES_FEW_MOVES ? MCTS_SLOTS_ARE_MOVES : 0;
    if (rules->ordered) game->flags |= MCTS_ORDERED;
    game->max_moves = rules->max_moves;
    game->state_size = rules->state_size;
    game->max_plies = rules->max_plies;
    game->context = rules;
    game->legal_moves = mcts_rules_legal_moves;
    game->play = mcts_rules_play;
    game->rollout = mcts_rules_rollout;
    game->simulate = mcts_rules_simulate;
    game->expand = mcts_rules_expand;
    if (guide != NULL) {
        guide->rollouts = 1u << MCTS_ROLLOUT_RANDOM | 1u << MCTS_ROLLOUT_DECISIVE;
        guide->actions = rules->max_moves;
        guide->children = mcts_rules_children;
        guide->rollout = mcts_rules_guided_rollout;
        game->guide = guide;
    }
    return 0;
}

#ifdef __cplusplus
}
#endif
#endif
