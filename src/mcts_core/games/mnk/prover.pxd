"""The prover of m,n,k games, for their guide."""

from mcts_core.game cimport mcts_guide
from mcts_core.games.mnk.rollout cimport mnk_geometry


# Fills the functions of the prover; those of a board without one, where k is not 5 and there are more than 64 cells,
# become NULL. Their context is the geometry.
cdef void add_prover(const mnk_geometry *g, mcts_guide *guide) noexcept nogil
