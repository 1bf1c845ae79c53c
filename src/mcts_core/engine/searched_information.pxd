"""Searches of games with hidden information, and plans in environments."""

from libc.stdint cimport uint32_t

from mcts_core.engine.loop cimport SearchCore
from mcts_core.tree.information_tree cimport InformationTree


cdef class InformationCore(SearchCore):
    cdef InformationTree known     # that of the last search, None when it failed
    cdef bint frozen               # the tree is full and is not pruned again in this search
    cdef double pause_at           # when other threads are to get the GIL next

    cdef object draws_end(self, double now)
    cdef uint32_t root_node(self) except? 0xFFFFFFFF
    cdef tuple values_of(self)
