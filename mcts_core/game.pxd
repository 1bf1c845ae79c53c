"""The game table, for Cython: see ``include/mcts_core/game.h`` for the contract."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "mcts_core/game.h" nogil:
    enum:
        MCTS_GAME_VERSION
        MCTS_ONGOING
        MCTS_WIN
        MCTS_DRAW
        MCTS_LOSS
        MCTS_ILLEGAL
        MCTS_ERROR
        MCTS_SLOTS_ARE_MOVES
        MCTS_ORDERED
        MCTS_ROLLOUT_RANDOM
        MCTS_ROLLOUT_DECISIVE
        MCTS_ROLLOUT_TACTICAL
        MCTS_CHANCE
        MCTS_MAX_MOVES
        MCTS_VALUE_ONE
    const uint32_t MCTS_ALL_TRIED, MCTS_NO_MOVE

    ctypedef struct mcts_rng:
        uint64_t counter
        uint64_t lane[8]

    uint64_t mcts_rng_next(mcts_rng *rng) noexcept
    uint32_t mcts_rng_below(mcts_rng *rng, uint32_t n) noexcept
    void mcts_rng_seed(mcts_rng *rng, uint64_t seed) noexcept

    ctypedef struct mcts_simulation:
        uint32_t cursor
        uint32_t slot
        uint32_t count
        uint32_t lot
        uint32_t slots
        uint32_t tried_bits
        const uint8_t *tried

    uint32_t mcts_pick_untried(mcts_simulation *simulation, const uint32_t *slots, uint32_t count) noexcept

    ctypedef struct mcts_expansion:
        uint32_t capacity
        uint32_t *moves
        uint8_t *outcomes
        int32_t root_player

    ctypedef int32_t (*mcts_legal_moves)(void *context, const void *state, uint32_t *moves) noexcept
    ctypedef int32_t (*mcts_play)(void *context, void *state, uint32_t move) noexcept
    ctypedef int32_t (*mcts_rollout)(void *context, const void *state, mcts_rng *rng) noexcept
    ctypedef int32_t (*mcts_rollouts)(void *context, const void *state, uint64_t count, mcts_rng *rng,
                                      uint64_t *results, uint64_t *plies) noexcept
    ctypedef int32_t (*mcts_simulate)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                      mcts_simulation *simulation, mcts_rng *rng) noexcept
    ctypedef int32_t (*mcts_expand)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                    mcts_expansion *expansion) noexcept

    ctypedef struct mcts_policy:
        uint32_t rollout
        uint32_t distance
        uint32_t symmetry
        uint32_t unranked

    ctypedef struct mcts_interrupt:
        int32_t (*raised)(void *context) noexcept
        void *context

    int32_t mcts_raised(const mcts_interrupt *interrupt) noexcept

    ctypedef struct mcts_proof:
        int32_t value
        uint32_t distance
        uint32_t exact
        uint32_t move
        uint64_t spent
        const mcts_interrupt *interrupt
        uint32_t ask_book
        uint32_t by_book
        uint32_t wins_only

    ctypedef struct mcts_children:
        uint32_t capacity
        uint32_t *moves
        uint32_t *actions
        uint8_t *outcomes
        uint16_t *distances
        float *priors
        int32_t root_player
        uint32_t complete
        uint32_t rest

    ctypedef struct mcts_rollout_report:
        uint8_t *played
        mcts_proof proof

    ctypedef int32_t (*mcts_find_children)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                           const mcts_policy *policy, mcts_children *children) noexcept
    ctypedef int32_t (*mcts_policy_rollout)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                            const mcts_policy *policy, mcts_rollout_report *report,
                                            mcts_rng *rng) noexcept
    ctypedef int32_t (*mcts_prove)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                   void *memory, uint64_t budget, int32_t exact, mcts_proof *proof) noexcept

    ctypedef void *(*mcts_create_memory)(void *context, uint64_t bytes) noexcept
    ctypedef void (*mcts_use_memory)(void *context, void *memory) noexcept

    ctypedef struct mcts_guide:
        uint32_t rollouts
        uint32_t distance
        uint32_t actions
        mcts_find_children children
        mcts_policy_rollout rollout
        mcts_prove prove
        mcts_create_memory create_memory
        mcts_use_memory clear_memory
        mcts_use_memory destroy_memory

    ctypedef struct mcts_estimate:
        int32_t value
        mcts_proof proof

    ctypedef int32_t (*mcts_value)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                   void *memory, mcts_estimate *estimate) noexcept
    ctypedef int32_t (*mcts_weigh)(void *context, const void *root, const uint32_t *path, uint32_t length,
                                   void *memory, const uint32_t *moves, uint32_t count, float *weights) noexcept
    ctypedef void *(*mcts_create_valuation)(void *context, const void *network) noexcept

    ctypedef struct mcts_valuation:
        mcts_value value
        mcts_weigh weigh
        mcts_create_valuation create
        mcts_use_memory destroy

    ctypedef int32_t (*mcts_to_move)(void *context, const void *state) noexcept
    ctypedef int32_t (*mcts_returns)(void *context, const void *state, double *values) noexcept
    ctypedef int32_t (*mcts_chance)(void *context, const void *state, uint32_t *moves, double *probabilities) noexcept
    ctypedef int32_t (*mcts_observe)(void *context, const void *state, float *planes) noexcept
    ctypedef int32_t (*mcts_general_rollout)(void *context, const void *state, mcts_rng *rng, double *values) noexcept

    ctypedef struct mcts_general:
        uint32_t players
        uint32_t actions
        uint32_t planes
        uint32_t rows
        uint32_t cols
        mcts_to_move to_move
        mcts_returns returns
        mcts_chance chance
        mcts_observe observe
        mcts_general_rollout rollout

    ctypedef struct mcts_game:
        uint32_t version
        uint32_t flags
        uint32_t state_size
        uint32_t max_moves
        uint32_t max_plies
        void *context
        mcts_legal_moves legal_moves
        mcts_play play
        mcts_rollout rollout
        mcts_simulate simulate
        mcts_expand expand
        mcts_rollouts rollouts
        const mcts_guide *guide
        const mcts_general *general
        const mcts_valuation *valuation


cdef inline void begin_proof(mcts_proof *proof, const mcts_interrupt *interrupt, bint ask_book,
                             bint wins_only) noexcept nogil:
    """Readies ``proof`` for ``mcts_prove``: nothing is proven, and no proof budget is spent."""
    proof.value = -1
    proof.distance = proof.exact = 0
    proof.move = MCTS_NO_MOVE
    proof.spent = 0
    proof.interrupt = interrupt
    proof.ask_book = ask_book
    proof.by_book = 0
    proof.wins_only = wins_only


cdef inline const mcts_general *general_of(const mcts_game *game) noexcept nogil:
    return game.general if game != NULL and game.version == MCTS_GAME_VERSION else NULL


cdef inline const mcts_valuation *told_valuation(const mcts_game *game) noexcept nogil:
    cdef bint readable = game != NULL and game.version == MCTS_GAME_VERSION
    return game.valuation if readable and game.guide != NULL else NULL


cdef inline const mcts_valuation *valuation_of(const mcts_game *game) noexcept nogil:
    """NULL also where functions of it are missing that a search would call."""
    cdef const mcts_valuation *valuation = told_valuation(game)
    if valuation == NULL or valuation.value == NULL or (valuation.create == NULL) != (valuation.destroy == NULL):
        return NULL
    return valuation


cdef class NativeState:
    """Base of every position whose rules are native: a state and the table of its game.

    A subclass fills both in its ``__cinit__``; ``game`` and ``state`` must live as long as the object.
    """

    cdef const mcts_game *game
    cdef const void *state
