"""What the general tree asks about positions, and the blocks that it makes of them. For ``general_tree.pyx`` alone."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from mcts_core.arena cimport arena_allocate, arena_free
from mcts_core.game cimport mcts_rng, mcts_rng_below, mcts_rng_seed
from mcts_core.games.general_rules cimport KIND_CHANCE, KIND_OVER, GeneralPosition
from mcts_core.platform cimport MCTS_UNLIKELY, mcts_vm_prefer_huge
from mcts_core.tree.general_tree cimport *
from mcts_core.tree.memory cimport room_for
from mcts_core.tree.tree cimport LINK_BLOCK, MAX_SLOTS, RUN_DONE, RUN_GAME_ERROR, RUN_SYSTEM_MEMORY, WIDE_INDEX


cdef extern from "kernels/selection/priors.h" nogil:
    uint32_t priors_highest(const float *column, uint32_t begin, uint32_t capacity)


cdef enum:
    ENDINGS_COMPARED = 16    # the latest records of finished games that a new one is compared with
    HUGE_FROM = 4 << 20      # bytes of a tree; a smaller one would have to clear more of a huge page than it uses


# ---- positions -------------------------------------------------------------------------------------------------------

cdef inline bint position_room(GeneralTree *general, uint32_t count) noexcept nogil:
    if count <= general.position.capacity:
        return True
    count = capacity_for(count)  # selection uses these arrays as columns
    if not (room_for(<void **>&general.position.moves, count * sizeof(uint32_t))
            and room_for(<void **>&general.position.actions, count * sizeof(uint32_t))
            and room_for(<void **>&general.position.probabilities, count * sizeof(double))
            and room_for(<void **>&general.noise, count * sizeof(double))
            and room_for(<void **>&general.root_scores, count * sizeof(double))
            and room_for(<void **>&general.completed, count * sizeof(double))):
        return False
    general.position.capacity = count
    return True


cdef inline int look(GeneralTree *general, uint32_t start, uint32_t length, bint listed) noexcept nogil:
    """Describes the position at the end of a path."""
    cdef int32_t returned
    while True:
        returned = general.rules.look(general.rules.context, general.tree.path_move + start, length, listed,
                                      &general.position)
        if returned < 0 or (listed and general.position.kind != KIND_OVER
                            and not 1 <= general.position.count <= MAX_SLOTS):
            return RUN_GAME_ERROR
        if not listed or general.position.kind == KIND_OVER or general.position.count <= general.position.capacity:
            return RUN_DONE
        if not position_room(general, general.position.count):
            return RUN_SYSTEM_MEMORY


# ---- blocks ----------------------------------------------------------------------------------------------------------

cdef inline void clear_room(const GeneralColumns *columns) noexcept nogil:
    """Keeps selection away from the room of the columns beyond the last child."""
    cdef uint32_t slot
    for slot in range(columns.count, columns.capacity):
        columns.visits[slot] = 1
        columns.sums[slot] = GENERAL_PADDING


cdef inline uint32_t take_units(GeneralTree *general, uint32_t units) noexcept nogil:
    """Index of a record of so many units, 0 when the arena is full.

    With priors, leaves are large and mostly visited once: the system's clearing of pages of 4 KiB one by one took a
    third of the time of a search of gomoku.
    """
    cdef uint64_t committed = general.tree.arena.committed
    cdef uint32_t index = arena_allocate(&general.tree.arena, units)
    if (MCTS_UNLIKELY(general.tree.arena.committed != committed) and general.options.puct
            and general.tree.arena.committed > HUGE_FROM):
        mcts_vm_prefer_huge(general.tree.arena.base, max(committed, <uint64_t>HUGE_FROM), general.tree.arena.committed)
    return index


cdef inline void clear_columns(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    """Clears the statistics, and of the other columns what is beyond the last move: all that is not written soon."""
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint8_t *statistics = <uint8_t *>block + general.header
    cdef uint32_t whole = columns.total & ~<uint32_t>7
    memset(statistics, 0, <uint8_t *>columns.moves - statistics)
    if columns.total == whole:
        return
    memset(columns.moves + whole, 0, 8 * sizeof(uint32_t))
    if general.options.puct or block.player < 0:
        memset(columns.limits + whole, 0, 8 * sizeof(uint32_t))


cdef inline void shuffle(mcts_rng *rng, uint32_t *moves, float *priors, uint32_t count) noexcept nogil:
    """Puts moves, and their priors where they have any, into random order: of equal ones selection takes the first."""
    cdef uint32_t slot, other
    for slot in range(count - 1 if count else 0):
        other = slot + mcts_rng_below(rng, count - slot)
        moves[slot], moves[other] = moves[other], moves[slot]
        if priors != NULL:
            priors[slot], priors[other] = priors[other], priors[slot]


cdef inline uint32_t new_block(GeneralTree *general, bint root) noexcept nogil:
    """Makes a block for the position that was just described; 0 when the arena is full.

    In a search with priors their column holds the actions until the priors arrive.
    """
    cdef GeneralPosition *position = &general.position
    cdef bint chance = position.kind == KIND_CHANCE
    cdef bint whole = (root or chance or not general.options.puct or general.options.gumbel
                       or position.count <= FIRST_ROOM)
    cdef uint32_t opened = position.count if whole else 0, player
    cdef uint32_t units = general_units(general, opened, position.count, chance)
    cdef uint32_t index = take_units(general, units)
    cdef GeneralBlock *block
    cdef GeneralColumns columns
    if MCTS_UNLIKELY(index == 0):
        return 0
    block = general_block(general, index)
    memset(block, 0, general.header)
    block.count = <uint16_t>position.count
    block.closed = <uint16_t>(position.count - opened)
    block.player = CHANCE_PLAYER if chance else <int8_t>position.player
    clear_columns(general, block)
    if general.scored:
        memcpy(rewards_of(general, block), position.rewards, 8 * general.players)
    if general.bounded:
        for player in range(general.players):
            high_of(general, block)[player] = 1.0
    if not (chance or general.options.puct or general.options.nested or general.rules.ordered):
        shuffle(&general.tree.rng, position.moves, NULL, position.count)
    columns = general_columns(general, block)
    memcpy(columns.moves, position.moves, position.count * sizeof(uint32_t))
    if chance:
        set_limits(position.probabilities, position.count, columns.limits)
        return index
    clear_room(&columns)
    if general.options.puct:
        memcpy(columns.limits, position.actions, position.count * sizeof(uint32_t))
    return index


cdef inline void free_block(GeneralTree *general, uint32_t index) noexcept nogil:
    """Gives back the block of a decision node that no link leads to."""
    arena_free(&general.tree.arena, index, general_size(general, general_block(general, index)))


cdef inline uint32_t widened(GeneralTree *general, uint32_t index, uint32_t opened) noexcept nogil:
    """Makes a block of more ``opened`` children out of the block ``index``, in its place if that has the room; 0 when
    the arena is full. Links to the block, and paths through it, are the caller's."""
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block), wide
    cdef uint32_t units = general_units(general, opened, block.count, False), made = index, slot
    if room_of(opened, block.count) > columns.capacity:
        made = take_units(general, units)
        if made == 0:
            return 0
        block = general_block(general, made)
        memcpy(block, general_block(general, index), general.header)
    block.closed = <uint16_t>(block.count - opened)
    wide = general_columns(general, block)
    if made != index:
        clear_columns(general, block)
        memcpy(wide.sums, columns.sums, columns.count * sizeof(double))
        memcpy(wide.visits, columns.visits, columns.count * sizeof(uint32_t))
        memcpy(wide.links, columns.links, columns.count * sizeof(uint32_t))
        memcpy(wide.moves, columns.moves, columns.total * sizeof(uint32_t))
        memcpy(wide.priors, columns.priors, columns.total * sizeof(float))
        clear_room(&wide)
        arena_free(&general.tree.arena, index, general_units(general, columns.count, columns.total, False))
    for slot in range(columns.count, opened):
        wide.visits[slot] = 0
        wide.sums[slot] = 0.0
    return made


