"""The memory of a tree, of every layout: made, given back, made ready for a search. For the hot modules alone."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from mcts_core.arena cimport FIRST_COMMIT, arena_grow, arena_release, arena_reserve
from mcts_core.tree.tree cimport Tree, TreeOps


cdef extern from "kernels/selection/ucb1.h" nogil:
    const uint64_t UCB_SCALES


cdef inline bint room_for(void **memory, uint64_t bytes) noexcept nogil:
    """Makes an array larger; False, with nothing changed, when the system gives no memory."""
    cdef void *larger = realloc(memory[0], bytes)
    if larger == NULL:
        return False
    memory[0] = larger
    return True


cdef inline void free_tree(Tree *tree) noexcept nogil:
    """Gives back what all layouts have."""
    arena_release(&tree.arena)
    free(tree.path_record)
    free(tree.path_slot)
    free(tree.path_passed)
    free(tree.path_move)
    free(tree.scales)
    free(tree)


cdef inline Tree *make_tree(uint64_t size, uint32_t layout, const TreeOps *ops, uint64_t bytes) noexcept nogil:
    """A tree of ``size`` bytes, all 0 but for what all layouts have; NULL when the system gives no memory."""
    cdef Tree *tree = <Tree *>calloc(1, size)
    if tree == NULL:
        return NULL
    tree.scales = <float *>calloc(UCB_SCALES, sizeof(float))  # of which the system gives what is touched
    if tree.scales == NULL or not arena_reserve(&tree.arena, bytes):
        free_tree(tree)
        return NULL
    tree.layout = layout
    tree.ops = ops
    tree.proof.value = -1
    return tree


cdef inline bint empty_arena(Tree *tree, uint32_t unit, uint64_t bytes, uint32_t indices) noexcept nogil:
    """Forgets all records; at most ``bytes`` and so many ``indices`` will be used. False: there is no memory."""
    cdef uint64_t units = (tree.arena.reserved if tree.arena.reserved < bytes else bytes) // unit
    memset(tree.arena.freed, 0, sizeof(tree.arena.freed))
    tree.arena.unit = unit
    tree.arena.limit = <uint32_t>(units if units < indices else indices)
    tree.nodes = 1
    return tree.arena.committed > 0 or arena_grow(&tree.arena, FIRST_COMMIT)


cdef inline void set_exploration(Tree *tree, float exploration) noexcept nogil:
    """c of UCB1; call it before ``empty_arena``, as a tree without memory has no scales yet."""
    if tree.exploration != exploration and tree.arena.committed:
        memset(tree.scales, 0, UCB_SCALES * sizeof(float))
    tree.exploration = exploration
