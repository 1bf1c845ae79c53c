"""One search at a time over one tree: budgets, stop rules, figures.

The loop runs without the GIL in short slices; between them it looks at the clock and, on the main thread, at signals.
"""

from _thread import get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from mcts_core.dispatch import isa
from mcts_core.errors import NoSearch, SearchBusy

from mcts_core.tree.compaction cimport COMPACTION, MARKS, compact, descend, keep_top
from mcts_core.engine.descent cimport found_below, has_mover, leads_to
from mcts_core.dispatch cimport hot_table
from mcts_core.tree.exchange cimport (Known, Words, check_message, follow, forget_gone, hear, known_clear, known_free,
                                      tell, words_free)
from mcts_core.game cimport MCTS_NO_MOVE, NativeState, mcts_interrupt
from mcts_core.tree.guided_tree cimport *
from mcts_core.games.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.engine.settings cimport SearchSettings, most_iterations
from mcts_core.engine.turn cimport Claim, Halt
from mcts_core.engine.searched_tree cimport LINE, SearchedTree, root_visits
from mcts_core.engine.team cimport Member, team_begin, team_create, team_destroy, team_end, team_merge, team_run
from mcts_core.tree.plain_tree cimport *
from mcts_core.tree.view cimport has_root
from mcts_core.engine.workers cimport Worker


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()
    uint64_t mcts_physical_memory()
    uint32_t mcts_flag_read(const uint32_t *flag)
    void mcts_flag_write(uint32_t *flag, uint32_t value)


cdef enum:
    MIB = 1 << 20
    NEVER = 0xFFFFFFFF
    WORTH_THREADS = 512           # iterations of a thread that are worth having it
    KNOWN = 16                    # share of a thread's memory that exchanges may take
    KNOWN_WORDS = 1 << 16         # that it may take in any case
    OUTSIDE = 1 << 24             # words that what is known of other processes' searches may take
    CHECKS = 64                   # looks of an iteration budget at whether the move is decided

cdef double SLICE = 1e-3          # seconds between two looks at the clock
cdef double SIGNAL_INTERVAL = 0.02  # seconds between two looks at signals, for which the GIL is taken
cdef double LOOK = 4e-12            # seconds that a byte of the arena takes when it is compacted, for its marks
cdef double MOVING = 0.05           # share of a time budget that moving a tree together may take
cdef double WORTH = 0.1             # share of a time budget that stopping early must save
cdef double MARGIN = 2.0            # how much faster than so far the rest of a time budget may run

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree.plain_tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("tree.guided_tree")


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


