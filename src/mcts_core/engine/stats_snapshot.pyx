"""What a search found, as plain numbers: for statistics that are read now, later, or never.

``search_many`` returns the statistics of thousands of searches. To make their Python objects took more time than to
search a position of Connect Four with 100 iterations: objects for each move, in which the garbage collector looks for
cycles again and again. The numbers take 64 bytes a move, a third of the memory, and the collector does not see them.
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t

from mcts_core.engine.root_rows cimport RootRows
from mcts_core.games.connect_four.position cimport ConnectFour
from mcts_core.games.mnk.position cimport MNK, Gomoku, TicTacToe


BOARDS = (ConnectFour, MNK, Gomoku, TicTacToe)
"""Positions of this package. Those of a subclass may refer to more than their board."""

cdef tuple boards = BOARDS


cdef bint is_plain_board(object state):
    return type(state) in boards


@cython.no_gc  # of what it refers to nothing refers to it; but of boards it is used up at once
cdef class StatsSnapshot:
    """The figures of a search, from which ``figures`` makes the objects."""

    cdef RootRows ranked(self):
        cdef RootRows rows = self.rows.completed(self.state.legal_moves()) if self.light else self.rows
        rows.rank(None if self.ordered else self.move)
        return rows

    cdef uint32_t plies(self, RootRows rows) except? 0xFFFFFFFF:
        cdef int32_t at = rows.find(self.move) if self.proof == 1 else -1
        if at >= 0 and rows.rows[at].proven == 1:  # the root has the longest draw; the move played may be another one
            return rows.rows[at].distance
        return self.distance

    def figures(self):
        """The fields of Stats as a dict, the moves as tuples of the fields of MoveStats; with the state, the number of
        the search and the moves that it has to try."""
        cdef RootRows rows = self.ranked()
        return {
            "move": self.move,
            "value": self.value,
            "visits": self.counts.visits,
            "moves": rows.tuples(),
            "pv": list(self.line),
            "iterations": self.counts.iterations,
            "rollouts": self.counts.rollouts,
            "seconds": self.seconds,
            "nodes": self.counts.nodes,
            "bytes": self.bytes,
            "prunes": self.counts.prunes,
            "dropped_nodes": self.counts.dropped,
            "depth_mean": self.counts.depth_sum / <double>self.counts.measured if self.counts.measured else 0.0,
            "depth_max": self.counts.depth_max,
            "reused_visits": self.counts.reused,
            "stop_reason": self.stop_reason,
            "proven": self.proven,
            "distance": self.plies(rows) if self.proof >= 0 else None,
            "overshoot": self.overshoot,
            "seed": self.seed,
            "threads": self.threads,
            "isa": self.isa,
            "values": self.values,
            "book": self.book,
            "scale": self.scale,
            "line_value": self.line_value,
            "bounds": self.bounds,
            "to_try": self.to_try,
            "state": self.state,
            "number": self.number,
        }
