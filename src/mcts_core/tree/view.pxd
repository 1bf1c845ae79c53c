"""The blocks of all trees seen alike, for what works on whole trees: compaction, exchange, storage, the top's view."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from mcts_core.arena cimport arena_at
from mcts_core.tree.general_proofs cimport general_known
from mcts_core.tree.general_tree cimport (GeneralBlock, GeneralColumns, GeneralTree, ending_units, general_columns,
                                          general_size)
from mcts_core.tree.guided_tree cimport (GuidedBlock, GuidedColumns, GuidedTree, block_units, guided_columns,
                                         known)
from mcts_core.tree.plain_tree cimport (NARROW_INDEX, SLOT_SHIFT, Columns, Mini, WideBlock, best_word, columns_of,
                                        info_word, mini_units, parent_word, wide_units)
from mcts_core.tree.tree cimport (LINK_BLOCK, LINK_KIND, LINK_MINI, LINK_TERMINAL, NO_VISITS, WIDE_INDEX, Tree,
                                  is_general, is_guided)


ctypedef struct BlockView:
    uint8_t *record
    uint32_t units
    uint32_t count
    int32_t sign                 # of the player to move; in the general tree his number, or CHANCE_PLAYER
    uint32_t *visits             # of the children, NO_VISITS where a slot has no legal move
    int32_t *wins                # in half-points for that player; NULL in the general tree
    double *sums                 # of his values, there; NULL elsewhere, and where chance moves
    uint32_t *links
    uint32_t *moves              # NULL where slots are moves


cdef inline BlockView view_general(const GeneralTree *general, GeneralBlock *block) noexcept nogil:
    cdef BlockView view
    cdef GeneralColumns columns = general_columns(general, block)
    view.record = <uint8_t *>block
    view.units = general_size(general, block)
    view.count = columns.count
    view.sign = block.player
    view.visits = columns.visits
    view.wins = NULL
    view.sums = columns.sums
    view.links = columns.links
    view.moves = columns.moves
    return view


cdef inline BlockView view_block(const Tree *tree, uint32_t index) noexcept nogil:
    cdef BlockView view
    cdef Columns columns
    cdef GuidedColumns guided
    cdef GuidedBlock *block
    view.record = arena_at(&tree.arena, index)
    if is_general(tree):
        return view_general(<const GeneralTree *>tree, <GeneralBlock *>view.record)
    view.sums = NULL
    if is_guided(tree):
        block = <GuidedBlock *>view.record
        guided = guided_columns(<const GuidedTree *>tree, block)
        view.units = block_units(<const GuidedTree *>tree, block.capacity)
        view.count = block.count
        view.sign = block.sign
        view.visits = guided.visits
        view.wins = guided.wins
        view.links = guided.links
        view.moves = guided.moves
        return view
    columns = columns_of(tree, view.record)
    view.count = columns.count
    view.visits = columns.visits
    view.wins = columns.wins
    view.links = columns.links
    view.moves = NULL if tree.fixed_moves else columns.moves
    if tree.narrow:
        view.units = 1
        view.sign = <int32_t>((<uint32_t *>view.record)[info_word(tree.narrow)] & 2) - 1
    else:
        view.units = wide_units(columns.capacity, tree.fixed_moves)
        view.sign = (<WideBlock *>view.record).sign
    return view


cdef inline uint32_t index_mask(const Tree *tree) noexcept nogil:
    return NARROW_INDEX if tree.narrow else WIDE_INDEX


cdef inline bint is_block(uint32_t link) noexcept nogil:
    return link & LINK_KIND == LINK_BLOCK


cdef inline uint32_t proof_behind(const Tree *tree, uint32_t link) noexcept nogil:
    """The link of a node of proven value without a block; 0 where nothing is proven of it, or by the rules alone in a
    general game that knows more values than wins, draws and losses."""
    if is_general(tree):
        return general_known(<const GeneralTree *>tree, link)
    return known(<const GuidedTree *>tree, link) if is_guided(tree) else 0


cdef inline uint32_t link_without_block(const Tree *tree, uint32_t link) noexcept nogil:
    """What stands in place of a link whose block is dropped: the proof of the node, or a leaf."""
    return proof_behind(tree, link) if is_block(link) else 0


cdef inline bint is_ending(const Tree *tree, uint32_t link) noexcept nogil:
    """Whether a link leads to the values of a finished game."""
    return is_general(tree) and link & LINK_KIND == LINK_TERMINAL


cdef inline bint has_record(const Tree *tree, uint32_t link) noexcept nogil:
    """Whether a link leads to a record of the arena."""
    return is_block(link) or link & LINK_KIND == LINK_MINI or is_ending(tree, link)


cdef inline uint32_t record_units(const Tree *tree, uint32_t link) noexcept nogil:
    """Units of the record that a link leads to."""
    cdef uint32_t index = link & index_mask(tree)
    if tree.narrow:
        return 1
    if is_ending(tree, link):
        return ending_units(<const GeneralTree *>tree)
    if is_block(link) or is_general(tree):
        return view_block(tree, index).units
    return mini_units(tree, (<Mini *>arena_at(&tree.arena, index)).count)


cdef inline uint32_t view_move(const BlockView *view, uint32_t slot) noexcept nogil:
    return slot if view.moves == NULL else view.moves[slot]


cdef inline uint32_t slot_of(const BlockView *view, uint32_t move) noexcept nogil:
    """The slot of a legal move, ``view.count`` when there is none."""
    cdef uint32_t slot
    if view.moves == NULL:
        return move if move < view.count and view.visits[move] != NO_VISITS else view.count
    for slot in range(view.count):
        if view.moves[slot] == move:
            break
    else:
        slot = view.count
    return slot


cdef inline uint32_t root_link(const Tree *tree) noexcept nogil:
    return view_block(tree, 0).links[0]


cdef inline bint has_root(const Tree *tree) noexcept nogil:
    """Whether the root has a block, and that its evaluation: each of its moves has statistics of its own."""
    return is_block(root_link(tree))


cdef inline uint32_t root_visits(const Tree *tree) noexcept nogil:
    return view_block(tree, 0).visits[0]


cdef inline double bytes_of(const Tree *tree) noexcept nogil:
    """Bytes of the arena in use, garbage included."""
    return <double>(<uint64_t>tree.arena.top * tree.arena.unit)


cdef inline bint has_best(const Tree *tree) noexcept nogil:
    """Whether blocks know the slot that the next descent takes."""
    return not is_general(tree)


cdef inline uint32_t best_of(const Tree *tree, const uint8_t *record) noexcept nogil:
    """That slot."""
    if tree.narrow:
        return (<const uint32_t *>record)[best_word(tree.narrow)] >> SLOT_SHIFT & 7
    if is_guided(tree):
        return (<const GuidedBlock *>record).best
    return (<const WideBlock *>record).best


cdef inline void set_best(const Tree *tree, uint8_t *record, uint32_t slot, uint32_t link) noexcept nogil:
    if tree.narrow:
        (<uint32_t *>record)[best_word(tree.narrow)] = link | slot << SLOT_SHIFT
    elif is_guided(tree):
        (<GuidedBlock *>record).best = <uint16_t>slot
        (<GuidedBlock *>record).best_link = link
    else:
        (<WideBlock *>record).best = <uint16_t>slot
        (<WideBlock *>record).best_link = link


cdef inline uint32_t parent_of(const Tree *tree, const uint8_t *record) noexcept nogil:
    """The index of the block above; only blocks of the plain tree know it."""
    if tree.narrow:
        return (<const uint32_t *>record)[parent_word(tree.narrow)]
    return (<const WideBlock *>record).parent


cdef inline void move_parent(const Tree *tree, uint8_t *record, uint32_t index) noexcept nogil:
    if tree.narrow:
        (<uint32_t *>record)[parent_word(tree.narrow)] = index
    else:
        (<WideBlock *>record).parent = index


cdef inline void set_parent(const Tree *tree, uint8_t *record, uint32_t index, uint32_t slot) noexcept nogil:
    cdef uint32_t *words = <uint32_t *>record
    move_parent(tree, record, index)
    if tree.narrow:
        words[info_word(tree.narrow)] = (words[info_word(tree.narrow)] & 2) | slot << 2
    else:
        (<WideBlock *>record).parent_slot = <uint16_t>slot