cdef class SearchCore(SearchedTree):
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
        return guided_ops.reset(<GuidedTree *>tree, native.game, native.state, sign, &options, seed_of(seed, number),
                                self.follows)

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
        known_clear(&self.outside)
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

    cdef bint go_on(self, NativeState native, object state, int sign, SearchSettings settings, uint64_t seed, int reuse,
                    double left) except -1:
        """Makes the part of the last search's tree below ``native`` the tree of this one; False when there is none.

        ``left``: seconds that the search has.
        """
        cdef uint32_t path[LINE]
        cdef uint32_t count, i
        cdef list moves
        cdef Tree *tree
        self.follows = False
        if reuse == 0 or self.native is None or self.settings is not settings or self.tree == NULL:
            return False
        moves = self.descent(native, state, sign)
        if moves is None or (reuse == 1 and not moves) or len(moves) > LINE:
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
            self.muster(native, sign, seed, path, <int>count if self.teamed else -1)
        for i in range(self.threads if count or left <= 0 else 0):
            tree = self.team.members[i].tree if i else self.tree
            with nogil:
                if count:
                    self.gather(tree, left / self.threads)
                self.forget_pruned(tree, &self.team.members[i].known if self.teamed else NULL)
        return True

    cdef list descent(self, NativeState native, object state, int sign):
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
        return found_below(self.tree, self.native, native, sign)

    cdef void gather(self, Tree *tree, double seconds) noexcept nogil:
        """Moves what is below a new root together, and no more of it than ``seconds`` (0: no limit) are worth."""
        cdef uint32_t top = tree.arena.top
        # about as many bytes a node as in the whole arena; a node has a visit
        cdef double live = bytes_of(tree) * min(1.0, tree.reused / <double>tree.nodes)
        if seconds <= 0 or LOOK * bytes_of(tree) + COMPACTION * live < MOVING * seconds:
            compact(tree, top)
            return
        if tree.nodes > tree.reused:
            tree.nodes = tree.reused + 1
        keep_top(tree, tree.arena.limit // 2, mcts_clock() + MOVING * seconds)

    cdef const char *make_room(self, Tree *tree, Known *known, double deadline) noexcept nogil:
        """Prunes a full tree; why the search ends when that is not possible, NULL when it can go on."""
        cdef uint32_t top = tree.arena.top
        cdef double now = mcts_clock(), left = deadline - now
        cdef bint made
        if not self.settings.prunes:
            return b"memory"
        if left <= MOVING * (deadline - self.begin):  # too little to lose a tree for
            return b"time"
        if COMPACTION * bytes_of(tree) < MOVING * left:
            made = compact(tree, top // 2)
        else:
            made = keep_top(tree, top // 2, now + MOVING * left)
        if not made or tree.arena.top > top - top // 8:
            return b"memory"
        self.forget_pruned(tree, known)
        return NULL

    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil:
        """What is not in the tree any more needs no record of what others know of it."""
        if known != NULL:
            forget_gone(tree, known)
        if tree == self.tree:
            forget_gone(tree, &self.outside)

    # ---- several threads ---------------------------------------------------------------------------------------------

    cdef int start(self, uint32_t limit, bint patient) except -1:
        """Starts the other threads of a search."""
        cdef uint32_t i = 1, later
        cdef Worker worker
        self.working = [Worker(self.work, (index,)) for index in range(1, self.threads)]
        team_begin(self.team, limit, self.settings.interval, patient, self.deadline, self.interrupt())
        try:
            for worker in self.working:
                worker.start()
                i += 1
        except BaseException:
            mcts_flag_write(&self.team.stop, 1)
            for later in range(i if worker.is_over() else i + 1, self.threads):
                team_end(self.team, later)
            self.finish()
            raise
        return 0

    def work(self, uint32_t number):
        """What another thread of a search does."""
        with nogil:
            self.labour(number)

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
        cdef Worker worker
        failure = None
        team_end(self.team, 0)
        if not wait:
            mcts_flag_write(&self.team.stop, 1)
        for worker in self.working:
            while not worker.is_over():
                try:
                    if not worker.wait(SIGNAL_INTERVAL) and self.is_cancelled():
                        mcts_flag_write(&self.team.stop, 1)
                        self.stop_reason = "cancelled"
                except BaseException as error:  # Ctrl-C
                    failure = error
                    mcts_flag_write(&self.team.stop, 1)
        self.working = []
        if failure is not None:
            raise failure
        with nogil:
            team_merge(self.team)
        self.tree = self.team.members[0].tree
        if not self.settings.guided:
            self.plain = self.tree
        for i in range(1, self.threads):
            if self.team.members[i].status == RUN_GAME_ERROR:
                return RUN_GAME_ERROR
        return RUN_DONE

    cdef void forget(self) noexcept:
        self.native = self.state = None
        self.drop_trees()

    @staticmethod
    def check(state):
        """Raises what a search of ``state`` would raise before its first iteration."""
        as_native(state, "there is nothing to search")

    def search(self, state, SearchSettings settings, double begin, double seconds, uint32_t iterations, uint64_t seed,
               bint stop_early=False, int reuse=0, progress=None, double every=0.0, Halt halt=None, Claim claim=None):
        """Searches ``state`` and returns the move to play.

        ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is
        none. ``stop_early``: whether the search ends when the move is certain. ``reuse``: whether the last search's
        tree is used again, 1 below its root, 2 also at it. ``progress`` is called with figures after every ``every``
        seconds. ``halt`` ends the search when it is told, or was before. ``claim``: that of this search, where it
        begins in another thread than it was asked for.
        """
        cdef NativeState native
        cdef int status, sign
        cdef bint on_main_thread = get_ident() == main_thread_ident()
        cdef uint32_t most = most_iterations(settings)
        cdef bint only_move
        self.begin_turn(claim, halt)
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
            self.native = self.state = None
            self.settings = settings
            if not reused or self.tree.reused >= most:
                if not self.prepare(native, sign, seed):
                    raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
                if self.threads > 1:
                    self.muster(native, sign, seed, NULL, -1)
            most -= self.tree.reused
            self.keeper = None if isinstance(native, PythonGame) else native
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
            if self.teamed and not settings.guided:  # each thread tries every move of the root, and goes on
                self.teamed = iterations >= self.threads * (len(self.legal_moves()) + 1)
            self.heard = self.heard or self.teamed
            # values may decide between moves at any time where they are proven, and where they are what counts
            self.early = stop_early and not settings.by_value and not (settings.guided and settings.options.solver)
            self.progress = progress
            self.begin = begin
            self.every = every
            self.stop_reason = "cancelled"  # what a signal leaves here
            self.deadline = begin + seconds if seconds > 0 else 1e300
            self.signals_at = begin + SIGNAL_INTERVAL if on_main_thread else 1e300
            self.failure = None
            if settings.guided:
                self.guided.interrupt = self.interrupt()
            try:
                if self.teamed:
                    self.start(iterations, seconds <= 0)
                    iterations = self.team.members[0].limit
                try:
                    with nogil:
                        status = self.loop(begin, seconds, iterations)
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
                    self.native = self.state = None
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

    cdef int loop(self, double begin, double seconds, uint32_t limit) except -1 nogil:
        """Runs iterations until a budget is spent; the tree's status, and the reason in ``stop_reason``."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, slice_seconds, deadline = begin + seconds
        cdef double report_at = begin + self.every if self.progress is not None else 1e300
        # looks at fixed numbers of iterations: a seed and an iteration budget give one search
        cdef uint32_t interval = limit // CHECKS + 1, look_at = interval, full_at = NEVER
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
            if now >= self.signals_at:
                with gil:
                    self.look_at_signals()
            if self.failure is not None:
                with gil:
                    failure, self.failure = self.failure, None
                    raise failure
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
            elif self.is_cancelled():
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

    cdef mcts_interrupt interrupt(self) noexcept nogil:
        """What exact search asks in the search's own thread."""
        cdef mcts_interrupt interrupt
        interrupt.raised = is_over
        interrupt.context = <void *>self
        return interrupt

    cdef bint is_over(self) noexcept nogil:
        """Whether the search has to end now."""
        cdef double now = mcts_clock()
        if now >= self.signals_at:
            with gil:
                self.look_at_signals()
        return now >= self.deadline or self.is_cancelled() or self.failure is not None

    cdef void look_at_signals(self) noexcept:
        try:
            PyErr_CheckSignals()
        except BaseException as error:  # Ctrl-C
            self.failure = error
        self.signals_at = mcts_clock() + SIGNAL_INTERVAL

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

    def tell(self, uint32_t least=1):
        """What is new, since the last time, in the tree of the last search, for other searches of its root: bytes.

        ``least``: visits that a node below the root must have got for what is below it to be told. None where there is
        no search to tell of, or the root's moves have no statistics yet.
        """
        cdef Words message
        cdef object told = None
        message.at = NULL
        message.used = message.room = 0
        message.limit = 0xFFFFFFFF
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; it can tell of it afterwards")
        try:
            if self.native is not None and has_root(self.tree):
                if not tell(self.tree, &self.outside, least, &message):
                    raise MemoryError("no memory for what a search tells")
                told = (<const uint8_t *>message.at)[:message.used * sizeof(uint32_t)]
        finally:
            words_free(&message)
            self.lock.release()
        return told

    def hear(self, bytes told):
        """Adds what another search of the same root, with the same options, told.

        Raises ValueError for what it cannot have told; nothing is changed then. NoSearch before the root's moves have
        statistics.
        """
        cdef const uint32_t *message
        cdef uint32_t words
        cdef int status
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; it can hear of others afterwards")
        try:
            if self.native is None:
                raise NoSearch("there is no search to which anything could be added")
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
                self.line = None
                if self.finished:
                    self.move = self.choose(self.root_children())
            if status == RUN_GAME_ERROR:  # of a game in Python, when a node got its other moves
                native, state = self.native, self.state
                self.native = self.state = None
                raise_error_of(native, state)
            if status != RUN_DONE:
                raise MemoryError("no memory for what another search told")
        finally:
            self.lock.release()

    cdef bint may_begin(self, uint32_t move) except -1:
        """Whether a proof of the root can name this as its first move."""
        return move == MCTS_NO_MOVE or (not isinstance(self.native, PythonGame) and move in self.state.legal_moves())

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
            self.native = self.state = None
            self.drop_trees()
        finally:
            self.lock.release()


cdef int32_t is_over(void *context) noexcept nogil:
    return (<SearchCore>context).is_over()


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


cdef inline double bytes_of(const Tree *tree) noexcept nogil:
    """Bytes of the arena in use, garbage included."""
    return <double>(<uint64_t>tree.arena.top * tree.arena.unit)
