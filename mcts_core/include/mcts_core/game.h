/* The game table: the one contract between a game and the search.
 *
 * A game is a C struct of sizes and functions over a flat state of fixed size that is copied with memcpy. The search
 * calls one function per phase of an iteration, never one per ply of a rollout.
 *
 * Conventions, the same everywhere:
 *   players   +1 began the game, -1 is the other one
 *   moves     0 .. max_moves-1; with MCTS_SLOTS_ARE_MOVES, a move is also the *slot* of the child that it leads to
 *   outcome   what a move did, from the view of the player who made it
 *   result    half-points of a finished game for a named player: 0 lost, 1 drawn, 2 won
 *   errors    a negative return value ends the search; nothing is stored for that iteration
 */
#ifndef MCTS_CORE_GAME_H
#define MCTS_CORE_GAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MCTS_GAME_VERSION 1

/* Outcomes of a move. */
#define MCTS_ONGOING 0
#define MCTS_WIN 1      /* the player who moved has won */
#define MCTS_DRAW 2
#define MCTS_LOSS 3     /* the player who moved has lost */
#define MCTS_ILLEGAL 4  /* only in mcts_expansion.outcomes: this slot holds no legal move */

#define MCTS_MAX_MOVES 65520 /* legal moves of one position, at most */

#define MCTS_ERROR (-1)
#define MCTS_ALL_TRIED UINT32_MAX /* mcts_simulation.cursor: the position has no untried move left */

/* ---- random numbers -------------------------------------------------------------------------------------------- */

/* One generator per search. `counter` drives mcts_rng_next (SplitMix64: Steele, Lea, Flood, OOPSLA 2014); `lane` holds
 * four xorshift128+ generators (Vigna 2014) side by side, x in lane[0..3] and y in lane[4..7], for kernels that draw
 * many numbers at once. Both are integer-only: the same on every machine. */
typedef struct mcts_rng {
    uint64_t counter;
    uint64_t lane[8];
} mcts_rng;

