"""What several trees of one position tell each other: the news of their common top."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.tree.plain_tree cimport Tree


ctypedef struct Words:           # a growing array
    uint32_t *at
    uint32_t used
    uint32_t room
    uint32_t limit               # of room


# What of a tree's statistics the others know, or told: the rest is news. A tree of records in an array, one for each
# block that took part in an exchange:
#
#     count   { move   visits   wins   child }[count]
#
# where ``child`` is the record of the block behind the slot, 0: there is none, PROVEN: its value was told.
ctypedef struct Known:
    Words words
    uint32_t root                # record of the root's block, 0: there is none
    uint32_t visits              # of the root
    int32_t wins                 # for player +1
    uint32_t proven              # the root's proof was told

# A message begins with HEADER words:
#
#     FORMAT   visits   wins   proof (0: none, else 1 + half-points for the player to move)   distance   move
#
# and goes on with the block of the root, where that has news:
#
#     count   { move   visits   wins   link   [ block ] }[count]
#
# ``link`` is a terminal link when the value of the child is news, or HAS_BLOCK when its block follows, else 0.
cdef enum:
    HEADER = 6
    MESSAGE_FORMAT = 0x4D435431
    HAS_BLOCK = 1
    DEEPEST = 256                # levels below the root that take part


cdef void words_free(Words *words) noexcept nogil
cdef void known_free(Known *known) noexcept nogil
cdef void known_clear(Known *known) noexcept nogil

# Writes the news of all blocks with ``least`` of it into ``message``, after which it is known; none while the root has
# no block. False: no memory.
cdef bint tell(Tree *tree, Known *known, uint32_t least, Words *message) noexcept nogil

# Whether this is a message that a tree of the same root, with the same options, can have told: every number is in its
# range, and what falls on a node of this tree can be. RUN_DONE, RUN_GAME_ERROR: it is none, or RUN_SYSTEM_MEMORY.
cdef int check_message(const Tree *tree, const uint32_t *message, uint32_t length) noexcept nogil

# Adds another tree's news, which is a message; none while the root has no block, so that a node's visits are always
# those of its children. A Status.
cdef int hear(Tree *tree, Known *known, const uint32_t *message, uint32_t length) noexcept nogil

# The node after ``moves`` will be the root.
cdef void follow(const Tree *tree, Known *known, const uint32_t *moves, uint32_t count) noexcept nogil

# Forgets what is known of blocks that are not below the root, or no more.
cdef void forget_gone(const Tree *tree, Known *known) noexcept nogil
