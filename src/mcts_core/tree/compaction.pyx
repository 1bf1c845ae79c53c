"""Makes whole trees smaller in place: pruning, and reroot.

Four steps: mark the records that stay, count their new places, change the links between them, and slide all of them
together in the order of their addresses (the two passes over memory of Abuaiadh, Ossia, Petrank and Silbershtein,
OOPSLA 2004). The marks take two and a half bits for each unit of the arena, so nothing is stored in the records and
the tree is not doubled.

Where a look at the whole tree takes too long, only its top is kept: it is collected in the order of visits until the
time is over, and sorted by address. The rest takes no time, however large it is.

A node that loses its block is a leaf again: its visits and wins stand in its parent, its children are found anew. A
proven node stays proven without its block. The
values of finished games, which in the general tree have records of their own, stay where a block leads to them.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove, memset

from mcts_core.platform cimport mcts_clock, mcts_ctz64, mcts_log2_32, mcts_popcount64, mcts_prefetch
from mcts_core.tree.general_tree cimport Ending, GeneralBlock, GeneralTree, totals_of
from mcts_core.tree.guided_tree cimport SELECT_GRAVE, GuidedBlock, GuidedTree, amaf_units
from mcts_core.tree.plain_tree cimport MINI_HEADER, Mini
from mcts_core.tree.tree cimport LAYOUT_PLAIN, LINK_BLOCK, LINK_KIND, LINK_MINI, LINK_TERMINAL, NO_VISITS, Tree
from mcts_core.tree.view cimport *


cdef enum:
    NONE = 0xFFFFFFFF
    STEPS = 8                    # of the histogram in an octave of visits
    BUCKETS = 32 * STEPS
    AMAF = 0xFFFFFFFF            # in place of a slot: the AMAF record of the block itself
    LOOK = 16                    # records between two looks at the clock
    FEWEST = 4096                # entries for which there is room in any case

ctypedef struct Marks:
    uint64_t *live               # a bit for each unit of a live record
    uint64_t *blocks             # a bit for the first unit of each live block
    uint32_t *before             # live units before each word of ``live``
    uint32_t words

ctypedef struct Rule:            # which subtrees are dropped
    uint32_t bucket              # those of less than this, and of this when the room is spent
    uint64_t room                # units left for those of this bucket

ctypedef struct Entry:           # a record that was found
    uint32_t link                # to it
    uint32_t parent              # the entry of the block with the link
    uint32_t slot                # of the link
    uint32_t place               # the next entry of its bucket; then where it goes, NONE: it is dropped

ctypedef struct Choice:          # the top of a tree
    Entry *entries
    uint64_t *keys               # of what is kept: index and entry
    uint64_t *spare              # for sorting
    uint32_t room                # of each of them
    uint32_t found
    uint32_t kept
    uint32_t highest             # no bucket above it has entries
    uint32_t waiting[BUCKETS]    # first entry that may be kept
    bint cut                     # links were cut because there was no room or time


# ---- marks -----------------------------------------------------------------------------------------------------------

cdef bint marks_make(Marks *marks, const Tree *tree) noexcept nogil:
    marks.words = (tree.arena.top >> 6) + 1
    marks.live = <uint64_t *>malloc(8 * <uint64_t>marks.words)
    marks.blocks = <uint64_t *>malloc(8 * <uint64_t>marks.words)
    marks.before = <uint32_t *>malloc(4 * <uint64_t>marks.words)
    if marks.live != NULL and marks.blocks != NULL and marks.before != NULL:
        return True
    marks_free(marks)
    return False


cdef void marks_free(Marks *marks) noexcept nogil:
    free(marks.live)
    free(marks.blocks)
    free(marks.before)


cdef inline void mark(Marks *marks, uint32_t index, uint32_t units) noexcept nogil:
    cdef uint32_t word, first, count
    while units:
        word = index >> 6
        first = index & 63
        count = 64 - first if units > 64 - first else units
        marks.live[word] |= (~<uint64_t>0 >> (64 - count)) << first
        index += count
        units -= count


cdef inline void mark_block(Marks *marks, uint32_t index, uint32_t units) noexcept nogil:
    mark(marks, index, units)
    marks.blocks[index >> 6] |= <uint64_t>1 << (index & 63)


cdef inline uint32_t next_block(const Marks *marks, uint32_t index) noexcept nogil:
    """The first live block at ``index`` or after it, NONE when there is none."""
    cdef uint32_t word = index >> 6
    cdef uint64_t bits
    if word >= marks.words:
        return NONE
    bits = marks.blocks[word] & (~<uint64_t>0 << (index & 63))
    while bits == 0:
        word += 1
        if word == marks.words:
            return NONE
        bits = marks.blocks[word]
    return (word << 6) + <uint32_t>mcts_ctz64(bits)


cdef inline uint32_t bucket_of(uint32_t visits) noexcept nogil:
    cdef uint32_t octave
    if visits < STEPS:
        return visits
    octave = <uint32_t>mcts_log2_32(visits)
    return STEPS * (octave - 2) + (visits >> (octave - 3) & (STEPS - 1))


cdef void mark_live(Tree *tree, Marks *marks, Rule *rule, uint64_t *histogram) noexcept nogil:
    """Marks every record that a link leads to; with a rule, links to what that drops become links of leaves."""
    cdef uint32_t index = 0, again, slot, child, own, units, bucket, mask = index_mask(tree)
    cdef uint32_t link
    cdef bint block
    cdef BlockView view = view_block(tree, 0)
    memset(marks.live, 0, 8 * <uint64_t>marks.words)
    memset(marks.blocks, 0, 8 * <uint64_t>marks.words)
    mark_block(marks, 0, view.units)
    while index != NONE:
        again = NONE
        while index != NONE:
            view = view_block(tree, index)
            if is_guided(tree) and (<GuidedBlock *>view.record).amaf:
                mark(marks, (<GuidedBlock *>view.record).amaf, amaf_units(<GuidedTree *>tree))
            for slot in range(view.count):
                link = view.links[slot]
                block = is_block(link)
                if not has_record(tree, link):
                    continue
                child = link & mask
                if marks.live[child >> 6] >> (child & 63) & 1:  # seen when this pass went back
                    continue
                own = record_units(tree, link)
                if is_ending(tree, link):
                    mark(marks, child, own)
                    continue
                units = own
                if is_guided(tree) and (<GuidedBlock *>arena_at(&tree.arena, child)).amaf:
                    units += amaf_units(<GuidedTree *>tree)
                if index:  # the root stays
                    bucket = bucket_of(view.visits[slot])
                    if rule != NULL and bucket <= rule.bucket:
                        if bucket < rule.bucket or rule.room < units:
                            view.links[slot] = link_without_block(tree, link)
                            continue
                        rule.room -= units
                    if histogram != NULL:
                        histogram[bucket] += units
                if not block:
                    mark(marks, child, own)
                    continue
                mark_block(marks, child, own)
                if child < index and child < again:  # children follow their parents but where a node was widened
                    again = child
            index = next_block(marks, index + 1)
        index = again


cdef uint32_t number(Marks *marks) noexcept nogil:
    """Counts the live units before each word; returns the number of all."""
    cdef uint32_t word, count = 0
    for word in range(marks.words):
        marks.before[word] = count
        count += <uint32_t>mcts_popcount64(marks.live[word])
    return count


cdef inline uint32_t place(const Marks *marks, uint32_t index) noexcept nogil:
    """The new index of a live record."""
    cdef uint32_t word = index >> 6
    return marks.before[word] + <uint32_t>mcts_popcount64(
        marks.live[word] & ((<uint64_t>1 << (index & 63)) - 1))


cdef inline uint32_t nodes_of(const Tree *tree, const BlockView *view) noexcept nogil:
    """The nodes in a block: its children, and the children of leaves that are stored in the leaves' links."""
    cdef uint32_t slot, link, nodes = 0
    for slot in range(view.count):
        if view.visits[slot] == NO_VISITS:
            continue
        nodes += view.visits[slot] > 0
        link = view.links[slot]
        if tree.layout == LAYOUT_PLAIN and link & LINK_KIND == 0:  # two bits of each slot that was tried
            nodes += <uint32_t>mcts_popcount64((link | link >> 1) & 0x5555)
    return nodes