static inline uint64_t mcts_rng_next(mcts_rng *rng) {
    uint64_t z = (rng->counter += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform in 0 .. n-1 for 1 <= n < 2^32, exactly (Lemire, ACM TOMACS 2019, section 4). */
static inline uint32_t mcts_rng_below(mcts_rng *rng, uint32_t n) {
    uint64_t m = (mcts_rng_next(rng) >> 32) * n;
    if ((uint32_t)m < n) {
        uint32_t reject = (0u - n) % n;
        while ((uint32_t)m < reject) m = (mcts_rng_next(rng) >> 32) * n;
    }
    return (uint32_t)(m >> 32);
}

static inline void mcts_rng_seed(mcts_rng *rng, uint64_t seed) {
    rng->counter = seed;
    for (int i = 0; i < 8; i++) rng->lane[i] = mcts_rng_next(rng);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* What one simulation reads and reports. */
typedef struct mcts_simulation {
    uint32_t cursor; /* in: 0, or what the last simulation from this position left here; out: where the next untried
                        move is found, or MCTS_ALL_TRIED */
    uint32_t slot;   /* out: the slot of the move that was tried */
    uint32_t count;  /* out: number of slots of the position (max_moves for games with a fixed number) */
    /* in, for mcts_pick_untried: */
    uint32_t lot;         /* a random number */
    uint32_t slots;       /* number of slots in `tried` */
    uint32_t tried_bits;  /* of each of them, 1 .. 8: all 0 where the slot was not tried */
    const uint8_t *tried; /* NULL: not known */
} mcts_simulation;

/* For mcts_simulate: the place of a move to try, drawn from the untried ones of `count` legal moves, and the next
 * cursor: how many were tried. `slots`: the slot of each legal move; NULL: its place. The same simulation draws the
 * same move again. Returns `count` where the position has other moves than before. */
static inline uint32_t mcts_pick_untried(mcts_simulation *simulation, const uint32_t *slots, uint32_t count) {
    const uint32_t tried = simulation->cursor, bits = simulation->tried_bits;
    uint32_t left, place = 0;
    if (tried >= count) return count;
    left = (uint32_t)((uint64_t)simulation->lot * (count - tried) >> 32);
    if (tried == 0 || simulation->tried == NULL) {
        place = tried == 0 ? left : tried;
    } else {
        for (;; place++) {
            uint32_t slot, bit;
            if (place == count) return count;
            slot = slots != NULL ? slots[place] : place;
            if (slot >= simulation->slots) return count;
            bit = slot * bits;
            if (simulation->tried[bit >> 3] >> (bit & 7) & ((1u << bits) - 1)) continue;
            if (left-- == 0) break;
        }
    }
    simulation->cursor = tried + 1 < count ? tried + 1 : MCTS_ALL_TRIED;
    return place;
}

/* All children of one position, for a position of which every move has been tried once. */
typedef struct mcts_expansion {
    uint32_t capacity;   /* in: room in the two arrays */
    uint32_t *moves;     /* out: the move of each slot; NULL where slots are moves (flag MCTS_SLOTS_ARE_MOVES) */
    uint8_t *outcomes;   /* out: the outcome of each move, MCTS_ILLEGAL for a slot without a legal move */
    int32_t root_player; /* out: 1 when the player to move at the root is to move here too, else 0 */
} mcts_expansion;

/* mcts_game.flags */
#define MCTS_SLOTS_ARE_MOVES 1u /* moves are 0 .. max_moves-1 in every position, slot == move */
#define MCTS_ORDERED 2u /* the game lists moves by promise: the search tries them in that order, and takes the first of
                           equal ones; without it the order is random, unless the moves have different priors */

/* The legal moves of `state`, always in the same order; returns their number, 0 when the game is over. */
typedef int32_t (*mcts_legal_moves)(void *context, const void *state, uint32_t *moves);

/* Plays a legal move in place; returns its outcome. */
typedef int32_t (*mcts_play)(void *context, void *state, uint32_t move);

/* Plays uniformly random moves from `state`, where the game goes on, to the end (the state is left alone); returns the
 * result for the player to move in `state`, plus 4 times the number of moves played (0 if not counted). */
typedef int32_t (*mcts_rollout)(void *context, const void *state, mcts_rng *rng);

/* `count` rollouts: adds their number by result for the player to move in `state` to `results` (lost, drawn, won) and
 * the moves played to `plies`; returns 0. */
typedef int32_t (*mcts_rollouts)(void *context, const void *state, uint64_t count, mcts_rng *rng, uint64_t results[3],
                                 uint64_t *plies);

/* One simulation in one call: from `root` plays path[0..length), where the game goes on; there tries the legal move
 * that simulation->cursor points at, or in a game without MCTS_ORDERED the one that mcts_pick_untried draws; if the
 * game still goes on, a rollout. Returns the result for the player to move at the root. */
typedef int32_t (*mcts_simulate)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                 mcts_simulation *simulation, mcts_rng *rng);

/* From `root` plays path[0..length) and reports every child; returns the number of slots. */
typedef int32_t (*mcts_expand)(void *context, const void *root, const uint32_t *path, uint32_t length,
                               mcts_expansion *expansion);

/* ---- the guide: what a game may offer beyond its rules ----------------------------------------------------------- */

/* Rollout policies; mcts_guide.rollouts has bit 1 << policy set for each that the game knows. */
#define MCTS_ROLLOUT_RANDOM 0   /* uniformly random moves */
#define MCTS_ROLLOUT_DECISIVE 1 /* plays a move that wins at once, else one that stops the opponent from it */
#define MCTS_ROLLOUT_TACTICAL 2 /* decisive, and further tactics of the game */

typedef struct mcts_policy {
    uint32_t rollout;  /* MCTS_ROLLOUT_* */
    uint32_t distance; /* children only: moves at most this far from a stone; 0: all moves */
    uint32_t symmetry; /* children only: 1: of moves that a symmetry of the position maps to each other, the first */
    uint32_t unranked; /* children only: 1: their priors and their order will not be read */
} mcts_policy;

/* What long work asks now and then: whether the search has to end, since its time is over or somebody stopped it. */
typedef struct mcts_interrupt {
    int32_t (*raised)(void *context); /* 1: it has to; some 50 ns */
    void *context;
} mcts_interrupt;

static inline int32_t mcts_raised(const mcts_interrupt *interrupt) {
    return interrupt != NULL && interrupt->raised(interrupt->context);
}

/* What is known for certain about a position. */
typedef struct mcts_proof {
    int32_t value;     /* half-points for the player to move there; -1: nothing is proven */
    uint32_t distance; /* the game ends within that many plies, however the loser plays; of a draw: plies left */
    uint32_t exact;    /* 1: that is best play: no shorter win, and the loser can resist that long */
    uint32_t move;     /* a first move of the proof; UINT32_MAX: none is known */
    uint64_t spent;    /* of the proof budget */
    const mcts_interrupt *interrupt; /* in, for mcts_prove: NULL, or to be asked after every few hundred steps */
    uint32_t ask_book; /* in, for mcts_prove: 1: it may use a book of positions solved beforehand */
    uint32_t by_book;  /* out, for mcts_prove: 1: it used one */
    uint32_t wins_only; /* in, for mcts_prove: 1: only a win of the player to move is of interest */
} mcts_proof;

#define MCTS_NO_MOVE UINT32_MAX

/* The children of a position that are worth searching; with MCTS_ORDERED the most promising first. */
typedef struct mcts_children {
    uint32_t capacity;   /* in: room in the arrays */
    uint32_t *moves;
    uint32_t *actions;   /* what the move is called in mcts_rollout_report.played, 0 .. guide.actions-1 */
    uint8_t *outcomes;   /* MCTS_WIN, _DRAW, _LOSS for the player who moves, where the game ends or that is proven */
    uint16_t *distances; /* of those: plies from the child to the end of the game, 0: it is over */
    float *priors;       /* expected result for the player who moves, in [0, 1]; 0.5: no opinion */
    int32_t root_player; /* 1 when the player to move at the root is to move here too, else 0 */
    uint32_t complete;   /* 1: the moves left out are proven losses or symmetric; 0: they are not known to be worse */
    uint32_t rest;       /* the longest distance of the losses left out, from the child; 0: there are none */
} mcts_children;

/* What one rollout from a node reports. */
typedef struct mcts_rollout_report {
    uint8_t *played;  /* in: NULL, or room for guide.actions bytes; out: who played each action from the end of the path
                         on: 0 nobody, 1 the player to move at the root, 2 the other one. Where no action comes twice in
                         a game those of the path, or of earlier moves, may be in it too */
    mcts_proof proof; /* out: of the position at the end of the path, when a glance showed it; else value -1, as in all
                         games whose players do not alternate */
} mcts_rollout_report;

/* From `root` plays path[0..length) and reports the children; returns their number. Where that is above
 * children->capacity nothing is written, and the search asks again with more room. */
typedef int32_t (*mcts_find_children)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                      const mcts_policy *policy, mcts_children *children);

/* From `root` plays path[0..length), where the game goes on, and from there a rollout by policy->rollout; returns the
 * result for the player to move at the root. */
typedef int32_t (*mcts_policy_rollout)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                       const mcts_policy *policy, mcts_rollout_report *report, mcts_rng *rng);

