"""Whether a search tree is sound: every link, every record, every number of it."""

from libc.stdint cimport uint32_t

from mcts_core.tree.exchange cimport Known
from mcts_core.game cimport mcts_game
from mcts_core.tree.plain_tree cimport Tree


cdef extern from *:
    """
    #define ANY_MOVE 0xFFFFFFFFu
    """
    const uint32_t ANY_MOVE

ctypedef struct Rules:
    const mcts_game *game        # whose moves are played down the tree; NULL: they are not
    const void *root
    uint32_t alternate           # 1: the players move in turn
    uint32_t alone               # 1: the tree has heard of no other, whose news may be of children only
    uint32_t counted             # 1: a cursor is the number of moves that were tried
    const uint32_t *cursors      # by move: the cursor that points at it; NULL: not known
    uint32_t moves               # all moves are below this, which may be ANY_MOVE

ctypedef struct Findings:
    uint32_t units               # of records that links lead to
    uint32_t free_units          # of records in the lists of free ones
    uint32_t nodes
    uint32_t blocks
    uint32_t depth               # of blocks, the root's being the first
    uint32_t widest              # the largest number of slots
    uint32_t fault               # the record that is not as it should be


# Follows every link. NULL when the tree is sound, else what is wrong with the record ``fault``, or that there is no
# memory for the check (NO_MEMORY). Nothing is read outside of the arena and no move is played that is not legal,
# whatever the bytes. ``whole``: no memory may be free or unreachable; then what no one reads is set to 0 as well.
cdef const char *check_tree(Tree *tree, const Rules *rules, bint whole, Findings *found) noexcept nogil

# The same of what the tree has told and heard, as ``follow`` leaves it. The tree must be sound.
cdef const char *check_known(const Tree *tree, const Known *known) noexcept nogil

cdef const char *NO_MEMORY
