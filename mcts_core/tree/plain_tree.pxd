"""The head of every search tree, the table of what can be done with one, and the layout of the plain tree.

Each tree is an arena of records. Everything is addressed by 32-bit *links*; there is no pointer, no Python object and
no malloc per node. The other layouts are in ``guided_tree.pxd`` and ``general_tree.pxd``; ``information_tree.pxd`` has
a tree without an arena. The rest of this is about the plain one.

A *block* holds the statistics of all children of one node, which were all tried at least once. Where moves are slots
and there are at most seven, it is 96 bytes, every column a vector and every number of the node itself in a spare lane:

    0          28      32       60    64       92
    visits[7]  parent  wins[7]  info  link[7]  best_link

With eight moves it is 128 bytes, the lanes full and best_link, parent and info at 96, 100, 104. In all other games
(``WideBlock``):

    0          4       8     10           12        14     16    17     32 ...
    best_link  parent  best  parent_slot  capacity  count  sign  spare  visits[capacity]  wins[capacity]  link[capacity]
                                                                        mean[capacity]  inverse[capacity]
                                                                        moves[capacity]

``mean`` and ``inverse`` are there with more than EXACT_CAPACITY slots, ``moves`` where slots are not moves. The best
child, which the next descent takes, is found when statistics change and not when they are read (*eager selection*), so
that a descent reads one cache line per level. The visits of the node itself stand in its parent.

A node of which not all moves were tried has no block: it is a *leaf*. Its results, two bits per slot, stand in its link
itself (narrow blocks, up to eight moves) or in a *mini*, a small record of the arena. The top bits of a link:

    11 + index      a block
    10 + index      a mini
    01 + result     the game is over there; result in half-points for player +1
    00 + cursor (4 bits at 16) + two bits per slot      a leaf

The best_link of a narrow block holds the slot as well, in the three bits below.

``cursor`` is what the game's simulate left, LEAF_ALL_TRIED when no move is left untried. The two bits are 0 for an
untried slot, else 1 + half-points for player +1. Where an iteration has several rollouts no leaf stands in its link and
a mini has a byte per slot, 1 + the half-points of all of them; ``wins`` sums those.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from libc.stdlib cimport realloc

from mcts_core.arena cimport Arena, arena_at
from mcts_core.game cimport (MCTS_MAX_MOVES, mcts_expansion, mcts_game, mcts_interrupt, mcts_proof, mcts_rng,
                             mcts_rng_seed)

cdef enum Layout:
    LAYOUT_PLAIN = 0             # this is all of a tree
    LAYOUT_GUIDED = 1            # it is the beginning of a GuidedTree
    LAYOUT_GENERAL = 2           # of a GeneralTree

cdef enum:
    FIRST_PATH = 260             # levels that paths have room for from the start
    NARROW_COLUMN = 8            # words of a column of a narrow block
    WIDE_UNIT = 64               # records of wide trees are multiples of this
    WIDE_HEADER = 32             # bytes of a WideBlock before its columns
    EXACT_CAPACITY = 16          # up to here scores come from the integers, beyond from kept floats
    MAX_SLOTS = MCTS_MAX_MOVES   # of one node
    MAX_ITERATIONS = 0x3FFFFFFF  # wins count half-points in 32 signed bits; see most_visits() of guided_tree.pxd
    NO_VISITS = 0x7FFFFFFF       # visits of a slot without a legal move
    LEAF_ALL_TRIED = 15
    MINI_ALL_TRIED = 0xFFFF
    MINI_HEADER = 4
    LEAF_CURSOR_SHIFT = 16
    SLOT_SHIFT = 27

cdef enum Status:
    RUN_DONE = 0
    RUN_MEMORY = 1               # the arena is full
    RUN_GAME_ERROR = 2           # a function of the game returned an error
    RUN_SYSTEM_MEMORY = 3        # the system gave no memory
    RUN_SOLVED = 4               # the value of the root is proven

cdef extern from *:
    """
    #define LINK_KIND 0xC0000000u
    #define WIDE_INDEX 0x3FFFFFFFu
    #define NARROW_INDEX 0x07FFFFFFu
    #define LINK_BLOCK 0xC0000000u
    #define LINK_MINI 0x80000000u
    #define LINK_TERMINAL 0x40000000u
    """
    const uint32_t LINK_KIND, WIDE_INDEX, NARROW_INDEX, LINK_BLOCK, LINK_MINI, LINK_TERMINAL

ctypedef struct WideBlock:
    uint32_t best_link
    uint32_t parent
    uint16_t best
    uint16_t parent_slot
    uint16_t capacity            # room of each column, a multiple of 8
    uint16_t count               # slots in use
    int8_t sign
    uint8_t spare[15]            # zero

ctypedef struct Mini:
    uint16_t cursor
    uint16_t count
    # followed by two bits per slot, or a byte

cdef struct TreeOps

ctypedef struct TreeRoot:        # the position that a search begins with; it lives as long as the search
    const mcts_game *game        # these three for the plain and the guided tree
    const void *state
    int32_t sign                 # of the player to move, +1 or -1
    const void *rules            # for the general tree: a GeneralRules

ctypedef struct PlainOptions:
    float exploration            # c of UCB1
    uint32_t rollouts_per_leaf

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
    uint32_t points_per_visit    # of a visit that wins; sums count half-points; 1 where they are sums of values
    float half                   # value of a half-point, 1 / (2 points_per_visit)
    mcts_rng rng
    # the path of the current iteration; entry 0 is the root itself, but for the general tree
    uint32_t path_room
    uint8_t **path_record
    uint32_t *path_slot
    uint32_t *path_move          # only where slots are not moves
    mcts_expansion expansion
    # what is proven, by the guided and the general tree
    mcts_proof proof             # of the root; value -1 while there is none
    int32_t settled              # 1: nothing more can be learned
    uint32_t proof_iterations    # iterations given up for exact search of a root of known value
    mcts_interrupt interrupt     # what exact search asks while it runs
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


cdef inline uint32_t wide_units(uint32_t capacity, uint32_t fixed_moves) noexcept nogil:
    cdef uint32_t columns = (5 if capacity > EXACT_CAPACITY else 3) + (0 if fixed_moves else 1)
    return (WIDE_HEADER + 4 * columns * capacity + WIDE_UNIT - 1) // WIDE_UNIT


cdef inline uint32_t mini_units(const Tree *tree, uint32_t count) noexcept nogil:
    return (MINI_HEADER + (count if tree.points_per_visit > 1 else (count + 3) // 4) + WIDE_UNIT - 1) // WIDE_UNIT


# The words of a narrow block, by the number of its slots.
cdef inline uint32_t narrow_unit(uint32_t narrow) noexcept nogil:
    return 96 if narrow == 7 else 128


cdef inline uint32_t best_word(uint32_t narrow) noexcept nogil:
    return 23 if narrow == 7 else 24


cdef inline uint32_t parent_word(uint32_t narrow) noexcept nogil:
    return 7 if narrow == 7 else 25


cdef inline uint32_t info_word(uint32_t narrow) noexcept nogil:
    """Of the word with the player to move (0: -1, 2: +1) and, from bit 2, the slot in the parent."""
    return 15 if narrow == 7 else 26


cdef inline uint32_t leaf_result(uint32_t link, uint32_t slot) noexcept nogil:
    """0: untried, else 1 + half-points for player +1."""
    return link >> (2 * slot) & 3


cdef inline uint32_t mini_result(const Tree *tree, const Mini *mini, uint32_t slot) noexcept nogil:
    """0: untried, else 1 + half-points for player +1."""
    if tree.points_per_visit > 1:
        return (<const uint8_t *>mini)[MINI_HEADER + slot]
    return (<const uint8_t *>mini)[MINI_HEADER + (slot >> 2)] >> (2 * (slot & 3)) & 3


cdef inline uint64_t thread_seed(uint64_t seed, uint32_t number) noexcept nogil:
    """The seed of what a thread, or a lane, draws; number 0 has the search's own."""
    return seed + number * <uint64_t>0x9E3779B97F4A7C15


