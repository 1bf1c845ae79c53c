"""One search at a time over one tree: budgets, stop rules, figures.

The loop runs without the GIL in short slices; between them it looks at the clock and, on the main thread, at signals.
"""

import os
from _thread import allocate_lock, get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.dispatch import isa
from mcts_core.errors import GameError, SearchBusy
from mcts_core.python_game import PYTHON_GUIDE

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_NO_MOVE, NativeState, mcts_game, mcts_proof
from mcts_core.guided_tree cimport *
from mcts_core.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.tree cimport *


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()
    uint64_t mcts_physical_memory()
    uint32_t mcts_flag_read(const uint32_t *flag)
    void mcts_flag_write(uint32_t *flag, uint32_t value)


cdef enum:
    MIB = 1 << 20
    LINE = 1024          # moves of a proven line, at most
    LINE_UNITS = 4096    # of exact search for each
    CHECKS = 64                   # looks of an iteration budget at whether the move is decided

cdef double SLICE = 1e-3          # seconds between two looks at the clock
cdef double SIGNAL_INTERVAL = 0.02  # seconds between two looks at signals, for which the GIL is taken
cdef double WORTH = 0.1             # share of a time budget that stopping early must save
cdef int64_t SURE = 0x7FFFFFFFFFFFFFFF  # a lead that nothing overtakes
cdef double MARGIN = 2.0            # how much faster than so far the rest of a time budget may run

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree")
cdef GuidedOps *guided_ops = <GuidedOps *>hot_table("guided_tree")

cdef uint32_t forks = 0  # that this process comes from: a lock that was taken before the last one is nobody's

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


def count_fork():
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)


def clock():
    """Seconds of the clock that deadlines are measured on."""
    return mcts_clock()


cdef class SearchSettings:
    """The options of a search, in the form in which the native code reads them.

    ``guided`` False: the plain tree, which knows ``exploration`` and ``rollouts_per_leaf`` only. ``fpu`` None: every
    child is tried before one is visited again.
    """

    def __cinit__(self, *, bint guided, double exploration, uint32_t rollouts_per_leaf, bint by_value, int selection=0,
                  bint solver=False, fpu=None, bint hand_schedule=True, double rave_k=0, double rave_bias=0,
                  uint32_t grave_ref=0, double prior_weight=0, uint32_t expand_after=1, uint32_t rollout=0,
                  uint32_t distance=0, bint symmetry=False, uint64_t tree_bytes=0, uint64_t prover_bytes=0,
                  uint32_t leaf_units=0, uint32_t node_units=0, uint32_t root_units=0):
        self.guided = guided
        self.by_value = by_value
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


