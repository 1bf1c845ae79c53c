"""What the operations of a searched tree mean on the plain tree and on the guided one.

The plain tree and the guided one begin alike; one of them is there at a time, and with several threads one for each.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from mcts_core.errors import GameError, NoSearch

from mcts_core.tree.compaction cimport MARKS, descend
from mcts_core.dispatch cimport hot_table
from mcts_core.tree.exchange cimport (Known, Words, check_message, follow, forget_gone, hear, known_clear, known_free,
                                      tell, words_free)
from mcts_core.game cimport MCTS_NO_MOVE, NativeState, mcts_game, mcts_proof, mcts_rng
from mcts_core.tree.guided_tree cimport *
from mcts_core.games.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.engine.reuse cimport has_mover, move_together, path_to_root, prune
from mcts_core.engine.loop cimport read_clock
from mcts_core.engine.report cimport best_move
from mcts_core.engine.request cimport REUSE_BELOW, REUSE_NEVER, SearchRequest
from mcts_core.engine.settings cimport SearchSettings, TwoPlayerSettings
from mcts_core.engine.searched_tree cimport ABSENT, LOST, OPEN, WON, Counts, RootView, Standing
from mcts_core.engine.thread_exchange cimport Member, team_create, team_destroy, team_run
from mcts_core.tree.plain_tree cimport *
from mcts_core.tree.view cimport (BlockView, has_root, index_mask, is_block, root_link, root_visits, view_block,
                                  view_move)


cdef extern from "kernels/platform.h" nogil:
    uint32_t mcts_published(const uint32_t *number)


cdef enum:
    MIB = 1 << 20
    WORTH_THREADS = 512           # iterations of a thread that are worth having it
    KNOWN = 16                    # share of a thread's memory that exchanges may take
    KNOWN_WORDS = 1 << 16         # that it may take in any case
    OUTSIDE = 1 << 24             # words that what is known of other processes' searches may take
    LINE_PROOFS = 4096             # of exact search for each move of a proven line

cdef tuple PROVEN = ("loss", "draw", "win")  # by half-points

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree.plain_tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("tree.guided_tree")


cdef class TwoPlayerCore(SearchCore):
    """Searches of games of two players in turn."""

    def __cinit__(self, uint64_t memory, uint32_t threads=1):
        self.memory = memory
        self.threads = threads
        self.outside.words.limit = OUTSIDE
        self.others = SearchThreads()

    def __dealloc__(self):
        self.drop_trees()

    @property
    def services(self):
        return frozenset(("threads", "reuse", "prune", "exchange", "top", "store"))

    def check(self, state, TwoPlayerSettings settings=None):
        as_native(state, "there is nothing to search")

    # ---- the trees ---------------------------------------------------------------------------------------------------

    cdef void drop_trees(self) noexcept:
        known_free(&self.outside)
        team_destroy(self.team)
        if self.tree != NULL:
            self.tree.ops.destroy(self.tree)
        self.team = NULL
        self.plain = self.tree = NULL
        self.guided = NULL

    cdef Tree *new_tree(self, bint guided) noexcept nogil:
        cdef uint64_t share = self.memory // self.threads
        share -= share // MARKS
        if self.threads > 1:
            share -= share // KNOWN
        return guided_ops.tree.create(share) if guided else tree_ops.create(share)

    cdef bint reset(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed) noexcept:
        """Makes a tree an empty one; False when the system gives no memory."""
        cdef GuidedOptions options = self.settings.options
        cdef PlainOptions plain = PlainOptions(options.exploration, options.rollouts_per_leaf)
        cdef TreeRoot root = TreeRoot(native.game, native.state, sign, NULL)
        if not self.settings.guided:
            return tree.ops.reset(tree, &root, &plain, seed_of(seed, number), False) == RUN_DONE
        if self.threads > 1:
            options.tree_bytes //= self.threads
            options.tree_bytes -= options.tree_bytes // KNOWN
            options.prover_bytes //= self.threads
        if number:
            options.root_proofs = 0  # one thread looks for a proof of the root
        return tree.ops.reset(tree, &root, &options, seed_of(seed, number), self.follows) == RUN_DONE

    cdef void resume(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed,
                     bint moved) noexcept:
        cdef TreeRoot root = TreeRoot(native.game, native.state, sign, NULL)
        tree.ops.resume(tree, &root, seed_of(seed, number), moved)

    cdef bint prepare(self, NativeState native, int sign, uint64_t seed) noexcept:
        """Makes ``tree`` an empty one for this search; False when the system gives no memory."""
        if (self.guided == NULL) == self.settings.guided:  # one budget holds for both trees
            self.drop_trees()
        if self.tree == NULL:
            self.tree = self.new_tree(self.settings.guided)
            if self.tree == NULL:
                return False
            if self.settings.guided:
                self.guided = <GuidedTree *>self.tree
            else:
                self.plain = self.tree
        known_clear(&self.outside)
        self.heard = False
        return self.reset(self.tree, 0, native, sign, seed)

    cdef bint ready_threads(self, NativeState native, int sign, uint64_t seed, uint32_t *path, int count) except -1:
        """Readies the trees of the other threads; ``count`` < 0: they begin anew, else they follow the path."""
        cdef uint32_t i
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
                if descend(member.tree, path, count):
                    self.resume(member.tree, i, native, sign, seed, count > 0)
                    continue
            known_clear(&member.known)
            if member.tree == NULL:
                member.tree = self.new_tree(self.settings.guided)
            if member.tree == NULL or not self.reset(member.tree, i, native, sign, seed):
                raise MemoryError(f"no memory for {self.threads} search trees of {self.memory // MIB} MB in all")
        return True

    # ---- a search ----------------------------------------------------------------------------------------------------

    cdef int open(self, SearchRequest request) except -1:
        cdef NativeState native
        cdef TwoPlayerSettings settings = request.settings
        cdef object state = request.state
        cdef bint reused
        cdef int sign
        try:
            native = as_native(state, "there is nothing to search")
            sign = (<PythonGame>native).to_move if isinstance(native, PythonGame) else state.to_move
            reused = self.go_on(native, sign, request)
        except BaseException:
            self.drop_result()
            raise
        self.drop_result()
        self.settings = settings
        if not reused or self.tree.reused >= settings.most_iterations:
            if not self.prepare(native, sign, request.seed):
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            if self.threads > 1:
                self.ready_threads(native, sign, request.seed, NULL, -1)
        self.keeper = None if isinstance(native, PythonGame) else native
        self.native = native
        self.state = state
        return 0

    cdef bint go_on(self, NativeState native, int sign, SearchRequest request) except -1:
        """Makes the part of the last search's tree below ``native`` the tree of this one; False when there is none."""
        cdef TwoPlayerSettings settings = request.settings
        cdef uint64_t seed = request.seed
        cdef double left = request.seconds
        cdef uint32_t path[LINE]
        cdef uint32_t count, i
        cdef list moves
        cdef Tree *tree
        self.follows = False
        if request.reuse == REUSE_NEVER or self.native is None or self.settings is not settings or self.tree == NULL:
            return False
        moves = path_to_root(self.tree, self.native, self.state, native, request.state, sign)
        if moves is None or (request.reuse == REUSE_BELOW and not moves) or len(moves) > LINE:
            return False
        # A reply that has no block of its own is often that of a player who has lost. Without this one proven win in a
        # hundred games of short searches was given away.
        self.follows = len(moves) > 0
        if moves and settings.guided and settings.options.policy.symmetry:
            return False  # below the root moves were left out
        count = <uint32_t>len(moves)
        for i in range(count):
            path[i] = moves[i]
        if not has_mover(self.tree, path, count, sign):
            return False
        follow(self.tree, &self.outside, path, count)
        if self.teamed:
            follow(self.tree, &self.team.members[0].known, path, count)
        if not descend(self.tree, path, count):
            return False
        self.resume(self.tree, 0, native, sign, seed, count > 0)
        if isinstance(native, PythonGame):
            (<PythonGame>native).adopt(<PythonGame>self.native)
        if self.threads > 1:
            self.ready_threads(native, sign, seed, path, <int>count if self.teamed else -1)
        for i in range(self.threads if count or left <= 0 else 0):
            tree = self.team.members[i].tree if i else self.tree
            with nogil:
                if count:
                    move_together(tree, left / self.threads, read_clock())
                self.forget_pruned(tree, &self.team.members[i].known if self.teamed else NULL)
        return True

    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil:
        """What is not in the tree any more needs no record of what others know of it."""
        if known != NULL:
            forget_gone(tree, known)
        if tree == self.tree:
            forget_gone(tree, &self.outside)

    cdef uint32_t room(self) noexcept nogil:
        return self.settings.most_iterations - self.tree.reused

    cdef list legal_moves(self):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).root_moves
        return self.state.legal_moves()

    cdef uint32_t count_moves(self) except? 0xFFFFFFFF:
        return <uint32_t>len(self.legal_moves())

    cdef uint32_t start(self, uint32_t limit, bint repeatable) except? 0xFFFFFFFF:
        self.teamed = self.threads > 1 and limit >= WORTH_THREADS * self.threads
        if self.teamed and not self.settings.guided:  # each thread tries every move of the root, and goes on
            self.teamed = limit >= self.threads * (self.count_moves() + 1)
        self.heard = self.heard or self.teamed
        self.tree.interrupt = self.interrupt()
        if not self.teamed:
            return limit
        try:
            self.others.start(self.team, limit, self.settings.interval, repeatable, self.settings.prunes, self.begin,
                              self.deadline, self.interrupt())
        except BaseException:
            self.take_first_tree()
            raise
        return self.team.members[0].limit

    cdef int run(self, uint32_t count) except -1 nogil:
        if self.teamed:
            return team_run(self.team, 0, count)
        return self.tree.ops.run(self.tree, count)

    cdef int make_room(self, double deadline) noexcept nogil:
        cdef int status
        if not self.settings.prunes:
            return RUN_MEMORY
        status = prune(self.tree, self.begin, deadline, read_clock())
        if status == RUN_DONE:
            self.forget_pruned(self.tree, &self.team.members[0].known if self.teamed else NULL)
            if self.tree.settled:
                return RUN_SOLVED
        return status

    cdef int join(self) except -1:
        if not self.teamed:
            return RUN_DONE
        try:
            return self.others.join(self, self.team.repeatable and self.stop_reason in ("iterations", "solved"))
        finally:
            if self.others.cancelled:
                self.stop_reason = "cancelled"
            self.take_first_tree()

    cdef void take_first_tree(self) noexcept:
        """Another thread's tree may have become that of the search."""
        self.tree = self.team.members[0].tree
        if self.settings.guided:
            self.guided = <GuidedTree *>self.tree
        else:
            self.plain = self.tree

    cdef int fail(self) except -1:
        return raise_error_of(self.native, self.state)

    cdef void drop_result(self) noexcept:
        self.native = self.state = None

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

    cdef Standing standing(self, const RootView *view, uint32_t slot) noexcept nogil:
        cdef uint32_t win = LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)
        if view.visits[slot] == NO_VISITS:
            return ABSENT
        if view.links[slot] == win:
            return WON
        # the plain search's choice knows wins only
        return LOST if self.settings.guided and view.links[slot] == win ^ 2 else OPEN

    # ---- the report --------------------------------------------------------------------------------------------------

    cdef SearchSettings head(self):
        return self.settings

    cdef bint has_result(self) noexcept:
        return self.native is not None and root_visits(self.tree) > 0

    cdef object name(self, uint32_t move):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).move_of(move)
        return move

    cdef list root_children(self):
        if self.settings.guided:
            return self.guided_children()
        return self.plain_children()

    cdef list guided_children(self):
        cdef GuidedTree *guided = self.guided
        cdef GuidedBlock *block = guided_root(guided)
        cdef GuidedColumns columns
        cdef uint32_t slot, link
        cdef dict known = {}
        cdef str rest = None
        cdef int sign = self.tree.root_sign
        if block != NULL:
            columns = guided_columns(guided, block)
            for slot in range(columns.count):
                visits, wins = columns.visits[slot], columns.wins[slot] / (2.0 * self.tree.rollouts_per_leaf)
                value = wins / visits if visits else 0.5
                proven = distance = None
                link = columns.links[slot]
                if link & LINK_KIND == LINK_TERMINAL and (guided.options.solver or distance_of(link) == 0):
                    proven = PROVEN[result_of(link) if sign > 0 else 2 - result_of(link)]
                    distance = distance_of(link) + 1
                known[self.name(columns.moves[slot])] = (visits, wins, value, proven, distance)
            # moves that the game left out lose, unless it only left them out because another one wins
            if guided.options.solver and not block.flags & BLOCK_INCOMPLETE and self.tree.proof.value != 2:
                rest = "loss"
        children = []
        for move in self.legal_moves():
            if move in known:
                children.append((move, *known.pop(move)))
            else:
                children.append((move, 0, 0.0, 0.5, rest, block.rest + 1 if rest else None))
        if known:
            raise GameError(f"{type(self.state).__name__} gave different moves for the same position")
        return children

    cdef list plain_children(self):
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot, tried
        cdef int sign = self.tree.root_sign
        cdef Columns columns
        cdef list children = []
        if link & LINK_KIND == LINK_BLOCK:
            columns = columns_at(self.tree, index_of(self.tree, link))
            for slot in range(columns.count):
                if columns.visits[slot] != NO_VISITS:
                    move = self.name(move_at(self.tree, columns, slot))
                    visits, wins = columns.visits[slot], columns.wins[slot] / (2.0 * self.tree.rollouts_per_leaf)
                    children.append((move, visits, wins, wins / visits, None, None))
            return children
        for index, move in enumerate(self.legal_moves()):
            slot = move if self.tree.fixed_moves else index
            if link & LINK_KIND == LINK_MINI:
                tried = mini_result(self.tree, <Mini *>record_at(self.tree, link & WIDE_INDEX), slot)
            else:
                tried = leaf_result(link, slot)
            if tried:
                points = tried - 1 if sign > 0 else 2 * self.tree.rollouts_per_leaf - (tried - 1)
                wins = points / (2.0 * self.tree.rollouts_per_leaf)
                children.append((move, 1, wins, wins, None, None))
            else:
                children.append((move, 0, 0.0, 0.5, None, None))
        return children

    cdef object choose(self, list children):
        return best_move(self, children)

    cdef list winning_moves(self):
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef Columns columns
        if link & LINK_KIND != LINK_BLOCK:
            return []
        columns = columns_at(self.tree, index_of(self.tree, link))
        return [self.name(move_at(self.tree, columns, slot)) for slot in range(columns.count)
                if columns.links[slot] == LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)]

    cdef int proof(self, uint32_t *distance, uint32_t *move) noexcept:
        distance[0], move[0] = self.tree.proof.distance, self.tree.proof.move
        return self.tree.proof.value

    cdef double value(self):
        cdef double visits = root_visits(self.tree), wins = view_block(self.tree, 0).wins[0]
        wins /= 2.0 * self.tree.rollouts_per_leaf
        return (wins if self.tree.root_sign > 0 else visits - wins) / visits

    cdef int sum_counts(self, Counts *counts) except -1:
        cdef Member *member
        cdef uint32_t index
        add_counts(counts, self.tree)
        counts.visits = root_visits(self.tree)
        counts.reused = self.tree.reused
        for index in range(1, self.width()):
            member = &self.team.members[index]
            if not self.finished:  # it is running
                counts.iterations += mcts_published(&member.iterations)
            elif has_root(member.tree):  # else what it found is in no move's statistics
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
        cdef BlockView block
        cdef uint32_t slot, best
        if not is_block(link[0]):
            return False
        block = view_block(self.tree, link[0] & index_mask(self.tree))
        best = block.count
        for slot in range(block.count):
            if block.visits[slot] == NO_VISITS or block.visits[slot] == 0:
                continue
            if best == block.count or block.visits[slot] > block.visits[best] or (
                    not is_guided(self.tree) and block.visits[slot] == block.visits[best]
                    and block.wins[slot] > block.wins[best]):
                best = slot
        if best == block.count:
            return False
        link[0], move[0] = block.links[best], view_move(&block, best)
        return True

    cdef list extended(self, list line):
        """The best play after them, as far as exact search tells it with a small budget a move."""
        cdef const mcts_game *game = self.native.game
        cdef uint32_t path[LINE]
        cdef mcts_proof proof
        if self.guided.prover == NULL:
            return line
        state = self.state
        for index, move in enumerate(line):
            path[index] = move
            state = state.play(move)
        while state.winner() is None and len(line) < LINE:
            proof.value = -1
            proof.move = MCTS_NO_MOVE
            proof.interrupt = NULL
            game.guide.prove(game.context, self.native.state, path, <uint32_t>len(line), self.guided.prover,
                             LINE_PROOFS, 1, &proof)
            if proof.value < 0 or proof.move == MCTS_NO_MOVE:
                break
            path[len(line)] = proof.move
            line.append(proof.move)
            state = state.play(proof.move)
        return line

    cdef mcts_rng *random(self) noexcept:
        return &self.tree.rng

    # ---- services ----------------------------------------------------------------------------------------------------

    @property
    def names(self):
        return list((<PythonGame>self.native).user.moves) if isinstance(self.native, PythonGame) else None

    @property
    def held(self):
        cdef uint32_t i
        cdef uint64_t held = 0 if self.tree == NULL else self.tree.arena.committed
        for i in range(1, 0 if self.team == NULL else self.team.count):
            held += self.team.members[i].tree.arena.committed
        return held

    cdef object tell_news(self, uint32_t least):
        cdef Words message
        message.at = NULL
        message.used = message.room = 0
        message.limit = 0xFFFFFFFF
        if not has_root(self.tree):
            return None
        try:
            if not tell(self.tree, &self.outside, least, &message):
                raise MemoryError("no memory for what a search tells")
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
            raise NoSearch("there are no statistics yet of the root's moves, to which anything could be added")
        if status == RUN_DONE:
            self.heard = True
            status = hear(self.tree, &self.outside, message, words)
            self.look_again()
        if status == RUN_GAME_ERROR:  # of a game in Python, when a node got its other moves
            native, state = self.native, self.state
            self.drop_result()
            raise_error_of(native, state)
        if status != RUN_DONE:
            raise MemoryError("no memory for what another search told")
        return 0

    cdef bint may_begin(self, uint32_t move) except -1:
        """Whether a proof of the root can name this as its first move."""
        return move == MCTS_NO_MOVE or (not isinstance(self.native, PythonGame) and move in self.state.legal_moves())


cdef inline uint64_t seed_of(uint64_t seed, uint32_t number) noexcept nogil:
    """The seed of a thread's tree; the first one has the search's own."""
    return seed + number * <uint64_t>0x9E3779B97F4A7C15


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


cdef GuidedBlock *guided_block(GuidedTree *guided, uint32_t link) noexcept nogil:
    """The block behind a link, NULL where there is none."""
    if link & LINK_KIND != LINK_BLOCK:
        return NULL
    return <GuidedBlock *>record_at(&guided.tree, link & WIDE_INDEX)


cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil:
    """The block of the root, NULL before the first iteration."""
    return guided_block(guided, guided_columns(guided, <GuidedBlock *>guided.tree.arena.base).links[0])
