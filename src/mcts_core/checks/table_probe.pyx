"""Calls the functions of a game table one by one from Python, and tells what they damage: for check_game."""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_MAX_MOVES, MCTS_NO_MOVE, MCTS_SLOTS_ARE_MOVES, NativeState,
                             general_of, mcts_children, mcts_estimate, mcts_expansion, mcts_general, mcts_policy,
                             mcts_proof, mcts_rng_seed, mcts_rollout_report, mcts_simulation, mcts_valuation,
                             told_valuation, valuation_of)
from mcts_core.games.mnk.network cimport Network
from mcts_core.games.python_game cimport PythonGame, raise_error_of
from mcts_core.simple_game cimport MCTS_RULES_ENDLESS


cdef enum:
    GUARD = 256           # bytes around what a game may write to
    CANARY = 0xA5         # their value


@cython.no_gc_clear  # the game is needed to the end
cdef class TableProbe:
    """The table of ``state``'s game with a random number generator of its own.

    Outcomes and results are the numbers of ``mcts_core/game.h``; paths are lists of moves (for Python-written games: of
    the numbers that ``expand`` gave them).
    """

    def __dealloc__(self):
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
        cdef uint32_t *moves = copied(path)
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
        cdef uint32_t *moves = copied(path)
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
        cdef uint32_t *moves = copied(path)
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
        cdef uint32_t *moves = copied(path)
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
        return returned, bytes(played), proof_of(&report.proof)

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
        cdef uint32_t *moves = copied(path)
        memset(&estimate, 0, sizeof(estimate))
        estimate.proof.value = -1
        returned = valuation_of(self.native.game).value(
            self.native.game.context, (self.native if root is None else root).state, moves, <uint32_t>len(path),
            self.estimator, &estimate)
        free(moves)
        return returned, estimate.value, proof_of(&estimate.proof)

    def weigh(self, path, moves):
        """(what weigh returned, the weights of ``moves`` at the end of ``path``, what it damaged or None)."""
        cdef uint32_t *way = copied(path)
        cdef uint32_t *asked = copied(moves)
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


cdef object proof_of(const mcts_proof *proof):
    """(value, distance, exact, first move or None); None where nothing is proven."""
    if proof.value < 0:
        return None
    return proof.value, proof.distance, bool(proof.exact), None if proof.move == MCTS_NO_MOVE else proof.move


cdef uint32_t *copied(path) except NULL:
    cdef uint32_t *moves = <uint32_t *>calloc(len(path) + 1, sizeof(uint32_t))
    if moves == NULL:
        raise MemoryError
    for index, move in enumerate(path):
        moves[index] = move
    return moves
