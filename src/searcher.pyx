"""One search at a time over one tree: budgets, stop rules, figures.

The loop runs without the GIL in short slices; between them it looks at the clock and, on the main thread, at signals.
"""

from _thread import allocate_lock, get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t, uint64_t

from mcts_core.dispatch import isa
from mcts_core.errors import SearchBusy

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport NativeState
from mcts_core.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.tree cimport *


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()
    uint64_t mcts_physical_memory()


cdef enum:
    MIB = 1 << 20

cdef double SLICE = 1e-3          # seconds between two looks at the clock
cdef double SIGNAL_INTERVAL = 0.02  # seconds between two looks at signals, for which the GIL is taken

cdef TreeOps *tree_ops = <TreeOps *>hot_table("tree")


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


def clock():
    """Seconds of the clock that deadlines are measured on."""
    return mcts_clock()


cdef class SearchCore:
    """A tree, its arena and one search at a time. The arena is kept between searches and given back with the object."""

    def __cinit__(self, uint64_t memory):
        self.memory = memory
        self.lock = allocate_lock()

    def __dealloc__(self):
        tree_ops.destroy(self.tree)

    def search(self, state, double begin, double seconds, uint32_t iterations, double exploration, bint by_value,
               uint32_t rollouts_per_leaf, uint64_t seed):
        """Searches ``state`` and returns the move to play.

        ``begin``: the clock's reading when the call began; ``seconds`` and ``iterations``: budgets, 0 where there is
        none; ``by_value``: the final move is the one with the best value, otherwise the most visited one;
        ``rollouts_per_leaf``: of one iteration.
        """
        cdef NativeState native
        cdef int status, sign
        cdef bint on_main_thread
        if not self.lock.acquire(False):
            raise SearchBusy("this Searcher is searching in another thread; use one Searcher per concurrent search")
        try:
            self.native = None
            self.state = None
            self.finished = False
            native = as_native(state, "there is nothing to search")
            sign = (<PythonGame>native).to_move if isinstance(native, PythonGame) else state.to_move
            if self.tree == NULL:
                self.tree = tree_ops.create(self.memory)
            if self.tree == NULL or not tree_ops.reset(self.tree, native.game, native.state, sign, exploration,
                                                              rollouts_per_leaf, seed):
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            self.native = native
            self.state = state
            self.seed = seed
            if iterations == 0 or iterations > <uint32_t>MAX_ITERATIONS // rollouts_per_leaf:
                iterations = <uint32_t>MAX_ITERATIONS // rollouts_per_leaf
            self.stop_reason = "cancelled"  # what a signal leaves here
            on_main_thread = get_ident() == main_thread_ident()
            try:
                with nogil:
                    status = self.loop(begin, seconds, iterations, on_main_thread)
            finally:
                self.seconds = mcts_clock() - begin
                self.overshoot = max(0.0, self.seconds - seconds) if seconds > 0 else 0.0
            if status == RUN_GAME_ERROR:
                try:
                    raise_error_of(native, state)
                except Exception:  # Ctrl-C in the user's code is none, and leaves the statistics
                    self.native = None
                    raise
            if self.tree.iterations == 0:
                raise MemoryError(f"no memory for a search tree of {self.memory // MIB} MB")
            children = self.root_children()
            # a move that wins at once is played, also where another one wins as surely but later
            winning = self.winning_moves()
            choices = [child for child in children if child[0] in winning] or children
            self.move = max(choices, key=by_value_key if by_value else by_visits_key)[0]
            self.finished = True
            return self.move
        finally:
            self.lock.release()

    cdef int loop(self, double begin, double seconds, uint32_t limit, bint on_main_thread) except -1 nogil:
        """Runs iterations until a budget is spent; the tree's status, and the reason in ``stop_reason``."""
        cdef uint32_t batch = 1, count
        cdef double now = mcts_clock(), last, took, slice_seconds, signals_at = begin + SIGNAL_INTERVAL
        cdef double deadline = begin + seconds
        cdef int status = RUN_DONE
        cdef const char *reason = NULL
        while reason == NULL:
            count = limit - self.tree.iterations
            if count > batch:
                count = batch
            status = tree_ops.run(self.tree, count)
            last = now
            now = mcts_clock()
            if status == RUN_GAME_ERROR:
                return status
            if status != RUN_DONE:
                reason = b"memory"
            elif self.tree.iterations >= limit:
                reason = b"iterations"
            elif seconds > 0 and now >= deadline:
                reason = b"time"
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
        with gil:
            self.stop_reason = reason.decode()
        return status

    cdef object name(self, uint32_t move):
        if isinstance(self.native, PythonGame):
            return (<PythonGame>self.native).move_of(move)
        return move

    cdef list root_children(self):
        """(move, visits, wins, value) of every legal move of the root, in the order of its slots."""
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
                    children.append((move, visits, wins, wins / visits))
            return children
        if isinstance(self.native, PythonGame):
            legal = (<PythonGame>self.native).root_moves
        else:
            legal = self.state.legal_moves()
        for index, move in enumerate(legal):
            slot = move if self.tree.fixed_moves else index
            if link & LINK_KIND == LINK_MINI:
                tried = mini_result(self.tree, <Mini *>record_at(self.tree, link & WIDE_INDEX), slot)
            else:
                tried = leaf_result(link, slot)
            if tried:
                points = tried - 1 if sign > 0 else 2 * self.tree.rollouts_per_leaf - (tried - 1)
                wins = points / (2.0 * self.tree.rollouts_per_leaf)
                children.append((move, 1, wins, wins))
            else:
                children.append((move, 0, 0.0, 0.5))
        return children

    cdef list winning_moves(self):
        """The moves of the root that are known to end the game with a win for the player to move."""
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot
        cdef Columns columns
        if link & LINK_KIND != LINK_BLOCK:
            return []
        columns = columns_at(self.tree, index_of(self.tree, link))
        return [self.name(move_at(self.tree, columns, slot)) for slot in range(columns.count)
                if columns.links[slot] == LINK_TERMINAL | <uint32_t>(1 + self.tree.root_sign)]

    cdef list variation(self, list children):
        """The most visited move of the root, then of every node below it that has a block."""
        cdef uint32_t link = columns_at(self.tree, 0).links[0], slot, best
        cdef Columns columns
        cdef list moves = []
        while link & LINK_KIND == LINK_BLOCK:
            columns = columns_at(self.tree, index_of(self.tree, link))
            best = MAX_SLOTS
            for slot in range(columns.count):
                if columns.visits[slot] == NO_VISITS:
                    continue
                if best == MAX_SLOTS or (columns.visits[slot], columns.wins[slot]) > (columns.visits[best],
                                                                                     columns.wins[best]):
                    best = slot
            moves.append(self.name(move_at(self.tree, columns, best)))
            link = columns.links[best]
        if not moves:
            moves.append(max(children, key=by_visits_key)[0])
        return moves

    def figures(self):
        """What the last search found, as a dict; None when there was none or it failed."""
        cdef Tree *tree = self.tree
        if not self.lock.acquire(False):
            raise SearchBusy("this Searcher is searching in another thread; its statistics can be read afterwards")
        try:
            if self.native is None or tree.iterations == 0:
                return None
            children = self.root_children()
            pv = self.variation(children)
            visits = tree.iterations
            wins = columns_at(tree, 0).wins[0] / (2.0 * tree.rollouts_per_leaf)
            return {
                "move": self.move if self.finished else max(children, key=by_visits_key)[0],
                "value": (wins if tree.root_sign > 0 else visits - wins) / visits,
                "visits": visits,
                "moves": sorted(children, key=by_visits_key, reverse=True),
                "pv": pv,
                "iterations": tree.iterations,
                "rollouts": tree.rollouts,
                "seconds": self.seconds,
                "nodes": tree.nodes,
                "bytes": <uint64_t>tree.arena.top * tree.arena.unit,
                "depth_mean": tree.depth_sum / <double>tree.iterations,
                "depth_max": tree.depth_max,
                "reused_visits": 0,
                "stop_reason": self.stop_reason,
                "overshoot": self.overshoot,
                "seed": self.seed,
                "threads": 1,
                "isa": isa,
            }
        finally:
            self.lock.release()

    @property
    def held(self):
        """Bytes of memory that the arena keeps between searches."""
        return 0 if self.tree == NULL else self.tree.arena.committed

    def release(self):
        """Gives the arena back; the statistics of the last search go with it."""
        if not self.lock.acquire(False):
            raise SearchBusy("this Searcher is searching in another thread; its memory can be released afterwards")
        try:
            self.native = None
            tree_ops.destroy(self.tree)
            self.tree = NULL
        finally:
            self.lock.release()


def by_visits_key(child):
    """Orders children by visits, then by value."""
    return child[1], child[3]


def by_value_key(child):
    """Orders children by value, then by visits; those without a visit last."""
    return child[1] > 0, child[3], child[1]
