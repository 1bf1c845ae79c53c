"""Calls the functions of a game table one by one from Python: for tests of games and of the search."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_SLOTS_ARE_MOVES, NativeState, mcts_expansion, mcts_rng,
                             mcts_rng_below, mcts_rng_next, mcts_rng_seed, mcts_simulation)
from mcts_core.python_game cimport PythonGame


cdef class Probe:
    """The table of ``state``'s game with a random number generator of its own.

    Outcomes and results are the numbers of ``mcts_core/game.h``; paths are lists of moves (for Python-written games: of
    the numbers that ``expand`` gave them).
    """

    cdef NativeState native
    cdef mcts_rng rng

    def __init__(self, state, uint64_t seed=0):
        self.native = state if isinstance(state, NativeState) else PythonGame(state)
        mcts_rng_seed(&self.rng, seed)

    @property
    def sizes(self):
        """(state_size, max_moves, max_plies, whether slots are moves)."""
        game = self.native.game
        return game.state_size, game.max_moves, game.max_plies, bool(game.flags & MCTS_SLOTS_ARE_MOVES)

    def random(self):
        """The next 64 random bits."""
        return mcts_rng_next(&self.rng)

    def below(self, uint32_t n):
        """A uniform random number from 0 to n - 1."""
        return mcts_rng_below(&self.rng, n)

    def rollout(self):
        """(result for the player to move, moves played) of one rollout."""
        cdef int32_t returned = self.native.game.rollout(self.native.game.context, self.native.state, &self.rng)
        self._check(returned)
        return returned & 3, returned >> 2

    def simulate(self, path, cursor):
        """(result for the player to move at the root, slot, next cursor, slots).

        ``cursor`` is 0 at first; the next one is None when no move is left untried.
        """
        cdef mcts_simulation simulation
        cdef uint32_t *moves = _copy(path)
        simulation.cursor = cursor
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

    def _check(self, returned):
        if returned < 0:
            if isinstance(self.native, PythonGame):
                (<PythonGame>self.native).raise_error()
            raise ValueError(f"the game returned {returned}")


cdef uint32_t *_copy(path) except NULL:
    cdef uint32_t *moves = <uint32_t *>calloc(len(path) + 1, sizeof(uint32_t))
    if moves == NULL:
        raise MemoryError
    for index, move in enumerate(path):
        moves[index] = move
    return moves