cdef inline bint open_root(GeneralTree *general, uint64_t seed) noexcept nogil:
    cdef GeneralBlock *block = general_block(general, general_root(general) & WIDE_INDEX)
    cdef uint32_t index = general_root(general) & WIDE_INDEX, opened = block.count - block.closed
    cdef GeneralColumns columns
    cdef mcts_rng rng
    if block.closed == 0:
        return True
    index = widened(general, index, block.count)
    if index == 0:
        return False
    general_columns(general, general_block(general, 0)).links[0] = LINK_BLOCK | index
    if not general.rules.ordered:
        mcts_rng_seed(&rng, ~seed)
        columns = general_columns(general, general_block(general, index))
        shuffle(&rng, columns.moves + opened, columns.priors + opened, columns.count - opened)
    return True


cdef inline bint lacks_next(const GeneralColumns *columns) noexcept nogil:
    """Whether no child with statistics is the next one to be visited."""
    return columns.count < columns.total and (columns.count == 0 or columns.visits[columns.count - 1] > 0
                                              or columns.links[columns.count - 1] != 0)


cdef inline void set_link(GeneralTree *general, uint32_t at, uint32_t link) noexcept nogil:
    """Changes the link of the child at the end of a path whose last entry is ``at``."""
    general_columns(general, <GeneralBlock *>general.tree.path_record[at]).links[
        general.tree.path_slot[at]] = link


