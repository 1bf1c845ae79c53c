"""What several trees of one position tell each other: the news of their common top.

Every tree keeps what it has told and heard (``Known``), so that nothing is counted twice: news is the rest. A block
takes part when it has enough news of its own; what lies deeper is told as the visits of its parent's slot only. Trees
that were merged at the end only would gain nothing (Connect Four, -1 +-27 Elo): statistics must meet while they can
still direct the search. See Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search" (CG 2008), and
Bourki et al., "Scalability and Parallelization of Monte-Carlo Tree Search" (CG 2010), whose slow tree parallelisation
this is.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from mcts_core.dispatch cimport hot_table
from mcts_core.tree.guided_tree cimport (DISTANCE_SHIFT, MAX_DISTANCE, GuidedBlock, GuidedOps, GuidedTree, distance_of,
                                         result_of)
from mcts_core.tree.plain_tree cimport (LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS, NO_VISITS, RUN_DONE, RUN_GAME_ERROR,
                                        RUN_SYSTEM_MEMORY, Tree, TreeOps)
from mcts_core.tree.view cimport *


cdef enum:
    ENTRY = 4                    # words of a slot, in a record and in a message
    PROVEN = 0xFFFFFFFF

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree.plain_tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("tree.guided_tree")


# ---- growing arrays --------------------------------------------------------------------------------------------------

cdef bint words_add(Words *words, uint32_t count) noexcept nogil:
    """Makes ``used`` larger by ``count``; the new words are not set."""
    cdef uint64_t room = words.room, needed = <uint64_t>words.used + count
    cdef void *larger
    if needed > room:
        if needed > words.limit:
            return False
        room = needed * 2
        if room > words.limit:
            room = words.limit
        larger = realloc(words.at, room * sizeof(uint32_t))
        if larger == NULL:
            return False
        words.at = <uint32_t *>larger
        words.room = <uint32_t>room
    words.used = <uint32_t>needed
    return True


cdef void words_free(Words *words) noexcept nogil:
    free(words.at)
    words.at = NULL
    words.used = words.room = 0


cdef void known_free(Known *known) noexcept nogil:
    words_free(&known.words)
    known_clear(known)


cdef void known_clear(Known *known) noexcept nogil:
    known.words.used = 0  # the array stays
    known.root = known.visits = known.proven = 0
    known.wins = 0


# ---- records of what is known ----------------------------------------------------------------------------------------

cdef inline uint32_t *entry_at(const Known *known, uint32_t record, uint32_t slot) noexcept nogil:
    return known.words.at + record + 1 + ENTRY * slot


cdef uint32_t make_record(Known *known, const BlockView *view) noexcept nogil:
    """A record of a block of which nothing is known; 0 when there is no room."""
    cdef uint32_t record, slot
    cdef uint32_t *entry
    if known.words.used == 0 and not words_add(&known.words, 1):  # no record is 0
        return 0
    record = known.words.used
    if not words_add(&known.words, 1 + ENTRY * view.count):
        return 0
    known.words.at[record] = view.count
    for slot in range(view.count):
        entry = entry_at(known, record, slot)
        entry[0] = view_move(view, slot)
        entry[1] = entry[2] = entry[3] = 0
    return record


cdef bint fits(const Known *known, uint32_t record, const BlockView *view) noexcept nogil:
    """Whether a record is of this block: a node that was widened has other slots."""
    cdef uint32_t slot
    if known.words.at[record] != view.count:
        return False
    if view.moves != NULL:
        for slot in range(view.count):
            if entry_at(known, record, slot)[0] != view.moves[slot]:
                return False
    return True


cdef uint32_t record_for(Known *known, uint32_t record, const BlockView *view) noexcept nogil:
    """The record of a block, made or made anew where that is needed; 0 when there is no room."""
    cdef uint32_t made, slot, other
    cdef uint32_t *entry
    cdef uint32_t *old
    if record and fits(known, record, view):
        return record
    made = make_record(known, view)
    if made == 0 or record == 0:
        return made
    for slot in range(view.count):
        entry = entry_at(known, made, slot)
        for other in range(known.words.at[record]):
            old = entry_at(known, record, other)
            if old[0] == entry[0]:
                entry[1], entry[2], entry[3] = old[1], old[2], old[3]
                break
    return made


cdef uint32_t child_record(const Tree *tree, Known *known, uint32_t link, uint32_t record,
                           uint32_t slot) noexcept nogil:
    """The record of the block behind a slot; 0 when there is no room."""
    cdef BlockView view = view_block(tree, link & index_mask(tree))
    cdef uint32_t child = entry_at(known, record, slot)[3]
    child = record_for(known, 0 if child == PROVEN else child, &view)
    if child:
        entry_at(known, record, slot)[3] = child
    return child


# ---- telling ---------------------------------------------------------------------------------------------------------

cdef inline bint is_proven(const Tree *tree, uint32_t link) noexcept nogil:
    """Whether a link tells a value that exact search or backup has proven, and not only the rules."""
    return tree.guided and (<const GuidedTree *>tree).options.solver and link & LINK_KIND == LINK_TERMINAL


cdef bint tell_block(Tree *tree, Known *known, uint32_t index, uint32_t record, uint32_t least, Words *message,
                     uint32_t depth) noexcept nogil:
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t at = message.used, slot, count = 0, visits, link, told, child = 0
    cdef uint32_t *entry
    if not words_add(message, 1):
        return False
    for slot in range(view.count):
        if view.visits[slot] == NO_VISITS:
            continue
        entry = entry_at(known, record, slot)
        link = view.links[slot]
        visits = view.visits[slot] - entry[1]
        told = 0
        if is_proven(tree, link):
            if entry[3] != PROVEN:
                told = link
        elif is_block(link) and visits >= least and depth < DEEPEST:
            child = child_record(tree, known, link, record, slot)
            entry = entry_at(known, record, slot)  # the array may have moved
            if child:
                told = HAS_BLOCK
        if visits == 0 and told == 0:
            continue
        if not words_add(message, ENTRY):
            return False
        message.at[message.used - 4] = entry[0]
        message.at[message.used - 3] = visits
        message.at[message.used - 2] = <uint32_t>(view.wins[slot] - <int32_t>entry[2])
        message.at[message.used - 1] = told
        entry[1] = view.visits[slot]
        entry[2] = <uint32_t>view.wins[slot]
        count += 1
        if told == HAS_BLOCK:
            if not tell_block(tree, known, link & index_mask(tree), child, least, message, depth + 1):
                return False
        elif told:
            entry[3] = PROVEN
    message.at[at] = count
    return True


cdef uint32_t root_record(const Tree *tree, Known *known) noexcept nogil:
    """The record of the root's block; 0 when there is no such block, or no room."""
    cdef uint32_t link = root_link(tree), record
    cdef BlockView view
    if not is_block(link):
        return 0
    view = view_block(tree, link & index_mask(tree))
    record = record_for(known, known.root, &view)
    if record == 0:  # the records of blocks that are no more take the room
        forget_gone(tree, known)
        record = record_for(known, known.root, &view)
    if record:
        known.root = record
    return record


