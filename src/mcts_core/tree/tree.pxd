"""The head of every search tree, and the table of what can be done with one.

Each tree is an arena of records. Everything is addressed by 32-bit *links*; there is no pointer, no Python object and
no malloc per node. The layouts are in ``plain_tree.pxd``, ``guided_tree.pxd`` and ``general_tree.pxd``;
``information_tree.pxd`` has a tree without an arena.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc

from mcts_core.arena cimport Arena, arena_at
from mcts_core.game cimport (MCTS_MAX_MOVES, mcts_expansion, mcts_game, mcts_interrupt, mcts_proof, mcts_raised,
                             mcts_rng, mcts_rng_seed)

cdef enum Layout:
    LAYOUT_PLAIN = 0             # this is all of a tree
    LAYOUT_GUIDED = 1            # it is the beginning of a GuidedTree
    LAYOUT_GENERAL = 2           # of a GeneralTree

cdef enum:
    FIRST_PATH = 260             # levels that paths have room for from the start
    WIDE_UNIT = 64               # records of guided trees, and of plain ones with WideBlocks, are multiples of this
    MAX_SLOTS = MCTS_MAX_MOVES   # of one node
    NO_SLOT = 0xFFFFFFFF
    MAX_ITERATIONS = 0x3FFFFFFF  # wins count half-points in 32 signed bits; see Tree.most_visits
    NO_VISITS = 0x7FFFFFFF       # visits of a slot without a legal move

cdef enum Status:
    RUN_DONE = 0
    RUN_MEMORY = 1               # the arena is full
    RUN_GAME_ERROR = 2           # a function of the game returned an error
    RUN_SYSTEM_MEMORY = 3        # the system gave no memory
    RUN_SOLVED = 4               # the value of the root is proven
    RUN_LATE = 5                 # the arena is full, and there is no time to make room

# The kinds of links, by their top bits; the layouts say what the others are.
cdef extern from *:
    """
    #define LINK_KIND 0xC0000000u
    #define WIDE_INDEX 0x3FFFFFFFu
    #define LINK_BLOCK 0xC0000000u
    #define LINK_MINI 0x80000000u
    #define LINK_TERMINAL 0x40000000u
    """
    const uint32_t LINK_KIND, WIDE_INDEX, LINK_BLOCK, LINK_MINI, LINK_TERMINAL

# A terminal link, to a node of proven value: 01 + distance (16 bits from bit 2) + result in half-points for player +1.
# ``distance`` counts the plies from the node to the end of the game. That of the plain tree has no distance.
cdef enum:
    DISTANCE_SHIFT = 2
    MAX_DISTANCE = 0xFFFF

cdef struct TreeOps

ctypedef struct TreeRoot:        # the position that a search begins with; it lives as long as the search
    const mcts_game *game        # these three for the plain and the guided tree
    const void *state
    int32_t sign                 # of the player to move, +1 or -1
    const void *rules            # for the general tree: a GeneralRules

ctypedef struct Tree:            # what every layout begins with
    Arena arena                  # its unit: a whole narrow block, WIDE_UNIT or GENERAL_UNIT
    uint32_t layout              # a Layout
    const TreeOps *ops
    # one search
    const mcts_game *game        # these three of two players; the general tree asks its rules
    const void *root
    int32_t root_sign
    uint32_t fixed_moves         # the game's slots are moves
    uint32_t narrow              # slots of every block (7 or 8), 0: the blocks are WideBlocks
    float exploration
    uint32_t wins_per_visit      # of a visit that wins; sums count half-points; 1 where they are sums of values
    uint32_t most_visits         # of a node, so also iterations of a search, whose sums fit
    float half                   # value of a half-point, 1 / (2 wins_per_visit)
    mcts_rng rng
    # the path of the current iteration; entry 0 is the root itself, but for the general tree
    uint32_t path_room
    uint8_t **path_record
    uint32_t *path_slot
    uint32_t *path_passed        # the proven child in whose place selection took the slot, or NO_SLOT
    uint32_t *path_move          # in the plain tree only where slots are not moves
    mcts_expansion expansion
    # what is proven, by the guided and the general tree
    mcts_proof proof             # of the root; value -1 while there is none
    int32_t settled              # 1: nothing more can be learned
    uint32_t proof_iterations    # iterations given up for exact search of a root of known value
    mcts_interrupt interrupt     # what exact search asks while it runs
    bint hurried                 # the search has a time limit
    int32_t interrupted          # 1: it was raised, so that the run ends after this iteration
    # counts
    uint32_t iterations
    uint32_t rollouts            # and evaluations of leaves without one
    uint32_t nodes
    uint32_t reused              # visits of the root when the search began
    uint32_t prunes
    uint64_t dropped             # nodes, by prunes
    uint32_t depth_max
    uint64_t depth_sum
    float *scales                # exploration * sqrt(ln(visits)), as far as it is known: ucb_scale()

# What can be done with a tree of any layout: each hot module of a layout exports one. What works on whole trees, of all
# layouts, is in compaction, exchange, check and storage.
cdef struct TreeOps:
    # makes a tree whose arena may grow to `bytes`; NULL when the system gives no memory
    Tree *(*create)(uint64_t bytes) noexcept nogil
    void (*destroy)(Tree *tree) noexcept nogil
    # forgets everything and starts a search; `options`: those of the layout; `keep`: what exact search found stays.
    # Returns a Status
    int (*reset)(Tree *tree, const TreeRoot *root, const void *options, uint64_t seed, bint keep) noexcept nogil
    # starts another search in the same tree, the block of whose root is known; `moved`: it is not that of the last one
    void (*resume)(Tree *tree, const TreeRoot *root, uint64_t seed, bint moved) noexcept nogil
    # runs up to `count` iterations, fewer where exact search was interrupted; returns a Status
    int (*run)(Tree *tree, uint32_t count) noexcept nogil
    # memory for a tree that was not grown here: `levels` on a path, `count` children; 0 when the system gives none
    bint (*reserve)(Tree *tree, uint32_t levels, uint32_t count) noexcept nogil
    # finds the best child of a block, the statistics of which were changed; `visits`: of its node; `reference`: the
    # AMAF record that it reads
    void (*refresh)(Tree *tree, uint32_t index, uint32_t visits, uint32_t reference) noexcept nogil


cdef inline uint8_t *record_at(const Tree *tree, uint32_t index) noexcept nogil:
    return arena_at(&tree.arena, index)


cdef inline uint64_t thread_seed(uint64_t seed, uint32_t number) noexcept nogil:
    """The seed of what a thread, or a lane, draws; number 0 has the search's own."""
    return seed + number * <uint64_t>0x9E3779B97F4A7C15