cdef inline uint32_t nodes_of_mini(const Tree *tree, const Mini *mini) noexcept nogil:
    cdef const uint8_t *results = <const uint8_t *>mini + MINI_HEADER
    cdef const uint32_t *words = <const uint32_t *>results
    cdef uint32_t i, nodes = 0
    if tree.wins_per_visit > 1:
        for i in range(mini.count):
            nodes += results[i] > 0
    else:  # two bits a slot, none beyond the last
        for i in range((mini.count + 15) // 16):
            nodes += <uint32_t>mcts_popcount64((words[i] | words[i] >> 1) & 0x55555555)
    return nodes


cdef inline bint is_mini(const Tree *tree, uint32_t link) noexcept nogil:
    return tree.layout == LAYOUT_PLAIN and link & LINK_KIND == LINK_MINI


cdef uint32_t change_links(Tree *tree, const Marks *marks) noexcept nogil:
    """Changes every link to its record's new place; returns the number of nodes."""
    cdef uint32_t index = 0, slot, link, nodes = 0, mask = index_mask(tree), best
    cdef BlockView view
    cdef GuidedBlock *guided
    while index != NONE:
        view = view_block(tree, index)
        nodes += nodes_of(tree, &view)
        for slot in range(view.count):
            link = view.links[slot]
            if has_record(tree, link):
                view.links[slot] = (link & ~mask) | place(marks, link & mask)
            if is_mini(tree, link):
                nodes += nodes_of_mini(tree, <Mini *>arena_at(&tree.arena, link & mask))
        if has_best(tree):
            best = best_of(tree, view.record)
            set_best(tree, view.record, best, view.links[best])
        if is_guided(tree):
            guided = <GuidedBlock *>view.record
            guided.amaf = place(marks, guided.amaf) if guided.amaf else 0
        elif index and tree.layout == LAYOUT_PLAIN:
            move_parent(tree, view.record, place(marks, parent_of(tree, view.record)))
        index = next_block(marks, index + 1)
    return nodes


cdef void slide(Tree *tree, const Marks *marks) noexcept nogil:
    """Moves every run of live units to where it goes."""
    cdef uint64_t unit = tree.arena.unit
    cdef uint32_t word = 0, first, count, run = 0, to = 0, bit
    cdef uint64_t bits
    while word < marks.words:
        bits = marks.live[word]
        if bits == 0:
            word += 1
            continue
        bit = <uint32_t>mcts_ctz64(bits)
        first = (word << 6) + bit
        count = 0
        while True:  # the length of the run, which may cross words
            bits = ~marks.live[word] >> bit << bit
            if bits:
                run = <uint32_t>mcts_ctz64(bits) - bit
                count += run
                break
            count += 64 - bit
            word += 1
            bit = 0
            if word == marks.words:
                break
        if first != to:
            memmove(tree.arena.base + to * unit, tree.arena.base + first * unit, count * unit)
        to += count
        if word < marks.words:
            marks.live[word] &= ~<uint64_t>0 << (bit + run) if bit + run < 64 else 0
    tree.arena.top = to
    memset(tree.arena.freed, 0, sizeof(tree.arena.freed))


# ---- the top of a tree -----------------------------------------------------------------------------------------------

cdef bint choice_make(Choice *choice, const Tree *tree) noexcept nogil:
    cdef uint64_t each = sizeof(Entry) + 2 * sizeof(uint64_t), room = tree.arena.reserved // MARKS // each
    choice.room = <uint32_t>(room if room > FEWEST else <uint64_t>FEWEST)
    choice.entries = <Entry *>malloc(choice.room * each)  # of which only what is used is touched
    if choice.entries == NULL:
        return False
    choice.keys = <uint64_t *>(choice.entries + choice.room)
    choice.spare = choice.keys + choice.room
    choice.found = choice.kept = choice.highest = 0
    choice.cut = False
    memset(choice.waiting, 0xFF, sizeof(choice.waiting))
    return True


cdef inline bint found(Choice *choice, uint32_t link, uint32_t parent, uint32_t slot) noexcept nogil:
    """Appends an entry; False when there is no room."""
    cdef Entry *entry = choice.entries + choice.found
    if choice.found == choice.room:
        return False
    entry.link = link
    entry.parent = parent
    entry.slot = slot
    choice.found += 1
    return True


cdef inline void keep(Choice *choice, uint32_t number, uint32_t mask) noexcept nogil:
    choice.keys[choice.kept] = <uint64_t>(choice.entries[number].link & mask) << 32 | number
    choice.kept += 1


cdef uint32_t keep_ending(Tree *tree, Choice *choice, uint32_t number, uint32_t slot, uint32_t *link) noexcept nogil:
    """Keeps the values of a finished game, to which several links may lead; returns the units taken for them."""
    cdef Ending *ending = <Ending *>arena_at(&tree.arena, link[0] & index_mask(tree))
    if ending.mark:
        return 0
    if not found(choice, link[0], number, slot):
        link[0] = 0
        choice.cut = True
        return 0
    keep(choice, choice.found - 1, index_mask(tree))
    ending.mark = choice.found
    return record_units(tree, link[0])


cdef uint32_t look_below(Tree *tree, Choice *choice, uint32_t number) noexcept nogil:
    """Queues the children of a block that is kept; returns the units of what is kept with the block."""
    cdef uint32_t index = choice.entries[number].link & index_mask(tree), slot, link, bucket, units = 0
    cdef BlockView view = view_block(tree, index)
    if is_guided(tree) and (<GuidedBlock *>view.record).amaf:
        if found(choice, (<GuidedBlock *>view.record).amaf, number, AMAF):
            keep(choice, choice.found - 1, index_mask(tree))
        else:  # its children read the record that it read before
            (<GuidedBlock *>view.record).amaf = 0
            choice.cut = True
    for slot in range(view.count):
        link = view.links[slot]
        if not has_record(tree, link):
            continue
        if is_ending(tree, link):
            units += keep_ending(tree, choice, number, slot, view.links + slot)
            continue
        if not found(choice, link, number, slot):
            view.links[slot] = link_without_block(tree, link)
            choice.cut = True
            continue
        bucket = bucket_of(view.visits[slot]) if index else <uint32_t>(BUCKETS - 1)  # the root stays
        choice.entries[choice.found - 1].place = choice.waiting[bucket]
        choice.waiting[bucket] = choice.found - 1
        if bucket > choice.highest:
            choice.highest = bucket
    return units


cdef void choose(Tree *tree, Choice *choice, uint64_t units, double until) noexcept nogil:
    """Finds the most visited records, up to ``units`` units, or up to what can be moved until ``until``."""
    cdef uint32_t number, link, index, mask = index_mask(tree), looked = 0
    cdef uint64_t taken = view_block(tree, 0).units
    cdef Entry *entry
    if not found(choice, LINK_BLOCK, 0, 0):  # there is room for it: compilers do not know
        return
    keep(choice, 0, mask)
    look_below(tree, choice, 0)
    while True:
        while choice.highest and choice.waiting[choice.highest] == NONE:
            choice.highest -= 1
        number = choice.waiting[choice.highest]
        if number == NONE:
            return
        entry = choice.entries + number
        link = entry.link
        index = link & mask
        if entry.place != NONE:
            mcts_prefetch(arena_at(&tree.arena, choice.entries[entry.place].link & mask))
        taken += record_units(tree, link)
        if is_guided(tree) and (<GuidedBlock *>arena_at(&tree.arena, index)).amaf:
            taken += amaf_units(<GuidedTree *>tree)
        looked += 1
        if entry.parent and (taken > units or (looked % LOOK == 0
                                               and mcts_clock() + COMPACTION * (taken * tree.arena.unit) > until)):
            choice.cut = True
            return
        choice.waiting[choice.highest] = entry.place
        keep(choice, number, mask)
        if is_block(link):
            taken += look_below(tree, choice, number)


cdef void sort(Choice *choice) noexcept nogil:
    """Orders what is kept by address: radix sort by bytes, from the lowest."""
    cdef uint32_t counts[256]
    cdef uint32_t shift, i, digit, sum
    cdef uint64_t *keys
    for shift in range(32, 64, 8):
        memset(counts, 0, sizeof(counts))
        for i in range(choice.kept):
            counts[choice.keys[i] >> shift & 255] += 1
        if counts[choice.keys[0] >> shift & 255] == choice.kept:
            continue
        sum = 0
        for digit in range(256):
            sum += counts[digit]
            counts[digit] = sum - counts[digit]
        for i in range(choice.kept):
            digit = choice.keys[i] >> shift & 255
            choice.spare[counts[digit]] = choice.keys[i]
            counts[digit] += 1
        keys = choice.keys
        choice.keys = choice.spare
        choice.spare = keys


cdef inline uint32_t units_of(const Tree *tree, const Entry *entry) noexcept nogil:
    if entry.slot == AMAF:
        return amaf_units(<const GuidedTree *>tree)
    return record_units(tree, entry.link)


cdef void relink(Tree *tree, Choice *choice) noexcept nogil:
    """Sets the new place of every entry, and changes the links."""
    cdef uint32_t mask = index_mask(tree), i, top = 0, above = 0, slot, link, number
    cdef Entry *entry
    cdef BlockView view = view_block(tree, 0)
    for i in range(choice.found):
        choice.entries[i].place = NONE
    for i in range(choice.kept):
        entry = choice.entries + <uint32_t>choice.keys[i]
        entry.place = top
        top += units_of(tree, entry)
    for i in range(choice.kept if is_general(tree) else 0):
        entry = choice.entries + <uint32_t>choice.keys[i]
        if is_block(entry.link):
            view = view_block(tree, entry.link & mask)
            for slot in range(view.count):
                link = view.links[slot]
                if is_ending(tree, link):
                    number = (<Ending *>arena_at(&tree.arena, link & mask)).mark
                    view.links[slot] = LINK_TERMINAL | choice.entries[number - 1].place
    view = view_block(tree, 0)
    for i in range(1, choice.found):
        entry = choice.entries + i
        if is_ending(tree, entry.link):
            continue
        if entry.parent != above:
            above = entry.parent
            view = view_block(tree, choice.entries[above].link & mask)
        if entry.slot == AMAF:
            (<GuidedBlock *>view.record).amaf = entry.place
            continue
        if entry.place == NONE:
            view.links[entry.slot] = link_without_block(tree, entry.link)
        else:
            view.links[entry.slot] = (entry.link & ~mask) | entry.place
        if tree.layout == LAYOUT_PLAIN and entry.place != NONE and is_block(entry.link):
            move_parent(tree, arena_at(&tree.arena, entry.link & mask), choice.entries[entry.parent].place)


cdef uint32_t gather(Tree *tree, Choice *choice) noexcept nogil:
    """Moves the kept records to their places; returns the number of nodes."""
    cdef uint32_t mask = index_mask(tree), i, index, units, best, nodes = 0
    cdef uint64_t unit = tree.arena.unit
    cdef Entry *entry
    cdef BlockView view
    for i in range(choice.kept):
        entry = choice.entries + <uint32_t>choice.keys[i]
        index = entry.link & mask
        units = units_of(tree, entry)
        if entry.slot != AMAF and is_block(entry.link):
            view = view_block(tree, index)
            nodes += nodes_of(tree, &view)
            if has_best(tree):
                best = best_of(tree, view.record)
                set_best(tree, view.record, best, view.links[best])
        elif is_ending(tree, entry.link):
            (<Ending *>arena_at(&tree.arena, index)).mark = 0
        elif entry.slot != AMAF and is_mini(tree, entry.link):
            nodes += nodes_of_mini(tree, <Mini *>arena_at(&tree.arena, index))
        if entry.place != index:
            memmove(tree.arena.base + entry.place * unit, tree.arena.base + index * unit, units * unit)
        tree.arena.top = entry.place + units
    memset(tree.arena.freed, 0, sizeof(tree.arena.freed))
    return nodes


# ---- what the header promises ----------------------------------------------------------------------------------------

cdef inline void forget_endings(Tree *tree) noexcept nogil:
    """Empties the list of finished games that new ones are compared with: its records may have moved."""
    if is_general(tree):
        (<GeneralTree *>tree).last_ending = 0


cdef bint compact(Tree *tree, uint32_t units) noexcept nogil:
    cdef Marks marks
    cdef Rule rule
    cdef uint64_t histogram[BUCKETS]
    cdef uint64_t kept
    cdef uint32_t nodes = tree.nodes
    if not marks_make(&marks, tree):
        return False
    memset(histogram, 0, sizeof(histogram))
    mark_live(tree, &marks, NULL, histogram)
    kept = number(&marks)
    if kept > units:
        rule.bucket = 0
        kept -= histogram[0]
        while kept > units and rule.bucket < BUCKETS - 1:
            rule.bucket += 1
            kept -= histogram[rule.bucket]
        rule.room = units - kept if kept < units else 0
        mark_live(tree, &marks, &rule, NULL)
        number(&marks)
        tree.prunes += 1
        tree.nodes = change_links(tree, &marks)
        if nodes > tree.nodes:
            tree.dropped += nodes - tree.nodes
    else:
        tree.nodes = change_links(tree, &marks)
    slide(tree, &marks)
    marks_free(&marks)
    forget_endings(tree)
    return True


cdef bint keep_top(Tree *tree, uint32_t units, double until) noexcept nogil:
    cdef Choice choice
    cdef Entry *entries
    cdef uint32_t nodes = tree.nodes
    if not choice_make(&choice, tree):
        return False
    entries = choice.entries
    choose(tree, &choice, units, until)
    sort(&choice)
    relink(tree, &choice)
    tree.nodes = gather(tree, &choice)
    if choice.cut:
        tree.prunes += 1
        if nodes > tree.nodes:
            tree.dropped += nodes - tree.nodes
    free(entries)
    forget_endings(tree)
    return True


cdef bint lift_totals(GeneralTree *general, uint32_t link, uint32_t visits) noexcept nogil:
    """Makes a block of the general tree the root's block; False where chance moves."""
    cdef BlockView top = view_block(&general.tree, 0)
    cdef GeneralBlock *above = <GeneralBlock *>top.record
    cdef GeneralBlock *block = <GeneralBlock *>view_block(&general.tree, link & index_mask(&general.tree)).record
    if block.player < 0:
        return False
    if link == top.links[0]:
        return True
    top.links[0] = link
    top.visits[0] = above.visits = visits
    above.valued = block.valued
    memcpy(totals_of(above), totals_of(block), 8 * general.players)
    return True


cdef bint reroot(Tree *tree, const uint32_t *moves, uint32_t count) noexcept nogil:
    cdef BlockView top = view_block(tree, 0), view
    cdef uint32_t link = top.links[0], i, slot = 0, amaf = 0, mask = index_mask(tree)
    cdef uint32_t visits = top.visits[0]
    cdef int32_t wins = 0, whole = 2 * <int32_t>tree.wins_per_visit
    if not is_general(tree):
        wins = top.wins[0]
    if not is_block(link):
        return False
    for i in range(count):
        view = view_block(tree, link & mask)
        slot = slot_of(&view, moves[i])
        if slot == view.count or not is_block(view.links[slot]):
            return False
        if is_guided(tree) and (<GuidedBlock *>view.record).amaf:
            amaf = (<GuidedBlock *>view.record).amaf
        link = view.links[slot]
        visits = view.visits[slot]
        if not is_general(tree):
            wins = view.wins[slot] if view.sign > 0 else whole * <int32_t>visits - view.wins[slot]
    view = view_block(tree, link & mask)
    if is_general(tree):
        return lift_totals(<GeneralTree *>tree, link, visits)
    top.links[0] = link
    top.visits[0] = visits
    top.wins[0] = wins
    set_best(tree, top.record, 0, link)
    if not is_guided(tree):
        set_parent(tree, view.record, 0, 0)
    elif (<GuidedTree *>tree).options.selection == SELECT_GRAVE and (<GuidedBlock *>view.record).amaf == 0:
        (<GuidedBlock *>view.record).amaf = amaf  # what it has been reading
    return True
