"""The table of the valuation of five in a row by a line-pattern network."""

from mcts_core.game cimport mcts_valuation
from mcts_core.games.mnk.rollout cimport mnk_geometry


ctypedef struct mnk_valuation_table:
    # Fills the functions, whose context is a geometry; those of a board that networks do not know become NULL.
    void (*prepare)(const mnk_geometry *g, mcts_valuation *valuation) noexcept nogil
