"""Whether a search tree is sound: every link, every record, every number of it."""

from mcts_core.tree.check_walk cimport Findings, Rules
from mcts_core.tree.exchange cimport Known
from mcts_core.tree.plain_tree cimport Tree


# Follows every link. NULL when the tree is sound, else what is wrong with the record ``fault``, or that there is no
# memory for the check (NO_MEMORY). Nothing is read outside of the arena and no move is played that is not legal,
# whatever the bytes. ``whole``: no memory may be free or unreachable; then what no one reads is set to 0 as well.
cdef const char *check_tree(Tree *tree, const Rules *rules, bint whole, Findings *found) noexcept nogil

# The same of what the tree has told and heard, as ``follow`` leaves it. The tree must be sound.
cdef const char *check_known(const Tree *tree, const Known *known) noexcept nogil

cdef const char *NO_MEMORY
