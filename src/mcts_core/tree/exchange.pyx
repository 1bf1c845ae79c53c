"""Exchange between trees of the same position: each tells the others the news of their common top.

Every tree remembers what it has told and heard (``Known``), so that nothing is counted twice: the rest of its
statistics is news. A block takes part when it has enough news of its own; the news of deeper blocks is told only as
visits of their parent's slot. What is proven goes with it. Merging the trees only at the end gained nothing (Connect
Four, -1 +-27 Elo): statistics must meet while they can still direct the search.

This is the slow tree parallelisation of Bourki et al., "Scalability and Parallelization of Monte-Carlo Tree Search" (CG
2010); see also Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search" (CG 2008).
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from mcts_core.game cimport MCTS_NO_MOVE
from mcts_core.tree.general_news cimport *
from mcts_core.tree.general_proofs cimport is_proven_link, points_of
from mcts_core.tree.general_tree cimport LINK_PROVEN, GeneralBlock, GeneralOps, GeneralTree
from mcts_core.tree.guided_tree cimport GuidedBlock, GuidedOps, GuidedTree
from mcts_core.tree.proof_rule cimport set_root_proof
from mcts_core.tree.score_bounds cimport settled_move
from mcts_core.tree.tree cimport (DISTANCE_SHIFT, LINK_KIND, LINK_TERMINAL, MAX_DISTANCE, MAX_ITERATIONS, NO_VISITS,
                                  RUN_DONE, RUN_GAME_ERROR, RUN_SYSTEM_MEMORY, Tree, distance_of, result_of)
from mcts_core.tree.view cimport *


cdef enum:
    PROVEN = 0xFFFFFFFF
    PROOF = 3                    # words of the header
    PROOF_DISTANCE = 4
    PROOF_MOVE = 5


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
    known.root = known.visits = known.proven = known.valued = 0
    known.wins = 0
    memset(known.totals, 0, sizeof(known.totals))


cdef inline GeneralBlock *general_at(const BlockView *view) noexcept nogil:
    return <GeneralBlock *>view.record


cdef inline GeneralBlock *root_block(const Tree *tree) noexcept nogil:
    """NULL where the root has none yet."""
    cdef BlockView view
    if not is_block(root_link(tree)):
        return NULL
    view = view_block(tree, root_link(tree) & index_mask(tree))
    return general_at(&view)


cdef inline uint32_t *bounds_in(const Tree *tree, const uint32_t *message) noexcept nogil:
    """Where the header of a message has the bounds of the root."""
    return <uint32_t *>message + HEADER + node_words(tree)


# ---- records of what is known ----------------------------------------------------------------------------------------

cdef uint32_t make_record(const Tree *tree, Known *known, const BlockView *view) noexcept nogil:
    """Makes an empty record for a block; 0 when there is no room."""
    cdef uint32_t record, slot, words = node_words(tree) + 1 + entry_words(tree) * view.count
    if known.words.used == 0 and not words_add(&known.words, 1):  # index 0 means no record
        return 0
    record = known.words.used
    if not words_add(&known.words, words):
        return 0
    memset(known.words.at + record, 0, words * sizeof(uint32_t))
    known.words.at[record] = view.count
    for slot in range(view.count):
        entry_at(tree, known, record, slot)[0] = view_move(view, slot)
    return record


cdef bint fits(const Tree *tree, const Known *known, uint32_t record, const BlockView *view) noexcept nogil:
    """Whether a record is of this block: a node that was widened has other slots."""
    cdef uint32_t slot
    if known.words.at[record] != view.count:
        return False
    if view.moves != NULL:
        for slot in range(view.count):
            if entry_at(tree, known, record, slot)[0] != view.moves[slot]:
                return False
    return True


cdef uint32_t record_for(const Tree *tree, Known *known, uint32_t record, const BlockView *view) noexcept nogil:
    """The record of a block; made where there is none, made anew where it does not fit; 0 when there is no room."""
    cdef uint32_t made, slot, other
    cdef uint32_t *old
    if record and fits(tree, known, record, view):
        return record
    made = make_record(tree, known, view)
    if made == 0 or record == 0:
        return made
    memcpy(known.words.at + made + 1, known.words.at + record + 1, node_words(tree) * sizeof(uint32_t))
    for slot in range(view.count):
        for other in range(known.words.at[record]):
            old = entry_at(tree, known, record, other)
            if old[0] == entry_at(tree, known, made, slot)[0]:
                memcpy(entry_at(tree, known, made, slot), old, entry_words(tree) * sizeof(uint32_t))
                break
    return made


cdef uint32_t child_record(const Tree *tree, Known *known, uint32_t link, uint32_t record,
                           uint32_t slot) noexcept nogil:
    """The record of the block behind a slot; 0 when there is no room."""
    cdef BlockView view = view_block(tree, link & index_mask(tree))
    cdef uint32_t last = entry_words(tree) - 1, child = entry_at(tree, known, record, slot)[last]
    child = record_for(tree, known, 0 if child == PROVEN else child, &view)
    if child:
        entry_at(tree, known, record, slot)[last] = child
    return child


# ---- telling ---------------------------------------------------------------------------------------------------------

cdef inline bint proves(const Tree *tree) noexcept nogil:
    if is_general(tree):
        return (<const GeneralTree *>tree).options.solver
    return is_guided(tree) and (<const GuidedTree *>tree).options.solver


cdef inline uint32_t proof_in(const Tree *tree, uint32_t link) noexcept nogil:
    """The link to tell where a child's value is proven, by the rules or by the search, else 0."""
    return proof_behind(tree, link) if proves(tree) else 0


