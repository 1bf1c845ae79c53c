"""Many rollouts from one position, without a tree."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint64_t

from mcts_core.game cimport NativeState, mcts_game, mcts_rng, mcts_rng_seed
from mcts_core.games.python_game cimport PythonGame, as_native, raise_error_of
from mcts_core.engine.slices cimport SIGNAL_INTERVAL, SLICE
from mcts_core.engine.turn cimport on_main_thread
from mcts_core.platform cimport mcts_clock


cdef enum:
    # Rollouts in one call of a game's own `rollouts`. Connect Four begins its random streams anew at every call, so
    # this number is a part of the result and must not depend on the speed.
    SIDE_BY_SIDE = 1 << 17


cdef int32_t play(const mcts_game *game, const void *state, uint64_t count, mcts_rng *rng, uint64_t *results,
                  uint64_t *plies) noexcept nogil:
    """Runs ``count`` rollouts, in one call where the game has a function for many; negative after an error."""
    cdef int32_t returned
    cdef uint64_t _
    if game.rollouts != NULL:
        return game.rollouts(game.context, state, count, rng, results, plies)
    for _ in range(count):
        returned = game.rollout(game.context, state, rng)
        if returned < 0:
            return returned
        results[returned & 3] += 1
        plies[0] += returned >> 2
    return 0


def run(state, uint64_t count, uint64_t seed):
    """(losses, draws, wins, moves played, seconds) of ``count`` rollouts, for the player to move in ``state``."""
    cdef NativeState native
    cdef mcts_rng rng
    cdef uint64_t results[3]
    cdef uint64_t plies = 0, done = 0, batch, one_by_one = 1
    cdef int32_t returned = 0
    cdef bint signalled = on_main_thread()
    cdef double begin = mcts_clock(), now = begin, last, signals_at = begin + SIGNAL_INTERVAL
    native = as_native(state, "no rollout can start")
    mcts_rng_seed(&rng, seed)
    results[0] = results[1] = results[2] = 0
    with nogil:
        while done < count:
            batch = one_by_one if native.game.rollouts == NULL else SIDE_BY_SIDE
            if batch > count - done:
                batch = count - done
            returned = play(native.game, native.state, batch, &rng, results, &plies)
            if returned < 0:
                break
            done += batch
            last = now
            now = mcts_clock()
            if now - last < SLICE:
                one_by_one *= 2
            elif one_by_one > 1:
                one_by_one //= 2
            if signalled and now >= signals_at:
                with gil:
                    PyErr_CheckSignals()
                signals_at = mcts_clock() + SIGNAL_INTERVAL
    if returned < 0:
        raise_error_of(native, state)
    if isinstance(native, PythonGame):
        (<PythonGame>native).check_root()
    return results[0], results[1], results[2], plies, mcts_clock() - begin
