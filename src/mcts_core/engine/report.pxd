"""What a search found: the move to play, the principal variation, the figures, a line of the log."""

from libc.stdint cimport uint64_t

from mcts_core.engine.root_rows cimport RootRows
from mcts_core.engine.searched_tree cimport SearchedTree
from mcts_core.engine.stats_snapshot cimport StatsSnapshot


# The value of the root for the player to move; ``proof``: what ``proof`` of the tree returned.
cdef double expected_value(SearchedTree tree, int proof)

# The mean of each player, or the value that is known. Where all values sum to 1 (``constant``), the other players share
# what the known values leave, in proportion to their means.
cdef tuple settled_values(list means, dict known, bint constant)

# The move to play at the end of a search: the best one, or one drawn by its visits.
cdef object final_move(SearchedTree tree)

# The best one of these rows.
cdef object best_move(SearchedTree tree, RootRows rows)

# Visits of the root.
cdef uint64_t visits_of(SearchedTree tree) except? 0

# What the last search found, or the one that runs; None where there is none, or it failed.
cdef StatsSnapshot snapshot_of(SearchedTree tree)

# What the log reports of the search that has just ended, before another one may begin; None where nobody reads it. It
# imports nothing: without logging in the program nobody does.
cdef dict log_entry(SearchedTree tree)

# Gives it to the logger "mcts_core", at DEBUG; the attributes of the record are those of the entry.
cdef int log(dict entry) except -1
