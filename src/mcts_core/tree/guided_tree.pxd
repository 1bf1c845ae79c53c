"""The guided tree: for searches that know more of a game than its rules, or that prove values.

It shares arena, links and block 0 with the plain tree (``tree/plain_tree.pxd``). A node gets a *block* with a slot per
child when it has had ``expand_after`` visits; until then every visit is a rollout from the node itself. Blocks hold
columns:

    header (32 bytes)   visits   wins   link   move   prior   [action]   [squares]   [amaf_visits   amaf_wins]

where those in brackets are there only for the selections that read them, and the header of GRAVE blocks may point to a
record of AMAF statistics of all actions by both players. A child whose value is proven has a terminal link, or a block
whose children prove it: that stays, so that the proof is there when the game comes to it. The proof of the root stands
in ``Tree.proof``. A child that is a proven loss for the player who
would choose it has the prior SEL_EXCLUDED, so that selection never takes it; its visits and wins stay as they were.

When selection comes to a proven draw while siblings are unknown, the visit would teach nothing. So the draw is counted,
for the node and all above, and the iteration goes on into the best of those siblings, which counts it for itself.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.game cimport (mcts_children, mcts_game, mcts_guide, mcts_interrupt, mcts_policy, mcts_proof,
                             mcts_valuation)
from mcts_core.tree.prover cimport Prover
from mcts_core.tree.tree cimport (LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS, WIDE_INDEX, WIDE_UNIT, Tree,
                                  TreeOps)

cdef enum:
    GUIDED_HEADER = 32

cdef enum Selection:
    SELECT_UCB1 = 0
    SELECT_PUCT = 1
    SELECT_TUNED = 2
    SELECT_RAVE = 3              # this and the next one read AMAF statistics
    SELECT_GRAVE = 4

cdef enum:
    SHARES = 256                 # GuidedOptions.share of a leaf's value

ctypedef struct GuidedOptions:
    int32_t selection            # a Selection
    int32_t solver               # 1: proven values are backed up
    int32_t hand_schedule        # RAVE: 1: beta = sqrt(k / (3 N + k)), 0: minimum mean square error
    float exploration
    float fpu                    # score of a child without a visit, prior or AMAF statistics; PUCT: how far below the
    #                              mean of its visited siblings its value is
    float rave_k
    float rave_bias              # 4 b^2
    uint32_t grave_ref           # visits of the node whose AMAF statistics are read
    float prior_weight           # of the game's prior, in visits; with PUCT priors are shares
    uint32_t expand_after        # visits of a node before it gets a block
    uint32_t wins_per_visit    # of a visit that wins; more than `rollouts` where a valuation needs finer steps
    uint32_t rollouts            # at a leaf
    uint32_t share               # of the valuation in a leaf's value, in 256ths; the rest is that of the rollouts
    size_t network               # address of that for the valuation; a number, so that a dict makes these options
    float least_prior            # below the root, as a share of the highest prior: moves with less are left out
    float spread                 # PUCT: by which share, at random, this tree's priors are changed (`spread.pxd`)
    double noise_alpha           # of the Dirichlet noise in the priors of the root; 0: there is none
    double noise_weight
    mcts_policy policy
    uint64_t tree_bytes          # memory of the tree
    uint64_t prover_bytes        # of the game's exact search, 0: it is not asked
    uint64_t lane_bytes          # the same of each lane for leaves (`flights.pxd`)
    uint32_t leaf_proofs         # its budget for a node that is about to be expanded; with a valuation, for every leaf
    uint32_t node_proofs         # for an expanded node, per visit, in each octave of its visits
    uint32_t root_proofs         # for the root, per iteration; see guided_solver.pxd for the moves of the root
    uint32_t ask_book            # 1: exact search may use a book of the game

ctypedef struct GuidedBlock:
    uint32_t best_link
    uint32_t visits              # of the node
    uint32_t amaf                # a record of AMAF statistics, 0: none
    uint16_t best
    uint16_t capacity            # room of each column, a multiple of 8
    uint16_t count               # slots in use
    int8_t sign
    uint8_t flags                # of the following
    uint16_t rest                # the longest distance of the losses left out
    uint16_t spare
    uint32_t proof               # the terminal link of the node's value, where its children prove it; else 0
    uint32_t unused

cdef enum BlockFlags:
    BLOCK_INCOMPLETE = 1         # moves were left out that are not known to lose
    BLOCK_CLOSED = 2             # and they cannot be had
    BLOCK_HAS_DRAW = 4           # a child is a proven draw, so the player to move has at least that
    BLOCK_STALE = 8              # iterations in flight changed it: `best` is to be found anew

ctypedef struct GuidedColumns:
    uint32_t count
    uint32_t *visits
    int32_t *wins
    uint32_t *links
    uint32_t *moves
    float *priors
    uint32_t *actions            # these where the selection reads them
    uint32_t *squares
    float *amaf_visits
    float *amaf_wins

# A move of the root, and the proof budget spent on whether the other player then wins.
ctypedef struct GuidedCheck:
    uint32_t move
    uint64_t spent

cdef enum:
    GUIDED_CHECKS = 8

cdef enum:
    MOST_FLIGHTS = 8             # iterations in flight, so also threads; more cost strength (bench/TUNING.md)
    MOST_QUESTIONS = 16          # that wait for an answer, or whose answer waits to be used

cdef struct Flights

ctypedef struct GuidedTree:
    Tree tree                    # first: a pointer to one is a pointer to the other
    GuidedOptions options
    const mcts_guide *guide
    Prover prover
    bint prover_asked            # since its memory was last empty
    const mcts_valuation *valuation
    void *estimator              # memory of the valuation
    const mcts_game *estimator_game
    const void *estimator_network
    uint64_t root_proofs_due     # proof budget that the root's exact search may still spend
    uint64_t following_due       # more of it, because the root follows from a proven one
    mcts_children children
    uint32_t children_room
    uint8_t *played
    uint32_t played_room
    float *amaf_row              # GRAVE: AMAF statistics of the children at hand, visits and wins
    float *scratch               # priors of the children at hand
    double *noise                # of the root
    uint32_t by_book             # 1: exact search has used one
    uint64_t unseen              # proof budget spent since the interrupt was asked last
    uint32_t root_slices         # of proof budget that the root has had
    GuidedCheck checks[GUIDED_CHECKS]
    Flights *flights             # of the last search with several threads; NULL: there was none
    bint flies                   # this search has iterations in flight

ctypedef struct Way:             # a path, as the tree's; the memory is kept
    uint32_t length
    uint32_t room
    uint8_t **record
    uint32_t *slots
    uint32_t *moves
    uint32_t *passed

ctypedef struct Flight:          # an iteration whose leaf has no value yet
    Way way
    bint proven                  # expansion has proven the leaf
    uint32_t link                # of the leaf
    int32_t points               # its value, for player +1
    int status

ctypedef struct Question:        # whether exact search proves the node at the end of the way
    Way way
    uint64_t budget
    bint wins_only
    uint32_t due                 # the number of iterations after which the answer is used
    mcts_proof proof
    int status

ctypedef struct Lane:            # a queue of leaves to value, or of questions to answer
    GuidedTree *valuer           # a tree without nodes, for its memory of valuation and exact search
    uint32_t given               # how many it got; published
    uint32_t done                # how many of these are done; published
    uint32_t busy                # 1: a thread is at it
    uint32_t spare[11]           # a cache line for each lane

cdef struct Flights:
    Lane lanes[MOST_FLIGHTS + 1]  # the one after those in use is for questions
    uint32_t lane_count          # of leaves
    uint32_t begun
    uint32_t ended
    uint32_t asked
    uint32_t answered
    uint32_t limit               # of iterations of the search
    bint repeatable              # runs end at fixed numbers of iterations
    Flight flights[MOST_FLIGHTS]
    Question questions[MOST_QUESTIONS]

ctypedef struct GuidedOps:
    TreeOps tree                 # first: a pointer to one is a pointer to the other
    # a proven value of the node at the end of the path, from elsewhere
    void (*accept)(GuidedTree *guided, uint32_t length, uint32_t link) noexcept nogil
    # a child of the node at the end of the path was proven: tells in `changed` whether that changes what is known of
    # the node; returns a Status
    int (*reconsider)(GuidedTree *guided, uint32_t length, bint *changed) noexcept nogil
    # gives back the memory of the game's exact search
    void (*forget_prover)(GuidedTree *guided) noexcept nogil
    # several threads are to value the leaves of this search; `interrupt`: what exact search asks in all of them. False
    # when the system gives no memory
    bint (*take_off)(GuidedTree *guided, uint32_t threads, uint32_t limit, bint repeatable, uint64_t seed,
                     const mcts_interrupt *interrupt) noexcept nogil
    # answers all questions, if the search can be repeated, so that the memory of exact search has the same contents for
    # the next search
    void (*answer_all)(GuidedTree *guided) noexcept nogil
    # the search is over, and no other thread is at it
    void (*land)(GuidedTree *guided) noexcept nogil
    # what the other threads do: answers a question, or values a leaf of the first lane, from `first` on, that has one.
    # False: none waits
    bint (*help)(Flights *flights, uint32_t first) noexcept nogil


cdef inline GuidedColumns guided_columns(const GuidedTree *guided, GuidedBlock *block) noexcept nogil:
    cdef GuidedColumns columns
    cdef uint32_t *first = <uint32_t *>(<uint8_t *>block + GUIDED_HEADER)
    cdef uint32_t capacity = block.capacity
    columns.count = block.count
    columns.visits = first
    columns.wins = <int32_t *>first + capacity
    columns.links = first + 2 * capacity
    columns.moves = first + 3 * capacity
    columns.priors = <float *>first + 4 * capacity
    columns.actions = first + 5 * capacity
    columns.squares = first + 5 * capacity
    columns.amaf_visits = <float *>first + 6 * capacity
    columns.amaf_wins = <float *>first + 7 * capacity
    return columns


cdef inline uint32_t known(const GuidedTree *guided, uint32_t link) noexcept nogil:
    """The terminal link of a node of proven value, 0 where nothing is proven of it."""
    if link & LINK_KIND == LINK_TERMINAL:
        return link
    if link & LINK_KIND == LINK_BLOCK:
        return (<GuidedBlock *>arena_at(&guided.tree.arena, link & WIDE_INDEX)).proof
    return 0


cdef inline uint32_t guided_column_count(int32_t selection) noexcept nogil:
    if selection == SELECT_RAVE:
        return 8
    return 6 if selection >= SELECT_TUNED else 5


cdef inline uint32_t block_units(const GuidedTree *guided, uint32_t capacity) noexcept nogil:
    cdef uint32_t columns = guided_column_count(guided.options.selection)
    return (GUIDED_HEADER + 4 * columns * capacity + WIDE_UNIT - 1) // WIDE_UNIT


cdef inline uint32_t amaf_units(const GuidedTree *guided) noexcept nogil:
    """Of a record with visits and wins of every action by the player +1, then by the other."""
    return (16 * guided.guide.actions + WIDE_UNIT - 1) // WIDE_UNIT


cdef inline uint32_t visits_that_fit(uint32_t wins_per_visit, int32_t selection) noexcept nogil:
    """The most visits of a node whose sums fit: of half-points, or of their squares for UCB1-tuned."""
    return <uint32_t>MAX_ITERATIONS // wins_per_visit // (2 if selection == SELECT_TUNED else 1)


cdef inline const uint32_t *path_of(const GuidedTree *guided) noexcept nogil:
    """The moves from the root to the node that the iteration has reached."""
    return guided.tree.path_move + 1