cdef class SearchCore:
    """A tree, its arena and one search at a time. The arena is kept between searches and given back with the object."""

    def __cinit__(self, uint64_t memory):
        self.memory = memory
        self.lock = allocate_lock()
        self.forks = forks

    def __dealloc__(self):
        self.drop_trees()

    cdef void drop_trees(self) noexcept:
        tree_ops.destroy(self.plain)
        guided_ops.destroy(self.guided)
        self.plain = self.tree = NULL
        self.guided = NULL

    cdef bint prepare(self, NativeState native, int sign, SearchSettings settings, uint64_t seed) noexcept:
        """Makes ``tree`` an empty one for this search; False when the system gives no memory."""
        if not settings.guided:
            if self.plain == NULL:
                self.plain = tree_ops.create(self.memory)
            self.tree = self.plain
            return self.tree != NULL and tree_ops.reset(self.tree, native.game, native.state, sign,
                                                        settings.options.exploration,
                                                        settings.options.rollouts_per_leaf, seed)
        if self.guided == NULL:
            self.guided = guided_ops.create(self.memory)
        self.tree = <Tree *>self.guided
        return self.guided != NULL and guided_ops.reset(self.guided, native.game, native.state, sign,
                                                        &settings.options, seed)

    cdef bint take(self) except -1:
        """Takes the lock; False while a search runs."""
        if self.lock.acquire(False):
            return True
        if self.forks == forks:
            return False
        # after a fork: the thread that holds the lock, and was changing the tree, is not in this process
        self.lock = allocate_lock()
        self.lock.acquire(False)
        self.forks = forks
        self.native = None
        self.drop_trees()
        return True

    def claim(self):
        """Takes the core for a search that this thread or another one then runs; the number of it."""
        if not self.take():
            if self.thread == get_ident():
                raise SearchBusy("this Searcher is searching; a progress callback can use another one")
            raise SearchBusy("this Searcher is searching in another thread; use one Searcher per concurrent search, "
                             "or stop() it first")
        self.forks = forks
        self.thread = None
        self.number += 1
        return self.number

    def abandon(self):
        """Gives a claimed core back without a search."""
        self.lock.release()

    def cancel(self, number=None):
        """Ends the search of this number, by default the latest one; without effect when it has ended.

        From any thread.
        """
        mcts_flag_write(&self.cancelled, self.number if number is None else <uint32_t>number)

    def wait(self):
        """Waits until the search that is running has ended; False when that is the calling thread's own."""
        number = self.number
        while self.number == number:
            if self.take():
                self.lock.release()
                break
            if self.thread == get_ident():
                return False
            if self.lock.acquire(True, 0.01):
                self.lock.release()
                break
        return True

    @staticmethod
    def check(state):
        """Raises what a search of ``state`` would raise before its first iteration."""
        as_native(state, "there is nothing to search")

    def search(self, state, SearchSettings settings, double begin, double seconds, uint32_t iterations, uint64_t seed,
               bint stop_early=False, progress=None, double every=0.0, bint claimed=False):
        """Searches ``state`` and returns the move to play.

        ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is
        none. ``stop_early``: whether the search ends when the move is certain. ``progress`` is called with figures
        after every ``every`` seconds. ``claimed``: ``claim`` was called before.
        """
        cdef NativeState native
        cdef int status, sign
        cdef bint on_main_thread
        cdef uint32_t most = most_iterations(settings)
        cdef bint only_move
        if not claimed:
            self.claim()
        self.thread = get_ident()
        try:
            self.native = None
            self.state = None
            self.finished = False
            self.line = None
            native = as_native(state, "there is nothing to search")
            sign = (<PythonGame>native).to_move if isinstance(native, PythonGame) else state.to_move
            if not self.prepare(native, sign, settings, seed):
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            self.keeper = native
            self.native = native
            self.state = state
            self.settings = settings
            self.seed = seed
            if iterations == 0 or iterations > most:
                iterations = most
            only_move = stop_early and len(self.legal_moves()) == 1
            if only_move:
                iterations = 1
            # values may decide between moves at any time where they are proven, and where they are what counts
            self.early = stop_early and not settings.by_value and not (settings.guided and settings.options.solver)
            self.progress = progress
            self.begin = begin
            self.every = every
            self.stop_reason = "cancelled"  # what a signal leaves here
            on_main_thread = get_ident() == main_thread_ident()
            try:
                with nogil:
                    status = self.loop(begin, seconds, iterations, on_main_thread)
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
            if self.tree.iterations == 0:
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            self.move = self.choose(self.root_children())
            self.finished = True
            return self.move
        finally:
            self.thread = None
            self.lock.release()

    cdef int run(self, uint32_t count) noexcept nogil:
        if self.settings.guided:
            return guided_ops.run(self.guided, count)
        return tree_ops.run(self.tree, count)

    cdef uint32_t spent(self) noexcept nogil:
        """Iterations run, and those given up for exact search."""
        return self.tree.iterations + (self.guided.forgone if self.settings.guided else 0)

    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil:
        """Runs iterations until a budget is spent; the tree's status, and the reason in ``stop_reason``."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, took, slice_seconds, signals_at = begin + SIGNAL_INTERVAL
        cdef double deadline = begin + seconds
        cdef double report_at = begin + self.every if self.progress is not None else 1e300
        # looks at fixed numbers of iterations: a seed and an iteration budget give one search
        cdef uint32_t interval = limit // CHECKS + 1, look_at = interval, number = self.number
        cdef int status = RUN_DONE
        cdef const char *reason = NULL
        while reason == NULL:
            count = limit - self.spent()
            if count > batch:
                count = batch
            if self.early and seconds <= 0 and count > look_at - self.spent():
                count = look_at - self.spent()
            status = self.run(count)
            last = now
            now = mcts_clock()
            if status == RUN_GAME_ERROR:
                return status
            if status == RUN_SOLVED:
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
            elif self.early and self.spent() == look_at:
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
        cdef double rate = self.spent() / passed
        if took > 0 and count / took > rate:
            rate = count / took
        return lead > <int64_t>(limit - self.spent()) or lead > MARGIN * rate * left + 1

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
        if self.native is None or tree.iterations == 0:
            return None
        children = self.root_children()
        move = self.move if self.finished else self.choose(children)
        visits = tree.iterations
        if self.settings.guided:
            wins = guided_columns(guided, <GuidedBlock *>tree.arena.base).wins[0]
        else:
            wins = columns_at(tree, 0).wins[0]
        wins /= 2.0 * tree.rollouts_per_leaf
        value = (wins if tree.root_sign > 0 else visits - wins) / visits
        proven = distance = None
        used = <uint64_t>tree.arena.top * tree.arena.unit
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
            "iterations": tree.iterations,
            "rollouts": tree.rollouts,
            "seconds": self.seconds,
            "nodes": tree.nodes,
            "bytes": used,
            "depth_mean": tree.depth_sum / <double>tree.iterations,
            "depth_max": tree.depth_max,
            "reused_visits": 0,
            "stop_reason": self.stop_reason,
            "proven": proven,
            "distance": distance,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": 1,
            "isa": isa,
        }

    @property
    def held(self):
        """Bytes of memory that the trees keep between searches."""
        return ((0 if self.plain == NULL else self.plain.arena.committed)
                + (0 if self.guided == NULL else self.guided.tree.arena.committed))

    def release(self):
        """Gives the arenas back; the statistics of the last search go with them."""
        if not self.take():
            raise SearchBusy("this Searcher is searching in another thread; its memory can be released afterwards")
        try:
            self.native = None
            self.drop_trees()
        finally:
            self.lock.release()


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
