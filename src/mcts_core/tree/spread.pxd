"""What makes the trees of one search different where no rollout does: a tree changes the priors of its nodes at random.

Without this, the trees of several workers are the same tree in a search without rollouts.
"""

from libc.stdint cimport uint32_t

from mcts_core.game cimport mcts_rng
from mcts_core.tree.portable_math cimport uniform

cdef extern from *:
    """
    #define MCTS_SPREAD 0.5f  /* the share by which a prior is changed, at most */
    """
    const float SPREAD "MCTS_SPREAD"


cdef inline double spread_out(float *priors, uint32_t count, float spread, mcts_rng *rng) noexcept nogil:
    """Multiplies each prior by a random number from 1 - ``spread`` to 1 + ``spread``, and returns their new sum."""
    cdef uint32_t slot
    cdef double total = 0
    for slot in range(count):
        priors[slot] *= 1 + spread * (<float>2.0 * <float>uniform(rng) - 1)
        total += priors[slot]
    return total
