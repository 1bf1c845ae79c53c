"""What a search found, as plain numbers: for statistics that are read later, or never.

``search_many`` returns the statistics of thousands of searches. To make their Python objects took more time than to
search a position of Connect Four with 100 iterations: objects for each move, in which the garbage collector looks for
cycles again and again. The numbers take a tenth of the memory, and the collector does not see them.
"""

from weakref import ref

cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from mcts_core.engine.searched_tree import by_visits_key

from mcts_core.games.connect_four.position cimport ConnectFour
from mcts_core.games.mnk.position cimport MNK, Gomoku, TicTacToe


PROVEN = ("loss", "draw", "win")
RESULTS = PROVEN  # for Python


BOARDS = (ConnectFour, MNK, Gomoku, TicTacToe)

cdef tuple boards = BOARDS


cdef bint is_plain_board(object state):
    return type(state) in boards


cdef int rows_make(RootRows *rows, uint32_t count) except -1:
    rows.count = 0
    rows.rows = <ChildRow *>malloc((count + 1) * sizeof(ChildRow))
    if rows.rows == NULL:
        raise MemoryError("no memory for the statistics of a search")
    return 0


cdef void rows_free(RootRows *rows) noexcept:
    free(rows.rows)
    rows.rows = NULL


cdef tuple child_of(const RootRows *rows, const ChildRow *row, object move):
    cdef double wins = row.wins / (2.0 * rows.wins_per_visit), visits = row.visits
    cdef double value = wins / visits if row.visits else 0.5
    if rows.kind == ROWS_LISTED or rows.kind == ROWS_TRIED:
        return move, row.visits, wins, value, None, None
    cdef object proven = PROVEN[row.proven] if row.proven >= 0 else None
    cdef object distance = row.distance + 1 if row.proven >= 0 else None
    cdef object prior = row.prior if rows.has_priors else None
    if rows.has_policy:
        return move, row.visits, wins, value, proven, distance, prior, row.policy
    return move, row.visits, wins, value, proven, distance, prior


cdef list children_of(const RootRows *rows, list legal, list names):
    cdef list children = []
    cdef dict known = {}
    cdef uint32_t i
    cdef object key
    for i in range(rows.count):
        key = rows.rows[i].move if names is None else names[i]
        if rows.kind == ROWS_LISTED or rows.kind == ROWS_EVALUATED:
            children.append(child_of(rows, &rows.rows[i], key))
        else:
            known[key] = i
    if rows.kind == ROWS_LISTED or rows.kind == ROWS_EVALUATED:
        return children
    for index, move in enumerate(legal):
        key = known.pop(index if rows.by_index else move, None)
        if key is not None:
            i = key
            children.append(child_of(rows, &rows.rows[i], move))
        elif rows.kind == ROWS_TRIED:
            children.append((move, 0, 0.0, 0.5, None, None))
        elif rows.rest >= 0:
            children.append((move, 0, 0.0, 0.5, "loss", rows.rest + 1, None))
        else:
            children.append((move, 0, 0.0, 0.5, None, None, None))
    return children if not known else None


cdef dict figures_by_counts(const Counts *counts):
    return {
        "visits": counts.visits,
        "iterations": counts.iterations,
        "rollouts": counts.rollouts,
        "nodes": counts.nodes,
        "prunes": counts.prunes,
        "dropped_nodes": counts.dropped,
        "depth_mean": counts.depth_sum / <double>counts.measured if counts.measured else 0.0,
        "depth_max": counts.depth_max,
        "reused_visits": counts.reused,
    }


@cython.no_gc  # of what it refers to nothing refers to it
cdef class KeptFigures:
    """The figures of a search of a board of this package, from which ``figures`` makes the objects."""

    def __dealloc__(self):
        rows_free(&self.rows)
        free(self.line)

    cdef int keep(self, SearchedTree tree, list line) except -1:
        cdef uint32_t first
        tree.sum_counts(&self.counts)
        self.proof = tree.proof(&self.distance, &first)
        self.keep_line(line)
        self.state, self.core, self.move = tree.state, ref(tree), tree.move
        self.stop_reason, self.isa = tree.stop_reason, tree.isa
        self.value, self.seconds, self.overshoot = tree.value(), tree.seconds, tree.overshoot
        self.seed, self.number, self.threads = tree.seed, tree.number, tree.busy
        self.bytes = tree.used or self.counts.bytes
        self.book = tree.by_book()
        self.to_try = tree.moves_to_try()
        return 0

    cdef int keep_line(self, list line) except -1:
        """Keeps the principal variation."""
        cdef uint32_t i
        self.line = <uint32_t *>malloc((len(line) + 1) * sizeof(uint32_t))
        if self.line == NULL:
            raise MemoryError("no memory for the statistics of a search")
        self.line_length = <uint32_t>len(line)
        for i in range(self.line_length):
            self.line[i] = line[i]
        return 0

    def figures(self):
        """What ``SearchCore.figures`` returned after the search."""
        cdef uint32_t i
        return figures_by_counts(&self.counts) | {
            "move": self.move,
            "value": self.proof / 2.0 if self.proof >= 0 else self.value,
            "values": None,
            "scale": None,
            "line_value": None,
            "bounds": None,
            "moves": sorted(children_of(&self.rows, self.state.legal_moves(), None), key=by_visits_key, reverse=True),
            "to_try": self.to_try,
            "pv": [self.line[i] for i in range(self.line_length)],
            "seconds": self.seconds,
            "bytes": self.bytes,
            "stop_reason": self.stop_reason,
            "proven": PROVEN[self.proof] if self.proof >= 0 else None,
            "distance": self.distance if self.proof >= 0 else None,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": self.threads,
            "isa": self.isa,
            "book": self.book,
            "state": self.state,
            "number": self.number,
        }
