"""Many rollouts from one position, without a tree."""

from _thread import get_ident

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint64_t

from mcts_core.errors import GameError, GameOver
from mcts_core.searcher import main_thread_ident

from mcts_core.game cimport NativeState, mcts_rng, mcts_rng_seed
from mcts_core.python_game cimport PythonGame


cdef extern from "kernels/platform.h" nogil:
    double mcts_clock()


cdef enum:
    BATCH = 256  # rollouts between two looks at the clock

cdef double SIGNAL_INTERVAL = 0.02


def run(state, uint64_t count, uint64_t seed):
    """(losses, draws, wins, moves played, seconds) of ``count`` rollouts, for the player to move in ``state``."""
    cdef NativeState native
    cdef mcts_rng rng
    cdef uint64_t results[3]
    cdef uint64_t plies = 0, done = 0, end
    cdef int32_t returned = 0
    cdef bint on_main_thread = get_ident() == main_thread_ident()
    cdef double begin = mcts_clock(), signals_at = begin + SIGNAL_INTERVAL
    if isinstance(state, NativeState):
        native = state
        if state.winner() is not None:
            raise GameOver(f"the game is over (winner {state.winner()}): no rollout can start in {state!r}")
    else:
        native = PythonGame(state)
    mcts_rng_seed(&rng, seed)
    results[0] = results[1] = results[2] = 0
    with nogil:
        while done < count:
            end = done + BATCH if count - done > BATCH else count
            while done < end:
                returned = native.game.rollout(native.game.context, native.state, &rng)
                if returned < 0:
                    break
                results[returned & 3] += 1
                plies += returned >> 2
                done += 1
                if native.game.max_moves == 0:  # Python-written: a rollout may be long
                    break
            if returned < 0:
                break
            if on_main_thread and mcts_clock() >= signals_at:
                with gil:
                    PyErr_CheckSignals()
                signals_at = mcts_clock() + SIGNAL_INTERVAL
    if returned < 0:
        if isinstance(native, PythonGame):
            (<PythonGame>native).raise_error()
        raise GameError(f"the native rules of {type(state).__name__} reported an error")
    return results[0], results[1], results[2], plies, mcts_clock() - begin
