"""The layout of the plain tree. What it begins with, as every tree does, is in ``tree.pxd``.

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

from mcts_core.tree.tree cimport WIDE_INDEX, WIDE_UNIT, Tree, record_at

cdef enum:
    NARROW_COLUMN = 8            # words of a column of a narrow block
    WIDE_HEADER = 32             # bytes of a WideBlock before its columns
    EXACT_CAPACITY = 16          # up to here scores come from the integers, beyond from kept floats
    LEAF_ALL_TRIED = 15
    MINI_ALL_TRIED = 0xFFFF
    MINI_HEADER = 4
    LEAF_CURSOR_SHIFT = 16
    SLOT_SHIFT = 27

cdef extern from *:
    """
    #define NARROW_INDEX 0x07FFFFFFu
    """
    const uint32_t NARROW_INDEX

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

ctypedef struct PlainOptions:
    float exploration            # c of UCB1
    uint32_t rollouts_per_leaf

cdef inline uint32_t wide_units(uint32_t capacity, uint32_t fixed_moves) noexcept nogil:
    cdef uint32_t columns = (5 if capacity > EXACT_CAPACITY else 3) + (0 if fixed_moves else 1)
    return (WIDE_HEADER + 4 * columns * capacity + WIDE_UNIT - 1) // WIDE_UNIT


cdef inline uint32_t mini_units(const Tree *tree, uint32_t count) noexcept nogil:
    return (MINI_HEADER + (count if tree.wins_per_visit > 1 else (count + 3) // 4) + WIDE_UNIT - 1) // WIDE_UNIT


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
    if tree.wins_per_visit > 1:
        return (<const uint8_t *>mini)[MINI_HEADER + slot]
    return (<const uint8_t *>mini)[MINI_HEADER + (slot >> 2)] >> (2 * (slot & 3)) & 3


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
