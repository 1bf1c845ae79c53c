"""The trees of a search, as the loop and the report see them: what every kind of tree can do.

A search has one tree for each thread. This module says, for all layouts, how a tree begins, goes on below a new root,
is pruned, exchanges news and is counted; ``searched_two_player.pyx``, ``searched_general.pyx`` and
``searched_information.pyx`` say what differs. A call of a method costs some nanoseconds, and the loop makes none within
a slice.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from mcts_core.arguments import shorten
from mcts_core.errors import GameError, InvalidOption, InvalidState, NoSearch

from mcts_core.platform cimport mcts_clock, mcts_published
from mcts_core.tree.compaction cimport MARKS, reroot
from mcts_core.tree.exchange cimport (Known, Words, check_message, follow, forget_gone, hear, known_clear, known_free,
                                      tell, words_free)
from mcts_core.tree.general_selection cimport is_draw
from mcts_core.tree.general_tree cimport GeneralTree
from mcts_core.tree.guided_tree cimport GuidedTree
from mcts_core.tree.tree cimport (NO_VISITS, RUN_DONE, RUN_GAME_ERROR, RUN_MEMORY, RUN_SOLVED, RUN_SYSTEM_MEMORY, Tree,
                                  TreeOps, is_general, is_guided, result_of, spent_of, thread_seed)
from mcts_core.game cimport MCTS_NO_MOVE, mcts_interrupt, mcts_rng, mcts_rng_next, mcts_rng_seed
from mcts_core.engine.request cimport REUSE_BELOW, REUSE_NEVER, SearchRequest
from mcts_core.engine.reuse cimport compact_below, has_mover, link_at, prune
from mcts_core.engine.root_rows cimport BY_VALUE, BY_VISITS, RootRows, new_rows
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.thread_exchange cimport Member, team_create, team_destroy, team_run
from mcts_core.tree.view cimport (BlockView, has_root, index_mask, is_block, proof_behind, root_link, root_visits,
                                  view_block, view_move)


cdef enum:
    MIB = 1 << 20
    KNOWN_WORDS = 1 << 16         # words that a thread may spend in any case on what others know
    OUTSIDE = 1 << 24             # words that may be spent on what searches in other processes know

cdef uint64_t LOTS = 0xD6E8FEB86659FD93  # makes the choice between equal moves independent of what the search draws


cdef class SearchedTree(SearchTurn):
    """A search's trees, with what the loop does to them and the report reads off them."""

    def __cinit__(self, uint64_t memory, uint32_t threads=1):
        self.memory = memory
        self.threads = threads
        self.outside.words.limit = OUTSIDE
        self.others = SearchThreads()
        self.busy = 1

    def check(self, state, SearchSettings settings=None):
        """Raises what a search of ``state`` with these settings would raise before its first iteration."""
        self.root_of(state, settings)

    # ---- what the three kinds say ------------------------------------------------------------------------------------

    cdef object root_of(self, object state, SearchSettings settings):
        raise InvalidState(f"{type(self).__name__} has no trees, got {shorten(state)}")

    cdef const TreeOps *layout(self) noexcept nogil:
        return NULL

    cdef uint32_t trees(self) noexcept nogil:
        return self.threads

    cdef int reset_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed) except -1:
        return RUN_SYSTEM_MEMORY

    cdef int resume_tree(self, Tree *tree, uint32_t number, object root, uint64_t seed, bint moved) except -1:
        return RUN_SYSTEM_MEMORY

    cdef int take_root(self, object root, object state) except -1:
        self.state = state
        return 0

    cdef object root_now(self):
        return None

    cdef void drop_result(self) noexcept:
        self.state = None

    cdef list path_to(self, object root, object state):
        return None

    cdef uint64_t name_bytes(self) noexcept:
        return 0

    cdef void limit_rollouts(self, double deadline) noexcept:
        pass

    cdef void fit_names(self) noexcept:
        cdef uint64_t names = self.name_bytes(), room
        if self.tree == NULL or not self.tree.arena.unit:
            return
        room = self.tree.arena.reserved
        self.crowded = names > room - room // 4
        room = (room - min(room, names)) // self.tree.arena.unit
        if room < self.tree.arena.limit:
            self.tree.arena.limit = max(<uint32_t>room, self.tree.arena.top)

    cdef bint is_whole(self) noexcept:
        return True

    cdef int mover_of(self, object root) except? -3:
        return 0

    cdef list legal_moves(self):
        return []

    cdef uint64_t worth_threads(self) except? 0xFFFFFFFFFFFFFFFF:
        # each thread tries every move of the root, and goes on
        return self.threads * <uint64_t>max(<uint32_t>WORTH_THREADS, self.count_moves() + 1)

    cdef mcts_interrupt interrupt(self) noexcept nogil:
        return mcts_interrupt(NULL, NULL)

    cdef int fail(self) except -1:
        return 0

    cdef int check_root(self) except -1:
        return 0

    cdef bint may_begin(self, uint32_t move) except -1:
        return move == MCTS_NO_MOVE

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        return OPEN

    cdef object name(self, uint32_t move):
        return move

    cdef RootRows read_rows(self):
        return new_rows(0)

    cdef RootRows root_rows(self):
        cdef RootRows rows = self.read_rows()
        rows = rows.completed(None if rows.listed else self.legal_moves())
        if rows is None:
            raise GameError(f"{type(self.state).__name__} gave different moves for the same position")
        return rows

    cdef double value(self):
        return 0.5

    cdef tuple values(self):
        return None

    cdef tuple scale(self):
        return None

    cdef list kept_line(self):
        return None

    cdef object line_value(self):
        return None

    cdef list extended(self, list line):
        return line

    cdef bint signs(self) noexcept:
        return False

    cdef void rest(self) noexcept:
        pass

    cdef int take_names(self, object root, object names) except -1:
        return 0

    @property
    def names(self):
        """For a game written in Python, a list of the moves that the numbers in the tree, in ``tell`` and in ``hear``
        stand for; else None. Another search has other numbers."""
        return None

    # ---- the trees ---------------------------------------------------------------------------------------------------

    cdef void forget(self) noexcept:
        self.drop_result()
        self.drop_trees()

    cdef void drop_trees(self) noexcept:
        known_free(&self.outside)
        team_destroy(self.team)
        if self.tree != NULL:
            self.tree.ops.destroy(self.tree)
        self.team = NULL
        self.tree = NULL

    cdef Tree *new_tree(self) noexcept nogil:
        cdef uint64_t share = self.memory // self.trees()
        share -= share // MARKS
        if self.trees() > 1:
            share -= share // KNOWN
        return self.layout().create(share)

    cdef int prepare(self, object root, uint64_t seed) except -1:
        """Makes all trees empty ones for this search."""
        cdef int status
        # the budget is for one layout and number of trees
        if self.tree != NULL and (self.tree.ops != self.layout() or self.shared != self.trees()):
            self.drop_trees()
        if self.tree == NULL:
            self.shared = self.trees()
            self.tree = self.new_tree()
        known_clear(&self.outside)
        self.heard = False
        if self.tree == NULL:
            raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB: set a smaller memory_mb")
        status = self.reset_tree(self.tree, 0, root, seed)
        if status != RUN_DONE:
            raise self.refusal(self.tree, status)
        if self.trees() > 1:
            self.ready_threads(root, seed, NULL, -1)
        return 0

    cdef int ready_threads(self, object root, uint64_t seed, uint32_t *path, int count) except -1:
        """Readies the trees of the other threads; ``count`` < 0: they begin anew, else they follow the path."""
        cdef uint32_t i
        cdef int status
        cdef uint64_t known_words = self.memory // self.threads // KNOWN // sizeof(uint32_t) // 2
        cdef Member *member
        if self.team == NULL:
            known_words = min(max(known_words, <uint64_t>KNOWN_WORDS), <uint64_t>0xFFFFFFFF)
            self.team = team_create(self.threads, <uint32_t>known_words)
            if self.team == NULL:
                raise MemoryError("no memory for the threads of a search")
        self.team.members[0].tree = self.tree
        if count < 0:
            known_clear(&self.team.members[0].known)
        for i in range(1, self.threads):
            member = &self.team.members[i]
            if count >= 0:
                follow(member.tree, &member.known, path, count)
                if reroot(member.tree, path, count):
                    self.resume_tree(member.tree, i, root, thread_seed(seed, i), count > 0)
                    continue
            known_clear(&member.known)
            if member.tree == NULL:
                member.tree = self.new_tree()
            if member.tree == NULL:
                raise MemoryError(f"no memory for {self.threads} search trees of {self.memory // MIB} MB in all: "
                                  "set a smaller memory_mb")
            status = self.reset_tree(member.tree, i, root, thread_seed(seed, i))
            if status != RUN_DONE:
                raise self.refusal(member.tree, status)
        return 0

    cdef object refusal(self, const Tree *tree, int status):
        """The error about a root for which ``tree`` has no room by this Status."""
        cdef uint64_t share = self.memory // self.trees()
        if status == RUN_SYSTEM_MEMORY or (tree != NULL and tree.arena.reserved < share // 4 * 3):
            return MemoryError(f"no memory for a search tree of {share // MIB} MB: the system gave less")
        return InvalidOption(f"memory_mb must be larger for this position, whose legal moves alone need more, got "
                             f"{self.memory / <double>MIB:g}")

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef int open(self, SearchRequest request) except -1:
        cdef object root
        cdef bint reused
        try:
            root = self.root_of(request.state, request.settings)
            reused = self.go_on(root, request)
        except BaseException:
            self.drop_result()
            raise
        self.drop_result()
        self.settings = request.settings
        if not reused or self.tree.reused >= self.settings.most_iterations:
            self.prepare(root, request.seed)
        self.take_root(root, request.state)
        return 0

    cdef bint go_on(self, object root, SearchRequest request) except -1:
        """Makes the part of the last search's tree below ``root`` the tree of this one; False when there is none."""
        cdef double left = request.seconds
        cdef uint32_t path[LINE]
        cdef uint32_t count, i
        cdef list moves
        cdef Tree *tree
        self.follows = False
        if (request.reuse == REUSE_NEVER or self.state is None or self.settings is not request.settings
                or self.tree == NULL or self.name_bytes() > self.memory // 2):
            return False
        moves = self.path_to(root, request.state)
        if moves is None or (request.reuse == REUSE_BELOW and not moves) or len(moves) > LINE:
            return False
        # Exact search keeps its proofs even if the tree cannot be used: a reply without a block is often that of a
        # player who has lost. Without this, short searches gave away one proven win in a hundred games.
        self.follows = len(moves) > 0
        if moves and not self.is_whole():
            return False
        if self.teamed and not has_mover(self.tree, moves, self.mover_of(root)):
            self.take_proven_tree(moves)
        if not has_mover(self.tree, moves, self.mover_of(root)):
            return False
        count = <uint32_t>len(moves)
        for i in range(count):
            path[i] = moves[i]
        follow(self.tree, &self.outside, path, count)
        if self.teamed:
            follow(self.tree, &self.team.members[0].known, path, count)
        if not reroot(self.tree, path, count):
            return False
        if self.resume_tree(self.tree, 0, root, request.seed, count > 0) != RUN_DONE:
            return False
        if self.trees() > 1:
            self.ready_threads(root, request.seed, path, <int>count if self.teamed else -1)
        for i in range(self.trees() if count or left <= 0 else 0):
            tree = self.team.members[i].tree if i else self.tree
            with nogil:
                if count:
                    compact_below(tree, left / self.trees(), mcts_clock())
                self.forget_pruned(tree, &self.team.members[i].known if self.teamed else NULL)
        return True

    cdef int take_proven_tree(self, list moves) except -1:
        """Makes the tree of a thread that has proven the node after these moves the first one. The others know only the
        value of the node, not what proves it."""
        cdef Member *first = &self.team.members[0]
        cdef Member *member
        cdef uint32_t i
        if self.outside.words.used:  # what other processes know is of the first tree
            return 0
        for i in range(1, self.team.count):
            member = &self.team.members[i]
            if proof_behind(member.tree, link_at(member.tree, moves)):
                first.tree, member.tree = member.tree, first.tree
                first.known, member.known = member.known, first.known
                self.tree = first.tree
                break
        return 0

    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil:
        """Drops the records of what others know of blocks that are no longer in the tree."""
        if known != NULL:
            forget_gone(tree, known)
        if tree == self.tree:
            forget_gone(tree, &self.outside)

    cdef uint32_t room(self) noexcept nogil:
        return self.settings.most_iterations - self.tree.reused

    cdef uint32_t count_moves(self) except? 0xFFFFFFFF:
        return <uint32_t>len(self.legal_moves())

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        self.teamed = self.trees() > 1 and limit >= self.worth_threads()
        self.busy = self.threads if self.teamed else 1
        self.heard = self.heard or self.teamed
        self.tree.interrupt = self.interrupt()
        self.tree.hurried = not repeatable
        if not self.teamed:
            return limit
        try:
            self.others.start(self.team, limit, self.settings.interval, repeatable, self.settings.prunes, self.begin,
                              self.deadline, self.interrupt())
        except BaseException:
            self.tree = self.team.members[0].tree  # team_merge may have put another thread's tree there
            raise
        return self.team.members[0].limit

    cdef int run(self, uint32_t count) except -1 nogil:
        if self.teamed:
            return team_run(self.team, 0, count)
        return self.tree.ops.run(self.tree, count)

    cdef int make_room(self, double deadline) noexcept nogil:
        cdef int status
        if not self.settings.prunes or self.crowded:
            return RUN_MEMORY
        status = prune(self.tree, self.begin, deadline, mcts_clock())
        if status == RUN_DONE:
            self.forget_pruned(self.tree, &self.team.members[0].known if self.teamed else NULL)
            if self.tree.settled:
                return RUN_SOLVED
        return status

    cdef void give_up(self, object error) noexcept:
        """The search ends by this exception; ``join`` follows."""

    cdef int join(self) except -1:
        if not self.teamed:
            return RUN_DONE
        try:
            return self.others.join(self, self.team.repeatable and self.stop_reason in ("iterations", "solved"))
        finally:
            if self.others.cancelled:
                self.stop_reason = "cancelled"
            self.tree = self.team.members[0].tree

    # ---- between two slices ------------------------------------------------------------------------------------------

    cdef uint32_t spent(self) noexcept nogil:
        return spent_of(self.tree)

    cdef uint32_t width(self) noexcept nogil:
        return self.team.count if self.teamed else 1

    cdef bint is_proven(self) noexcept nogil:
        return self.tree.proof.value >= 0

    cdef bint view_root(self, RootView *view) noexcept nogil:
        cdef BlockView block
        if not has_root(self.tree):
            return False
        block = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        view.count, view.visits, view.links = block.count, block.visits, block.links
        return True

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef bint has_result(self) noexcept:
        return self.state is not None and root_visits(self.tree) > 0

    cdef bint is_clear(self, uint32_t *move) noexcept:
        return False

    cdef int leave_out(self, RootRows rows) except -1:
        return 0

    cdef uint32_t leader(self, RootRows rows) except? 0xFFFFFFFF:
        return rows.best(BY_VALUE if self.settings.by_value else BY_VISITS, self.lot())

    cdef bint is_ordered(self) noexcept:
        return False

    cdef uint32_t lot(self) noexcept:
        cdef mcts_rng rng
        if self.is_ordered():
            return 0
        mcts_rng_seed(&rng, self.seed ^ LOTS)
        return <uint32_t>(mcts_rng_next(&rng) >> 32)

    cdef uint32_t moves_to_try(self) noexcept:
        return 0

    cdef list winning_moves(self):
        cdef BlockView block
        cdef RootView root
        cdef uint32_t slot
        if not self.view_root(&root):
            return []
        block = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        return [self.name(view_move(&block, slot)) for slot in range(root.count) if self.standing(&root, slot) == WON]

    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept:
        distance[0], move[0] = self.tree.proof.distance, self.tree.proof.move
        return self.tree.proof.value

    cdef tuple bounds(self):
        return None

    cdef bint by_book(self) noexcept:
        return False

    cdef int sum_counts(self, Counts *counts) except -1:
        cdef Member *member
        cdef uint32_t index
        add_counts(counts, self.tree)
        counts.visits = root_visits(self.tree)
        counts.reused = self.tree.reused
        for index in range(1, self.width()):
            member = &self.team.members[index]
            if not self.finished:  # its thread is running
                counts.iterations += mcts_published(&member.iterations)
            elif has_root(member.tree):  # otherwise no move has statistics of what it found
                add_counts(counts, member.tree)
        return 0

    cdef uint32_t link_of(self, object move) except? 0:
        cdef BlockView block
        cdef uint32_t slot
        if not has_root(self.tree):
            return 0
        block = view_block(self.tree, root_link(self.tree) & index_mask(self.tree))
        for slot in range(block.count):
            if block.visits[slot] != NO_VISITS and self.name(view_move(&block, slot)) == move:
                return block.links[slot]
        return 0

    cdef bint best_child(self, uint32_t *link, uint32_t *move) noexcept:
        """Stops at a chance node, at a leaf, and where the value is proven."""
        cdef BlockView block
        cdef uint32_t slot, best
        if not is_block(link[0]) or proof_behind(self.tree, link[0]):
            return False
        block = view_block(self.tree, link[0] & index_mask(self.tree))
        if block.wins == NULL and block.sums == NULL:
            return False
        best = block.count
        for slot in range(block.count):
            if block.visits[slot] == NO_VISITS or block.visits[slot] == 0:
                continue
            if best == block.count or block.visits[slot] > block.visits[best] or (
                    block.visits[slot] == block.visits[best] and self.breaks_tie(&block, slot, best)):
                best = slot
        if best == block.count:
            return False
        best = self.rather_drawn(&block, best)
        link[0], move[0] = block.links[best], view_move(&block, best)
        return True

    cdef uint32_t rather_drawn(self, const BlockView *block, uint32_t best) noexcept:
        """The most visited proven draw, if the most visited move is worth less; else that. It has the visits that were
        passed on from draws, so they do not say that it is preferred."""
        cdef uint32_t slot, draw = block.count
        if not self.is_below_draw(block, best):
            return best
        for slot in range(block.count):
            if block.visits[slot] != NO_VISITS and block.visits[slot] and self.is_drawn(block.links[slot]) and (
                    draw == block.count or block.visits[slot] > block.visits[draw]):
                draw = slot
        return best if draw == block.count else draw

    cdef bint is_drawn(self, uint32_t link) noexcept:
        """Whether a link is that of a proven draw between two players."""
        if not self.settings.proves:
            return False
        if is_general(self.tree):
            return not (<GeneralTree *>self.tree).bounded and is_draw(<GeneralTree *>self.tree, link)
        return is_guided(self.tree) and result_of(proof_behind(self.tree, link)) == 1

    cdef bint is_below_draw(self, const BlockView *block, uint32_t slot) noexcept:
        """Whether the mean of a visited move is less than a draw."""
        if block.sums != NULL:
            return block.sums[slot] < 0.5 * block.visits[slot]
        return is_guided(self.tree) and block.wins[slot] < <int64_t>block.visits[slot] * (
            <GuidedTree *>self.tree).options.wins_per_visit

    cdef bint breaks_tie(self, const BlockView *block, uint32_t slot, uint32_t other) noexcept:
        """Whether a move is ahead of another one with as many visits: the one with more wins. In the guided tree the
        first move stays ahead, because wins do not show what is proven."""
        if block.sums != NULL:
            return block.sums[slot] > block.sums[other]
        return not is_guided(self.tree) and block.wins[slot] > block.wins[other]

    cdef mcts_rng *random(self) noexcept:
        return &self.tree.rng

    # ---- services ----------------------------------------------------------------------------------------------------

    @property
    def held(self):
        """Bytes of memory that the trees keep between searches."""
        cdef uint32_t i
        cdef uint64_t held = 0 if self.tree == NULL else self.tree.arena.committed
        for i in range(1, 0 if self.team == NULL else self.team.count):
            if self.team.members[i].tree != NULL:
                held += self.team.members[i].tree.arena.committed
        return held

    cdef object tell_news(self, uint32_t least):
        cdef Words message
        memset(&message, 0, sizeof(message))
        message.limit = 0xFFFFFFFF
        if not has_root(self.tree):
            return None
        try:
            if not tell(self.tree, &self.outside, least, &message):
                raise MemoryError("no memory for the message of a search")
            return (<const uint8_t *>message.at)[:message.used * sizeof(uint32_t)]
        finally:
            words_free(&message)

    cdef int hear_news(self, bytes told) except -1:
        cdef const uint32_t *message
        cdef uint32_t words
        cdef int status
        if len(told) % sizeof(uint32_t):
            raise ValueError(f"a message must be a whole number of words, got {len(told)} bytes")
        message = <const uint32_t *><const uint8_t *>told
        words = <uint32_t>(len(told) // sizeof(uint32_t))
        status = check_message(self.tree, message, words)
        if status == RUN_GAME_ERROR or (status == RUN_DONE and message[3] and not self.may_begin(message[5])):
            raise ValueError(f"not a message of a search: {told[:24]!r}")
        if not has_root(self.tree):
            raise NoSearch("there are no statistics of the root's moves yet to which those of another search could be "
                           "added")
        if status != RUN_DONE:
            raise MemoryError("no memory to read the message of another search")
        self.heard = True
        return hear(self.tree, &self.outside, message, words)


cdef void add_counts(Counts *counts, const Tree *tree) noexcept nogil:
    counts.iterations += tree.iterations
    counts.rollouts += tree.rollouts
    counts.nodes += tree.nodes
    counts.prunes += tree.prunes
    counts.dropped += tree.dropped
    counts.bytes += <uint64_t>tree.arena.top * tree.arena.unit
    counts.depth_sum += tree.depth_sum
    counts.measured += tree.iterations
    if tree.depth_max > counts.depth_max:
        counts.depth_max = tree.depth_max
