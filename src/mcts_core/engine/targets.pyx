"""What self-play keeps of a search: the move to play, the values, and the weight of every move.

``Stats`` have all of it, too. Making their objects for each move of gomoku took longer than the search.
"""

from cpython.buffer cimport (PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer)
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset, strcmp

from mcts_core.errors import NoSearch

from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.report cimport expected_value
from mcts_core.engine.root_rows cimport LOSS, ChildRow, RootRows
from mcts_core.engine.searched_tree cimport Counts
from mcts_core.engine.stats_snapshot cimport is_plain_board
from mcts_core.engine.weighted_draw cimport powers_of
from mcts_core.engine.weighted_draw import drawn


cdef double ROUNDING = 1e-9  # tolerance for comparing proven bounds


cdef class Target:
    """Of the last search of ``core``.

    ``move`` is the one to play; ``settled``: it is proven that no other move is better. ``value`` is that of the player
    to move, ``values`` those of all players; None: there are two in turn. ``moves`` are all legal moves, ``weights``
    their shares of the visits or of the improved policy, times any number: 0 for a move that is proven lost, or proven
    worse than another one, unless all are. If it is settled, ``move`` has all the weight.
    """

    cdef readonly object move, values
    cdef readonly bint settled
    cdef readonly double value
    cdef readonly uint64_t rollouts
    cdef readonly list moves
    cdef double *shares
    cdef double sum

    def __cinit__(self, SearchCore core not None):
        core.take_to("its statistics can be read")
        try:
            if not (core.has_result() and core.finished):
                raise NoSearch("the core has not searched")
            self.read(core)
        finally:
            core.give()

    def __dealloc__(self):
        free(self.shares)

    cdef int read(self, SearchCore core) except -1:
        cdef Counts counts
        cdef uint32_t distance, first
        cdef int proof = core.proof(&distance, &first)
        cdef RootRows rows
        memset(&counts, 0, sizeof(counts))
        core.sum_counts(&counts)
        self.rollouts = counts.rollouts
        self.move, self.values, self.value = core.move, core.values(), expected_value(core, proof)
        self.settled = proof >= 0 or core.stop_reason == "solved"
        if is_plain_board(core.state):
            rows = core.read_rows()
            rows.listed = False  # moves of a board come in its order
            rows = rows.completed(core.legal_moves())
        else:
            rows = core.root_rows()
        rows.share_out(counts.visits)
        self.weigh(rows)
        return self.complete()

    cdef int weigh(self, RootRows rows) except -1:
        cdef const ChildRow *row
        cdef double least = 0.0
        cdef uint32_t i
        self.shares = <double *>calloc(rows.count + 1, sizeof(double))
        if self.shares == NULL:
            raise MemoryError("no memory for the weights of a search")
        self.moves = rows.moves
        for i in range(rows.count if rows.bounded else 0):
            least = max(least, rows.rows[i].low)
        for i in range(rows.count):
            row = &rows.rows[i]
            if row.proven != LOSS and (not rows.bounded or row.high >= least - ROUNDING):
                self.shares[i] = row.policy if row.policy >= 0 else rows.own_visits(row)
        return 0

    cdef int complete(self) except -1:
        cdef Py_ssize_t index, count = len(self.moves)
        self.sum = 0.0
        for index in range(count):
            self.sum += self.shares[index]
        if self.settled or self.sum == 0.0:
            self.sum = 1.0
            for index in range(count):
                self.shares[index] = 1.0 if self.moves[index] == self.move else 0.0
        return 0

    @property
    def weights(self):
        cdef Py_ssize_t index
        return [self.shares[index] for index in range(len(self.moves))]

    def drawn(self, double power, uint64_t number):
        """The move that a random number below 2**64 selects, by the weights to the power of ``power``."""
        return drawn(self.moves, powers_of(self.weights, power), number)

    def write(self, row not None, list indices not None):
        """Writes the share of each move to ``row``, an array of float32, at the index of the move; the sum is 1."""
        cdef Py_buffer view
        cdef Py_ssize_t index, at, count = len(self.moves)
        if len(indices) != count:
            raise ValueError(f"there are {count} moves, got {len(indices)} indices")
        PyObject_GetBuffer(row, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT)
        try:
            if view.format == NULL or strcmp(view.format, b"f") != 0:
                raise ValueError("the row must be an array of float32")
            for index in range(count):
                at = indices[index]
                if not 0 <= at < view.len // <Py_ssize_t>sizeof(float):
                    raise IndexError(f"the row has no place {at}")
                (<float *>view.buf)[at] = <float>(self.shares[index] / self.sum)
        finally:
            PyBuffer_Release(&view)
