"""One search at a time over one tree: budgets, stop rules, figures.

The loop runs without the GIL in short slices; between them it looks at the clock and, on the main thread, at signals.
"""

from _thread import allocate_lock, get_ident, start_new_thread

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from mcts_core.dispatch import isa
from mcts_core.errors import GameError, NoSearch, SearchBusy
from mcts_core.python_game import PYTHON_GUIDE

from mcts_core.compaction cimport MARKS, compact, descend
from mcts_core.dispatch cimport hot_table
from mcts_core.exchange cimport Known, Words, follow, hear, known_free, tell, words_free
from mcts_core.game cimport MCTS_NO_MOVE, MCTS_ONGOING, NativeState, mcts_game, mcts_proof
from mcts_core.guided_tree cimport *
from mcts_core.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.search_turn cimport SearchTurn
from mcts_core.team cimport Member, Team, team_begin, team_create, team_destroy, team_end, team_merge, team_run
from mcts_core.tree cimport *
from mcts_core.tree_view cimport BlockView, index_mask, is_block, root_link, view_block, view_move


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()
    uint64_t mcts_physical_memory()
    uint32_t mcts_flag_read(const uint32_t *flag)
    void mcts_flag_write(uint32_t *flag, uint32_t value)
    uint32_t mcts_published(const uint32_t *number)


cdef enum:
    MIB = 1 << 20
    NEVER = 0xFFFFFFFF
    LINE = 1024          # moves of a proven line, at most
    LINE_UNITS = 4096    # of exact search for each
    WORTH_THREADS = 512           # iterations of a thread that are worth having it
    KNOWN = 16                    # share of a thread's memory that exchanges may take
    KNOWN_WORDS = 1 << 16         # that it may take in any case
    OUTSIDE = 1 << 24             # words that what is known of other processes' searches may take
    CHECKS = 64                   # looks of an iteration budget at whether the move is decided

cdef double SLICE = 1e-3          # seconds between two looks at the clock
cdef double SIGNAL_INTERVAL = 0.02  # seconds between two looks at signals, for which the GIL is taken
cdef double COMPACTION = 1e-9       # seconds a byte of the tree takes, at most (0.2 to 0.5 measured)
cdef double REROOT_SHARE = 0.1      # of a time budget, that moving a reused tree together may take
cdef double WORTH = 0.1             # share of a time budget that stopping early must save
cdef int64_t SURE = 0x7FFFFFFFFFFFFFFF  # a lead that nothing overtakes
cdef double MARGIN = 2.0            # how much faster than so far the rest of a time budget may run

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("guided_tree")

cdef tuple PROVEN = ("loss", "draw", "win")  # by half-points


def main_thread_ident():
    """The thread in which Python handles signals."""
    import threading  # not at the top: it would be a quarter of the time that importing the package takes

    return threading.main_thread().ident


def default_memory():
    """A quarter of the memory of the machine, or of the container, in bytes."""
    memory = <object>mcts_physical_memory()
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            memory = min(memory, int(file.read()))
    except (OSError, ValueError):
        pass
    return max(memory, 256 * MIB) // 4


def tree_share(uint64_t memory):
    """What of a budget in bytes remains for the tree when compaction has its share."""
    return memory - memory // MARKS


def clock():
    """Seconds of the clock that deadlines are measured on."""
    return mcts_clock()


cdef class SearchSettings:
    """The options of a search, in the form in which the native code reads them.

    ``guided`` False: the plain tree, which knows ``exploration`` and ``rollouts_per_leaf`` only. ``fpu`` None: every
    child is tried before one is visited again.
    """

    def __cinit__(self, *, bint guided, double exploration, uint32_t rollouts_per_leaf, bint by_value,
                  bint prunes=True, uint32_t interval=4000, int selection=0,
                  bint solver=False, fpu=None, bint hand_schedule=True, double rave_k=0, double rave_bias=0,
                  uint32_t grave_ref=0, double prior_weight=0, uint32_t expand_after=1, uint32_t rollout=0,
                  uint32_t distance=0, bint symmetry=False, uint64_t tree_bytes=0, uint64_t prover_bytes=0,
                  uint32_t leaf_units=0, uint32_t node_units=0, uint32_t root_units=0):
        self.guided = guided
        self.by_value = by_value
        self.prunes = prunes
        self.interval = interval
        self.options.selection = selection
        self.options.solver = solver
        self.options.hand_schedule = hand_schedule
        self.options.exploration = exploration
        self.options.fpu = 1e20 if fpu is None else <float>fpu
        self.options.rave_k = rave_k
        self.options.rave_bias = rave_bias
        self.options.grave_ref = grave_ref
        self.options.prior_weight = prior_weight
        self.options.expand_after = expand_after
        self.options.rollouts_per_leaf = rollouts_per_leaf
        self.options.policy.rollout = rollout
        self.options.policy.distance = distance
        self.options.policy.symmetry = symmetry
        self.options.tree_bytes = tree_bytes
        self.options.prover_bytes = prover_bytes
        self.options.leaf_units = leaf_units
        self.options.node_units = node_units
        self.options.root_units = root_units

    @property
    def rollouts_per_leaf(self):
        return self.options.rollouts_per_leaf


