"""What the tree of a search says: the moves of its root, the one to play, the principal variation, the figures."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from mcts_core.game cimport NativeState
from mcts_core.tree.guided_tree cimport GuidedBlock, GuidedTree
from mcts_core.engine.settings cimport SearchSettings
from mcts_core.engine.turn cimport SearchTurn
from mcts_core.engine.team cimport Team
from mcts_core.tree.plain_tree cimport Tree


cdef enum:
    LINE = 1024          # moves of a line, at most


cdef class SearchedTree(SearchTurn):
    cdef Tree *tree                # that of the last search: `plain` or the beginning of `guided`
    cdef Tree *plain
    cdef GuidedTree *guided
    cdef SearchSettings settings   # of the last search
    cdef Team *team                # its first member has `tree`; NULL with one thread
    cdef bint teamed               # the team ran the last search
    cdef NativeState native        # the root of the last search, None when it failed
    cdef object state              # as the user gave it
    cdef bint finished
    cdef double seconds, overshoot
    cdef uint64_t seed
    cdef uint64_t used             # bytes of the trees when the search ended, where they were stored since; else 0
    cdef str isa                   # instruction set of that search
    cdef str stop_reason
    cdef object move
    cdef list line                 # the principal variation, when it was asked for
    cdef object __weakref__

    cdef int64_t lead(self) noexcept nogil
    cdef dict snapshot(self)
    cdef uint32_t width(self) noexcept nogil
    cdef object name(self, uint32_t move)
    cdef list legal_moves(self)
    cdef list root_children(self)
    cdef list guided_children(self)
    cdef list plain_children(self)
    cdef object choose(self, list children)
    cdef list winning_moves(self)
    cdef list variation(self, object first)
    cdef list guided_variation(self, object first)
    cdef list proven_line(self, list moves)
    cdef list plain_variation(self, object first)


cdef uint32_t root_visits(const Tree *tree) noexcept nogil
cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil
