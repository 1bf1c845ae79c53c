"""The table of what the guide of m,n,k games is made of: children, rollouts by policy."""

from mcts_core.game cimport mcts_guide
from mcts_core.games.mnk.rollout cimport mnk_geometry


ctypedef struct mnk_guide_table:
    # Fills the sizes and the functions of `guide`, but for the prover's; the context of its functions is a geometry.
    void (*prepare)(const mnk_geometry *g, mcts_guide *guide) noexcept nogil
