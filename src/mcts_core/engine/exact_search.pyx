"""Exact search of positions without a tree, for as long as it takes."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, uint32_t, uint64_t

from mcts_core.arguments import shorten
from mcts_core.errors import InvalidState

from mcts_core.game cimport MCTS_NO_MOVE, NativeState, begin_proof, mcts_game, mcts_interrupt, mcts_proof
from mcts_core.engine.slices cimport SIGNAL_INTERVAL
from mcts_core.games.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.platform cimport mcts_clock


def has_exact_search(state):
    """Whether the game table of ``state`` has an exact search."""
    cdef const mcts_game *game = (<NativeState>state).game if isinstance(state, NativeState) else NULL
    return game != NULL and game.guide != NULL and game.guide.prove != NULL


cdef int32_t is_over(void *until) noexcept nogil:
    return mcts_clock() >= (<const double *>until)[0]


cdef class ExactSearch:
    """The exact search of the game of ``root``, with a memory of ``bytes``; ``book``: it may use the game's book.

    Raises GameOver, and InvalidState where the game has no exact search.
    """

    cdef NativeState root
    cdef void *memory
    cdef bint ask_book
    cdef readonly bint by_book

    def __init__(self, root, uint64_t bytes, bint book):
        native = as_native(root, "there is nothing to solve")
        if isinstance(native, PythonGame) or native.game.guide == NULL or native.game.guide.prove == NULL:
            raise InvalidState("solve needs a game with an exact search: m,n,k games of at most 64 cells, or Connect "
                               f"Four with (rows + 1) * cols of at most 64, got {shorten(root)}")
        self.forget()
        self.root = native
        self.ask_book = book
        self.memory = self.root.game.guide.create_memory(self.root.game.context, bytes)
        if self.memory == NULL:
            raise MemoryError(f"no memory for an exact search with a table of {bytes >> 20} MB")

    def __dealloc__(self):
        self.forget()

    cdef void forget(self) noexcept:
        if self.memory != NULL:
            self.root.game.guide.destroy_memory(self.root.game.context, self.memory)
        self.memory = NULL

    def prove(self, path, bint exact, deadline):
        """(half-points of the player to move, distance, whether that is best play, first move or None) of the position
        after ``path``, where the game goes on; None: nothing is proven by ``deadline``, a time of ``mcts_clock``, None:
        there is none. A proof that is not ``exact`` is better than none.

        Raises GameError if the native rules report an error."""
        cdef uint32_t length = len(path)
        cdef double until, end = 1e300 if deadline is None else deadline
        cdef mcts_interrupt interrupt
        cdef mcts_proof proof
        cdef uint64_t budget = <uint64_t>1 << 62
        cdef int32_t returned
        cdef uint32_t *moves = <uint32_t *>PyMem_Malloc((length + 1) * sizeof(uint32_t))
        if moves == NULL:
            raise MemoryError("no memory for the moves of a path")
        try:
            for index, move in enumerate(path):
                moves[index] = move
            interrupt.raised = is_over
            interrupt.context = &until
            while True:
                begin_proof(&proof, &interrupt, self.ask_book, False)
                with nogil:
                    until = min(mcts_clock() + SIGNAL_INTERVAL, end)
                    returned = self.root.game.guide.prove(self.root.game.context, self.root.state, moves, length,
                                                          self.memory, budget, exact, &proof)
                if returned < 0:
                    raise_error_of(self.root, self.root)
                self.by_book |= self.ask_book and proof.by_book
                if proof.value >= 0 and (proof.exact or not exact) or mcts_clock() >= end:
                    break
                PyErr_CheckSignals()
        finally:
            PyMem_Free(moves)
        if proof.value < 0:
            return None
        return proof.value, proof.distance, bool(proof.exact), None if proof.move == MCTS_NO_MOVE else proof.move