cdef bint tell_block(Tree *tree, Known *known, uint32_t index, uint32_t record, uint32_t least, Words *message,
                     uint32_t depth) noexcept nogil:
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t at = message.used, slot, count = 0, visits, link, told, proof, child = 0
    cdef uint32_t words = entry_words(tree), last = words - 1
    cdef uint32_t *entry
    cdef uint32_t *news
    if not words_add(message, 1 + node_words(tree)):
        return False
    if is_general(tree):
        tell_node(<GeneralTree *>tree, general_at(&view), known.words.at + record + 1, message.at + at + 1)
    for slot in range(view.count):
        if view.visits[slot] == NO_VISITS:
            continue
        entry = entry_at(tree, known, record, slot)
        link = view.links[slot]
        visits = view.visits[slot] - entry[1]
        told = 0
        proof = proof_in(tree, link)
        if proof:
            if entry[last] != PROVEN:
                told = proof
        elif is_block(link) and visits >= least and depth < DEEPEST:
            child = child_record(tree, known, link, record, slot)
            entry = entry_at(tree, known, record, slot)  # the array may have moved
            if child:
                told = HAS_BLOCK
        if visits == 0 and told == 0:
            continue
        if not words_add(message, words):
            return False
        news = message.at + message.used - words
        news[0] = entry[0]
        news[1] = visits
        entry[1] = view.visits[slot]
        if view.wins != NULL:
            news[2] = <uint32_t>(view.wins[slot] - <int32_t>entry[2])
            entry[2] = <uint32_t>view.wins[slot]
        elif view.sums != NULL:
            set_float(news + 2, view.sums[slot] - float_at(entry + 2))
            set_float(entry + 2, view.sums[slot])
        else:
            set_float(news + 2, 0.0)
        news[last] = told
        count += 1
        if told == HAS_BLOCK:
            if not tell_block(tree, known, link & index_mask(tree), child, least, message, depth + 1):
                return False
        elif told:
            entry[last] = PROVEN
    message.at[at] = count
    return True


cdef uint32_t root_record(const Tree *tree, Known *known) noexcept nogil:
    """The record of the root's block; 0 when there is no such block, or no room."""
    cdef uint32_t link = root_link(tree), record
    cdef BlockView view
    if not is_block(link):
        return 0
    view = view_block(tree, link & index_mask(tree))
    record = record_for(tree, known, known.root, &view)
    if record == 0:  # records of blocks that are gone take the room
        forget_gone(tree, known)
        record = record_for(tree, known, known.root, &view)
    if record:
        known.root = record
    return record


cdef inline uint32_t format_of(const Tree *tree) noexcept nogil:
    if not is_general(tree):
        return MESSAGE_FORMAT
    return GENERAL_FORMAT + players_of(tree) + (BOUNDED if has_bounds(tree) else 0)


cdef void known_words(const GeneralTree *general, const Known *known, uint32_t *words) noexcept nogil:
    """Writes what is known of the root in the form of a record."""
    cdef uint32_t player
    words[0] = known.visits
    words[1] = known.valued
    for player in range(general.players):
        set_float(words + 2 + 2 * player, known.totals[player])