cdef bint tell(Tree *tree, Known *known, uint32_t least, Words *message) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef GuidedTree *guided = <GuidedTree *>tree
    message.used = 0
    if not words_add(message, HEADER):
        return False
    memset(message.at, 0, HEADER * sizeof(uint32_t))
    message.at[0] = MESSAGE_FORMAT
    if root_record(tree, known) == 0:  # visits of the root that are those of no move would be no news of anything
        return True
    message.at[1] = top.visits[0] - known.visits
    message.at[2] = <uint32_t>(top.wins[0] - known.wins)
    known.visits = top.visits[0]
    known.wins = top.wins[0]
    if tree.guided and guided.proof.value >= 0 and not known.proven:
        message.at[3] = 1 + <uint32_t>guided.proof.value
        message.at[4] = guided.proof.distance
        message.at[5] = guided.proof.move
        known.proven = 1
    return tell_block(tree, known, top.links[0] & index_mask(tree), known.root, least, message, 0)


# ---- whether something is a message ----------------------------------------------------------------------------------

ctypedef struct Reader:
    const uint32_t *at
    uint32_t left
    Words seen                   # a bit for each slot of the blocks on the way down


cdef inline uint32_t most_visits(const Tree *tree) noexcept nogil:
    """Of a node, beyond which its sums would not fit."""
    return MAX_ITERATIONS // tree.rollouts_per_leaf


