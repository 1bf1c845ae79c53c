"""What a search found: the move to play, the principal variation, the figures."""

from mcts_core.engine.searched_tree cimport SearchedTree


# What is proven, by half-points.
cdef tuple PROVEN

# The move to play at the end of a search: the best one, or one drawn by its visits.
cdef object final_move(SearchedTree tree)

# The best one of ``root_children``.
cdef object best_move(SearchedTree tree, list children)

# The figures of the last search, or of the one that runs, as a dict; None where there is none, or it failed.
cdef dict figures_of(SearchedTree tree)