cdef uint32_t most_iterations(SearchSettings settings) noexcept:
    """Beyond which a sum would not fit: of half-points, or of their squares."""
    cdef uint32_t most = <uint32_t>MAX_ITERATIONS // settings.options.rollouts_per_leaf
    return most // 2 if settings.options.selection == SELECT_TUNED else most


def guide_of(state):
    """(bits of the rollout policies, best distance for children, number of actions, whether there is exact search) of
    the state's game; None where the game offers its rules only."""
    cdef const mcts_guide *guide
    if not isinstance(state, NativeState):
        return PYTHON_GUIDE
    guide = (<NativeState>state).game.guide
    if guide == NULL:
        return None
    return guide.rollouts, guide.distance, guide.actions, guide.prove != NULL


cdef class SearchCore(SearchTurn):
    """A tree, its arena and one search at a time. The arena is kept between searches and given back with the object."""

    def __cinit__(self, uint64_t memory, uint32_t threads=1):
        self.memory = memory
        self.threads = threads
        self.outside.words.limit = OUTSIDE
        self.working = []

    def __dealloc__(self):
        self.drop_trees()

    cdef void drop_trees(self) noexcept:
        known_free(&self.outside)
        team_destroy(self.team)
        tree_ops.destroy(self.plain)
        guided_ops.destroy(self.guided)
        self.team = NULL
        self.plain = self.tree = NULL
        self.guided = NULL

    cdef uint32_t width(self) noexcept nogil:
        """The number of threads that the search has."""
        return self.team.count if self.teamed else 1

    cdef Tree *new_tree(self, bint guided) noexcept nogil:
        cdef uint64_t share = self.memory // self.threads
        share -= share // MARKS
        if self.threads > 1:
            share -= share // KNOWN
        return <Tree *>guided_ops.create(share) if guided else tree_ops.create(share)

    cdef bint reset(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed) noexcept:
        """Makes a tree an empty one; False when the system gives no memory."""
        cdef GuidedOptions options = self.settings.options
        if not self.settings.guided:
            return tree_ops.reset(tree, native.game, native.state, sign, options.exploration,
                                  options.rollouts_per_leaf, seed_of(seed, number))
        if self.threads > 1:
            options.tree_bytes //= self.threads
            options.tree_bytes -= options.tree_bytes // KNOWN
            options.prover_bytes //= self.threads
        if number:
            options.root_units = 0  # one thread looks for a proof of the root
        return guided_ops.reset(<GuidedTree *>tree, native.game, native.state, sign, &options, seed_of(seed, number))

    cdef void resume(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed,
                     bint moved) noexcept:
        if self.settings.guided:
            guided_ops.resume(<GuidedTree *>tree, native.game, native.state, sign, seed_of(seed, number), moved)
        else:
            tree_ops.resume(tree, native.game, native.state, sign, seed_of(seed, number))

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
        known_free(&self.outside)
        self.heard = False
        return self.reset(self.tree, 0, native, sign, seed)

    cdef bint muster(self, NativeState native, int sign, uint64_t seed, uint32_t *path, int count) except -1:
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
            known_free(&self.team.members[0].known)
        for i in range(1, self.threads):
            member = &self.team.members[i]
            if count >= 0:
                follow(member.tree, &member.known, path, count)
                if descend(member.tree, path, count):
                    self.resume(member.tree, i, native, sign, seed, count > 0)
                    continue
            known_free(&member.known)
            if member.tree == NULL:
                member.tree = self.new_tree(self.settings.guided)
            if member.tree == NULL or not self.reset(member.tree, i, native, sign, seed):
                raise MemoryError(f"no memory for {self.threads} search trees of {self.memory // MIB} MB in all")
        return True

    cdef bint go_on(self, NativeState native, object state, int sign, SearchSettings settings, uint64_t seed, int reuse,
                    double left) except -1:
        """Makes the part of the last search's tree below ``native`` the tree of this one; False when there is none.

        ``left``: seconds that the search has.
        """
        cdef uint32_t path[LINE]
        cdef uint32_t count, i
        cdef list moves
        cdef Tree *tree
        if reuse == 0 or self.native is None or self.settings is not settings or self.tree == NULL:
            return False
        moves = self.descent(native, state)
        if moves is None or (reuse == 1 and not moves) or len(moves) > LINE:
            return False
        if moves and settings.guided and settings.options.policy.symmetry:
            return False  # below the root moves were left out
        count = <uint32_t>len(moves)
        for i in range(count):
            path[i] = moves[i]
        follow(self.tree, &self.outside, path, count)
        if self.teamed:
            follow(self.tree, &self.team.members[0].known, path, count)
        if not descend(self.tree, path, count):
            return False
        self.resume(self.tree, 0, native, sign, seed, count > 0)
        if isinstance(native, PythonGame):
            (<PythonGame>native).adopt(<PythonGame>self.native)
        if self.threads > 1:
            self.muster(native, sign, seed, path, <int>count if self.teamed else -1)
        for i in range(self.threads if count else 0):
            tree = self.team.members[i].tree if i else self.tree
            if left <= 0 or self.threads * compaction_time(tree) < REROOT_SHARE * left:
                with nogil:
                    compact(tree, tree.arena.top)
            elif tree.nodes > tree.reused:
                tree.nodes = tree.reused + 1
        return True

    cdef list descent(self, NativeState native, object state):
        """The moves, as the tree names them, from the last search's root to ``state``; None: they are not known."""
        if isinstance(native, PythonGame):
            if not isinstance(self.native, PythonGame):
                return None
            try:
                return (<PythonGame>self.native).descent(self.state, state)
            except Exception:  # of the user's game, which the search will come to itself
                return None
        if isinstance(self.native, PythonGame) or self.native.game != native.game:
            return None
        before, after = getattr(self.state, "moves", None), getattr(state, "moves", None)
        if isinstance(before, tuple) and isinstance(after, tuple) and after[:len(before)] == before:
            moves = list(after[len(before):])
            if leads_to(self.native, moves, native):
                return moves
        return found_below(self.tree, self.native, native)

    cdef const char *make_room(self, Tree *tree, Known *known, double deadline) noexcept nogil:
        """Prunes a full tree; why the search ends when that is not possible, NULL when it can go on."""
        cdef uint32_t top = tree.arena.top
        if not self.settings.prunes:
            return b"memory"
        if mcts_clock() + compaction_time(tree) > deadline:
            return b"time"
        if not compact(tree, top // 2) or tree.arena.top > top - top // 8:
            return b"memory"
        if known != NULL:
            follow(tree, known, NULL, 0)
        if tree == self.tree:
            follow(tree, &self.outside, NULL, 0)
        return NULL

    # ---- several threads ---------------------------------------------------------------------------------------------

    cdef int start(self, uint32_t limit, double seconds, double begin) except -1:
        """Starts the other threads of a search."""
        cdef uint32_t i
        cdef bint patient = seconds <= 0
        team_begin(self.team, limit, self.settings.interval, patient, begin + seconds if seconds > 0 else 1e300)
        self.working = []
        for i in range(1, self.threads):
            lock = allocate_lock()
            lock.acquire()
            try:
                start_new_thread(self.work, (i, lock))
            except BaseException:
                mcts_flag_write(&self.team.stop, 1)
                for i in range(i, self.threads):
                    team_end(self.team, i)
                self.finish()
                raise
            self.working.append(lock)
        return 0

    def work(self, uint32_t number, lock):
        """What another thread of a search does."""
        try:
            with nogil:
                self.labour(number)
        finally:
            lock.release()

    cdef void labour(self, uint32_t number) noexcept nogil:
        cdef Member *member = &self.team.members[number]
        cdef Tree *tree = member.tree
        cdef uint32_t batch = 1, left, full_at = NEVER
        cdef double last = mcts_clock(), now
        while not mcts_flag_read(&self.team.stop):
            left = member.limit - spent_on(tree)
            if left == 0:
                break
            member.status = team_run(self.team, number, left if left < batch else batch)
            if member.status == RUN_MEMORY and spent_on(tree) != full_at:
                full_at = spent_on(tree)
                member.reason = self.make_room(tree, &member.known, self.team.deadline)
                if member.reason == NULL:
                    continue
            if member.status != RUN_DONE:
                break
            now = mcts_clock()
            batch = next_batch(batch, now - last, SLICE)
            last = now
        team_end(self.team, number)

    cdef int finish(self) except -1:
        """Ends the other threads, or waits for them where their iterations are counted, and joins what they found."""
        cdef bint wait = self.team.patient and self.stop_reason in ("iterations", "solved")
        cdef uint32_t i
        failure = None
        team_end(self.team, 0)
        if not wait:
            mcts_flag_write(&self.team.stop, 1)
        while self.working:
            try:
                if self.working[0].acquire(True, 0.02):
                    self.working.pop(0)
                elif mcts_flag_read(&self.cancelled) == self.number:
                    mcts_flag_write(&self.team.stop, 1)
                    self.stop_reason = "cancelled"
            except BaseException as error:  # Ctrl-C
                failure = error
                mcts_flag_write(&self.team.stop, 1)
        if failure is not None:
            raise failure
        with nogil:
            team_merge(self.team)
        for i in range(1, self.threads):
            if self.team.members[i].status == RUN_GAME_ERROR:
                return RUN_GAME_ERROR
        return RUN_DONE

    cdef void forget(self) noexcept:
        self.native = None
        self.drop_trees()

    @staticmethod
    def check(state):
        """Raises what a search of ``state`` would raise before its first iteration."""
        as_native(state, "there is nothing to search")

    def search(self, state, SearchSettings settings, double begin, double seconds, uint32_t iterations, uint64_t seed,
               bint stop_early=False, int reuse=0, progress=None, double every=0.0, bint claimed=False):
        """Searches ``state`` and returns the move to play.

        ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is
        none. ``stop_early``: whether the search ends when the move is certain. ``reuse``: whether the last search's
        tree is used again, 1 below its root, 2 also at it. ``progress`` is called with figures after every ``every``
        seconds. ``claimed``: ``claim`` was called before.
        """
        cdef NativeState native
        cdef int status, sign
        cdef bint on_main_thread
        cdef uint32_t most = most_iterations(settings)
        cdef bint only_move
        cdef uint32_t index
        if not claimed:
            self.claim()
        self.thread = get_ident()
        try:
            self.finished = False
            self.line = None
            try:
                native = as_native(state, "there is nothing to search")
                sign = (<PythonGame>native).to_move if isinstance(native, PythonGame) else state.to_move
                reused = self.go_on(native, state, sign, settings, seed, reuse, seconds)
            except BaseException:
                self.native = self.state = None
                raise
            self.native = None
            self.state = None
            self.settings = settings
            if not reused or self.tree.reused >= most:
                if not self.prepare(native, sign, seed):
                    raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
                if self.threads > 1:
                    self.muster(native, sign, seed, NULL, -1)
            most -= self.tree.reused
            self.keeper = native
            self.native = native
            self.state = state
            self.seed = seed
            self.isa = isa
            self.used = 0
            if iterations == 0 or iterations > most:
                iterations = most
            only_move = stop_early and len(self.legal_moves()) == 1
            if only_move:
                iterations = 1
            self.teamed = self.threads > 1 and iterations >= WORTH_THREADS * self.threads
            self.heard = self.heard or self.teamed
            # values may decide between moves at any time where they are proven, and where they are what counts
            self.early = stop_early and not settings.by_value and not (settings.guided and settings.options.solver)
            self.progress = progress
            self.begin = begin
            self.every = every
            self.stop_reason = "cancelled"  # what a signal leaves here
            on_main_thread = get_ident() == main_thread_ident()
            if settings.guided:
                self.guided.deadline = begin + seconds if seconds > 0 else 0
                if self.teamed:
                    for index in range(1, self.threads):
                        (<GuidedTree *>self.team.members[index].tree).deadline = self.guided.deadline
            try:
                if self.teamed:
                    self.start(iterations, seconds, begin)
                    iterations = self.team.members[0].limit
                try:
                    with nogil:
                        status = self.loop(begin, seconds, iterations, on_main_thread)
                finally:
                    if self.teamed:
                        joined = self.finish()
                if self.teamed and joined != RUN_DONE:
                    status = joined
                if settings.guided and self.guided.proof.value >= 0:
                    self.stop_reason = "solved"
            finally:
                self.seconds = mcts_clock() - begin
                self.overshoot = max(0.0, self.seconds - seconds) if seconds > 0 else 0.0
                self.progress = None
            if only_move and self.stop_reason == "iterations":
                self.stop_reason = "only_move"
            if status == RUN_GAME_ERROR:
                try:
                    raise_error_of(native, state)
                except Exception:  # Ctrl-C in the user's code is none, and leaves the statistics
                    self.native = None
                    raise
            if root_visits(self.tree) == 0:
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            self.move = self.choose(self.root_children())
            self.finished = True
            return self.move
        finally:
            self.leave()

    cdef int run(self, uint32_t count) noexcept nogil:
        if self.teamed:
            return team_run(self.team, 0, count)
        if self.settings.guided:
            return guided_ops.run(self.guided, count)
        return tree_ops.run(self.tree, count)

    cdef uint32_t spent(self) noexcept nogil:
        """Iterations run, and those given up for exact search."""
        return spent_on(self.tree)

    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil:
        """Runs iterations until a budget is spent; the tree's status, and the reason in ``stop_reason``."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, slice_seconds, signals_at = begin + SIGNAL_INTERVAL
        cdef double deadline = begin + seconds
        cdef double report_at = begin + self.every if self.progress is not None else 1e300
        # looks at fixed numbers of iterations: a seed and an iteration budget give one search
        cdef uint32_t interval = limit // CHECKS + 1, look_at = interval, number = self.number, full_at = NEVER
        cdef int status = RUN_DONE
        cdef const char *reason = NULL
        while reason == NULL:
            count = limit - self.spent()
            if count > batch:
                count = batch
            if self.early and seconds <= 0 and not self.teamed and count > look_at - self.spent():
                count = look_at - self.spent()
            status = self.run(count)
            last = now
            now = mcts_clock()
            if status == RUN_GAME_ERROR:
                return status
            if status == RUN_SOLVED:
                reason = b"solved"
            elif status == RUN_MEMORY and self.spent() != full_at:
                full_at = self.spent()
                reason = self.make_room(self.tree, &self.team.members[0].known if self.teamed else NULL,
                                        deadline if seconds > 0 else 1e300)
                status = RUN_DONE
                if reason == NULL:
                    now = mcts_clock()
                    if self.settings.guided and self.guided.settled:
                        reason = b"solved"
            elif status != RUN_DONE:
                reason = b"memory"
            elif self.spent() >= limit:
                reason = b"iterations"
            elif mcts_flag_read(&self.cancelled) == number:
                reason = b"cancelled"
            elif seconds > 0 and now >= deadline:
                reason = b"time"
            elif self.early and seconds > 0:
                if deadline - now > WORTH * seconds and self.is_decided(limit, deadline - now, now - begin, now - last,
                                                                        count):
                    reason = b"decided"
            elif self.early and seconds <= 0 and not self.teamed and self.spent() == look_at:
                look_at += interval
                if self.lead() > <int64_t>(limit - self.spent()):
                    reason = b"decided"
            if reason != NULL and self.settings.guided and self.guided.proof.value >= 0:
                reason = b"solved"  # and only the distance may be a better one
            if on_main_thread and now >= signals_at:
                with gil:
                    PyErr_CheckSignals()
                signals_at = mcts_clock() + SIGNAL_INTERVAL
            # the next slice: SLICE long, half of what is left before the deadline, growing at most eightfold
            slice_seconds = SLICE
            if seconds > 0 and 0.5 * (deadline - now) < slice_seconds:
                slice_seconds = 0.5 * (deadline - now)
            batch = next_batch(batch, now - last, slice_seconds)
            if now >= report_at and reason == NULL:
                with gil:
                    self.report()
                now = mcts_clock()
                report_at = now + self.every
        with gil:
            self.stop_reason = reason.decode()
        return status

    cdef int report(self) except -1:
        """Calls ``progress`` with the figures of the search so far."""
        self.seconds = mcts_clock() - self.begin
        self.stop_reason = "running"
        figures = self.snapshot()
        self.stop_reason = "cancelled"
        if figures is not None:
            self.progress(figures)
        return 0

    cdef bint is_decided(self, uint32_t limit, double left, double passed, double took, uint32_t count) noexcept nogil:
        """Whether ``left`` seconds are too few for another move to be played; the last ``count`` iterations ``took``
        a part of the ``passed`` seconds."""
        cdef int64_t lead = self.lead()
        cdef double rate = self.spent() / passed
        if took > 0 and count / took > rate:
            rate = count / took
        return (lead > <int64_t>(limit - self.spent()) * self.width()
                or lead > MARGIN * rate * left * self.width() + 1)

    cdef int64_t lead(self) noexcept nogil:
        """By how many visits the move that would be played is ahead of the others that may be; -1: not known.

        Where no value is proven but by the rules, and the move is chosen by visits.
        """
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef uint32_t *visits
        cdef uint32_t *links
        cdef uint32_t count, win = LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign), loss = win ^ 2
        cdef bint winning = False
        cdef int64_t first = -1, second = -1
        cdef Columns columns
        cdef GuidedColumns guided
        cdef GuidedBlock *block
        if self.settings.guided:
            block = guided_root(self.guided)
            if block == NULL:
                return -1
            guided = guided_columns(self.guided, block)
            count, visits, links = guided.count, guided.visits, guided.links
        else:
            if link & LINK_KIND != LINK_BLOCK:
                return -1
            columns = columns_at(self.tree, index_of(self.tree, link))
            count, visits, links = columns.count, columns.visits, columns.links
            loss = 0  # the plain search's choice knows wins only
        for slot in range(count):
            winning = winning or (visits[slot] != NO_VISITS and links[slot] == win)
        for slot in range(count):
            if visits[slot] == NO_VISITS or (winning and links[slot] != win) or (loss and links[slot] == loss):
                continue
            if <int64_t>visits[slot] > first:
                second = first
                first = visits[slot]
            elif <int64_t>visits[slot] > second:
                second = visits[slot]
        if first < 1:
            return -1
        return first - second if second >= 0 else SURE

    cdef object name(self, uint32_t move):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).move_of(move)
        return move

    cdef list root_children(self):
        """(move, visits, wins, value, proven, distance) of every legal move of the root, in the order of its slots."""
        if self.settings.guided:
            return self.guided_children()
        return self.plain_children()

    cdef list legal_moves(self):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).root_moves
        return self.state.legal_moves()

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
            if guided.options.solver and not block.flags & BLOCK_INCOMPLETE and guided.proof.value != 2:
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
        """The move to play: the shortest proven win, else the longest proven loss, else by visits or by value."""
        key = by_value_key if self.settings.by_value else by_visits_key
        if self.settings.guided:
            if self.guided.proof.value >= 0 and self.guided.proof.move != MCTS_NO_MOVE:
                return self.name(self.guided.proof.move)
            winning = [child for child in children if child[4] == "win"]
            if winning:
                return min(winning, key=lambda child: (child[5], -child[1]))[0]
            alive = [child for child in children if child[4] != "loss"]
            if not alive:
                return max(children, key=lambda child: (child[5], child[1]))[0]
            if self.guided.proof.value == 1:
                alive = [child for child in alive if child[4] == "draw"] or alive
            return max(alive, key=key)[0]
        # a move that wins at once is played, also where another one wins as surely but later
        at_once = self.winning_moves()
        return max([child for child in children if child[0] in at_once] or children, key=key)[0]

    cdef list winning_moves(self):
        """The moves of the root that are known to end the game with a win for the player to move."""
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef Columns columns
        if link & LINK_KIND != LINK_BLOCK:
            return []
        columns = columns_at(self.tree, index_of(self.tree, link))
        return [self.name(move_at(self.tree, columns, slot)) for slot in range(columns.count)
                if columns.links[slot] == LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)]

    cdef list variation(self, object first):
        """The move to play, then the most visited one of every node below that has a block."""
        if self.settings.guided:
            return self.guided_variation(first)
        return self.plain_variation(first)

    cdef list guided_variation(self, object first):
        cdef GuidedBlock *block = guided_root(self.guided)
        cdef GuidedColumns columns
        cdef uint32_t slot, best
        cdef list moves = [first]
        cdef bint at_root = True
        while block != NULL:
            columns = guided_columns(self.guided, block)
            best = columns.count
            for slot in range(columns.count):
                if at_root:
                    if self.name(columns.moves[slot]) == first:
                        best = slot
                elif columns.visits[slot] and (best == columns.count or columns.visits[slot] > columns.visits[best]):
                    best = slot
            if best == columns.count:
                break
            if not at_root:
                moves.append(self.name(columns.moves[best]))
            at_root = False
            block = guided_block(self.guided, columns.links[best])
        return moves

    cdef list proven_line(self, list moves):
        """``moves``, which begin the proof of the root's value, and the best play after them as far as exact search
        tells it with a small budget a move."""
        cdef const mcts_game *game = self.native.game
        cdef uint32_t path[LINE]
        cdef mcts_proof proof
        state = self.state
        for index, move in enumerate(moves):
            path[index] = move
            state = state.play(move)
        while state.winner() is None and len(moves) < LINE:
            proof.value = -1
            proof.move = MCTS_NO_MOVE
            game.guide.prove(game.context, self.native.state, path, <uint32_t>len(moves), self.guided.prover, LINE_UNITS,
                             1, &proof)
            if proof.value < 0 or proof.move == MCTS_NO_MOVE:
                break
            path[len(moves)] = proof.move
            moves.append(proof.move)
            state = state.play(proof.move)
        return moves

    cdef list plain_variation(self, object first):
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot, best
        cdef Columns columns
        cdef list moves = []
        while link & LINK_KIND == LINK_BLOCK:
            columns = columns_at(self.tree, index_of(self.tree, link))
            best = MAX_SLOTS
            for slot in range(columns.count):
                if columns.visits[slot] == NO_VISITS:
                    continue
                if not moves and self.name(move_at(self.tree, columns, slot)) == first:
                    best = slot
                    break
                if best == MAX_SLOTS or (columns.visits[slot], columns.wins[slot]) > (columns.visits[best],
                                                                                     columns.wins[best]):
                    best = slot
            moves.append(self.name(move_at(self.tree, columns, best)))
            link = columns.links[best]
        return moves or [first]

    def tell(self, uint32_t least=1):
        """What is new, since the last time, in the tree of the last search, for other searches of its root: bytes.

        ``least``: visits that a node below the root must have got for what is below it to be told. None where there is
        no search to tell of.
        """
        cdef Words message
        cdef object told = None
        message.at = NULL
        message.used = message.room = 0
        message.limit = 0xFFFFFFFF
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; it can tell of it afterwards")
        try:
            if self.native is not None:
                if not tell(self.tree, &self.outside, least, &message):
                    raise MemoryError("no memory for what a search tells")
                told = (<const uint8_t *>message.at)[:message.used * sizeof(uint32_t)]
        finally:
            words_free(&message)
            self.lock.release()
        return told

    def hear(self, bytes told):
        """Adds what another search of the same root, with the same options, told. Raises ValueError for what it never
        told."""
        cdef int status
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; it can hear of others afterwards")
        try:
            if self.native is None:
                raise NoSearch("there is no search to which anything could be added")
            if len(told) % sizeof(uint32_t):
                raise ValueError(f"a message must be a whole number of words, got {len(told)} bytes")
            self.heard = True
            status = hear(self.tree, &self.outside, <const uint32_t *><const uint8_t *>told,
                          <uint32_t>(len(told) // sizeof(uint32_t)))
            self.line = None
            if self.finished:
                self.move = self.choose(self.root_children())
            if status == RUN_GAME_ERROR:
                raise ValueError(f"not a message of a search: {told[:24]!r}")
            if status != RUN_DONE:
                raise MemoryError("no memory for what another search told")
        finally:
            self.lock.release()

    @property
    def names(self):
        """What the numbers of moves in ``tell`` and ``hear`` stand for, as a list, where the game is a user's, who
        names moves; else None. The numbers of another search differ."""
        return list((<PythonGame>self.native).moves) if isinstance(self.native, PythonGame) else None

    def figures(self):
        """What the last search found, as a dict; None when there was none or it failed."""
        if not self.take():
            if self.thread == get_ident():
                raise SearchBusy("this Searcher is searching; a progress callback gets the statistics so far")
            raise SearchBusy("this Searcher is searching in another thread; its statistics can be read afterwards")
        try:
            return self.snapshot()
        finally:
            self.lock.release()

    cdef dict snapshot(self):
        """The same, for the thread that has the lock."""
        cdef Tree *tree = self.tree
        cdef GuidedTree *guided = self.guided
        cdef uint64_t iterations, rollouts, nodes, prunes, dropped, depth_sum, measured, used
        cdef uint32_t depth_max, index
        cdef Member *member
        cdef Tree *other
        if self.native is None or root_visits(tree) == 0:
            return None
        children = self.root_children()
        move = self.move if self.finished else self.choose(children)
        visits = root_visits(tree)
        iterations, rollouts, nodes, prunes, dropped = (tree.iterations, tree.rollouts, tree.nodes, tree.prunes,
                                                        tree.dropped)
        depth_sum, depth_max, measured = tree.depth_sum, tree.depth_max, tree.iterations
        used = <uint64_t>tree.arena.top * tree.arena.unit
        for index in range(1, self.width()):
            member = &self.team.members[index]
            if not self.finished:  # it is running
                iterations += mcts_published(&member.iterations)
                continue
            other = member.tree
            iterations += other.iterations
            rollouts += other.rollouts
            nodes += other.nodes
            prunes += other.prunes
            dropped += other.dropped
            used += <uint64_t>other.arena.top * other.arena.unit
            depth_sum += other.depth_sum
            depth_max = max(depth_max, other.depth_max)
            measured += other.iterations
        if self.used:
            used = self.used
        if self.settings.guided:
            wins = guided_columns(guided, <GuidedBlock *>tree.arena.base).wins[0]
        else:
            wins = columns_at(tree, 0).wins[0]
        wins /= 2.0 * tree.rollouts_per_leaf
        value = (wins if tree.root_sign > 0 else visits - wins) / visits
        proven = distance = None
        if self.settings.guided:
            if guided.proof.value >= 0:
                proven, distance = PROVEN[guided.proof.value], guided.proof.distance
                value = guided.proof.value / 2.0
        line = self.line
        if line is None:
            line = self.variation(move)
            if self.finished:
                if proven is not None and guided.prover != NULL:
                    line = self.proven_line(line)
                self.line = line
        return {
            "move": move,
            "value": value,
            "visits": visits,
            "moves": sorted(children, key=by_visits_key, reverse=True),
            "pv": list(line),
            "iterations": iterations,
            "rollouts": rollouts,
            "seconds": self.seconds,
            "nodes": nodes,
            "bytes": used,
            "prunes": prunes,
            "dropped_nodes": dropped,
            "depth_mean": depth_sum / <double>measured if measured else 0.0,
            "depth_max": depth_max,
            "reused_visits": tree.reused,
            "stop_reason": self.stop_reason,
            "proven": proven,
            "distance": distance,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": self.width(),
            "isa": self.isa,
            "state": self.state,
            "number": self.number,
        }

    @property
    def held(self):
        """Bytes of memory that the trees keep between searches."""
        cdef uint32_t i
        cdef uint64_t held = 0 if self.tree == NULL else self.tree.arena.committed
        for i in range(1, 0 if self.team == NULL else self.team.count):
            held += self.team.members[i].tree.arena.committed
        return held

    def release(self):
        """Gives the arenas back; the statistics of the last search go with them."""
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; its memory can be released afterwards")
        try:
            self.native = None
            self.drop_trees()
        finally:
            self.lock.release()


cdef inline uint64_t seed_of(uint64_t seed, uint32_t number) noexcept nogil:
    """The seed of a thread's tree; the first one has the search's own."""
    return seed + number * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint32_t spent_on(const Tree *tree) noexcept nogil:
    """Iterations run, and those given up for exact search."""
    return tree.iterations + ((<const GuidedTree *>tree).forgone if tree.guided else 0)


cdef inline uint32_t next_batch(uint32_t batch, double took, double slice_seconds) noexcept nogil:
    """How many iterations take ``slice_seconds``, after ``batch`` of them ``took`` that long."""
    if took * 8 < slice_seconds:
        return batch * 8 if batch < (1 << 24) else batch
    batch = <uint32_t>(batch * (slice_seconds / took))
    return batch if batch else 1


cdef inline double compaction_time(const Tree *tree) noexcept nogil:
    """Seconds, about, that a compaction takes."""
    return COMPACTION * <double>(<uint64_t>tree.arena.top * tree.arena.unit)


cdef inline uint32_t root_visits(const Tree *tree) noexcept nogil:
    return view_block(tree, 0).visits[0]


cdef bint leads_to(NativeState begin, list moves, NativeState end) except -1:
    """Whether ``moves`` are legal and lead from one position to the other, of the same game."""
    cdef const mcts_game *game = begin.game
    cdef uint8_t *position = <uint8_t *>malloc(game.state_size)
    cdef uint32_t *legal
    cdef int32_t outcome = MCTS_ONGOING, count, i
    if position == NULL:
        raise MemoryError()
    legal = <uint32_t *>malloc(game.max_moves * sizeof(uint32_t))
    if legal == NULL:
        free(position)
        raise MemoryError()
    memcpy(position, begin.state, game.state_size)
    try:
        for move in moves:
            count = game.legal_moves(game.context, position, legal)
            if move not in [legal[i] for i in range(count)]:
                return False
            outcome = game.play(game.context, position, move)
            if outcome != MCTS_ONGOING:
                return False
        return memcmp(position, end.state, game.state_size) == 0
    finally:
        free(position)
        free(legal)


cdef list found_below(const Tree *tree, NativeState begin, NativeState end):
    """Up to two moves, among those with a block, that lead from one position to the other; None: there are none."""
    cdef uint32_t link = root_link(tree), mask = index_mask(tree), slot, other
    cdef BlockView view, below
    if not is_block(link):
        return None
    if leads_to(begin, [], end):
        return []
    view = view_block(tree, link & mask)
    for slot in range(view.count):
        if view.visits[slot] == NO_VISITS or not is_block(view.links[slot]):
            continue
        move = view_move(&view, slot)
        if leads_to(begin, [move], end):
            return [move]
        below = view_block(tree, view.links[slot] & mask)
        for other in range(below.count):
            if below.visits[other] != NO_VISITS and is_block(below.links[other]):
                moves = [move, view_move(&below, other)]
                if leads_to(begin, moves, end):
                    return moves
    return None


cdef GuidedBlock *guided_block(GuidedTree *guided, uint32_t link) noexcept nogil:
    """The block behind a link, NULL where there is none."""
    if link & LINK_KIND != LINK_BLOCK:
        return NULL
    return <GuidedBlock *>record_at(&guided.tree, link & WIDE_INDEX)


cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil:
    """The block of the root, NULL before the first iteration."""
    return guided_block(guided, guided_columns(guided, <GuidedBlock *>guided.tree.arena.base).links[0])


def by_visits_key(child):
    """Orders children by visits, then by value."""
    return child[1], child[3]


def by_value_key(child):
    """Orders children by value, then by visits; those without a visit last."""
    return child[1] > 0, child[3], child[1]