/* Tries to prove the position at the end of the path, where the game goes on, with a proof budget of about `budget`
 * steps (some 20 to 300 ns each), the exact distance included if `exact`; calling again goes on where the last call
 * stopped, by what `memory` keeps. Where proof->interrupt is raised it ends at once, with what is proven by then.
 * Returns 0. */
typedef int32_t (*mcts_prove)(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                              uint64_t budget, int32_t exact, mcts_proof *proof);

/* Memory of the prover: at most `bytes` of it, NULL when the system has none; clearing forgets everything, in much less
 * than a millisecond. */
typedef void *(*mcts_create_memory)(void *context, uint64_t bytes);
typedef void (*mcts_use_memory)(void *context, void *memory);

typedef struct mcts_guide {
    uint32_t rollouts;           /* bits of the rollout policies */
    uint32_t distance;           /* the highest mcts_policy.distance that `children` heeds; 0: it reports all moves */
    uint32_t actions;            /* number of actions; 0: rollouts do not tell what was played */
    mcts_find_children children;
    mcts_policy_rollout rollout;
    mcts_prove prove;            /* NULL: the game has no exact search */
    mcts_create_memory create_memory; /* these three with `prove` only */
    mcts_use_memory clear_memory;
    mcts_use_memory destroy_memory;
} mcts_guide;

/* ---- the valuation: what a game says of a position without a rollout --------------------------------------------- */

#define MCTS_VALUE_ONE 65536 /* mcts_estimate.value of a certain win */

typedef struct mcts_estimate {
    int32_t value;    /* expected result for the player to move, 0 (lost) .. MCTS_VALUE_ONE (won) */
    mcts_proof proof; /* of the position, when a glance showed it; else value -1 */
} mcts_estimate;

