"""The general tree: any number of players, chance nodes, leaves that a network evaluates in batches.

One block per node that has children in the tree, addressed by 32-bit indices of GENERAL_UNIT bytes; no pointer, no
Python object, no malloc per node. The statistics of the children stand as columns in the block of their parent:

    GeneralBlock  totals[players]  rewards[players] or low[players] high[players]  (to a multiple of 32 bytes)
    sums[room]  visits[room]  links[room]  moves[all]  priors[all]

``totals``: of the values that every player got through the node, a float64 each, by which it can be the root of the
next search. ``rewards``: only in scored games, what the move that leads to the node gives every player; it is part of
the sum of the slot that leads to the node, not of the node's totals. ``low``, ``high``: only in searches with score
bounds (``score_bounds.pxd``), between which the value of every player is with best play. ``sums``: of the values that
the player who moves at this node got through the child, a float64 each.
``priors``: only in searches with priors, and at chance nodes, where the column holds as uint32 the limits of the
outcomes in [0, 2**31] and ``sums`` is not there.

Of two hundred moves of a leaf, a search with priors visits few or none. So a node below the root has statistics only
for the moves that it has visited and for the next one, the unvisited move with the highest prior. These are its first
moves, in the order in which they joined; the others, ``closed``, follow in the order of the game. ``room`` doubles when
it is full, in a new block. A leaf of gomoku takes 2 KB like this, and 5.6 KB with statistics for every move. The
search is the same, because the score of an unvisited move grows with its prior. (Of two moves with equal scores it
takes the one that joined first, and of equal priors one at random joins next.) The root, chance nodes, and searches
without priors or with Gumbel noise, which ask for the statistics of every move, have them for all.

A link:

    11 + index      the block of a node that is expanded
    10 + index      the block of a decision node that waits for its evaluation
    01 + index      the game is over there; the record, which other links may share, holds the value of every player,
                    in a scored game with the reward of the last move
    001 + distance (16 bits from bit 2) + half-points of player 0       its value is proven (``general_proofs.pxd``) and
                    it has no block; a block whose children prove its value stays, and has it in its header
    0               a leaf: no visit yet, or, in searches by rollouts, one; or it has lost its block

Block 0 stands above the root, as in the other trees: a chance node with one outcome, whose totals are the root's.

A visit is counted on the way down and its value arrives on the way up: what is under way counts as a loss of the player
who moves, which is the virtual loss (Chaslot, Winands and van den Herik, CG 2008) that makes the descents of a batch
differ. ``visits`` less ``valued`` are those under way, and in a tree that was pruned, or has heard of others, those of
which the totals know nothing.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.games.general_rules cimport GeneralPosition, GeneralRules
from mcts_core.games.user_states cimport MAX_PLAYERS
from mcts_core.tree.nested_policy cimport NestedSearch
from mcts_core.tree.prover cimport Prover
from mcts_core.tree.tree cimport LINK_BLOCK, LINK_KIND, WIDE_INDEX, Tree, TreeOps


cdef enum:
    GENERAL_UNIT = 32
    GENERAL_HEADER = 16          # bytes of a GeneralBlock
    CHANCE_PLAYER = -1
    FIRST_ROOM = 8               # for children with statistics
    NO_LEAF = 0

cdef extern from *:
    """
    #define LINK_WAITS 0x80000000u
    #define LINK_PROVEN 0x20000000u
    #define CERTAIN 0x80000000u
    #define GENERAL_PADDING (-1e30)
    #define GENERAL_LARGEST_SUM 1e140  /* of values of a scored game; one of them is at most 1e100 by far */
    #define GENERAL_UNTRIED 1e20f
    """
    const uint32_t LINK_WAITS
    const uint32_t LINK_PROVEN
    const uint32_t CERTAIN       # the limit of the last outcome, above every number that is drawn
    const double GENERAL_PADDING  # the sum of a slot without a move, which has one visit
    const double LARGEST_SUM "GENERAL_LARGEST_SUM"
    const float UNTRIED "GENERAL_UNTRIED"  # the score of a child without a visit where no first-play urgency is given

cdef extern from "kernels/selection/excluded.h" nogil:
    const float SEL_EXCLUDED     # the prior of a proven loss, which selection never takes

cdef enum GeneralFault:          # what is wrong with an evaluation
    FAULT_NONE = 0
    FAULT_PRIOR = 1              # not a finite number >= 0
    FAULT_ACTION = 2             # the policy has no entry for a legal move
    FAULT_VALUE = 3              # not a number from -1 to 1, in a scored game not a number

ctypedef struct GeneralBlock:
    uint32_t visits              # of this node, those under way included; its own evaluation is one
    uint32_t valued              # of these, those whose values are in the totals
    uint16_t count               # of moves
    uint16_t distance            # of the proof
    int8_t player                # who moves, CHANCE_PLAYER at a chance node
    uint8_t proof                # 1 + half-points of player 0, where the children prove the node's value; else 0, or
    #                              255 at a chance node of a saved tree
    uint16_t closed              # of these, the last ones, which have no statistics

ctypedef struct Ending:          # the record of a finished game, before the values
    uint32_t next                # an older one, 0: none
    uint32_t mark                # for what works on whole trees

ctypedef struct GeneralColumns:
    uint32_t count               # children with statistics
    uint32_t capacity            # room for these, a multiple of 8
    uint32_t total               # moves
    double *sums                 # NULL at chance nodes
    uint32_t *visits
    uint32_t *links
    uint32_t *moves
    float *priors                # NULL where there are none
    uint32_t *limits             # the same place, at chance nodes

ctypedef struct GeneralOptions:
    bint puct                    # selection by priors, and leaves wait for an evaluation; otherwise UCB1 and rollouts
    float exploration            # c of UCB1
    float c_puct
    bint has_fpu
    float fpu
    uint32_t rollouts_per_leaf
    uint32_t batch
    double noise_alpha           # of the Dirichlet noise of the root; 0: there is none
    double noise_weight
    float spread                 # by which share, at random, this tree's priors are changed (`spread.pxd`)
    bint solver                  # proven values are backed up: of two players, of whom one wins what the other loses
    bint bounds                  # nodes have score bounds, in games without scores that are searched by rollouts
    uint64_t prover_bytes        # of the game's exact search, 0: it is not asked
    uint32_t leaf_proofs         # its budget for a leaf
    uint32_t root_proofs         # for the root and its most visited move, per iteration
    bint gumbel                  # selection by `gumbel.pxd`, not by PUCT
    uint32_t gumbel_moves        # considered at the root, at most
    double gumbel_scale          # of the noise
    bint keeps_line              # the best line that was found, of one player
    uint32_t nested              # searches in each level of nested rollouts (`nested_policy.pxd`); 0: there is a tree
    uint64_t nested_bytes        # of their memory, at most
    uint32_t rollout_moves       # of a rollout of a scored game, at most; 0: to its end

ctypedef struct GeneralEvaluation:  # of `rows` positions, in the order in which they were gathered
    uint32_t rows
    const float *policy          # rows x width, NULL: every move has the same prior
    uint32_t width
    const float *values          # rows x value_width, from -1 to 1, in a scored game any numbers
    uint32_t value_width         # 1: for the player to move, of one player or two, but not in a scored game of two

ctypedef struct GeneralEntry:    # a descent of the current batch
    uint32_t start               # of its path
    uint32_t length
    uint32_t leaf                # the block that waits; NO_LEAF: it met another one's and does not count
    bint fresh                   # its node was never visited before
    double sum                   # of the policy of its moves

ctypedef struct GeneralBatch:
    uint32_t entries
    uint32_t path                # entries of their paths
    uint32_t waiting             # of the entries, those with a leaf

ctypedef struct GeneralTree:
    Tree tree                    # first: a pointer to one is a pointer to the other
    # one search
    const GeneralRules *rules
    GeneralOptions options
    uint32_t players
    bint bounded                 # nodes have score bounds
    uint32_t header              # bytes of a block before its columns
    # scored games: the lowest and the highest mean value of a child that backups have seen, for the player who moves
    bint scored
    double low[MAX_PLAYERS]
    double high[MAX_PLAYERS]
    double best                  # what the best line gives, in a search that keeps it
    # the batches that wait, one or two: paths one after the other, in the arrays of the head
    uint32_t path_used
    GeneralEntry *entries
    uint32_t entry_room
    uint32_t entry_count
    GeneralBatch older           # what waited already when the last one was gathered
    uint32_t waiting             # of the entries of the last batch, those with a leaf
    uint32_t collisions
    bint hidden                  # no visit of a batch is counted
    # what the rules report
    GeneralPosition position
    double *noise
    # the last fault
    int fault
    uint32_t fault_row
    uint32_t fault_slot
    uint32_t fault_action
    double fault_number
    uint32_t last_ending         # the latest record of a finished game
    # exact search
    Prover prover
    uint64_t root_proofs_spent   # budget that was spent for the root
    # Gumbel
    uint64_t seed                # of the noise
    uint32_t simulations         # the budget of iterations, which sequential halving shares out
    double *root_scores          # noise and logarithm of the prior of every move of the root
    double *completed            # values of the children at hand
    NestedSearch nested          # of nested rollouts

ctypedef struct GeneralOps:
    TreeOps tree                 # first; its `run` is for searches by rollouts
    # searches by evaluations: up to `count` iterations less those of an older batch that waits, of which those that
    # need an evaluation wait for it, at most a batch; their observations go to `observations`, `stride` floats each
    # (NULL: nobody asks for them); a Status. One older batch may wait; where this proves the root, nothing waits
    int (*gather)(GeneralTree *tree, uint32_t count, float *observations, uint64_t stride) noexcept nogil
    # ends the batch that waits, of two the older one, by its evaluation; after a GeneralFault all still waits, and can
    # only be retracted
    int (*resolve)(GeneralTree *tree, const GeneralEvaluation *evaluation) noexcept nogil
    # forgets what waits: as if it had not been gathered
    void (*retract)(GeneralTree *tree) noexcept nogil
    # takes the visits that wait out of the statistics until the next of these calls: for those who read the tree
    void (*hide)(GeneralTree *tree) noexcept nogil
    # what others have proven: the child that entry `at` of the path leads to; then whether that proves the block of
    # that entry (1: it is the root's), told in `changed`
    void (*accept)(GeneralTree *tree, uint32_t at, uint32_t link) noexcept nogil
    void (*reconsider)(GeneralTree *tree, uint32_t at, bint *changed) noexcept nogil
    # gives the root statistics for all moves, new ones in random order; False when the arena is full
    bint (*open_root)(GeneralTree *tree, uint64_t seed) noexcept nogil
    # gives back the memory of exact search
    void (*forget_prover)(GeneralTree *tree) noexcept nogil


cdef inline GeneralBlock *general_block(const GeneralTree *general, uint32_t index) noexcept nogil:
    return <GeneralBlock *>arena_at(&general.tree.arena, index)


cdef inline double *totals_of(GeneralBlock *block) noexcept nogil:
    return <double *>(<uint8_t *>block + GENERAL_HEADER)


cdef inline void add_values(const GeneralTree *general, GeneralBlock *block, const double *values) noexcept nogil:
    cdef double *totals = totals_of(block)
    cdef uint32_t player
    for player in range(general.players):
        totals[player] += values[player]
    block.valued += 1


cdef inline double *rewards_of(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """Of the move that leads to the node; in scored games only."""
    return totals_of(block) + general.players


cdef inline double *low_of(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """What every player gets at least; only where the search has bounds."""
    return totals_of(block) + general.players


cdef inline double *high_of(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """What every player gets at most."""
    return totals_of(block) + 2 * general.players


cdef inline double carried(const GeneralTree *general, GeneralBlock *block, uint32_t player,
                           double value) noexcept nogil:
    """The value of the move that leads to a node of a scored game, of a value of that node.

    One step of the discount is a move of a player with all that chance adds to it, so a chance node has none.
    """
    return rewards_of(general, block)[player] + (value if block.player < 0 else general.rules.discount * value)


cdef inline GeneralColumns general_columns(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    cdef GeneralColumns columns
    cdef uint8_t *at = <uint8_t *>block + general.header
    columns.total = block.count
    columns.count = block.count - block.closed
    columns.capacity = room_of(columns.count, block.count)
    columns.sums = NULL
    if block.player >= 0:
        columns.sums = <double *>at
        at += 8 * columns.capacity
    columns.visits = <uint32_t *>at
    columns.links = columns.visits + columns.capacity
    columns.moves = columns.links + columns.capacity
    columns.limits = columns.moves + capacity_for(block.count)
    columns.priors = <float *>columns.limits if general.options.puct and block.player >= 0 else NULL
    return columns


cdef inline uint32_t capacity_for(uint32_t count) noexcept nogil:
    """Of a column: whole vectors of every instruction set."""
    return (count + 7) & ~<uint32_t>7


cdef inline uint32_t room_of(uint32_t opened, uint32_t count) noexcept nogil:
    """Capacity of the columns of statistics, for so many children of ``count`` moves."""
    cdef uint32_t room = FIRST_ROOM, most = capacity_for(count)
    while room < opened:
        room *= 2
    return min(room, most)


cdef inline uint32_t header_for(uint32_t players, bint scored, bint bounded) noexcept nogil:
    """Bytes of a block before its columns."""
    cdef uint32_t numbers = 1 + (1 if scored else 2 if bounded else 0)  # for every player
    return (GENERAL_HEADER + 8 * numbers * players + GENERAL_UNIT - 1) // GENERAL_UNIT * GENERAL_UNIT


cdef inline bint is_possible_sum(const GeneralTree *general, double sum, double visits, double rounding) noexcept nogil:
    """Whether that can be the sum of so many values."""
    if general.scored:
        return -LARGEST_SUM <= sum <= LARGEST_SUM
    return -rounding <= sum <= visits + rounding


cdef inline uint32_t general_units(const GeneralTree *general, uint32_t opened, uint32_t count,
                                   bint chance) noexcept nogil:
    """Of a block of ``count`` moves, so many of which have statistics."""
    cdef uint32_t statistics = 8 if chance else 16, move = 8 if chance or general.options.puct else 4
    return (general.header + statistics * room_of(opened, count) + move * capacity_for(count)
            + GENERAL_UNIT - 1) // GENERAL_UNIT


cdef inline uint32_t general_size(const GeneralTree *general, const GeneralBlock *block) noexcept nogil:
    return general_units(general, block.count - block.closed, block.count, block.player < 0)


cdef inline uint32_t ending_units(const GeneralTree *general) noexcept nogil:
    return (<uint32_t>sizeof(Ending) + 8 * general.players + GENERAL_UNIT - 1) // GENERAL_UNIT


cdef inline const double *ending_values(const GeneralTree *general, uint32_t link) noexcept nogil:
    return <const double *>(general_block(general, link & WIDE_INDEX)) + 1


cdef inline uint32_t general_root(const GeneralTree *general) noexcept nogil:
    """The link to the block of the root: LINK_WAITS while it waits for its evaluation."""
    return general_columns(general, general_block(general, 0)).links[0]


cdef inline bint root_waits(const GeneralTree *general) noexcept nogil:
    return general_root(general) & LINK_KIND != LINK_BLOCK


cdef inline void set_limits(const double *probabilities, uint32_t count, uint32_t *limits) noexcept nogil:
    """The limits of the outcomes of a chance node; what rounding left over belongs to the last one that can be."""
    cdef double sum = 0.0, total = 0.0
    cdef uint32_t slot
    for slot in range(count):
        total += probabilities[slot]
    for slot in range(count):
        sum += probabilities[slot]
        limits[slot] = <uint32_t>(sum / total * CERTAIN)
    slot = count
    while slot > 0:
        slot -= 1
        limits[slot] = CERTAIN
        if probabilities[slot] > 0:
            break