cdef void keep_words(const GeneralTree *general, Known *known, const uint32_t *words) noexcept nogil:
    """Reads what is known of the root from the form of a record."""
    cdef uint32_t player
    known.valued = words[1]
    for player in range(general.players):
        known.totals[player] = float_at(words + 2 + 2 * player)


cdef bint tell(Tree *tree, Known *known, uint32_t least, Words *message) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef uint32_t words[MAX_NODE_WORDS]
    message.used = 0
    if not words_add(message, header_words(tree)):
        return False
    memset(message.at, 0, header_words(tree) * sizeof(uint32_t))
    message.at[0] = format_of(tree)
    if root_record(tree, known) == 0:  # visits of the root alone, without moves, are no news
        return True
    message.at[1] = top.visits[0] - known.visits
    if is_general(tree):
        known_words(<GeneralTree *>tree, known, words)
        tell_node(<GeneralTree *>tree, general_at(&top), words, message.at + HEADER)
        keep_words(<GeneralTree *>tree, known, words)
    else:
        message.at[2] = <uint32_t>(top.wins[0] - known.wins)
        known.wins = top.wins[0]
    known.visits = top.visits[0]
    if tree.proof.value >= 0 and not known.proven:
        message.at[PROOF] = 1 + <uint32_t>tree.proof.value
        message.at[PROOF_DISTANCE] = tree.proof.distance
        message.at[PROOF_MOVE] = tree.proof.move
        known.proven = 1
    elif tree.settled and has_bounds(tree) and not known.proven:
        message.at[PROOF] = SETTLED
        message.at[PROOF_MOVE] = settled_move(<GeneralTree *>tree)
        tell_bounds(<GeneralTree *>tree, root_block(tree), bounds_in(tree, message.at))
        known.proven = 1
    return tell_block(tree, known, top.links[0] & index_mask(tree), known.root, least, message, 0)


# ---- whether something is a message ----------------------------------------------------------------------------------

ctypedef struct Reader:
    const uint32_t *at
    uint32_t left
    Words seen                   # a bit for each slot of the blocks on the way down


cdef inline bint is_news(const Tree *tree, uint32_t visits, uint32_t news, const uint32_t *wins) noexcept nogil:
    """Whether ``news`` more visits, with these wins or this sum of values, are possible at a node of ``visits``."""
    if visits > tree.most_visits or news > tree.most_visits - visits:
        return False
    if is_general(tree):
        return is_sum(<const GeneralTree *>tree, float_at(wins), news)
    return 0 <= <int64_t><int32_t>wins[0] <= 2 * <int64_t>tree.wins_per_visit * news


cdef inline bint is_distance(const Tree *tree, uint32_t distance) noexcept nogil:
    if distance > MAX_DISTANCE + 1:
        return False
    return is_general(tree) or tree.game.max_plies == 0 or distance <= tree.game.max_plies


cdef inline bint is_value(const Tree *tree, uint32_t told, bint known, uint32_t link) noexcept nogil:
    """Whether ``told`` can be the proven value of a child, whose link, where the child is ``known``, is ``link``."""
    cdef uint32_t distance
    cdef int32_t points
    if not proves(tree):
        return False
    if is_general(tree):
        if not is_proven_link(told) or told & ~LINK_PROVEN > (<uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 2):
            return False
        points = points_of(<const GeneralTree *>tree, link, &distance)
        return result_of(told) <= 2 and (points < 0 or points == <int32_t>result_of(told))
    if told & LINK_KIND != LINK_TERMINAL:
        return False
    if told & ~<uint32_t>LINK_KIND > (<uint32_t>MAX_DISTANCE << DISTANCE_SHIFT | 2) or result_of(told) > 2:
        return False
    if proof_behind(tree, link):
        return result_of(told) == result_of(proof_behind(tree, link))
    return is_distance(tree, distance_of(told)) and (distance_of(told) > 0 or not known)


