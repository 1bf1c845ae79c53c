"""The functions of a game table from Python."""

from libc.stdint cimport uint32_t

from mcts_core.game cimport NativeState, mcts_proof, mcts_rng
from mcts_core.games.mnk.network cimport Network


cdef class TableProbe:
    cdef NativeState native
    cdef mcts_rng rng
    cdef void *estimator
    cdef Network network
    cdef readonly bint endless    # the last function that was called gave up a rollout that did not end

cdef object proof_of(const mcts_proof *proof)

cdef uint32_t *copied(path) except NULL
