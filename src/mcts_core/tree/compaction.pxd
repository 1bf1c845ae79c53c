"""Makes whole trees smaller in place: pruning, and reroot."""

from libc.stdint cimport uint32_t

from mcts_core.tree.tree cimport Tree


cdef enum:
    MARKS = 100                  # the marks of compaction take less than 1 / MARKS of the memory limit

cdef extern from *:
    """
    #define COMPACTION 1e-9      /* seconds that a byte of what is kept takes (0.3e-9 to 1.2e-9 measured) */
    """
    const double COMPACTION


# Drops the least visited subtrees until the tree takes at most ``units`` units, and moves what is left together. Drops
# what no link leads to in any case. False, with nothing changed, when the system has no memory.
cdef bint compact(Tree *tree, uint32_t units) noexcept nogil

# The same, but what is kept, the most visited first, is also what can be found and moved before the clock says
# ``until``. It takes no time for what it does not keep, however large the tree is. ``nodes`` says before how many there
# are at most.
cdef bint keep_top(Tree *tree, uint32_t units, double until) noexcept nogil

# Makes the node after ``moves`` the root, when it has a block. What is above and beside it stays as garbage.
cdef bint reroot(Tree *tree, const uint32_t *moves, uint32_t count) noexcept nogil