cdef int check_block(const Tree *tree, Reader *reader, uint32_t link, uint32_t depth) noexcept nogil:
    """Whether a block stands at ``reader``, for the node with this link (0: not in this tree); a Status."""
    cdef BlockView view
    cdef uint32_t count, _, slot, told, child, bits = reader.seen.used, words = entry_words(tree)
    cdef bint known
    cdef int status
    if reader.left < 1 + node_words(tree) or depth > DEEPEST:
        return RUN_GAME_ERROR
    memset(&view, 0, sizeof(view))
    if is_block(link):
        view = view_block(tree, link & index_mask(tree))
    if is_general(tree) and not is_node(<const GeneralTree *>tree, general_at(&view), reader.at + 1):
        return RUN_GAME_ERROR
    count = reader.at[0]
    reader.at += 1 + node_words(tree)
    reader.left -= 1 + node_words(tree)
    if count > reader.left // words:
        return RUN_GAME_ERROR
    if is_block(link):
        if not words_add(&reader.seen, (view.count + 31) // 32):
            return RUN_SYSTEM_MEMORY
        memset(reader.seen.at + bits, 0, (view.count + 31) // 32 * sizeof(uint32_t))
    for _ in range(count):
        if reader.left < words:
            return RUN_GAME_ERROR
        slot = slot_of(&view, reader.at[0]) if view.count else 0
        told = reader.at[words - 1]
        known = slot < view.count
        child = 0
        if known:
            child = view.links[slot]
            if reader.seen.at[bits + (slot >> 5)] >> (slot & 31) & 1:
                return RUN_GAME_ERROR
            reader.seen.at[bits + (slot >> 5)] |= <uint32_t>1 << (slot & 31)
        elif not is_general(tree) and tree.game.max_moves and (
                reader.at[0] >= tree.game.max_moves or (view.count and not is_guided(tree))):
            return RUN_GAME_ERROR  # a guided tree may have more children elsewhere, a game in Python other names
        if not is_news(tree, view.visits[slot] if known else 0, reader.at[1], reader.at + 2):
            return RUN_GAME_ERROR
        reader.at += words
        reader.left -= words
        if told == HAS_BLOCK:
            if child & LINK_KIND == LINK_TERMINAL and (is_general(tree) or distance_of(child) == 0):
                # the game is over there
                return RUN_GAME_ERROR
            status = check_block(tree, reader, child, depth + 1)
            if status != RUN_DONE:
                return status
        elif told and not is_value(tree, told, known, child):
            return RUN_GAME_ERROR
    reader.seen.used = bits
    return RUN_DONE


cdef int check_message(const Tree *tree, const uint32_t *message, uint32_t length) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef Reader reader
    cdef uint32_t header = header_words(tree), i
    cdef int status
    if (length < header or message[0] != format_of(tree)
            or not is_news(tree, top.visits[0], message[1], message + 2)):
        return RUN_GAME_ERROR
    if is_general(tree):
        if not is_node(<const GeneralTree *>tree, general_at(&top), message + HEADER) or message[2]:
            return RUN_GAME_ERROR
        if message[HEADER] != message[1]:
            return RUN_GAME_ERROR
    if message[PROOF] == SETTLED:
        if not has_bounds(tree) or message[PROOF_DISTANCE] or message[PROOF_MOVE] == MCTS_NO_MOVE or not are_bounds(
                <const GeneralTree *>tree, root_block(tree), bounds_in(tree, message)):
            return RUN_GAME_ERROR
    elif message[PROOF]:
        if not proves(tree) or message[PROOF] > 3:
            return RUN_GAME_ERROR
        if message[PROOF_DISTANCE] == 0 or not is_distance(tree, message[PROOF_DISTANCE]):
            return RUN_GAME_ERROR
        if tree.proof.value >= 0 and <int64_t>message[PROOF] != 1 + tree.proof.value:
            return RUN_GAME_ERROR
    elif message[PROOF_DISTANCE] or message[PROOF_MOVE]:
        return RUN_GAME_ERROR
    if length == header:  # of a root without a block
        for i in range(1, header):
            if message[i]:
                return RUN_GAME_ERROR
        return RUN_DONE
    reader.at = message + header
    reader.left = length - header
    memset(&reader.seen, 0, sizeof(reader.seen))
    reader.seen.limit = 0xFFFFFFFF
    status = check_block(tree, &reader, top.links[0], 0)
    words_free(&reader.seen)
    return RUN_GAME_ERROR if status == RUN_DONE and reader.left else status


# ---- the moves of a message ------------------------------------------------------------------------------------------

def renumbered(bytes message, number):
    """``message`` with ``number(move)`` in place of each move. Raises ValueError if it ends within the header or an
    entry; ``check_message`` finds what else is wrong."""
    cdef bytearray changed = bytearray(message)
    cdef uint32_t *words = <uint32_t *>PyByteArray_AS_STRING(changed)
    cdef uint32_t count = <uint32_t>(len(message) // sizeof(uint32_t)), players, node, size, at
    cdef bint begins = True, bounded
    if len(message) % sizeof(uint32_t) or count < HEADER:
        raise ValueError("not a message of a search: it ends too early")
    players = words[0] - GENERAL_FORMAT
    bounded = players & BOUNDED != 0
    players &= ~<uint32_t>BOUNDED
    if players > MAX_PLAYERS:
        players = 0
    node, size = node_size(players), entry_size(players)
    if words[PROOF] and words[PROOF_MOVE] != MCTS_NO_MOVE:
        words[PROOF_MOVE] = number(words[PROOF_MOVE])
    at = header_size(players, bounded)
    while at + begins * (1 + node) < count:
        at += begins * (1 + node)
        if at + size > count:
            raise ValueError("not a message of a search: it ends too early")
        words[at] = number(words[at])
        begins = words[at + size - 1] == HAS_BLOCK
        at += size
    return bytes(changed)


# ---- hearing ---------------------------------------------------------------------------------------------------------

cdef const uint32_t *after_block(const Tree *tree, const uint32_t *at) noexcept nogil:
    """What follows a block of a message."""
    cdef uint32_t count = at[0], _
    at += 1 + node_words(tree)
    for _ in range(count):
        at += entry_words(tree)
        if at[-1] == HAS_BLOCK:
            at = after_block(tree, at)
    return at


cdef const uint32_t *hear_block(Tree *tree, Known *known, uint32_t index, uint32_t record, const uint32_t *at,
                                uint32_t length, uint32_t visits, uint32_t reference, bint *changed,
                                int *status) noexcept nogil:
    """Adds the news of the block ``index``, the node of which is at the end of a path of ``length`` and has ``visits``;
    what follows it in the message.

    ``changed``: whether that has proven something about the node. ``status``: of what comes of such proofs.
    """
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t count = at[0], _, slot, told, link, child, news, words = entry_words(tree)
    cdef uint32_t *entry
    cdef bint below, proven = False
    cdef GuidedBlock *block = <GuidedBlock *>view.record
    if is_general(tree):
        hear_node(<GeneralTree *>tree, general_at(&view), known.words.at + record + 1, at + 1, visits)
    at += 1 + node_words(tree)
    if is_guided(tree) and block.amaf:
        reference = block.amaf
    tree.path_record[length] = view.record
    for _ in range(count):
        slot = slot_of(&view, at[0])
        news = at[1]
        told = at[words - 1]
        at += words
        # the children of widened nodes differ
        if slot == view.count or view.visits[slot] == NO_VISITS or news > tree.most_visits - view.visits[slot]:
            if told == HAS_BLOCK:
                at = after_block(tree, at)
            continue
        entry = entry_at(tree, known, record, slot)
        view.visits[slot] += news
        entry[1] += news
        if view.wins != NULL:
            view.wins[slot] += <int32_t>at[2 - <int32_t>words]
            entry[2] += at[2 - <int32_t>words]
        elif view.sums != NULL:
            view.sums[slot] = clamped(<const GeneralTree *>tree, view.sums[slot] + float_at(at + 2 - words),
                                      view.visits[slot])
            set_float(entry + 2, float_at(entry + 2) + float_at(at + 2 - words))
        link = view.links[slot]
        tree.path_slot[length] = slot
        tree.path_move[length] = view_move(&view, slot)
        if is_guided(tree) and is_block(link):
            (<GuidedBlock *>arena_at(&tree.arena, link & index_mask(tree))).visits += news
        if told == HAS_BLOCK:
            child = child_record(tree, known, link, record, slot) if is_block(link) and proof_in(tree, link) == 0 else 0
            if child == 0:
                at = after_block(tree, at)
                continue
            below = False
            at = hear_block(tree, known, link & index_mask(tree), child, at, length + 1, view.visits[slot], reference,
                            &below, status)
            proven = proven or below
        elif told:
            entry[words - 1] = PROVEN
            if proof_in(tree, link) == 0 and link & LINK_KIND != LINK_TERMINAL:
                if is_general(tree):
                    (<const GeneralOps *>tree.ops).accept(<GeneralTree *>tree, length, told)
                else:
                    (<const GuidedOps *>tree.ops).accept(<GuidedTree *>tree, length + 1, told)
                proven = True
    if proven and is_general(tree):
        (<const GeneralOps *>tree.ops).reconsider(<GeneralTree *>tree, length, changed)
    elif proven and status[0] == RUN_DONE:
        status[0] = (<const GuidedOps *>tree.ops).reconsider(<GuidedTree *>tree, length, changed)
        index = <uint32_t>((tree.path_record[length] - tree.arena.base) // tree.arena.unit)  # it may have been widened
    tree.ops.refresh(tree, index, visits, reference)
    return at


cdef int hear(Tree *tree, Known *known, const uint32_t *message, uint32_t length) noexcept nogil:
    cdef BlockView top = view_block(tree, 0)
    cdef int status = RUN_DONE
    cdef bint changed = False
    cdef uint32_t words[MAX_NODE_WORDS]
    if (length == header_words(tree) or message[1] > tree.most_visits - top.visits[0]
            or root_record(tree, known) == 0):
        return RUN_DONE
    top.visits[0] += message[1]
    known.visits += message[1]
    if is_general(tree):
        known_words(<GeneralTree *>tree, known, words)
        hear_node(<GeneralTree *>tree, general_at(&top), words, message + HEADER, top.visits[0])
        keep_words(<GeneralTree *>tree, known, words)
    else:
        top.wins[0] += <int32_t>message[2]
        known.wins += <int32_t>message[2]
    if is_guided(tree):
        (<GuidedBlock *>arena_at(&tree.arena, top.links[0] & index_mask(tree))).visits += message[1]
    tree.path_record[0] = top.record
    tree.path_slot[0] = 0
    hear_block(tree, known, top.links[0] & index_mask(tree), known.root, message + header_words(tree), 1,
               MAX_ITERATIONS if is_general(tree) else top.visits[0], 0, &changed, &status)
    if message[PROOF] == SETTLED:
        known.proven = 1
        if not tree.settled:
            hear_bounds(<GeneralTree *>tree, root_block(tree), bounds_in(tree, message))
            tree.proof.move = message[PROOF_MOVE]
            tree.settled = 1
    elif message[PROOF]:
        known.proven = 1
        if tree.proof.value < 0:
            set_root_proof(tree, <int32_t>message[PROOF] - 1, min(message[PROOF_DISTANCE], <uint32_t>MAX_DISTANCE),
                           message[PROOF_MOVE])
            tree.settled = 1
    return status


# ---- another root, or a pruned tree ----------------------------------------------------------------------------------

cdef uint32_t copy_record(const Tree *tree, uint32_t index, const Known *old, uint32_t record,
                          Known *new) noexcept nogil:
    """Copies the record of a block and those below it, as far as they are still there; 0 when there is no room."""
    cdef BlockView view = view_block(tree, index)
    cdef uint32_t made = make_record(tree, new, &view), slot, other, child, link, last = entry_words(tree) - 1
    cdef uint32_t *entry
    if made == 0:
        return 0
    memcpy(new.words.at + made + 1, old.words.at + record + 1, node_words(tree) * sizeof(uint32_t))
    for other in range(old.words.at[record]):
        entry = entry_at(tree, old, record, other)
        slot = slot_of(&view, entry[0])
        if slot == view.count:
            continue
        child = entry[last]
        link = view.links[slot]
        if child and child != PROVEN:
            child = copy_record(tree, link & index_mask(tree), old, child, new) if is_block(link) else 0
        memcpy(entry_at(tree, new, made, slot) + 1, entry + 1, (last - 1) * sizeof(uint32_t))
        entry_at(tree, new, made, slot)[last] = child
    return made


cdef void follow(const Tree *tree, Known *known, const uint32_t *moves, uint32_t count) noexcept nogil:
    cdef uint32_t link = root_link(tree), record = known.root, i, slot, whole = 2 * tree.wins_per_visit
    cdef uint32_t last = entry_words(tree) - 1, words[MAX_NODE_WORDS]
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
            entry = entry_at(tree, known, record, slot)
            if entry[0] == moves[i]:
                known.visits = entry[1]
                if not is_general(tree):
                    known.wins = <int32_t>entry[2] if view.sign > 0 else <int32_t>(whole * entry[1] - entry[2])
                record = 0 if entry[last] == PROVEN else entry[last]
                break
        else:
            record = 0
    known.root = record
    if is_general(tree) and count:
        memset(words, 0, sizeof(words))
        keep_words(<const GeneralTree *>tree, known, known.words.at + record + 1 if record else words)


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