cdef inline void begin_search(Tree *tree, uint64_t seed) noexcept nogil:
    """The counts of a search, and its random numbers, from the start."""
    tree.iterations = tree.rollouts = tree.reused = tree.prunes = tree.depth_max = tree.proof_iterations = 0
    tree.dropped = tree.depth_sum = 0
    mcts_rng_seed(&tree.rng, seed)


cdef inline int32_t gain_of(const Tree *tree, int32_t sign, int32_t points) noexcept nogil:
    """The half-points of the player ``sign`` from an iteration that gave ``points`` half-points to player +1."""
    return points if sign > 0 else 2 * <int32_t>tree.points_per_visit - points


cdef inline bint is_guided(const Tree *tree) noexcept nogil:
    return tree.layout == LAYOUT_GUIDED


cdef inline bint is_general(const Tree *tree) noexcept nogil:
    return tree.layout == LAYOUT_GENERAL


cdef inline uint32_t spent_of(const Tree *tree) noexcept nogil:
    """Iterations of a search's budget that are over."""
    return tree.iterations + tree.proof_iterations


ctypedef struct Columns:         # those of a block of either form
    uint32_t count
    uint32_t capacity
    uint32_t *visits
    int32_t *wins
    uint32_t *links
    float *means                 # these three where the form has them
    float *inverses
    uint32_t *moves


cdef inline Columns columns_at(const Tree *tree, uint32_t index) noexcept nogil:
    return columns_of(tree, record_at(tree, index))


cdef inline Columns columns_of(const Tree *tree, uint8_t *record) noexcept nogil:
    cdef Columns columns
    cdef WideBlock *wide
    cdef uint32_t *first = <uint32_t *>record
    if tree.narrow:
        columns.count = tree.narrow
        columns.capacity = NARROW_COLUMN
    else:
        wide = <WideBlock *>first
        first = <uint32_t *>(<uint8_t *>wide + WIDE_HEADER)
        columns.count = wide.count
        columns.capacity = wide.capacity
    columns.visits = first
    columns.wins = <int32_t *>first + columns.capacity
    columns.links = first + 2 * columns.capacity
    columns.means = <float *>first + 3 * columns.capacity
    columns.inverses = <float *>first + 4 * columns.capacity
    columns.moves = first + (5 if columns.capacity > EXACT_CAPACITY else 3) * columns.capacity
    return columns


cdef inline uint32_t index_of(const Tree *tree, uint32_t link) noexcept nogil:
    return link & (NARROW_INDEX if tree.narrow else WIDE_INDEX)


cdef inline uint32_t move_at(const Tree *tree, Columns columns, uint32_t slot) noexcept nogil:
    return slot if tree.fixed_moves else columns.moves[slot]


cdef inline bint path_reserve(Tree *tree, uint32_t room) noexcept nogil:
    if room <= tree.path_room:
        return True
    room = room * 2
    cdef void *record = realloc(tree.path_record, room * sizeof(void *))
    if record != NULL:
        tree.path_record = <uint8_t **>record
    cdef void *slot = realloc(tree.path_slot, room * sizeof(uint32_t))
    if slot != NULL:
        tree.path_slot = <uint32_t *>slot
    cdef void *move = realloc(tree.path_move, room * sizeof(uint32_t))
    if move != NULL:
        tree.path_move = <uint32_t *>move
    if record == NULL or slot == NULL or move == NULL:
        return False
    tree.path_room = room
    return True
