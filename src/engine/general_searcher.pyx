"""One search at a time over one general tree: budgets, stop rules, figures.

The same to its users as ``SearchCore``, for games of other kinds and for leaves that a network evaluates. The loop runs
without the GIL in short slices, or from one batch of evaluations to the next.
"""

from _thread import get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.dispatch import isa
from mcts_core.errors import EvaluatorError, SearchBusy
from mcts_core.engine.searched_tree import by_value_key, by_visits_key
from mcts_core.engine.searcher import main_thread_ident

from mcts_core.tree.dirichlet cimport natural_exp, natural_log, uniform
from mcts_core.dispatch cimport hot_table
from mcts_core.engine.evaluators cimport Evaluator, evaluator_of
from mcts_core.games.general_rules cimport Rules, rules_of
from mcts_core.tree.general_tree cimport *
from mcts_core.engine.turn cimport Claim, Halt
from mcts_core.tree.plain_tree cimport LINK_BLOCK, LINK_KIND, LINK_TERMINAL, MAX_ITERATIONS, WIDE_INDEX


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()


cdef enum:
    MIB = 1 << 20
    CHECKS = 64                     # looks of an iteration budget at whether the move is decided

cdef double SLICE = 1e-3            # seconds between two looks at the clock
cdef double SIGNAL_INTERVAL = 0.02  # seconds between two looks at signals, for which the GIL is taken
cdef double WORTH = 0.1             # share of a time budget that stopping early must save
cdef int64_t SURE = 0x7FFFFFFFFFFFFFFF  # a lead that nothing overtakes
cdef double MARGIN = 2.0            # how much faster than so far the rest of a time budget may run

cdef GeneralOps *ops = <GeneralOps *>hot_table("tree.general_tree")


cdef class GeneralSettings:
    """The options of a search, in the form in which the native code reads them.

    ``evaluator`` or ``policy_value``, or neither: leaves are then valued by rollouts and selection is UCB1. ``fpu``
    None: every child is tried before one is visited again; or, where there are priors, it has the value of the node
    until then.
    """

    def __cinit__(self, *, evaluator=None, policy_value=None, double exploration=0.5 ** 0.5, double c_puct=0.625,
                  fpu=None, uint32_t rollouts_per_leaf=1, uint32_t batch=8, double noise_alpha=0,
                  double noise_weight=0.25, double temperature=0, bint by_value=False):
        self.function = evaluator if evaluator is not None else policy_value
        self.by_state = evaluator is None
        self.by_value = by_value
        self.temperature = temperature
        self.options.puct = self.function is not None
        self.options.exploration = exploration
        self.options.c_puct = c_puct
        self.options.has_fpu = fpu is not None
        self.options.fpu = 0 if fpu is None else <float>fpu
        self.options.rollouts_per_leaf = rollouts_per_leaf
        self.options.batch = batch
        self.options.noise_alpha = noise_alpha
        self.options.noise_weight = noise_weight

    @property
    def rollouts_per_leaf(self):
        return self.options.rollouts_per_leaf


cdef Rules prepared(object state, GeneralSettings settings):
    cdef bint observing = settings is not None and settings.function is not None
    return rules_of(state, observing, observing and settings.by_state)


