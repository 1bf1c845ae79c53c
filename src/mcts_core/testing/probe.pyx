"""Calls the functions of a game table one by one from Python: for tests of games and of the search."""

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from mcts_core.checks.table_probe cimport TableProbe, copied, proof_of
from mcts_core.tree.dirichlet cimport dirichlet
from mcts_core.tree.portable_math cimport natural_exp, natural_log
from mcts_core.game cimport (MCTS_GAME_VERSION, MCTS_ORDERED, NativeState, mcts_chance, mcts_create_valuation,
                             mcts_game, mcts_general, mcts_general_rollout, mcts_guide, mcts_interrupt,
                             mcts_legal_moves, mcts_observe, mcts_play, mcts_proof, mcts_prove, mcts_returns,
                             mcts_rng_below, mcts_rng_next, mcts_to_move, mcts_use_memory, mcts_valuation, mcts_value,
                             mcts_weigh)

from mcts_core.engine.storage import check


def check_tree(engine, whole=False):
    """Follows every link of the trees of a Searcher and compares every number in them with the rules of the game.

    A dict of ``units``, ``free_units``, ``bytes``, ``nodes``, ``blocks``, ``depth`` (of blocks), ``widest`` (slots) of
    what links lead to, of all threads' trees together; None where there are no statistics. ``whole``: no memory may be
    free or unreachable, as in a saved tree. Raises AssertionError, which names the fault, for a tree that is not sound;
    SearchBusy.
    """
    return check(engine._core, whole)


@cython.no_gc_clear  # the guide is needed to the end
cdef class Probe(TableProbe):
    """Also the random numbers and the prover of the search, with a memory that is kept."""

    cdef void *memory

    def __dealloc__(self):
        if self.memory != NULL:
            self.native.game.guide.destroy_memory(self.native.game.context, self.memory)

    @property
    def ordered(self):
        """Whether the search tries the moves in the order of the game."""
        return bool(self.native.game.flags & MCTS_ORDERED)

    def random(self):
        """The next 64 random bits."""
        return mcts_rng_next(&self.rng)

    def below(self, uint32_t n):
        """A uniform random number from 0 to n - 1."""
        return mcts_rng_below(&self.rng, n)

    def dirichlet(self, double alpha, uint32_t count):
        """``count`` numbers that sum to 1, the noise of a root."""
        cdef double *numbers = <double *>calloc(count, sizeof(double))
        dirichlet(&self.rng, alpha, count, numbers)
        drawn = [numbers[i] for i in range(count)]
        free(numbers)
        return drawn

    @staticmethod
    def log(double x):
        return natural_log(x)

    @staticmethod
    def exp(double x):
        return natural_exp(x)

    def prove(self, path, uint64_t budget, exact=False, uint64_t memory=1 << 22, uint32_t looks=0, bint book=False,
              bint wins_only=False):
        """(proof or None, work spent); the prover's memory of ``memory`` bytes is made by the first call and kept.

        ``looks``: at which look the prover finds the interrupt raised, 0: never. ``book``: it may use a book;
        ``wins_only``: it looks for wins of the player to move alone.
        """
        cdef mcts_proof proof
        proof.ask_book = book
        proof.wins_only = wins_only
        cdef mcts_interrupt interrupt
        interrupt.raised = count_down
        interrupt.context = &looks
        proof.interrupt = &interrupt
        cdef const mcts_guide *guide = self.native.game.guide
        if self.memory == NULL:
            self.memory = guide.create_memory(self.native.game.context, memory)
            if self.memory == NULL:
                raise MemoryError
        cdef uint32_t *moves = copied(path)
        returned = guide.prove(self.native.game.context, self.native.state, moves, <uint32_t>len(path), self.memory,
                               budget, exact, &proof)
        free(moves)
        self._check(returned)
        return proof_of(&proof), proof.spent

    def forget(self):
        """Clears the prover's memory."""
        if self.memory != NULL:
            self.native.game.guide.clear_memory(self.native.game.context, self.memory)


cdef int32_t count_down(void *context) noexcept nogil:
    """Raised where a number has come to 1; 0: never."""
    cdef uint32_t *looks = <uint32_t *>context
    if looks[0] == 1:
        return 1
    looks[0] -= looks[0] > 0
    return 0


ctypedef size_t address


cdef class TableState(NativeState):
    """A native position over functions at given addresses, in the order of ``mcts_game`` and ``mcts_general``.

    ``state``: its bytes. ``functions``: name -> address of what is not NULL. ``like``: a position of the same table.
    """

    cdef mcts_game table
    cdef mcts_general general_table
    cdef bytes data
    cdef public object keeper  # of the functions

    def __cinit__(self, bytes state, *, dict functions=None, TableState like=None, uint32_t max_moves=0,
                  uint32_t players=0, uint32_t actions=0, shape=(0, 0, 0), uint32_t version=MCTS_GAME_VERSION):
        cdef mcts_general *general = &self.general_table
        memset(&self.table, 0, sizeof(mcts_game))
        memset(general, 0, sizeof(mcts_general))
        self.data = state
        self.state = <const char *>self.data
        if like is not None:
            self.game = like.game
            self.keeper = like
            return
        self.game = &self.table
        self.table.version = version
        self.table.state_size = <uint32_t>len(state)
        self.table.max_moves = max_moves
        self.table.legal_moves = <mcts_legal_moves><address>functions.get("legal_moves", 0)
        self.table.play = <mcts_play><address>functions.get("play", 0)
        if players == 0:
            return
        self.table.general = general
        general.players = players
        general.actions = actions
        general.planes, general.rows, general.cols = shape
        general.to_move = <mcts_to_move><address>functions.get("to_move", 0)
        general.returns = <mcts_returns><address>functions.get("returns", 0)
        general.chance = <mcts_chance><address>functions.get("chance", 0)
        general.observe = <mcts_observe><address>functions.get("observe", 0)
        general.rollout = <mcts_general_rollout><address>functions.get("rollout", 0)


cdef class ValuedState(NativeState):
    """The native position ``inner`` of a game with a guide, whose table also has a valuation of functions at given
    addresses.

    ``functions``: name, as in ``mcts_valuation``, -> address of what is not NULL; with ``prove``, that replaces the
    exact search of the guide. ``keeper``: of the functions.
    """

    cdef mcts_game table
    cdef mcts_guide guide
    cdef mcts_valuation valuation
    cdef readonly NativeState inner
    cdef readonly object keeper

    def __cinit__(self, NativeState inner, dict functions=None, keeper=None, ValuedState like=None):
        self.inner = inner
        self.state = inner.state
        if like is not None:
            self.game = like.game
            self.keeper = like
            return
        self.keeper = keeper
        self.table = inner.game[0]
        self.table.version = MCTS_GAME_VERSION
        self.table.valuation = &self.valuation
        self.game = &self.table
        if "prove" in functions:
            self.guide = inner.game.guide[0]
            self.guide.prove = <mcts_prove><address>functions["prove"]
            self.table.guide = &self.guide
        memset(&self.valuation, 0, sizeof(mcts_valuation))
        self.valuation.value = <mcts_value><address>functions.get("value", 0)
        self.valuation.weigh = <mcts_weigh><address>functions.get("weigh", 0)
        self.valuation.create = <mcts_create_valuation><address>functions.get("create", 0)
        self.valuation.destroy = <mcts_use_memory><address>functions.get("destroy", 0)

    @property
    def to_move(self):
        return self.inner.to_move

    def legal_moves(self):
        return self.inner.legal_moves()

    def winner(self):
        return self.inner.winner()

    def play(self, move):
        return ValuedState(self.inner.play(move), like=self)
