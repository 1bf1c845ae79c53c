"""Calls the functions of a game table one by one from Python: for tests of games and of the search."""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from mcts_core.tree.dirichlet cimport dirichlet
from mcts_core.tree.portable_math cimport natural_exp, natural_log
from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_GAME_VERSION, MCTS_MAX_MOVES, MCTS_NO_MOVE, MCTS_ORDERED,
                             MCTS_SLOTS_ARE_MOVES, NativeState, general_of, mcts_chance, mcts_children,
                             mcts_create_valuation, mcts_estimate, mcts_expansion, mcts_game, mcts_general,
                             mcts_guide, mcts_interrupt, mcts_legal_moves,
                             mcts_observe, mcts_play, mcts_rollout_report, mcts_policy, mcts_proof, mcts_prove,
                             mcts_general_rollout, mcts_returns, mcts_rng, mcts_rng_below, mcts_rng_next,
                             mcts_rng_seed, mcts_simulation, mcts_to_move, mcts_use_memory, mcts_valuation, mcts_value,
                             mcts_weigh, told_valuation, valuation_of)
from mcts_core.games.mnk.network cimport Network
from mcts_core.games.python_game cimport PythonGame, raise_error_of
from mcts_core.simple_game cimport MCTS_RULES_ENDLESS

cdef enum:
    GUARD = 256           # bytes around what a game may write to
    CANARY = 0xA5         # their value

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
cdef class Probe:
    """The table of ``state``'s game with a random number generator of its own.

    Outcomes and results are the numbers of ``mcts_core/game.h``; paths are lists of moves (for Python-written games: of
    the numbers that ``expand`` gave them).
    """

    cdef NativeState native
    cdef mcts_rng rng
    cdef void *memory
    cdef void *estimator
    cdef Network network
    cdef readonly bint endless    # the last function that was called gave up a rollout that did not end

    def __dealloc__(self):
        if self.memory != NULL:
            self.native.game.guide.destroy_memory(self.native.game.context, self.memory)
        self.forget_valuation()

    def __init__(self, state, uint64_t seed=0):
        self.native = state if isinstance(state, NativeState) else PythonGame(state)
        mcts_rng_seed(&self.rng, seed)

    @property
    def sizes(self):
        """(state_size, max_moves, max_plies, whether slots are moves)."""
        game = self.native.game
        return game.state_size, game.max_moves, game.max_plies, bool(game.flags & MCTS_SLOTS_ARE_MOVES)

    @property
    def ordered(self):
        """Whether the search tries the moves in the order of the game."""
        return bool(self.native.game.flags & MCTS_ORDERED)

    @property
    def is_complete(self):
        """Whether the table has all functions but ``rollouts``, as that of a native game must."""
        game = self.native.game
        return not (game.legal_moves == NULL or game.play == NULL or game.rollout == NULL or game.simulate == NULL
                    or game.expand == NULL)

    @property
    def data(self):
        """The bytes of the state of a native game."""
        return PyBytes_FromStringAndSize(<const char *>self.native.state, self.native.game.state_size)

    def list_moves(self, bytes data, uint32_t room):
        """(what legal_moves of the table returned, the moves, what it damaged or None) for the state ``data``.

        ``room``: moves that it may write. Damage is a text: bytes before or after those that belong to it, or the
        state, which it may only read.
        """
        cdef uint32_t size = self._size_of(data), i
        cdef uint8_t *state = guarded(size)
        cdef uint8_t *moves = guarded(room * sizeof(uint32_t))
        cdef int32_t returned
        try:
            memcpy(state + GUARD, <const char *>data, size)
            returned = self.native.game.legal_moves(self.native.game.context, state + GUARD,
                                                    <uint32_t *>(moves + GUARD))
            found = [(<uint32_t *>(moves + GUARD))[i] for i in range(min(<uint32_t>max(returned, 0), room))]
            return returned, found, damage_by_reader(state, data, moves, room * sizeof(uint32_t),
                                                     f"the room for {room} moves")
        finally:
            free(state)
            free(moves)

    def observe(self, bytes data):
        """(what observe of the table returned, the numbers, what it damaged or None) for the state ``data``; None where
        there is no such function. Numbers that were not written are NaN."""
        cdef const mcts_general *general = general_of(self.native.game)
        cdef uint32_t size = self._size_of(data), count
        cdef uint8_t *state
        cdef uint8_t *planes
        if general == NULL or general.observe == NULL:
            return None
        count = general.planes * general.rows * general.cols
        state, planes = guarded(size), guarded(count * sizeof(float))
        try:
            memcpy(state + GUARD, <const char *>data, size)
            memset(planes + GUARD, 0xFF, count * sizeof(float))
            returned = general.observe(self.native.game.context, state + GUARD, <float *>(planes + GUARD))
            found = [(<float *>(planes + GUARD))[i] for i in range(count)]
            return returned, found, damage_by_reader(state, data, planes, count * sizeof(float),
                                                     f"the room for {count} numbers")
        finally:
            free(state)
            free(planes)

    def play_move(self, bytes data, uint32_t move):
        """(what play of the table returned, the state afterwards, what it damaged or None) for the state ``data``."""
        cdef uint32_t size = self._size_of(data)
        cdef uint8_t *state = guarded(size)
        cdef int32_t returned
        try:
            memcpy(state + GUARD, <const char *>data, size)
            returned = self.native.game.play(self.native.game.context, state + GUARD, move)
            return returned, (<char *>state)[GUARD:GUARD + size], damage_of(state, size, "the state")
        finally:
            free(state)

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

    def rollout(self):
        """(result for the player to move, moves played) of one rollout."""
        cdef int32_t returned = self.native.game.rollout(self.native.game.context, self.native.state, &self.rng)
        self._check(returned)
        return returned & 3, returned >> 2

    def simulate(self, path, cursor, tried=None, lot=0):
        """(result for the player to move at the root, slot, next cursor, slots).

        ``cursor`` is 0 at first; the next one is None when no move is left untried. ``tried``: the slots that were
        tried; ``lot``: a number of 32 bits that draws the next one, in a game without an order of its moves.
        """
        cdef mcts_simulation simulation
        cdef uint32_t *moves = _copy(path)
        cdef bytearray marks = bytearray(MCTS_MAX_MOVES)
        for slot in tried or ():
            marks[slot] = 1
        simulation.cursor = cursor
        simulation.lot = lot
        simulation.slots = MCTS_MAX_MOVES
        simulation.tried_bits = 8
        simulation.tried = NULL
        if tried is not None:
            simulation.tried = <const uint8_t *>PyByteArray_AS_STRING(marks)
        returned = self.native.game.simulate(self.native.game.context, self.native.state, moves, <uint32_t>len(path),
                                             &simulation, &self.rng)
        free(moves)
        self._check(returned)
        following = None if simulation.cursor == MCTS_ALL_TRIED else simulation.cursor
        return returned, simulation.slot, following, simulation.count

    def expand(self, path, count):
        """(outcomes, moves or None where slots are moves, whether the root's player is to move) of ``count`` slots."""
        cdef mcts_expansion expansion
        cdef uint32_t *moves = _copy(path)
        expansion.capacity = count
        expansion.moves = <uint32_t *>calloc(count, sizeof(uint32_t))
        outcomes = bytearray(<uint32_t>count)
        cdef unsigned char[:] view = outcomes
        expansion.outcomes = &view[0]
        returned = self.native.game.expand(self.native.game.context, self.native.state, moves, <uint32_t>len(path),
                                           &expansion)
        names = [expansion.moves[slot] for slot in range(<uint32_t>count)]
        free(expansion.moves)
        free(moves)
        self._check(returned)
        if returned != count:
            raise ValueError(f"expand gave {returned} slots, not {count}")
        fixed = self.native.game.flags & MCTS_SLOTS_ARE_MOVES
        return list(outcomes), None if fixed else names, bool(expansion.root_player)

    @property
    def guide(self):
        """(bits of the rollout policies, best distance for children, number of actions, whether there is a prover);
        None for a game without a guide."""
        guide = self.native.game.guide
        if guide == NULL:
            return None
        return guide.rollouts, guide.distance, guide.actions, guide.prove != NULL

    def children(self, path, distance=0, symmetry=False, unranked=False, uint32_t room=1024):
        """(children, whether the root's player is to move, complete, rest) at the end of ``path``; each child is
        (move, action, outcome, distance, prior)."""
        cdef mcts_policy policy
        cdef mcts_children found
        cdef uint32_t *numbers = <uint32_t *>calloc(room, 2 * sizeof(uint32_t) + sizeof(float) + sizeof(uint16_t) + 1)
        cdef uint32_t *moves = _copy(path)
        policy.rollout = 0
        policy.distance = distance
        policy.symmetry = symmetry
        policy.unranked = unranked
        found.capacity = room
        found.moves = numbers
        found.actions = numbers + room
        found.priors = <float *>(numbers + 2 * room)
        found.distances = <uint16_t *>(numbers + 3 * room)
        found.outcomes = <uint8_t *>(found.distances + room)
        found.complete = found.rest = 0
        returned = self.native.game.guide.children(self.native.game.context, self.native.state, moves,
                                                   <uint32_t>len(path), &policy, &found)
        written = returned if 0 < returned <= <int32_t>room else 0
        listed = [(found.moves[slot], found.actions[slot], found.outcomes[slot], found.distances[slot],
                   found.priors[slot]) for slot in range(written)]
        free(numbers)
        free(moves)
        self._check(returned)
        if returned > written:
            return self.children(path, distance, symmetry, unranked, returned)
        return listed, bool(found.root_player), bool(found.complete), found.rest

    def policy_rollout(self, path, rollout=0, told=True):
        """(result for the player to move at the root, bytes of who played which action, proof or None) of one rollout
        by the policy ``rollout``; the game is not asked for what was played unless ``told``, and the bytes are 0."""
        cdef mcts_policy policy
        cdef mcts_rollout_report report
        cdef uint32_t *moves = _copy(path)
        played = bytearray(max(self.native.game.guide.actions, <uint32_t>1))
        cdef unsigned char[:] view = played
        policy.rollout = rollout
        policy.unranked = 0
        policy.distance = policy.symmetry = 0
        report.played = &view[0] if told and self.native.game.guide.actions else NULL
        returned = self.native.game.guide.rollout(self.native.game.context, self.native.state, moves,
                                                  <uint32_t>len(path), &policy, &report, &self.rng)
        free(moves)
        self._check(returned)
        return returned, bytes(played), _proof(&report.proof)

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
        cdef uint32_t *moves = _copy(path)
        returned = guide.prove(self.native.game.context, self.native.state, moves, <uint32_t>len(path), self.memory,
                               budget, exact, &proof)
        free(moves)
        self._check(returned)
        return _proof(&proof), proof.spent

    def forget(self):
        """Clears the prover's memory."""
        if self.memory != NULL:
            self.native.game.guide.clear_memory(self.native.game.context, self.memory)

    @property
    def valuation(self):
        """Whether the game's valuation has (value, weigh, create, destroy); None for a game without a valuation."""
        valuation = told_valuation(self.native.game)
        if valuation == NULL:
            return None
        return (valuation.value != NULL, valuation.weigh != NULL, valuation.create != NULL, valuation.destroy != NULL)

    def create_valuation(self, Network network=None):
        """Makes the valuation's memory, in place of an earlier one; whether there is any."""
        cdef const mcts_valuation *valuation = valuation_of(self.native.game)
        cdef const void *numbers = NULL
        self.forget_valuation()
        self.network = network
        if network is not None:
            numbers = &network.data
        if valuation.create != NULL:
            self.estimator = valuation.create(self.native.game.context, numbers)
        return self.estimator != NULL

    def forget_valuation(self):
        if self.estimator != NULL:
            valuation_of(self.native.game).destroy(self.native.game.context, self.estimator)
        self.estimator = NULL

    def value(self, path, NativeState root=None):
        """(what value returned, the estimate, its proof or None) at the end of ``path``, by the memory at hand.

        ``root``: another position of the same game, from which the path leads.
        """
        cdef mcts_estimate estimate
        cdef uint32_t *moves = _copy(path)
        memset(&estimate, 0, sizeof(estimate))
        estimate.proof.value = -1
        returned = valuation_of(self.native.game).value(
            self.native.game.context, (self.native if root is None else root).state, moves, <uint32_t>len(path),
            self.estimator, &estimate)
        free(moves)
        return returned, estimate.value, _proof(&estimate.proof)

    def weigh(self, path, moves):
        """(what weigh returned, the weights of ``moves`` at the end of ``path``, what it damaged or None)."""
        cdef uint32_t *way = _copy(path)
        cdef uint32_t *asked = _copy(moves)
        cdef uint32_t count = <uint32_t>len(moves), size = count * <uint32_t>sizeof(float)
        cdef uint8_t *weights = guarded(size)
        try:
            returned = valuation_of(self.native.game).weigh(
                self.native.game.context, self.native.state, way, <uint32_t>len(path), self.estimator, asked, count,
                <float *>(weights + GUARD))
            found = [(<float *>(weights + GUARD))[i] for i in range(count)]
            return returned, found, damage_of(weights, size, f"the room for {count} weights")
        finally:
            free(weights)
            free(asked)
            free(way)

    def _size_of(self, bytes data):
        if self.native.game.legal_moves == NULL or self.native.game.play == NULL:
            raise ValueError("the game table has no legal_moves or no play")
        if len(data) != self.native.game.state_size:
            raise ValueError(f"a state has {self.native.game.state_size} bytes, got {len(data)}")
        return len(data)

    def _check(self, returned):
        self.endless = returned == -MCTS_RULES_ENDLESS
        if returned < 0:
            raise_error_of(self.native, self.native)


