"""What the checks of all layouts share: the walk over a tree, the records that it has met, the moves that it plays."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.game cimport MCTS_DRAW, MCTS_WIN, mcts_game
from mcts_core.games.general_rules cimport GeneralRules
from mcts_core.tree.tree cimport LINK_KIND, Tree
from mcts_core.tree.view cimport index_mask


cdef extern from *:
    """
    #define ANY_MOVE 0xFFFFFFFFu
    """
    const uint32_t ANY_MOVE

ctypedef struct CheckRules:
    const mcts_game *game        # whose moves are played down the tree; NULL: they are not
    const void *root
    const GeneralRules *general  # the same of a general tree
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

cdef enum:
    OUT_OF_RANGE = -1            # of a game's outcome: the move was not played

ctypedef struct Frame:
    uint32_t index               # of a block
    uint32_t slot                # whose children are next

ctypedef struct Walk:
    Tree *tree
    const CheckRules *rules
    Findings *found
    bint whole
    uint64_t *seen               # a bit for each unit of a record
    uint64_t *endings            # and one for the first unit of the values of a finished game
    Frame *frames
    uint32_t *path               # the moves on the way down
    uint32_t room                # of both
    uint8_t *states              # the positions on the way down, one more than frames
    uint64_t stride
    uint32_t levels
    uint32_t *legal              # moves of the block at hand
    uint32_t *below              # of a child
    uint32_t *marks              # by move: the last list in which it was; NULL where moves can be any
    uint32_t mark


cdef inline bint fits(const Walk *walk, uint32_t index, uint64_t units) noexcept nogil:
    return <uint64_t>index + units <= walk.tree.arena.top


cdef inline bint claim(Walk *walk, uint32_t index, uint32_t units) noexcept nogil:
    """Takes the units of a record; False when they are not there or another record has one of them."""
    cdef uint32_t unit
    if not fits(walk, index, units):
        return False
    for unit in range(index, index + units):
        if walk.seen[unit >> 6] >> (unit & 63) & 1:
            return False
        walk.seen[unit >> 6] |= <uint64_t>1 << (unit & 63)
    return True


cdef inline void clear_rest(Walk *walk, uint8_t *record, uint64_t used, uint32_t units) noexcept nogil:
    """Sets what a record has beyond its last column to 0, where that is wanted."""
    if walk.whole:
        memset(record + used, 0, <uint64_t>units * walk.tree.arena.unit - used)


cdef inline uint8_t *state_at(const Walk *walk, uint32_t level) noexcept nogil:
    return walk.states + level * walk.stride


cdef inline int32_t play(const Walk *walk, uint32_t level, uint32_t move) noexcept nogil:
    """Plays a legal move of the position at a level into the one below; its outcome."""
    memcpy(state_at(walk, level + 1), state_at(walk, level), walk.rules.game.state_size)
    return walk.rules.game.play(walk.rules.game.context, state_at(walk, level + 1), move)


cdef inline int32_t half_points(int32_t sign, int32_t outcome) noexcept nogil:
    """Of player +1, by the outcome of a move of the player ``sign``."""
    return 1 if outcome == MCTS_DRAW else 1 + sign if outcome == MCTS_WIN else 1 - sign


cdef inline const char *check_index(const Tree *tree, uint32_t link) noexcept nogil:
    if link & ~(LINK_KIND | index_mask(tree)):
        return b"a link leads out of the tree"
    return NULL


cdef inline const char *check_counts(const Walk *walk, uint32_t visits, int32_t wins, uint32_t most) noexcept nogil:
    if visits > (most if walk.rules.alone else walk.tree.most_visits):
        return b"a child has more visits than its node"
    if wins < 0 or <uint64_t>wins > 2 * <uint64_t>walk.tree.wins_per_visit * visits:
        return b"a child has impossible wins"
    return NULL


cdef inline bint mark_legal(Walk *walk, uint32_t level, uint32_t *count) noexcept nogil:
    """Finds and marks the legal moves of the position at a level; False: it has none."""
    cdef int32_t found = walk.rules.game.legal_moves(walk.rules.game.context, state_at(walk, level), walk.legal)
    cdef int32_t i
    walk.mark += 1
    for i in range(found):
        walk.marks[walk.legal[i]] = walk.mark
    count[0] = <uint32_t>found
    return found > 0


cdef inline bint is_legal(const Walk *walk, uint32_t move) noexcept nogil:
    return walk.marks[move] == walk.mark


cdef inline const char *check_move(Walk *walk, uint32_t move) noexcept nogil:
    """A move of a block: a legal one and, whether or not that is known, one that did not come before."""
    if walk.rules.moves == ANY_MOVE:
        return NULL
    if move >= walk.rules.moves:
        return b"a block has a move that there is not"
    if is_legal(walk, move) != (walk.rules.game != NULL):
        return b"a block has a move that is not legal, or one twice"
    walk.marks[move] = walk.mark - 1 if walk.rules.game != NULL else walk.mark
    return NULL