cdef class GeneralCore(SearchTurn):
    """A tree, its arena and one search at a time. The arena is kept between searches and given back with the object."""

    def __cinit__(self, uint64_t memory, GeneralSettings settings=None):
        self.memory = memory
        self.settings = settings

    def __dealloc__(self):
        ops.destroy(self.tree)

    cdef void forget(self) noexcept:
        self.rules = self.state = None
        ops.destroy(self.tree)
        self.tree = NULL

    def check(self, state):
        """Raises what a search of ``state`` with these settings would raise before its first iteration."""
        prepared(state, self.settings)

    cdef int begin_search(self, object state, GeneralSettings settings, uint64_t seed) except -1:
        """Makes the tree an empty one for this search, which waits for its first evaluation."""
        cdef int status
        cdef Rules rules
        self.rules = self.state = None
        self.finished = False
        rules = prepared(state, settings)
        if self.tree == NULL:
            self.tree = ops.create(self.memory)
        status = GENERAL_SYSTEM_MEMORY
        if self.tree != NULL:
            status = ops.reset(self.tree, &rules.table, &settings.options, seed)
        if status == GENERAL_GAME_ERROR:
            rules.fail()
        if status != GENERAL_DONE:
            raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
        self.rules = rules
        self.state = state
        self.settings = settings
        self.seed = seed
        return 0

    def search(self, state, GeneralSettings settings, double begin, double seconds, uint32_t iterations, uint64_t seed,
               bint stop_early=False, int reuse=0, progress=None, double every=0.0, Halt halt=None, Claim claim=None):
        """Searches ``state`` and returns the move to play.

        ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is
        none. ``stop_early``: whether the search ends when the move is certain. ``progress`` is called with figures
        after every ``every`` seconds. ``halt`` ends the search when it is told, or was before. ``claim``: that of this
        search, where it begins in another thread than it was asked for. ``reuse`` has no effect here.
        """
        cdef int status
        cdef bint on_main_thread = get_ident() == main_thread_ident(), only_move
        self.begin_turn(claim, halt)
        try:
            self.begin_search(state, settings, seed)
            if settings.function is not None:
                self.evaluator = evaluator_of(settings.function, settings.by_state)
                self.evaluator.prepare(self.rules, settings.options.batch)
            if iterations == 0 or iterations > <uint32_t>MAX_ITERATIONS:
                iterations = <uint32_t>MAX_ITERATIONS
            # where visits are data, or the move is drawn by them, all of them are wanted
            stop_early = stop_early and settings.temperature == 0 and settings.options.noise_alpha == 0
            only_move = stop_early and len(self.rules.root_moves) == 1
            if only_move:
                iterations = 1
            self.early = stop_early and not settings.by_value
            self.progress = progress
            self.begin = begin
            self.every = every
            self.stop_reason = "cancelled"  # what a signal leaves here
            try:
                with nogil:
                    status = self.loop(begin, seconds, iterations, on_main_thread)
            except EvaluatorError:
                self.rules = self.state = None
                raise
            finally:
                ops.retract(self.tree)
                self.seconds = mcts_clock() - begin
                self.overshoot = max(0.0, self.seconds - seconds) if seconds > 0 else 0.0
                self.progress = None
                self.evaluator = None
                if self.rules is not None:
                    self.rules.rest()
            if only_move and self.stop_reason == "iterations":
                self.stop_reason = "only_move"
            if status == GENERAL_GAME_ERROR:
                try:
                    self.rules.fail()
                except Exception:  # Ctrl-C in the user's code is none, and leaves the statistics
                    self.rules = self.state = None
                    raise
            if self.tree.iterations == 0:
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            self.conclude()
            return self.move
        finally:
            self.leave()

    cdef int run(self, uint32_t count) except -1 nogil:
        """Some iterations: up to ``count`` by rollouts, or up to a batch of evaluations."""
        cdef int status
        if not self.settings.options.puct:
            return ops.run(self.tree, count)
        status = ops.gather(self.tree, count, self.evaluator.observations, self.evaluator.stride)
        if status == GENERAL_GAME_ERROR:
            return status
        if self.tree.waiting:
            with gil:
                self.evaluate()
        return status

    cdef int evaluate(self) except -1:
        """Ends what waits."""
        cdef Evaluator evaluator = self.evaluator
        cdef int fault
        try:
            evaluator.evaluate(self.rules, self.tree.waiting)
            fault = ops.resolve(self.tree, &evaluator.evaluation)
            if fault != FAULT_NONE:
                raise evaluator.complaint(self.rules, self.tree)
        finally:
            evaluator.release()
        evaluator.prepare(self.rules, self.settings.options.batch)
        return 0

    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil:
        """Runs iterations until a budget is spent; the tree's status, and the reason in ``stop_reason``."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, took, slice_seconds, signals_at = begin + SIGNAL_INTERVAL
        cdef double deadline = begin + seconds
        cdef double report_at = begin + self.every if self.progress is not None else 1e300
        # looks at fixed numbers of iterations: a seed and an iteration budget give one search
        cdef uint32_t interval = limit // CHECKS + 1, look_at = interval
        cdef int status = GENERAL_DONE
        cdef const char *reason = NULL
        while reason == NULL:
            count = limit - self.tree.iterations
            if count > batch and not self.settings.options.puct:
                count = batch
            if self.early and seconds <= 0 and count > look_at - self.tree.iterations:
                count = look_at - self.tree.iterations
            status = self.run(count)
            last = now
            now = mcts_clock()
            if status == GENERAL_GAME_ERROR:
                return status
            if status != GENERAL_DONE:
                reason = b"memory"
            elif self.tree.iterations >= limit:
                reason = b"iterations"
            elif self.tree.iterations == 0:
                reason = NULL  # there is no move yet
            elif self.is_cancelled():
                reason = b"cancelled"
            elif seconds > 0 and now >= deadline:
                reason = b"time"
            elif self.early and seconds > 0:
                if deadline - now > WORTH * seconds and self.is_decided(limit, deadline - now, now - begin, now - last,
                                                                        count):
                    reason = b"decided"
            elif self.early and self.tree.iterations >= look_at:
                look_at += interval
                if self.lead() > <int64_t>(limit - self.tree.iterations):
                    reason = b"decided"
            if on_main_thread and now >= signals_at:
                with gil:
                    PyErr_CheckSignals()
                signals_at = mcts_clock() + SIGNAL_INTERVAL
            # the next slice: SLICE long, half of what is left before the deadline, growing at most eightfold
            slice_seconds = SLICE
            if seconds > 0 and 0.5 * (deadline - now) < slice_seconds:
                slice_seconds = 0.5 * (deadline - now)
            took = now - last
            if took * 8 < slice_seconds:
                batch = batch * 8 if batch < (1 << 24) else batch
            else:
                batch = <uint32_t>(batch * (slice_seconds / took))
            if batch < 1:
                batch = 1
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
        cdef double rate = self.tree.iterations / passed
        if not self.settings.options.puct and took > 0 and count / took > rate:
            rate = count / took
        return lead > <int64_t>(limit - self.tree.iterations) or lead > MARGIN * rate * left + 1

    cdef int64_t lead(self) noexcept nogil:
        """By how many visits the most visited move is ahead of the next one.

        -1 where another one wins at once, and is played in any case.
        """
        cdef GeneralBlock *block = general_block(self.tree, self.tree.root)
        cdef GeneralColumns columns = general_columns(self.tree, block)
        cdef uint32_t slot
        cdef int64_t first = -1, second = -1
        for slot in range(columns.count):
            if wins_at_once(self.tree, block, &columns, slot):
                return -1
            if <int64_t>columns.visits[slot] > first:
                second = first
                first = columns.visits[slot]
            elif <int64_t>columns.visits[slot] > second:
                second = columns.visits[slot]
        return first - second if second >= 0 else SURE

    cdef list root_children(self):
        """(move, visits, wins, value, proven, distance) of every legal move of the root, in their order."""
        cdef GeneralColumns columns = general_columns(self.tree, general_block(self.tree, self.tree.root))
        cdef uint32_t slot
        cdef list children = []
        for slot in range(columns.count):
            visits, wins = columns.visits[slot], columns.sums[slot]
            children.append((self.rules.name(columns.moves[slot]), visits, wins, wins / visits if visits else 0.5,
                             None, None))
        return children

    cdef int conclude(self) except -1:
        """Settles the move to play at the end of the search."""
        children = self.root_children()
        self.move = self.sample(children) if self.settings.temperature > 0 else self.choose(children)
        self.finished = True
        return 0

    cdef object choose(self, list children):
        """The move to play: one that wins at once, else by visits or by value."""
        cdef GeneralBlock *block = general_block(self.tree, self.tree.root)
        cdef GeneralColumns columns = general_columns(self.tree, block)
        cdef uint32_t slot
        key = by_value_key if self.settings.by_value else by_visits_key
        winning = [children[slot] for slot in range(columns.count) if wins_at_once(self.tree, block, &columns, slot)]
        return max(winning or children, key=key)[0]

    cdef object sample(self, list children):
        """A move by its visits to the power of 1 / temperature."""
        cdef double power = 1.0 / self.settings.temperature, at, sum = 0.0
        cdef uint32_t most = max([child[1] for child in children]), visits
        cdef list weights = []
        for child in children:
            visits = child[1]
            weights.append(1.0 if visits == most else natural_exp(power * natural_log(visits / <double>most)) if visits
                           else 0.0)
        for weight in weights:
            sum += weight
        at = uniform(&self.tree.rng) * sum
        for child, weight in zip(children, weights, strict=True):
            if weight > 0:
                chosen = child[0]
                at -= weight
                if at < 0:
                    break
        return chosen

    cdef list variation(self, object first):
        """The move to play, then the most visited one of every node below, up to chance or a leaf."""
        cdef uint32_t index = self.tree.root, slot, best, link
        cdef GeneralBlock *block
        cdef GeneralColumns columns
        cdef list moves = []
        while True:
            block = general_block(self.tree, index)
            columns = general_columns(self.tree, block)
            if block.player < 0:
                break
            best = 0
            for slot in range(columns.count):
                if index == self.tree.root:
                    if self.rules.name(columns.moves[slot]) == first:
                        best = slot
                elif (columns.visits[slot], columns.sums[slot]) > (columns.visits[best], columns.sums[best]):
                    best = slot
            if columns.visits[best] == 0 and index != self.tree.root:
                break
            moves.append(self.rules.name(columns.moves[best]))
            link = columns.links[best]
            if link & LINK_KIND != LINK_BLOCK:
                break
            index = link & WIDE_INDEX
        return moves

    def figures(self):
        """What the last search found, as a dict; None when there was none or it failed."""
        if not self.take():
            if self.is_own():
                raise SearchBusy("this Searcher is searching; a progress callback gets the statistics so far")
            raise SearchBusy("this Searcher is searching in another thread; its statistics can be read afterwards")
        try:
            return self.snapshot()
        finally:
            self.lock.release()

    cdef dict snapshot(self):
        """The same, for the thread that has the lock."""
        cdef GeneralTree *tree = self.tree
        cdef int player
        if self.rules is None or tree.iterations == 0:
            return None
        children = self.root_children()
        move = self.move if self.finished else self.choose(children)
        values = tuple([tree.totals[player] / tree.iterations for player in range(self.rules.players)])
        return {
            "move": move,
            "value": values[self.rules.player],
            "values": values if self.rules.general else None,
            "visits": tree.iterations,
            "moves": sorted(children, key=by_visits_key, reverse=True),
            "pv": self.variation(move),
            "iterations": tree.iterations,
            "rollouts": tree.rollouts,
            "seconds": self.seconds,
            "nodes": tree.nodes,
            "bytes": <uint64_t>tree.arena.top * tree.arena.unit,
            "prunes": 0,
            "dropped_nodes": 0,
            "depth_mean": tree.depth_sum / <double>tree.iterations,
            "depth_max": tree.depth_max,
            "reused_visits": 0,
            "stop_reason": self.stop_reason,
            "proven": None,
            "distance": None,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": 1,
            "isa": isa,
            "state": self.state,
            "number": self.number,
        }

    @property
    def held(self):
        """Bytes of memory that the tree keeps between searches."""
        return 0 if self.tree == NULL else self.tree.arena.committed

    def release(self):
        """Gives the arena back; the statistics of the last search go with it."""
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; its memory can be released afterwards")
        try:
            self.forget()
        finally:
            self.lock.release()


cdef inline bint wins_at_once(const GeneralTree *tree, const GeneralBlock *block, const GeneralColumns *columns,
                              uint32_t slot) noexcept nogil:
    """Whether a move ends the game with all there is for the player who makes it."""
    cdef uint32_t link = columns.links[slot]
    if link & LINK_KIND != LINK_TERMINAL:
        return False
    return (<double *>general_block(tree, link & WIDE_INDEX))[1 + block.player] >= 1