cdef uint8_t *guarded(uint64_t size) except NULL:
    """``size`` bytes between canaries."""
    cdef uint8_t *memory = <uint8_t *>calloc(size + 2 * GUARD, 1)
    if memory == NULL:
        raise MemoryError
    memset(memory, CANARY, GUARD)
    memset(memory + GUARD + size, CANARY, GUARD)
    return memory


cdef object damage_by_reader(const uint8_t *state, bytes data, const uint8_t *room, uint64_t size, str what):
    """What a function has damaged that reads the state ``data`` and writes into ``room``."""
    damage = damage_of(state, len(data), "the state") or damage_of(room, size, what)
    if damage is None and (<const char *>state)[GUARD:GUARD + len(data)] != data:
        return "the state, which it may only read"
    return damage


cdef object damage_of(const uint8_t *memory, uint64_t size, str what):
    """What was written outside of ``size`` guarded bytes, in words; None: nothing."""
    cdef int i
    for i in range(GUARD):
        if memory[i] != CANARY:
            return f"bytes before {what}"
        if memory[GUARD + size + i] != CANARY:
            return f"bytes after {what}"
    return None


cdef int32_t count_down(void *context) noexcept nogil:
    """Raised where a number has come to 1; 0: never."""
    cdef uint32_t *looks = <uint32_t *>context
    if looks[0] == 1:
        return 1
    looks[0] -= looks[0] > 0
    return 0


cdef object _proof(const mcts_proof *proof):
    """(value, distance, exact, first move or None); None where nothing is proven."""
    if proof.value < 0:
        return None
    return proof.value, proof.distance, bool(proof.exact), None if proof.move == MCTS_NO_MOVE else proof.move


cdef uint32_t *_copy(path) except NULL:
    cdef uint32_t *moves = <uint32_t *>calloc(len(path) + 1, sizeof(uint32_t))
    if moves == NULL:
        raise MemoryError
    for index, move in enumerate(path):
        moves[index] = move
    return moves


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
