"""What a search found: the move to play, the principal variation, the figures, a line of the log."""

from mcts_core.engine.searched_tree cimport SearchedTree


# What is proven, by the bounds of a value: None where they are not those of the best result or of the worst one.
cdef object proven_by(tuple bounds)

# The value of the root for the player to move; ``proof``: what ``proof`` of the tree returned.
cdef double expected_value(SearchedTree tree, int proof)

# The mean of each player, or the value that is known. Where all values sum to 1 (``constant``), the other players share
# what the known values leave, in proportion to their means.
cdef tuple settled_values(list means, dict known, bint constant)

# The move to play at the end of a search: the best one, or one drawn by its visits.
cdef object final_move(SearchedTree tree)

# ``root_children`` with the visits that say which of them the search prefers.
cdef list own_visits(SearchedTree tree, list children)

# The share of their visits that moves have for their own sake, where closed ones pass visits on.
cdef double own_share(double visits, double closed, double of_root) noexcept nogil

# The best one of ``root_children``.
cdef object best_move(SearchedTree tree, list children)

# The principal variation of a search that has ended; ``proof`` and ``move``: what it found.
cdef list found_line(SearchedTree tree, object move, int proof)

# The figures of the last search, or of the one that runs, as a dict; None where there is none, or it failed.
cdef dict figures_of(SearchedTree tree)

# What the log reports of the search that has just ended, before another one may begin; None where nobody reads it. It
# imports nothing: without logging in the program nobody does.
cdef dict log_entry(SearchedTree tree)

# Gives it to the logger "mcts_core", at DEBUG; the attributes of the record are those of the entry.
cdef int log(dict entry) except -1
