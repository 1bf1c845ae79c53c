"""What the operations of a searched tree mean on the plain tree and on the guided one."""

from libc.stdint cimport uint32_t, uint64_t

from mcts_core.tree.exchange cimport Known
from mcts_core.game cimport NativeState
from mcts_core.tree.guided_tree cimport GuidedBlock, GuidedTree
from mcts_core.engine.loop cimport SearchCore
from mcts_core.engine.request cimport SearchRequest
from mcts_core.engine.settings cimport TwoPlayerSettings
from mcts_core.engine.threads cimport SearchThreads
from mcts_core.engine.thread_exchange cimport Team
from mcts_core.tree.plain_tree cimport Tree


cdef enum:
    LINE = 1024          # moves of a line, at most


cdef class TwoPlayerCore(SearchCore):
    cdef Tree *tree                # that of the last search: `plain` or the beginning of `guided`
    cdef Tree *plain
    cdef GuidedTree *guided
    cdef TwoPlayerSettings settings  # of the last search
    cdef Team *team                # its first member has `tree`; NULL with one thread
    cdef SearchThreads others      # the threads beside the first one
    cdef NativeState native        # the root of the last search, None when it failed
    cdef NativeState keeper        # of the game whose exact search has memory here
    cdef Known outside             # what searches in other processes told, or were told
    cdef bint heard                # since they were made, the trees have heard of others
    cdef bint follows              # the root is below that of the search before: what is proven there is of use here

    cdef Tree *new_tree(self, bint guided) noexcept nogil
    cdef bint reset(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed) noexcept
    cdef void resume(self, Tree *tree, uint32_t number, NativeState native, int sign, uint64_t seed,
                     bint moved) noexcept
    cdef bint prepare(self, NativeState native, int sign, uint64_t seed) noexcept
    cdef bint ready_threads(self, NativeState native, int sign, uint64_t seed, uint32_t *path, int count) except -1
    cdef bint go_on(self, NativeState native, int sign, SearchRequest request) except -1
    cdef void forget_pruned(self, Tree *tree, Known *known) noexcept nogil
    cdef void take_first_tree(self) noexcept
    cdef object choose(self, list children)
    cdef list legal_moves(self)
    cdef list guided_children(self)
    cdef list plain_children(self)
    cdef bint may_begin(self, uint32_t move) except -1


cdef GuidedBlock *guided_root(GuidedTree *guided) noexcept nogil
