"""Whole trees made smaller in place: pruning, and another root."""

from libc.stdint cimport uint32_t

from mcts_core.tree cimport Tree


cdef enum:
    MARKS = 128                  # the share of a budget that compaction needs for its marks is less than one in so many


# Drops the least visited subtrees until the tree takes at most ``units`` units, and moves what is left together; what
# no link leads to goes in any case. False, with nothing changed, when the system gives no memory.
cdef bint compact(Tree *tree, uint32_t units) noexcept nogil

# Makes the node after ``moves`` the root, when it has a block. What is above and beside it stays as garbage.
cdef bint descend(Tree *tree, const uint32_t *moves, uint32_t count) noexcept nogil