cdef inline bint is_news(const Tree *tree, uint32_t visits, uint32_t news, uint32_t wins) noexcept nogil:
    """Whether a node of so many visits can hear of ``news`` more, with these wins."""
    return (visits <= most_visits(tree) and news <= most_visits(tree) - visits
            and 0 <= <int64_t><int32_t>wins <= 2 * <int64_t>tree.rollouts_per_leaf * news)


cdef inline bint is_distance(const Tree *tree, uint32_t distance) noexcept nogil:
    return distance <= MAX_DISTANCE + 1 and (tree.game.max_plies == 0 or distance <= tree.game.max_plies)


cdef inline bint is_value(const Tree *tree, uint32_t told, bint known, uint32_t link) noexcept nogil:
    """Whether ``told`` can be the proven value of a child, whose link, where the child is ``known``, is ``link``."""
    if not tree.guided or not (<const GuidedTree *>tree).options.solver or told & LINK_KIND != LINK_TERMINAL:
        return False
    if told & ~<uint32_t>LINK_KIND > (<uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 2) or result_of(told) > 2:
        return False
    if link & LINK_KIND == LINK_TERMINAL:
        return result_of(told) == result_of(link)
    return is_distance(tree, distance_of(told)) and (distance_of(told) > 0 or not known)


cdef int check_block(const Tree *tree, Reader *reader, uint32_t link, uint32_t depth) noexcept nogil:
    """Whether a block stands at ``reader``, for the node with this link (0: not in this tree); a Status."""
    cdef BlockView view
    cdef uint32_t count, _, slot, told, child, bits = reader.seen.used
    cdef bint known
    cdef int status
    if reader.left == 0 or depth > DEEPEST:
        return RUN_GAME_ERROR
    count = reader.at[0]
    reader.at += 1
    reader.left -= 1
    if count > reader.left // ENTRY:
        return RUN_GAME_ERROR
    memset(&view, 0, sizeof(view))
    if is_block(link):
        view = view_block(tree, link & index_mask(tree))
        if not words_add(&reader.seen, (view.count + 31) // 32):
            return RUN_SYSTEM_MEMORY
        memset(reader.seen.at + bits, 0, (view.count + 31) // 32 * sizeof(uint32_t))
    for _ in range(count):
        if reader.left < ENTRY:
            return RUN_GAME_ERROR
        slot = slot_of(&view, reader.at[0]) if view.count else 0
        told = reader.at[3]
        known = slot < view.count
        child = 0
        if known:
            child = view.links[slot]
            if reader.seen.at[bits + (slot >> 5)] >> (slot & 31) & 1:
                return RUN_GAME_ERROR
            reader.seen.at[bits + (slot >> 5)] |= <uint32_t>1 << (slot & 31)
        elif tree.game.max_moves and (reader.at[0] >= tree.game.max_moves or (view.count and not tree.guided)):
            return RUN_GAME_ERROR  # a guided tree may have more children elsewhere, a game in Python other names
        if not is_news(tree, view.visits[slot] if known else 0, reader.at[1], reader.at[2]):
            return RUN_GAME_ERROR
        reader.at += ENTRY
        reader.left -= ENTRY
        if told == HAS_BLOCK:
            if child & LINK_KIND == LINK_TERMINAL and distance_of(child) == 0:  # the game is over there
                return RUN_GAME_ERROR
            status = check_block(tree, reader, child, depth + 1)
            if status != RUN_DONE:
                return status
        elif told and not is_value(tree, told, known, child):
            return RUN_GAME_ERROR
    reader.seen.used = bits
    return RUN_DONE


cdef int check_message(const Tree *tree, const uint32_t *message, uint32_t length) noexcept nogil:
    cdef const GuidedTree *guided = <const GuidedTree *>tree
    cdef BlockView top = view_block(tree, 0)
    cdef Reader reader
    cdef int status
    if (length < HEADER or message[0] != MESSAGE_FORMAT
            or not is_news(tree, top.visits[0], message[1], message[2])):
        return RUN_GAME_ERROR
    if message[3]:
        if not tree.guided or not guided.options.solver or message[3] > 3:
            return RUN_GAME_ERROR
        if message[4] == 0 or not is_distance(tree, message[4]):
            return RUN_GAME_ERROR
        if guided.proof.value >= 0 and <int64_t>message[3] != 1 + guided.proof.value:
            return RUN_GAME_ERROR
    elif message[4] or message[5]:
        return RUN_GAME_ERROR
    if length == HEADER:  # of a root without a block
        return RUN_DONE if message[1] == 0 and message[2] == 0 and message[3] == 0 else RUN_GAME_ERROR
    reader.at = message + HEADER
    reader.left = length - HEADER
    memset(&reader.seen, 0, sizeof(reader.seen))
    reader.seen.limit = 0xFFFFFFFF
    status = check_block(tree, &reader, top.links[0], 0)
    words_free(&reader.seen)
    return RUN_GAME_ERROR if status == RUN_DONE and reader.left else status


# ---- hearing ---------------------------------------------------------------------------------------------------------

cdef const uint32_t *after_block(const uint32_t *at) noexcept nogil:
    """What follows a block of a message."""
    cdef uint32_t count = at[0], _
    at += 1
    for _ in range(count):
        at += ENTRY
        if at[-1] == HAS_BLOCK:
            at = after_block(at)
    return at


cdef const uint32_t *hear_block(Tree *tree, Known *known, uint32_t index, uint32_t record, const uint32_t *at,
                                uint32_t length, uint32_t visits, uint32_t reference, bint *changed,
                                int *status) noexcept nogil:
    """Adds the news of the block ``index``, the node of which is at the end of a path of ``length`` and has ``visits``;
    what follows it in the message.

    ``changed``: whether that has proven something about the node. ``status``: of what comes of such proofs.
    """
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t count = at[0], _, slot, told, link, child, news
    cdef uint32_t *entry
    cdef bint below, proven = False
    cdef GuidedBlock *block = <GuidedBlock *>view.record
    at += 1
    if tree.guided and block.amaf:
        reference = block.amaf
    tree.path_record[length] = view.record
    for _ in range(count):
        slot = slot_of(&view, at[0])
        news = at[1]
        told = at[3]
        at += ENTRY
        # the children of widened nodes differ
        if slot == view.count or view.visits[slot] == NO_VISITS or news > most_visits(tree) - view.visits[slot]:
            if told == HAS_BLOCK:
                at = after_block(at)
            continue
        entry = entry_at(known, record, slot)
        view.visits[slot] += news
        view.wins[slot] += <int32_t>at[2 - ENTRY]
        entry[1] += news
        entry[2] += at[2 - ENTRY]
        link = view.links[slot]
        tree.path_slot[length] = slot
        tree.path_move[length] = view_move(&view, slot)
        if tree.guided and is_block(link):
            (<GuidedBlock *>arena_at(&tree.arena, link & index_mask(tree))).visits += news
        if told == HAS_BLOCK:
            child = child_record(tree, known, link, record, slot) if is_block(link) else 0
            if child == 0:
                at = after_block(at)
                continue
            below = False
            at = hear_block(tree, known, link & index_mask(tree), child, at, length + 1, view.visits[slot], reference,
                            &below, status)
            proven = proven or below
        elif told:
            entry[3] = PROVEN
            if link & LINK_KIND != LINK_TERMINAL:
                guided_ops.accept(<GuidedTree *>tree, length + 1, told)
                proven = True
    if proven and status[0] == RUN_DONE:
        status[0] = guided_ops.reconsider(<GuidedTree *>tree, length, changed)
        index = <uint32_t>((tree.path_record[length] - tree.arena.base) // tree.arena.unit)  # it may have been widened
    if tree.guided:
        guided_ops.refresh(<GuidedTree *>tree, index, reference)
    else:
        tree_ops.refresh(tree, index, visits)
    return at


cdef int hear(Tree *tree, Known *known, const uint32_t *message, uint32_t length) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef GuidedTree *guided = <GuidedTree *>tree
    cdef int status = RUN_DONE
    cdef bint changed = False
    if length == HEADER or message[1] > most_visits(tree) - top.visits[0] or root_record(tree, known) == 0:
        return RUN_DONE
    top.visits[0] += message[1]
    top.wins[0] += <int32_t>message[2]
    known.visits += message[1]
    known.wins += <int32_t>message[2]
    if tree.guided:
        (<GuidedBlock *>arena_at(&tree.arena, top.links[0] & index_mask(tree))).visits += message[1]
    tree.path_record[0] = top.record
    tree.path_slot[0] = 0
    hear_block(tree, known, top.links[0] & index_mask(tree), known.root, message + HEADER, 1, top.visits[0], 0,
               &changed, &status)
    if tree.guided and message[3]:
        known.proven = 1
        if guided.proof.value < 0:
            guided.proof.value = <int32_t>message[3] - 1
            guided.proof.distance = message[4] if message[4] < MAX_DISTANCE else MAX_DISTANCE
            guided.proof.exact = 0
            guided.proof.move = message[5]
            guided.settled = 1
    return status


# ---- another root, or a pruned tree ----------------------------------------------------------------------------------

cdef uint32_t copy_record(const Tree *tree, uint32_t index, const Known *old, uint32_t record,
                          Known *new) noexcept nogil:
    """What remains known of a block and of those below it; 0 when there is no room."""
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t made = make_record(new, &view), slot, other, child, link
    cdef uint32_t *entry
    if made == 0:
        return 0
    for other in range(old.words.at[record]):
        entry = entry_at(old, record, other)
        slot = slot_of(&view, entry[0])
        if slot == view.count:
            continue
        child = entry[3]
        link = view.links[slot]
        if child and child != PROVEN:
            child = copy_record(tree, link & index_mask(tree), old, child, new) if is_block(link) else 0
        entry_at(new, made, slot)[1] = entry[1]
        entry_at(new, made, slot)[2] = entry[2]
        entry_at(new, made, slot)[3] = child
    return made


cdef void follow(const Tree *tree, Known *known, const uint32_t *moves, uint32_t count) noexcept nogil:
    cdef uint32_t link = root_link(tree), record = known.root, i, slot, whole = 2 * tree.rollouts_per_leaf
    cdef uint32_t *entry
    cdef BlockView view
    for i in range(count):
        known.visits = 0
        known.wins = 0
        known.proven = 0
        if record == 0 or not is_block(link):
            record = 0
            break
        view = view_block(tree, link & index_mask(tree))
        slot = slot_of(&view, moves[i])
        link = view.links[slot] if slot < view.count else 0
        for slot in range(known.words.at[record]):
            entry = entry_at(known, record, slot)
            if entry[0] == moves[i]:
                known.visits = entry[1]
                known.wins = <int32_t>entry[2] if view.sign > 0 else <int32_t>(whole * entry[1] - entry[2])
                record = 0 if entry[3] == PROVEN else entry[3]
                break
        else:
            record = 0
    known.root = record


cdef void forget_gone(const Tree *tree, Known *known) noexcept nogil:
    cdef Known new = known[0]
    cdef Words kept
    cdef uint32_t link = root_link(tree)
    memset(&new.words, 0, sizeof(new.words))
    new.words.limit = known.words.limit
    new.root = 0
    if known.root and is_block(link):
        new.root = copy_record(tree, link & index_mask(tree), known, known.root, &new)
    if new.words.used <= known.words.room:  # giving a large array back would take milliseconds
        kept = new.words
        new.words = known.words
        new.words.used = kept.used
        if kept.used:
            memcpy(new.words.at, kept.at, kept.used * sizeof(uint32_t))
        words_free(&kept)
    else:
        words_free(&known.words)
    known[0] = new