cdef inline void begin_search(Tree *tree, uint64_t seed) noexcept nogil:
    """The counts of a search, and its random numbers, from the start."""
    tree.iterations = tree.rollouts = tree.reused = tree.prunes = tree.depth_max = tree.proof_iterations = 0
    tree.dropped = tree.depth_sum = 0
    mcts_rng_seed(&tree.rng, seed)


cdef inline void count_iteration(Tree *tree, uint32_t depth) noexcept nogil:
    tree.iterations += 1
    tree.depth_sum += depth
    if depth > tree.depth_max:
        tree.depth_max = depth


cdef inline int32_t gain_of(const Tree *tree, int32_t sign, int32_t points) noexcept nogil:
    """The half-points of the player ``sign`` from an iteration that gave ``points`` half-points to player +1."""
    return points if sign > 0 else 2 * <int32_t>tree.wins_per_visit - points


cdef inline uint32_t result_of(uint32_t link) noexcept nogil:
    """Half-points for player +1 of a terminal link."""
    return link & 3


cdef inline uint32_t distance_of(uint32_t link) noexcept nogil:
    return link >> DISTANCE_SHIFT & MAX_DISTANCE


cdef inline bint is_guided(const Tree *tree) noexcept nogil:
    return tree.layout == LAYOUT_GUIDED


cdef inline bint is_general(const Tree *tree) noexcept nogil:
    return tree.layout == LAYOUT_GENERAL


cdef inline uint32_t spent_of(const Tree *tree) noexcept nogil:
    """Iterations of a search's budget that are over."""
    return tree.iterations + tree.proof_iterations


cdef inline int32_t must_end(void *context) noexcept nogil:
    """Asks whether the search of a Tree has to end, and keeps the answer in ``interrupted``."""
    cdef Tree *tree = <Tree *>context
    tree.interrupted = tree.interrupt.raised != NULL and mcts_raised(&tree.interrupt)
    return tree.interrupted


cdef inline bint path_reserve(Tree *tree, uint32_t room) noexcept nogil:
    if room <= tree.path_room:
        return True
    cdef uint32_t level
    room = room * 2
    cdef void *record = realloc(tree.path_record, room * sizeof(void *))
    if record != NULL:
        tree.path_record = <uint8_t **>record
    cdef void *slot = realloc(tree.path_slot, room * sizeof(uint32_t))
    if slot != NULL:
        tree.path_slot = <uint32_t *>slot
    cdef void *passed = realloc(tree.path_passed, room * sizeof(uint32_t))
    if passed != NULL:
        tree.path_passed = <uint32_t *>passed
    cdef void *move = realloc(tree.path_move, room * sizeof(uint32_t))
    if move != NULL:
        tree.path_move = <uint32_t *>move
    if record == NULL or slot == NULL or passed == NULL or move == NULL:
        return False
    for level in range(tree.path_room, room):
        tree.path_passed[level] = NO_SLOT
    tree.path_room = room
    return True
