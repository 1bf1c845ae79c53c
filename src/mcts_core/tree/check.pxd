"""Checks every link, record and number of a search tree."""

from mcts_core.tree.check_walk cimport CheckRules, Findings
from mcts_core.tree.exchange cimport Known
from mcts_core.tree.tree cimport Tree


# Follows every link. Returns NULL if the tree is sound, otherwise a text: what is wrong with the record ``fault``, or
# NO_MEMORY if there is no memory for the check. Whatever the bytes are, it reads nothing outside of the arena and plays
# no illegal move. ``whole``: no memory may be free or unreachable, and bytes that nobody reads are set to 0.
cdef const char *check_tree(Tree *tree, const CheckRules *rules, bint whole, Findings *found) noexcept nogil

# The same for what other trees know of this one, as ``follow`` leaves it. The tree must be sound.
cdef const char *check_known(const Tree *tree, const Known *known) noexcept nogil

cdef const char *NO_MEMORY
