"""Exchange between trees of the same position: each tells the others the news of their common top."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.tree.general_tree cimport MAX_PLAYERS, GeneralTree
from mcts_core.tree.tree cimport Tree, is_general


ctypedef struct Words:           # a growing array
    uint32_t *at
    uint32_t used
    uint32_t room
    uint32_t limit               # of room


# The part of a tree's statistics that others know or told; the rest is news. It is a tree of records in an array, one
# for each block that took part in an exchange:
#
#     count   [node]   { move   visits   wins   child }[count]
#
# where ``child`` is the record of the block behind the slot, 0: there is none, PROVEN: its value was told. In the
# general tree the two words of a float64 stand for ``wins``, and there is
#
#     node    visits   valued   { float64 }[players]
#
# of the block's own node: a block may be younger than the visits of its slot, so those of both are told.
ctypedef struct Known:
    Words words
    uint32_t root                # record of the root's block, 0: there is none
    uint32_t visits              # of the root
    int32_t wins                 # for player +1
    uint32_t proven              # the root's proof was told
    uint32_t valued              # of the root of a general tree, and the values of every player
    double totals[MAX_PLAYERS]

# A message begins with HEADER words:
#
#     FORMAT   visits   wins   proof (0: none, else 1 + half-points for the player to move)   distance   move
#
# In the general tree, FORMAT is GENERAL_FORMAT + players (+ BOUNDED with score bounds), wins is 0, and the node of
# block 0 follows; with score bounds, then { low }[players] { high }[players] of the root. They are 0 unless proof is
# SETTLED: then these bounds prove that the move is a best one. Then comes the block of the root, where that has news:
#
#     count   [node]   { move   visits   wins   link   [ block ] }[count]
#
# ``link`` is a terminal link when the value of the child is news, or HAS_BLOCK when its block follows, else 0.
cdef enum:
    HEADER = 6
    MESSAGE_FORMAT = 0x4D435431
    GENERAL_FORMAT = 0x4D475000
    BOUNDED = 0x80
    SETTLED = 4
    HAS_BLOCK = 1
    MAX_NODE_WORDS = 2 + 2 * MAX_PLAYERS
    DEEPEST = 256                # levels below the root that take part


cdef void words_free(Words *words) noexcept nogil
cdef void known_free(Known *known) noexcept nogil
cdef void known_clear(Known *known) noexcept nogil

# Writes the news of all blocks that have at least ``least`` new visits into ``message``, and marks it as known. There
# is none while the root has no block. False: no memory.
cdef bint tell(Tree *tree, Known *known, uint32_t least, Words *message) noexcept nogil

# Checks that a tree of the same root, with the same options, can have told this message: every number is in its range,
# and possible at its node of this tree. RUN_DONE, RUN_GAME_ERROR for an invalid message, or RUN_SYSTEM_MEMORY.
cdef int check_message(const Tree *tree, const uint32_t *message, uint32_t length) noexcept nogil

# Adds the news of a checked message. Adds none while the root has no block, so that a node's visits are always those
# of its children. A Status.
cdef int hear(Tree *tree, Known *known, const uint32_t *message, uint32_t length) noexcept nogil

# Keeps what is known below the node after ``moves``, which will be the root.
cdef void follow(const Tree *tree, Known *known, const uint32_t *moves, uint32_t count) noexcept nogil

# Forgets what is known of blocks that are no longer below the root.
cdef void forget_gone(const Tree *tree, Known *known) noexcept nogil


cdef inline uint32_t players_of(const Tree *tree) noexcept nogil:
    """The number of players of a general tree; 0 for other trees."""
    return (<const GeneralTree *>tree).players if is_general(tree) else 0


cdef inline bint has_bounds(const Tree *tree) noexcept nogil:
    return is_general(tree) and (<const GeneralTree *>tree).bounded


cdef inline uint32_t entry_size(uint32_t players) noexcept nogil:
    """Words of a slot, in a record and in a message."""
    return 5 if players else 4


cdef inline uint32_t node_size(uint32_t players) noexcept nogil:
    """Words of a block's own node."""
    return 2 + 2 * players if players else 0


cdef inline uint32_t header_size(uint32_t players, bint bounded) noexcept nogil:
    """Words of a message before the block of the root."""
    return HEADER + node_size(players) + (4 * players if bounded else 0)


cdef inline uint32_t entry_words(const Tree *tree) noexcept nogil:
    return entry_size(players_of(tree))


cdef inline uint32_t node_words(const Tree *tree) noexcept nogil:
    return node_size(players_of(tree))


cdef inline uint32_t header_words(const Tree *tree) noexcept nogil:
    return header_size(players_of(tree), has_bounds(tree))


cdef inline uint32_t *entry_at(const Tree *tree, const Known *known, uint32_t record, uint32_t slot) noexcept nogil:
    return known.words.at + record + 1 + node_words(tree) + entry_words(tree) * slot