cdef inline uint32_t one_of_equal(GeneralTree *general, const GeneralColumns *columns, uint32_t first) noexcept nogil:
    """One of the slots from ``first`` on that have its prior, at random."""
    cdef uint32_t slot, equal = 0
    cdef float prior = columns.priors[first]
    for slot in range(first, columns.total):
        equal += columns.priors[slot] == prior
    if equal == 1 or general.rules.ordered:
        return first
    equal = mcts_rng_below(&general.tree.rng, equal)
    slot = first
    while columns.priors[slot] != prior or equal > 0:
        equal -= columns.priors[slot] == prior
        slot += 1
    return slot


cdef inline uint32_t open_next(GeneralTree *general, uint32_t index, uint32_t at) noexcept nogil:
    """Gives the move with the highest prior statistics, of those that have none, at the block ``index``, which entry
    ``at`` of the path is to stand for; of equal ones, chance decides. The block then, which may be another one; 0 when
    the arena is full."""
    cdef GeneralBlock *block = general_block(general, index)
    cdef GeneralColumns columns = general_columns(general, block)
    cdef uint32_t opened = columns.count, made, move, earlier
    cdef uint32_t best = one_of_equal(general, &columns, priors_highest(columns.priors, opened,
                                                                        capacity_for(columns.total)))
    cdef float prior = columns.priors[best]
    made = widened(general, index, opened + 1)
    if made == 0:
        return 0
    columns = general_columns(general, general_block(general, made))
    move = columns.moves[best]
    memmove(columns.moves + opened + 1, columns.moves + opened, (best - opened) * sizeof(uint32_t))
    memmove(columns.priors + opened + 1, columns.priors + opened, (best - opened) * sizeof(float))
    columns.moves[opened] = move
    columns.priors[opened] = prior
    if made != index:
        set_link(general, at - 1, LINK_BLOCK | made)
        for earlier in range(general.path_used):  # other descents that wait came through it
            if general.tree.path_record[earlier] == <uint8_t *>block:
                general.tree.path_record[earlier] = <uint8_t *>general_block(general, made)
    return made


# ---- finished games --------------------------------------------------------------------------------------------------

cdef inline uint32_t ending_of(GeneralTree *general) noexcept nogil:
    """The record of the values that were just reported, made if needed; 0 when the arena is full.

    Most games end in few ways, so leaves with equal values share a record while it is among the latest.
    """
    cdef const double *values = general.position.values
    cdef uint32_t index = general.last_ending, player
    cdef int _
    cdef Ending *ending
    cdef double *known
    for _ in range(ENDINGS_COMPARED):
        if index == 0:
            break
        ending = <Ending *>general_block(general, index)
        known = <double *>ending + 1
        for player in range(general.players):
            if known[player] != values[player]:
                break
        else:
            return index
        index = ending.next
    index = arena_allocate(&general.tree.arena, ending_units(general))
    if index == 0:
        return 0
    ending = <Ending *>general_block(general, index)
    memset(ending, 0, ending_units(general) * GENERAL_UNIT)
    ending.next = general.last_ending
    memcpy(<double *>ending + 1, values, 8 * general.players)
    general.last_ending = index
    return index