/* Values the position at the end of `path` from `root`, where the game goes on. One thread at a time uses a
 * `memory`, not always the same thread. A game may keep the last position there, with what it has summed up of it, and
 * play only the moves that differ. Returns 0. */
typedef int32_t (*mcts_value)(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                              mcts_estimate *estimate);

/* Weights of `count` moves of the same position, those that mcts_find_children reported: numbers >= 0, of which the
 * share of the sum is the prior of the move. Returns 0. */
typedef int32_t (*mcts_weigh)(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                              const uint32_t *moves, uint32_t count, float *weights);

/* Memory for the two functions above, NULL when the system has none; a search with several threads has several.
 * `network`: what the user gave the search to value positions by, NULL: nothing. */
typedef void *(*mcts_create_valuation)(void *context, const void *network);

typedef struct mcts_valuation {
    mcts_value value;
    mcts_weigh weigh;              /* NULL: the priors are those of mcts_children */
    mcts_create_valuation create;  /* NULL: `memory` is NULL */
    mcts_use_memory destroy;
} mcts_valuation;

/* ---- general games, and what a network reads --------------------------------------------------------------------- */

#define MCTS_CHANCE (-1)

/* Who is to move in `state`: 0 .. players-1, or MCTS_CHANCE; any player where the game is over. */
typedef int32_t (*mcts_to_move)(void *context, const void *state);

/* The value of the finished game for each player, in [0, 1]; returns 0. */
typedef int32_t (*mcts_returns)(void *context, const void *state, double *values);

/* The outcomes at a chance node and their probabilities, which sum to 1; returns their number, at most max_moves. */
typedef int32_t (*mcts_chance)(void *context, const void *state, uint32_t *moves, double *probabilities);

/* Writes planes * rows * cols numbers, all of them: a network's view of `state`, where the game goes on and no chance
 * is to move, by the player to move; row 0 on top. Returns 0. */
typedef int32_t (*mcts_observe)(void *context, const void *state, float *planes);

/* Random moves and chance from `state`, where the game goes on, to the end: the value for each player; returns 0. */
typedef int32_t (*mcts_general_rollout)(void *context, const void *state, mcts_rng *rng, double *values);

/* In a game with `to_move`, `play` plays for whoever is to move, chance included, and returns MCTS_ONGOING or, where
 * the game is over, any other outcome; what that means, `returns` says. `legal_moves` is asked where a player is to
 * move, and says 0 where the game is over. The functions of mcts_game that speak of two players (rollout, rollouts,
 * simulate, expand, guide) may then be NULL. */
typedef struct mcts_general {
    uint32_t players;            /* 1 .. 32 */
    uint32_t actions;            /* entries of a policy: the moves of the players are 0 .. actions-1 */
    uint32_t planes, rows, cols; /* of an observation */
    mcts_to_move to_move;        /* NULL: two players alternate, of whom 0 is +1; the next two are NULL then */
    mcts_returns returns;
    mcts_chance chance;          /* NULL: there is no chance */
    mcts_observe observe;        /* NULL: there are no observations */
    mcts_general_rollout rollout;    /* NULL: the search plays by `legal_moves`, `chance` and `play` */
} mcts_general;

/* ---- the whole --------------------------------------------------------------------------------------------------- */

typedef struct mcts_game {
    uint32_t version;     /* MCTS_GAME_VERSION */
    uint32_t flags;       /* MCTS_SLOTS_ARE_MOVES, MCTS_ORDERED or 0 */
    uint32_t state_size;  /* bytes of a state */
    uint32_t max_moves;   /* slots of a position; where slots are not moves: at most, 0 if that is not known */
    uint32_t max_plies;   /* no game is longer; 0: unknown */
    void *context;        /* handed to every function; board geometry and the like */

    mcts_legal_moves legal_moves;
    mcts_play play;
    mcts_rollout rollout;
    mcts_simulate simulate;
    mcts_expand expand;
    mcts_rollouts rollouts; /* NULL: one by one */
    const mcts_guide *guide; /* NULL: the search knows the rules only */
    const mcts_general *general; /* NULL: two players alternate, and there are no observations */
    const mcts_valuation *valuation; /* with a guide only; NULL: leaves are valued by rollouts */
} mcts_game;

#ifdef __cplusplus
}
#endif
#endif
