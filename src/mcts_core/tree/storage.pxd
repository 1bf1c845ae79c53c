"""A tree of any layout as numbers and bytes, and made of them again."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.tree.exchange cimport Known
from mcts_core.tree.check_walk cimport CheckRules
from mcts_core.tree.tree cimport Tree


# A tree is stored in this order: it is moved together and checked, then its numbers and its memory are written.
cdef int move_together(Tree *tree) except -1
cdef dict numbers_of(const Tree *tree)
cdef object memory_of(Tree *tree)
cdef dict known_record(const Tree *tree, Known *known, list views)

# And read in this one, after a reset: room is made and filled, then the numbers are taken and everything is checked.
# InvalidFile: it cannot be such a tree, of which nothing may be used then.
cdef object room_of(Tree *tree, record, uint64_t memory, uint32_t threads)
cdef int make_known(const Tree *tree, Known *known, record, list views) except -1
cdef int take_numbers(Tree *tree, record, list legal) except -1
cdef dict check_sound(Tree *tree, const CheckRules *rules, bint whole, error)

# What a dict has under a name, of a type; a number in its range. Otherwise InvalidFile.
cpdef object entry(record, name, kind)
cpdef object number(record, name, low, high)
