"""The general tree: any number of players, chance nodes, leaves that a network evaluates in batches.

One block per node that has children in the tree, addressed by 32-bit indices of GENERAL_UNIT bytes; no pointer, no
Python object, no malloc per node. The statistics of the children stand as columns in the block of their parent:

    GeneralBlock  sums[capacity]  visits[capacity]  links[capacity]  moves[capacity]  priors[capacity]

``sums``: of the values that the player who moves at this node got through the child, a float64 each. ``priors``: only
in searches with priors, and at chance nodes, where the column holds as uint32 the limits of the outcomes in [0, 2**31]
and ``sums`` is not there. A link:

    11 + index      the block of a node that is expanded
    10 + index      the block of a decision node that waits for its evaluation in this batch
    01 + index      the game is over there; the record holds the value of every player, a float64 each
    0               no visit yet, or, in searches by rollouts, one: such a leaf needs no block

A visit is counted on the way down and its value arrives on the way up: what is under way counts as a loss of the player
who moves, which is the virtual loss (Chaslot, Winands and van den Herik, CG 2008) that makes the descents of a batch
differ. ``flight`` says how many those are.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.arena cimport Arena, arena_at
from mcts_core.game cimport mcts_rng
from mcts_core.games.general_rules cimport GeneralPosition, GeneralRules


cdef enum:
    GENERAL_UNIT = 32
    GENERAL_HEADER = 32
    GENERAL_SCALES = 4096        # UCB_TABLE
    MAX_PLAYERS = 32
    CHANCE_PLAYER = -1

cdef enum GeneralStatus:
    GENERAL_DONE = 0
    GENERAL_MEMORY = 1           # the arena is full
    GENERAL_GAME_ERROR = 2       # the rules reported an error
    GENERAL_SYSTEM_MEMORY = 3    # the system gave no memory

cdef enum GeneralFault:          # what is wrong with an evaluation
    FAULT_NONE = 0
    FAULT_PRIOR = 1              # not a finite number >= 0
    FAULT_ACTION = 2             # the policy has no entry for a legal move
    FAULT_VALUE = 3              # not a number from -1 to 1

ctypedef struct GeneralBlock:
    double total                 # of the values of the player to move, where priors are: what `visits` brought
    uint32_t visits              # of this node, those under way included; its own evaluation is one
    uint32_t flight              # of these, under way in this batch
    uint32_t parent              # its block and slot there; the root has none
    uint16_t parent_slot
    uint16_t count               # of children
    uint16_t capacity            # room of a column, a multiple of 8
    int16_t player               # who moves, CHANCE_PLAYER at a chance node
    uint32_t spare

ctypedef struct GeneralColumns:
    uint32_t count
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

ctypedef struct GeneralEvaluation:  # of `rows` positions, in the order in which they were gathered
    uint32_t rows
    const float *policy          # rows x width, NULL: every move has the same prior
    uint32_t width
    const float *values          # rows x value_width, from -1 to 1
    uint32_t value_width         # 1: for the player to move, of two players or one; otherwise a value for each player

ctypedef struct GeneralEntry:    # a descent of the current batch
    uint32_t start               # of its path
    uint32_t length
    uint32_t leaf                # the block that waits; 0: it met another one's and does not count

ctypedef struct GeneralTree:
    Arena arena
    # one search
    const GeneralRules *rules
    GeneralOptions options
    uint32_t players
    uint32_t root
    bint root_waits              # for its own evaluation
    mcts_rng rng
    double totals[MAX_PLAYERS]   # of the values of each player over all iterations
    # the batch: paths one after the other
    uint32_t path_room
    uint32_t path_used
    uint32_t *path_block
    uint32_t *path_slot
    uint32_t *path_move
    GeneralEntry *entries
    uint32_t entry_room
    uint32_t entry_count
    uint32_t waiting             # of the entries, those with a leaf
    uint32_t collisions
    # what the rules report
    GeneralPosition position
    double *noise
    # the last fault
    int fault
    uint32_t fault_row
    uint32_t fault_slot
    uint32_t fault_action
    double fault_number
    # counts
    uint32_t iterations
    uint32_t rollouts            # or evaluations
    uint32_t nodes
    uint32_t depth_max
    uint64_t depth_sum
    uint32_t last_ending         # the latest record of a finished game
    float scales[GENERAL_SCALES]

ctypedef struct GeneralOps:
    # makes a tree whose arena may grow to `bytes`; NULL when the system gives no memory
    GeneralTree *(*create)(uint64_t bytes) noexcept nogil
    void (*destroy)(GeneralTree *tree) noexcept nogil
    # forgets everything and starts a search from the root of `rules`; a GeneralStatus
    int (*reset)(GeneralTree *tree, const GeneralRules *rules, const GeneralOptions *options,
                 uint64_t seed) noexcept nogil
    # searches by rollouts: up to `count` iterations; a GeneralStatus
    int (*run)(GeneralTree *tree, uint32_t count) noexcept nogil
    # searches by evaluations: up to `count` iterations, of which those that need an evaluation wait for it, at most a
    # batch; their observations go to `observations`, `stride` floats each (NULL: nobody asks for them); a GeneralStatus
    int (*gather)(GeneralTree *tree, uint32_t count, float *observations, uint64_t stride) noexcept nogil
    # ends what waits, by its evaluation; a GeneralFault, with which nothing has changed
    int (*resolve)(GeneralTree *tree, const GeneralEvaluation *evaluation) noexcept nogil
    # forgets what waits: as if it had not been gathered
    void (*retract)(GeneralTree *tree) noexcept nogil


cdef inline GeneralBlock *general_block(const GeneralTree *tree, uint32_t index) noexcept nogil:
    return <GeneralBlock *>arena_at(&tree.arena, index)


cdef inline GeneralColumns general_columns(const GeneralTree *tree, GeneralBlock *block) noexcept nogil:
    cdef GeneralColumns columns
    cdef uint8_t *at = <uint8_t *>block + GENERAL_HEADER
    cdef uint32_t capacity = block.capacity
    columns.count = block.count
    columns.sums = NULL
    if block.player >= 0:
        columns.sums = <double *>at
        at += 8 * capacity
    columns.visits = <uint32_t *>at
    columns.links = columns.visits + capacity
    columns.moves = columns.links + capacity
    columns.limits = columns.moves + capacity
    columns.priors = <float *>columns.limits if tree.options.puct and block.player >= 0 else NULL
    return columns
